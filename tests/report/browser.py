"""A page in headless Chromium: a script acts on it as a person would, and tells what it saw."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="needs chromium on the PATH, to look at pages")

_LISTEN = """<script>
window.problems = [];
addEventListener("error", (event) => problems.push(String(event.message)));
addEventListener("unhandledrejection", (event) => problems.push(String(event.reason)));
for (const kind of ["error", "warn"]) console[kind] = (...words) => problems.push(words.join(" "));
</script>"""

_ACT = """<script type="module">
const until = async (holds) => {
  for (let k = 0; k < 400 && !holds(); k++) await new Promise((done) => setTimeout(done, 5));
  if (!holds()) throw new Error("waited in vain for " + holds);
};
const $ = (selector) => document.querySelector(selector);
const $$ = (selector) => [...document.querySelectorAll(selector)];
const seen = {};
try { %s } catch (problem) { problems.push(String(problem)); }
const told = document.createElement("pre");
told.id = "told";
told.textContent = JSON.stringify({ ...seen, problems });
document.body.append(told);
</script>"""


def visit(page: Path, script: str, folder: Path, *, window: str = "1200,900") -> dict[str, Any]:
    """Open a copy of the page, run `script` (which puts what it sees into `seen`), and give back `seen`.

    No error may have come up on the page.
    """
    assert CHROMIUM is not None
    text = page.read_text(encoding="utf-8")
    assert text.count("<head>") == 1
    copy = folder / "visited.html"
    copy.write_text(
        text.replace("<head>", "<head>" + _LISTEN).replace("</body></html>", _ACT % script + "</body></html>"),
        encoding="utf-8",
    )
    shown = subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}",
         f"--window-size={window}", "--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=20000",
         "--dump-dom", copy.as_uri()],
        capture_output=True, text=True, check=True, timeout=120,
    ).stdout  # fmt: skip
    found = re.search(r'<pre id="told">(.*?)</pre>', shown, flags=re.DOTALL)
    assert found is not None, shown[-2000:]
    seen: dict[str, Any] = json.loads(unescape(found[1]))
    assert seen.pop("problems") == []
    return seen
