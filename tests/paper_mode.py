"""The search as the paper has it: what it describes is on, everything beyond it is off."""

from __future__ import annotations

from edgeproof.options import TABLE

DESCRIBED = frozenset(
    [
        "incremental", "reorder", "budget_boxes", "nearest_first", "flip_first", "inference", "reach",
        "stop_unchanged", "cache_products", "fold", "exclude_rivals",
    ]
)  # fmt: skip
PAPER = {option.name: option.name in DESCRIBED for option in TABLE}
