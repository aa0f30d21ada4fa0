"""Everything that writes an index: scan, extract, write, link."""
