"""Ways to settle a question other than the tree: forks, and enumeration by orbits."""
