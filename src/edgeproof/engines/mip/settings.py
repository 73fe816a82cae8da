"""The settings of the MIP engine, in one table as those of the search are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...errors import InputError


@dataclass(frozen=True)
class Setting:
    name: str
    choices: tuple[str, ...]
    help: str

    @property
    def default(self) -> str:
        return self.choices[0]


TABLE: tuple[Setting, ...] = (
    Setting("solver", ("scip", "highs", "gurobi"), "who solves the program; gurobi needs a licence of your own"),
    Setting("bounds", ("static", "aggressive"), "boxes once, or again in every node of the solver's tree (scip)"),
)


@dataclass(frozen=True)
class Settings:
    solver: str
    bounds: str


def resolve(options: Mapping[str, Any] | None) -> Settings:
    """All settings with their values; unknown names and values are refused."""
    values = {one.name: one.default for one in TABLE}
    for name, value in (options or {}).items():
        known = next((one for one in TABLE if one.name == name), None)
        if known is None:
            raise InputError(f"options: the mip engine has no option {name!r}; it has {', '.join(sorted(values))}")
        if value not in known.choices:
            raise InputError(f"options: {name} is one of {', '.join(known.choices)}, got {value!r}")
        values[name] = value
    chosen = Settings(**values)
    if chosen.bounds == "aggressive" and chosen.solver != "scip":
        raise InputError(f"options: bounds 'aggressive' needs solver 'scip', got {chosen.solver!r}")
    return chosen
