"""What the user sees when something is wrong: one line on stderr, and an exit status that says what."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

from ..errors import EdgeproofError

REJECTED, BAD_INPUT, UNKNOWN, DISAGREE, INTERNAL, INTERRUPTED = 1, 2, 3, 4, 70, 130
# what the shell says of a program that was ended because its reader had gone
BROKEN_PIPE = 141


class OneLineErrors(click.Group):
    """Exits with the number that the command returns."""

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, *, standalone_mode: bool = True, **extra: Any
    ) -> Any:
        if not standalone_mode:
            return super().main(args, standalone_mode=False, **extra)
        try:
            status = super().main(args, standalone_mode=False, **extra)
        except click.Abort:
            sys.exit(INTERRUPTED)
        except click.ClickException as problem:
            _fail(problem.format_message())
        except EdgeproofError as problem:
            _fail(str(problem))
        except OSError as problem:
            if problem.errno != errno.EPIPE:
                _confess(problem)
            sys.stdout = None  # the reader has gone: nothing to flush at exit, nothing to complain about
            sys.exit(BROKEN_PIPE)
        except Exception as problem:
            _confess(problem)
        sys.exit(status if isinstance(status, int) else 0)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)  # in the order in which a newcomer needs them


def _confess(problem: Exception) -> NoReturn:
    """A fault of ours: 1 would say that a proof is rejected."""
    if os.environ.get("EDGEPROOF_TRACEBACK"):
        traceback.print_exception(problem)
    where = traceback.extract_tb(problem.__traceback__)[-1:]
    at = f" ({Path(where[0].filename).name}:{where[0].lineno})" if where else ""
    said = " ".join(str(problem).split()) or "no message"
    click.echo(
        f"edgeproof: internal error: {type(problem).__name__}: {said}{at}; EDGEPROOF_TRACEBACK=1 shows all of it",
        err=True,
    )
    sys.exit(INTERNAL)


def _fail(message: str) -> NoReturn:
    click.echo(f"edgeproof: {' '.join(message.split())}", err=True)
    sys.exit(BAD_INPUT)
