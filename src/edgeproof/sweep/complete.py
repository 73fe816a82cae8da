"""What a stored line must hold to be read. What came later than the line, or does not apply, reads as null."""

from __future__ import annotations

import re
from typing import Any

NULL = type(None)
# a reader cannot do without these
NEEDED: dict[str, tuple[type, ...]] = {
    "key": (str,), "kind": (str,), "status": (str,), "network": (str,), "graph": (str,), "asked": (dict,),
    "threat": (dict,), "limits": (dict,),
}  # fmt: skip
# of other fields: their types, and what is read where they are missing
REST: dict[str, tuple[tuple[type, ...], Any]] = {
    **dict.fromkeys(("network_name", "graph_name", "engine"), ((str,), "")),
    "graph_index": ((int,), 0),
    **dict.fromkeys(
        ("node", "label", "target", "true_label", "budget", "local_budget", "rival", "lower", "upper", "attempt"),
        ((int, NULL), None),
    ),
    **dict.fromkeys(("directed", "exact"), ((bool, NULL), None)),
    **dict.fromkeys(("options", "stats"), ((dict,), {})),
    **dict.fromkeys(("error", "versions"), ((dict, NULL), None)),
    **dict.fromkeys(("reason", "implied_by"), ((str, NULL), None)),
    **dict.fromkeys(("attack", "features", "values", "injected", "types"), ((list, NULL), None)),
    "cost": ((int, NULL), None),
    "finished": ((int, float, NULL), None),
}
_NUMBER = (int, float, NULL)
# of a threat, only where it is used
BEYOND: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("budget_rule", "local_budget_rule"), (str, NULL)), "budget_share": (int, NULL),
    **dict.fromkeys(("cost", "features", "inject"), (dict, NULL)),
}  # fmt: skip


def complete(line: dict[str, Any]) -> dict[str, Any]:
    """The line with nulls for what it lacks. ValueError, which names the field, if it cannot be read as an answer."""
    for name, types in NEEDED.items():
        _require(name in line, name, "missing")
        _require(type(line[name]) in types, name, f"expected {types[0].__name__}, got {line[name]!r:.40}")
    whole = {**{name: default for name, (_, default) in REST.items()}, **line}
    for name, (types, _) in REST.items():
        _require(type(whole[name]) in types, name, f"got {whole[name]!r:.40}")
    key, kind = line["key"], line["kind"]
    _require(re.fullmatch("[0-9a-f]{32}", key) is not None, "key", f"expected 32 hex digits, got {key!r:.40}")
    _require(kind in ("verdict", "radius"), "kind", f"expected verdict or radius, got {kind!r:.40}")
    _require(line.get("node") is not None or "graph_index" in line, "graph_index", "missing")
    _require(0 <= whole["graph_index"] < 1 << 31, "graph_index", f"got {whole['graph_index']}")
    for name, field in (("limits", "timeout"), ("limits", "node_limit"), ("asked", "label"), ("asked", "target")):
        _require(field in line[name], name, f"{field} is missing")
    whole["limits"] = {"memory": None, **line["limits"]}
    limits, stats = whole["limits"], whole["stats"]
    for value in (limits["timeout"], limits["node_limit"], limits["memory"], stats.get("seconds"), stats.get("nodes")):
        _require(type(value) in _NUMBER, "limits and stats", f"expected numbers, got {value!r:.40}")
    _tells_flips(line["threat"])
    _fits_status(whole)
    return whole


def _tells_flips(threat: dict[str, Any]) -> None:
    """Which pairs are fragile: by kind, or a list by its length and hash."""
    for name, known in (("delete", (True, False, None)), ("insert", (True, False, None, "target"))):
        value = threat.get(name)
        _require(type(value) is not int and any(value == one for one in known), "threat", f"{name}: got {value!r:.40}")
    for name in ("fragile", "protected", "local_budgets"):
        listed = threat.get(name)
        told = listed is None or (type(listed) is dict and type(listed.get("count")) is int)
        _require(told, "threat", f"{name}: expected a count and a hash, got {listed!r:.40}")
    for name, types in BEYOND.items():
        _require(type(threat.get(name)) in types, "threat", f"{name}: got {threat.get(name)!r:.40}")
    features, inject = threat.get("features"), threat.get("inject")
    for name, part, numbers in (
        ("features", features, ("budget",) if (features or {}).get("flips") else ("epsilon",)),
        ("inject", inject, ("count", "edges")),
    ):
        told = part is None or all(type(part.get(one)) in _NUMBER for one in numbers)
        _require(told, "threat", f"{name}: got {part!r:.40}")


def _fits_status(line: dict[str, Any]) -> None:
    """What an answer of this status says must be there."""
    status, attack = line["status"], line["attack"]
    _require(
        status in ("robust", "vulnerable", "unknown", "error"), "status",
        f"expected robust, vulnerable, unknown or error, got {status!r:.40}",
    )  # fmt: skip
    error = line["error"]
    told = error is not None and all(type(error.get(field)) is str for field in ("type", "message"))
    _require(told or (error is None and status != "error"), "error", f"got {error!r:.40}")
    if status == "error":
        return
    _require(line["label"] is not None, "label", "missing")
    _require(line["kind"] == "verdict" or line["lower"] is not None, "lower", "missing")
    _require(attack is not None or status != "vulnerable", "attack", "missing")
    for field in ("attack", "features"):
        pairs = all(type(pair) is list and [type(one) for one in pair] == [int, int] for pair in line[field] or ())
        _require(pairs, field, "expected pairs [u, v]")
    for field, kinds in (("values", (int, float)), ("injected", (int,)), ("types", (int,))):
        _require(all(type(one) in kinds for one in line[field] or ()), field, "expected numbers")
    changed = line["values"] is None or len(line["values"]) == len(line["features"] or ())
    _require(changed, "values", "expected one for each of the features")


def _require(holds: bool, field: str, why: str) -> None:
    if not holds:
        raise ValueError(f"{field}: {why}")
