"""No forged proof of a false claim is accepted, whatever its tree, its leaves, its marks and its batches."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import forger
from edgeproof import RejectedError, check
from edgeproof.demo.karate import karate_graph, karate_network
from edgeproof.engines import brute
from edgeproof.model.query import Query, make_query
from edgeproof.model.threat import Threat
from edgeproof.proof import walk
from edgeproof.proof.format import BOX, LINE, LINES, LINES_AGAIN, SETTLED, SPENT, SPLIT, TIGHTEN, pack, pair_list
from edgeproof.proof.setting import Setting
from edgeproof.proof.statement import describe
from proof_cases import Twig, case

PARTS = 4


def ladder(query: Query, leaf: int, split: int, last: int) -> bytes:
    """Every pair is split: the flipped child is a leaf, the kept one the next split."""
    pairs = Setting(query).region.pairs
    root = Twig(last)
    for row in range(len(pairs))[::-1]:
        root = Twig(SPLIT | split, row, [Twig(leaf), root])
    header = describe(query, "robust") | {"pairs": pair_list(pairs), "nodes": len(root.walk())}
    return pack(header, root.written())


@pytest.mark.parametrize("split", [0, LINES, TIGHTEN, LINES_AGAIN, LINES | TIGHTEN | LINES_AGAIN])
@pytest.mark.parametrize("leaf", [BOX, LINE, LINE | LINES | TIGHTEN, SETTLED])
@pytest.mark.parametrize("at_once", [1, 2, 128])
def test_a_leaf_owes_nothing_to_its_neighbours_in_the_batch(
    leaf: int, split: int, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A box leaf beside splits that ask for lines was accepted unseen: lines said -inf of rivals not asked about."""
    monkeypatch.setattr(walk, "MOST_NODES", at_once)
    query = case(False)
    assert brute.verify(query).status == "vulnerable"
    for last in (SPENT, BOX):
        with pytest.raises(RejectedError, match=r"^node"):
            check(ladder(query, leaf, split, last), query.network, query.graph)


def test_no_member_of_the_karate_club_is_forged_robust() -> None:
    """One deletion more than its radius, on real data: few pairs, many neighbours in a batch."""
    network, graph = karate_network(), karate_graph()
    forged = 0
    for node in range(graph.num_vertices):
        query = make_query(network, graph, Threat(budget=1), node)
        if brute.verify(query).status == "vulnerable":
            forged += 1
            for mark in (LINES, LINES | TIGHTEN):
                with pytest.raises(RejectedError):
                    check(ladder(query, BOX, mark, SPENT), network, graph)
    assert forged > 5


@pytest.mark.campaign
@pytest.mark.parametrize("part", range(PARTS))
def test_no_forgery_is_accepted(part: int, request: pytest.FixtureRequest) -> None:
    """Of the default campaign about 400 forgeries; `--campaign 150000` makes more than 20,000."""
    claims, seed = request.config.getoption("--campaign") // 27, request.config.getoption("--campaign-seed")
    seen = Counter[str]()
    for index in range(part, claims, PARTS):
        counted, accepted = forger.run(seed, index, index + 1)
        assert not accepted, "\n".join(accepted)
        seen += counted
    assert seen["forgeries"] >= claims // PARTS


def test_forgeries_lie_in_every_way() -> None:
    """Every kind is drawn, and what is true but for its lies is true but for them: told the truth, it is accepted."""
    seen = Counter[str]()
    for index in range(40):
        drawn = forger.forgeries(3, index)
        seen.update(name for name, *_ in (drawn[1] if drawn else []))
    assert set(seen) == set(forger.Forger(case(False), np.random.default_rng(0)).kinds)
