"""The words of a report, explained where they stand."""

from __future__ import annotations

from html import escape

TERMS = {
    "proved": "No attack within the budget changes the answer: this was proved, not tested.",
    "broken": "An attack within the budget is known. It was evaluated rigorously, and can be drawn.",
    "undecided": "A limit was hit before an attack or a proof was found.",
    "budget": "How many edges the adversary may delete or insert, all in all.",
    "radius": "The largest budget that the answer survives; one flip more can break it.",
    "right and proved": "The class that was defended is the true one, and no attack within the budget changes it. "
    "Its share is the certified accuracy.",
    "survives": "The largest number of flips for which the answer is proved to stay; an interval where that is not "
    "known exactly.",
    "followed from others": "Answered without a search: what is proved for a budget is proved for smaller ones, and an "
    "attack counts for larger ones.",
    "questions": "One verdict or one radius of one node or graph.",
    "pair": "Two vertices. A flip of the pair deletes the edge between them, or inserts it where there is none.",
}


def term(name: str, shown: str = "") -> str:
    """A word with its explanation, as HTML; `shown` where the sentence needs another form of it."""
    return f'<span class="term" tabindex="0" data-tip="{escape(TERMS[name])}">{escape(shown or name)}</span>'
