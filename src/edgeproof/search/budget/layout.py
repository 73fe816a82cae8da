"""What a question about a node under two layers is made of, and where a search over its flips stands."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...model.arrays import FloatArray, IntArray
from ..state.state import STOP, TALLY_SIZE

# how a layer hears, as in base/layout.py
SUM, MEAN, MAX, GCN = 0, 1, 2, 3

NEVER_WORTH = -1e300  # in a table: there is no such thing

# which flips of a pair are allowed
NEVER, INSERT, DELETE = 0, 1, 2

# pairs that a search bars at most; those beyond are looked at again
MOST_BARRED = 1 << 15

# what `made` counts
FLIPS, ARCS, TRAIL, COUNTS = range(4)

# positions in `tally`, beside STOP
EVALUATIONS, PASSES, BOUNDS = 0, 1, 2


class Star(NamedTuple):
    """The node in question v hears its in-neighbours w, which hear theirs; nothing else matters.

    z(w) = own(w) + alpha1 (sum of beta1(x) sent(x) over N(w) + sigma1 sent(w)), h = act(z), and for each rival r
    f_r = const + keep_r . h(v) + alpha2 (sum of beta2(w) take_r . h(w) over N(v) + sigma2 take_r . h(v));
    the claim is broken where some f_r > 0. Axes: n vertices, H hidden units, R rivals.
    """

    n: int
    H: int
    R: int
    node: int
    directed: int
    first: int  # how the first layer hears
    last: int
    in_ptr: IntArray
    source: IntArray
    out_ptr: IntArray
    target: IntArray
    own: NDArray[np.float64]  # (n, H)
    sent: NDArray[np.float64]  # (n, H)
    slope: FloatArray  # (H,)
    keep: NDArray[np.float64]  # (R, H)
    take: NDArray[np.float64]  # (R, H)
    const: FloatArray  # (R,)
    # which pairs may flip
    delete: int
    insert: int  # 0: none, 1: any absent pair, 2: those into the node, 3: those with a new end; odd: also elsewhere
    fresh: int  # vertices from here on are new
    guarded: IntArray  # (2, protected pairs) both directions of undirected ones
    local: IntArray  # (n,)


class Stand(NamedTuple):
    """The graph with some pairs flipped: what vertices gather there, and the flips."""

    gathered: NDArray[np.float64]  # (n, H)
    heard: IntArray  # (n,) in-neighbours other than the vertex itself
    loop: IntArray  # (n,)
    spare: IntArray  # (n,) local budget left
    arcs: NDArray[np.int64]  # (3, most) source, target, 1 where inserted
    marks: IntArray  # (most flips + 1,) trail position and arcs before each flip
    flips: NDArray[np.int64]  # (2, most flips)
    trail: NDArray[np.float64]  # (rows, H) what `gathered` was
    trail_at: IntArray
    tally: IntArray
    made: IntArray  # (COUNTS,) how many flips, arcs, rows of the trail
    # scratch
    near: IntArray  # in-neighbours of the node
    place: IntArray  # (n,) which of these a vertex is, -1 for others
    list: IntArray
    kinds: IntArray  # (n,) how pairs with one vertex may flip
    barred: NDArray[np.int64]  # (2, most) pairs that are in no attack that is still looked for
    bars: IntArray  # (1,) how many
    row: NDArray[np.float64]  # (4, H)
    value: FloatArray  # (R,)


class Pass(NamedTuple):
    """What a pass works with and what it has found."""

    value: FloatArray  # (K,) largest margin of a rival, of the best flips
    pair: NDArray[np.int64]  # (2, K)
    held: IntArray  # (2,) how many of these, and where the worst is once there is no more room
    z: NDArray[np.float64]  # (near, H) pre-activations of in-neighbours
    term: NDArray[np.float64]  # (near, R) what each adds
    after: NDArray[np.float64]  # (near, R) the same where something else has changed
    second: IntArray  # (n,) a number for in-neighbours of in-neighbours, -1 for others
    seconds: IntArray  # (n,) those vertices
    reach: FloatArray  # (n,) by number: how much a change of degree can add to a margin
    mend: NDArray[np.float64]  # (n, R) by number: what the degree of a newcomer changes at in-neighbours
    near: IntArray  # (n,) in-neighbours of the node
    around: IntArray  # (n,) scratch
    heart: NDArray[np.float64]  # (R, H) weights of the node's own row
    line: NDArray[np.float64]  # (4, H)
    sums: NDArray[np.float64]  # (4, R)


class Tables(NamedTuple):
    """Axes: near = in-neighbours of the node, B = flips of an attack at most. All is of one rival, but for the
    pre-activations and what they can become.
    """

    B: int
    # by how much c insertions can raise or lower what a vertex gathers, where senders lose d in-neighbours
    rises: NDArray[np.float64]  # (d: B + 1, c: B + 1, H)
    falls: NDArray[np.float64]
    rise: NDArray[np.float64]  # (B + 1, H) those of the shape
    fall: NDArray[np.float64]
    inside: NDArray[np.float64]  # (B + 1, H) c flips with in-neighbours of the node, either way
    # vertices in the order of what their message adds at most to a term of factor 1
    order: NDArray[np.int64]  # (R, n)
    key: NDArray[np.float64]  # (R, n)
    ranked: IntArray  # (R,) how many in-neighbours senders have lost there; -1: no order yet
    # in-neighbours w (row near: the node itself)
    z: NDArray[np.float64]  # (near + 1, H) pre-activation if nothing but the node's degree changes
    low: NDArray[np.float64]  # (near + 1, H) what it can become, at least and at most
    high: NDArray[np.float64]
    lift: NDArray[np.float64]  # (near + 1, H) most that one deletion adds to what w gathers
    drop: NDArray[np.float64]  # (near + 1, H) and takes from it
    term: FloatArray  # (near,) what w adds to the margin
    gone: FloatArray  # (near,) what deleting w adds
    turn: FloatArray  # (near + 1,) most that one change of a sender's degree adds at w
    psi: NDArray[np.float64]  # (near, B + 1, B + 1) most that w gains by s flips with others, o with in-neighbours
    # degrees: what one more or one less at x adds at all vertices that hear x
    more: FloatArray  # (n,)
    less: FloatArray  # (n,)
    # newcomers u
    banned: IntArray  # (n,)
    value: NDArray[np.float64]  # (B + 1, B + 1, n) most that u adds with s flips of its own, o with in-neighbours
    total: FloatArray  # (n,) most that an attack of this shape reaches with u
    busy: FloatArray  # (n,) the same if u has flips of its own
    best: NDArray[np.float64]  # (B + 1, B + 1, B + 1) sums of the c largest values
    join: NDArray[np.float64]  # (B + 1, 2 B + 1, B + 1) most that c newcomers add with s and o flips in all
    spend: NDArray[np.float64]  # (B + 1, 2 B + 1) most that k deletions and so many half flips add
    spend_next: NDArray[np.float64]
    rest: NDArray[np.float64]  # (B + 1, B + 1) most beside one newcomer with s and o flips
    gain: FloatArray  # (n,) by how much a flip of one in-neighbour with x moves the margin; NEVER_WORTH: none
    worth: NDArray[np.float64]  # (near, n) most that an attack reaches with a flip of this in-neighbour and x
    top: NDArray[np.float64]  # (4, B + 1) best items: insertions, deletions; the same with in-neighbours
    line: NDArray[np.float64]  # (13, H)
    out: FloatArray  # (8,)
    second: IntArray  # (1,) how many vertices in-neighbours of the node hear


def make_stand(star: Star, heard: IntArray, loop: IntArray, gathered: FloatArray, most: int, rows: int) -> Stand:
    n, H = star.n, star.H
    return Stand(
        gathered=gathered.copy(),
        heard=heard.copy(),
        loop=loop.copy(),
        spare=star.local.copy(),
        arcs=np.zeros((3, 2 * most + 2), dtype=np.int64),
        marks=np.zeros(2 * most + 4, dtype=np.int64),
        flips=np.zeros((2, most + 1), dtype=np.int64),
        trail=np.zeros((rows, H)),
        trail_at=np.zeros(rows, dtype=np.int64),
        tally=np.zeros(TALLY_SIZE, dtype=np.int64),
        made=np.zeros(COUNTS, dtype=np.int64),
        near=np.zeros(n + 1, dtype=np.int64),
        place=np.full(n, -1, dtype=np.int64),
        list=np.zeros(n + 1, dtype=np.int64),
        kinds=np.zeros(n, dtype=np.int64),
        barred=np.zeros((2, MOST_BARRED), dtype=np.int64),
        bars=np.zeros(1, dtype=np.int64),
        row=np.zeros((4, H)),
        value=np.zeros(star.R),
    )


__all__ = ["STOP", "Pass", "Stand", "Star", "Tables", "make_stand"]
