"""What no table has, looked for in the texts of the tree: users of constants, tests with a name or a message."""
