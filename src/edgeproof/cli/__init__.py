"""The command line: `edgeproof --help`. Only click is imported until a command runs."""

from __future__ import annotations

import click

from .. import __version__
from .bench import bench
from .bench_train import train
from .check import check
from .convert import convert
from .demo import demo
from .failure import OneLineErrors
from .merge import merge
from .radius import radius
from .report import report
from .show import show
from .sweep import sweep
from .verify import verify
from .warm import warm


@click.group(
    cls=OneLineErrors,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="edgeproof")
@click.pass_context
def main(context: click.Context) -> None:
    """Edgeproof proves, exactly, how many edges an adversary must add or remove before a graph neural network
    changes its answer.

    \b
    Try it, with nothing to download:
        edgeproof demo

    \b
    Does node 17 keep its class whatever 5 edges are deleted? How many does it survive?
        edgeproof verify model.safetensors graph.npz --node 17 --budget 5
        edgeproof radius model.safetensors graph.npz --node 17

    \b
    All nodes, many budgets, on all cores; running it again resumes:
        edgeproof sweep model.safetensors graph.npz --budget 1 --budget 5 --out results
        edgeproof show results
        edgeproof report results -o report.html

    \b
    Completion of commands and options, in bash (zsh and fish likewise):
        eval "$(_EDGEPROOF_COMPLETE=bash_source edgeproof)"

    Models are .safetensors (native), .npz or .gnnx; graphs are .npz, or .graph with its .feat beside it.
    A verdict holds for real-number arithmetic on the stored weights; an attack was re-evaluated exactly.

    \b
    Exit status: 0 a verdict was reached, 3 unknown (a limit was hit), 1 a proof that check rejects, 2 bad input (one
    line on stderr), 4 engines disagree, 70 an internal error, 130 ended by Ctrl-C.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for command in (demo, verify, radius, sweep, show, report, merge, check, bench, convert, warm):
    main.add_command(command)
bench.add_command(train)
