"""Networks with attention: two layers by tables and a program, others by looking at every graph where they are few."""
