"""Profile, cohort and scenarios become asks and probes in seeded order."""
