"""What the search says comes with a certificate that the checker accepts, whatever the options."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import edgeproof as ep
from differential import draw_options
from edgeproof import certify as certifying
from edgeproof.engines import brute
from edgeproof.model.query import Query
from edgeproof.proof.check import check
from edgeproof.proof.format import TIGHTEN
from edgeproof.proof.write import write_proof
from edgeproof.search import engine as search
from edgeproof.search.trace import Trace
from random_queries import EVERYTHING, draw

SEED, CHUNK = 31, 30


def certified(query: Query, options: dict[str, bool], proof: Path | None = None) -> ep.Verdict:
    return certifying.verify_with_certificate(
        query, timeout=60, node_limit=None, options=options, proof=proof, certify=True
    )


def wrong(seed: int, index: int) -> str | None:
    query = draw(seed, index)
    if query.network.normalises:
        return None
    truth, found = brute.verify(query), certified(query, draw_options(seed, index))
    if (found.status, found.certified) != (truth.status, True):
        return f"seed {seed}, index {index}: {found} where the truth is {truth.status}"
    return None


@pytest.mark.parametrize("chunk", range(4))
def test_every_verdict_is_certified(chunk: int) -> None:
    problems = [wrong(SEED, index) for index in range(CHUNK * chunk, CHUNK * (chunk + 1))]
    assert not any(problems), "\n".join(filter(None, problems))


def test_what_leaves_owe_to_tightening_is_missed_where_it_is_taken_out() -> None:
    """The same trees without the marks of tightening: some leaf does not close any more."""
    grid = replace(EVERYTHING, layers=(3,), aggregations=("sum", "mean"), styles=("gaussian",), budgets=(3, 4))
    for index in range(200):
        query = draw(SEED, index, grid)
        trace = Trace()
        options = {"tighten_at_once": True, "last_flip": False}
        found = search.verify(query, timeout=60, node_limit=None, options=options, trace=trace)
        if found.status == "robust" and (trace.records & TIGHTEN).any():
            check(write_proof(query, trace.records, trace.pairs), query.network, query.graph)
            try:
                check(write_proof(query, trace.records & ~TIGHTEN, trace.pairs), query.network, query.graph)
            except ep.RejectedError:
                return
    pytest.fail("no proof needed its tightening")
