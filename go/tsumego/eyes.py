"""Static tests and estimates of a position: room for two eyes, life, and moves needed to live or to kill."""

from bonspiel.go.board import Board, Ints
from bonspiel.go.neighbourhoods import EDGE, EMPTY, SIDES
from bonspiel.go.tsumego.game import (
    ATTACKER,
    CHAINS,
    CONNECTIONS,
    COUNT,
    EYES,
    LABELS,
    LINKS,
    LIST,
    LISTED,
    SIZE,
    STONES,
    Game,
    board_of,
)
from bonspiel.planners.jit import helper

MOST_CHAINS = 60  # bits of a set
MOST_MOVES = 8  # of an estimate
CAPTURE = 2  # moves that a stone in the way is taken to cost


@helper
def _mark_safe_chains(game: Game, board: Board) -> None:
    """Mark the heads of the attacker's chains that nobody can take, in the scratch row CHAINS.

    With the switch `connections` also those that share two empty points with safe ones: if one is taken, the other
    connects. No point serves two of them.
    """
    safe, used = game.scratch[CHAINS], game.scratch[LINKS]
    safe[:] = 0
    for anchor in game.anchors:
        safe[board.heads[anchor]] = 1
    if game.settings[CONNECTIONS] == 0:
        return
    used[:] = 0
    spread = True
    while spread:
        spread = False
        for point in game.region:
            if board.colours[point] == game.settings[ATTACKER] and safe[board.heads[point]] == 0:
                spread |= _connect(game, board, board.heads[point], safe, used)


@helper
def _connect(game: Game, board: Board, head: int, safe: Ints, used: Ints) -> bool:
    """Mark a chain if two free points are beside it and beside a safe one; return whether it is marked."""
    first = 0
    for point in game.region:
        if board.colours[point] != EMPTY or used[point] > 0:
            continue
        beside, beside_safe = False, False
        for side in range(SIDES):
            near = point + board.steps[side]
            if board.colours[near] == game.settings[ATTACKER]:
                beside |= board.heads[near] == head
                beside_safe |= safe[board.heads[near]] > 0
        if beside and beside_safe:
            if first > 0:
                used[first] = used[point] = safe[head] = 1
                return True
            first = point
    return False


@helper
def _may_be_eye(game: Game, board: Board, point: int) -> bool:
    """Return whether a point of the region could be part of an eye: no safe stone is on it or beside it."""
    safe, attacker = game.scratch[CHAINS], game.settings[ATTACKER]
    if board.colours[point] == attacker and safe[board.heads[point]] > 0:
        return False
    for side in range(SIDES):
        near = point + board.steps[side]
        seen = board.colours[near]
        if seen == attacker and safe[board.heads[near]] > 0:
            return False
        if seen == EMPTY and game.inside[near] == 0:
            return False
    return True


@helper
def _find_eye_points(game: Game, row: int) -> None:
    """List the points that could become points of an eye in the scratch row EYES, unless they are there already."""
    if game.eye_points[LISTED] == game.facts[row, STONES]:
        return
    board, count = board_of(game, row), 0
    _mark_safe_chains(game, board)
    for point in game.region:
        if _may_be_eye(game, board, point):
            game.scratch[EYES, count] = point
            count += 1
    game.eye_points[LISTED], game.eye_points[COUNT] = game.facts[row, STONES], count


@helper
def _is_beside(game: Game, one: int, other: int) -> bool:
    """Return whether two points are neighbours; a line of the board takes one place more than its points."""
    apart = abs(one - other)
    return apart == 1 or apart == game.settings[SIZE] + 1


@helper
def two_eyes_fit(game: Game, row: int) -> bool:
    """Return whether two points that are not neighbours could become eyes; among three there are always two."""
    _find_eye_points(game, row)
    count, points = game.eye_points[COUNT], game.scratch[EYES]
    return count > 2 or (count == 2 and not _is_beside(game, points[0], points[1]))


@helper
def is_alive(game: Game, board: Board) -> bool:
    """Return whether a crucial chain lives whatever is played (Benson 1976): two eyes are vital to it.

    An eye is vital to a chain if all its empty points are liberties of the chain, and the chains around it live.
    """
    labels, todo = game.scratch[LABELS], game.scratch[LIST]
    numbers, chains = game.scratch[LINKS], 0
    defender = 3 - game.settings[ATTACKER]
    for point in game.region:
        labels[point] = 0
        for side in range(SIDES):
            near = point + board.steps[side]
            if board.colours[near] == defender:
                numbers[board.heads[near]] = -1
    alive, before, eyes = (1 << MOST_CHAINS) - 1, 0, 1
    while alive != before:
        before, once, twice = alive, 0, 0
        for point in game.region:
            if labels[point] == eyes or board.colours[point] == defender:
                continue
            vital, around, enclosed, size = (1 << MOST_CHAINS) - 1, 0, True, 1
            labels[point], todo[0] = eyes, point
            while size > 0:
                size -= 1
                here, beside = todo[size], 0
                for side in range(SIDES):
                    near = here + board.steps[side]
                    seen = board.colours[near]
                    if seen == defender:
                        head = board.heads[near]
                        if numbers[head] < 0:
                            numbers[head] = chains
                            chains += 1
                        beside |= 1 << min(numbers[head], MOST_CHAINS - 1)
                    elif seen != EDGE and game.inside[near] == 0:
                        enclosed = False
                    elif seen != EDGE and labels[near] != eyes:
                        labels[near], todo[size] = eyes, near
                        size += 1
                around |= beside
                if board.colours[here] == EMPTY:
                    vital &= beside
            if enclosed and around & ~alive == 0:
                vital &= around
                twice |= once & vital
                once |= vital
        alive = before & twice
        eyes += 1
    if alive == 0 or chains >= MOST_CHAINS:
        return False
    for point in game.crucial:
        if board.colours[point] == defender:
            number = numbers[board.heads[point]] if _touches_region(game, board, board.heads[point]) else -1
            if number >= 0 and alive >> number & 1:
                return True
    return False


@helper
def _touches_region(game: Game, board: Board, head: int) -> bool:
    """Return whether a chain is beside a point of the region that its own colour does not hold."""
    for point in game.region:
        if board.colours[point] != board.colours[head]:
            for side in range(SIDES):
                near = point + board.steps[side]
                if board.colours[near] == board.colours[head] and board.heads[near] == head:
                    return True
    return False


@helper
def moves_to_live(game: Game, row: int) -> int:
    """Estimate the moves that the defender still needs for two eyes, at most MOST_MOVES."""
    _find_eye_points(game, row)
    board, costs, defender = board_of(game, row), game.scratch[LABELS], 3 - game.settings[ATTACKER]
    points, least = game.scratch[EYES], MOST_MOVES
    for place in range(game.eye_points[COUNT]):
        point = points[place]
        costs[place] = MOST_MOVES if board.colours[point] == defender else CAPTURE
        if board.colours[point] == EMPTY:
            costs[place] = 0
        for side in range(SIDES):
            seen = board.colours[point + board.steps[side]]
            costs[place] += 1 if seen == EMPTY else 0 if seen in (defender, EDGE) else CAPTURE
        for earlier in range(place):
            if costs[earlier] + costs[place] < least and not _is_beside(game, points[earlier], point):
                least = costs[earlier] + costs[place]
    return least


@helper
def moves_to_kill(game: Game, row: int) -> int:
    """Estimate the moves that leave the defender one eye: the eyes that fit, apart from each other, less one."""
    _find_eye_points(game, row)
    board, points, taken, count = board_of(game, row), game.scratch[EYES], game.scratch[LIST], 0
    for place in range(game.eye_points[COUNT]):
        apart = board.colours[points[place]] != 3 - game.settings[ATTACKER]
        for earlier in range(count):
            apart &= not _is_beside(game, taken[earlier], points[place])
        if apart:
            taken[count] = points[place]
            count += 1
    return min(max(count - 1, 1), MOST_MOVES)
