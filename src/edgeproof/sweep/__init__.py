"""Many queries on an executor, and the store that keeps their answers."""
