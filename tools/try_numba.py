"""Runs the tests of the search with the oldest and the newest Numba that pyproject.toml allows.

python tools/try_numba.py [oldest | newest | VERSION ...]

The search uses private interfaces of Numba (search/jit/, and nowhere else), which any release may change.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
TESTS = ("tests/search", "tests/test_search_against_brute.py")


def oldest() -> str:
    """The lower bound of the dependency."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (bound,) = (one.removeprefix("numba>=") for one in project["dependencies"] if one.startswith("numba>="))
    return str(bound)


def requirement(which: str) -> str:
    """For pip; of the oldest release, any correction."""
    if which == "newest":
        return "numba"
    version = oldest() if which == "oldest" else which
    return f"numba=={version}" if version.count(".") > 1 else f"numba=={version}.*"


def try_one(which: str, campaign: int, folder: Path) -> bool:
    """Whether the tests pass with this release, in an environment and with a cache of their own."""
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    install = [python, "-m", "pip", "install", "--quiet", "--upgrade", f"{ROOT}[test]", requirement(which)]
    subprocess.run(install, check=True)
    said = [python, "-c", "import numba, numpy; print('Numba', numba.__version__, 'NumPy', numpy.__version__)"]
    subprocess.run(said, check=True)
    environment = {**os.environ, "EDGEPROOF_CACHE": str(folder / "cache")}
    command = [python, "-m", "pytest", "-q", "-n", "auto", "-p", "no:cacheprovider", f"--campaign={campaign}", *TESTS]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", nargs="*", default=["oldest", "newest"], help="oldest, newest, or a release")
    parser.add_argument("--campaign", type=int, default=3000, help="random queries against brute force")
    asked = parser.parse_args()
    failed = []
    for which in asked.which:
        with tempfile.TemporaryDirectory(prefix="edgeproof-numba-") as folder:
            if not try_one(which, asked.campaign, Path(folder)):
                failed.append(which)
    sys.stdout.write(f"failed with: {', '.join(failed) or 'none'}\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
