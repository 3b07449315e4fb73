"""Eye shapes in the middle of a board, walled in by the defender's chain and that by the attacker's."""

from bonspiel.go.neighbourhoods import BLACK
from bonspiel.go.tsumego.problem import Tsumego

SIZE = 10
UNSETTLED = {
    "straight three": "...",
    "bent three": "../. ",
    "pyramid four": ".../ . ",
    "bulky five": "../../. ",
    "crossed five": " . /.../ . ",
    "flower six": ".. /.../ . ",
}
ALIVE = {
    "straight four": "....",
    "L four": ". /. /..",
    "zigzag four": ".. / ..",
    "straight five": ".....",
    "rectangle six": ".../...",
}
DEAD = {"two": "..", "square four": "../.."}


def around(points):
    near = {(row + down, column + right) for row, column in points for down in (-1, 0, 1) for right in (-1, 0, 1)}
    return near - points


def enclosed(shape, mover=BLACK):
    """Black's eye shape; dots are its points."""
    rows = shape.split("/")
    inner = {(2 + r, 2 + c) for r, line in enumerate(rows) for c, mark in enumerate(line) if mark == "."}
    black = around(inner)
    white = around(inner | black)
    stones, numbers = [0] * (SIZE * SIZE), {}
    for name, points in (("inner", inner), ("black", black), ("white", white)):
        numbers[name] = tuple(sorted(row * SIZE + column for row, column in points))
        for number in numbers[name]:
            stones[number] = {"inner": 0, "black": 1, "white": -1}[name]
    return Tsumego(SIZE, tuple(stones), numbers["inner"], numbers["black"], mover)
