"""What a module computes, as vectors and affine expressions over them.

A vector is what one activation gives at every vertex (or, behind the readout, once for the graph). Everything between
two activations is affine: an expression is a sum of matrices times vectors, of matrices times one aggregation of
vectors, and a bias. `arrange.py` makes layers of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..raw import RawAttention

Matrix = NDArray[np.float64]


class Vector:
    """`act(definition)`, with the activation's slope on negative numbers for each entry, or the number of a curve
    (`CURVES` of raw.py); definition None: given, not computed.

    `place` is "vertex" or "graph": where it lives. Compared by identity.
    """

    __slots__ = ("definition", "place", "pooled", "slopes", "width")

    def __init__(
        self, width: int, place: str, definition: Expression | None = None, slopes: Matrix | None = None
    ) -> None:
        self.width, self.place = width, place
        self.definition, self.slopes = definition, slopes
        self.pooled: tuple[str, Vector] | None = None  # how, and of which vector at the vertices


class Attending:
    """The attention of one layer, compared by identity; `width` of what it aggregates."""

    __slots__ = ("raw", "width")

    def __init__(self, raw: RawAttention, width: int) -> None:
        self.raw, self.width = raw, width

    def among(self, start: int, columns: int) -> RawAttention:
        """The same where its input begins at column `start` of so many."""
        raw = self.raw

        def widened(weight: Any) -> Any:
            if weight is None:
                return None
            out = np.zeros((*weight.shape[:2], columns))
            out[:, :, start : start + weight.shape[2]] = weight
            return out

        return raw._replace(values=widened(raw.values), target_values=widened(raw.target_values))


class Expression(NamedTuple):
    """`sum of own[v] v + sum of heard[v] agg(v) + b`; a matrix None stands for the identity. `heard` names one vector
    where `how` is attention, whose matrix has a column for each number that is aggregated.
    """

    own: dict[Vector, Matrix | None]
    heard: dict[Vector, Matrix | None]
    how: str | Attending  # the aggregation of `heard`; "" where nothing is heard
    b: Matrix
    place: str

    @property
    def width(self) -> int:
        return len(self.b)

    @property
    def vectors(self) -> list[Vector]:
        return list({**self.own, **self.heard})


def given(width: int, place: str = "vertex") -> Vector:
    return Vector(width, place)


def just(vector: Vector) -> Expression:
    """The expression that is this vector."""
    return Expression({vector: None}, {}, "", np.zeros(vector.width), vector.place)


def computed(expression: Expression, slopes: Any = 1.0) -> Vector:
    """A vector of its own for this expression, bent by an activation."""
    width = expression.width
    return Vector(width, expression.place, expression, np.full(width, slopes, dtype=np.float64))


def dense(matrix: Matrix | None, width: int) -> Matrix:
    return np.eye(width) if matrix is None else matrix


def transform(expression: Expression, W: Matrix, b: Matrix | float = 0.0) -> Expression:
    """W e + b."""

    def through(terms: dict[Vector, Matrix | None]) -> dict[Vector, Matrix | None]:
        return {v: W if matrix is None else W @ matrix for v, matrix in terms.items()}

    return expression._replace(own=through(expression.own), heard=through(expression.heard), b=W @ expression.b + b)


def scale(expression: Expression, factors: Any, b: Any = 0.0) -> Expression:
    """Entry by entry: factors e + b."""
    factors = np.full(expression.width, factors, dtype=np.float64)

    def through(terms: dict[Vector, Matrix | None]) -> dict[Vector, Matrix | None]:
        return {v: np.diag(factors) if matrix is None else factors[:, None] * matrix for v, matrix in terms.items()}

    return expression._replace(
        own=through(expression.own), heard=through(expression.heard), b=factors * expression.b + b
    )


def add(first: Expression, second: Expression) -> Expression:
    first, second = _hearing_alike([first, second])

    def both(mine: dict[Vector, Matrix | None], other: dict[Vector, Matrix | None]) -> dict[Vector, Matrix | None]:
        out = dict(mine)
        for v, matrix in other.items():
            out[v] = dense(out[v], v.width) + dense(matrix, v.width) if v in out else matrix
        return out

    return Expression(
        both(first.own, second.own), both(first.heard, second.heard), first.how or second.how, first.b + second.b,
        first.place,
    )  # fmt: skip


def concatenate(parts: list[Expression]) -> Expression:
    """One below the other."""
    parts = _hearing_alike(parts)
    starts = np.cumsum([0, *(part.width for part in parts)])

    def stacked(which: str) -> dict[Vector, Matrix | None]:
        out: dict[Vector, Matrix | None] = {}
        for part, start in zip(parts, starts, strict=False):
            for v, matrix in getattr(part, which).items():
                filled = dense(matrix, v.width)
                if v not in out:
                    out[v] = np.zeros((starts[-1], filled.shape[1]))
                held = out[v]
                assert held is not None
                held[start : start + part.width] = filled
        return out

    how = next((part.how for part in parts if part.how), "")
    bias = np.concatenate([part.b for part in parts])
    return Expression(stacked("own"), stacked("heard"), how, bias, parts[0].place)


def _hearing_alike(parts: list[Expression]) -> list[Expression]:
    """One layer has one aggregation: what hears otherwise than the first part that hears becomes a vector."""
    how = next((part.how for part in parts if part.how), "")
    return [just(computed(part)) if part.how not in ("", how) else part for part in parts]


def activate(expression: Expression, slopes: Any) -> Expression:
    slopes = np.full(expression.width, slopes, dtype=np.float64)
    return expression if (slopes == 1.0).all() else just(computed(expression, slopes))


def columns(expression: Expression, picked: Any) -> Expression:
    """Some of its entries, in this order."""
    picked = np.asarray(picked, dtype=np.int64)
    return transform(expression, np.eye(expression.width)[picked])


def maximum(first: Expression, second: Expression) -> Expression:
    """max(a, b) = a + relu(b - a)."""
    if first.heard:
        first = just(computed(first))
    return add(first, activate(add(second, scale(first, -1.0)), 0.0))


def is_nonnegative(expression: Expression) -> bool:
    """Whether this can be seen from a ReLU in front of it."""
    return bool(
        not expression.heard
        and (expression.b >= 0).all()
        and all(matrix is None or (matrix >= 0).all() for matrix in expression.own.values())
        and all(v.slopes is not None and not v.slopes.any() for v in expression.own)
    )


def aggregate(expression: Expression, how: str) -> Expression:
    """What a vertex hears when its in-neighbours send the expression.

    Sum, mean, gcn and sym of `W h` are W times those of h, but a bias would count once a neighbour; max commutes only
    with what scales by numbers that are not negative. Else the expression becomes a vector first.
    """
    moves = not expression.heard and not expression.b.any()
    if how == "max":
        moves = moves and all(matrix is None or _picks(matrix) for matrix in expression.own.values())
        moves = moves and _one_source_a_row(expression)
    if not moves:
        expression = just(computed(expression))
    return Expression({}, dict(expression.own), how, np.zeros(expression.width), expression.place)


def attended(expression: Expression, how: Attending) -> Expression:
    """What a vertex hears through attention: of a vector, as logits see all that is sent."""
    vector = _the_vector(expression)
    heard: dict[Vector, Matrix | None] = {vector: np.eye(how.width)}
    return Expression({}, heard, how, np.zeros(how.width), expression.place)


def _the_vector(expression: Expression) -> Vector:
    if len(expression.own) == 1 and not expression.heard and not expression.b.any():
        vector, matrix = next(iter(expression.own.items()))
        if matrix is None:
            return vector
    return computed(expression)


def _picks(matrix: Matrix) -> bool:
    return bool((matrix >= 0).all() and ((matrix != 0).sum(axis=1) <= 1).all())


def _one_source_a_row(expression: Expression) -> bool:
    if len(expression.own) <= 1:
        return True
    used = sum((dense(matrix, v.width) != 0).any(axis=1).astype(int) for v, matrix in expression.own.items())
    return bool(np.all(used <= 1))


def pool(expression: Expression, how: str) -> Expression:
    """The same over all vertices; a mean of `W h + b` is that of h, moved the same way."""
    if how == "min":
        return scale(pool(scale(expression, -1.0), "max"), -1.0)
    moved = expression
    bias = np.zeros(expression.width)
    if how == "mean" and not expression.heard:
        moved, bias = expression._replace(b=np.zeros(expression.width)), expression.b
    heard = aggregate(moved, how).heard
    own: dict[Vector, Matrix | None] = {}
    for vector, matrix in heard.items():
        pooled = given(vector.width, "graph")
        pooled.pooled = (how, vector)
        own[pooled] = matrix
    return Expression(own, {}, "", bias, "graph")
