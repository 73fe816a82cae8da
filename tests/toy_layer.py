"""A toy aggregation, `double`: twice the sum over the in-neighbours.

It is added as CONTRIBUTING.md tells under "How to add a layer", in every place, by edits of a copy of the package.

python tests/toy_layer.py FOLDER writes that copy, to look at.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import NamedTuple

import edgeproof

PACKAGE = Path(edgeproof.__file__).parent


class Edit(NamedTuple):
    """`old` occurs once in `file`, a path in the package; a file of its own has no `old`."""

    file: str
    old: str
    new: str


EDITS = (
    # what it is
    Edit("model/network.py", '    GCN = "gcn"\n', '    GCN = "gcn"\n    DOUBLE = "double"\n'),
    # its values: in floating point, exactly, and in the brute force that all is compared with
    Edit(
        "arithmetic/float64.py",
        "    if how is Aggregation.MEAN:\n        degrees",
        "    if how is Aggregation.DOUBLE:\n        out *= 2.0\n    if how is Aggregation.MEAN:\n        degrees",
    ),
    Edit(
        "arithmetic/enclosure.py",
        "    return total / np.maximum(counts, 1)[:, None] if how is Aggregation.MEAN else total\n",
        "    if how is Aggregation.DOUBLE:\n        return total + total\n"
        "    return total / np.maximum(counts, 1)[:, None] if how is Aggregation.MEAN else total\n",
    ),
    Edit(
        "arithmetic/balls.py",
        "    return [sum(column[1:], column[0]) for column in zip(*rows, strict=True)]\n",
        "    total = [sum(column[1:], column[0]) for column in zip(*rows, strict=True)]\n"
        "    return [x + x for x in total] if how is Aggregation.DOUBLE else total\n",
    ),
    Edit(
        "arithmetic/rows.py",
        "                times[k, kind] += whole // divisor\n",
        "                times[k, kind] += (2 if how is Aggregation.DOUBLE else 1) * (whole // divisor)\n",
    ),
    Edit(
        "arithmetic/rows.py",
        "            times[rows.kinds[u]] += whole // divisor\n",
        "            times[rows.kinds[u]] += (2 if how is Aggregation.DOUBLE else 1) * (whole // divisor)\n",
    ),
    Edit(
        "arithmetic/rows.py",
        "    if len(rows) == 1:\n        return rows[0]\n",
        "    if how is Aggregation.DOUBLE:\n"
        "        return [2 * sum(column[1:], column[0]) for column in zip(*rows, strict=True)]\n"
        "    if len(rows) == 1:\n        return rows[0]\n",
    ),
    Edit(
        "arithmetic/normalised.py",
        "    return total * flint.fmpq(1, len(columns)) if how is Aggregation.MEAN else total\n",
        "    if how is Aggregation.DOUBLE:\n        return total + total\n"
        "    return total * flint.fmpq(1, len(columns)) if how is Aggregation.MEAN else total\n",
    ),
    Edit(
        "engines/brute.py",
        "    total = sum(columns[1:], columns[0])\n",
        "    total = sum(columns[1:], columns[0])\n    if how is Aggregation.DOUBLE:\n        return total + total\n",
    ),
    # how the search stores it: it hears its neighbours as they are, and multiplies by A afterwards
    Edit("problem/layout.py", "SUM, MEAN, MAX, GCN = 0, 1, 2, 3\n", "SUM, MEAN, MAX, GCN, DOUBLE = 0, 1, 2, 3, 4\n"),
    Edit("problem/stages.py", "import DENSE, GCN,", "import DENSE, DOUBLE, GCN,"),
    Edit("problem/stages.py", "Aggregation.GCN: GCN,", "Aggregation.GCN: GCN, Aggregation.DOUBLE: DOUBLE,"),
    Edit("problem/stages.py", "(reorder and how != MAX)", "(reorder and how not in (MAX, DOUBLE))"),
    Edit("problem/stages.py", "int(below.how != MAX)", "int(below.how not in (MAX, DOUBLE))"),
    # values of the grounding
    Edit("search/forward/incremental.py", "layout import DENSE, GCN,", "layout import DENSE, DOUBLE, GCN,"),
    Edit(
        "search/forward/incremental.py",
        "    elif how == MEAN and count > 1:\n",
        "    elif how == DOUBLE:\n        for i in range(m):\n            acc[i] *= 2.0\n"
        "    elif how == MEAN and count > 1:\n",
    ),
    # interval bounds
    Edit("search/intervals/aggregate.py", "layout import DENSE, GCN,", "layout import DENSE, DOUBLE, GCN,"),
    Edit(
        "search/intervals/aggregate.py",
        "    elif how == SUM:\n        every",
        "    elif how == SUM or how == DOUBLE:\n        every",
    ),
    Edit(
        "search/intervals/aggregate.py",
        "start, end, cap, every, s.top, x\n        )  # fmt: skip\n",
        "start, end, cap, every, s.top, x\n        )  # fmt: skip\n"
        "        for i in range(m if how == DOUBLE else 0):\n            low[i] *= 2.0\n            high[i] *= 2.0\n",
    ),
    # rounding: doubling is exact, and doubles what has been rounded
    Edit("search/intervals/rounding.py", "layout import DENSE, GCN,", "layout import DENSE, DOUBLE, GCN,"),
    Edit(
        "search/intervals/rounding.py",
        "            out[i] += gathered[i] + (passed",
        "            out[i] += (2.0 if p.how[t] == DOUBLE else 1.0) * gathered[i] + (passed",
    ),
    Edit(
        "search/intervals/rounding.py",
        "                size[i] += row[i] * amount\n",
        "                size[i] += row[i] * amount * (2.0 if p.how[1] == DOUBLE else 1.0)\n",
    ),
    Edit(
        "search/intervals/rounding.py",
        "np.int64(SUM) if p.how[t] == GCN else p.how[t]",
        "np.int64(SUM) if p.how[t] == GCN or p.how[t] == DOUBLE else p.how[t]",
    ),
    # backward linear bounds: twice the coefficients, then as a sum
    Edit(
        "search/linear/double.py",
        "",
        '"""Backward linear bounds of twice a sum: those of a sum, for coefficients twice as large."""\n\n'
        "from __future__ import annotations\n\nfrom ..jit.decorators import kernel\n\n\n"
        "@kernel\ndef double_coefficients(linear, rows, m):\n"
        "    for b in range(rows):\n        a = linear.a[b]\n        for j in range(m):\n            a[j] *= 2.0\n",
    ),
    Edit("search/linear/step.py", "layout import GCN,", "layout import DOUBLE, GCN,"),
    Edit(
        "search/linear/step.py",
        "from .first_layer import",
        "from .double import double_coefficients\nfrom .first_layer import",
    ),
    Edit(
        "search/linear/step.py",
        "    if heard and p.kind[t] != POOL:\n",
        "    if heard and p.how[t] == DOUBLE:\n        double_coefficients(linear, rows, lower)\n"
        "    if heard and p.kind[t] != POOL:\n",
    ),
    Edit("search/linear/first_layer.py", "layout import DENSE, GCN,", "layout import DENSE, DOUBLE, GCN,"),
    Edit(
        "search/linear/first_layer.py",
        "from .gcn import",
        "from .double import double_coefficients\nfrom .gcn import",
    ),
    Edit(
        "search/linear/first_layer.py",
        "        raw_coefficients(p, linear, v, side, rows)\n",
        "        raw_coefficients(p, linear, v, side, rows)\n    if p.how[1] == DOUBLE:\n"
        "        double_coefficients(linear, rows, p.raw_columns_ptr[v, 1] - p.raw_columns_ptr[v, 0])\n",
    ),
)


def write_copy(folder: Path, left_out: str = "") -> None:
    """The package with this layer, in `folder`; without the edits of one file, if it is named."""
    shutil.copytree(PACKAGE, folder / "edgeproof", ignore=shutil.ignore_patterns("__pycache__"))
    for edit in EDITS:
        if edit.file == left_out:
            continue
        path = folder / "edgeproof" / edit.file
        if not edit.old:
            path.write_text(edit.new, encoding="utf-8")
            continue
        text = path.read_text(encoding="utf-8")
        if text.count(edit.old) != 1:
            raise ValueError(f"{edit.old!r} occurs {text.count(edit.old)} times in {edit.file}")
        path.write_text(text.replace(edit.old, edit.new), encoding="utf-8")


if __name__ == "__main__":
    write_copy(Path(sys.argv[1]))
