"""What every edge is charged: a number a slot and a number an end, by lengths for most and a rival each for some.

Theory: "From neurons to edges".
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...model.arrays import FloatArray, IntArray
from ..jit.decorators import entry
from .rows import FREE


class Rows:
    """Rows (one number a rival) of some of many things, made when first added to; they grow as needed."""

    def __init__(self, things: int, rivals: int) -> None:
        self.place: NDArray[np.int32] = np.zeros(things, dtype=np.int32)  # row + 1; 0: none yet
        self.rows = np.zeros((1024, rivals))
        self.count = 0

    def add(self, things: IntArray, charges: FloatArray) -> None:
        if self.count + things.size > len(self.rows):
            room = max(2 * len(self.rows), self.count + things.size)
            self.rows = np.concatenate([self.rows, np.zeros((room - len(self.rows), self.rows.shape[1]))])
        self.count = int(add_rows(self.place, self.rows, self.count, things, charges))


@entry
def add_rows(place, rows, count, things, charges):
    for r in range(things.size):
        at = place[things[r]]
        if at == 0:
            count += 1
            at = count
            place[things[r]] = at
        row, charge = rows[at - 1], charges[r]
        for c in range(row.size):
            row[c] += charge[c]
    return count


@entry
def list_edges(in_ptr, source, directed, near, depth, target, reverse, status, slots):
    """One slot of every edge that may go and ends at a vertex nearer than `depth`; edges into the node first, by the
    slot there. Returns how many there are, and how many of them go into the node.
    """
    count, first = 0, in_ptr[target]
    for k in range(first, in_ptr[target + 1]):
        if status[k] == FREE:
            slots[count] = k
            count += 1
    into = count
    for v in range(near.size):
        if near[v] >= depth or v == target:
            continue
        for k in range(in_ptr[v], in_ptr[v + 1]):
            if status[k] != FREE:
                continue
            x = source[k]
            if not directed and (x == target or (near[x] < depth and reverse[k] < k)):
                continue
            slots[count] = k
            count += 1
    return count, into


@entry
def total_charges(
    source, directed, target_of, slots, count, rival, length, lost_cost, lost_place, lost_rows, grown_cost,
    grown_place, grown_rows, reverse, out,
):  # fmt: skip
    """The charges of edges, each by one of its slots, as a margin of this rival. target_of: (E,)."""
    for r in range(count):
        k = slots[r]
        v, x = target_of[k], source[k]
        total = (lost_cost[k] + grown_cost[v]) * length
        if lost_place[k] > 0:
            total += lost_rows[lost_place[k] - 1, rival]
        if grown_place[v] > 0:
            total += grown_rows[grown_place[v] - 1, rival]
        if not directed:
            other = reverse[k]
            total += (lost_cost[other] + grown_cost[x]) * length
            if lost_place[other] > 0:
                total += lost_rows[lost_place[other] - 1, rival]
            if grown_place[x] > 0:
                total += grown_rows[grown_place[x] - 1, rival]
        out[r] = total


@entry
def largest_grown(near, depth, rival, length, grown_cost, grown_place, grown_rows):
    """The two largest charges, of vertices at `depth`, for losing any edge."""
    first, second = 0.0, 0.0
    for v in range(near.size):
        if near[v] == depth:
            cost = grown_cost[v] * length
            if grown_place[v] > 0:
                cost += grown_rows[grown_place[v] - 1, rival]
            if cost > first:
                first, second = cost, first
            elif cost > second:
                second = cost
    return first, second


@entry
def shared_pairs(ptr, edge, charge, large, slack, into, most, out):
    """Pairs of edges that share a vertex and whose charges use up the slack of some rival.

    Edges at vertex v: `edge[ptr[v]:ptr[v + 1]]`; those numbered below `into` go into the node. charge: (edges, rivals).
    slack: (3, rivals), by how many of the two go into the node. large: 1 where an edge may use up half of a slack, as
    one of each pair in doubt does. out: (most, 2). Returns how many there are, more than `most` if they do not fit.
    """
    rivals, count = slack.shape[1], 0
    for v in range(ptr.size - 1):
        first, last = ptr[v], ptr[v + 1]
        for k in range(first, last):
            one = edge[k]
            if large[one] == 0:
                continue
            for m in range(first, last):
                other = edge[m]
                if m == k or (large[other] == 1 and m < k):
                    continue
                kind = int(one < into) + int(other < into)
                for r in range(rivals):
                    if charge[one, r] + charge[other, r] >= slack[kind, r]:
                        if count == most:
                            return most + 1
                        out[count, 0], out[count, 1] = one, other
                        count += 1
                        break
    return count
