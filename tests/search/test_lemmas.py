"""The inequalities that proofs in docs/theory.md rest on, on random numbers, set of flips by set of flips."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest

import edgeproof as ep
from edgeproof.model.query import make_query
from edgeproof.options import resolve
from edgeproof.problem.compile import compile_problem
from edgeproof.search.jit.decorators import entry
from edgeproof.search.linear.concretize import concretize
from edgeproof.search.linear.gcn import sender_gains
from edgeproof.search.linear.workspace import start_pass, touch
from edgeproof.search.pairwise.maximise import maximise, maximise_bend, maximise_spread, maximise_up_to
from edgeproof.search.worker import Worker

ROOT = np.concatenate([[0.0], 1 / np.sqrt(np.arange(1.0, 40.0))])
NEAR = 1e-12


# --- degrees (GCN) ---


@pytest.mark.parametrize("stays", [True, False])
def test_charges_at_a_sender_pay_for_every_change_of_its_degree(stays: bool) -> None:
    credits = 0
    for seed in range(3000):
        rng = np.random.default_rng(seed)
        down, up = int(rng.integers(0, 5)), int(rng.integers(0, 5))
        degree = 1 + down + int(rng.integers(0, 6))
        bottom, above = np.sort(rng.normal(size=2) + rng.choice([-1.5, 0.0, 1.5]))
        weak, strong = np.sort(rng.random(2) + 0.1)
        goes, comes = sender_gains(ROOT, degree, down, up, bottom, above, strong, weak, stays)
        credits += min(goes, comes) < 0.0
        assert stays or min(goes, comes) >= 0.0, f"seed {seed}"
        for x in range(down + 1):
            for y in range(up + 1):
                change = ROOT[degree - x + y] - ROOT[degree]
                worst = max(w * message * change for w in (weak, strong) for message in (bottom, above))
                assert worst <= x * goes + y * comes + NEAR, f"seed {seed}: {x} flips lower it, {y} raise it"
    assert (credits > 100) == stays


# --- concretizing ---


@entry
def concretize_gains(p, s, linear, gains, left):
    start_pass(linear, np.int64(1))
    for pair in range(gains.size):
        touch(linear, np.int64(pair))
        linear.gain[0, pair] = gains[pair]
    concretize(p, s, linear, np.int64(1), left)


def test_the_greedy_choice_of_gains_is_the_best_that_budgets_allow() -> None:
    """Directed, where a pair costs a unit at its target only; so no set of flips gets beyond it, and one gets there."""
    graph = ep.Graph([[0, 1, 2, 3, 0, 2, 3, 1], [1, 0, 0, 0, 2, 1, 2, 3]], np.ones((4, 1)), directed=True)
    layer = ep.Layer([[1.0], [0.0]], [[1.0], [0.0]], [0.0, 0.0], "sum", "relu")
    again = ep.Layer(np.eye(2), np.eye(2), [0.0, 0.0], "sum", "none")
    for seed in range(150):
        rng = np.random.default_rng(seed)
        local = rng.integers(0, 4, 4).tolist()
        budget = int(rng.integers(1, 6))
        query = make_query(ep.Network([layer, again]), graph, ep.Threat(budget, local), node=0, label=0)
        compiled = compile_problem(query, resolve({}), budget)
        p = compiled.problem
        worker = Worker(compiled, budget, resolve({}))
        gains = np.round(rng.normal(size=p.pair_u.size), 1)
        concretize_gains(worker._problem, worker._state, worker._linear, gains, np.int64(budget))
        best = 0.0
        for size in range(min(budget, gains.size) + 1):
            for chosen in map(list, combinations(range(gains.size), size)):
                if (np.bincount(p.pair_v[chosen], minlength=p.n) <= p.local).all():
                    best = max(best, float(gains[chosen].sum()))
        bound = float(worker._linear.bundle.bound[0])
        assert best <= bound <= best + 1e-9, f"seed {seed}"


# --- what flips make together ---


def flat(*numbers: float) -> list[np.ndarray]:
    """One coordinate each."""
    return [np.array([number]) for number in numbers]


def test_what_an_activation_makes_of_several_shifts_is_a_sum_over_pairs() -> None:
    tight = 0
    for seed in range(3000):
        rng = np.random.default_rng(seed)
        shifts = rng.normal(size=int(rng.integers(2, 6)))
        p, slope = float(rng.normal()), float(rng.choice([0.0, 0.2, 1.0]))
        low, high = np.sort(rng.normal(size=2) + rng.choice([-1.0, 0.0, 1.0]))

        def act(y: float, slope: float = slope) -> float:
            return max(y, 0.0) + slope * min(y, 0.0)

        made = act(p + shifts.sum()) - act(p) - sum(act(p + shift) - act(p) for shift in shifts)
        # as screening finds them: what up to so many others can do at most, whoever they are
        others = np.sort(shifts)
        under = p + np.minimum(others, 0.0)[: shifts.size - 2].sum()
        over = p + np.maximum(others, 0.0)[::-1][: shifts.size - 2].sum()
        total = sum(
            maximise_bend(*flat(a, b, under, over, low, high, slope), 1) for a, b in combinations(shifts.tolist(), 2)
        )
        worst = max(low * made, high * made)
        assert worst <= total + NEAR, f"seed {seed}"
        tight += worst > 0.0 and worst >= total - NEAR
    assert tight > 50


@pytest.mark.parametrize("at_vertex", ["nobody", "inserts", "deletes"])
def test_what_a_max_makes_of_several_flips_is_a_sum_over_pairs(at_vertex: str) -> None:
    """At most one flip is at the vertex; what each changes alone is known, there and in every message."""
    for seed in range(3000):
        rng = np.random.default_rng(seed)
        senders, flips = int(rng.integers(at_vertex != "inserts", 5)), int(rng.integers(1, 5))
        low, high = np.sort(rng.normal(size=2) + rng.choice([-1.0, 0.0, 1.0]))
        multipliers = flat(low, high)
        y, changes = rng.normal(size=senders), rng.normal(size=(flips, senders)) * rng.choice([0.1, 1.0])
        new, heard = float(rng.normal()), rng.normal(size=flips)  # the inserted sender, and what each changes in it

        def outcome(
            chosen: list[int],
            y: np.ndarray = y, changes: np.ndarray = changes, new: float = new, heard: np.ndarray = heard,
        ) -> float:  # fmt: skip
            """The max with these flips; flip 0 is the one at the vertex, and deletes sender 0."""
            messages = (y + changes[chosen].sum(axis=0)).tolist()
            if at_vertex == "deletes" and 0 in chosen:
                messages = messages[1:]
            if at_vertex == "inserts" and 0 in chosen:
                messages.append(new + float(heard[chosen].sum()))
            return max(messages, default=0.0)

        base = outcome([])
        alone = [outcome([f]) - base for f in range(flips)]
        made = outcome(list(range(flips))) - base - sum(alone)
        spread = [float(row.max() - row.min()) if senders else 0.0 for row in changes]
        total = sum(
            maximise_spread(*flat(spread[e], spread[f]), *multipliers, 1) for e, f in combinations(range(flips), 2)
        )
        for f in range(1, flips):
            if at_vertex == "inserts":
                total += maximise_up_to(*flat(heard[f], alone[f]), *multipliers, 1)
            elif at_vertex == "deletes" and senders == 1:
                total += maximise(*flat(alone[f]), -1.0, *multipliers, 1)
            elif at_vertex == "deletes":
                total += maximise_spread(*flat(spread[f], spread[f]), *multipliers, 1)
        assert max(low * made, high * made) <= total + NEAR, f"seed {seed}"


# --- shapes of sets of flips ---

Edge = tuple[int, int]


def five_edges(edges: tuple[Edge, ...] = (), used: int = 0) -> Iterator[tuple[Edge, ...]]:
    """Every graph of five edges up to names of its vertices, which are numbered as they come; most come often."""
    if len(edges) == 5:
        yield edges
        return
    for a in range(used + 1):
        known = max(used, a + 1)
        for b in range(a + 1, known + 1):
            if (a, b) not in edges:
                yield from five_edges((*edges, (a, b)), max(known, b + 1))


def parts_of(edges: list[Edge]) -> list[int]:
    """How many edges each connected part has."""
    parts: list[set[Edge]] = []
    for edge in edges:
        joined = [part for part in parts if any(set(edge) & set(other) for other in part)]
        parts = [part for part in parts if part not in joined] + [set().union({edge}, *joined)]
    return sorted(len(part) for part in parts)


def test_five_flips_of_any_shape_leave_a_fork_and_what_is_looked_at_from_there() -> None:
    seen, alone = 0, set()
    for edges in five_edges():
        forks = [two for two in combinations(edges, 2) if set(two[0]) & set(two[1])]
        if not forks:
            continue
        seen += 1
        rests = [parts_of([edge for edge in edges if edge not in fork]) for fork in forks]
        if [3] in rests and all(rest == [3] for rest in rests):
            degrees = np.bincount(np.array(edges).ravel())
            alone.add(tuple(sorted(degrees.tolist())))
        else:
            assert any(rest in ([1, 1, 1], [1, 2]) for rest in rests), edges
    assert seen > 1000
    # a star, a ring, and five edges between four vertices
    assert alone == {(1, 1, 1, 1, 1, 5), (2, 2, 2, 2, 2), (2, 2, 3, 3)}
