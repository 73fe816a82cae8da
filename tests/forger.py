"""Forged proofs of claims that are false: trees of every shape, leaves of every kind, true parts beside one lie.

python tests/forger.py --count 20000 --seed 1 --jobs 2
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace

import click
import numpy as np

from edgeproof import EdgeproofError, RejectedError, TooLargeError
from edgeproof.engines import brute
from edgeproof.model.query import Query
from edgeproof.proof import walk
from edgeproof.proof.check import check
from edgeproof.proof.format import (
    BOX,
    ENUMERATED,
    FLAGS,
    KEPT_FIRST,
    KIND_BITS,
    LINE,
    LINES,
    LINES_AGAIN,
    SETTLED,
    SPENT,
    SPLIT,
    TIGHTEN,
    pack,
    pair_list,
    unpack,
)  # fmt: skip
from edgeproof.proof.region import Region
from edgeproof.proof.setting import Setting
from edgeproof.proof.statement import describe
from proof_cases import Twig
from random_queries import CROWDED, RATIONAL, Grid, draw
from splitter import Splitter

EACH = 10  # forgeries of one claim
MOST_SPLITS = 60
MOST_NODES = 100  # of what is grown honestly
SHARES = (0.2, 0.2, 0.1, 0.05, 0.12, 0.13, 0.04, 0.04, 0.04, 0.04, 0.04)  # of the kinds, in their order
LEAVES = (BOX, LINE, SPENT, SETTLED, ENUMERATED)
# few pairs, so that trees that split every pair stay small
FALSE: tuple[Grid, ...] = (
    replace(RATIONAL, most_graphs=200, budgets=(1, 2, 2, 3, 4, None)),
    replace(RATIONAL, most_graphs=200, budgets=(1, 2, 3, None), tasks=("graph",)),
    replace(RATIONAL, most_graphs=200, budgets=(1, 2, 3, None), styles=("gaussian", "cancelling", "wild")),
    replace(CROWDED, most_graphs=200),
)


class Forger:
    """Draws forgeries of one false claim."""

    def __init__(self, query: Query, rng: np.random.Generator) -> None:
        self.query, self.rng = query, rng
        self.region: Region = Setting(query).region
        self.grown: tuple[Splitter] | None = None
        self.kinds: dict[str, Callable[[], bytes]] = {
            "ladder": self.ladder,
            "random tree": self.random_tree,
            "one kind of leaf": self.one_kind,
            "one leaf": self.one_leaf,
            "true but for one leaf": self.one_lie,
            "true but for all that is false": self.all_lies,
            "smaller budget": self.smaller_budget,
            "smaller local budget": self.smaller_local_budget,
            "another node": self.another_node,
            "another claim": self.another_claim,
            "fewer pairs": self.fewer_pairs,
        }

    def draw(self) -> tuple[str, bytes]:
        name = str(self.rng.choice(list(self.kinds), p=SHARES))
        return name, self.kinds[name]()

    def chance(self, probability: float) -> bool:
        return bool(self.rng.random() < probability)

    def one_of(self, values: tuple[int, ...]) -> int:
        return values[int(self.rng.integers(len(values)))]

    # --- trees ---

    def marks(self, kind: int) -> int:
        """This kind with any of the bits that it may carry."""
        allowed = [bit for bit in (LINES, TIGHTEN, LINES_AGAIN, KEPT_FIRST) if FLAGS[kind] & bit]
        density = self.rng.random()
        return kind | sum(bit for bit in allowed if self.chance(density))

    def payers(self, pair: int) -> set[int]:
        u, v = self.region.ends[pair].tolist()
        return {u, v} if self.region.both_pay else {v}

    def grow(self, leaf: Callable[[], int], split: Callable[[], int], stop: float) -> Twig:
        """A tree that covers every graph: every pair is split unless it stops before, in an order that is drawn."""
        order = self.rng.permutation(self.region.F).tolist()
        splits = 0

        def below(open_pairs: list[int], left: int, spent: dict[int, int], flipped: bool) -> Twig:
            nonlocal splits
            if not open_pairs or splits >= MOST_SPLITS or self.chance(stop + 0.5 * flipped):
                return Twig(leaf())
            splits += 1
            pair, *rest = open_pairs
            local = self.region.local
            twig = Twig(split(), pair)
            children = [below(rest, left, spent, False)]
            if left > 0 and (local is None or all(spent.get(w, 0) < local[w] for w in self.payers(pair))):
                more = spent | {w: spent.get(w, 0) + 1 for w in self.payers(pair)}
                children.insert(0, below(rest, left - 1, more, True))
            twig.children = children[::-1] if twig.mark & KEPT_FIRST else children
            return twig

        return below(order, self.region.limit, {}, False)

    def packed(self, root: Twig) -> bytes:
        header = describe(self.query, "robust")
        header |= {"pairs": pair_list(self.region.pairs), "nodes": len(root.walk())}
        return pack(header, root.written())

    def ladder(self) -> bytes:
        """Every pair is split; the flipped child is a leaf, the kept one the next split."""
        kind, mark = self.one_of((BOX, BOX, LINE, SETTLED)), SPLIT | self.marks(SPLIT)
        root = self.grow(lambda: kind, lambda: mark, 0.0)
        for twig in root.walk():
            if twig.kind == SPLIT and len(twig.children) == 2:
                flipped = 1 if twig.mark & KEPT_FIRST else 0
                twig.children[flipped] = Twig(kind)
        last = [one for one in root.walk() if one.kind != SPLIT][0 if mark & KEPT_FIRST else -1]
        last.mark = self.one_of((SPENT, SETTLED, ENUMERATED, kind))
        return self.packed(root)

    def random_tree(self) -> bytes:
        return self.packed(
            self.grow(lambda: self.marks(self.one_of(LEAVES)), lambda: self.marks(SPLIT), self.rng.random() * 0.3)
        )

    def one_kind(self) -> bytes:
        leaf, split = self.marks(self.one_of(LEAVES)), self.marks(SPLIT)
        return self.packed(self.grow(lambda: leaf, lambda: split, self.rng.random() * 0.2))

    def one_leaf(self) -> bytes:
        return self.packed(Twig(self.marks(self.one_of(LEAVES))))

    # --- true proofs, altered ---

    def grown_honestly(self, query: Query) -> tuple[Splitter, Twig] | None:
        """What a writer that never lies says, whether or not it is true: evaluation closes what nothing else does.
        None if that gets long.
        """
        if query is self.query and self.grown is not None:
            return self.grown[0], twig_of(self.grown[0])
        rng = np.random.default_rng(int(self.rng.integers(1 << 30)))
        splitter = Splitter(query, rng, judges=True, most=MOST_NODES)
        try:
            splitter.write()
        except OverflowError:
            return None
        if query is self.query:
            self.grown = (splitter,)
        return splitter, twig_of(splitter)

    def false_leaves(self, splitter: Splitter, root: Twig) -> list[Twig]:
        """Leaves that say what does not hold."""
        leaves = [one for one in root.walk() if one.kind != SPLIT]
        return [one for one, truth in zip(leaves, splitter.truths, strict=True) if not truth]

    def one_lie(self) -> bytes:
        """All leaves are as they should be; those that are false are closed by one kind that is not asked to be."""
        grown = self.grown_honestly(self.query)
        if grown is None:
            return self.random_tree()
        splitter, root = grown
        mark = self.marks(self.one_of(LEAVES))
        for leaf in self.false_leaves(splitter, root):
            leaf.mark = mark
        return self.packed(root)

    def all_lies(self) -> bytes:
        """The same, each false leaf by another kind, and with other marks on the way."""
        grown = self.grown_honestly(self.query)
        if grown is None:
            return self.random_tree()
        splitter, root = grown
        for leaf in self.false_leaves(splitter, root):
            leaf.mark = self.marks(self.one_of(LEAVES))
        for twig in root.walk():
            if twig.kind == SPLIT and self.chance(0.5):
                twig.mark = self.marks(SPLIT) & ~KEPT_FIRST | twig.mark & KEPT_FIRST
        return self.packed(root)

    # --- proofs of something else, under another header ---

    def stolen(self, other: Query) -> bytes:
        grown = self.grown_honestly(other)
        if grown is None:
            return self.random_tree()
        splitter, root = grown
        table = pair_list(splitter.region.pairs)
        if self.chance(0.5) and table == pair_list(self.region.pairs):
            self.completed(root, self.region.limit, {})
        header = describe(self.query, "robust")
        return pack(header | {"pairs": table, "nodes": len(root.walk())}, root.written())

    def completed(self, twig: Twig, left: int, spent: dict[int, int]) -> None:
        """The flipped children that the claim in question has to have as well, as leaves."""
        if twig.kind != SPLIT:
            return
        local, payers = self.region.local, self.payers(twig.pair)
        allowed = left > 0 and (local is None or all(spent.get(w, 0) < local[w] for w in payers))
        if allowed and len(twig.children) == 1:
            at = 1 if twig.mark & KEPT_FIRST else 0
            twig.children.insert(at, Twig(self.marks(self.one_of(LEAVES))))
        for at, child in enumerate(twig.children):
            flipped = len(twig.children) == 2 and at == (1 if twig.mark & KEPT_FIRST else 0)
            more = spent | {w: spent.get(w, 0) + 1 for w in payers} if flipped else spent
            self.completed(child, left - flipped, more)

    def smaller_budget(self) -> bytes:
        less = int(self.rng.integers(max(self.region.limit, 1)))
        return self.stolen(replace(self.query, threat=self.query.threat.with_budget(less)))

    def smaller_local_budget(self) -> bytes:
        return self.stolen(replace(self.query, threat=replace(self.query.threat, local_budget=self.one_of((0, 1)))))

    def another_node(self) -> bytes:
        if self.query.claim.node is None:
            return self.another_claim()
        node = int(self.rng.integers(self.query.graph.num_vertices))
        return self.stolen(replace(self.query, claim=replace(self.query.claim, node=node)))

    def another_claim(self) -> bytes:
        label = int(self.rng.integers(self.query.network.num_classes))
        others = [c for c in range(self.query.network.num_classes) if c != label]
        target = self.one_of((*others,)) if self.chance(0.5) else None
        return self.stolen(replace(self.query, claim=replace(self.query.claim, label=label, target=target)))

    def fewer_pairs(self) -> bytes:
        """A claim under a threat with more protected pairs."""
        names = [(u, v) for u, v in self.region.pairs.tolist() if self.chance(0.3)]
        return self.stolen(
            replace(self.query, threat=replace(self.query.threat, protected={*self.query.threat.protected, *names}))
        )


def twig_of(splitter: Splitter) -> Twig:
    """The tree that a splitter wrote; it notes how many children every split has."""
    rest = iter(zip(splitter.marks, splitter.children, strict=True))

    def read() -> Twig:
        (mark, pair), children = next(rest)
        return Twig(mark, pair, [read() for _ in range(children)])

    return read()


def is_false(query: Query) -> bool:
    return brute.verify(query).status == "vulnerable"


def accepted(query: Query, data: bytes, at_once: int) -> bool:
    """Anything but an answer or a refusal is a finding like acceptance."""
    before, walk.MOST_NODES = walk.MOST_NODES, at_once
    try:
        check(data, query.network, query.graph)
    except (RejectedError, TooLargeError):
        return False
    finally:
        walk.MOST_NODES = before
    return True


def forgeries(seed: int, index: int) -> tuple[Query, list[tuple[str, bytes, int]]] | None:
    """Some of one claim, with the number of nodes that share a batch; None where the claim holds."""
    query = draw(seed, index, FALSE[index % len(FALSE)])
    if not is_false(query):
        return None
    rng = np.random.default_rng((seed, index, 7))
    forger = Forger(query, rng)
    return query, [(*forger.draw(), int(rng.choice([1, 2, 3, 7, 128]))) for _ in range(EACH)]


def about(query: Query) -> list[str]:
    kinds = "/".join(sorted({layer.aggregation.value for layer in query.network.layers if not layer.is_dense}))
    pool = query.network.readout.pool.value if query.network.readout is not None else "none"
    return [f"aggregation {kinds or 'none'}", f"task {query.network.task}", f"pool {pool}"]


def run(seed: int, first: int, last: int) -> tuple[Counter[str], list[str]]:
    """What was forged from claims first..last-1, and what was accepted of it."""
    seen, found = Counter[str](), list[str]()
    for index in range(first, last):
        drawn = forgeries(seed, index)
        if drawn is None:
            continue
        query, forged = drawn
        for name, data, at_once in forged:
            if accepted(query, data, at_once):
                found.append(f"seed {seed}, index {index}: {name} is accepted, {at_once} nodes at once: {query}")
            seen.update(["forgeries", f"forged as {name}", *about(query)])
    return seen, found


def kinds_of(data: bytes) -> Counter[int]:
    return Counter(byte & KIND_BITS for byte in unpack(data).body)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000, help="forgeries at least")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    asked = parser.parse_args()
    begin, seen, found, chunk, at = time.monotonic(), Counter[str](), list[str](), 20, 0
    with ProcessPoolExecutor(asked.jobs) as pool:
        while seen["forgeries"] < asked.count:
            starts = range(at, at + 10 * chunk * asked.jobs, chunk)
            at = starts[-1] + chunk
            for job in as_completed([pool.submit(run, asked.seed, one, one + chunk) for one in starts]):
                counted, problems = job.result()
                seen += counted
                found += problems
                for problem in problems:
                    click.echo(problem)
            click.echo(f"{seen['forgeries']} forgeries, {len(found)} accepted, {time.monotonic() - begin:.0f} s")
    click.echo(f"seed {asked.seed}: {seen['forgeries']} forgeries of {at} claims, {len(found)} accepted")
    click.echo(", ".join(f"{name}: {count}" for name, count in sorted(seen.items())))
    return 1 if found else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except EdgeproofError as problem:
        click.echo(f"{type(problem).__name__}: {problem}")
        sys.exit(2)
