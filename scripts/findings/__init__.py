"""What two published runs found, read with today's method: texts and pages drawn from `docs/published`."""
