"""What the command's exit codes mean."""

from __future__ import annotations

FOUND = 0
NOTHING_FOUND = 1
DIFFERENT = 1
UNWELL = 1
USAGE = 2
NO_SOURCE = 3
CANNOT_WRITE = 5
NO_INDEX = 8
INTERRUPTED = 130
CLOSED_PIPE = 141

QUERY_EPILOG = """\b
Exit codes:
  0    answered
  1    answered: the index has nothing of the kind that is asked for
  2    a wrong option or argument
  3    no PyTorch tree is known, so neither is its index
  8    there is no index, it cannot be read by this torchtalk, or lacks the layers of the answer
"""

INDEX_EPILOG = """\b
Exit codes:
  0    built, brought up to date, or found to be so
  2    a wrong option
  3    no PyTorch tree where one was named
  4    a file that a whole layer stands on cannot be read
  5    the database cannot be written (read-only folder, full disk)
  6    another process is building the same database
  7    a worker process died
  8    this Python's SQLite is too old
  130  interrupted (Ctrl-C)
  143  terminated (SIGTERM; 129 for SIGHUP)

\b
With any code but 0 the old database, if there is one, stands as it was; or the new one does,
without exact C++ calls, if it was in place already.
"""

SNAPSHOT_EPILOG = """\b
Exit codes:
  0    done
  1    there is no such snapshot, or nothing is kept
  2    a wrong option or argument
  3    no PyTorch tree is known
  5    a file cannot be written
  6    another process is building the same database
  8    there is no index, or it cannot be read by this torchtalk
  9    a file is no snapshot, is damaged, or does not fit this torchtalk
"""
