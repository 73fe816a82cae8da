"""Where the datasets and models are, for the tests that need them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

DATA = Path(os.environ.get("EDGEPROOF_DATA") or Path(__file__).parents[2] / "shared")

needs_data = pytest.mark.skipif(
    not (DATA / "models").is_dir() or not (DATA / "datasets").is_dir(),
    reason="needs the folders datasets/ and models/: set EDGEPROOF_DATA to where they are",
)


def model(name: str) -> Path:
    return DATA / "models" / f"{name}.npz"


def dataset(name: str) -> Path:
    return DATA / "datasets" / f"{name}.npz"
