"""A store as tables, queried with duckdb."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import InputError, StoreError
from .read import RESULTS, is_torn, read_answers, result_files

if TYPE_CHECKING:
    import duckdb

# docs/store.md describes them; nested ones are of type JSON
COLUMNS = {
    "format": "INTEGER", "key": "VARCHAR", "kind": "VARCHAR", "status": "VARCHAR", "network": "VARCHAR",
    "network_name": "VARCHAR", "graph": "VARCHAR", "graph_name": "VARCHAR", "graph_index": "INTEGER", "node": "BIGINT",
    "asked": "JSON", "label": "INTEGER", "target": "INTEGER", "true_label": "BIGINT", "budget": "HUGEINT",
    "local_budget": "HUGEINT", "threat": "JSON", "directed": "BOOLEAN", "engine": "VARCHAR", "options": "JSON",
    "limits": "JSON", "attack": "JSON", "features": "JSON", "values": "JSON", "injected": "JSON",
    "types": "JSON", "cost": "HUGEINT", "rival": "INTEGER", "lower": "BIGINT", "upper": "BIGINT", "exact": "BOOLEAN",
    "reason": "VARCHAR", "error": "JSON", "implied_by": "VARCHAR", "attempt": "INTEGER", "stats": "JSON",
    "versions": "JSON", "finished": "DOUBLE",
}  # fmt: skip

# the line that counts comes last in this order, as in read.Index
_ANSWERS = """
create view answers as
select * exclude (rank), case when regexp_matches(graph_name, '\\[[0-9]+\\]$')
    then regexp_replace(graph_name, '\\[[0-9]+\\]$', '') else graph_name end as dataset
from (
    select *, sum((stats->>'seconds')::double) over (partition by key, graph_index) as spent,
        row_number() over (
            partition by key, graph_index
            order by case status when 'vulnerable' then 2 when 'robust' then 1 else 0 end desc,
                case when status in ('robust', 'vulnerable') then 0
                    else coalesce((limits->>'timeout')::double, 'infinity'::double) end desc,
                case when status in ('robust', 'vulnerable') then 0
                    else coalesce((limits->>'node_limit')::double, 'infinity'::double) end desc,
                file desc, line desc
        ) as rank
    from lines
)
where rank = 1
"""


def connect(folder: str | PathLike[str]) -> duckdb.DuckDBPyConnection:
    """A connection with the views `lines` (all) and `answers` (one a key and graph number, with `spent`: the seconds
    of all its lines, and `dataset`: the name of the graph without its number).

    A third one, `skipped`, says which lines are no answers, and `why`; they are in none of the others.
    """
    try:
        import duckdb
    except ImportError:
        raise InputError("show: duckdb is not installed; pip install 'edgeproof[report]'") from None
    files = result_files(folder)
    if not files:
        raise StoreError(f"{folder}: expected a folder with the results of a sweep, found no {RESULTS}")
    skipped: list[str] = []
    whole = [_is_whole(path, skipped) for path in files]
    connection = duckdb.connect()
    connection.execute("create table skipped (why varchar)")
    if skipped:
        connection.executemany("insert into skipped values (?)", [[why] for why in skipped])
    if all(whole):
        connection.execute(f"create view lines as {_select(files)}")
    else:
        with TemporaryDirectory() as place:
            copies = [_copy_answers(path, Path(place)) for path in files]
            connection.execute(f"create table lines as {_select(copies)}")
            connection.execute("update lines set file = replace(file, ?, ?)", [place, str(files[0].parent)])
    connection.execute(_ANSWERS)
    return connection


def _is_whole(path: Path, skipped: list[str]) -> bool:
    """Every line of the file is an answer, the last one has its end; lines that are none are told."""
    before = len(skipped)
    for _ in read_answers(path, skipped.append):
        pass
    with path.open("rb") as file:
        return len(skipped) == before and not is_torn(file)


def _copy_answers(path: Path, folder: Path) -> Path:
    """Only what other readers read too: a last line without its end may look like one to duckdb."""
    with (folder / path.name).open("wb") as file:
        file.writelines(found.text for found in read_answers(path, skip=lambda why: None))
    return folder / path.name


def _select(files: Sequence[Path]) -> str:
    columns = ", ".join(f"{name}: '{kind}'" for name, kind in COLUMNS.items())
    listed = ", ".join("'" + str(path).replace("'", "''") + "'" for path in files)
    return (
        "select * exclude (filename) replace (coalesce(graph_index, 0) as graph_index, "
        "coalesce(network_name, '') as network_name, coalesce(graph_name, '') as graph_name), "
        "filename as file, row_number() over () as line "
        f"from read_json([{listed}], format='newline_delimited', ignore_errors=true, filename=true, "
        f"columns={{{columns}}}) where key is not null"
    )


class Row(NamedTuple):
    """The paper's columns. Times are over solved questions: mean, and geometric mean shifted by ten seconds."""

    network: str
    dataset: str
    engine: str
    options: str
    target: str
    threat: str
    budget: int | None
    local_budget: int | None
    questions: int
    solved: int
    robust: int
    vulnerable: int
    unknown: int
    errors: int
    implied: int
    mean: float | None
    shifted: float | None
    longest: float | None


_SUMMARY = """
with told as (
    select *, options::varchar as switches, coalesce(asked->>'target', 'all') as against, {flips} as flips,
        status in ('robust', 'vulnerable') as decided
    from answers where kind = 'verdict'
)
select network_name, dataset, engine, switches, against, flips, budget, local_budget, count(*),
    count(*) filter (decided), count(*) filter (status = 'robust'), count(*) filter (status = 'vulnerable'),
    count(*) filter (status = 'unknown'), count(*) filter (status = 'error'), count(*) filter (implied_by is not null),
    avg(spent) filter (decided), exp(avg(ln(spent + 10)) filter (decided)) - 10, max(spent) filter (decided)
from told
group by network, network_name, dataset, engine, switches, against, flips, budget, local_budget
order by network_name, dataset, engine, switches, against, flips, budget nulls last, local_budget nulls last
"""

_FLIPS = """
case when threat->>'fragile' is not null then 'a list'
    else concat_ws(' and ',
        case when (threat->>'delete')::boolean then 'deletions' end,
        case threat->>'insert' when 'true' then 'insertions' when 'target' then 'insertions into the node' end)
end
"""


def summary(connection: duckdb.DuckDBPyConnection) -> list[Row]:
    """Verdicts by network, dataset and budget."""
    return [Row(*row) for row in connection.execute(_SUMMARY.format(flips=_FLIPS)).fetchall()]


class Radii(NamedTuple):
    """by_radius: how many questions have each exact radius; robust: nothing within the cap breaks the claim."""

    network: str
    dataset: str
    engine: str
    cap: int | None
    questions: int
    unknown: int
    errors: int
    robust: int
    by_radius: dict[int, int]
    mean: float | None


def radii(connection: duckdb.DuckDBPyConnection) -> list[Radii]:
    """Radii by network, dataset and cap."""
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    rows = connection.execute(
        "select network_name, dataset, engine, budget, status, lower, count(*), sum(spent) from answers "
        "where kind = 'radius' group by all order by network_name, dataset, engine, budget nulls last, lower"
    ).fetchall()
    for *name, status, lower, count, seconds in rows:
        held = found.setdefault(tuple(name), {"count": {}, "radius": {}, "seconds": 0.0})
        held["count"][status] = held["count"].get(status, 0) + count
        if status == "vulnerable":
            held["radius"][lower] = held["radius"].get(lower, 0) + count
        if status in ("robust", "vulnerable"):
            held["seconds"] += seconds
    out = []
    for (network, dataset, engine, cap), held in found.items():
        count = held["count"]
        solved = count.get("robust", 0) + count.get("vulnerable", 0)
        out.append(
            Radii(
                network, dataset, engine, cap, sum(count.values()), count.get("unknown", 0), count.get("error", 0),
                count.get("robust", 0), held["radius"], held["seconds"] / solved if solved else None,
            )
        )  # fmt: skip
    return out


def common_errors(connection: duckdb.DuckDBPyConnection, most: int = 3) -> list[tuple[str, int]]:
    """What went wrong most often, and how often."""
    asked = """
        select error->>'message', count(*) from answers where status = 'error' group by all order by 2 desc, 1 limit ?
    """
    return [(str(message), int(count)) for message, count in connection.execute(asked, [most]).fetchall()]


def skipped(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """The lines that are no answers, and why."""
    return [str(why) for (why,) in connection.execute("select why from skipped").fetchall()]
