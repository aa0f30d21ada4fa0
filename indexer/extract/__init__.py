"""Extractors: each reads one file and gives facts."""
