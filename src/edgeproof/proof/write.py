"""From what a search did to the bytes of a proof. Costs a few NumPy calls, however large the tree."""

from __future__ import annotations

import numpy as np

from ..model.arrays import IntArray
from ..model.query import Query
from ..model.verdict import Attack
from .format import KIND_BITS, SPLIT, encode_tree, pack, pair_list
from .statement import describe


def write_proof(query: Query, records: IntArray, pairs: IntArray) -> bytes:
    """records: the byte of every node in pre-order, for a split plus 256 times its row in `pairs`."""
    kinds, rows = records & 255, records >> 8
    splits = (kinds & KIND_BITS) == SPLIT
    used, number = np.unique(rows[splits], return_inverse=True)
    rows[splits] = number
    header = describe(query, "robust")
    header |= {"pairs": pair_list(pairs[used]), "nodes": len(records)}
    return pack(header, encode_tree(kinds, rows))


def write_attack(query: Query, attack: Attack, rival: int) -> bytes:
    header = describe(query, "vulnerable")
    header |= {"attack": pair_list(attack), "rival": rival}
    return pack(header, b"")
