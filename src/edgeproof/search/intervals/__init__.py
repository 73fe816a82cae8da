"""Interval bound propagation: a box for every pre-activation."""
