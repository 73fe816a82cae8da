"""Depth-first search over pairs: the node loop, branching, pruning, enumeration."""
