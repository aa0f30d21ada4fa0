"""What was written: a diff or a checkout as changed lines of files, and which of them change nothing that runs."""
