"""The joined graph where tests are looked for: its nodes, the way back to tests, the search."""
