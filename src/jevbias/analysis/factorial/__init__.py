"""The analysis of factorial runs: people who differ in everything at once."""
