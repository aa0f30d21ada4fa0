"""Mutated source files against the extractors and the builder: `python -m tests.fuzz`."""
