"""Options of the test run, and kernels that are compiled once for all its processes."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("edgeproof")
    group.addoption("--campaign", type=int, default=3000, metavar="N", help="random queries to compare engines on")
    group.addoption("--campaign-seed", type=int, default=1, metavar="SEED", help="seed of these queries")


def pytest_report_header(config: pytest.Config) -> str:
    return f"random queries: {config.getoption('--campaign')}, seed {config.getoption('--campaign-seed')}"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(config: pytest.Config) -> None:
    """Before the processes of `-n` start: each of them would compile every kernel for itself."""
    from edgeproof.search.warm_up import is_compiled, load_on_demand, warm_up

    if not is_compiled():  # what warm_up says is captured
        config.get_terminal_writer().line("compiling kernels, once (about a minute)")
    warm_up()
    load_on_demand()
