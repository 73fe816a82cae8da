"""Pages of help that only who asks for them sees."""

from __future__ import annotations

from collections.abc import Callable

import click


def shows(text: str) -> Callable[[click.Context, click.Parameter, bool], None]:
    """For an option that prints a page and ends the command."""

    def show(context: click.Context, _: click.Parameter, asked: bool) -> None:
        if asked:
            click.echo(text)
            context.exit()

    return show
