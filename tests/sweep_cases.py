"""Small sweeps for tests: quick to answer, with every kind of answer among them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from edgeproof import Graph, Layer, Network, Plan, Threat
from edgeproof.sweep.read import read_best

BUDGETS = ((1, None), (2, 1), (2, 2), (3, None))


def network(seed: int = 0, classes: int = 3) -> Network:
    rng = np.random.default_rng(seed)
    first = Layer(rng.normal(size=(4, 3)), rng.normal(size=(4, 3)), rng.normal(size=4))
    return Network([first, Layer(rng.normal(size=(classes, 4)), rng.normal(size=(classes, 4)), [0.0] * classes,
                                 activation="none")], name="small")  # fmt: skip


def graph(vertices: int = 12, seed: int = 0) -> Graph:
    rng = np.random.default_rng(seed)
    edges = {(int(u), int(v)) for u, v in rng.integers(vertices, size=(4 * vertices // 3, 2)) if u != v}
    features = rng.integers(0, 2, size=(vertices, 3)).astype(float)
    labels = rng.integers(0, 3, size=vertices)
    masks = {"test": np.arange(vertices) % 3 == 0}
    return Graph(np.array(sorted(edges)).T, features, directed=True, labels=labels, masks=masks, name="random")


def threats() -> list[Threat]:
    return [Threat(budget, local) for budget, local in BUDGETS]


def plan(**more: Any) -> Plan:
    return Plan(threats(), **more)


def essence(folder: Path) -> dict[str, str]:
    """What a sweep has found out, without what differs from run to run."""
    varying = ("finished", "versions", "stats")
    return {
        line["key"]: json.dumps({name: value for name, value in line.items() if name not in varying})
        for line in read_best(folder)
    }


def lines(folder: Path) -> list[dict[str, Any]]:
    return [
        json.loads(text) for path in sorted(folder.glob("results*.jsonl")) for text in path.read_text().splitlines()
    ]


def files(folder: Path, vertices: int = 12) -> tuple[Path, Path]:
    """The network and the graph as files, for the command line."""
    network().save(folder / "m.safetensors")
    graph(vertices).save(folder / "g.graph")
    return folder / "m.safetensors", folder / "g.graph"


def command(*words: object) -> list[str]:
    code = "from edgeproof.cli import main; main()"
    return [sys.executable, "-c", code, *map(str, words)]


def run(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*words), capture_output=True, text=True, check=False, timeout=300)
