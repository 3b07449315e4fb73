"""The model of Go with planners: all can search it, and some find what is best."""

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.go import model as model_of_go
from bonspiel.go.checks import check_move
from bonspiel.go.model import Go
from bonspiel.go.state import MOVER, PLY
from tests.go.diagrams import played, state_of


def plan(name, model, state, simulations, seed=0, **parameters):
    rng = np.random.default_rng(seed)
    return planners.make(name, **parameters).plan(model, state, planners.Budget(simulations), rng)


@pytest.mark.parametrize("parameters", [{"superko": True}, {"playout": "light"}, {"size": 5, "komi": 0}], ids=str)
def test_other_games_keep_the_contract_too(parameters):
    envs.check_model(envs.make_model("go", **parameters), np.random.default_rng(0), states=20)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("go:size=4", "size=4: must be a whole number from 5 to 19"),
        ("go:size=20", "size=20: must be a whole number from 5 to 19"),
        ("go:komi=0.3", "komi=0.3: must be a multiple of 1/2"),
        ("go:komi=True", "komi=True: must be a multiple of 1/2 from -1000 to 1000"),
        ("go:komi=-1000.5", "komi=-1000.5: must be a multiple of 1/2 from -1000 to 1000"),
        ("go:komi=nan", "komi='nan': must be a multiple of 1/2"),
        ("go:komi=much", "komi='much': must be a multiple of 1/2"),
        ("go:playout=heavy", "playout='heavy': must be 'light' or 'mogo'"),
        ("go:superko=2", "superko=2: must be True or False"),
    ],
)
def test_parameters_that_are_refused(text, message):
    with pytest.raises(ValueError) as error:
        envs.parse(text)
    assert str(error.value).startswith(message)


SEKI = """
    X X X O O
    X X . O O
    X X X O O
    X X . O O
    X X X O O"""


def test_numbers_of_numpy_are_taken():
    assert Go(np.int64(9), np.int64(7)).params.tolist() == [9.0, 7.0, 0.0, 1.0]


@pytest.mark.parametrize("name", planners.names_for(Go()))
@pytest.mark.parametrize("superko", [False, True])
def test_every_planner_plays_a_legal_move(name, superko):
    model, state = Go(5, superko=superko), state_of(SEKI, superko=superko)
    for seed in range(2):
        check_move(model, state, plan(name, model, state, 20, seed).action)


def test_planners_that_make_no_actions_of_their_own_play_it():
    found = set(planners.names_for(Go()))
    assert {"uct", "pw", "dpw", "sequential_halving", "abstraction", "root", "threads"} <= found
    assert not found & {"hoot", "poly_hoot", "weighted_uct", "kr_uct", "cem", "icem", "mppi", "voot", "cmcgs"}


def test_random_moves_keep_to_superko():
    state = state_of(
        """
        . O . O .
        X X O O O
        . X X O .
        X . X O O
        . X X O .""",
        superko=True,
    )
    model, action, rng = Go(5, superko=True), np.empty(1), np.random.default_rng(0)
    state, *_ = played(state, 5, None, (0, 0), (0, 2), superko=True)
    for _ in range(20):
        model.sample_action(state, action, model.params, rng)
        assert check_move(model, state, action) == 0


@pytest.mark.parametrize(("size", "komi"), [(3, 8.5), (5, 24.5)])
def test_2000_simulations_find_the_centre(size, komi, monkeypatch):
    """Black wins every point, and only from there on 5x5; single searches find it in four of five cases."""
    monkeypatch.setattr(model_of_go, "SMALLEST", 3)
    model, votes = Go(size, komi), np.zeros(size * size + 1)
    for seed in range(9):
        state = model.initial_state(np.random.default_rng(0))
        votes[int(plan("uct", model, state, 2_000, seed, leaf="rollout", exploration=0.5).action[0])] += 1
    assert votes.argmax() == size * size // 2 and votes.max() >= 5


@pytest.mark.parametrize(("mover", "komi"), [("X", 2.5), ("O", 3.5)])
def test_a_seki_is_left_alone_by_the_side_that_is_ahead(mover, komi):
    """Who plays at one of the two common liberties is captured at the other."""
    model = Go(5, komi)
    decision = plan("uct", model, state_of(SEKI, mover), 2_000, leaf="rollout")
    assert decision.action[0] == 25.0 and decision.value > 0.5


def test_a_finished_game_is_refused():
    model = Go(5)
    state = model.initial_state(np.random.default_rng(0))
    state[25 + PLY] = 75.0
    with pytest.raises(ValueError, match="over"):
        plan("uct", model, state, 10)


def test_colours_mirror():
    """The same game with the colours swapped has the opposite value, move by move."""
    model, rng = Go(5, komi=0), np.random.default_rng(0)
    state = model.initial_state(rng)
    other, over = state.copy(), False
    other[25 + MOVER] = -1.0
    while not over:
        action, mirrored = np.empty(1), np.empty(1)
        seed = int(rng.integers(2**32))
        model.sample_action(state, action, model.params, np.random.default_rng(seed))
        model.sample_action(other, mirrored, model.params, np.random.default_rng(seed))
        assert action == mirrored
        generators = np.random.default_rng(seed), np.random.default_rng(seed)
        rollouts = [
            model.rollout(one.copy(), one.copy(), 75, model.params, generator)
            for one, generator in zip((state, other), generators, strict=True)
        ]
        assert rollouts[0] == -rollouts[1]
        after, mirror = np.empty_like(state), np.empty_like(state)
        reward, over = model.step(state, action, after, model.params, rng)
        assert model.step(other, action, mirror, model.params, rng) == (-reward, over)
        state, other = after, mirror
        assert (state[:26] == -other[:26]).all() and (state[26:] == other[26:]).all()


@pytest.mark.parametrize("playout", ["light", "mogo"])
@pytest.mark.parametrize("size", [5, 9])
def test_a_traced_rollout_is_the_rollout_and_its_moves_can_be_played_again(size, playout):
    model = envs.parse(f"go:size={size},playout={playout}")
    for seed in range(20):
        state, scratch = model.initial_state(None), np.empty(model.state_dim)
        depth = model.horizon
        keys, movers, owners = np.empty(depth + 1, np.uint64), np.empty(depth + 1), np.empty(model.n_regions + 1)
        rngs = np.random.default_rng(seed), np.random.default_rng(seed)
        plain = model.rollout(state.copy(), scratch, depth, model.params, rngs[0])
        traced = model.traced_rollout(state.copy(), scratch, depth, model.params, rngs[1], keys, movers, owners)
        assert plain == traced
        plies = int(np.argmax(movers == 0.0))
        assert list(movers[:plies]) == [1.0 if ply % 2 == 0 else -1.0 for ply in range(plies)]
        reward, next_state = 0.0, state.copy()
        for key in keys[:plies]:
            reward, over = model.step(state, np.array([float(key)]), next_state, model.params, rngs[0])
            state[:] = next_state
        assert over
        assert reward == plain
        stones = state[: model.area] != 0.0
        np.testing.assert_array_equal(owners[:-1][stones], state[: model.area][stones])
        assert owners[-1] == plain


def test_priors_say_what_the_position_does():
    """A capture, an escape, self-atari, the pass, and the first two lines of an empty area."""
    model = envs.parse("go:size=9")
    state = state_of(
        """
        . . . . . . . . .
        . X . . . . . . .
        X O . . . . . . .
        . X . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . O .
        . . . . . . O X .
        . . . . . . . O .
        """
    )
    moves, keys = np.empty((82, 1)), np.empty(82, np.uint64)
    count = model.actions(state, model.params, moves, keys)
    priors = np.empty((count, 2))
    model.priors(state, model.params, moves[:count], priors)
    found = {int(move): tuple(row) for move, row in zip(moves[:count, 0], priors, strict=True)}

    def wins(visits, won):
        return pytest.approx((visits, 2.0 * won / visits - 1.0))

    assert found[81] == wins(10, 0.5)
    assert found[2 * 9 + 2] == wins(40, 35)  # a capture, and a pattern
    assert found[7 * 9 + 8] == wins(35, 30)  # an extension to two liberties, and a pattern
    assert found[8 * 9 + 8] == wins(20, 5)  # self-atari
    assert found[0 * 9 + 6] == wins(20, 5)  # the first line, nobody near
    assert found[2 * 9 + 6] == wins(20, 15)  # the third


def test_filling_an_own_eye_is_worth_less_than_a_pass():
    """A search that has won, and has nothing left to play, must not fill its eyes."""
    model = envs.parse("go:size=5,komi=0.5")
    state = state_of(
        """
        . X . X X
        X X X X .
        X X X X X
        X X X X X
        X X X X .
        """
    )
    for seed in range(3):
        assert plan("rave_uct", model, state, 500, seed).action[0] == model.area


def test_priors_of_both_colours_mirror():
    model = Go(size=5)
    black = model.initial_state(None)
    black[[6, 7, 12]] = 1.0, -1.0, 1.0
    white = black.copy()
    white[:25] *= -1.0
    white[25] *= -1.0
    out = []
    for state in (black, white):
        moves, keys = np.empty((26, 1)), np.empty(26, np.uint64)
        count = model.actions(state, model.params, moves, keys)
        priors = np.empty((count, 2))
        model.priors(state, model.params, moves[:count], priors)
        out.append(priors)
    np.testing.assert_array_equal(*out)
