"""The table of options resolves to values, and refuses what is not in it."""

from __future__ import annotations

import pytest

from edgeproof import InputError
from edgeproof.cli.parse import parse_options
from edgeproof.options import TABLE, TEST_SWITCHES, resolve


def test_defaults_come_from_the_table() -> None:
    every = (*TABLE, *TEST_SWITCHES)
    assert resolve(None) == {option.name: option.default for option in every}
    assert len({option.name for option in every}) == len(every)


def test_switches_for_tests_are_no_option_of_the_command_line() -> None:
    for switch in TEST_SWITCHES:
        assert resolve({switch.name: True})[switch.name]
        with pytest.raises(InputError, match="unknown name"):
            parse_options([f"{switch.name}=on"])
    with pytest.raises(InputError) as told:
        resolve({"nonsense": True})
    assert "at_once" not in str(told.value)


def test_unknown_names_and_wrong_types_are_refused() -> None:
    with pytest.raises(InputError, match="unknown option"):
        resolve({"nonsense": True})
    with pytest.raises(InputError, match="True or False"):
        resolve({TABLE[0].name: "yes"})
