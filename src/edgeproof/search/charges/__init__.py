"""Bounds of differences from the values of the whole graph: every edge is charged with what its deletion can cost."""
