"""Budgets shared under layers that take a max: settings, item rows, gains, bounds of a shape, and the search."""
