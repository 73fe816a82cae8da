"""An example that needs no download: Zachary's karate club and a network that was trained on it."""
