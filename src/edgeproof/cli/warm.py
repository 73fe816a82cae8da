"""`edgeproof warm`: compiles everything, for images and for CI."""

from __future__ import annotations

import click


@click.command(short_help="Compile the search now, so that nobody waits for it later.")
def warm() -> None:
    """Compile every kernel of the search for this processor, and say where they are kept.

    Without it, the first command that needs them compiles them, about a minute; easy questions are answered meanwhile.
    Run it where an image is built, or before tests in CI, and keep the folder.

    \b
        edgeproof warm
        EDGEPROOF_CACHE=/opt/kernels edgeproof warm
    """
    import time

    from ..search.compiling import count_kernels
    from ..search.jit.cache import cache_root
    from ..search.jit.linking import processor
    from ..search.warm_up import is_compiled, load_on_demand, warm_up

    began, there = time.monotonic(), is_compiled()
    warm_up()
    load_on_demand()
    _, total = count_kernels()
    done = "were there already" if there else f"compiled in {time.monotonic() - began:.0f} s"
    click.echo(f"{total} kernels for {processor()} {done}; they are kept in {cache_root()}")
