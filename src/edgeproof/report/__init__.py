"""Reports: one self-contained page from a sweep's store, and figures for papers."""
