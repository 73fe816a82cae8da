"""Deletions bounded by lengths of changes alone: networks of any depth and aggregation."""
