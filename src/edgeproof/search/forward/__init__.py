"""Values of the grounding, updated where a flip changes them."""
