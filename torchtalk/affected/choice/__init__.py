"""Which of the tests that were reached come first, which are only called alike, and how they are run."""
