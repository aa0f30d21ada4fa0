"""Queries that somebody else wrote: run where they can neither write nor run away."""
