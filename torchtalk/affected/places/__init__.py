"""From changed lines, or from names, to the nodes of the graph, by the tables of the index."""
