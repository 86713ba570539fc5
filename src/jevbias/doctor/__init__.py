"""Whether a run could start here, and what to do where it could not."""
