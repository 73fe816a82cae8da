"""What is not carried is refused by name, limits hold, and what is left open says why."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import edgeproof as ep
from attention_queries import any_network, attention_layer, drawn, random_attention, two_layers
from edgeproof.errors import InputError, TooLargeError
from edgeproof.model.network import Network
from edgeproof.search.attention import every_graph


def large(layers: int, n: int = 300, heads: int = 2) -> tuple[Network, ep.Graph]:
    """A ring with chords, where single flips do not break most claims."""
    rng, width = np.random.default_rng(1), 4
    made = []
    for number in range(layers):
        last = number == layers - 1
        attention = random_attention(rng, 2 if number == 0 else width, 1 if last else heads, 2, mean=False)
        made.append(attention_layer(rng, 2 if number == 0 else width, attention, "none" if last else "relu"))
    ends = np.arange(n)
    edges = np.concatenate([np.stack([ends, (ends + step) % n]) for step in (1, 2, 5, 17)], axis=1)
    edges = np.concatenate([edges, edges[::-1]], axis=1)
    return Network(made), ep.Graph(edges, rng.normal(size=(n, 2)), directed=False)


def test_other_engines_proofs_and_float32_refuse_attention_by_name(tmp_path: Path) -> None:
    network, graph = large(2, 40)
    for how in ({"engine": "mip"}, {"proof": tmp_path / "p"}, {"certify": True}, {"arithmetic": "float32"}):
        with pytest.raises(InputError, match="attention"):
            ep.verify(network, graph, ep.Threat(1), node=0, **how)


def test_unknown_options_are_refused_and_known_ones_change_nothing() -> None:
    network, graph = large(2, 40)
    with pytest.raises(InputError, match="unknown option"):
        ep.verify(network, graph, ep.Threat(1), node=0, options={"nonsense": True})
    plain = ep.verify(network, graph, ep.Threat(1), node=0)
    assert ep.verify(network, graph, ep.Threat(1), node=0, options={"lines": False}) == plain


def test_a_time_limit_and_a_node_limit_end_a_question() -> None:
    network, graph = large(2)
    node = next(v for v in range(300) if ep.verify(network, graph, ep.Threat(1), node=v).robust)
    found = ep.verify(network, graph, ep.Threat(3), node=node, timeout=1e-6)
    assert (found.status, found.reason) == ("unknown", "timeout")
    limited = ep.radius(network, graph, ep.Threat(6), node=node, node_limit=1)
    assert limited.reason == "node limit"
    assert not limited.exact


def test_many_pairs_are_refused_in_words_or_left_open_as_incomplete(monkeypatch: pytest.MonkeyPatch) -> None:
    network, graph = large(2, 600)
    with pytest.raises(TooLargeError, match=r"attention: more than 65,536 pairs can matter.*insert='target'"):
        ep.verify(network, graph, ep.Threat(1, insert=True), node=0)
    deep, graph = large(3)
    with pytest.raises(TooLargeError, match=r"attention: any of 44,850 pairs may flip.*Threat\(fragile"):
        ep.verify(deep, graph, ep.Threat(1, insert=True), node=0)
    monkeypatch.setattr(every_graph, "MOST_FROM_BASE", 1000)
    found = [ep.radius(deep, graph, ep.Threat(2), node=v) for v in range(30)]
    left = [one for one in found if one.reason is not None]
    assert left
    assert all(one.reason == "incomplete" and not one.exact and one.lower == 1 for one in left)


def test_a_sweep_and_a_radius_without_a_budget_go_through(tmp_path: Path) -> None:
    network, graph = large(2, 60)
    verdicts = list(ep.verify_many(network, graph, ep.Plan([ep.Threat(1), ep.Threat(2)], nodes=[0, 1])))
    assert len(verdicts) == 4
    assert all(one.status in ("robust", "vulnerable") for one in verdicts)
    seen = 0
    for seed in range(40, 60):
        query = drawn(two_layers if seed % 2 else any_network, seed)
        if query is None or query.network.task == "graph" or query.threat.count_fragile(query.graph) > 8:
            continue
        seen += 1
        threat = query.threat.with_budget(None)
        parts = (query.network, query.graph, threat, query.claim.node)
        assert ep.radius(*parts).to_dict()["upper"] == ep.radius(*parts, engine="brute").upper
    assert seen > 2
