"""Statistics as pure functions over numpy arrays; nothing of the project is imported here."""
