"""`edgeproof merge`: the stores of several sweeps, or of the shards of one, into one."""

from __future__ import annotations

import click

from .progress import working


@click.command(short_help="Several stores into one.")
@click.argument("folders", metavar="DIR...", nargs=-1, required=True, type=click.Path())
@click.option("-o", "--out", metavar="DIR", required=True, type=click.Path(), help="The new store.")
def merge(folders: tuple[str, ...], out: str) -> None:
    """Write the results in DIR... to a new store, each once: queries that were answered twice are recognised by their
    hash.

    \b
        edgeproof merge node1/results node2/results -o all
        edgeproof show all

    What is merged is left as it is, and lines that are no answers are left out. A folder with many shards is a store
    already: `show`, `report` and `sweep` read all of its files.
    """
    from ..report.gather import tell_skipped
    from ..sweep.merge import merge as merge_stores

    left_out: list[str] = []
    with working("merging"):
        kept, read = merge_stores(folders, out, left_out.append)
    if left_out:
        click.echo(f"edgeproof: {tell_skipped(left_out)}", err=True)
    click.echo(f"{out}: {kept:,} answers, from {read:,} lines")
