"""Code blocks of the documentation, run as a reader would: in order, page by page, in a folder of their own."""

from __future__ import annotations

import ast
import contextlib
import io
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
_EDGEPROOF = 'exec "{python}" -c "from edgeproof.cli import main; main()" "$@"'


class Block(NamedTuple):
    language: str
    text: str


def blocks(page: Path) -> list[Block]:
    return [Block(*found) for found in _FENCE.findall(page.read_text(encoding="utf-8"))]


class Reader:
    """Somebody who reads one page and tries everything on it. `compared`: how many outputs were as the page says."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.scope, self.compared = folder, {"__name__": "__main__"}, 0
        command = folder / "bin" / "edgeproof"
        command.parent.mkdir(parents=True)
        command.write_text("#!/bin/sh\n" + _EDGEPROOF.format(python=sys.executable) + "\n")
        command.chmod(0o755)

    def run(self, block: Block) -> None:
        if block.language == "python":
            self._run_python(block.text)
        elif block.language == "sh":
            self._run_shell(block.text)
        else:
            raise AssertionError(f"a block in {block.language or 'no language'}: expected python, sh or text")

    def _run_shell(self, text: str) -> None:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", f'PATH="$PWD/bin:$PATH"\n{text}'],
            cwd=self.folder, capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{text}\n{done.stdout}{done.stderr}"

    def _run_python(self, text: str) -> None:
        """What a `print` has in its comment, up to a colon, it must print."""
        lines = text.splitlines()
        for statement in ast.parse(text).body:
            out = io.StringIO()
            with contextlib.chdir(self.folder), contextlib.redirect_stdout(out):
                exec(compile(ast.Module([statement], []), "documentation", "exec"), self.scope)
            said = re.fullmatch(r"print\(.*\)  # (.*?)(?:: .*)?", lines[(statement.end_lineno or 1) - 1])
            if said is not None:
                assert out.getvalue().rstrip("\n") == said[1], lines[statement.lineno - 1]
                self.compared += 1
