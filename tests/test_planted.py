"""Claims with a planted attack are never called robust: over all aggregations, tasks and scales of weights."""

from __future__ import annotations

import pytest

from edgeproof.search import engine
from planted import Planter

SEED, CHUNKS = 41, 4
NODES = 300  # search nodes: past them the answer is unknown, which is not wrong


def wrong(seed: int, index: int) -> str | None:
    query, attack = Planter(seed, index).plant()
    found = engine.verify(query, timeout=30, node_limit=NODES, options=None)
    if found.status == "robust":
        return f"seed {seed}, index {index}: robust, but {attack} breaks it"
    return None


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_a_planted_attack_is_never_called_robust(chunk: int, pytestconfig: pytest.Config) -> None:
    count = pytestconfig.getoption("--campaign") // 12 // CHUNKS
    problems = [wrong(SEED, index) for index in range(count * chunk, count * (chunk + 1))]
    assert not any(problems), "\n".join(filter(None, problems))
