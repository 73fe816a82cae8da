"""Bytes at random: the checker neither accepts a false claim nor does anything but accept or reject."""

from __future__ import annotations

import hashlib

from hypothesis import given, settings
from hypothesis import strategies as st

from edgeproof import RejectedError, check
from edgeproof.proof.format import DIGEST, MAGIC, unpack
from proof_cases import case, proof_of, rewritten

EDITS = st.lists(
    st.tuples(st.sampled_from(["set", "insert", "delete", "copy"]), st.integers(0, 1 << 16), st.integers(0, 255)),
    min_size=1,
    max_size=8,
)


def edited(data: bytes, edits: list[tuple[str, int, int]]) -> bytes:
    out = bytearray(data)
    for how, place, byte in edits:
        at = place % (len(out) + 1)
        if how == "insert" or not out:
            out.insert(at, byte)
        elif how == "copy":
            out[at:at] = out[at : at + byte % 16]
        elif how == "delete":
            del out[at : at + 1 + byte % 4]
        else:
            out[at % len(out)] = byte
    return bytes(out)


def accepted(data: bytes, holds: bool) -> bool:
    query = case(holds)
    try:
        check(data, query.network, query.graph)
    except RejectedError:
        return False
    return True


@settings(max_examples=300, deadline=None)
@given(edits=EDITS, seed=st.integers(0, 3), holds=st.booleans())
def test_no_edit_of_a_tree_proves_what_is_false(edits: list[tuple[str, int, int]], seed: int, holds: bool) -> None:
    """Edits of the tree, with a digest that matches again; those of the claim that holds may make another proof."""
    data = proof_of(holds, seed)
    body = edited(unpack(data).body, edits)
    for nodes in (None, max(1, len(body) * 2 // 3)):
        found = accepted(rewritten(data, body, nodes), holds)
        assert holds or not found


@settings(max_examples=300, deadline=None)
@given(body=st.binary(max_size=60), nodes=st.integers(1, 60))
def test_no_tree_of_random_bytes_proves_what_is_false(body: bytes, nodes: int) -> None:
    assert not accepted(rewritten(proof_of(False), body, nodes), False)


@settings(max_examples=300, deadline=None)
@given(edits=EDITS)
def test_no_edit_of_the_file_does_anything_but_reject(edits: list[tuple[str, int, int]]) -> None:
    """Header included, with a digest that matches again: what is accepted is a claim that holds."""
    content = edited(proof_of(True)[len(MAGIC) : -DIGEST], edits)
    data = MAGIC + content
    query = case(True)
    try:
        found = check(data + hashlib.sha256(data).digest(), query.network, query.graph)
    except RejectedError:
        return
    assert found.claim == query.claim
