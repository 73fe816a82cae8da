"""Ways in and out: readers give plain arrays (`raw`), which the types validate."""
