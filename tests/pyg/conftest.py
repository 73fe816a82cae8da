"""These tests need torch and torch_geometric, and skip where they are missing."""

from __future__ import annotations

import contextlib
import warnings

with warnings.catch_warnings(), contextlib.suppress(ModuleNotFoundError):
    warnings.simplefilter("ignore")  # of what torch_geometric does while it is imported
