"""Threats that do harm to whoever looks at them; workers find this module by PYTHONPATH."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np

from edgeproof import Graph, Threat


class Deadly(Threat):
    """Kills its process, as often as there are files in `left`; without such a folder, always."""

    def __init__(self, *given, left: Path | None = None) -> None:
        super().__init__(*given)
        object.__setattr__(self, "left", left)

    def check_against(self, graph: Graph) -> None:
        if self.left is not None:
            lives = sorted(self.left.iterdir())
            if not lives:
                return
            lives[0].unlink()
        os.kill(os.getpid(), signal.SIGKILL)


class Sleepy(Threat):
    """Does not look at the clock."""

    def check_against(self, graph: Graph) -> None:
        time.sleep(60)


class Greedy(Threat):
    """Takes three gigabytes."""

    def check_against(self, graph: Graph) -> None:
        np.ones(3 << 27)


class Broken(Threat):
    def check_against(self, graph: Graph) -> None:
        raise RuntimeError("two\nlines")


class Drowsy(Threat):
    """Takes a tenth of a second of nobody's CPU, so that a busy machine does not matter."""

    def check_against(self, graph: Graph) -> None:
        time.sleep(0.1)
