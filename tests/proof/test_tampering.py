"""Every way to alter a proof that we could think of: the checker says what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from edgeproof import Attack, Graph, Layer, Network, RejectedError, Threat, check
from edgeproof.engines import brute
from edgeproof.model.query import make_query
from edgeproof.proof import walk
from edgeproof.proof.format import (
    BOX,
    DIGEST,
    ENUMERATED,
    KIND_BITS,
    LINE,
    MAGIC,
    SETTLED,
    SPENT,
    SPLIT,
    TIGHTEN,
    pack,
    unpack,
)  # fmt: skip
from edgeproof.proof.statement import describe
from edgeproof.proof.write import write_attack
from proof_cases import THREAT, Twig, case, proof_of, regrown, rewritten, tree_of

QUERY = case(True)
Alter = Callable[[bytes], bytes]


def refused(data: bytes, words: str, network: Network | None = None, graph: Graph | None = None) -> None:
    with pytest.raises(RejectedError, match=words):
        check(data, network or QUERY.network, graph or QUERY.graph)


def test_the_proof_itself_is_accepted() -> None:
    for seed in range(4):
        found = check(proof_of(True, seed), QUERY.network, QUERY.graph)
        assert (found.status, found.claim, found.threat.budget) == ("robust", QUERY.claim, 3)


# --- the file ---

FILES: dict[str, tuple[Alter, str]] = {
    "empty": (lambda data: b"", "first line"),
    "another magic": (lambda data: b"X" + data[1:], "first line"),
    "another version": (lambda data: data.replace(b"proof 1\n", b"proof 2\n", 1), "first line"),
    "truncated": (lambda data: data[:-1], "digest"),
    "cut in half": (lambda data: data[: len(data) // 2], "digest"),
    "a bit of the tree flipped": (lambda data: data[:-40] + bytes([data[-40] ^ 1]) + data[-39:], "digest"),
    "a bit of the header flipped": (lambda data: data[:30] + bytes([data[30] ^ 4]) + data[31:], "digest"),
    "a byte of the digest altered": (lambda data: data[:-1] + bytes([data[-1] ^ 1]), "digest"),
    "bytes appended": (lambda data: data + b"\0", "digest"),
    "nothing but magic": (lambda data: MAGIC, "digest"),
    "no end of header": (lambda data: _sealed(MAGIC + b"{}"), "no end"),
    "header of garbage": (lambda data: _sealed(MAGIC + b"\xff\xfe{\n"), "not JSON"),
    "header of brackets": (lambda data: _sealed(MAGIC + b"[" * 100_000 + b"\n"), "not JSON"),
    "header of a list": (lambda data: _sealed(MAGIC + b"[]\n"), "not a JSON object"),
}


def _header(change: Callable[[bytes], bytes]) -> Alter:
    """A header that is written otherwise; the digest matches again."""

    def alter(data: bytes) -> bytes:
        magic, line, rest = data[:-DIGEST].split(b"\n", 2)
        return _sealed(b"\n".join([magic, change(line), rest]))

    return alter


# what a person reads is what is checked
DISGUISES: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "a budget before the budget": (lambda line: line.replace(b'"budget":3', b'"budget":1,"budget":3'), "twice"),
    "a budget behind the budget": (lambda line: line.replace(b'"budget":3', b'"budget":3,"budget":3'), "twice"),
    "a second threat": (lambda line: b'{"threat":{},' + line[1:], "twice"),
    "a field twice, once in escapes": (lambda line: b'{"\\u0076erdict":"vulnerable",' + line[1:], "twice"),
    "a byte-order mark": (lambda line: b"\xef\xbb\xbf" + line, "printable ASCII"),
    "UTF-16": (lambda line: line.decode().encode("utf-16"), "printable ASCII"),
    "UTF-16 without a mark": (lambda line: line.decode().encode("utf-16-le"), "printable ASCII"),
    "UTF-16, the other way": (lambda line: line.decode().encode("utf-16-be"), "printable ASCII"),
    "UTF-32": (lambda line: line.decode().encode("utf-32-be"), "printable ASCII"),
    "a letter that looks the same": (lambda line: line.replace(b"budget", "budg\u0435t".encode()), "printable ASCII"),
    "a carriage return": (lambda line: line.replace(b",", b",\r", 1), "printable ASCII"),
    "a terminal's escape": (lambda line: line.replace(b",", b",\x1b[2K", 1), "printable ASCII"),
    "a number that is none": (lambda line: line.replace(b'"budget":3', b'"budget":NaN'), "NaN.* whole"),
    "an endless number": (lambda line: line.replace(b'"budget":3', b'"budget":-Infinity'), "Infinity.* whole"),
    "a fraction": (lambda line: line.replace(b'"budget":3', b'"budget":3.0'), "3.0.* whole"),
    "an exponent": (lambda line: line.replace(b'"budget":3', b'"budget":3e0'), "3e0.* whole"),
    "a number of many digits": (lambda line: line.replace(b'"budget":3', b'"budget":' + b"9" * 9999), "not JSON"),
    "a budget in brackets": (
        lambda line: line.replace(b'"budget":3', b'"budget":' + b"[" * 900 + b"]" * 900),
        "nested",
    ),
    "more behind the header": (lambda line: line + b"{}", "not JSON"),
    "nothing but spaces": (lambda line: b"  ", "not JSON"),
}


@pytest.mark.parametrize("name", DISGUISES)
def test_a_header_that_reads_otherwise_than_it_is_checked_is_rejected(name: str) -> None:
    change, words = DISGUISES[name]
    data = _header(change)(proof_of(True))
    assert data != proof_of(True)
    refused(data, words)


def test_a_header_with_spaces_is_still_one() -> None:
    data = _header(lambda line: line.replace(b":", b": "))(proof_of(True))
    assert check(data, QUERY.network, QUERY.graph).status == "robust"


def _sealed(content: bytes) -> bytes:
    import hashlib

    return content + hashlib.sha256(content).digest()


@pytest.mark.parametrize("name", FILES)
def test_an_altered_file_is_rejected(name: str) -> None:
    alter, words = FILES[name]
    refused(alter(proof_of(True)), words)


# --- the header ---

HEADERS: dict[str, tuple[dict[str, Any], str]] = {
    "another verdict": ({"verdict": "true"}, "neither robust nor vulnerable"),
    "an attack's verdict": ({"verdict": "vulnerable"}, "expected the fields"),
    "other semantics": ({"semantics": "ties lose"}, "semantics"),
    "another network's hash": ({"network": "0" * 64}, "another network"),
    "another graph's hash": ({"graph": "0" * 64}, "another graph"),
    "another query's hash": ({"query": "0" * 64}, "hash of the query"),
    "a field too many": ({"comment": ""}, "expected the fields"),
    "claim of another kind": ({"claim": 7}, "claim"),
    "another label": ({"claim": {"label": 1}}, "node"),
    "a label that is none": ({"claim": {"label": 9}}, "label"),
    "no label": ({"claim": {"label": None}}, "label"),
    "another node": ({"claim": {"node": 2}}, "tree|node"),
    "no node": ({"claim": {"node": None}}, "node"),
    "more budget": ({"threat": {"budget": 5}}, "node|tree"),
    "a budget of truth": ({"threat": {"budget": True}}, "budget"),
    "a label of truth": ({"claim": {"label": False}}, "label"),
    "a node of truth": ({"claim": {"node": True}}, "node"),
    "no budget": ({"threat": {"budget": None}}, "node|tree"),
    "negative budget": ({"threat": {"budget": -1}}, "budget"),
    "budget in words": ({"threat": {"budget": "3"}}, "budget"),
    "more local budget": ({"threat": {"local_budget": 3}}, "node|tree"),
    "endless local budget": ({"threat": {"local_budget": 10**30}}, "node|tree"),
    "local budgets for others": ({"threat": {"local_budget": [2, 2]}}, "local_budget"),
    "fewer protected pairs": ({"threat": {"protected": [[0, 5]]}}, "node|tree"),
    "more protected pairs": ({"threat": {"protected": [[0, 5], [1, 2], [1, 3], [1, 4], [3, 5]]}}, "not fragile"),
    "no deletions": ({"threat": {"delete": False}}, "not fragile"),
    "insertions in words": ({"threat": {"insert": "yes"}}, "insert"),
    "pairs of three": ({"threat": {"protected": [[0, 1, 2]]}}, "pair"),
    "a threat's field too many": ({"threat": {"magic": 1}}, "threat"),
    "pairs that are no list": ({"pairs": 7}, "pairs"),
    "pairs out of range": ({"pairs": [[90, 91]] * 13}, "not fragile"),
    "protected pairs in the table": ({"pairs": [[0, 5]] * 13}, "not fragile"),
    "an empty table": ({"pairs": []}, "table"),
    "one node more": ({"nodes": 49}, "header says"),
    "one node less": ({"nodes": 47}, "more nodes"),
    "nodes in words": ({"nodes": "many"}, "nodes"),
}


@pytest.mark.parametrize("name", HEADERS)
def test_an_altered_header_is_rejected(name: str) -> None:
    fields, words = HEADERS[name]
    data = proof_of(True)
    if name == "claim of another kind":
        header, body = unpack(data)
        return refused(pack(header | fields, body), words)
    return refused(rewritten(data, **fields), words)


def test_a_header_without_a_field_is_rejected() -> None:
    header, body = unpack(proof_of(True))
    for field in header:
        less = {name: value for name, value in header.items() if name != field}
        refused(pack(less, body), "expected the fields|neither")


# --- another network or graph ---


def test_another_network_is_rejected() -> None:
    first, last = QUERY.network.layers
    bias = last.b.copy()
    bias[0] = np.nextafter(bias[0], np.inf)
    other = Network([first, Layer(last.C, last.A, bias, activation="none")])
    refused(proof_of(True), "another network", network=other)
    # even where somebody forges the hash, the leaves do not hold any more
    weaker = case(False).network
    refused(rewritten(proof_of(True), network=weaker.fingerprint), "node", network=weaker)


def test_another_graph_is_rejected() -> None:
    flipped = QUERY.graph.flip([(1, 4)])
    refused(proof_of(True), "another graph", graph=flipped)
    features = QUERY.graph.features.dense()
    features[0, 0] += 1
    edges = np.stack([QUERY.graph.sources, QUERY.graph.targets])
    refused(proof_of(True), "another graph", graph=Graph(edges, features, directed=False))
    refused(proof_of(True), "another graph", graph=Graph(edges, QUERY.graph.features, directed=True))


# --- the tree ---


def altered_tree(alter: Callable[[Twig], None], seed: int = 0) -> bytes:
    data = proof_of(True, seed)
    root = deepcopy(tree_of(data, QUERY))
    alter(root)
    return regrown(data, root)


def split(root: Twig, children: int = 2) -> Twig:
    """The deepest split with so many children."""
    return [one for one in root.walk() if one.kind == SPLIT and len(one.children) == children][-1]


def test_a_dropped_subtree_is_rejected() -> None:
    for which in (0, 1):
        refused(altered_tree(lambda root, which=which: split(root).children.pop(which)), "byte|node")
        refused(altered_tree(lambda root, which=which: root.children.pop(which)), "byte|node")


def test_swapped_subtrees_are_rejected() -> None:
    refused(altered_tree(lambda root: root.children.reverse()), "byte|node")


def test_a_subtree_that_stands_twice_is_rejected() -> None:
    refused(altered_tree(lambda root: root.children.append(root.children[0])), "behind its end")


def accepted(data: bytes) -> bool:
    try:
        return check(data, QUERY.network, QUERY.graph).status == "robust"
    except RejectedError:
        return False


def test_a_wrong_pair_is_rejected() -> None:
    """Deciding another pair first is another proof, which may be right as well; most are not."""
    root = tree_of(proof_of(True), QUERY)
    others = [pair for pair in range(13) if pair != root.pair]
    right = [accepted(altered_tree(lambda root, pair=pair: setattr(root, "pair", pair))) for pair in others]
    assert sum(right) <= 2
    below = {one.pair for child in root.children for one in child.walk() if one.kind == SPLIT}
    assert not any(right[others.index(pair)] for pair in below)


def test_a_pair_behind_the_table_is_rejected() -> None:
    refused(altered_tree(lambda root: setattr(root, "pair", 13)), "pair 13 of a table of 13")
    refused(altered_tree(lambda root: setattr(root, "pair", 1 << 50)), "too long")


def test_a_pair_that_was_decided_before_is_rejected() -> None:
    def alter(root: Twig) -> None:
        for child in root.children:
            if child.kind == SPLIT:
                child.pair = root.pair

    refused(altered_tree(alter), "decided before")


def test_a_number_with_a_superfluous_byte_is_rejected() -> None:
    data = proof_of(True)
    body = unpack(data).body
    assert body[0] & KIND_BITS == SPLIT
    refused(rewritten(data, body[:1] + bytes([body[1] | 128, 0]) + body[2:]), "superfluous")


@pytest.mark.parametrize("mark", [BOX, LINE, LINE | TIGHTEN, SPENT, SETTLED, ENUMERATED])
def test_no_single_leaf_stands_for_the_whole_tree(mark: int) -> None:
    def alter(root: Twig) -> None:
        root.mark, root.children = mark, []

    refused(altered_tree(alter), r"node 0 \(")


@pytest.mark.parametrize(("kind", "mark"), [(LINE, BOX), (ENUMERATED, SPENT), (ENUMERATED, BOX), (SPLIT, SETTLED)])
def test_a_wrong_leaf_mark_is_rejected(kind: int, mark: int) -> None:
    """All leaves of one kind, marked as another: at least one of them needed what its mark said."""

    def alter(root: Twig) -> None:
        for one in root.walk():
            if one.kind == kind:
                one.mark, one.children = mark, []

    refused(altered_tree(alter), "^node")


@pytest.mark.parametrize("mark", [6, 7, 128, 255, BOX | TIGHTEN, SPENT | 8, ENUMERATED | 64, LINE | 64])
def test_an_unknown_mark_is_rejected(mark: int) -> None:
    data = proof_of(True)
    refused(rewritten(data, bytes([mark]) + unpack(data).body[1:]), "no mark of a node")


def test_a_tree_that_ends_early_or_late_is_rejected() -> None:
    data = proof_of(True)
    body = unpack(data).body
    refused(rewritten(data, body[:-1]), "ends in the middle")
    refused(rewritten(data, b""), "ends in the middle")
    refused(rewritten(data, body + bytes([SPENT])), "behind its end")


def test_the_proof_of_another_claim_is_rejected() -> None:
    """A tree that is right for the claim that holds, under the header of the one that fails."""
    weak = case(False)
    stolen = rewritten(proof_of(False), unpack(proof_of(True)).body, unpack(proof_of(True)).header["nodes"])
    refused(stolen, "node", network=weak.network)


def test_more_flips_than_a_leaf_may_enumerate_are_rejected() -> None:
    wider = rewritten(proof_of(True), bytes([ENUMERATED]), 1)
    refused(wider, "3 flips are left, up to 2 are enumerated")


# --- attacks ---


def attack_of(**fields: Any) -> bytes:
    weak = case(False)
    truth = brute.verify(weak)
    assert truth.attack is not None
    assert truth.rival is not None
    return rewritten(write_attack(weak, truth.attack, truth.rival), **fields)


def test_an_attack_is_accepted() -> None:
    found = check(attack_of(), case(False).network, case(False).graph)
    assert found.status == "vulnerable"
    assert found.attack == brute.verify(case(False)).attack


ATTACKS: dict[str, tuple[dict[str, Any], str]] = {
    "no flips": ({"attack": []}, "does not beat"),
    "a pair that is protected": ({"attack": [[1, 2]]}, "not fragile"),
    "a pair that is none": ({"attack": [[1, 60]]}, "not the name"),
    "a self-loop": ({"attack": [[1, 1]]}, "not fragile"),
    "a pair under another name": ({"attack": [[3, 1]]}, "not the name"),
    "a pair twice": ({"attack": [[1, 3], [1, 3]]}, "twice"),
    "too many flips": ({"attack": [[0, 1], [0, 2], [3, 4], [2, 5]]}, "budget"),
    "too many at a vertex": ({"attack": [[1, 3], [1, 4], [1, 5]]}, "local budget"),
    "other flips": ({"attack": [[0, 2]]}, "does not beat"),
    "a rival that is none": ({"rival": 7}, "no rival"),
    "the label as rival": ({"rival": 0}, "no rival"),
    "the other rival": ({"rival": 2}, "does not beat"),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_an_altered_attack_is_rejected(name: str) -> None:
    fields, words = ATTACKS[name]
    refused(attack_of(**fields), words, network=case(False).network)


def test_an_attack_on_the_claim_that_holds_is_rejected() -> None:
    truth = brute.verify(case(False))
    assert truth.attack is not None
    refused(write_attack(QUERY, truth.attack, 1), "does not beat")
    header, _ = unpack(attack_of())
    refused(pack(header, b"\0"), "behind the header", network=case(False).network)
    tight = replace(QUERY, threat=THREAT.with_budget(0))
    refused(write_attack(tight, Attack([(1, 3)]), 1), "the budget is 0")


def test_an_attack_that_only_ties_is_rejected() -> None:
    layer = Layer([[0.0], [0.0]], [[1.0], [0.0]], [0.0, 1.0], "sum", "none")
    query = make_query(
        Network([layer]), Graph([[1, 2], [0, 0]], [[1.0]] * 3, directed=True), Threat(budget=2), node=0, label=0
    )
    refused(write_attack(query, Attack([(1, 0)]), 1), "does not beat", query.network, query.graph)
    found = check(write_attack(query, Attack([(1, 0), (2, 0)]), 1), query.network, query.graph)
    assert found.status == "vulnerable"


def test_the_digest_is_what_the_document_says() -> None:
    assert DIGEST == 32


def test_a_leaf_that_stands_for_too_many_graphs_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "MOST_GRAPHS", 91)
    query = replace(QUERY, threat=THREAT.with_budget(2))
    data = pack(describe(query, "robust") | {"pairs": [], "nodes": 1}, bytes([ENUMERATED]))
    refused(data, "92 graphs to evaluate")
    monkeypatch.setattr(walk, "MOST_GRAPHS", 92)
    assert check(data, QUERY.network, QUERY.graph).status == "robust"
