"""Loops over short rows: copies, and matrix-vector products that add one weight row after the other.

Written out because a slice assignment in a kernel costs more than the row it moves.
"""

from __future__ import annotations

from ..jit.decorators import leaf, loop, reduction


@loop
def fill(out, value, m):
    for i in range(m):
        out[i] = value


@loop
def copy(out, row, m):
    for i in range(m):
        out[i] = row[i]


@loop
def add(out, row, m):
    for i in range(m):
        out[i] += row[i]


@leaf
def copy_record(out, record, rows):
    """The first rows of a record."""
    for k in range(rows):
        target, source = out[k], record[k]
        for i in range(record.shape[1]):
            target[i] = source[i]


@loop
def pick_nonzero(picked, x, rows):
    """List the j with x[j] != 0: after a ReLU about half of them, at random, so that a branch would often be guessed
    wrong.
    """
    count = 0
    for j in range(rows):
        picked[count] = j
        count += x[j] != 0.0
    return count


@loop
def add_picked(out, weight, x, picked, count, columns):
    """out += sum of x[j] * weight[j] over the picked j, four rows at a time so that `out` is touched less often."""
    k = 0
    while k + 3 < count:
        j0, j1, j2, j3 = picked[k], picked[k + 1], picked[k + 2], picked[k + 3]
        x0, x1, x2, x3 = x[j0], x[j1], x[j2], x[j3]
        w0, w1, w2, w3 = weight[j0], weight[j1], weight[j2], weight[j3]
        for i in range(columns):
            out[i] += w0[i] * x0 + w1[i] * x1 + w2[i] * x2 + w3[i] * x3
        k += 4
    while k < count:
        x0 = x[picked[k]]
        w0 = weight[picked[k]]
        for i in range(columns):
            out[i] += w0[i] * x0
        k += 1


@loop
def add_interval(middle, spread, weight, centre, radius, picked, rows, columns):
    """middle += weight times centre, spread += |weight| times radius."""
    count = 0
    for j in range(rows):
        picked[count] = j
        count += (centre[j] != 0.0) | (radius[j] != 0.0)
    k = 0
    while k + 3 < count:
        j0, j1, j2, j3 = picked[k], picked[k + 1], picked[k + 2], picked[k + 3]
        c0, c1, c2, c3 = centre[j0], centre[j1], centre[j2], centre[j3]
        r0, r1, r2, r3 = radius[j0], radius[j1], radius[j2], radius[j3]
        w0, w1, w2, w3 = weight[j0], weight[j1], weight[j2], weight[j3]
        for i in range(columns):
            middle[i] += w0[i] * c0 + w1[i] * c1 + w2[i] * c2 + w3[i] * c3
            spread[i] += abs(w0[i]) * r0 + abs(w1[i]) * r1 + abs(w2[i]) * r2 + abs(w3[i]) * r3
        k += 4
    while k < count:
        c0, r0 = centre[picked[k]], radius[picked[k]]
        w0 = weight[picked[k]]
        for i in range(columns):
            middle[i] += w0[i] * c0
            spread[i] += abs(w0[i]) * r0
        k += 1


@loop
def split_interval(centre, radius, low, high, rows):
    """[low, high] as centre and radius: a product with an interval then takes two plain products, not four."""
    for j in range(rows):
        centre[j] = 0.5 * (low[j] + high[j])
        radius[j] = 0.5 * (high[j] - low[j])


@loop
def join_interval(low, high, centre, radius, columns):
    for i in range(columns):
        low[i] = centre[i] - radius[i]
        high[i] = centre[i] + radius[i]


@reduction
def dot(x, y, m):
    total = 0.0
    for i in range(m):
        total += x[i] * y[i]
    return total


@reduction
def dot_magnitudes(x, y, m):
    """|x| . y"""
    total = 0.0
    for i in range(m):
        total += abs(x[i]) * y[i]
    return total


@reduction
def dot_interval(a, centre, radius, m):
    """Bounds of a . h for h within `radius` of `centre`."""
    middle, spread = 0.0, 0.0
    for j in range(m):
        middle += a[j] * centre[j]
        spread += abs(a[j]) * radius[j]
    return middle - spread, middle + spread


@leaf
def count(marks, m):
    """How many of marks[:m] are set."""
    found = 0
    for i in range(m):
        found += marks[i] != 0
    return found
