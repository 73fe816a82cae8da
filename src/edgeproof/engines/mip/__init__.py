"""The query as a mixed-integer program: an independent exact engine, and the baseline of the experiments."""

from __future__ import annotations
