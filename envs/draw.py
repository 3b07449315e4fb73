"""Pictures of episodes: drawn with matplotlib, shown in a pygame window.

Both are imported when a picture is first asked for, since searches need neither.
"""

import math
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.model import Array

SIZE, DPI = (7.2, 5.4), 100  # inches, and pixels per inch

INK, FAINT, PATH = "#22303c", "#8a97a3", "#1f5fa8"
GOOD, BAD, PRIZE = "#cfe8d5", "#f3c9c3", "#f6d873"


def paint(draw: Callable[[Any], None]) -> NDArray[np.uint8]:
    """The picture that `draw` makes on an empty matplotlib figure, uint8 [height, width, 3]."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=SIZE, dpi=DPI, facecolor="white")
    canvas: Any = FigureCanvasAgg(figure)
    draw(figure)
    canvas.draw()
    return np.array(canvas.buffer_rgba())[:, :, :3]


def heading(figure: Any, title: str, rewards: Sequence[float]) -> None:
    """The name of the environment above the figure on the left, the step count and the return on the right."""
    count = f"step {len(rewards)}     return {math.fsum(rewards):+.3f}".replace("-", "\N{MINUS SIGN}")
    top = {"y": 1.0 - 0.32 / figure.get_figheight(), "va": "center", "color": INK}
    figure.text(0.06, s=title, fontsize=15, fontweight="bold", **top)
    figure.text(0.94, s=count, fontsize=13, ha="right", **top)


def timelines(figure: Any, states: Array, rewards: Sequence[float], counter: int | None = None) -> None:
    """Draw each coordinate of the states, [T + 1, state_dim], but `counter`, that of steps, and the T rewards."""
    above, below = figure.subplots(2, sharex=True, height_ratios=[3, 1])
    for index, coordinate in enumerate(states.T):
        if index != counter:
            above.plot(coordinate, marker="o", markersize=3, label=f"state[{index}]")
    if 0 < len(above.lines) <= 12:
        above.legend(loc="upper left", frameon=False, fontsize=8)
    below.bar(np.arange(1, len(rewards) + 1), rewards, color=PATH)
    below.set(xlabel="step", ylabel="reward", xlim=(-0.5, max(len(rewards), 1) + 0.5))
    heading(figure, "Episode", rewards)


class Window:
    """A window that shows one picture after another.

    Args:
        fps: pictures per second.
    """

    def __init__(self, fps: int) -> None:
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
        import pygame

        self.pygame = pygame
        self.fps = fps
        self.clock = pygame.time.Clock()
        pygame.display.init()

    def show(self, picture: NDArray[np.uint8]) -> None:
        """Show a picture, [height, width, 3], for one frame."""
        height, width, _ = picture.shape
        screen = self.pygame.display.get_surface() or self.pygame.display.set_mode((width, height))
        self.pygame.surfarray.blit_array(screen, picture.swapaxes(0, 1))
        self.pygame.event.pump()
        self.pygame.display.flip()
        self.clock.tick(self.fps)

    def close(self) -> None:
        """Close the window."""
        self.pygame.display.quit()
