"""Learning: gradients, a training that learns, and rounds that continue where they stopped."""

import numpy as np
import pytest

from bonspiel.curling.ice.noise import Noise, noise_of
from bonspiel.curling.learning import rounds
from bonspiel.curling.learning.rounds import Learning
from bonspiel.curling.learning.self_play import _new_scratch, _throw_best, play_part, starts_of
from bonspiel.curling.learning.training import Descent, epoch, first_weights, gradient, loss_of, write_inputs
from bonspiel.curling.match.mixed_doubles import setup_of
from bonspiel.curling.match.setup_value import CHOICES
from bonspiel.curling.match.state import FIRST_STONE, POWER, STATE_DIM, shot_of
from bonspiel.curling.model import Curling
from bonspiel.curling.network.end_inputs import INPUTS, SCORES
from bonspiel.curling.network.end_network import WEIGHTS
from bonspiel.curling.players.lookahead import AIMS_KEPT, BEST_REPLIES, FEW, expect, new_scratch, screen
from bonspiel.planners.core.actions import own_actions
from bonspiel.planners.core.aims import aims_of

MATCH = Curling(10, reward="win_probability")
PARAMS = MATCH.params


@pytest.fixture
def small(monkeypatch):
    """Parts of few ends."""
    monkeypatch.setattr(rounds, "PART_ENDS", 60)
    monkeypatch.setattr("bonspiel.curling.learning.training.BATCH", 128)


def test_the_gradient_is_that_of_differences():
    rng = np.random.default_rng(0)
    weights, inputs = first_weights(rng).astype(np.float64), rng.standard_normal((5, INPUTS))
    scores = rng.integers(SCORES, size=5)
    _, slope = gradient(weights, inputs, scores)
    for at in rng.integers(WEIGHTS, size=20):
        moved = [weights.copy() for _ in range(2)]
        moved[0][at] += 1e-5
        moved[1][at] -= 1e-5
        high, low = (gradient(one, inputs, scores)[0] for one in moved)
        assert slope[at] == pytest.approx((high - low) / 2e-5, abs=1e-6)


def test_a_mirrored_position_differs_in_x_alone():
    part = play_part(MATCH, "none", 1, 20, 1, 0, 5)
    rows = np.arange(len(part.points))
    plain, mirrored, copied = (np.empty((len(rows), INPUTS), np.float32) for _ in range(3))
    write_inputs(part.positions, part.worths, rows, np.zeros(len(rows), np.bool_), PARAMS, plain)
    write_inputs(part.positions, part.worths, rows, np.ones(len(rows), np.bool_), PARAMS, mirrored)
    positions = part.positions.copy()
    positions[:, FIRST_STONE::2] *= -1.0
    write_inputs(positions, part.worths, rows, np.zeros(len(rows), np.bool_), PARAMS, copied)
    np.testing.assert_allclose(mirrored, copied, atol=1e-6)
    assert (plain != mirrored).any()


def test_self_play_is_the_same_for_the_same_seed_and_keeps_scores_of_its_positions():
    one, two = (play_part(MATCH, "none", 3, 50, 1, 0, 7) for _ in range(2))
    for name in ("positions", "worths", "points"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    assert one.positions.shape == (len(one.points), STATE_DIM) and abs(one.points).max() <= 8
    assert len(set(one.points.tolist())) > 3


def test_ends_of_mixed_doubles_begin_with_all_set_ups_and_ten_shots_to_come():
    match = Curling(10, reward="win_probability", game="mixed_doubles")
    starts = starts_of(match, 400, np.random.default_rng(1))
    setups = {setup_of(start) for start in starts}
    assert {choice for _, choice in setups} == set(CHOICES) and {decider for decider, _ in setups} == {0, 1}
    assert {shot_of(start) for start in starts} == {6}
    for start in starts:
        decider, choice = setup_of(start)
        assert "pp" not in choice or start[POWER + decider] == 0.0
    part = play_part(match, "none", 0, 100, 1, 0, 3)
    assert part.positions.shape == (len(part.points), match.state_dim) and abs(part.points).max() <= 6
    assert {shot_of(position) for position in part.positions.astype(float)} == set(range(6, 16))
    stones = (part.positions[:, FIRST_STONE + 1 : STATE_DIM : 2] > 0.0).sum(1)
    assert stones.max() > 6 and stones.min() >= 1


def test_larger_errors_are_those_of_the_match_that_is_learned(tmp_path):
    learning = Learning(tmp_path, noise="2*normal_dist")
    assert noise_of(learning.match.noise) == Noise(speed=0.0152, angle=0.0036)
    assert Learning(tmp_path).match == MATCH


def test_training_learns_the_scores_of_the_default_policy(small):
    data, rng = play_part(MATCH, "none", 1, 4_000, 1, 0, 1), np.random.default_rng(0)
    shares = np.bincount(data.points.astype(int) + 8) / len(data.points)
    entropy = -(shares[shares > 0] * np.log(shares[shares > 0])).sum()
    descent = Descent.from_weights(first_weights(rng))
    for at in range(4):
        epoch(descent, data, PARAMS, at, 4, rng, lambda count: None)
    assert loss_of(descent.weights, data, PARAMS) < 0.9 * entropy


def test_rounds_go_on_where_they_were_left(tmp_path, small, capsys):
    learning = Learning(tmp_path, seed=1, samples=1)
    learning.generate(0, 120, 0, jobs=1)
    parts = sorted((tmp_path / "round-0").glob("part-*.npz"))
    assert len(parts) == 4  # two are held out
    before = parts[1].read_bytes()
    parts[2].unlink()
    learning.generate(0, 120, 0, jobs=1)
    assert parts[1].read_bytes() == before and parts[2].exists()
    learning.train(0, 1)
    weights = (tmp_path / "round-0" / "weights.npz").read_bytes()
    learning.train(0, 1)
    assert (tmp_path / "round-0" / "weights.npz").read_bytes() == weights
    with pytest.raises(ValueError, match="ends=240: must be 120, from which round 0 has weights"):
        learning.generate(0, 240, 0, jobs=1)
    assert learning.evaluate(0).positions > 100
    learning.generate(1, 60, 4, jobs=1)
    learning.train(1, 1)
    assert load_points(tmp_path / "round-1" / "part-00000.npz") > 0
    assert "left" in capsys.readouterr().err


def test_a_shot_is_the_best_of_candidates_and_aims():
    model, rng, scratch = Curling(10, reward="win_probability"), np.random.default_rng(4), _new_scratch(6, 50)
    state = model.initial_state(rng)
    aims = aims_of(model.aim_grid(state, 300))
    scratch.state[:] = state
    _throw_best(model.params, aims, np.random.default_rng(7), scratch)
    drawn, search = np.random.default_rng(7), new_scratch()
    errors = drawn.standard_normal((6, 4))
    candidates = own_actions(model, state)
    tried = aims[[int(drawn.random() * len(aims)) for _ in range(50)]]
    values = np.empty(50)
    screen(state, tried, model.params, rng, values, search)
    shots = np.concatenate([candidates, tried[np.argsort(-values, kind="stable")[:AIMS_KEPT]]])
    np.testing.assert_array_equal(scratch.search.replies[: len(shots)], shots)
    thrown = np.empty((len(shots), 6))
    expect(state, shots, errors, model.params, rng, thrown, search)
    best = max(np.argsort(-thrown[:, :FEW].mean(1), kind="stable")[:BEST_REPLIES], key=lambda i: thrown[i].mean())
    after = np.empty_like(state)
    model.step(state, shots[best], after, model.params, drawn)
    np.testing.assert_array_equal(scratch.after, after)


def load_points(file):
    """The number of positions of a part."""
    with np.load(file) as part:
        return len(part["points"])


def test_a_training_that_was_stopped_ends_with_the_same_weights(tmp_path, small, monkeypatch):
    learnings = [Learning(tmp_path / name, seed=1) for name in "ab"]
    for learning in learnings:
        learning.generate(0, 120, 0, jobs=1)
    learnings[0].train(0, 3)
    calls = []

    def stop(*arguments):
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return epoch(*arguments)

    monkeypatch.setattr(rounds, "epoch", stop)
    with pytest.raises(KeyboardInterrupt):
        learnings[1].train(0, 3)
    learnings[1].train(0, 3)
    one, two = (np.load(learning.weights(0)) for learning in learnings)
    for layer in range(6):
        np.testing.assert_array_equal(one[f"layer{layer}"], two[f"layer{layer}"])


def test_a_folder_keeps_the_settings_that_it_was_begun_with(tmp_path):
    assert Learning.of_folder(tmp_path, seed=5) == Learning(tmp_path, 5)
    assert Learning.of_folder(tmp_path, seed=None, samples=8) == Learning(tmp_path, 5)
    folder = tmp_path / "other"
    other = Learning.of_folder(folder, game="mixed_doubles", noise="0.5*normal_dist")
    assert Learning.of_folder(folder) == other == Learning(folder, 2026, 8, "mixed_doubles", "0.5*normal_dist")
    with pytest.raises(ValueError, match=r"seed=6: must be 5, as .* was begun with"):
        Learning.of_folder(tmp_path, seed=6)
