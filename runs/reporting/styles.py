"""The style of each planner's curve: one colour, marker and line in all pictures, which differ in print too."""

import re
from collections import Counter
from collections.abc import Iterable
from itertools import product
from typing import Any, NamedTuple
from zlib import crc32

INK, GREY = "#222222", "#6e6e6e"
BLUE, ORANGE, VERMILION, PINK, GREEN, SKY, BLACK = (
    # Okabe and Ito's colours (2008), distinguishable with any colour vision; their yellow is too pale for lines
    *("#0072B2", "#E69F00", "#D55E00", "#CC79A7", "#009E73", "#56B4E9", "#000000"),
)
COLOURS = (GREY, BLUE, ORANGE, VERMILION, PINK, GREEN, SKY, BLACK)
MARKERS: tuple[Any, ...] = (*"xos^D*vPX<>", *"phd8+1234|", *((points, 1, 0) for points in (4, 3, 6, 7, 8)))  # stars
LINES: tuple[Any, ...] = (
    *("-", (0, (5, 1.5)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)), (0, (11, 3))),
    *((0, (5, 1.5, 1, 1.5, 1, 1.5)), (0, (2.5, 2.5)), (0, (10, 2, 3, 2))),
)
# Planners that are often compared have different colours: the thesis's five, and the leaders over several problems.
# Those of one colour have LINES in this order, so that no two planners share colour and line, or marker and line.
PLANNERS: dict[str, tuple[str, Any]] = {
    **{"random": (GREY, "x"), "uct": (BLUE, "o"), "pw": (ORANGE, "s"), "dpw": (VERMILION, "^"), "voot": (SKY, "D")},
    **{"hoot": (BLUE, "4"), "poly_hoot": (ORANGE, "v"), "cmcgs": (GREY, "P"), "weighted_uct": (PINK, "X")},
    **{"abstraction": (GREEN, "*"), "scaled_abstraction": (ORANGE, ">"), "sequential_halving": (BLACK, "+")},
    **{"presearch": (SKY, "3"), "kr_uct": (GREY, "2"), "crave": (ORANGE, "8"), "adaptive": (BLACK, "*")},
    **{"open_loop": (GREEN, "1"), "random_shooting": (BLACK, "<"), "cem": (SKY, "h"), "icem": (VERMILION, "d")},
    **{"mppi": (PINK, "p"), "root": (GREEN, (4, 1, 0)), "threads": (SKY, (3, 1, 0)), "valued": (BLACK, (6, 1, 0))},
    **{"rave_uct": (VERMILION, (7, 1, 0)), "territory_uct": (BLUE, (8, 1, 0))},
    **{"do_nothing": (GREY, "|"), "constant": (BLACK, "x")},
}


class Style(NamedTuple):
    """The style of a curve: the colour stands for the planner, marker and line for its parameters too."""

    colour: str
    marker: Any
    line: Any
    filled: bool

    def look(self, size: float) -> dict[str, Any]:
        """Arguments of matplotlib's `plot`, with markers of this size."""
        face = self.colour if self.filled else "white"
        return {"color": self.colour, "ls": self.line, "marker": self.marker, "mfc": face, "ms": size}


def of_planners(texts: Iterable[str]) -> dict[str, Style]:
    """The style of each planner text; the first text of a planner has the planner's own, the others have free ones.

    Args:
        texts: of all planners that are drawn in one environment, so that their lines are the same in all its panels.
    """
    texts = list(dict.fromkeys(texts))
    names = {text: re.split("[:, ]", text, maxsplit=1)[0] for text in texts}
    first = {name: text for text, name in reversed(names.items())}
    own = {text for text in texts if first[names[text]] == text}
    found: dict[str, Style] = {}
    # planners with a line of their own before those from outside, and variants, which take any marker, last
    for text in sorted(texts, key=lambda text: (text not in own, names[text] not in PLANNERS)):
        colour, marker = _base(names[text])
        markers, lines = (marker,), LINES
        if text not in own:
            markers = MARKERS
        elif names[text] in PLANNERS:
            lines = (_line(names[text]),)
        found[text] = Style(colour, *_free(colour, markers, lines, found.values()), text in own)
    return {text: found[text] for text in texts}


def _free(colour: str, markers: Iterable[Any], lines: Iterable[Any], used: Iterable[Style]) -> tuple[Any, Any]:
    """The marker and the line that are farthest from those in use: together, with this colour, the marker alone."""
    used = list(used)
    together = Counter((one.marker, one.line) for one in used)
    coloured, alone = Counter((one.colour, one.line) for one in used), Counter(one.marker for one in used)
    choices = product(markers, lines)
    return min(choices, key=lambda pair: (together[pair], coloured[colour, pair[1]], alone[pair[0]]))


def _line(name: str) -> Any:
    alike = [other for other, (colour, _) in PLANNERS.items() if colour == PLANNERS[name][0]]
    return LINES[alike.index(name)]


def _base(name: str) -> tuple[str, Any]:
    """Colour and marker; those of an outside planner depend on its name alone."""
    digest = crc32(name.encode())
    return PLANNERS.get(name) or (COLOURS[1 + digest % (len(COLOURS) - 1)], MARKERS[digest // 7 % len(MARKERS)])
