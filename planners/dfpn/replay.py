"""A proof replayed elsewhere: on another path to the same position, or in a position that is alike.

Kawano 1996; Kishimoto, Mueller 2004. Nothing is searched: the winner plays the moves of the proof, the loser all moves.
"""

from typing import Any

from bonspiel.planners.dfpn.table import (
    COUNTED,
    INFINITE,
    MOVE,
    NEVER,
    NOWHERE,
    PHI,
    RESTS,
    ProofTable,
    find,
    find_on_path,
    is_of_another_path,
    is_solved,
    store,
)
from bonspiel.planners.dfpn.walk import NODES, PLY, PROOF, ProofWalk, Rules, repeated_ply, verdict_for_mover
from bonspiel.planners.jit import model_helper

FAILED = -2  # in place of a ply
LONGEST = 2000  # nodes of a replay

_OPEN, _DONE, _WRONG = range(3)  # of a position in a replay: its moves are to be played, the claim holds, it does not


@model_helper
def replay(
    rules: Rules,
    table: ProofTable,
    walk: ProofWalk,
    game: Any,
    first: int,
    won: bool,
    guided: bool,
    one: int,
    other: int,
    counting: bool = False,
) -> int:
    """Replay a proof at a ply whose row, key and path are set; what it proves is entered in the table.

    Args:
        rules: of the problem.
        table: holds the proof.
        walk: its rows below `first` are overwritten.
        game: its own rows below `first` are overwritten.
        first: the ply.
        won: the claim: whether the player to move there wins.
        guided: whether the proof is of another position, in the row of the guide, that differs by moves exchanged.
        one: the move that led to that position,
        other: and the one that led here instead; where one of them is played here, the other was there.
        counting: whether the whole proof is checked, however long, and its positions are counted.

    Returns:
        The least ply that the verdict rests on, or NEVER; FAILED if the claim was not shown, and the ply is where the
        proof ends.
    """
    ply, end = first, walk.progress[NODES] + LONGEST
    state = _open(rules, table, walk, game, ply, won, guided, one, other, counting)
    while state != _WRONG and (counting or walk.progress[NODES] < end):
        claim = won == ((ply - first) % 2 == 0)
        if state == _OPEN and walk.chosen[ply] < walk.counts[ply]:
            i = walk.chosen[ply]
            repeated = repeated_ply(walk, ply, walk.child_keys[ply, i])
            if repeated != NOWHERE:
                walk.rests[ply] = min(walk.rests[ply], repeated)
                walk.chosen[ply] += 1
                state = _WRONG if claim else _OPEN
            elif _play_both(rules, walk, game, ply, guided, one, other):
                ply += 1
                state = _open(rules, table, walk, game, ply, not claim, guided, one, other, counting)
            else:
                state = _WRONG
            continue
        if state == _OPEN and not counting:
            phi, delta = (0, INFINITE) if claim else (INFINITE, 0)
            move = walk.moves[ply, 0] if claim else NOWHERE
            store(table, walk.keys[ply], phi, delta, ply, 1, move, walk.rests[ply], walk.paths[ply])
        if ply == first:
            return walk.rests[ply]
        ply -= 1
        walk.rests[ply] = min(walk.rests[ply], walk.rests[ply + 1])
        walk.chosen[ply] += 1
        state = _OPEN
    if counting:
        walk.progress[PLY] = ply
    return FAILED


@model_helper
def _open(
    rules: Rules,
    table: ProofTable,
    walk: ProofWalk,
    game: Any,
    ply: int,
    claim: bool,
    guided: bool,
    one: int,
    other: int,
    counting: bool,
) -> int:
    """Prepare the moves of a ply: that of the proof alone, if the mover is to win."""
    walk.progress[NODES] += 1
    walk.rests[ply], walk.chosen[ply] = NEVER, 0
    slot = find_on_path(table, walk.keys[ply], walk.paths[ply])
    if counting:
        if slot != NOWHERE and table.rows[slot, COUNTED] > 0:
            return _DONE
        walk.progress[PROOF] += 1
        if slot != NOWHERE:
            table.rows[slot, COUNTED] = 1
    verdict = verdict_for_mover(rules, walk, game, ply)
    if verdict != 0:
        return _DONE if (verdict > 0) == claim else _WRONG
    if slot != NOWHERE and is_solved(table, slot) and not counting:
        if not is_of_another_path(table, slot, walk.keys[ply], walk.paths[ply]):
            walk.rests[ply] = table.rows[slot, RESTS]
            return _DONE if (table.rows[slot, PHI] == 0) == claim else _WRONG
    if guided:
        slot = find(table, walk.guide_keys[ply])
    known = slot != NOWHERE and is_solved(table, slot) and (table.rows[slot, PHI] == 0) == claim
    if not known or ply + 2 >= len(walk.keys):
        return _WRONG
    walk.counts[ply] = rules.moves(game, ply, walk.moves[ply], walk.child_keys[ply])
    if not claim:
        return _OPEN
    move = _exchanged(table.rows[slot, MOVE], one, other)
    for i in range(walk.counts[ply]):
        if walk.moves[ply, i] == move:
            walk.moves[ply, 0], walk.child_keys[ply, 0], walk.counts[ply] = move, walk.child_keys[ply, i], 1
            return _OPEN
    return _WRONG


@model_helper
def _exchanged(move: int, one: int, other: int) -> int:
    """The move that takes the place of another where two are exchanged."""
    return other if move == one else one if move == other else move


@model_helper
def _play_both(rules: Rules, walk: ProofWalk, game: Any, ply: int, guided: bool, one: int, other: int) -> bool:
    """Play the next move of a ply, and the guide's; whether the guide has it."""
    i = walk.chosen[ply]
    move = walk.moves[ply, i]
    if guided:
        row, wanted = len(walk.keys) + ply, _exchanged(move, one, other)
        count, place = rules.moves(game, row, walk.guide_moves, walk.guide_child_keys), 0
        while place < count and walk.guide_moves[place] != wanted:
            place += 1
        if place == count:
            return False
        rules.play(game, row, wanted, row + 1)
        walk.guide_keys[ply + 1] = walk.guide_child_keys[place]
    rules.play(game, ply, move, ply + 1)
    walk.keys[ply + 1] = walk.child_keys[ply, i]
    walk.paths[ply + 1] = walk.paths[ply] ^ walk.codes[ply, move]
    return True
