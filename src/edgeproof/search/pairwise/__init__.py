"""Pairwise interactions: what several flips do together beyond what each does alone."""
