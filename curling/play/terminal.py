"""A game of curling in a terminal: full screen, with the keys."""

import sys
import time
from collections.abc import Iterator
from functools import lru_cache, partial
from typing import Any

import numpy as np
from matplotlib.patches import Circle
from numpy.typing import NDArray
from rich.color import Color
from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.segment import Segment
from rich.style import Style
from rich.text import Text

from bonspiel.curling.env.picture import ICE, TEAMS, draw_ice, draw_paths, draw_rests, draw_stones, extent, moved
from bonspiel.curling.ice.sheet import STONE_RADIUS, Sheet
from bonspiel.curling.play.game import InteractiveGame
from bonspiel.curling.play.keys import keys
from bonspiel.curling.play.report import caption, message
from bonspiel.curling.play.view import View
from bonspiel.envs.draw import FAINT, paint
from bonspiel.runs.experiment import UsageError

SMALLEST = 80, 24
ABOVE, BELOW = 2, 2  # lines of text
FRAME = 1.0 / 30.0  # seconds
STEP, LEAP = 0.05, 0.5  # m
HELP = "? help  q quit  arrows aim  w weight  s spin  enter throw"
MORE = """
  You and the planner throw a stone in turns, eight each in an end. The team
  with the stone nearest the centre of the rings, the tee, scores one for each
  of its stones that is nearer than the other team's best. The hammer is the
  last stone of an end; who scores loses it. In mixed doubles each throws five,
  and an end begins with a stone of each set up, as one team chooses (w, enter).

  Green dots: where your stone would go without any error of the throw.

  arrows        move the target by 5 cm; with shift, or as H J K L, by 50 cm
  w or + and -  weight: a draw stops at the target; a control hit, a normal
                hit and a peel go through it, ever faster
  s             spin: an out-turn curls to the left (up), an in-turn to the right (down)
  enter, space  throw; while stones move: skip to where they stop
  c             target back to the tee
  q             quit

  Any key returns to the game."""
ARROWS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}  # x is down, y to the right
VI = dict(zip("kjhl", ARROWS.values(), strict=True))
FAR = {f"shift {key}": way for key, way in ARROWS.items()} | {key.upper(): way for key, way in VI.items()}
MOVES = {key: (size * x, size * y) for size, ways in ((STEP, ARROWS | VI), (LEAP, FAR)) for key, (x, y) in ways.items()}
AIM = "#0f8a5f"
DPI = 64  # a power of two: pixels are then whole in inches, too
PEN = 0.7
PALE = 0.45
RADIUS = 1.5 * STONE_RADIUS


def check() -> Console:
    """The terminal.

    Raises:
        UsageError: standard input or output is no terminal, or it is too small or has no colours.
    """
    console = Console(highlight=False)
    if not (sys.stdin.isatty() and console.is_terminal):
        raise UsageError("standard input or output is not a terminal; --web plays in a browser")
    if console.color_system is None or console.is_dumb_terminal:
        raise UsageError("this terminal shows no colours; --web plays in a browser")
    if not _fits(console):
        needed = f"the game needs {SMALLEST[0]} and {SMALLEST[1]}; --web plays in a browser"
        raise UsageError(f"this terminal has {console.width} columns and {console.height} lines, {needed}")
    return console


def play_in_terminal(game: InteractiveGame) -> None:
    """Play until the game is over or left; then restore the terminal.

    Raises:
        UsageError: as for `check`.
        RunError: the planner failed.
    """
    console = check()
    with keys() as read, Live(console=console, screen=True, auto_refresh=False) as live:
        screen, size = Screen(game), console.size
        live.update(screen, refresh=True)
        while not screen.closed:
            pressed = read(FRAME)
            for key in pressed:
                screen.press(key, time.monotonic())
            if game.tick(time.monotonic()) or pressed or console.size != size:
                size = console.size
                live.refresh()


class Screen:
    """The content of the terminal, as Rich renders it."""

    def __init__(self, game: InteractiveGame) -> None:
        self.game, self.closed, self._help = game, False, False

    def press(self, key: str, now: float) -> None:
        """Handle a key."""
        game = self.game
        if self._help or key == "?":
            self._help = not self._help
        elif key in ("q", "Q") or (game.phase == "over" and key in ("enter", " ")):
            self.closed = True
        elif key in ("enter", " "):
            game.press(now)
        elif key in MOVES:
            game.move(*MOVES[key])
        elif key == "s":
            game.turn()
        elif key in ("w", "+", "-"):
            game.weigh(-1 if key == "-" else 1)
        elif key == "c":
            game.point(0.0, game.model.law.sheet.tee)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The score, the ice, what happens, the keys."""
        if not _fits(console):
            larger = f"please make this terminal {SMALLEST[0]} x {SMALLEST[1]} or larger"
            yield Text(f"{console.width} columns and {console.height} lines are too few: {larger}")
        elif self._help:
            yield Text(MORE)
        else:
            for team in (0, 1):
                yield score_line(self.game, team)
            yield from self._ice(console)
            yield Text(f" {message(self.game)}", style="bold", no_wrap=True, overflow="ellipsis")
            line = Text(f" {caption(self.game)}  ", no_wrap=True, overflow="ellipsis", end="")
            yield line.append(HELP, style=FAINT)

    def _ice(self, console: Console) -> Iterator[Segment]:
        width, height = console.width, 2 * (console.height - ABOVE - BELOW)
        pixels = paint_view(self.game.view(time.monotonic()), self.game.model.law.sheet, width, height)
        lines = half_blocks(pixels)
        margin = " " * ((width - pixels.shape[1]) // 2)
        for line in lines:
            yield Segment(margin)
            yield from line
            yield Segment.line()
        yield from [Segment.line()] * (height // 2 - len(lines))


def score_line(game: InteractiveGame, team: int) -> Text:
    """A team: its stones left, the hammer, its points in the last ends, and in all."""
    line = Text(" ", no_wrap=True, overflow="crop")
    line.append("\N{BLACK CIRCLE} ", style=TEAMS[team]).append(f"{game.names[team]:.28}".ljust(29), style="bold")
    line.append("\N{BLACK CIRCLE} " * game.left[team], style=TEAMS[team])
    line.append("\N{MIDDLE DOT} " * (game.model.end_shots // 2 - game.left[team]), style=FAINT)
    line.append("hammer " if game.hammer == team else "       ")
    for points in game.ends[-6:]:
        line.append(f"{max(0, points if team == 0 else -points):2}", style=FAINT)
    line.append(f"{game.points[team]:4} ", style=f"bold {TEAMS[team]}")
    return line


def half_blocks(pixels: NDArray[np.uint8]) -> list[list[Segment]]:
    """A picture, [height, width, 3], as lines of text: each character shows two pixels, one above the other."""
    pixels = pixels[: len(pixels) // 2 * 2]
    pairs = np.concatenate([pixels[0::2], pixels[1::2]], axis=2)
    lines = []
    for row in pairs:
        starts = np.flatnonzero(np.concatenate([[True], (row[1:] != row[:-1]).any(axis=1)]))
        lengths = np.diff(np.append(starts, len(row)))
        runs = zip(lengths.tolist(), row[starts].tolist(), strict=True)
        lines.append([Segment("\N{UPPER HALF BLOCK}" * n, _style(tuple(pair))) for n, pair in runs])
    return lines


@lru_cache(4096)
def _style(pair: tuple[int, ...]) -> Style:
    return Style(color=Color.from_rgb(*pair[:3]), bgcolor=Color.from_rgb(*pair[3:]))


def _fits(console: Console) -> bool:
    return console.width >= SMALLEST[0] and console.height >= SMALLEST[1]


def paint_view(view: View, sheet: Sheet, width: int, height: int) -> NDArray[np.uint8]:
    """The largest picture within `width` and `height` in pixels, uint8 [height, width, 3].

    Stones come from the left, the thrower's right is at the bottom.
    """
    near, far = extent(sheet)
    scale = min(width / (far - near), height / (2.0 * sheet.half_width))
    size = round(scale * (far - near)), round(scale * 2.0 * sheet.half_width)
    return paint(partial(_draw, view=view, sheet=sheet, size=size))


def _draw(figure: Any, view: View, sheet: Sheet, size: tuple[int, int]) -> None:
    figure.set_dpi(DPI)
    figure.set_size_inches(size[0] / DPI, size[1] / DPI)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    draw_ice(axes, sheet, PEN)
    axes.add_artist(Circle((sheet.tee, 0.0), sheet.house_radius, facecolor=ICE, alpha=PALE))
    if view.trail is not None:
        draw_paths(axes, sheet, view.trail, PEN)
    draw_stones(axes, view.stones, RADIUS, PEN)
    if view.preview is not None:
        for _, way in moved(view.preview):
            axes.plot(way[:, 1], way[:, 0], color=AIM, linestyle=":", linewidth=2.0 * PEN, zorder=3)
        draw_rests(axes, view.preview, 0.5 * PEN)
    if view.target is not None:
        x, y = view.target
        for width, colour in ((4.0, "white"), (2.0, AIM)):
            cross = {"color": colour, "linewidth": width * PEN, "zorder": 7}
            axes.plot((y - RADIUS, y + RADIUS), (x, x), **cross)
            axes.plot((y, y), (x - RADIUS, x + RADIUS), **cross)
