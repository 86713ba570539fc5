"""A run's people, probes, answers and comparisons as flat tables."""
