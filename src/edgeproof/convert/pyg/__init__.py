"""PyTorch Geometric in: modules, state dicts and graphs. torch is imported here and nowhere else, and lazily."""
