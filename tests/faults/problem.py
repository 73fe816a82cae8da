"""Faults in which vertices and pairs are laid out."""

from __future__ import annotations

from .fault import Fault

PROBLEM = (
    # gains by lines
    Fault(
        "readout-forgets-a-slope", "problem/stages.py",
        "(head[0].C, head[0].b, head[0].bends)",
        "(head[0].C, head[0].b, slope[: len(head[0].b)])",
    ),
    # which pairs there are
    Fault("grid-lets-edges-go", "problem/receptive_field.py", "        kept &= ~present\n", "        pass\n"),
    # degrees
    Fault(
        "far-senders-ignored", "problem/receptive_field.py",
        "+ (len(looking) > 0 and looking[0].normalises)",
        "+ 0 * len(looking)",
    ),
    Fault(
        "sym-degree-one-too-many", "problem/compile.py",
        "root[2:] = 1.0 / np.sqrt(degrees[:-1])",
        "root[2:] = 1.0 / np.sqrt(degrees[1:])",
    ),
    Fault("sym-of-nobody", "problem/compile.py", "ALONE = 1.0", "ALONE = 0.0"),
    # what the grounding looks at
    Fault("absent-begin-at-once", "problem/compile.py", "2 * np.arange(n) + 1)", "2 * np.arange(n))"),
)  # fmt: skip
