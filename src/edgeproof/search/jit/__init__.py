"""How kernels are compiled, kept, linked, and given their arrays."""
