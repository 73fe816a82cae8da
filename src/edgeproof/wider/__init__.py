"""Threats beyond flips of equal cost, decided by questions about flips of equal cost."""
