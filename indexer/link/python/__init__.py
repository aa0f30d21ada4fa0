"""Resolving Python's names: what a dotted path stands for in the tree."""
