"""What the user has: networks, graphs, threats, questions and answers; immutable, and checked when they are built."""
