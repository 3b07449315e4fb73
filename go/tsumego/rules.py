"""The functions of a problem of life and death that the proof-number search calls, and the search itself, compiled."""

import numpy as np
from numpy.typing import NDArray

from bonspiel.go.board import NOWHERE, Board, in_atari, is_suicide, place_stone
from bonspiel.go.neighbourhoods import EMPTY, EYE, OPEN, SIDES, TABLE
from bonspiel.go.rules import hash_after
from bonspiel.go.tsumego.eyes import is_alive, moves_to_kill, moves_to_live, two_eyes_fit
from bonspiel.go.tsumego.game import (
    ATTACKER,
    FORCED,
    GAME,
    KEYS,
    KO,
    KO_KEYS,
    MOVER,
    MOVER_KEYS,
    PASS_KEYS,
    PASSES,
    PROVER,
    STONES,
    THREATS,
    Game,
    board_of,
    copy_board,
)
from bonspiel.planners.dfpn.search import advance
from bonspiel.planners.dfpn.table import TABLE as PROOF_TABLE
from bonspiel.planners.dfpn.table import ProofTable
from bonspiel.planners.dfpn.walk import SWITCHES, WALK, ProofWalk, Rules, Switches
from bonspiel.planners.jit import boolean, helper, int64, kernel, typeof

MOVES = typeof(np.empty(0, np.int64))
PASS = NOWHERE
NEARLY = 3  # most moves to live at which one move may be enough, as it may serve both eyes


@helper
def key_of(stones: int, mover: int, passes: int, ko: int) -> int:
    """The key of a position."""
    return stones ^ KEYS[MOVER_KEYS + mover] ^ KEYS[PASS_KEYS + passes] ^ (KEYS[KO_KEYS + ko] if ko != NOWHERE else 0)


@helper
def _ko_after(board: Board, point: int, colour: int) -> int:
    """The point of the one stone that a legal move takes in a ko, where it may be retaken, or NOWHERE."""
    if TABLE[board.around[point]] & OPEN:
        return NOWHERE
    where = NOWHERE
    for side in range(SIDES):
        near = point + board.steps[side]
        if board.colours[near] == colour:
            return NOWHERE
        if board.colours[near] == 3 - colour and in_atari(board, board.heads[near]):
            if where != NOWHERE or board.stones[board.heads[near]] > 1:
                return NOWHERE
            where = near
    return where


@helper
def _is_in_vain(game: Game, board: Board, point: int, colour: int) -> bool:
    """Return whether a move takes a ko that the other player, who has endless threats, takes back at once.

    It is not in vain if that point is outside the region, where nobody may play, or if the attacker takes the last
    crucial stone with it.
    """
    if game.settings[THREATS] != 3 - colour:
        return False
    ko = _ko_after(board, point, colour)
    if ko == NOWHERE or game.inside[ko] == 0:
        return False
    for crucial in game.crucial:
        if crucial != ko and board.colours[crucial] == 3 - game.settings[ATTACKER]:
            return True
    return colour != game.settings[ATTACKER]


@helper
def _may_play(game: Game, board: Board, point: int, colour: int) -> bool:
    """Return whether a player may play at a point, apart from ko, and not in vain."""
    if board.colours[point] != EMPTY or is_suicide(board, point, colour):
        return False
    return not _is_in_vain(game, board, point, colour)


@helper
def _is_own_eye(board: Board, point: int, colour: int) -> bool:
    """Return whether a point is an eye of this colour, and no chain around it is in atari."""
    if TABLE[board.around[point]] & EYE << colour == 0:
        return False
    for side in range(SIDES):
        near = point + board.steps[side]
        if board.colours[near] == colour and in_atari(board, board.heads[near]):
            return False
    return True


@helper
def _is_candidate(game: Game, row: int, board: Board, point: int) -> bool:
    """Return whether a move may be played, and does not fill an own eye of the defender."""
    colour = game.facts[row, MOVER]
    if point == game.facts[row, KO] or not _may_play(game, board, point, colour):
        return False
    return colour == game.settings[ATTACKER] or not _is_own_eye(board, point, colour)


@kernel(int64(GAME, int64, MOVES, MOVES))
def moves(game: Game, row: int, moves: NDArray[np.int64], keys: NDArray[np.int64]) -> int:
    """The points of the region where the mover may play, the defender not in eyes of their own, and a pass."""
    board, colour, count = board_of(game, row), game.facts[row, MOVER], 0
    stones, forced = game.facts[row, STONES], NOWHERE
    defends = game.settings[FORCED] > 0 and colour != game.settings[ATTACKER]
    if defends and game.facts[row, PASSES] > 0:  # another pass ends the game, and the defender wins
        moves[0], keys[0] = PASS, key_of(stones, 3 - colour, game.facts[row, PASSES] + 1, NOWHERE)
        return 1
    in_check = defends and _in_check(game, board)
    if game.settings[FORCED] > 0 and colour == game.settings[ATTACKER]:
        forced = _living_move(game, row, board)
    for point in game.region:
        if not _is_candidate(game, row, board, point) or (in_check and not _saves(game, board, point)):
            continue
        if forced != NOWHERE and _lives_after(game, row, point, forced):
            continue
        ko = NOWHERE if game.settings[THREATS] == 3 - colour else _ko_after(board, point, colour)
        moves[count], keys[count] = point, key_of(hash_after(board, stones, point, colour), 3 - colour, 0, ko)
        count += 1
    if not in_check and forced == NOWHERE:
        moves[count], keys[count] = PASS, key_of(stones, 3 - colour, game.facts[row, PASSES] + 1, NOWHERE)
        count += 1
    return count


@helper
def _in_check(game: Game, board: Board) -> bool:
    """Return whether the attacker could take all crucial stones with one move: they are one chain in atari."""
    head = NOWHERE
    for point in game.crucial:
        if board.colours[point] == 3 - game.settings[ATTACKER]:
            if head != NOWHERE and board.heads[point] != head:
                return False
            head = board.heads[point]
    return in_atari(board, head)


@helper
def _saves(game: Game, board: Board, point: int) -> bool:
    """Return whether a move of the defender extends the crucial chain, or takes a chain."""
    colour = 3 - game.settings[ATTACKER]
    for side in range(SIDES):
        near = point + board.steps[side]
        seen = board.colours[near]
        if seen == 3 - colour and in_atari(board, board.heads[near]):
            return True
        if seen == colour:
            for crucial in game.crucial:
                if board.colours[crucial] == colour and board.heads[crucial] == board.heads[near]:
                    return True
    return False


@helper
def _living_move(game: Game, row: int, board: Board) -> int:
    """A move by which the defender would live at once if the attacker passed, or NOWHERE."""
    if moves_to_live(game, row) > NEARLY:
        return NOWHERE
    spare, colour = len(game.boards) - 1, 3 - game.settings[ATTACKER]
    for point in game.region:
        if _may_play(game, board, point, colour) and _has_friend(board, point, colour):
            copy_board(game, row, spare)
            place_stone(board_of(game, spare), point, colour)
            if is_alive(game, board_of(game, spare)):
                return point
    return NOWHERE


@helper
def _has_friend(board: Board, point: int, colour: int) -> bool:
    for side in range(SIDES):
        if board.colours[point + board.steps[side]] == colour:
            return True
    return False


@kernel(boolean(GAME, int64, int64, int64))
def _lives_after(game: Game, row: int, point: int, answer: int) -> bool:
    """Return whether the defender lives at once by an answer to the attacker's move."""
    spare, attacker = len(game.boards) - 1, game.settings[ATTACKER]
    copy_board(game, row, spare)
    board = board_of(game, spare)
    ko = place_stone(board, point, attacker)
    if answer == ko or not _may_play(game, board, answer, 3 - attacker):
        return False
    place_stone(board, answer, 3 - attacker)
    return is_alive(game, board)


@kernel(int64(GAME, int64, int64, int64))
def play(game: Game, row: int, move: int, into: int) -> int:
    """Write the position after a move into another row; the point that ko bars there."""
    colour, ko, facts = game.facts[row, MOVER], NOWHERE, game.facts[into]
    stones = game.facts[row, STONES]
    copy_board(game, row, into)
    if move == PASS:
        facts[STONES], facts[PASSES] = stones, game.facts[row, PASSES] + 1
    else:
        facts[STONES], facts[PASSES] = hash_after(board_of(game, row), stones, move, colour), 0
        ko = place_stone(board_of(game, into), move, colour)
    facts[MOVER] = 3 - colour
    facts[KO] = NOWHERE if game.settings[THREATS] == 3 - colour else ko
    return facts[KO]


@kernel(int64(GAME, int64))
def verdict(game: Game, row: int) -> int:
    """+1 if the player who proves a win has won, -1 if the other player has, 0 while open."""
    board, attacker = board_of(game, row), game.settings[ATTACKER]
    sign = 1 if game.settings[PROVER] == attacker else -1
    if game.facts[row, PASSES] >= 2:
        return -sign
    left = False
    for point in game.crucial:
        left |= board.colours[point] == 3 - attacker
    if not left or not two_eyes_fit(game, row):
        return sign
    return -sign if is_alive(game, board) else 0


@kernel(typeof((1, 1))(GAME, int64))
def estimate(game: Game, row: int) -> tuple[int, int]:
    """Moves still needed for two eyes, and to destroy them."""
    live, kill = max(moves_to_live(game, row), 1), moves_to_kill(game, row)
    return (kill, live) if game.facts[row, MOVER] == game.settings[ATTACKER] else (live, kill)


RULES = Rules(moves, play, verdict, estimate)


@kernel(int64(PROOF_TABLE, WALK, GAME, int64, int64, SWITCHES))
def advance_tsumego(table: ProofTable, walk: ProofWalk, game: Game, task: int, number: int, switches: Switches) -> int:
    """`planners.dfpn.search.advance` for these rules."""
    return advance(Rules(moves, play, verdict, estimate), table, walk, game, task, number, switches)
