"""Maps of the racetrack, and the ways to the finish on them."""

import functools
import heapq
import math
from typing import NamedTuple

import numpy as np

from bonspiel.planners.model import Array

WALL = -1.0

# S the start line, F the finish, # a wall; two cells of wall at least lie between the arms of a track
MAPS = {
    "corner": """
        ##########################
        ##########################
        #######.................F#
        #####...................F#
        ####....................F#
        ###.....................F#
        ###.....................F#
        ###.......################
        ###......#################
        ###......#################
        ###......#################
        ###......#################
        ###......#################
        ###......#################
        ###SSSSSS#################
        ##########################
    """,
    "hairpin": """
        ##########################
        ########..........########
        ######..............######
        #####................#####
        ####..................####
        ###....................###
        ###.........##.........###
        ##.........####.........##
        ##........######........##
        ##.......########.......##
        ##......##########......##
        ##......##########......##
        ##......##########......##
        ##......##########......##
        ##SSSSSS##########FFFFFF##
        ##########################
    """,
}


class Track(NamedTuple):
    """A map whose rows count upwards.

    Attributes:
        ways: the length of the shortest way from a cell's centre to the finish; 0 there, WALL off the track, [rows,
            columns].
        starts: (column, row) of each cell of the start line.
    """

    ways: Array
    starts: list[tuple[int, int]]


@functools.cache
def load(name: str) -> Track:
    """A track of this name."""
    rows = MAPS[name].split()[::-1]
    signs = {(column, row): sign for row, line in enumerate(rows) for column, sign in enumerate(line)}
    open_cells = {place for place, sign in signs.items() if sign != "#"}
    ways = np.full((len(rows), len(rows[0])), WALL)
    queue = [(0.0, place) for place, sign in signs.items() if sign == "F"]
    while queue:
        length, (column, row) = heapq.heappop(queue)
        if ways[row, column] != WALL:
            continue
        ways[row, column] = length
        for move in ((-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)):
            beyond = column + move[0], row + move[1]
            if {beyond, (column, beyond[1]), (beyond[0], row)} <= open_cells:  # no corner is cut
                heapq.heappush(queue, (length + math.hypot(*move), beyond))
    return Track(ways, sorted(place for place, sign in signs.items() if sign == "S"))
