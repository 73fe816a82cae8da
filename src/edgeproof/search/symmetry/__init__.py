"""Automorphisms of a question, and what they spare the search."""
