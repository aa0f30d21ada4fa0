"""Joining what files register for torch.compile to operators and functions."""
