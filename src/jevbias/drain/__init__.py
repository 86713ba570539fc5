"""Workers that put a run's probes to a model."""
