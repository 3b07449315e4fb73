"""The style of each planner's curve: one colour and one marker in all pictures."""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple
from zlib import crc32

INK, GREY = "#222222", "#6e6e6e"
BLUE, ORANGE, VERMILION, PINK, GREEN, SKY, BLACK = (
    # Okabe and Ito's colours (2008), distinguishable with any colour vision; their yellow is too pale for lines
    *("#0072B2", "#E69F00", "#D55E00", "#CC79A7", "#009E73", "#56B4E9", "#000000"),
)
COLOURS = (GREY, BLUE, ORANGE, VERMILION, PINK, GREEN, SKY, BLACK)
MARKERS: tuple[Any, ...] = (*"xos^D*vPX<>", *"phd8+1234|", *((points, 1, 0) for points in (4, 3, 6, 7, 8)))  # stars
LINES = ("-", (0, (5, 1.5)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)))
# Planners that are often compared have different colours: the thesis's five, and the leaders over several problems.
PLANNERS: dict[str, tuple[str, Any]] = {
    **{"random": (GREY, "x"), "uct": (BLUE, "o"), "pw": (ORANGE, "s"), "dpw": (VERMILION, "^"), "voot": (SKY, "D")},
    **{"hoot": (BLUE, "4"), "poly_hoot": (ORANGE, "v"), "cmcgs": (GREY, "P"), "weighted_uct": (PINK, "X")},
    **{"abstraction": (GREEN, "*"), "scaled_abstraction": (ORANGE, ">"), "adaptive": (BLACK, "*")},
    **{"presearch": (SKY, "3"), "kr_uct": (GREY, "2"), "crave": (ORANGE, "8"), "sequential_halving": (BLACK, "+")},
    **{"open_loop": (GREEN, "1"), "random_shooting": (BLACK, "<"), "cem": (SKY, "h"), "icem": (VERMILION, "d")},
    **{"mppi": (PINK, "p"), "root": (GREEN, (4, 1, 0)), "threads": (SKY, (3, 1, 0)), "valued": (BLACK, (6, 1, 0))},
    **{"rave_uct": (VERMILION, (7, 1, 0)), "territory_uct": (BLUE, (8, 1, 0)), "champion": (GREEN, "D")},
    **{"expectimax": (BLUE, "s"), "rulebased": (ORANGE, "^"), "process": (GREY, "o"), "gtp": (GREY, "s")},
}


class Style(NamedTuple):
    """The style of a curve: colour and marker stand for the planner, the line for its parameters."""

    colour: str
    marker: Any
    line: Any
    filled: bool


def of_planners(texts: Iterable[str]) -> dict[str, Style]:
    """The style of each planner text.

    Args:
        texts: of all planners that are drawn in one environment, so that their lines are the same in all its panels.
    """
    used: dict[str, int] = {}
    result = {}
    for text in dict.fromkeys(texts):
        name = re.split("[:, ]", text, maxsplit=1)[0]
        variant = used[name] = used.get(name, -1) + 1
        result[text] = Style(*_base(name), LINES[variant % len(LINES)], variant == 0)
    return result


def _base(name: str) -> tuple[str, Any]:
    """Colour and marker; those of an outside planner depend on its name alone."""
    digest = crc32(name.encode())
    return PLANNERS.get(name) or (COLOURS[1 + digest % (len(COLOURS) - 1)], MARKERS[digest // 7 % len(MARKERS)])
