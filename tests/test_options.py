"""The table of options resolves to values, and refuses what is not in it."""

from __future__ import annotations

import pytest

from edgeproof import InputError
from edgeproof.options import TABLE, resolve


def test_defaults_come_from_the_table() -> None:
    assert resolve(None) == {option.name: option.default for option in TABLE}
    assert len({option.name for option in TABLE}) == len(TABLE)


def test_unknown_names_and_wrong_types_are_refused() -> None:
    with pytest.raises(InputError, match="unknown option"):
        resolve({"nonsense": True})
    with pytest.raises(InputError, match="True or False"):
        resolve({TABLE[0].name: "yes"})
