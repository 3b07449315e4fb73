"""The board, and a whole game, against GNU Go 3.8."""

import numpy as np
import pytest

from bonspiel import planners
from bonspiel.go.checks import legal_mask
from bonspiel.go.gtp.player import GTPProcess
from bonspiel.go.model import Go
from bonspiel.go.state import MOVER
from bonspiel.go.vertices import index_of, vertex_of
from bonspiel.planners import Budget
from tests.go.engines import GNUGO, needs_gnugo
from tests.go.naive_board import NaiveBoard

pytestmark = needs_gnugo


@pytest.mark.parametrize(("size", "superko", "plies"), [(9, False, 150), (5, True, 100)])
def test_random_games_agree_with_gnugo(size, superko, plies):
    """Legal moves, liberties and captures, of which the naive board of the other tests knows too."""
    rules = "--positional-superko" if superko else "--simple-ko"
    gnugo = GTPProcess([GNUGO, "--mode", "gtp", rules])
    model, rng = Go(size, superko=superko), np.random.default_rng(1)
    state, over = None, True
    for ply in range(plies):
        if over:
            state, naive, captured = model.initial_state(rng), NaiveBoard(size, superko), {"white": 0, "black": 0}
            gnugo.command(f"boardsize {size}")
            gnugo.command("clear_board")
        mover = "black" if state[model.area + MOVER] > 0.0 else "white"
        mask = legal_mask(model, state)
        for index in range(model.area) if ply % 10 == 9 else ():
            vertex = vertex_of(index, size)
            assert gnugo.command(f"is_legal {mover} {vertex}") == str(mask[index])
            if state[index] != 0.0:
                liberties = naive.liberties(naive.stones, divmod(index, size))
                assert gnugo.command(f"countlib {vertex}") == str(len(liberties))
        points = np.flatnonzero(mask[: model.area])
        move = int(rng.choice(points)) if len(points) and rng.random() < 0.95 else model.area
        gnugo.command(f"play {mover} {vertex_of(move, size)}")
        naive.play(None if move == model.area else divmod(move, size))
        after = np.empty_like(state)
        _, over = model.step(state, np.array([float(move)]), after, model.params, rng)
        stones = [int(np.count_nonzero(one[: model.area])) for one in (state, after)]
        captured[mover] += stones[0] + (move < model.area) - stones[1]
        assert gnugo.command(f"captures {mover}") == str(captured[mover])
        state = after
    gnugo.end()


def test_gnugo_plays_a_game_as_both_sides():
    model, player = Go(5), planners.parse(f"gtp:{GNUGO} --mode gtp --level 1 --chinese-rules --never-resign")
    state, over, rng = model.initial_state(None), False, np.random.default_rng(0)
    while not over:
        decision = player.plan(model, state, Budget(simulations=1), rng)
        after = np.empty_like(state)
        reward, over = model.step(state, decision.action, after, model.params, rng)
        state = after
    assert reward in (-1.0, 1.0) and np.count_nonzero(state[: model.area]) >= 8


def test_gnugo_and_the_engine_agree_on_names_of_points():
    assert [index_of(vertex_of(index, 19), 19) for index in range(361)] == list(range(361))
    gnugo = GTPProcess([GNUGO, "--mode", "gtp", "--boardsize", "19"])
    gnugo.command(f"play black {vertex_of(8, 19)}")
    assert gnugo.command("list_stones black") == "J19"
    gnugo.end()
