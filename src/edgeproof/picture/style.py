"""One palette for the page, for notebooks and for papers: Okabe and Ito's colours, told apart by nearly all eyes."""

from __future__ import annotations

# of classes; black or white is written on them
CLASSES = (
    ("#56b4e9", "#000"), ("#e69f00", "#000"), ("#009e73", "#000"), ("#cc79a7", "#000"), ("#f0e442", "#000"),
    ("#0072b2", "#fff"), ("#d55e00", "#000"), ("#999999", "#000"),
)  # fmt: skip
# of edges, and of what was found
KEPT, DELETED, INSERTED = "#9aa4b2", "#c8102e", "#0a7d33"
ROBUST, VULNERABLE, UNKNOWN = "#0a7d33", "#c8102e", "#9a5b00"
# of lines in charts; the first two carry the message, and later ones are told apart by dashes too
LINES = ("#1c2330", "#0072b2", "#d55e00", "#009e73", "#b0468a", "#8a7400", "#3aa0dd", "#7d7d7d")
DASHES: tuple[tuple[float, ...], ...] = ((), (7, 4), (2, 3), (9, 3, 2, 3))
INK, PAPER = "#1c2330", "#ffffff"
BEFORE = "#9aa4b2"  # scores of the graph as it is; after the attack they have the ink's colour
MANY_FLIPS = 20  # past so many, a hub is drawn in groups
HALF_DARK = 0.55  # of a heat map: from here on its numbers are white


def class_colour(label: int) -> tuple[str, str]:
    """The fill of a class, and what is written on it."""
    return CLASSES[label % len(CLASSES)]


def name_class(label: int, names: tuple[str, ...] = ()) -> str:
    return names[label] if 0 <= label < len(names) else f"class {label}"
