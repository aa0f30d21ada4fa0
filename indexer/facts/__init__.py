"""What is taken from files: frozen dataclasses, and named tuples where there are very many."""
