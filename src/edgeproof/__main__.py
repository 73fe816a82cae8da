"""`python -m edgeproof`: the same as the command `edgeproof`."""

from .cli import main

main()
