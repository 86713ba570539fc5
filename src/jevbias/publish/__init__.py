"""A report becomes a page, or lines in a terminal."""
