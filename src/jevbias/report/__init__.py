"""What a run says, as pydantic models."""
