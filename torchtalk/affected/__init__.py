"""From a change to the tests it touches: one folder a stage, each of which asks only those before it.

- `diff`: what was written: a diff or a checkout as changed lines of files, and which of them change nothing that runs.
- `graph`: the joined graph where tests are looked for: its nodes, the way back to tests, the search.
- `places`: from changed lines, or from names, to nodes of the graph, by the tables.
- `texts`: what no table has, looked for in the tree's texts: users of constants, tests that have a name or a message.
- `choice`: which of the tests that were reached come first, which are only called alike, and how they are run.

`sources` reads the tree's texts and `path_words` what paths say, for all of them.
"""

from __future__ import annotations

from torchtalk.sqlfile import beside

queries = beside(__file__)
"""The named statements of a `.sql` file of this folder."""
