"""How fast and how small torchtalk is: `python -m benchmarks --db FILE`."""
