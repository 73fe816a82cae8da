"""A network's weights as whole numbers over powers of two, and products with long rows of features."""

from __future__ import annotations

from collections.abc import Iterator

import flint
import numpy as np

from ..model.memo import NetworkMemo
from ..model.network import Layer, Network, Readout
from .normalised import SurdWeights, surd_weights

# up to such a sum of magnitudes of factors, sums of limbs stay within 64 bits
SUM_LIMIT = 2.0**32
# up to such a one, floats hold them, and multiply matrices in a tenth of the time
FLOAT_LIMIT = 2.0**22
# products of two numbers that one call of BLAS may take
PIECE = 1 << 18
# a power of two with a larger exponent may not be a float
LARGE_EXPONENT = 1000
MAGNITUDE = (1 << 63) - 1  # the bits of a float but for its sign

ZERO = flint.fmpz(0)
Matrix = flint.fmpz_mat


class Weights:
    """One layer in whole numbers, times 2**shift, transposed, so that a vertex is a row: C with the bias as its last
    row, and A, if neighbours are heard, with zeros there.
    """

    def __init__(self, C: np.ndarray, A: np.ndarray | None, b: np.ndarray) -> None:
        self.shift = max(find_shift(part) for part in (C, A, b) if part is not None)
        self.C = to_integers(np.concatenate([C.T, b[None]]), self.shift)
        self.A = None if A is None else to_integers(np.concatenate([A.T, np.zeros_like(b)[None]]), self.shift)


class Columns:
    """First-layer weights in whole numbers, as limbs of 30 bits: rows of features are long and sparse, and sums of
    limbs are plain arithmetic.
    """

    BITS = 30

    def __init__(self, matrix: np.ndarray, shift: int) -> None:
        self.matrix, self.shift = matrix, shift
        self._limbs: list[np.ndarray] | None = None
        self._whole: Matrix | None = None

    @property
    def whole(self) -> Matrix:
        """matrix.T * 2**shift."""
        if self._whole is None:
            self._whole = to_integers(self.matrix.T, self.shift)
        return self._whole

    @property
    def limbs(self) -> list[np.ndarray]:
        """matrix.T * 2**shift = sum of limbs[k] * 2**(BITS k), highest first; whole numbers, in floats."""
        if self._limbs is None:
            self._limbs = self._split()  # all or none: other threads ask too, and an interrupt may come
        return self._limbs

    def _split(self) -> list[np.ndarray]:
        """Every step is exact in floats."""
        rest, limbs = self.matrix.T.copy(), []
        top = max(0, int(np.frexp(np.abs(rest).max(initial=1.0))[1])) + self.shift
        if top <= 2 * self.BITS:  # nearly always, and then this is much shorter
            whole = _times_power(rest, self.shift).astype(np.int64)
            return [(whole >> self.BITS).astype(np.float64), (whole & (1 << self.BITS) - 1).astype(np.float64)]
        for k in range(top // self.BITS, -1, -1):
            limbs.append(np.trunc(_times_power(rest, self.shift - self.BITS * k)))
            rest = rest - _times_power(limbs[-1], self.BITS * k - self.shift)
        return limbs

    def combine(self, factors: np.ndarray, columns: np.ndarray) -> list[flint.fmpz]:
        """For every row of factors: sum over j of row[j] * column j, times 2**shift, one row after the other."""
        kind = _kind_of_sums(np.abs(factors).sum(axis=1).max(initial=0.0))
        return self._join(_multiply(factors.astype(kind, copy=False), rows) for rows in self._take(columns, kind))

    def combine_sparse(
        self, factors: np.ndarray, columns: np.ndarray, starts: np.ndarray, largest: float
    ) -> list[flint.fmpz]:
        """The same for rows with columns of their own, each from its start to the next one's; none is empty. `largest`
        is what the magnitudes of the factors of a row can add up to.
        """
        kind = _kind_of_sums(largest)
        taken = self._take(columns, kind)
        if not (factors == 1).all():
            taken = (factors.astype(kind, copy=False)[:, None] * rows for rows in taken)
        return self._join(np.add.reduceat(rows, starts) for rows in taken)

    def _take(self, columns: np.ndarray, kind: type) -> Iterator[np.ndarray]:
        """These columns of the matrix, one limb after the other."""
        return (limb.take(columns, axis=0).astype(kind, copy=False) for limb in self.limbs)

    def _join(self, sums: Iterator[np.ndarray]) -> list[flint.fmpz]:
        total = next(sums).astype(np.int64).ravel().tolist()
        for lower in sums:
            added = lower.astype(np.int64).ravel().tolist()
            total = [(x << self.BITS) + y for x, y in zip(total, added, strict=True)]
        return [flint.fmpz(x) for x in total]


def _multiply(factors: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """factors @ rows, in pieces that BLAS does not share between threads: where another process keeps a core busy, they
    wait for each other longer than the product takes.
    """
    step = max(1, PIECE // max(rows.size, 1))
    return np.concatenate([factors[k : k + step] @ rows for k in range(0, len(factors), step)])


def _kind_of_sums(largest: float) -> type:
    """What holds sums of limbs, whatever their order, for factors that amount to so much."""
    return np.float64 if largest < FLOAT_LIMIT else np.int64


class Bend:
    """An activation on whole numbers. Slopes are fractions with powers of two below, so that the largest of these is
    a multiple of each.
    """

    def __init__(self, layer: Layer) -> None:
        slopes = [1.0] if layer.is_linear else layer.negative_slopes.tolist()
        ratios = [slope.as_integer_ratio() for slope in slopes]
        self.unit = max(denominator for _, denominator in ratios)
        self.factors = [numerator * (self.unit // denominator) for numerator, denominator in ratios]
        self.linear, self.is_relu = set(slopes) == {1.0}, set(slopes) == {0.0}

    def __call__(self, rows: list[list[flint.fmpz]], scale: flint.fmpz) -> tuple[list[list[flint.fmpz]], flint.fmpz]:
        if self.linear:
            return rows, scale
        if self.is_relu:
            return [[x if x > ZERO else ZERO for x in row] for row in rows], scale
        unit, factors = self.unit, self.factors
        bent = [[x * (unit if x > ZERO else factor) for x, factor in zip(row, factors, strict=True)] for row in rows]
        return bent, scale * unit


class Numbers:
    """A network's weights in whole numbers; holds no network, so that it can be forgotten."""

    def __init__(self, network: Network) -> None:
        first = network.layers[0]
        self.shift = max(find_shift(first.C), find_shift(first.A), find_shift(first.b))
        self.C, self.A = Columns(first.C, self.shift), Columns(first.A, self.shift)
        self.b = to_integers(first.b[None], self.shift).entries()
        self.layers: list[Weights | None] = [None] * (len(network.layers) + 1 + len(network.head))
        self.bends: dict[int, Bend] = {}
        self.surd_layers: dict[int, SurdWeights] = {}

    def layer(self, network: Network, number: int) -> Weights:
        """Weights of layer 1, 2, ...; past the last, of the readout, and then of the head."""
        found = self.layers[number]
        if found is None:
            one = _part(network, number)
            A = one.A if isinstance(one, Layer) and not one.is_dense else None
            found = self.layers[number] = Weights(one.C, A, one.b)
        return found

    def bend(self, network: Network, number: int) -> Bend:
        """The activation of a layer, of the network or of its head."""
        if number not in self.bends:
            layer = _part(network, number)
            assert isinstance(layer, Layer)
            self.bends[number] = Bend(layer)
        return self.bends[number]

    def surd_layer(self, network: Network, number: int) -> SurdWeights:
        """The same over the rationals, for networks that normalise by degrees."""
        if number not in self.surd_layers:
            one = _part(network, number)
            A = one.A if isinstance(one, Layer) else np.zeros_like(one.C)
            self.surd_layers[number] = surd_weights(one.C, A, one.b)
        return self.surd_layers[number]


def _part(network: Network, number: int) -> Layer | Readout:
    """Layers come first, then the readout, then the head."""
    readout = [] if network.readout is None else [network.readout]
    chain: list[Layer | Readout] = [*network.layers, *readout, *network.head]
    return chain[number]


numbers_of: NetworkMemo[Numbers] = NetworkMemo(Numbers)


def find_shift(values: np.ndarray) -> int:
    """A k >= 0 for which all values times 2**k are whole: not always the smallest, which takes longer to find."""
    bits = np.ascontiguousarray(values, dtype=np.float64).view(np.int64) & MAGNITUDE
    bits = bits[bits > 0]
    if bits.size == 0:
        return 0
    exponent = max(int(bits.min()) >> 52, 1)  # subnormal numbers count in the same unit as the smallest normal ones
    mantissas = int(np.bitwise_or.reduce(bits)) & (1 << 52) - 1 | 1 << 52
    zeros = (mantissas & -mantissas).bit_length() - 1
    return max(0, 1075 - exponent - zeros)


def _times_power(values: np.ndarray, exponent: int) -> np.ndarray:
    """values * 2**exponent; ldexp takes many times as long as a product, and rounds no less."""
    return values * 2.0**exponent if abs(exponent) <= LARGE_EXPONENT else np.ldexp(values, exponent)


def to_integers(matrix: np.ndarray, shift: int) -> Matrix:
    """matrix * 2**shift, which is whole."""
    rows, columns = matrix.shape
    if shift <= 62 and np.abs(matrix).max(initial=0.0) < 2.0 ** (62 - shift):
        return Matrix(rows, columns, _times_power(matrix, shift).astype(np.int64).ravel().tolist())
    mantissa, exponent = np.frexp(matrix)
    whole = (mantissa * 2.0**53).astype(np.int64).ravel().tolist()
    places = (exponent + (shift - 53)).ravel().tolist()
    return Matrix(rows, columns, [x << k if k >= 0 else x >> -k for x, k in zip(whole, places, strict=True)])
