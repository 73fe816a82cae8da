"""What the user sees when something is wrong: one line on stderr, exit status 2, never a traceback."""

from __future__ import annotations

import errno
import sys
from collections.abc import Sequence
from typing import Any

import click

from ..errors import EdgeproofError

REJECTED, BAD_INPUT, UNKNOWN, INTERRUPTED = 1, 2, 3, 130


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
                raise
            sys.stdout = None  # the reader has gone: nothing to flush at exit, nothing to complain about
            sys.exit(1)
        sys.exit(status if isinstance(status, int) else 0)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)  # in the order in which a newcomer needs them


def _fail(message: str) -> None:
    click.echo(f"edgeproof: {' '.join(message.split())}", err=True)
    sys.exit(BAD_INPUT)
