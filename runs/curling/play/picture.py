"""The sheet from above as a pygame picture of any size, from a full window to the few dozen pixels of a terminal.

Everything is drawn enlarged and then averaged, which smooths edges. The ice is drawn once, the rest every time.
"""

import os
from typing import Any

import numpy as np

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
import pygame

from bonspiel.curling.ice.sheet import STONE_RADIUS, TEAM_STONES, Sheet, present
from bonspiel.envs.curling.picture import BEFORE_HOG, BEHIND_BACK, GRANITE, HOG, ICE, LINE, RINGS, TEAMS, moved
from bonspiel.envs.draw import INK
from bonspiel.planners.model import Array
from bonspiel.runs.curling.play.view import View

AIM = "#0f8a5f"
COARSE = 30.0  # pixels a metre; below, stones are plain and bold, and the rings pale behind them
PALE = 0.45


def extent(sheet: Sheet) -> tuple[float, float]:
    """Length and width of the visible part of the sheet, m."""
    return sheet.back_line + BEHIND_BACK - sheet.hog_line + BEFORE_HOG, 2.0 * sheet.half_width


class Picture:
    """Pictures of one sheet in one size: stones come from the left, the thrower's right is at the bottom.

    Args:
        sheet: the lines.
        width: pixels at most.
        height: pixels at most.
        fine: factor of the enlargement.
    """

    def __init__(self, sheet: Sheet, width: int, height: int, fine: int = 2) -> None:
        length, breadth = extent(sheet)
        scale = min(width / length, height / breadth)
        self.size = round(scale * length), round(scale * breadth)
        self._sheet, self._scale = sheet, scale * fine
        self._coarse = scale < COARSE
        self._pen = max(1, round(fine * (0.6 if self._coarse else scale / 90.0)))
        self._ice = pygame.Surface((self.size[0] * fine, self.size[1] * fine), 0, 32)
        self._draw_ice()
        self._layer, self._small = self._ice.copy(), pygame.Surface(self.size, 0, 32)

    def paint(self, view: View) -> Any:
        """A `pygame.Surface` of `size` that is valid until the next call."""
        layer = self._layer
        layer.blit(self._ice, (0, 0))
        if view.trail is not None:
            self._draw_trail(view.trail)
        if view.preview is not None:
            self._draw_preview(view.preview)
        for i in np.flatnonzero(present(view.stones)):
            self._draw_stone(view.stones[i], TEAMS[i // TEAM_STONES])
        if view.target is not None:
            self._draw_target(view.target)
        return pygame.transform.smoothscale(layer, self.size, self._small)

    def target_at(self, x: float, y: float) -> tuple[float, float]:
        """(x, y) in m of a pixel."""
        length, breadth = extent(self._sheet)
        near = self._sheet.hog_line - BEFORE_HOG
        return (y + 0.5) / self.size[1] * breadth - self._sheet.half_width, (x + 0.5) / self.size[0] * length + near

    def _pixel(self, place: Any) -> tuple[float, float]:
        near = self._sheet.hog_line - BEFORE_HOG
        return (place[1] - near) * self._scale, (place[0] + self._sheet.half_width) * self._scale

    def _draw_ice(self) -> None:
        ice, sheet = self._ice, self._sheet
        width, height = ice.get_size()
        ice.fill(ICE)
        tee = self._pixel((0.0, sheet.tee))
        for share, colour in RINGS:
            radius = share * sheet.house_radius * self._scale
            pygame.draw.circle(ice, pygame.Color(colour).lerp(ICE, PALE if self._coarse else 0.0), tee, radius)
            if not self._coarse:
                pygame.draw.circle(ice, LINE, tee, radius, self._pen)
        pygame.draw.line(ice, LINE, (0, tee[1]), (width, tee[1]), self._pen)
        for y, colour, pen in ((sheet.tee, LINE, 1), (sheet.back_line, LINE, 1), (sheet.hog_line, HOG, 3)):
            across = self._pixel((0.0, y))[0]
            pygame.draw.line(ice, colour, (across, 0), (across, height), pen * self._pen)
        pygame.draw.rect(ice, LINE, ice.get_rect(), self._pen)

    def _draw_stone(self, place: Array, colour: str) -> None:
        centre, radius = self._pixel(place), STONE_RADIUS * self._scale
        plain, fine = ((1.35, INK), (1.0, colour)), ((1.0, INK), (0.94, GRANITE), (0.68, INK), (0.64, colour))
        for share, ink in plain if self._coarse else fine:
            pygame.draw.circle(self._layer, ink, centre, share * radius)

    def _draw_trail(self, trail: Array) -> None:
        for i, way in moved(trail):
            points, colour = [self._pixel(place) for place in way], TEAMS[i // TEAM_STONES]
            for ink, pen in ((colour, 2),) if self._coarse else ((INK, 4), (colour, 2)):
                pygame.draw.lines(self._layer, ink, False, points, pen * self._pen)

    def _draw_preview(self, preview: Array) -> None:
        """A dotted line for each stone that would move, and a ring where it would come to rest."""
        radius, gap = STONE_RADIUS * self._scale, (0.9 if self._coarse else 0.55) * STONE_RADIUS
        for i, way in moved(preview):
            end = self._pixel(preview[-1, i])
            if not np.isnan(end[0]):
                pygame.draw.circle(self._layer, "white", end, radius)
                pygame.draw.circle(self._layer, TEAMS[i // TEAM_STONES], end, radius, 2 * self._pen)
            along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(way, axis=0).T))])
            for distance in np.arange(0.0, along[-1], gap):
                place = np.interp(distance, along, way[:, 0]), np.interp(distance, along, way[:, 1])
                pygame.draw.circle(self._layer, AIM, self._pixel(place), (1.0 if self._coarse else 1.8) * self._pen)

    def _draw_target(self, target: tuple[float, float]) -> None:
        (x, y), arm = self._pixel(target), 1.6 * STONE_RADIUS * self._scale
        for pen, colour in ((4, "white"), (2, AIM)):
            pygame.draw.line(self._layer, colour, (x - arm, y), (x + arm, y), pen * self._pen)
            pygame.draw.line(self._layer, colour, (x, y - arm), (x, y + arm), pen * self._pen)
