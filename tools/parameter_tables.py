"""For the API page: `name: what it is` in the prose of a docstring becomes a row of a table of parameters.

Docstrings here are prose that reads well in an editor. Wherever a word is the name of a parameter and a colon follows,
what comes up to the next such word explains it.
"""

from __future__ import annotations

import re
from inspect import cleandoc
from typing import Any

import griffe

# what is the same wherever it is asked for
COMMON = {
    "network": "what is asked about",
    "graph": "what it is asked on",
    "threat": "what the adversary may do",
    "engine": '"search", "mip" or "brute"',
    "options": "of the engine, by name",
}
_END = re.compile(r"\n\s*\n")


def split(text: str, names: list[str]) -> tuple[str, dict[str, str]]:
    """The prose, and what it says of each parameter."""
    word = rf"\b(?:{'|'.join(map(re.escape, names))})\b(?: \([^)]*\))?"
    begin = re.compile(rf"(?:(?<=^)|(?<=[.;]\s))({word}(?:(?:, | and ){word})*): ", flags=re.MULTILINE)
    prose, told = [], {}
    for paragraph in _END.split(cleandoc(text)):
        starts = list(begin.finditer(paragraph))
        prose.append(paragraph[: starts[0].start()] if starts else paragraph)
        ends = [one.start() for one in starts[1:]] + [len(paragraph)] * bool(starts)
        for start, end in zip(starts, ends, strict=True):
            said = " ".join(paragraph[start.end() : end].split()).rstrip(";")
            for one in re.finditer(word, start[1]):
                name, _, remark = one[0].partition(" ")
                told.setdefault(name, f"{remark} {said}".strip())
    return "\n\n".join(one.strip() for one in prose if one.strip()), told


class ParameterTables(griffe.Extension):
    """Rewrites the docstrings of functions for the parser of Google's style."""

    def on_function_instance(self, *, func: griffe.Function, **_: Any) -> None:
        if func.docstring is None:
            return
        names = [one.name for one in func.parameters if one.name not in ("self", "cls")]
        if not names:
            return
        prose, told = split(func.docstring.value, names)
        told = {**{name: COMMON[name] for name in names if name in COMMON}, **told} if told else {}
        if told:
            rows = "\n".join(f"    {name}: {told[name]}" for name in names if name in told)
            func.docstring.value = f"{prose}\n\nArgs:\n{rows}\n"
