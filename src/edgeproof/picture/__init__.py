"""Pictures of attacks: which part of the graph to show, where its vertices go, and the drawing."""
