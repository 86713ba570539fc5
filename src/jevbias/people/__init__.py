"""Generated people who differ in one attribute and nothing else."""
