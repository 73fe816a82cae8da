"""Options of the test run."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("edgeproof")
    group.addoption("--campaign", type=int, default=2000, metavar="N", help="random queries to compare engines on")
    group.addoption("--campaign-seed", type=int, default=1, metavar="SEED", help="seed of these queries")


def pytest_report_header(config: pytest.Config) -> str:
    return f"random queries: {config.getoption('--campaign')}, seed {config.getoption('--campaign-seed')}"
