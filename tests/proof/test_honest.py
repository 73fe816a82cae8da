"""What the search proves the checker accepts; what made it refuse or die once, each with its cause."""

from __future__ import annotations

import pytest

import honest

PARTS = 4


@pytest.mark.campaign
@pytest.mark.parametrize("part", range(PARTS))
def test_every_verdict_is_certified(part: int, request: pytest.FixtureRequest) -> None:
    """Of the default campaign 400 certifications; `--campaign 150000` makes 20,000."""
    count, seed = request.config.getoption("--campaign") * 2 // 15, request.config.getoption("--campaign-seed")
    for index in range(part, count, PARTS):
        problem = honest.rejected(seed, index)
        assert problem is None, problem


@pytest.mark.parametrize(
    ("seed", "index"),
    [
        (1, 1518),  # a source outside what is active
        (1, 1391),  # a max readout whose lower line lay elsewhere than the search's
        (1, 1567),
        (2, 2166),  # a tie of a max, broken by the order of slots
        (2, 5418),
        (2, 8922),
        (1, 3565),  # a bound that misses 0 by rounding
        (1, 1227),  # lines of the search with `carriers` off
        (2, 7346),  # with `narrow` off
        (3, 2903),  # a box under boxes that such lines tightened
        (4, 1487),  # a tie of a max that rounding breaks, here and in the search
    ],
)
def test_what_was_refused_once_is_certified(seed: int, index: int) -> None:
    assert honest.rejected(seed, index) is None
