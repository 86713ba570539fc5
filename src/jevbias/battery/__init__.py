"""Which surface feature does a score quietly pay for: matched pairs become scores become effects per axis."""
