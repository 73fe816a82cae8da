"""`verify_many`: every question gets its own answer, wherever it is computed."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

import edgeproof as ep
import sweep_cases as cases
from edgeproof.sweep.limits import Limits, covers
from edgeproof.sweep.plan import asking_order


def table(answers: list[ep.Answer]) -> dict[tuple[object, ...], str]:
    return {(a.node, a.question.graph, id(a.question.threat), a.question.target): a.status for a in answers}


def truth(network: ep.Network, graph: ep.Graph, threats: list[ep.Threat]) -> dict[tuple[object, ...], str]:
    return {
        (node, 0, id(threat), None): ep.verify(network, graph, threat, node, engine="brute").status
        for node in range(graph.num_vertices)
        for threat in threats
    }


@pytest.mark.parametrize("where", ["here", "workers", "threads", "spawned processes"])
def test_every_executor_gives_the_verdicts_of_verify(where: str) -> None:
    network, graph, plan = cases.network(), cases.graph(), cases.plan()
    wanted = truth(network, graph, list(plan.threats))
    assert {*wanted.values()} == {"robust", "vulnerable"}
    if where == "threads":
        with ThreadPoolExecutor(2) as executor:
            answers = list(ep.verify_many(network, graph, plan, executor, engine="brute"))
    elif where == "spawned processes":
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
            answers = list(ep.verify_many(network, graph, plan, executor, engine="brute"))
    else:
        workers = 0 if where == "here" else 2
        answers = list(ep.verify_many(network, graph, plan, workers=workers, engine="brute"))
    assert len(answers) == len(wanted)
    assert table(answers) == wanted


def test_the_search_engine_with_passes_and_without() -> None:
    network, graph, plan = cases.network(3), cases.graph(14), cases.plan()
    wanted = truth(network, graph, list(plan.threats))
    for passes, share in ((True, True), (False, False)):
        answers = list(ep.verify_many(network, graph, plan, workers=0, passes=passes, share=share))
        assert table(answers) == wanted
        assert any(answer.implied_by for answer in answers) is share


def test_an_answer_reads_like_what_it_holds() -> None:
    network, graph = cases.network(), cases.graph()
    (answer,) = ep.verify_many(network, graph, [ep.Question(ep.Threat(2), 3)], workers=0, engine="brute")
    assert isinstance(answer.result, ep.Verdict)
    alone = ep.verify(network, graph, ep.Threat(2), 3, engine="brute")
    assert answer.result == alone
    assert (answer.status, answer.attack, answer.label) == (alone.status, alone.attack, alone.label)
    assert answer.question.node == 3
    with pytest.raises(AttributeError):
        _ = answer.nonsense


def test_radii_and_lists_of_questions() -> None:
    network, graph = cases.network(), cases.graph()
    questions = [ep.Question(ep.Threat(2), node, radius=node % 2 == 0, target="next") for node in range(10)]
    for answer in ep.verify_many(network, graph, questions, workers=0, engine="brute"):
        node = answer.question.node
        label = network.predict(graph, node)
        ask = ep.radius if node % 2 == 0 else ep.verify
        assert answer.result == ask(network, graph, ep.Threat(2), node, target=(label + 1) % 3, engine="brute")


def test_graph_tasks_ask_about_every_graph() -> None:
    hidden = cases.network().layers[0]
    network = ep.Network([hidden], ep.Readout([[1.0, 0, 0, 0], [0, 1.0, 0, 0]], [0.0, 0.1]))
    graphs = [cases.graph(4, seed) for seed in range(6)]
    answers = list(ep.verify_many(network, graphs, ep.Plan([ep.Threat(1)]), workers=0, engine="brute"))
    assert {a.question.graph: a.status for a in answers} == {
        number: ep.verify(network, graph, ep.Threat(1), engine="brute").status for number, graph in enumerate(graphs)
    }
    some = list(ep.verify_many(network, graphs, ep.Plan([ep.Threat(1)], nodes=[1, 4]), workers=0, engine="brute"))
    assert sorted(a.question.graph for a in some) == [1, 4]


@pytest.mark.parametrize(
    ("nodes", "wanted"),
    [("all", range(6)), ("test", [0, 3]), ([5, 2], [5, 2]), (np.arange(6) > 3, [4, 5]), ([], [])],
)
def test_which_nodes_are_meant(nodes: object, wanted: object) -> None:
    questions = ep.Plan([ep.Threat(1)], nodes=nodes).on(cases.graph(6))
    assert [group.node for group in questions.groups()] == list(wanted)
    assert len(questions) == len(list(wanted))


@pytest.mark.parametrize(
    ("plan", "complaint"),
    [
        (ep.Plan([ep.Threat(1)], nodes="valid"), "nodes: expected one of all, test, or numbers, got 'valid'"),
        (ep.Plan([ep.Threat(1)], nodes=[12]), "nodes: 12 is out of range, there are 12 vertices"),
        (ep.Plan([ep.Threat(1)], nodes=[1, 1]), "nodes: expected every number once"),
        (ep.Plan([ep.Threat(1)], nodes=[True, False]), "nodes: expected 12 booleans"),
        (ep.Plan([]), "plan: expected at least one threat"),
        (ep.Plan([ep.Threat(1)], targets=[7]), "target: 7 is out of range, there are 3 classes"),
        (ep.Plan([ep.Threat(1)], label=3), "label: 3 is out of range"),
        (ep.Plan([ep.Threat(1, fragile=[(0, 99)])]), "fragile: (0, 99) is out of range"),
        ([17], "queries: expected a Plan or Questions, got int"),
    ],
)
def test_what_would_fail_everywhere_is_refused_at_once(plan: object, complaint: str) -> None:
    with pytest.raises(ep.InputError) as caught:
        ep.verify_many(cases.network(), cases.graph(), plan, workers=0, engine="brute")
    assert complaint in str(caught.value)


def test_wrong_settings_are_refused_at_once() -> None:
    network, graph, plan = cases.network(), cases.graph(), cases.plan()
    for wrong, complaint in (
        ({"engine": "guess"}, "engine: expected one of"),
        ({"timeout": -1}, "timeout: expected a positive number"),
        ({"memory": 0}, "memory: expected a positive number"),
        ({"node_limit": 0}, "node_limit: expected a whole number from 1 on"),
        ({"workers": -1}, "workers: expected a whole number from 0 on"),
        ({"executor": 17}, "executor: expected a concurrent.futures.Executor"),
        ({"options": {"nonsense": True}}, "unknown option 'nonsense'"),
    ):
        with pytest.raises(ep.InputError, match=complaint):
            ep.verify_many(network, graph, plan, **wrong)


def test_a_question_that_fails_is_an_error_among_answers() -> None:
    network, graph = cases.network(), cases.graph()
    labels = [network.predict(graph, node) for node in range(5)]
    plan = ep.Plan([ep.Threat(1)], nodes=range(5), targets=[labels[0]])
    answers = {a.node: a for a in ep.verify_many(network, graph, plan, workers=0, engine="brute")}
    for node, label in enumerate(labels):
        if label == labels[0]:
            assert isinstance(answers[node].result, ep.Failure)
            assert answers[node].status == "error"
            assert answers[node].message == f"target: class {label} is the label itself"
        else:
            assert answers[node].status in ("robust", "vulnerable")


def test_largest_first_then_upwards() -> None:
    threats = [ep.Threat(2, 2), ep.Threat(5, 1), ep.Threat(1), ep.Threat(None), ep.Threat(5, 5)]
    assert asking_order(threats) == [3, 2, 0, 1, 4]


def test_passes_grow_and_end_with_the_limits() -> None:
    assert [one.node_limit for one in Limits(node_limit=5000).passes()] == [200, 3200, 5000]
    assert Limits(node_limit=100).passes() == [Limits(node_limit=100)]
    assert Limits(timeout=3.0).passes()[-1] == Limits(timeout=3.0)
    early = Limits(timeout=3.0).passes()[:-1]
    assert len(early) > 3
    assert {one.timeout for one in early} == {3.0 / 16}  # which they share


def test_when_an_old_attempt_makes_a_new_one_pointless() -> None:
    def stored(status: str, **limits: float) -> dict[str, object]:
        return {"status": status, "limits": {"timeout": None, "node_limit": None, "memory": None, **limits}}

    assert covers(stored("unknown", timeout=5), Limits(timeout=5))
    assert covers(stored("unknown", timeout=5), Limits(timeout=4, node_limit=7))
    assert not covers(stored("unknown", timeout=5), Limits(timeout=6))
    assert not covers(stored("unknown", timeout=5, node_limit=100), Limits(timeout=5))
    timed_out = {**stored("unknown", timeout=5, node_limit=100), "reason": "timeout"}
    assert covers(timed_out, Limits(timeout=5, node_limit=1000))  # more search nodes do not help it
    assert not covers(timed_out, Limits(timeout=6, node_limit=100))
    assert covers(stored("error", timeout=5, memory=1), Limits(memory=1))
    assert not covers(stored("error", memory=1), Limits(memory=2))


def test_graphs_travel_to_other_processes_whole() -> None:
    import pickle

    graph = cases.graph()
    again = pickle.loads(pickle.dumps(graph))
    assert again.fingerprint == graph.fingerprint
    assert again.masks.keys() == graph.masks.keys()
    with pytest.raises(TypeError):
        again.masks["test"] = None


def test_the_store_gives_back_what_it_knows(tmp_path: Path) -> None:
    network, graph = cases.network(), cases.graph()
    how = {"workers": 0, "engine": "brute", "store": tmp_path}
    first = {a.key: a.result for a in ep.verify_many(network, graph, cases.plan(), **how)}
    before = (tmp_path / "results.jsonl").read_bytes()
    again = {a.key: a.result for a in ep.verify_many(network, graph, cases.plan(), **how)}
    assert again == first
    assert (tmp_path / "results.jsonl").read_bytes() == before
