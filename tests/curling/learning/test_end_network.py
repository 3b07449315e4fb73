"""The network's value: its inputs, its arithmetic against a plain one, its symmetries, and its files."""

import json
from dataclasses import replace

import numpy as np
import pytest

from bonspiel.curling.ice.noise import NOISES, Noise
from bonspiel.curling.ice.sheet import STONES, no_stones
from bonspiel.curling.learning import end_weights
from bonspiel.curling.learning.end_network import (
    INPUTS,
    LYING,
    MOST_KNOWN,
    PER_STONE,
    ROWS,
    SCORES,
    SHOT,
    VALUES,
    WEIGHTS,
    WORKSPACE,
    WORTH,
    describe,
    predict,
)
from bonspiel.curling.learning.end_weights import Provenance, load, save
from bonspiel.curling.learning.training import first_weights, split
from bonspiel.curling.match.position import MatchPosition
from bonspiel.curling.match.state import FIRST_STONE, HAMMER, NETWORK, state_of, worth_of
from bonspiel.curling.model import Curling

MODEL = Curling(3, extra_ends=1, reward="win_probability")
ABOUT = Provenance("fcv1", "five_rock", "normal_dist", 1, "abc", (4_000,))


def position(seed, shot=9, hammer=1, lead=0):
    """A position with random stones in and before the house."""
    rng, stones = np.random.default_rng(seed), no_stones()
    for k in range(shot):
        if rng.random() < 0.8:
            team = (1 - hammer) if k % 2 == 0 else hammer
            stones[8 * team + k // 2] = rng.uniform(-1.8, 1.8), rng.uniform(34.0, 40.0)
    return state_of(stones, shot, hammer, lead=lead)


def chances(state, weights, model=MODEL):
    """The network's prediction, [17]."""
    worth, out = np.empty(SCORES), np.empty(SCORES)
    worth_of(state, model.params, worth)
    predict(state, worth, weights, model.params, np.empty(WORKSPACE), out)
    return out


def plain_prediction(state, weights, model=MODEL):
    """The same with matrices."""
    workspace, worth = np.empty(WORKSPACE), np.empty(SCORES)
    count, lying = describe(state, model.params, workspace)
    rows, values = workspace[ROWS:][:count].astype(int), workspace[VALUES:]
    worth_of(state, model.params, worth)
    inputs = np.zeros(INPUTS)
    for k in range(count):
        inputs[rows[k] : rows[k] + PER_STONE] = values[k * PER_STONE : (k + 1) * PER_STONE]
    inputs[SHOT + int(state[0]) % STONES] = inputs[LYING + MOST_KNOWN + lying] = 1.0
    inputs[WORTH:] = 2.0 * worth[8 - MOST_KNOWN : 9 + MOST_KNOWN] - 1.0
    w1, b1, w2, b2, w3, b3 = split(weights)
    outputs = np.maximum(np.maximum(inputs @ w1 + b1, 0.0) @ w2 + b2, 0.0) @ w3 + b3
    return np.exp(outputs) / np.exp(outputs).sum()


@pytest.mark.parametrize("seed", range(8))
def test_the_prediction_is_that_of_plain_matrices(seed):
    weights = first_weights(np.random.default_rng(seed)).astype(np.float64)
    state = position(seed, shot=(2 * seed + 1) % STONES, hammer=seed % 2, lead=seed - 4)
    np.testing.assert_allclose(chances(state, weights), plain_prediction(state, weights), rtol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_the_teams_are_interchangeable(seed):
    weights = first_weights(np.random.default_rng(seed)).astype(np.float64)
    state = position(seed, hammer=1, lead=2)
    swapped = state.copy()
    swapped[HAMMER], swapped[2] = 0.0, -2.0
    stones = state[FIRST_STONE:].reshape(2, STONES)
    swapped[FIRST_STONE:] = stones[::-1].ravel()
    np.testing.assert_allclose(chances(swapped, weights), chances(state, weights), rtol=1e-12)


def test_inputs_say_who_lies_shot_and_what_covers_it():
    stones = no_stones()
    stones[0], stones[8], stones[9] = (0.1, 38.4), (0.0, 35.0), (1.0, 38.4)  # team 0's shot stone behind a guard
    workspace = np.empty(WORKSPACE)
    count, lying = describe(state_of(stones, 9, 1), MODEL.params, workspace)
    rows, values = workspace[ROWS:], workspace[VALUES:]
    assert (count, lying) == (3, -1)
    assert rows[:3].tolist() == [PER_STONE, 2 * PER_STONE, 4 * PER_STONE]  # nearest first, the hammer's team first
    assert values[5] == pytest.approx(1.0 - 0.1 / 0.6)
    assert values[2 * PER_STONE + 5] == 0.0


def test_scores_are_worth_what_they_make_of_the_match():
    worth = np.empty(SCORES)
    worth_of(state_of(no_stones(), 3, hammer=1, end=2, lead=1), Curling(3, reward="win_probability").params, worth)
    assert worth[8] == 0.0 and worth[9] == 0.5 and worth[10] == 1.0  # behind by a point in the last end
    worth_of(state_of(no_stones(), 3), Curling(reward="points").params, worth)
    np.testing.assert_allclose(worth, np.linspace(0.0, 1.0, SCORES))


@pytest.mark.parametrize("hammer", [0, 1])
def test_the_value_of_points_and_of_winning_are_team_0s(tmp_path, hammer):
    weights = first_weights(np.random.default_rng(3)).astype(np.float64)
    save(tmp_path / "w.npz", weights, ABOUT)
    model = replace(MODEL, weights=str(tmp_path / "w.npz"))
    state, rng = position(5, hammer=hammer), np.random.default_rng(0)
    worth = np.empty(SCORES)
    worth_of(state, model.params, worth)
    expected = chances(state, model.params[int(model.params[NETWORK]) :]) @ worth
    value = model.value(state, np.empty_like(state), 7, model.params, rng)
    assert value == pytest.approx(expected if hammer == 0 else 1.0 - expected)
    points = replace(model, reward="points", ends=1, extra_ends=0)
    expected = chances(state, points.params[int(points.params[NETWORK]) :], points) @ np.arange(-8, 9)
    value = points.value(state, np.empty_like(state), 7, points.params, rng)
    assert value == pytest.approx(expected if hammer == 0 else -expected)
    assert rng.random() == np.random.default_rng(0).random()


def test_without_weights_the_value_is_a_playout():
    model, state = replace(MODEL, weights="none"), position(1)
    value = model.value(state.copy(), np.empty_like(state), 7, model.params, np.random.default_rng(4))
    assert value == model.rollout(state.copy(), np.empty_like(state), 7, model.params, np.random.default_rng(4))


def test_weights_are_for_one_kind_of_game():
    dc4 = replace(MODEL, physics="dc4")
    same = MODEL, replace(MODEL, noise=NOISES["normal_dist"]), replace(MODEL, max_speed=4.0), Curling(), dc4
    for model in same:
        assert len(model.params) == model.params[NETWORK] + WEIGHTS
    others = replace(MODEL, noise="none"), replace(MODEL, rule="four_rock"), replace(MODEL, max_speed=3.0)
    for other in (*others, Curling(physics="dc2"), replace(MODEL, weights="none")):
        assert len(other.params) == other.params[NETWORK]


def test_the_client_of_a_default_match_has_the_weights():
    thrower = {"noise": Noise(0.0076, 0.0018), "max_speed": 4.0}
    position = MatchPosition(no_stones(), 0, ends=2, reward="win_probability", rule="five_rock", **thrower)
    model = position.model()
    assert len(model.params) == model.params[NETWORK] + WEIGHTS


def test_a_file_of_weights_is_read_as_it_was_written(tmp_path):
    weights = first_weights(np.random.default_rng(0)).astype(np.float64)
    save(tmp_path / "w.npz", weights, ABOUT)
    read, about = load(tmp_path / "w.npz")
    np.testing.assert_array_equal(read, weights)
    assert about == ABOUT


def spoiled(path, **changes):
    """A file of weights with some entries changed."""
    weights = first_weights(np.random.default_rng(0)).astype(np.float64)
    save(path, weights, ABOUT)
    with np.load(path) as file:
        entries = {name: file[name] for name in file.files} | changes
    np.savez(path, **entries)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda path: None, "no such file"),
        (lambda path: path.write_text("nothing"), "file of weights"),
        (lambda path: spoiled(path, layer0=np.zeros((3, 3))), "shapes"),
        (lambda path: spoiled(path, layer1=np.full(128, np.nan)), "finite"),
        (lambda path: spoiled(path, layer1=np.full(128, "a")), "file of weights"),
        (lambda path: spoiled(path, about=np.array(json.dumps({"format": 99, **vars(ABOUT)}))), "format"),
        (lambda path: spoiled(path, about=np.array(json.dumps({"format": 1, **vars(ABOUT), "noise": "x"}))), "noise"),
    ],
)
def test_bad_weights_are_refused_and_playouts_serve(tmp_path, monkeypatch, capsys, spoil, words):
    path = tmp_path / "standard-normal_dist.npz"
    spoil(path)
    with pytest.raises(ValueError, match=words):
        load(path)
    monkeypatch.setattr(end_weights, "FOLDER", tmp_path)
    end_weights.own.cache_clear()
    try:
        model = Curling(reward="win_probability")
        assert len(model.params) == model.params[NETWORK]
        line = capsys.readouterr().err
        assert line.count("\n") == 1 and "playouts" in line and (words in line or not path.exists())
    finally:
        end_weights.own.cache_clear()
