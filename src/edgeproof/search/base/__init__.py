"""Values of the whole graph, once a network and a graph: what every question about them starts from."""
