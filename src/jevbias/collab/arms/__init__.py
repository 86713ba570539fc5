"""The arms: ways of acting on a task, each of which a bench puts to the same episodes."""
