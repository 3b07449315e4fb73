"""A game of curling in a window: with the mouse, and with the keys."""

import time
from contextlib import closing
from pathlib import Path
from typing import Any

import matplotlib
import pygame

from bonspiel.envs.curling.picture import GRANITE, TEAMS
from bonspiel.envs.draw import FAINT, INK
from bonspiel.runs.curling.play.game import InteractiveGame
from bonspiel.runs.curling.play.picture import Picture
from bonspiel.runs.curling.play.report import caption, message
from bonspiel.runs.experiment import UsageError

SIZE, SMALLEST = (1080, 700), (640, 430)
FRAMES = 60  # a second
ABOVE, BELOW = 84, 66  # pixels for the score and for the message
STEP, LEAP = 0.02, 0.2  # m
MOVES = {pygame.K_LEFT: (0.0, -1.0), pygame.K_RIGHT: (0.0, 1.0), pygame.K_UP: (-1.0, 0.0), pygame.K_DOWN: (1.0, 0.0)}
HELP = "mouse or arrows: target   click: throw   wheel or W: weight   right click or S: spin   Q: quit"
FONTS = Path(matplotlib.get_data_path()) / "fonts" / "ttf"


def check_display() -> None:
    """Open the display.

    Raises:
        UsageError: there is no visible display.
    """
    try:
        pygame.display.init()
        seen = pygame.display.get_driver() != "offscreen"  # SDL's last resort; "dummy" it takes only when asked for
    except pygame.error:
        seen = False
    if not seen:
        pygame.display.quit()
        raise UsageError("no display here; play without --window, in the terminal")


def play_in_window(game: InteractiveGame) -> None:
    """Play until the window is closed.

    Raises:
        RunError: the planner failed.
    """
    clock = pygame.time.Clock()
    with closing(GameWindow(game)) as window:
        while window.step(time.monotonic()):
            clock.tick(FRAMES)


class GameWindow:
    """The window of a game."""

    def __init__(self, game: InteractiveGame) -> None:
        self.game = game
        self._open, self._changed = True, True
        pygame.display.init()
        pygame.font.init()
        pygame.display.set_caption(f"bonspiel: {' against '.join(game.names)}")
        pygame.display.set_mode(SIZE, pygame.RESIZABLE)
        pygame.key.set_repeat(300, 30)
        self._plain = {size: pygame.font.Font(FONTS / "DejaVuSans.ttf", size) for size in (13, 16, 17)}
        self._bold = {size: pygame.font.Font(FONTS / "DejaVuSans-Bold.ttf", size) for size in (16, 17, 34)}
        self._fit()

    def close(self) -> None:
        """Close the window."""
        pygame.display.quit()

    def step(self, now: float) -> bool:
        """Handle the input, advance to `now`, paint changes; returns whether the window is still open."""
        for event in pygame.event.get():
            self._handle(event, now)
            self._changed = True
        if self.game.tick(now) or self._changed:
            self._paint(now)
        self._changed = False
        return self._open

    def _fit(self) -> None:
        """Adapt the layout to the size of the window."""
        self._surface = pygame.display.get_surface()
        width, height = self._surface.get_size()
        self._picture = Picture(self.game.model.law.sheet, width, max(1, height - ABOVE - BELOW))
        spare = width - self._picture.size[0], height - ABOVE - BELOW - self._picture.size[1]
        self._corner = spare[0] // 2, ABOVE + spare[1] // 2

    def _handle(self, event: Any, now: float) -> None:
        game = self.game
        if event.type == pygame.QUIT:
            self._open = False
        elif event.type == pygame.VIDEORESIZE:
            if event.w < SMALLEST[0] or event.h < SMALLEST[1]:
                pygame.display.set_mode((max(event.w, SMALLEST[0]), max(event.h, SMALLEST[1])), pygame.RESIZABLE)
            self._fit()
        elif event.type == pygame.MOUSEMOTION:
            self._point(event.pos)
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            if game.phase == "aim":
                self._point(event.pos)
            game.press(now)
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 3:
            game.turn()
        elif event.type == pygame.MOUSEWHEEL:
            game.weigh(1 if event.y > 0 else -1)
        elif event.type == pygame.KEYDOWN:
            self._key(event, now)

    def _key(self, event: Any, now: float) -> None:
        game = self.game
        if event.key == pygame.K_q:
            self._open = False
        elif event.key in (pygame.K_RETURN, pygame.K_SPACE):
            game.press(now)
        elif event.key in (pygame.K_s, pygame.K_TAB):
            game.turn()
        elif event.key in (pygame.K_w, pygame.K_PLUS, pygame.K_KP_PLUS, pygame.K_MINUS, pygame.K_KP_MINUS):
            game.weigh(-1 if event.key in (pygame.K_MINUS, pygame.K_KP_MINUS) else 1)
        elif event.key in MOVES:
            across, along = MOVES[event.key]
            step = LEAP if event.mod & pygame.KMOD_SHIFT else STEP
            game.move(step * across, step * along)

    def _point(self, pixel: tuple[int, int]) -> None:
        self.game.point(*self._picture.target_at(pixel[0] - self._corner[0], pixel[1] - self._corner[1]))

    def _paint(self, now: float) -> None:
        width, height = self._surface.get_size()
        self._surface.fill("white")
        self._surface.blit(self._picture.paint(self.game.view(now)), self._corner)
        for team in (0, 1):
            self._paint_team(team)
        self._write(":", self._bold[34], FAINT, (width // 2, 38))
        self._write(caption(self.game), self._plain[16], INK, (width // 2, 70))
        self._write(message(self.game), self._bold[17], INK, (width // 2, height - 45))
        self._write(HELP, self._plain[13], FAINT, (width // 2, height - 17))
        pygame.display.flip()

    def _paint_team(self, team: int) -> None:
        """Name, hammer, stones left and points: team 0's from the left edge, team 1's from the right."""
        game, surface = self.game, self._surface
        edge, inwards = (0, 1) if team == 0 else (surface.get_width(), -1)
        for radius, ink in ((26, INK), (25, GRANITE), (17, TEAMS[team])):
            pygame.draw.circle(surface, ink, (edge + inwards * 44, 42), radius)
        name = game.names[team] + ("  \N{BULLET}  hammer" if game.hammer == team else "")
        font = self._bold[16] if game.hammer == team else self._plain[16]
        self._write(name, font, INK, (edge + inwards * 84, 28), -inwards)
        for i in range(game.model.end_shots // 2):
            place = edge + inwards * (92 + 22 * i), 56
            pygame.draw.circle(surface, FAINT, place, 9)
            pygame.draw.circle(surface, TEAMS[team] if i < game.left[team] else "white", place, 8)
        centre = surface.get_width() // 2
        self._write(str(game.points[team]), self._bold[34], INK, (centre - inwards * 40, 38))
        ends = "  ".join(str(max(0, n if team == 0 else -n)) for n in game.ends[-8:])
        self._write(ends, self._plain[16], FAINT, (centre - inwards * 84, 40), inwards)

    def _write(self, text: str, font: Any, colour: str, place: tuple[int, int], side: int = 0) -> None:
        """Write a text centred at a place (0), left of it (1) or right of it (-1)."""
        image = font.render(text, True, colour)
        x = place[0] - image.get_width() * (1 + side) // 2
        self._surface.blit(image, (x, place[1] - image.get_height() // 2))
