"""Vectors and expressions into a chain of layers.

Every vector gets a level, the layer that computes it. A vector that a later layer needs is appended to the hidden state
until then: the layers between pass its channels on with weight 1 and slope 1. Residual connections and JumpingKnowledge
need nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...errors import InputError
from ..raw import CURVES, RawLayer, RawNetwork, RawReadout
from .expressions import Attending, Expression, Matrix, Vector, add, computed, dense, just, pool

Level = dict[Vector, int]
FIRST_CURVE = min(CURVES.values())
_NAMES = {0.0: "relu", 1.0: "none", **{float(code): name for name, code in CURVES.items()}}


def arrange(result: Expression, features: Vector, origin: str) -> RawNetwork:
    """The network whose scores are `result`."""
    if result.place == "vertex":
        final = _as_vector(result)
        layers, _ = _chain([features], [final])
        return RawNetwork(tuple(layers), None, "", origin)
    return _arrange_readout(_as_vector(result), features, origin)


def _arrange_readout(final: Vector, features: Vector, origin: str) -> RawNetwork:
    """Layers, one pooling of all that is pooled, and behind it a linear map or a head."""
    hows = sorted({how for how, _ in _pooled(final).values()})
    if len(hows) != 1:
        found = " and by ".join(hows) or "nothing"
        why = "a network has one readout; pool by one of sum, mean and max (minima and maxima go together)"
        raise InputError(f"{origin}: it pools by {found}, {why}")
    how = hows[0]
    if how != "max":
        _map_before_pooling(final, how)
    sources = {v: source for v, (_, source) in _pooled(final).items()}
    layers, layout = _chain([features], list(dict.fromkeys(sources.values())))
    width = sum(v.width for v in layout)
    starts = dict(zip(layout, np.cumsum([0, *(v.width for v in layout)]), strict=False))
    base = Vector(width, "graph")
    parts = {v: np.eye(width)[starts[source] :][: v.width] for v, source in sources.items()}
    final = _on_base(final, base, parts, {})
    definition = final.definition
    assert definition is not None
    if set(definition.own) == {base} and np.all(final.slopes == 1.0):
        readout = RawReadout(dense(definition.own[base], width), definition.b, how)
        return RawNetwork(tuple(layers), readout, "", origin)
    head, _ = _chain([base], [final])
    return RawNetwork(tuple(layers), RawReadout(np.eye(width), np.zeros(width), how), "", origin, tuple(head))


def _pooled(final: Vector) -> dict[Vector, tuple[str, Vector]]:
    return {v: v.pooled for v in _needed([final]) if v.pooled is not None}


def _map_before_pooling(final: Vector, how: str) -> None:
    """Where several layers are pooled side by side and then mapped to fewer entries, map first: sums and means commute
    with it, and the layers carry what is left of the mapped vectors only.
    """
    pooled = _pooled(final)
    users = [v for v in _needed([final]) if v.definition is not None and pooled.keys() & v.definition.own.keys()]
    if len(pooled) < 2 or len(users) != 1 or users[0].width >= sum(v.width for v in pooled):
        return
    definition = users[0].definition
    assert definition is not None
    mapped: dict[Vector, Matrix | None] = {pooled[v][1]: m for v, m in definition.own.items() if v in pooled}
    if len(mapped) < len(pooled):
        return  # one vector pooled twice: rare, and not worth a sum
    sent = computed(Expression(mapped, {}, "", np.zeros(users[0].width), "vertex"))
    others = {v: matrix for v, matrix in definition.own.items() if v not in pooled}
    users[0].definition = add(definition._replace(own=others), pool(just(sent), how))


def _as_vector(expression: Expression) -> Vector:
    """The vector itself where the expression is one that is computed."""
    if len(expression.own) == 1 and not expression.heard and not expression.b.any():
        (vector, matrix) = next(iter(expression.own.items()))
        if matrix is None and vector.definition is not None:
            return vector
    return computed(expression)


def _on_base(vector: Vector, base: Vector, parts: dict[Vector, Matrix], done: dict[Vector, Vector]) -> Vector:
    """The same vector with all pooled ones as slices of one."""
    if vector not in done:
        assert vector.definition is not None
        assert vector.slopes is not None
        total = Expression({}, {}, "", vector.definition.b, "graph")
        for v, matrix in vector.definition.own.items():
            if v in parts:
                term: dict[Vector, Matrix | None] = {base: parts[v] if matrix is None else matrix @ parts[v]}
            else:
                term = {_on_base(v, base, parts, done): matrix}
            total = add(total, Expression(term, {}, "", np.zeros(vector.width), "graph"))
        done[vector] = computed(total, vector.slopes)
    return done[vector]


def _needed(outputs: Iterable[Vector]) -> list[Vector]:
    """Everything that the outputs are computed from, in an order in which it can be computed."""
    order: dict[Vector, None] = {}

    def visit(vector: Vector) -> None:
        if vector not in order:
            for below in vector.definition.vectors if vector.definition is not None else ():
                visit(below)
            order[vector] = None

    for vector in outputs:
        visit(vector)
    return list(order)


def _levels(vectors: list[Vector]) -> tuple[Level, dict[int, str | Attending]]:
    """The layer that computes each vector, and what each layer aggregates by: one way a layer."""
    level: Level = {}
    hows: dict[int, str | Attending] = {}
    for vector in vectors:
        definition = vector.definition
        if definition is None:
            level[vector] = 0
            continue
        at = 1 + max((level[v] for v in definition.vectors), default=0)
        while definition.heard and hows.get(at, definition.how) != definition.how:
            at += 1
        level[vector] = at
        if definition.heard:
            hows[at] = definition.how
    return level, hows


def _chain(inputs: list[Vector], outputs: list[Vector]) -> tuple[list[RawLayer], list[Vector]]:
    """Layers that turn the inputs' channels into the outputs', and the order of the channels that they end with."""
    vectors = _accumulate(_needed(outputs), outputs)
    vectors = [v for v in vectors if v not in inputs]
    level, hows = _levels([*inputs, *vectors])
    last = max(1, *(level[v] for v in outputs))
    until = dict.fromkeys(level, 0)  # the last level whose channels must hold the vector
    for vector in vectors:
        for below in vector.definition.vectors if vector.definition is not None else ():
            until[below] = max(until[below], level[vector] - 1)
    for vector in outputs:
        until[vector] = last
    layout, layers = inputs, []
    for at in range(1, last + 1):
        there = [v for v in level if level[v] <= at <= until[v]]
        layers.append(_layer(layout, there, at, level, hows.get(at, "sum")))
        layout = there
    return layers, layout


def _layer(below: list[Vector], here: list[Vector], at: int, level: Level, how: str | Attending) -> RawLayer:
    columns = dict(zip(below, np.cumsum([0, *(v.width for v in below)]), strict=False))
    rows = np.cumsum([0, *(v.width for v in here)])
    C = np.zeros((rows[-1], sum(v.width for v in below)))
    A = np.zeros((rows[-1], how.width)) if isinstance(how, Attending) else np.zeros_like(C)
    b, slopes, attention = np.zeros(rows[-1]), np.ones(rows[-1]), None
    for vector, start in zip(here, rows, strict=False):
        mine = slice(start, start + vector.width)
        if level[vector] < at:
            C[mine, columns[vector] : columns[vector] + vector.width] = np.eye(vector.width)
            continue
        assert vector.definition is not None
        assert vector.slopes is not None
        heard = vector.definition.heard
        if isinstance(how, Attending):
            for v, matrix in heard.items():  # one at most
                attention, A[mine] = how.among(columns[v], C.shape[1]), matrix
            heard = {}
        for weight, terms in ((C, vector.definition.own), (A, heard)):
            for v, matrix in terms.items():
                weight[mine, columns[v] : columns[v] + v.width] = dense(matrix, v.width)
        b[mine], slopes[mine] = vector.definition.b, vector.slopes
    how = "attention" if isinstance(how, Attending) else how
    if (slopes >= FIRST_CURVE).any():
        names = [_NAMES.get(slope, "leaky_relu") for slope in slopes.tolist()]
        one = names[0] if len(set(names)) == 1 else tuple(names)
        return RawLayer(C, A, b, how, one, np.where(slopes < FIRST_CURVE, slopes, 0.0), attention)
    if (slopes == slopes[0]).all():
        activation = {0.0: "relu", 1.0: "none"}.get(float(slopes[0]), "leaky_relu")
        return RawLayer(C, A, b, how, activation, float(slopes[0]), attention)
    return RawLayer(C, A, b, how, "leaky_relu", slopes, attention)


def _accumulate(vectors: list[Vector], outputs: list[Vector]) -> list[Vector]:
    """Sum up early what a later vector needs of many: JumpingKnowledge then carries one score a class through the
    layers, not every hidden vector.

    For a vector w whose own terms come from several levels, the terms of vectors that nobody else needs so late are
    replaced by a running sum, where that makes the layers between narrower.
    """
    level, _ = _levels(vectors)
    users: dict[Vector, list[Vector]] = {v: [] for v in vectors}
    for vector in vectors:
        for below in vector.definition.vectors if vector.definition is not None else ():
            users[below].append(vector)
    for w in vectors:
        definition = w.definition
        if definition is None:
            continue
        old = [
            v
            for v in definition.own
            if level[v] < level[w] - 1
            and v not in definition.heard
            and v not in outputs
            and all(level[user] == level[v] + 1 for user in users[v] if user is not w)
        ]
        before = sum(v.width * (level[w] - 1 - level[v]) for v in old)
        if not old or before <= w.width * (level[w] - 1 - min(level[v] for v in old)):
            continue
        total = Expression({}, {}, "", np.zeros(w.width), w.place)
        for at in sorted({level[v] for v in old}):
            terms = {v: definition.own[v] for v in old if level[v] == at}
            total = just(computed(add(total, total._replace(own=terms))))
        kept = {v: matrix for v, matrix in definition.own.items() if v not in old}
        w.definition = add(definition._replace(own=kept), total)
    return _needed(outputs)
