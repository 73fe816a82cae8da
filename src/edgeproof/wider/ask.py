"""Which way decides a threat that is more than flips of equal cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import InputError
from ..model.feature_threats import FeatureFlips
from ..model.query import Query
from ..model.verdict import Radius, Verdict
from . import joint, relax

Put = Callable[[str, Query, float | None, int | None], Any]


def verify(query: Query, engine: str, put: Put, timeout: float | None, node_limit: int | None) -> Verdict:
    """`put`: asks an engine that knows flips of equal cost."""
    if query.threat.features is not None:
        _require_flips(query, engine)
        return joint.verify(query, timeout, node_limit)
    return relax.verify(query, put, timeout, node_limit)


def radius(query: Query, engine: str, put: Put, timeout: float | None, node_limit: int | None) -> Radius:
    if query.threat.features is not None:
        _require_flips(query, engine)
        return joint.radius(query, timeout, node_limit)
    return relax.radius(query, put, timeout, node_limit)


def _require_flips(query: Query, engine: str) -> None:
    if engine != "search":
        raise InputError(f"features: together with inject only the engine 'brute' knows them, got {engine!r}")
    if not isinstance(query.threat.features, FeatureFlips):
        raise InputError("features: FeatureBox is for engine='mip'; the engine 'search' knows FeatureFlips")
