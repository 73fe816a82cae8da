"""`edgeproof convert`: between file formats."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(short_help="Between model formats, and between graph formats.")
@click.argument("source", metavar="IN", type=click.Path())
@click.argument("destination", metavar="OUT", type=click.Path())
@click.option("--index", type=int, help="Number of the graph in a graph-level file.")
@click.option("--directed/--undirected", default=None, help="[default: undirected if every edge has its reverse]")
def convert(source: str, destination: str, index: int | None, directed: bool | None) -> None:
    """Read IN, check it, and write it as OUT; the suffixes say what they are.

    \b
    Models:  .safetensors, .npz, .gnnx   to   .safetensors, .gnnx
    Graphs:  .npz, .graph (with .feat)   to   .graph (with .feat)

    \b
        edgeproof convert Cora_sum.npz Cora_sum.safetensors
        edgeproof convert MUTAG.npz molecule.graph --index 0

    Nothing is rounded: a format that cannot carry the input is refused. OUT appears whole or not at all.
    """
    from ..convert.files import GRAPH_WRITERS, NETWORK_WRITERS
    from ..errors import InputError
    from ..graph import Graph
    from ..network import Network

    suffix = Path(destination).suffix.lower()
    if suffix in NETWORK_WRITERS:
        if index is not None or directed is not None:
            raise InputError(f"{destination}: a model has neither --index nor --directed/--undirected")
        network = Network.load(source)
        network.save(destination)
        click.echo(f"{destination}: {network}")
    elif suffix in GRAPH_WRITERS:
        graph = Graph.load(source, directed=directed, index=index)
        graph.save(destination)
        click.echo(f"{destination}: {graph}")
    else:
        known = ", ".join([*NETWORK_WRITERS, *GRAPH_WRITERS])
        raise InputError(f"{destination}: expected a suffix out of {known}, got {suffix or 'none'}")
