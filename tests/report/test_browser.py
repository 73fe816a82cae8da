"""The page as a person meets it, in headless Chromium."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

import sweep_cases
from browser import needs_chromium, visit
from edgeproof import Graph, Plan, Threat, verify_many
from edgeproof.report.gather import gather
from edgeproof.report.write import write_report
from edgeproof.sweep.read import read_best

pytestmark = needs_chromium
EVIL = '<script>document.title="broken"</script>&"'


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A store with verdicts and radii, and its page."""
    folder = tmp_path_factory.mktemp("swept")
    plain = sweep_cases.graph(30)
    graph = Graph(
        [plain.sources, plain.targets], plain.features, directed=True, labels=plain.labels, name=f"graph {EVIL}"
    )
    network = dataclasses.replace(sweep_cases.network(), name=f"network {EVIL}")
    for plan in (sweep_cases.plan(), Plan([Threat(2, insert=True)], radius=True, nodes=range(8))):
        for _ in verify_many(network, graph, plan, workers=0, store=folder / "store"):
            pass
    page = folder / "page.html"
    write_report(folder / "store", page, graphs={graph.fingerprint: graph})
    return folder / "store", page


def test_the_numbers_on_the_page_are_those_of_the_store(swept: tuple[Path, Path], tmp_path: Path) -> None:
    store, page = swept
    lines = list(read_best(store))
    seen = visit(
        page,
        """
        for (const tile of $$("[data-count]")) seen[tile.dataset.count] = tile.textContent;
        seen.matches = $("#matches").textContent;
        seen.title = document.title;
        """,
        tmp_path,
    )
    assert int(seen["questions"]) == len(lines)
    for status in ("robust", "vulnerable"):
        assert int(seen[status]) == sum(line["status"] == status for line in lines) > 0
    assert int(seen["followed from others"]) == sum(line["implied_by"] is not None for line in lines) > 0
    assert seen["matches"] == f"{len(lines)} of {len(lines)} questions"
    assert seen["title"] == "Edgeproof: store"


def test_markup_in_names_stays_text(swept: tuple[Path, Path], tmp_path: Path) -> None:
    seen = visit(
        swept[1],
        """
        seen.heading = $("h2").textContent;
        $(".line-of-table").click();
        await until(() => $("dialog[open] h2"));
        seen.one = $("dialog h2").textContent;
        seen.scripts = $$("script").length;
        """,
        tmp_path,
    )
    assert seen["heading"] == f"network {EVIL} on graph {EVIL}"
    assert seen["one"].startswith(f"graph {EVIL}, node ")
    assert seen["scripts"] == 4  # data, the page's own, and two of the test


def test_the_table_sorts_and_filters(swept: tuple[Path, Path], tmp_path: Path) -> None:
    lines = list(read_best(swept[0]))
    seen = visit(
        swept[1],
        """
        const head = (name) => $$("[role=columnheader]").find((one) => one.textContent.startsWith(name));
        const column = (name) => {
          const at = [...head(name).parentNode.children].indexOf(head(name));
          return $$(".line-of-table").map((row) => row.children[at].textContent);
        };
        head("node").firstChild.click();
        seen.up = column("node");
        head("node").firstChild.click();
        seen.down = column("node");
        seen.sorted = head("node").getAttribute("aria-sort");
        const status = $("select[name=status]");
        status.value = [...status.options].find((one) => one.textContent === "vulnerable").value;
        status.dispatchEvent(new Event("input", { bubbles: true }));
        seen.statuses = [...new Set(column("status"))];
        seen.matches = $("#matches").textContent;
        $("input[type=search]").value = "no-such-word";
        $("input[type=search]").dispatchEvent(new Event("input", { bubbles: true }));
        seen.none = $$(".line-of-table").length;
        """,
        tmp_path,
    )
    nodes = sorted(line["node"] for line in lines)
    assert [int(text) for text in seen["up"]] == nodes[: len(seen["up"])]
    assert [int(text) for text in seen["down"]] == nodes[::-1][: len(seen["down"])]
    assert len(seen["up"]) > 10
    assert seen["sorted"] == "descending"
    assert seen["statuses"] == ["vulnerable"]
    broken = sum(line["status"] == "vulnerable" for line in lines)
    assert seen["matches"] == f"{broken} of {len(lines)} questions"
    assert seen["none"] == 0


def test_a_click_and_the_enter_key_open_the_attack_with_its_edges_drawn(
    swept: tuple[Path, Path], tmp_path: Path
) -> None:
    rows = gather(swept[0]).rows
    at = next(k for k, row in enumerate(rows) if row.attack and len(row.attack) > 1)
    seen = visit(
        swept[1],
        f"""
        const press = (key) => $("#scroll").dispatchEvent(new KeyboardEvent("keydown", {{ key, bubbles: true }}));
        $("#scroll").focus();
        for (let k = 0; k < {at}; k++) press("ArrowDown");
        seen.selected = $("[aria-selected=true]").id;
        press("Enter");
        await until(() => $("dialog[open] svg"));
        const pairs = (kind) => $$(`#picture [data-pair].ep-${{kind}}`).map((edge) => edge.dataset.pair);
        seen.flips = [...pairs("deleted"), ...pairs("inserted")];
        seen.target = $(".ep-target").parentNode.dataset.vertex;
        seen.told = $("figcaption p + *, dialog figcaption p").textContent;
        seen.dashed = pairs("deleted").length ? getComputedStyle($("#picture .ep-deleted")).strokeDasharray : null;
        seen.focus = document.activeElement.textContent;
        $("dialog button").click();
        await until(() => !$("dialog[open]"));
        $(`#row-{at}`).click();
        await until(() => $("dialog[open] svg"));
        """,
        tmp_path,
    )
    row = rows[at]
    assert row.attack is not None
    assert seen["selected"] == f"row-{at}"
    assert sorted(seen["flips"]) == sorted(f"{u},{v}" for u, v in row.attack)
    assert int(seen["target"]) == row.node
    assert seen["focus"] == "Close"
    assert seen["dashed"] in (None, "7px, 5px")


def test_ten_thousand_rows_keep_few_in_the_document(swept: tuple[Path, Path], tmp_path: Path) -> None:
    (source,) = swept[0].glob("results*.jsonl")
    texts = source.read_text().splitlines()
    (tmp_path / "many").mkdir()
    with (tmp_path / "many" / "results.jsonl").open("w") as out:
        for number in range(10_000):
            text = texts[number % len(texts)]
            key = text.split('"key":"')[1][:32]
            out.write(text.replace(key, f"{number:032x}") + "\n")
    write_report(tmp_path / "many", tmp_path / "many.html")
    seen = visit(
        tmp_path / "many.html",
        """
        seen.matches = $("#matches").textContent;
        $("#scroll").scrollTop = 32 * 9000;
        await until(() => $("#row-9003"));
        seen.rows = $$(".line-of-table").length;
        $$("[role=columnheader] button")[0].click();
        seen.sorted = $$(".line-of-table").length;
        seen.wide = document.documentElement.scrollWidth;
        """,
        tmp_path,
        window="500,800",
    )
    assert seen["matches"] == "10,000 of 10,000 questions"
    assert seen["rows"] < 60
    assert 0 < seen["sorted"] < 60
    assert seen["wide"] <= 500  # nothing sticks out on a phone


def test_an_empty_store_says_so(tmp_path: Path) -> None:
    (tmp_path / "results.jsonl").touch()
    write_report(tmp_path, tmp_path / "empty.html")
    seen = visit(
        tmp_path / "empty.html",
        'seen.told = $(".warning").textContent; seen.tables = $$("#scroll, table, figure").length;',
        tmp_path,
    )
    assert seen == {"told": "The store holds no answers yet: let the sweep run, and make this page again.", "tables": 0}


def test_on_paper_every_row_is_there_and_no_cell_is_cut(swept: tuple[Path, Path], tmp_path: Path) -> None:
    text = swept[1].read_text(encoding="utf-8").replace("@media print", "@media all")
    (tmp_path / "paper.html").write_text(text, encoding="utf-8")
    seen = visit(
        tmp_path / "paper.html",
        """
        dispatchEvent(new Event("beforeprint"));
        seen.rows = $$(".line-of-table").length;
        seen.cut = $$(".row > *").filter((cell) => cell.scrollWidth > cell.clientWidth + 1).length;
        seen.ink = getComputedStyle(document.documentElement).getPropertyValue("--c0").trim();
        """,
        tmp_path,
    )
    assert seen["rows"] == len(gather(swept[0]).rows)
    assert seen["cut"] == 0
    assert seen["ink"] == "#1c2330"  # also where the screen is dark
