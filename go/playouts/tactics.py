"""Moves suggested by the last move: answers to atari, patterns, captures; and the test for self-atari."""

from typing import NamedTuple

from bonspiel.go.board import BOARD_ARRAYS, NOWHERE, TACTICS_ARRAYS, Board, Ints, in_atari, points_of
from bonspiel.go.neighbourhoods import EDGE, EMPTY, NEIGHBOURS, PATTERN, SIDES, TABLE
from bonspiel.planners.jit import helper
from bonspiel.planners.model import Rng

MOVES, CHAINS = range(2)  # entries of `Tactics.counts`


class Tactics(NamedTuple):
    """Lists that a player keeps during a playout.

    Attributes:
        moves: candidates for the next move, [points].
        chains: heads of chains that came into atari; some may have left it since, [points].
        listed: 1 for a head in that list, else 0, [points].
        counts: the number of candidates and of heads, [2].
    """

    moves: Ints
    chains: Ints
    listed: Ints
    counts: Ints


@helper
def tactics_in(workspace: Ints, size: int) -> Tactics:
    """These lists, at the end of a workspace of `go.board.workspace_of`, to be filled by `list_ataris`."""
    n = points_of(size)
    first, rest = BOARD_ARRAYS * n, (BOARD_ARRAYS + TACTICS_ARRAYS) * n
    return Tactics(
        workspace[first : first + n],
        workspace[first + n : first + 2 * n],
        workspace[first + 2 * n : first + 3 * n],
        workspace[rest + NEIGHBOURS + 1 :],
    )


@helper
def _note(board: Board, tactics: Tactics, head: int) -> None:
    """List a chain if it is in atari."""
    if tactics.listed[head] == 0 and in_atari(board, head):
        tactics.listed[head] = 1
        tactics.chains[tactics.counts[CHAINS]] = head
        tactics.counts[CHAINS] += 1


@helper
def list_ataris(board: Board, tactics: Tactics) -> None:
    """List the chains of a position that are in atari."""
    tactics.listed[:] = 0
    tactics.counts[CHAINS] = 0
    for point in range(len(board.colours)):
        if board.colours[point] != EMPTY and board.colours[point] != EDGE and board.heads[point] == point:
            _note(board, tactics, point)


@helper
def note_ataris(board: Board, tactics: Tactics, point: int) -> None:
    """List the chains that the stone just played on a point has put in atari, its own included."""
    _note(board, tactics, board.heads[point])
    for side in range(SIDES):
        near = point + board.steps[side]
        if board.colours[near] != EMPTY and board.colours[near] != EDGE:
            _note(board, tactics, board.heads[near])


@helper
def _is_beside(board: Board, point: int, colour: int, head: int, sides: int) -> bool:
    """Return whether a chain of this colour is at one of the first `sides` of a point."""
    for side in range(sides):
        near = point + board.steps[side]
        if board.colours[near] == colour and board.heads[near] == head:
            return True
    return False


@helper
def is_self_atari(board: Board, point: int, colour: int) -> bool:
    """Return whether the chain of a stone played on an empty point would have one liberty, or none."""
    count, total, squares = 0, 0, 0
    for side in range(SIDES):
        near = point + board.steps[side]
        seen = board.colours[near]
        if seen == EMPTY:
            count, total, squares = count + 1, total + near, squares + near * near
        elif seen == colour:
            head = board.heads[near]
            count, total, squares = count - 1, total - point, squares - point * point
            if not _is_beside(board, point, colour, head, side):
                count += board.liberties[head]
                total += board.sums[head]
                squares += board.squares[head]
    if count * squares != total * total:
        return False
    for side in range(SIDES):  # what is captured leaves liberties
        near = point + board.steps[side]
        if board.colours[near] == 3 - colour and in_atari(board, board.heads[near]):
            stone = near
            for _ in range(board.stones[board.heads[near]]):
                for way in range(SIDES):
                    beside = stone + board.steps[way]
                    own = board.colours[beside] == colour
                    if beside == point or (own and _is_beside(board, point, colour, board.heads[beside], SIDES)):
                        count, total, squares = count + 1, total + stone, squares + stone * stone
                stone = board.rings[stone]
    return count * squares == total * total


@helper
def _add(tactics: Tactics, point: int) -> None:
    """Add a candidate unless it is one."""
    for place in range(tactics.counts[MOVES]):
        if tactics.moves[place] == point:
            return
    tactics.moves[tactics.counts[MOVES]] = point
    tactics.counts[MOVES] += 1


@helper
def _liberty(board: Board, head: int) -> int:
    """The liberty of a chain in atari."""
    return board.sums[head] // board.liberties[head]


@helper
def _add_answers(board: Board, tactics: Tactics, colour: int, ko: int, last: int) -> None:
    """Captures of the attackers of chains that the last move put in atari, and extensions to two liberties."""
    for side in range(SIDES):
        near = last + board.steps[side]
        if board.colours[near] != colour or not in_atari(board, board.heads[near]):
            continue
        _add_unless_self_atari(board, tactics, _liberty(board, board.heads[near]), colour, ko)
        stone = near
        for _ in range(board.stones[board.heads[near]]):
            for way in range(SIDES):
                beside = stone + board.steps[way]
                if board.colours[beside] == 3 - colour and in_atari(board, board.heads[beside]):
                    _add_unless_self_atari(board, tactics, _liberty(board, board.heads[beside]), colour, ko)
            stone = board.rings[stone]


@helper
def _add_unless_self_atari(board: Board, tactics: Tactics, point: int, colour: int, ko: int) -> None:
    if point != ko and not is_self_atari(board, point, colour):
        _add(tactics, point)


@helper
def _add_patterns(board: Board, tactics: Tactics, colour: int, ko: int, last: int) -> None:
    """Points around the last move where a pattern matches."""
    for place in range(NEIGHBOURS):
        point = last + board.steps[place]
        if board.colours[point] == EMPTY and TABLE[board.around[point]] & PATTERN:
            _add_unless_self_atari(board, tactics, point, colour, ko)


@helper
def _add_captures(board: Board, tactics: Tactics, colour: int, ko: int) -> None:
    """All captures; chains that are no longer in atari leave the list."""
    place = 0
    while place < tactics.counts[CHAINS]:
        head = tactics.chains[place]
        seen = board.colours[head]
        if seen == EMPTY or board.heads[head] != head or not in_atari(board, head):
            tactics.listed[head] = 0
            tactics.counts[CHAINS] -= 1
            tactics.chains[place] = tactics.chains[tactics.counts[CHAINS]]
            continue
        if seen == 3 - colour and _liberty(board, head) != ko:
            _add(tactics, _liberty(board, head))
        place += 1


@helper
def suggested_move(board: Board, tactics: Tactics, colour: int, ko: int, last: int, rng: Rng) -> int:
    """An answer to atari, else a pattern's move, else a capture; at random among all such, or NOWHERE."""
    tactics.counts[MOVES] = 0
    if last != NOWHERE:
        _add_answers(board, tactics, colour, ko, last)
        if tactics.counts[MOVES] == 0:
            _add_patterns(board, tactics, colour, ko, last)
    if tactics.counts[MOVES] == 0:
        _add_captures(board, tactics, colour, ko)
    if tactics.counts[MOVES] == 0:
        return NOWHERE
    return tactics.moves[int(rng.random() * tactics.counts[MOVES])]
