"""Values of a network on a graph: in float64, and without rounding."""
