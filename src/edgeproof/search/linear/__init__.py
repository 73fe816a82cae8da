"""Backward linear bounds in the flips (CROWN), with one budget for all layers."""
