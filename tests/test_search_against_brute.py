"""The search agrees with brute force on random queries, whatever its options; `--campaign 20000` for the full size."""

from __future__ import annotations

import pytest

from differential import check

search = pytest.importorskip("edgeproof.search.engine")

PARTS = 20


@pytest.mark.campaign
@pytest.mark.parametrize("part", range(PARTS))
def test_verdict_and_radius_agree(part: int, request: pytest.FixtureRequest) -> None:
    count, seed = request.config.getoption("--campaign"), request.config.getoption("--campaign-seed")
    for index in range(part, count, PARTS):
        report = check(search, seed, index)
        if report is not None:
            pytest.fail(report, pytrace=False)
