"""Deciding a pair, what follows from it, and taking it all back."""

from __future__ import annotations

import numpy as np

from .bound_boxes import bound_from
from .compile import entry, kernel, leaf, part
from .degrees import shift_degrees
from .evaluate import evaluate_from
from .multiply import copy_record
from .propagate import parts_used
from .state import BOX_MARK, LIMIT, PAIR_MARK, UNDECIDED, USED, VALUE_MARK


@leaf
def count_inserted(p, s, pair, step):
    """An absent pair is inserted (step 1) or taken out again (-1)."""
    u, v = p.pair_u[pair], p.pair_v[pair]
    s.came[v] += step
    s.went[u] += step
    if p.pair_slot[pair, 1] >= 0:
        s.came[u] += step
        s.went[v] += step


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
        s.spare[v] -= 1
        if p.charge_u and u != v:
            s.spare[u] -= 1
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
            s.spare[v] += 1
            if p.charge_u and u != v:
                s.spare[u] += 1
            s.tally[USED] -= 1
        if p.normalises:
            shift_degrees(p, s, pair, np.int64(flip), np.int64(-1))
        s.tally[UNDECIDED] += 1


@entry
def undo(p, s, pair_mark, value_mark, box_mark):
    """Back to the state at these marks. Saved numbers are restored: inverse operations would drift."""
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


@leaf
def affordable(p, s, pair):
    """Whether the budgets left allow this flip."""
    u, v = p.pair_u[pair], p.pair_v[pair]
    if s.tally[USED] >= s.tally[LIMIT] or s.spare[v] < 1:
        return False
    return not p.charge_u or s.spare[u] >= 1


@part
def settle(p, s, v):
    """Inference: once v has spent its local budget, its undecided pairs stay as they are in G."""
    for k in range(p.slot_ptr[v], p.slot_ptr[v + 1]):
        if s.status[k] & 2:
            decide(p, s, p.slot_pair[k], np.int64(0))


@part
def apply(p, s, options, pair, flip):
    """Decide a pair and bring grounding and boxes up to date."""
    u, v = p.pair_u[pair], p.pair_v[pair]
    first = s.tally[PAIR_MARK]
    decide(p, s, pair, flip)
    everything = 1 - options.incremental
    seeds = s.seeds
    if flip:
        seeds[0] = v
        seeds[1] = u
        evaluate_from(p, s, options, seeds[: 2 if p.pair_slot[pair, 1] >= 0 else 1], everything)
        if options.inference:
            if s.spare[v] == 0:
                settle(p, s, v)
            if p.charge_u and s.spare[u] == 0:
                settle(p, s, u)
    left = s.tally[LIMIT] - s.tally[USED]
    if left <= 0:
        return  # no box is looked at without budget: the grounding is all there is
    count = 0
    n = p.n
    if flip and options.budget_boxes:
        # one unit less for everyone: a box changes where more than what is left could have been spent
        for w in range(n):
            if min(s.open_slots[w], s.spare[w]) > left:
                seeds[count] = w
                count += 1
    for k in range(first, s.tally[PAIR_MARK]):
        done = s.pair_trail[k]
        done = ~done if done < 0 else done
        for end in range(2):
            if p.pair_slot[done, end] >= 0:
                seeds[count] = p.pair_v[done] if end == 0 else p.pair_u[done]
                count += 1
    bound_from(p, s, options, seeds[:count], everything)
