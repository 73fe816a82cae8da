"""The pairs that attacks flip most, with links to the nodes that they break."""

from __future__ import annotations

from html import escape

from .gather import Answers, Flipped
from .subjects import tell_pair
from .terms import term

MOST_LINKS = 12


def pairs_section(answers: Answers, most: int = 10) -> str:
    top = answers.most_flipped(most)
    if not top or top[0].times == 1:  # where graphs are small and many, no pair says more than another
        return ""
    several = len({one.graph_name for one in top}) > 1
    nodes = any(one.nodes for one in top)
    body = "".join(_row(one, several, nodes) for one in top)
    head = '<th scope="col">graph</th>' if several else ""
    links = '<th scope="col">breaks</th>' if nodes else ""
    return (
        f"<section><h2>{term('pair', 'Pairs')} that attacks flip most</h2><p>How many nodes or graphs have a known "
        "attack with this pair in it. A pair shows its rows in the table, a number the attack.</p>"
        f'<div class="card scrolls"><table class="fragile"><thead><tr>{head}<th scope="col">pair</th><th scope="col">'
        f"attacks</th>{links}</tr></thead><tbody>{body}</tbody></table></div></section>"
    )


def _row(one: Flipped, several: bool, nodes: bool) -> str:
    pair = tell_pair(*one.pair, one.directed)
    graph = f"<td>{escape(one.graph_name)}</td>" if several else ""
    links = ""
    if nodes:
        shown = " ".join(f'<a href="#node={node}">{node}</a>' for node in one.nodes[:MOST_LINKS])
        more = f" and {len(one.nodes) - MOST_LINKS:,} more" if len(one.nodes) > MOST_LINKS else ""
        links = f'<td class="links">{shown}{more}</td>'
    link = f'<a href="#pair={pair}" data-pair-link="{pair}">{pair}</a>'
    return f"<tr>{graph}<td>{link}</td><td>{one.times:,}</td>{links}</tr>"
