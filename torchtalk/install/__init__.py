"""Guides for coding agents: what they are made of, and putting them where agents look."""
