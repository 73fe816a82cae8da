"""A node's scores after flips, where layers attend or are dense: from the values as they are, only what changes anew.

`s` is the stack of layers and the field around the node (stack.py). What vertex x has at layer t is a row of `z`: what
it sends, what it adds to logits as a sender and as a receiver, and what it keeps. Rows that flips change stand in
`changed`, stamped with the number of the evaluation.

Theory: "Scores after flips".
"""

from __future__ import annotations

import math

import numpy as np

from ..jit.decorators import entry, kernel, leaf
from .subsets import bend

# which graph a vertex is computed in
AS_IT_IS, FLIPPED = np.int64(0), np.int64(1)
# position in `tally`: the number of this evaluation
EVALUATION = 0
# what an evaluation says of the claim
HOLDS, BROKEN, DOUBTFUL = 0, 1, 2
# positions in `cursor`: flips of the set that is looked at; 1: it has been evaluated; how many sets there were
SIZE, DONE, COUNT = 0, 1, 2
# what enumeration comes back with, besides BROKEN and DOUBTFUL
FINISHED, PAUSED = 3, 4


@leaf
def row_of(s, t, x, fresh):
    """What x has at layer t."""
    if fresh == FLIPPED and s.stamp[t, x] == s.tally[EVALUATION]:
        return s.changed[t, x]
    return s.z[t, x]


@kernel
def attend(s, t, v, fresh):
    """Sums of messages and of weights of each head into `s.sums` and `s.weights`; how many are heard."""
    heads, channels, of_logit = s.heads[t], s.channels[t], s.of_logit[t]
    width, count = heads * channels, 0
    mine = row_of(s, t, v, fresh)
    start = width + heads * of_logit
    for e in range(s.ptr[v], s.ptr[v + 1] + 1):
        inside = e < s.ptr[v + 1]
        u = s.source[e] if inside else v
        if inside:
            flip = False
            if fresh == FLIPPED and s.pair[e] >= 0:
                flip = s.flipped[s.pair[e]]
            if (u == v and s.loops[t]) or s.there[e] == flip:
                continue
        elif not s.loops[t]:
            continue
        other = row_of(s, t, u, fresh)
        for k in range(heads):
            logit = 0.0
            for c in range(k * of_logit, (k + 1) * of_logit):
                added = other[width + c] + mine[start + c]
                logit += s.factor[t, c] * max(added, s.slope[t] * added)
            s.logits[count, k] = logit
        s.heard[count] = u
        count += 1
    for k in range(heads):
        peak = -np.inf
        for i in range(count):
            peak = max(peak, s.logits[i, k])
        total = 0.0
        for c in range(k * channels, (k + 1) * channels):
            s.sums[c] = 0.0
        for i in range(count):
            w = math.exp(s.logits[i, k] - peak)
            total += w
            other = row_of(s, t, s.heard[i], fresh)
            for c in range(k * channels, (k + 1) * channels):
                s.sums[c] += w * other[c]
        s.weights[k] = total
    return count


@kernel
def hidden_row(s, t, v, fresh):
    """h of v after layer t, into `s.h`."""
    heads, channels, of_logit, out = s.heads[t], s.channels[t], s.of_logit[t], s.out[t]
    kept = heads * channels + 2 * heads * of_logit
    mine = row_of(s, t, v, fresh)
    width = 0
    if heads > 0 and attend(s, t, v, fresh) > 0:
        if s.mean[t]:
            width = channels
            for c in range(channels):
                total = 0.0
                for k in range(heads):
                    total += s.sums[k * channels + c] / s.weights[k]
                s.gathered[c] = total / heads
        else:
            width = heads * channels
            for c in range(width):
                s.gathered[c] = s.sums[c] / s.weights[c // channels]
    for j in range(out):
        total = mine[kept + j]
        for c in range(width):
            total += s.spread[t, j, c] * s.gathered[c]
        s.h[j] = bend(total, s.bends[t, j])


@kernel
def put_next(s, t, target):
    """What a vertex whose hidden row stands in `s.h` has at layer t."""
    for r in range(s.width[t]):
        total = s.bias[t, r]
        row = s.weight[t, r]
        for j in range(s.out[t - 1]):
            total += row[j] * s.h[j]
        target[r] = total


@entry
def fill_base(s, first, last):
    """Base rows of layers `first` to `last` of all vertices that matter there; scores of the node into `s.score`."""
    for t in range(first, last):
        for v in range(s.size[t]):
            hidden_row(s, t, v, AS_IT_IS)
            if t + 1 < s.size.size:
                put_next(s, t + 1, s.z[t + 1, v])
            else:
                for j in range(s.out[t]):
                    s.score[j] = s.h[j]


@leaf
def note_change(s, t, v, count):
    """Put v on the list of those that change at layer t, once; how long the list is."""
    if v < s.size[t] and s.listed[t, v] != s.tally[EVALUATION]:
        s.listed[t, v] = s.tally[EVALUATION]
        s.list[t, count] = v
        return count + 1
    return count


@kernel
def evaluate(s, chosen, size):
    """Scores of the node after these flips, into `s.score`."""
    s.tally[EVALUATION] += 1
    for i in range(size):
        s.flipped[chosen[i]] = True
    layers = s.size.size
    before = 0
    for t in range(layers):
        count = 0
        for i in range(before):
            v = s.list[t - 1, i]
            count = note_change(s, t, v, count)
            if s.heads[t] > 0:
                for e in range(s.out_ptr[v], s.out_ptr[v + 1]):
                    count = note_change(s, t, s.receiver[e], count)
        if s.heads[t] > 0:
            for i in range(size):
                for end in range(2):
                    v = s.ends[end, chosen[i]]
                    if v >= 0:
                        count = note_change(s, t, v, count)
        for i in range(count):
            v = s.list[t, i]
            hidden_row(s, t, v, FLIPPED)
            if t + 1 < layers:
                put_next(s, t + 1, s.changed[t + 1, v])
                s.stamp[t + 1, v] = s.tally[EVALUATION]
        if t == layers - 1:
            for j in range(s.out[t]):
                s.score[j] = s.h[j] if count > 0 else s.base_score[j]
        before = count
    for i in range(size):
        s.flipped[chosen[i]] = False


@leaf
def lead_of(s, label, rivals):
    lead = -np.inf
    for i in range(rivals.size):
        found = s.score[rivals[i]] - s.score[label]
        lead = found if not found <= lead else lead
    return lead


@entry
def lead_after(s, chosen, size, label, rivals):
    """The largest lead of a rival after these flips."""
    evaluate(s, chosen, size)
    return lead_of(s, label, rivals)


@leaf
def affords(s, chosen, size):
    """Whether local budgets allow the last of the chosen pairs beside the others."""
    for end in range(2):
        v = s.payer[end, chosen[size - 1]]
        if v >= 0:
            used = 0
            for i in range(size):
                used += (s.payer[0, chosen[i]] == v) + (s.payer[1, chosen[i]] == v)
            if used > s.local[v]:
                return False
    return True


@entry
def evaluate_sets(s, chosen, cursor, wanted, label, rivals, error, quota, leads):
    """Go on through all sets of `wanted` flips in lexicographic order; `leads` takes those of single flips."""
    pairs = s.ends.shape[1]
    size = cursor[SIZE]
    for _ in range(quota):
        if cursor[DONE]:
            cursor[DONE] = 0
            while size > 0:
                chosen[size - 1] += 1
                if chosen[size - 1] < pairs:
                    break
                size -= 1
            if size == 0:
                cursor[SIZE] = 0
                return FINISHED
            cursor[SIZE] = size
        if chosen[size - 1] >= pairs or not affords(s, chosen, size):
            cursor[DONE] = 1
            continue
        if size < wanted:
            chosen[size] = chosen[size - 1] + 1
            size += 1
            cursor[SIZE] = size
            if chosen[size - 1] >= pairs:
                size -= 1
                cursor[SIZE] = size
                cursor[DONE] = 1
            continue
        evaluate(s, chosen, size)
        cursor[COUNT] += 1
        cursor[DONE] = 1
        lead = lead_of(s, label, rivals)
        if size == 1:
            leads[chosen[0]] = lead
        if lead > error:
            return BROKEN
        if not lead < -error:
            return DOUBTFUL
    return PAUSED
