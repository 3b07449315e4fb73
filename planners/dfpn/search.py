"""Depth-first proof-number search that is right in games with repetition, df-pn(r).

Nagai, Imai 1999; Kishimoto, Mueller 2003, 2004, 2005. To repeat a position of the line so far is illegal. Positions are
seen by the player to move: phi counts what is left to prove that they win, delta that they lose.
"""

from typing import Any

from bonspiel.planners.dfpn.replay import FAILED, replay
from bonspiel.planners.dfpn.table import (
    DELTA,
    INFINITE,
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
    store_judged,
)
from bonspiel.planners.dfpn.table import PLY as MET
from bonspiel.planners.dfpn.walk import (
    NODES,
    PLY,
    ROOT,
    SEARCHING,
    SOLVED,
    STATUS,
    TOO_DEEP,
    ProofWalk,
    Rules,
    Switches,
    repeated_ply,
    verdict_for_mover,
)
from bonspiel.planners.jit import model_helper

BEGIN, GO_ON, COUNT = range(3)  # tasks of `advance`


@model_helper
def advance(
    rules: Rules, table: ProofTable, walk: ProofWalk, game: Any, task: int, number: int, switches: Switches
) -> int:
    """All that a problem needs compiled, in one kernel.

    Args:
        rules: of the problem.
        table: what is known.
        walk: the line searched.
        game: the problem's own.
        task: BEGIN a search at the ply `number`; GO_ON with it for `number` nodes; or COUNT the positions of the
            proof of the root's verdict, with `number` 1 for a won and 0 for a lost one.
        number: see `task`.
        switches: of the search.

    Returns:
        1, or 0 where the proof to be counted has a gap, at the walk's ply.
    """
    if task == BEGIN:
        begin(rules, table, walk, game, number)
    elif task == GO_ON:
        search(rules, table, walk, game, number, switches)
    elif replay(rules, table, walk, game, 0, number > 0, False, NOWHERE, NOWHERE, True) == FAILED:
        return 0
    return 1


@model_helper
def begin(rules: Rules, table: ProofTable, walk: ProofWalk, game: Any, ply: int) -> None:
    """Begin a search at a ply whose row, key and path are set."""
    walk.progress[ROOT], walk.progress[STATUS] = ply, SEARCHING
    walk.phi_limits[ply], walk.delta_limits[ply] = INFINITE, INFINITE
    verdict = _enter(rules, table, walk, game, ply)
    if verdict != 0:
        _leave_decided(table, walk, ply, verdict > 0)


@model_helper
def search(rules: Rules, table: ProofTable, walk: ProofWalk, game: Any, nodes: int, switches: Switches) -> None:
    """Go on with a search, for `nodes` more nodes or a few more than that, until its status is not SEARCHING."""
    progress = walk.progress
    end = progress[NODES] + nodes
    while progress[STATUS] == SEARCHING and progress[NODES] < end:
        ply = progress[PLY]
        _look_up_children(rules, table, walk, game, ply, switches)
        phi, delta = _numbers(walk, ply)
        if walk.chosen[ply] == NOWHERE:
            _raise_limits(walk, ply, phi, delta)
        if phi >= walk.phi_limits[ply] or delta >= walk.delta_limits[ply]:
            _leave(table, walk, ply, phi, delta)
            if switches.simulation and phi == 0 and progress[STATUS] == SEARCHING:
                _simulate(rules, table, walk, game, ply - 1)
        elif 2 + ply == len(walk.keys):
            progress[STATUS] = TOO_DEEP
        else:
            _choose(walk, ply, phi, delta, switches.widening)
            rules.play(game, ply, walk.moves[ply, walk.chosen[ply]], ply + 1)
            verdict = _enter(rules, table, walk, game, ply + 1)
            if verdict != 0:
                _leave_decided(table, walk, ply + 1, verdict > 0)


@model_helper
def _enter(rules: Rules, table: ProofTable, walk: ProofWalk, game: Any, ply: int) -> int:
    """Look at the position of a ply for the first time in this visit; the verdict for its mover."""
    walk.progress[NODES] += 1
    walk.progress[PLY], walk.works[ply] = ply, 1
    slot = find(table, walk.keys[ply])
    first_met = NEVER if slot == NOWHERE else table.rows[slot, MET]
    walk.met[ply] = min(ply, first_met)
    walk.urged[ply] = ply > walk.progress[ROOT] and walk.urged[ply - 1] > 0 and first_met != NEVER
    walk.counts[ply], walk.chosen[ply] = 0, NOWHERE
    verdict = verdict_for_mover(rules, walk, game, ply)
    if verdict == 0:
        walk.counts[ply] = rules.moves(game, ply, walk.moves[ply], walk.child_keys[ply])
        for i in range(walk.counts[ply]):
            repeated = repeated_ply(walk, ply, walk.child_keys[ply, i])
            illegal = repeated != NOWHERE
            walk.child_phi[ply, i] = 0 if illegal else NOWHERE
            walk.child_delta[ply, i] = INFINITE if illegal else NOWHERE
            walk.child_rests[ply, i] = repeated if illegal else NEVER
            walk.child_old[ply, i] = walk.doubted[ply, i] = 0
    return verdict


@model_helper
def _is_open(walk: ProofWalk, ply: int, i: int) -> bool:
    """True if no verdict on this move is known at this visit."""
    return walk.child_phi[ply, i] != 0 and walk.child_delta[ply, i] != 0


@model_helper
def _look_up_children(
    rules: Rules, table: ProofTable, walk: ProofWalk, game: Any, ply: int, switches: Switches
) -> None:
    """Read from the table what is known of the moves at a ply."""
    for i in range(walk.counts[ply]):
        if not _is_open(walk, ply, i):
            continue
        path = walk.paths[ply] ^ walk.codes[ply, walk.moves[ply, i]]
        slot = find_on_path(table, walk.child_keys[ply, i], path)
        if slot != NOWHERE and is_solved(table, slot):
            if walk.doubted[ply, i] == 0:
                other_path = is_of_another_path(table, slot, walk.child_keys[ply, i], path)
                _take_verdict(rules, table, walk, game, ply, i, slot, other_path)
        elif slot != NOWHERE:
            walk.child_phi[ply, i], walk.child_delta[ply, i] = table.rows[slot, PHI], table.rows[slot, DELTA]
            walk.child_old[ply, i] = table.rows[slot, MET] <= walk.met[ply]
        elif walk.child_phi[ply, i] == NOWHERE:
            _estimate(rules, table, walk, game, ply, i, switches.estimate)


@model_helper
def _estimate(rules: Rules, table: ProofTable, walk: ProofWalk, game: Any, ply: int, i: int, is_on: bool) -> None:
    """Set the numbers of a move that was not searched yet."""
    walk.child_phi[ply, i], walk.child_delta[ply, i] = 1, 1
    if is_on:
        _play(rules, walk, game, ply, i)
        verdict = verdict_for_mover(rules, walk, game, ply + 1)
        if verdict != 0:
            phi, delta = (0, INFINITE) if verdict > 0 else (INFINITE, 0)
        else:
            phi, delta = rules.estimate(game, ply + 1)
        store_judged(table, walk.keys[ply + 1], phi, delta)
        walk.child_phi[ply, i], walk.child_delta[ply, i] = phi, delta


@model_helper
def _play(rules: Rules, walk: ProofWalk, game: Any, ply: int, i: int) -> None:
    """Play a move at a ply."""
    move = walk.moves[ply, i]
    rules.play(game, ply, move, ply + 1)
    walk.keys[ply + 1] = walk.child_keys[ply, i]
    walk.paths[ply + 1] = walk.paths[ply] ^ walk.codes[ply, move]


@model_helper
def _take_verdict(
    rules: Rules, table: ProofTable, walk: ProofWalk, game: Any, ply: int, i: int, slot: int, other_path: bool
) -> None:
    """Believe the table's verdict on a move if it holds on this path; otherwise doubt it until the move was searched.

    One that rests on a position which another path repeated is replayed from here.
    """
    row = table.rows[slot]
    phi, delta, rests = row[PHI], row[DELTA], row[RESTS]
    if other_path:
        before = walk.progress[NODES]
        _play(rules, walk, game, ply, i)
        rests = replay(rules, table, walk, game, ply + 1, phi == 0, False, NOWHERE, NOWHERE)
        walk.works[ply] += walk.progress[NODES] - before
        if rests == FAILED:
            phi, delta = 1, 1
            walk.doubted[ply, i] = 1
    walk.child_phi[ply, i], walk.child_delta[ply, i], walk.child_rests[ply, i] = phi, delta, rests


@model_helper
def _numbers(walk: ProofWalk, ply: int) -> tuple[int, int]:
    """Phi and delta of a ply from those of its moves; old ones, which may lead back here, are not summed up."""
    phi, delta, largest, only_old = INFINITE, 0, 0, True
    for i in range(walk.counts[ply]):
        phi = min(phi, walk.child_delta[ply, i])
        if walk.child_phi[ply, i] > 0:
            largest = max(largest, walk.child_phi[ply, i])
            if walk.child_old[ply, i] == 0:
                only_old = False
                delta += walk.child_phi[ply, i]
    if only_old or phi == 0:
        delta = largest
    return phi, min(delta, INFINITE)


@model_helper
def _raise_limits(walk: ProofWalk, ply: int, phi: int, delta: int) -> None:
    """Search at least one new position below a ply with old moves, in spite of its limits.

    Otherwise two lines that lead to each other may raise their numbers in turn for ever (Kishimoto 2010).
    """
    for i in range(walk.counts[ply]):
        if _is_open(walk, ply, i) and walk.child_old[ply, i] > 0:
            walk.urged[ply] = 1
    if walk.urged[ply] > 0 and phi > 0 and delta > 0:
        walk.phi_limits[ply] = max(walk.phi_limits[ply], phi + 1)
        walk.delta_limits[ply] = max(walk.delta_limits[ply], delta + 1)


@model_helper
def _choose(walk: ProofWalk, ply: int, phi: int, delta: int, widening: bool) -> None:
    """Choose the move of least delta, and set the thresholds below it."""
    best, second = NOWHERE, INFINITE
    for i in range(walk.counts[ply]):
        if best == NOWHERE or walk.child_delta[ply, i] < walk.child_delta[ply, best]:
            second = INFINITE if best == NOWHERE else walk.child_delta[ply, best]
            best = i
        elif walk.child_delta[ply, i] < second:
            second = walk.child_delta[ply, i]
    beyond = (5 * second + 3) // 4 if widening else second + 1
    walk.chosen[ply] = best
    walk.phi_limits[ply + 1] = walk.delta_limits[ply] - delta + walk.child_phi[ply, best]
    walk.delta_limits[ply + 1] = min(walk.phi_limits[ply], beyond)
    walk.keys[ply + 1] = walk.child_keys[ply, best]
    walk.paths[ply + 1] = walk.paths[ply] ^ walk.codes[ply, walk.moves[ply, best]]


@model_helper
def _leave_decided(table: ProofTable, walk: ProofWalk, ply: int, won: bool) -> None:
    """Leave a position that is over."""
    _leave(table, walk, ply, 0 if won else INFINITE, INFINITE if won else 0)


@model_helper
def _leave(table: ProofTable, walk: ProofWalk, ply: int, phi: int, delta: int) -> None:
    """Store what is known of a position, and go back to the one before."""
    move, rests = _reason(walk, ply, phi, delta)
    store(table, walk.keys[ply], phi, delta, walk.met[ply], walk.works[ply], move, rests, walk.paths[ply])
    if ply == walk.progress[ROOT]:
        walk.progress[STATUS] = SOLVED
        return
    above = ply - 1
    i = walk.chosen[above]
    walk.child_phi[above, i], walk.child_delta[above, i], walk.child_rests[above, i] = phi, delta, rests
    walk.doubted[above, i] = walk.urged[above] = 0
    walk.works[above] += walk.works[ply]
    walk.progress[PLY] = above


@model_helper
def _reason(walk: ProofWalk, ply: int, phi: int, delta: int) -> tuple[int, int]:
    """The move that wins, if one does, and the least ply above this one that the verdict rests on, or NEVER."""
    move, rests = NOWHERE, NEVER
    for i in range(walk.counts[ply]):
        if delta == 0:
            rests = min(rests, walk.child_rests[ply, i])
        elif phi == 0 and walk.child_delta[ply, i] == 0:
            if move == NOWHERE or walk.child_rests[ply, i] > rests:
                move, rests = walk.moves[ply, i], walk.child_rests[ply, i]
    return move, rests


@model_helper
def _simulate(rules: Rules, table: ProofTable, walk: ProofWalk, game: Any, ply: int) -> None:
    """Replay the refutation of the move just searched against the other moves."""
    before, refuted = walk.progress[NODES], walk.chosen[ply]
    guide = len(walk.keys) + ply + 1
    rules.play(game, ply, walk.moves[ply, refuted], guide)
    walk.guide_keys[ply + 1] = walk.child_keys[ply, refuted]
    for i in range(walk.counts[ply]):
        if _is_open(walk, ply, i):
            _play(rules, walk, game, ply, i)
            move, other = walk.moves[ply, refuted], walk.moves[ply, i]
            rests = replay(rules, table, walk, game, ply + 1, True, True, move, other)
            if rests != FAILED:
                walk.child_phi[ply, i], walk.child_delta[ply, i], walk.child_rests[ply, i] = 0, INFINITE, rests
    walk.works[ply] += walk.progress[NODES] - before
