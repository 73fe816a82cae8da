"""Deciding a pair, and taking decisions back; what depends on them is brought up to date elsewhere."""

from __future__ import annotations

import numpy as np

from ..jit.decorators import entry, kernel, leaf, part
from .degrees import shift_degrees
from .records import parts_used
from .rows import copy_record
from .state import BOX_MARK, PAIR_MARK, UNDECIDED, USED, VALUE_MARK


@leaf
def count_inserted(p, s, pair, step):
    """An absent pair is inserted (step 1) or taken out again (-1)."""
    u, v = p.pair_u[pair], p.pair_v[pair]
    s.inserted_in[v] += step
    s.inserted_out[u] += step
    if p.pair_slot[pair, 1] >= 0:
        s.inserted_in[u] += step
        s.inserted_out[v] += step


@kernel
def decide(p, s, pair, flip):
    """Give a pair its status: as in G, or flipped, which costs budget."""
    u, v = p.pair_u[pair], p.pair_v[pair]
    present = p.pair_present[pair] ^ flip
    s.status[p.pair_slot[pair, 0]] = present
    s.open_slots[v] -= 1
    if p.pair_slot[pair, 1] >= 0:
        s.status[p.pair_slot[pair, 1]] = present
        s.open_slots[u] -= 1
    if flip and not p.pair_present[pair]:
        count_inserted(p, s, pair, np.int64(1))
    if flip:
        s.local_left[v] -= 1
        if p.charge_u and u != v:
            s.local_left[u] -= 1
        s.tally[USED] += 1
    if p.normalises:
        shift_degrees(p, s, pair, flip, np.int64(1))
    s.tally[UNDECIDED] -= 1
    s.pair_trail[s.tally[PAIR_MARK]] = ~pair if flip else pair
    s.tally[PAIR_MARK] += 1


@kernel
def undo_pairs(p, s, mark):
    while s.tally[PAIR_MARK] > mark:
        s.tally[PAIR_MARK] -= 1
        pair = s.pair_trail[s.tally[PAIR_MARK]]
        flip = pair < 0
        if flip:
            pair = ~pair
        u, v = p.pair_u[pair], p.pair_v[pair]
        undecided = p.pair_present[pair] | 2
        s.status[p.pair_slot[pair, 0]] = undecided
        s.open_slots[v] += 1
        if p.pair_slot[pair, 1] >= 0:
            s.status[p.pair_slot[pair, 1]] = undecided
            s.open_slots[u] += 1
        if flip and not p.pair_present[pair]:
            count_inserted(p, s, pair, np.int64(-1))
        if flip:
            s.local_left[v] += 1
            if p.charge_u and u != v:
                s.local_left[u] += 1
            s.tally[USED] -= 1
        if p.normalises:
            shift_degrees(p, s, pair, np.int64(flip), np.int64(-1))
        s.tally[UNDECIDED] += 1


@entry
def undo(p, s, pair_mark, value_mark, box_mark):
    """Back to the state at these marks. Saved numbers are restored: inverse operations would drift.

    Theory: "Bounds of a parent hold below it".
    """
    undo_pairs(p, s, pair_mark)
    n = p.n
    for k in range(s.tally[VALUE_MARK] - 1, value_mark - 1, -1):
        t, v = s.value_trail_at[k] // n, s.value_trail_at[k] % n
        copy_record(s.values[t, v], s.value_trail[k], parts_used(p, t, v))
    s.tally[VALUE_MARK] = value_mark
    for k in range(s.tally[BOX_MARK] - 1, box_mark - 1, -1):
        t, v = s.box_trail_at[k] // n, s.box_trail_at[k] % n
        copy_record(s.boxes[t, v], s.box_trail[k], 2 * parts_used(p, t, v))
    s.tally[BOX_MARK] = box_mark


# positions in the marks of a frame
PAIRS, VALUES, BOXES = 0, 1, 2


@part
def mark_trails(s, marks):
    """Note how long the trails are: what comes later is undone when the search returns to this node."""
    marks[PAIRS] = s.tally[PAIR_MARK]
    marks[VALUES] = s.tally[VALUE_MARK]
    marks[BOXES] = s.tally[BOX_MARK]


@part
def undo_to(p, s, marks):
    """Back to these marks."""
    undo(p, s, marks[PAIRS], marks[VALUES], marks[BOXES])


@leaf
def mark_level(s, level):
    """Note where one level of an enumeration begins, which looks at no boxes."""
    s.enumeration_marks[level, PAIRS] = s.tally[PAIR_MARK]
    s.enumeration_marks[level, VALUES] = s.tally[VALUE_MARK]


@leaf
def undo_level(p, s, level):
    marks = s.enumeration_marks[level]
    undo(p, s, marks[PAIRS], marks[VALUES], s.tally[BOX_MARK])
