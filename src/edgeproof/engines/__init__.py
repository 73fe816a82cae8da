"""Independent exact engines; they share `Query` and the types with the search, and nothing else."""
