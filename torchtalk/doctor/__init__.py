"""Whether all that torchtalk stands on is well, and what to do where it is not."""
