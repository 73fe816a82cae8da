"""A page in headless Chromium: a script acts on it as a person would, and tells what it saw."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
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
  const end = performance.now() + 60000;
  while (!holds() && performance.now() < end) await new Promise((done) => setTimeout(done, 5));
  if (!holds()) throw new Error("waited in vain for " + holds);
};
const $ = (selector) => document.querySelector(selector);
const $$ = (selector) => [...document.querySelectorAll(selector)];
const seen = {};
try { %s } catch (problem) { problems.push(String(problem)); }
await fetch("http://127.0.0.1:%d/", { method: "POST", mode: "no-cors", body: JSON.stringify({ ...seen, problems }) });
</script>"""


class _Listener(HTTPServer):
    """Hears what the page tells: one request, which is its end."""

    timeout = 0.2
    told: bytes = b""


class _Hear(BaseHTTPRequestHandler):
    server: _Listener

    def do_POST(self) -> None:
        self.server.told = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def visit(page: Path, script: str, folder: Path, *, window: str = "1200,900") -> dict[str, Any]:
    """Open a copy of the page, run `script` (which puts what it sees into `seen`), and give back `seen`.

    No error may have come up on the page. Time is the wall's: in Chromium's virtual time, timers do not wait for the
    frames that a slow machine has yet to draw, and a script waits in vain for what a scroll brings up.
    """
    assert CHROMIUM is not None
    text = page.read_text(encoding="utf-8")
    assert text.count("<head>") == 1
    copy = folder / "visited.html"
    with _Listener(("127.0.0.1", 0), _Hear) as listener:
        act = _ACT % (script, listener.server_port)
        copy.write_text(
            text.replace("<head>", "<head>" + _LISTEN).replace("</body></html>", act + "</body></html>"),
            encoding="utf-8",
        )
        with subprocess.Popen(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}",
             f"--window-size={window}", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", copy.as_uri()],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        ) as chromium:  # fmt: skip
            try:
                end = time.monotonic() + 120
                while not listener.told and time.monotonic() < end:
                    assert chromium.poll() is None, f"Chromium ended by itself, with {chromium.returncode}"
                    listener.handle_request()
            finally:
                chromium.terminate()
    assert listener.told, "the page told nothing within two minutes"
    seen: dict[str, Any] = json.loads(listener.told)
    problems = seen.pop("problems")
    assert problems == [], problems  # said again: pytest shows no values outside of test files
    return seen
