"""Which files a tree has, and what kind of tree it is."""
