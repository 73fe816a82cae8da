"""`edgeproof convert`: between file formats."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(short_help="Between model formats, and between graph formats.")
@click.argument("source", metavar="IN", type=click.Path())
@click.argument("destination", metavar="OUT", type=click.Path())
@click.option("--index", type=int, help="Number of the graph in a graph-level file.")
@click.option("--directed/--undirected", default=None, help="[default: undirected if every edge has its reverse]")
@click.option("--to-undirected", is_flag=True, help="Every edge in both directions.")
@click.option("--largest-component", is_flag=True, help="Only the largest component, its vertices numbered anew.")
@click.option("--layers", metavar="TEXT", help="What is done with the weights of a .pt file, layer by layer.")
def convert(
    source: str,
    destination: str,
    index: int | None,
    directed: bool | None,
    to_undirected: bool,
    largest_component: bool,
    layers: str | None,
) -> None:
    """Read IN, check it, and write it as OUT; the suffixes say what they are.

    \b
    Models:  .safetensors, .npz, .gnnx, .pt   to   .safetensors, .gnnx
    Graphs:  .npz, .graph (with .feat)   to   .npz, .graph (with .feat)

    \b
        edgeproof convert Cora_sum.npz Cora_sum.safetensors
        edgeproof convert MUTAG.npz molecule.graph --index 0
        edgeproof convert Cora.npz core.npz --to-undirected --largest-component
        edgeproof convert Cora.pt Cora.safetensors --layers "sage(mean) relu sage(mean)"

    A .pt file is a state dict of PyTorch Geometric layers (torch.save(model.state_dict(), ...)); it holds numbers under
    names, so --layers says what is computed with them, in order. Each word takes the next weights that fit it;
    convs.1:sage(mean) takes those of that name. Words: sage(sum|mean|max), graph(add|mean|max), gcn,
    gin(linear relu linear), linear, batch_norm, relu, leaky_relu(SLOPE), prelu, add_pool, mean_pool, max_pool.
    Whole modules are converted in Python: ep.from_pyg(model).save(...).

    Of the largest component, a .npz file keeps what its vertices were called before, as `original`.
    Nothing is rounded: a format that cannot carry the input is refused. OUT appears whole or not at all.
    """
    from ..convert.files import GRAPH_WRITERS, NETWORK_WRITERS
    from ..errors import InputError
    from ..model.graph import Graph
    from ..model.network import Network
    from ..pyg import load_state_dict

    suffix = Path(destination).suffix.lower()
    if suffix in NETWORK_WRITERS:
        if index is not None or directed is not None:
            raise InputError(f"{destination}: a model has neither --index nor --directed/--undirected")
        if to_undirected or largest_component:
            raise InputError(f"{destination}: --to-undirected and --largest-component are for graphs")
        pickled = Path(source).suffix.lower() in (".pt", ".pth")
        if layers is None and pickled:
            raise InputError(
                f"{source}: a state dict says nothing of what is computed with it: expected --layers, such as --layers "
                "'sage(mean) relu sage(mean)'; a whole module is converted in Python: ep.from_pyg(model).save(...)"
            )
        if layers is not None and not pickled:
            raise InputError(f"{source}: --layers is for state dicts (.pt), this file says what its layers do")
        network = Network.load(source) if layers is None else load_state_dict(source, layers)
        network.save(destination)
        click.echo(f"{destination}: {network}")
    elif suffix in GRAPH_WRITERS:
        if layers is not None:
            raise InputError(f"{destination}: a graph has no --layers")
        graph = Graph.load(source, directed=directed, index=index)
        graph = graph.to_undirected() if to_undirected else graph
        graph = graph.largest_component() if largest_component else graph
        graph.save(destination)
        click.echo(f"{destination}: {graph}")
    else:
        known = ", ".join([*NETWORK_WRITERS, *GRAPH_WRITERS])
        raise InputError(f"{destination}: expected a suffix out of {known}, got {suffix or 'none'}")
