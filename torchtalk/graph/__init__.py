"""The joined graph: C++ functions, stubs, operators and Python, and how to walk it."""
