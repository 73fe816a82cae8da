"""Sets of deletions around one node, evaluated from the values of the whole graph.

`b` is the base, `o` an overlay (search/base/layout.py). `pairs` holds the fragile pairs that can matter, (2, F); a set
is `chosen[:size]`, numbers of pairs. `local` (2, F) is what the ends of each pair may spend.

Theory: "Few graphs".
"""

from __future__ import annotations

import numpy as np

from ..base.evaluate import CROWDED, evaluate_flips
from ..base.layout import COMPUTED
from ..base.row_scores import largest_margin
from ..jit.decorators import entry, kernel, leaf

# what an evaluation says of the claim
HOLDS, BROKEN, DOUBTFUL = 0, 1, 2
# why an enumeration has come back, besides BROKEN and DOUBTFUL
DONE, PAUSED, NO_ROOM = 0, 3, 4
# positions in `cursor` of an enumeration: how many pairs are chosen; 1: that set is still to be evaluated
SIZE, WAITING = 0, 1


@entry
def list_pairs(b, o, found, rings, loops, pairs):
    """The edges into vertices nearer than `rings`, an undirected one once, into `pairs`; how many, -1 if there is no
    room for them. `found`: how many vertices `set_near` has listed; `loops`: flipping a self-loop matters.
    """
    room, count = pairs.shape[1], np.int64(0)
    for i in range(found):
        y = o.touched[i]
        if o.near[y] >= rings:
            break  # who is listed behind is as far
        for e in range(b.in_ptr[y], b.in_ptr[y + 1] + 1):
            inside = e < b.in_ptr[y + 1]
            x = b.source[e] if inside else y
            if inside and b.directed == 0 and o.near[x] < rings and x > y:
                continue  # listed where its other end hears
            if not inside and not (loops and b.loop[y]):
                continue
            if count == room:
                return np.int64(-1)
            pairs[0, count], pairs[1, count] = x, y
            count += 1
    return count


@leaf
def affords(b, pairs, local, chosen, size):
    """Whether local budgets allow the last of the chosen pairs beside the others."""
    last = chosen[size - 1]
    for end in range(2):
        v = pairs[end, last]
        if end == 0 and (b.directed or v == pairs[1, last]):
            continue
        used = 1
        for k in range(size - 1):
            other = chosen[k]
            used += pairs[1, other] == v or (b.directed == 0 and pairs[0, other] == v)
        if used > local[end, last]:
            return False
    return True


@kernel
def evaluate_set(b, o, node, pairs, chosen, size, arcs):
    """Scores into o.score; a bound on their error, or CROWDED."""
    count = np.int64(0)
    for k in range(size):
        x, y = pairs[0, chosen[k]], pairs[1, chosen[k]]
        arcs[0, count], arcs[1, count], arcs[2, count] = x, y, 0
        count += 1
        if b.directed == 0 and x != y:
            arcs[0, count], arcs[1, count], arcs[2, count] = y, x, 0
            count += 1
    return evaluate_flips(b, o, node, arcs[0], arcs[1], arcs[2], count)


@leaf
def judge(best, off):
    """Of the largest margin of a rival that may be off by so much. What is not finite is in doubt."""
    if best - off > 0.0:
        return BROKEN
    return HOLDS if best + off <= 0.0 else DOUBTFUL


@entry
def evaluate_singles(b, o, node, label, rivals, pairs, arcs, chosen, first, quota, margins, status):
    """margins[k], status[k]: of every rival with pair k - 1 flipped, and what that says of the claim; k = 0: with none.
    From `first` on; where to go on, ~k where k needs more room.
    """
    stop = o.tally[COMPUTED] + quota
    for k in range(first, status.size):
        chosen[0] = k - 1
        error = evaluate_set(b, o, node, pairs, chosen, np.int64(min(k, 1)), arcs)
        if error == CROWDED:
            return ~np.int64(k)
        for r in range(rivals.size):
            margins[k, r] = o.score[rivals[r]] - o.score[label]
        best, off = largest_margin(b, o, label, rivals, error)
        status[k] = judge(best, off)
        if o.tally[COMPUTED] > stop:
            return np.int64(k + 1)
    return np.int64(status.size)


@kernel
def take_best(b, pairs, local, margins, r, most, chosen, size):
    """Choose one pair more: that which raises the margin of this rival most alone; 0 if none does or may."""
    best, at = 0.0, np.int64(-1)
    for k in range(pairs.shape[1]):
        gain = margins[k + 1, r] - margins[0, r]
        if not gain > best:
            continue
        free = True
        for i in range(size):
            free = free and chosen[i] != k
        chosen[size] = k
        if free and affords(b, pairs, local, chosen, size + 1):
            best, at = gain, np.int64(k)
    chosen[size] = at
    return best


@entry
def follow_gains(b, o, node, label, rivals, pairs, local, margins, most, tries, arcs, chosen, promise):
    """For the rivals that promise most: flip the pairs that raise the margin most, up to `most` of them; how many break
    the claim, 0 if none of these sets is known to.
    """
    for r in range(rivals.size):
        promise[r] = margins[0, r]
        for size in range(most):
            gain = take_best(b, pairs, local, margins, r, most, chosen, size)
            if not gain > 0.0:
                break
            promise[r] += gain
    for _ in range(min(tries, rivals.size)):
        r = int(np.argmax(promise))
        promise[r] = -np.inf
        for size in range(most):
            if not take_best(b, pairs, local, margins, r, most, chosen, size) > 0.0:
                break
            if size == 0:
                continue
            error = evaluate_set(b, o, node, pairs, chosen, np.int64(size + 1), arcs)
            if error == CROWDED:
                return np.int64(0)
            best, off = largest_margin(b, o, label, rivals, error)
            if judge(best, off) == BROKEN:
                return np.int64(size + 1)
    return np.int64(0)


@leaf
def go_on(count, most, chosen, cursor):
    """To the next set, depth first: one pair more behind the last, or a later one in its place."""
    size = cursor[SIZE]
    behind = chosen[size - 1] + 1 if size > 0 else np.int64(0)
    if size < most and behind < count:
        chosen[size] = behind
        cursor[SIZE] = size + 1
    else:
        replace_last(count, chosen, cursor)


@leaf
def replace_last(count, chosen, cursor):
    """To the next set that does not contain this one."""
    while cursor[SIZE] > 0:
        last = cursor[SIZE] - 1
        chosen[last] += 1
        if chosen[last] < count:
            return
        cursor[SIZE] = last


@entry
def evaluate_sets_of(b, o, node, label, rivals, pairs, local, least, most, arcs, chosen, cursor, quota):
    """Go on with all sets of `least` to `most` pairs; the cursor begins at zeros. BROKEN and DOUBTFUL leave the set in
    `chosen`.
    """
    stop, count = o.tally[COMPUTED] + quota, np.int64(pairs.shape[1])
    while True:
        if not cursor[WAITING]:
            go_on(count, most, chosen, cursor)
            while cursor[SIZE] > 0 and not affords(b, pairs, local, chosen, cursor[SIZE]):
                replace_last(count, chosen, cursor)
            if cursor[SIZE] == 0:
                return DONE
            if cursor[SIZE] < least:
                continue
        if o.tally[COMPUTED] > stop:
            cursor[WAITING] = 1
            return PAUSED
        error = evaluate_set(b, o, node, pairs, chosen, cursor[SIZE], arcs)
        if error == CROWDED:
            cursor[WAITING] = 1
            return NO_ROOM
        cursor[WAITING] = 0
        best, off = largest_margin(b, o, label, rivals, error)
        code = judge(best, off)
        if code != HOLDS:
            return code
