"""Tables, engine, the probe queue and migrations."""
