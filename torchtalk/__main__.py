"""`python -m torchtalk`."""

from __future__ import annotations

from torchtalk.cli import main

if __name__ == "__main__":
    main()
