"""One file per way of asking a model."""
