"""Bringing an index up to date: what changed in the tree, and what has to be linked again because of it."""
