"""Attacks: graphs near the grounding that may break the claim."""
