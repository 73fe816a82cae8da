"""Proofs of robust verdicts: writing them, and checking them with code that shares nothing with the search."""
