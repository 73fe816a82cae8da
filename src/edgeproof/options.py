"""Every option of the search in one table: command line, API, documentation and fuzzer read it from here.

An option that works only under another one carries its name as a prefix.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from .errors import InputError


@dataclass(frozen=True)
class Option:
    """`paper`: the paper describes it, or (fold, exclude_rivals) only its bookkeeping differs; the rest goes beyond."""

    name: str
    default: bool
    help: str
    paper: bool = False


TABLE: tuple[Option, ...] = (
    Option("incremental", True, "update only what a decision changed, undo it on return", paper=True),
    Option("reorder", True, "multiply by A before aggregating (sum, mean): tighter boxes, cached products", paper=True),
    Option("budget_boxes", True, "let a vertex spend no more than its budget in its box", paper=True),
    Option(
        "nearest_first", True, "where no line prefers a pair: decide those near the node in question first", paper=True
    ),
    Option("flip_first", True, "explore the flipped branch before the unflipped one", paper=True),
    Option("inference", True, "keep the undecided pairs of a vertex whose local budget is spent", paper=True),
    Option("reach", True, "skip vertices and layers that cannot reach the node in question", paper=True),
    Option("incremental_stop", True, "stop propagating where values did not change", paper=True),
    Option("reorder_cache", True, "keep A h of every vertex and layer instead of multiplying again", paper=True),
    Option("fold", True, "bound the score difference as one number in the last layer", paper=True),
    Option("lines", True, "backward linear bounds in the flips, which share one budget; decide the largest gain first"),
    Option("lines_tighten", True, "tighten the boxes of hidden neurons by lines"),
    Option("lines_nested", True, "node tasks, with lines_tighten: bound by lines, too, what neighbours send"),
    Option("last_flip", True, "with one flip left, evaluate the pairs in doubt instead of branching"),
    Option("carriers", True, "bound a max over 0/1 features by the neighbours that have each of them"),
    Option("exclude_rivals", True, "a rival that a bound has excluded stays excluded in the subtree", paper=True),
    Option("attacks", True, "look for attacks (greedy, beam search, local search) while the search goes on"),
    Option("interplay", True, "graph tasks with insertions: screen flips by what two of them do together"),
    Option(
        "interplay_symmetries",
        True,
        "orbital fixing: of flips that a symmetry of the graph maps to each other, try one",
    ),
    Option(
        "interplay_orbits", True, "with symmetries, where most vertices look alike: evaluate one graph of each kind"
    ),
    Option("interplay_forks", True, "under means: take two flips at one vertex as one step"),
    Option("by_size", True, "node tasks, insertions on large graphs: rule out sizes of attacks in turn, list no pairs"),
    Option("charges", True, "node tasks, deletions, much to look at: bound what each deletion costs, without a tree"),
    Option("few_graphs", True, "node tasks, deletions: few graphs are evaluated one by one, and likely attacks, first"),
    Option("radius_from_below", True, "radius: prove budgets from below too; off: the paper's way, from above only"),
)

# Switches for tests: a search takes a step from its first node on that otherwise waits until a query proves hard.
TEST_SWITCHES: tuple[Option, ...] = (
    Option("tighten_at_once", False, "lines_tighten"),
    Option("interplay_at_once", False, "interplay, in any task"),
    Option("orbits_at_once", False, "interplay_orbits"),
    Option("forks_at_once", False, "interplay_forks"),
    Option("by_size_at_once", False, "by_size, on small graphs too"),
    Option("charges_at_once", False, "charges, however little there is to look at"),
    Option("few_graphs_at_once", False, "few_graphs, on small graphs too"),
    Option("enumerate_at_once", False, "evaluate all graphs below the root instead of splitting"),
    Option("attack_at_once", False, "attacks, before the first search node"),
)


# the search as the paper has it: what it describes is on, everything beyond it is off
PAPER: Mapping[str, bool] = MappingProxyType({option.name: option.paper for option in TABLE})


_DEFAULTS = {option.name: option.default for option in (*TABLE, *TEST_SWITCHES)}


def resolve(options: Mapping[str, Any] | None) -> dict[str, bool]:
    """All options with their values; unknown names and wrong types are refused."""
    values = dict(_DEFAULTS)
    for name, value in (options or {}).items():
        if name not in values:
            known = ", ".join(sorted(option.name for option in TABLE))
            raise InputError(f"options: unknown option {name!r}; there are {known}")
        if not isinstance(value, bool):
            raise InputError(f"options: {name} is True or False, got {value!r}")
        values[name] = value
    return values
