"""Numbers with square roots: arithmetic, zero and sign, also where floats cannot tell."""

from __future__ import annotations

from decimal import Decimal, localcontext

import flint
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeproof.arithmetic.surds import Column, Surd, largest, square_free

DIGITS = 120
terms = st.dictionaries(st.sampled_from([1, 2, 3, 5, 6, 7, 10, 30]), st.integers(-50, 50), max_size=5)


def surd(**roots: int) -> Surd:
    """surd(r1=3, r2=-2) = 3 - 2 sqrt(2)."""
    return Surd({int(name[1:]): flint.fmpq(coefficient) for name, coefficient in roots.items()})


def decimal(value: Surd) -> Decimal:
    with localcontext() as context:
        context.prec = DIGITS
        return sum(
            (Decimal(int(c.p)) / Decimal(int(c.q)) * Decimal(q).sqrt() for q, c in value.parts.items()), Decimal(0)
        )


def column(*entries: Surd) -> Column:
    return Column.from_entries(list(entries))


@pytest.mark.parametrize(("number", "expected"), [(1, (1, 1)), (2, (1, 2)), (12, (2, 3)), (49, (7, 1)), (360, (6, 10))])
def test_square_parts_are_taken_out(number: int, expected: tuple[int, int]) -> None:
    assert square_free(number) == expected


@given(terms, terms)
def test_order_is_that_of_the_numbers(left: dict[int, int], right: dict[int, int]) -> None:
    a, b = (Surd({q: flint.fmpq(x, 7) for q, x in one.items()}) for one in (left, right))
    expected = decimal(a) - decimal(b)
    assert (a == b) == (abs(expected) < Decimal(10) ** -60)
    assert (a < b) == (expected < -(Decimal(10) ** -60))


def test_signs_that_floats_cannot_tell() -> None:
    """p / q with p^2 - 2 q^2 = 1 or -1: convergents of sqrt(2), as close as one likes."""
    p, q = 1, 1
    for step in range(400):
        p, q = p + 2 * q, p + q
        above = step % 2 == 0  # p / q > sqrt(2)
        assert surd(r1=p, r2=-q).sign() == (1 if above else -1)
        assert (surd(r1=p) > surd(r2=q)) == above
    assert surd(r1=p, r2=-q).sign() != 0
    assert (surd(r2=q) - surd(r2=q)).sign() == 0


def test_comparisons_with_rationals() -> None:
    assert surd(r1=3) == 3
    assert surd(r2=2) > flint.fmpq(28, 10)
    assert surd(r2=2) < 3
    assert Surd({}) == 0
    assert not Surd({2: flint.fmpq(0)}).parts


@given(st.lists(terms, min_size=1, max_size=3), st.integers(1, 60))
def test_columns_divided_by_a_root(entries: list[dict[int, int]], number: int) -> None:
    given_entries = [Surd({q: flint.fmpq(x) for q, x in one.items()}) for one in entries]
    divided = column(*given_entries).over_root(number).entries()
    with localcontext() as context:
        context.prec = DIGITS
        for before, after in zip(given_entries, divided, strict=True):
            assert abs(decimal(before) / Decimal(number).sqrt() - decimal(after)) < Decimal(10) ** -100


def test_dividing_twice_by_a_root_divides() -> None:
    entries = [surd(r1=6, r3=-4), surd(r6=1)]
    for number in range(1, 40):
        twice = column(*entries).over_root(number).over_root(number)
        assert twice.entries() == [one * flint.fmpq(1, number) for one in entries]


def test_columns_add_multiply_and_compare() -> None:
    one, two = column(surd(r2=1), surd(r1=1)), column(surd(r2=-1), surd(r3=1))
    assert (one + two).entries() == [Surd({}), surd(r1=1, r3=1)]
    assert (flint.fmpq_mat(1, 2, [2, 3]) * one).entries() == [surd(r2=2, r1=3)]
    assert (one * flint.fmpq(1, 2)).entries() == [Surd({2: flint.fmpq(1, 2)}), Surd({1: flint.fmpq(1, 2)})]
    assert largest([one, two]).entries() == [surd(r2=1), surd(r3=1)]
    assert column(Surd({})).entries() == [Surd({})]
