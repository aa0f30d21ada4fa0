"""The sections of a diff between two indexes."""
