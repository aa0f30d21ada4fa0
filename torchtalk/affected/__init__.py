"""From a change to the tests it touches: diffs, places, the graph, the choice."""
