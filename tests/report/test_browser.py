"""The page as a person meets it, in headless Chromium."""

from __future__ import annotations

import csv
import dataclasses
import json
from pathlib import Path

import pytest

import hubs
import sweep_cases
from browser import needs_chromium, visit
from edgeproof import Graph, Plan, Threat, verify_many
from edgeproof.report.curves import curves, intervals, state_at
from edgeproof.report.gather import gather
from edgeproof.report.overview import first_level, sentence
from edgeproof.report.terms import TERMS
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
    write_report(
        folder / "store", page, graphs={graph.fingerprint: graph}, networks={network.fingerprint: network}
    )  # fmt: skip
    return folder / "store", page


def test_the_numbers_on_the_page_are_those_of_the_store(swept: tuple[Path, Path], tmp_path: Path) -> None:
    store, page = swept
    lines = list(read_best(store))
    seen = visit(
        page,
        """
        for (const one of $$("[data-count]")) seen[one.dataset.count] = one.textContent;
        seen.matches = $("#matches").textContent;
        seen.title = document.title;
        """,
        tmp_path,
    )
    assert int(seen["questions"]) == len(lines)
    for status in ("robust", "vulnerable"):
        assert int(seen[status]) == sum(line["status"] == status for line in lines) > 0
    assert int(seen["followed from others"]) == sum(line["implied_by"] is not None for line in lines) > 0
    subjects = {(line["node"], str(line["threat"]), line["local_budget"]) for line in lines}
    assert seen["matches"] == f"{len(subjects)} of {len(subjects)} rows"
    assert seen["title"] == "Edgeproof: store"


def test_the_selector_tells_each_question_at_each_budget(swept: tuple[Path, Path], tmp_path: Path) -> None:
    seen = visit(
        swept[1],
        """
        seen.first = $("#sentence").textContent;
        seen.told = [];
        const choose = (select, value) => {
          select.value = value;
          select.dispatchEvent(new Event("input", { bubbles: true }));
        };
        for (const option of $$("#setting option")) {
          choose($("#setting"), option.value);
          for (const input of $$("#budgets input")) {
            input.click();
            const numbers = $$("[data-level]").map((one) => Number(one.textContent));
            const budget = input.nextSibling.textContent;
            seen.told.push([Number(option.value), budget, $("#sentence").textContent, ...numbers]);
          }
        }
        """,
        tmp_path,
    )
    found = curves(gather(swept[0]).rows)
    wanted = [
        [at, str(level.budget), sentence(curve, level), level.proved, level.broken, level.undecided, level.right]
        for at, curve in enumerate(found)
        for level in curve.levels
    ]
    assert len(wanted) > 6
    assert seen["told"] == wanted
    assert seen["first"] == sentence(found[0], found[0].levels[first_level(found[0])])


def test_markup_in_names_stays_text(swept: tuple[Path, Path], tmp_path: Path) -> None:
    seen = visit(
        swept[1],
        """
        seen.heading = $("main > section:not([id]) h2").textContent;
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


HEADS = """
const head = (name) => $$("[role=columnheader]").find((one) => one.textContent.startsWith(name));
const column = (name) => {
  const at = [...head(name).parentNode.children].indexOf(head(name));
  return $$(".line-of-table").map((row) => row.children[at].textContent);
};
const type = (text) => {
  $("input[type=search]").value = text;
  $("input[type=search]").dispatchEvent(new Event("input", { bubbles: true }));
};
"""


def test_the_table_sorts_and_filters(swept: tuple[Path, Path], tmp_path: Path) -> None:
    rows = gather(swept[0]).rows
    seen = visit(
        swept[1],
        HEADS
        + """
        head("node").firstChild.click();
        seen.up = column("node");
        head("node").firstChild.click();
        seen.down = column("node");
        seen.sorted = head("node").getAttribute("aria-sort");
        const verdict = $("select[name=verdict]");
        verdict.value = [...verdict.options].find((one) => one.textContent === "broken").value;
        verdict.dispatchEvent(new Event("input", { bubbles: true }));
        seen.matches = $("#matches").textContent;
        verdict.value = "";
        type("no-such-word");
        seen.none = $$(".line-of-table").length;
        type("7");
        seen.seven = [...new Set(column("node"))];
        """,
        tmp_path,
    )
    by_setting = {curve.setting: curve for curve in curves(rows)}
    nodes = sorted({(row.node or 0, at) for row in rows for at in [list(by_setting).index(row.setting)]})
    assert [int(text) for text in seen["up"]] == [node for node, _ in nodes][: len(seen["up"])]
    assert [int(text) for text in seen["down"]] == [node for node, _ in nodes][::-1][: len(seen["down"])]
    assert len(seen["up"]) > 10
    assert seen["sorted"] == "descending"
    broken = sum(
        state_at(known, 1) == "broken"
        for setting in by_setting
        for known in intervals([row for row in rows if row.setting == setting]).values()
    )
    assert seen["matches"] == f"{broken} of {len(nodes)} rows"
    assert broken > 0
    assert seen["none"] == 0
    assert seen["seven"] == ["7"]


def test_a_link_opens_its_node_and_the_next_one_follows(swept: tuple[Path, Path], tmp_path: Path) -> None:
    seen = visit(
        swept[1],
        """
        location.hash = "#node=7";
        await until(() => $("dialog[open] h2"));
        seen.first = $("dialog h2").textContent;
        $("#next").click();
        await until(() => location.hash !== "#node=7" && $("dialog h2").textContent);
        seen.next = location.hash;
        $("#previous").click();
        await until(() => location.hash !== seen.next);
        seen.back = location.hash;
        $(".steps button:last-child").click();
        await until(() => !$("dialog[open]"));
        await until(() => location.hash === "");
        """,
        tmp_path,
    )
    assert seen["first"].endswith(", node 7")
    assert seen["next"] != seen["back"]
    assert seen["back"].startswith("#node=7")


def test_a_pair_leads_to_the_nodes_that_it_breaks(swept: tuple[Path, Path], tmp_path: Path) -> None:
    top = gather(swept[0]).most_flipped(1)[0]
    seen = visit(
        swept[1],
        HEADS
        + """
        const links = $(".fragile tbody tr td.links");
        seen.nodes = [...links.querySelectorAll("a")].map((one) => Number(one.textContent));
        $("[data-pair-link]").click();
        await until(() => $("input[type=search]").value !== "");
        seen.listed = [...new Set(column("node").map(Number))].sort((a, b) => a - b);
        links.querySelector("a").click();
        await until(() => $("dialog[open] h2"));
        seen.one = $("dialog h2").textContent;
        """,
        tmp_path,
    )
    assert seen["nodes"] == list(top.nodes)
    assert seen["listed"] == list(top.nodes)
    assert seen["one"].endswith(f", node {top.nodes[0]}")


def test_the_csv_holds_what_the_filters_leave(swept: tuple[Path, Path], tmp_path: Path) -> None:
    rows = gather(swept[0]).rows
    seen = visit(
        swept[1],
        HEADS
        + """
        let saved = null;
        URL.createObjectURL = (blob) => { saved = blob; return "#"; };
        type("5");
        $("#csv").click();
        seen.text = await saved.text();
        """,
        tmp_path,
    )
    table = list(csv.DictReader(seen["text"].splitlines()))
    five = [row for row in rows if row.node == 5]
    assert len(table) == len({row.setting for row in five})
    assert {line["network"] for line in table} == {five[0].setting.title}
    for row in five:
        if row.kind == "verdict":
            (line,) = [one for one in table if one["threat"] == row.setting.terms]
            assert line[f"budget {row.budget}"] == row.status


def test_a_click_and_the_enter_key_open_the_attack_with_its_edges_drawn(
    swept: tuple[Path, Path], tmp_path: Path
) -> None:
    rows = [row for row in gather(swept[0]).rows if row.attack and len(row.attack) > 1]
    row = next(one for one in rows if one.kind == "radius")
    seen = visit(
        swept[1],
        HEADS
        + f"""
        const press = (key) => $("#scroll").dispatchEvent(new KeyboardEvent("keydown", {{ key, bubbles: true }}));
        type("{row.node}");
        const at = column("threat").indexOf("{row.setting.terms}");
        $("#scroll").focus();
        for (let k = 0; k < at; k++) press("ArrowDown");
        seen.selected = $("[aria-selected=true]").id === `row-${{at}}`;
        press("Enter");
        await until(() => $("dialog[open] svg"));
        const pairs = (kind) => $$(`#picture [data-pair].ep-${{kind}}`).map((edge) => edge.dataset.pair);
        seen.flips = [...pairs("deleted"), ...pairs("inserted")];
        seen.target = $(".ep-target").parentNode.dataset.vertex;
        seen.dashed = pairs("deleted").length ? getComputedStyle($("#picture .ep-deleted")).strokeDasharray : null;
        seen.bars = $$("#picture .ep-scores [data-class]").length;
        seen.focus = document.activeElement.textContent;
        $(".steps button:last-child").click();
        await until(() => !$("dialog[open]"));
        $(`#row-${{at}}`).click();
        await until(() => $("dialog[open] svg"));
        """,
        tmp_path,
    )
    assert row.attack is not None
    assert seen["selected"]
    assert sorted(seen["flips"]) == sorted(f"{u},{v}" for u, v in row.attack)
    assert int(seen["target"]) == row.node
    assert seen["focus"] == "Close"
    assert seen["dashed"] in (None, "7px, 5px")
    assert seen["bars"] == 3


def test_a_hub_is_drawn_in_groups_with_their_counts(tmp_path: Path) -> None:
    hub, network = hubs.graph(), hubs.network()
    for answer in verify_many(network, hub, Plan([Threat()], nodes=[0], radius=True), workers=0, store=tmp_path / "h"):
        assert answer.lower == hubs.RADIUS
    write_report(
        tmp_path / "h", tmp_path / "hub.html", graphs={hub.fingerprint: hub}, names=("red", "green"),
        networks={network.fingerprint: network},
    )  # fmt: skip
    seen = visit(
        tmp_path / "hub.html",
        """
        location.hash = "#node=0";
        await until(() => $("dialog[open] svg"));
        seen.groups = $$("#picture [data-group]").map((one) => [one.dataset.group, Number(one.dataset.count)]);
        seen.words = $$("#picture [data-group] text:last-child").map((one) => one.textContent);
        """,
        tmp_path,
    )
    assert all(kind == "deleted" for kind, _ in seen["groups"])
    assert sum(number for _, number in seen["groups"]) == hubs.RADIUS + 1
    assert all(" edges to " in one for one in seen["words"])


def test_words_and_charts_explain_themselves_where_one_points(swept: tuple[Path, Path], tmp_path: Path) -> None:
    seen = visit(
        swept[1],
        """
        const point = (element) => element.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
        point($("#overview .term"));
        seen.word = $("#tip").textContent;
        point($(".chart .tip"));
        seen.chart = $("#tip").textContent;
        point(document.body);
        seen.hidden = $("#tip").hidden;
        """,
        tmp_path,
    )
    assert seen["word"] == TERMS["budget"]
    assert seen["chart"].startswith("budget 0: proved 100.0%")
    assert seen["hidden"]


def test_two_sweeps_are_compared_at_each_budget(tmp_path: Path) -> None:
    graph, folders = sweep_cases.graph(30), (tmp_path / "one", tmp_path / "two")
    for folder, seed in zip(folders, (0, 5), strict=True):
        plan = Plan([Threat(1), Threat(2)])
        for _ in verify_many(sweep_cases.network(seed), graph, plan, workers=0, store=folder):
            pass
    write_report(folders[0], tmp_path / "both.html", second=folders[1], graphs={graph.fingerprint: graph})
    seen = visit(
        tmp_path / "both.html",
        """
        seen.at = {};
        for (const input of $$("#budgets input")) {
          input.click();
          const cells = Object.fromEntries(
            $$("#cross button").map((one) => [one.dataset.cell, Number(one.textContent)]));
          const nodes = $$("#differ tr").slice(1).map((row) => Number(row.firstChild.textContent));
          seen.at[input.nextSibling.textContent] = { cells, nodes, told: $("#compared").textContent };
        }
        $("[data-cell='proved,proved']").click();
        seen.both = $("#differ-title").textContent;
        $("#differ a").click();
        await until(() => $("dialog[open] h2"));
        seen.also = $("#also").textContent;
        """,
        tmp_path,
    )
    found = [list(intervals(gather(folder).rows).items()) for folder in folders]
    for budget in (1, 2):
        states = [[(subject.node, state_at(known, budget)) for subject, known in one] for one in found]
        pairs = {node: (first, dict(states[1])[node]) for node, first in states[0]}
        at = seen["at"][str(budget)]
        assert at["nodes"] == [node for node, (a, b) in pairs.items() if a != b] != []
        for cell, number in at["cells"].items():
            assert number == sum(",".join(both) == cell for both in pairs.values())
        assert f"the verdict differs on {len(at['nodes'])}." in at["told"]
        assert "one proves" in at["told"]
    assert seen["both"].startswith("proved in one, proved in two: ")
    assert "(two)" in seen["also"]


def test_ten_thousand_rows_keep_few_in_the_document(swept: tuple[Path, Path], tmp_path: Path) -> None:
    (source,) = swept[0].glob("results*.jsonl")
    texts = source.read_text().splitlines()
    (tmp_path / "many").mkdir()
    with (tmp_path / "many" / "results.jsonl").open("w") as out:
        for number in range(10_000):
            line = {**json.loads(texts[number % len(texts)]), "key": f"{number:032x}", "node": number // 2}
            out.write(json.dumps(line) + "\n")
    write_report(tmp_path / "many", tmp_path / "many.html")
    seen = visit(
        tmp_path / "many.html",
        """
        seen.matches = $("#matches").textContent;
        $("#scroll").scrollTop = 32 * 4000;
        await until(() => $("#row-4003"));
        seen.rows = $$(".line-of-table").length;
        $$("[role=columnheader] button")[0].click();
        seen.sorted = $$(".line-of-table").length;
        seen.wide = document.documentElement.scrollWidth;
        """,
        tmp_path,
        window="500,800",
    )
    total = int(seen["matches"].split(" of ")[0].replace(",", ""))
    assert 5_000 <= total <= 10_000
    assert seen["matches"] == f"{total:,} of {total:,} rows"
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
    assert seen["rows"] == len({(row.setting, row.node) for row in gather(swept[0]).rows})
    assert seen["cut"] == 0
    assert seen["ink"] == "#1c2330"  # also where the screen is dark


def test_a_store_of_errors_alone_shows_them(swept: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "errors").mkdir()
    with (tmp_path / "errors" / "results.jsonl").open("w") as out:
        for line in list(read_best(swept[0]))[:5]:
            failed = {"status": "error", "attack": None, "error": {"type": "MemoryError", "message": "too large"}}
            out.write(json.dumps({**line, **failed}) + "\n")
    write_report(tmp_path / "errors", tmp_path / "errors.html")
    seen = visit(
        tmp_path / "errors.html",
        """
        seen.errors = $("[data-count=errors]").textContent;
        seen.rows = $$(".line-of-table").length;
        $(".line-of-table").click();
        await until(() => $("dialog[open] h2"));
        seen.told = $("dialog dl").textContent;
        """,
        tmp_path,
    )
    assert seen["errors"] == "5"
    assert seen["rows"] >= 1
    assert "MemoryError: too large" in seen["told"]
