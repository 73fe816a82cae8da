"""Two layers around a node where any pair of the graph may flip: exact passes, bounds that share the budget."""
