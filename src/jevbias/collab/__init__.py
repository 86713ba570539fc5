"""Does pairing a decision model with an LLM help on a task: arms, episodes, and what they show."""
