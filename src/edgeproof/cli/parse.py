"""Option values that are more than one word: pairs, local budgets, switches; `@file` reads them from a file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..engines.mip.settings import TABLE as MIP
from ..errors import InputError
from ..model.by_degree import ByDegree
from ..options import TABLE

Pair = tuple[int, int]


def parse_pairs(given: Iterable[str], field: str) -> list[Pair]:
    """`u,v`, or `@file` with one pair a line, as `u,v` or `u v`."""
    pairs = []
    for text in given:
        if text.startswith("@"):
            pairs += [_pair(line, f"{text[1:]}: {field}") for line in _lines(text[1:])]
        else:
            pairs.append(_pair(text, field))
    return pairs


def parse_budget(text: str | int | ByDegree | None, field: str = "budget") -> int | ByDegree | None:
    """A number, or a rule such as `degree+2` or `0.5*degree`."""
    if text is None or isinstance(text, int | ByDegree):
        return text
    rule = ByDegree.parse(text)
    if rule is not None:
        return rule
    try:
        return int(text)
    except ValueError:
        raise InputError(
            f"{field}: expected a number, or a rule such as degree+2 or 0.5*degree, got {text!r}"
        ) from None


def parse_local_budget(text: str | None) -> int | list[int] | ByDegree | None:
    """One number, a rule, or `@file` with one number a vertex."""
    if text is None:
        return None
    if not text.startswith("@"):
        return parse_budget(text, "local budget")
    words = [word for line in _lines(text[1:]) for word in line.split()]
    return [_whole(word, f"{text[1:]}: local budget") for word in words]


def parse_costs(given: Iterable[str]) -> dict[Pair, int]:
    """`u,v,cost`, or `@file` with one of them a line."""
    costs: dict[Pair, int] = {}
    for text in given:
        for line in _lines(text[1:]) if text.startswith("@") else [text]:
            words = line.replace(",", " ").split()
            if len(words) != 3:
                raise InputError(f"cost: expected a pair and its cost u,v,cost, got {line!r}")
            u, v, cost = (_whole(word, "cost") for word in words)
            costs[u, v] = cost
    return costs


def parse_numbers(given: str) -> str | list[int]:
    """Numbers and ranges such as `3,7,10-19`; other words are the names of masks."""
    if not given or not given[0].isdecimal():
        return given
    chosen: list[int] = []
    for part in given.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise InputError(f"nodes: expected numbers and ranges such as 3,7,10-19, got {given!r}")
        if dash and int(last) < int(first):
            raise InputError(f"nodes: expected ranges from the smaller number to the larger, got {part.strip()!r}")
        chosen += range(int(first), int(last) + 1) if dash else [int(first)]
    return chosen


def parse_options(given: Iterable[str], engine: str = "search") -> dict[str, object]:
    """`name=value` for names of the engine's table; on and off are the values of a switch of the search."""
    defaults: dict[str, Any] = {option.name: option.default for option in (MIP if engine == "mip" else TABLE)}
    chosen: dict[str, object] = {}
    for text in given:
        name, _, value = text.partition("=")
        if name not in defaults:
            raise InputError(f"option: unknown name {name!r}; there are {', '.join(defaults)}")
        kind = type(defaults[name])
        if kind is bool:
            if value not in ("on", "off"):
                raise InputError(f"option: expected {name}=on or {name}=off, got {text!r}")
            chosen[name] = value == "on"
            continue
        try:
            chosen[name] = kind(value)
        except ValueError:
            raise InputError(f"option: expected {name}= and a value of type {kind.__name__}, got {text!r}") from None
    return chosen


def _lines(name: str) -> list[str]:
    from ..convert.disk import read_text

    return [line for line in read_text(Path(name)).splitlines() if line.strip()]


def _pair(text: str, field: str) -> Pair:
    words = text.replace(",", " ").split()
    if len(words) != 2:
        raise InputError(f"{field}: expected two vertices u,v, got {text!r}")
    return _whole(words[0], field), _whole(words[1], field)


def _whole(text: str, field: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InputError(f"{field}: expected a whole number, got {text!r}") from None
