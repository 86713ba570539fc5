"""Measurements of the method and of its speed, with the commands that `docs/benchmarks.md` names."""
