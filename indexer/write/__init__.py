"""The only place that inserts what was extracted: one module a layer."""
