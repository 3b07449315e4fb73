"""The network's value: its inputs, its arithmetic against a plain one, its symmetries, and its files."""

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest

from bonspiel.curling.ice.noise import NOISES, Noise
from bonspiel.curling.ice.sheet import STONES, no_stones
from bonspiel.curling.learning.training import first_weights, split
from bonspiel.curling.match.state import (
    DECIDER,
    FIRST_STONE,
    HAMMER,
    IN_HOUSE,
    NETWORK,
    POWER,
    TEE,
    state_of,
    stones_of,
    worth_of,
)
from bonspiel.curling.model import Curling
from bonspiel.curling.network import end_weights
from bonspiel.curling.network.end_inputs import (
    DESCRIBED,
    INPUTS,
    LYING,
    MOST_KNOWN,
    PER_STONE,
    PLACES,
    SCORES,
    SHOT,
    VALUES,
    WORTH,
    describe,
)
from bonspiel.curling.network.end_network import (
    CHANCES,
    PACKED,
    WEIGHTS,
    expected_worth,
    new_workspace,
    packed,
    unpacked,
)
from bonspiel.curling.network.end_weights import Provenance, load, save
from bonspiel.curling.records.position import MatchPosition
from bonspiel.curling.settings import MatchSettings

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


def with_weights(weights, model=MODEL):
    """The parameters of a model with these weights."""
    return np.concatenate([model.params[: int(model.params[NETWORK])], packed(weights)])


def chances(state, weights, model=MODEL):
    """The network's prediction, [17]."""
    workspace = new_workspace()
    expected_worth(state, with_weights(weights, model), workspace)
    return workspace[CHANCES:][:SCORES].copy()


def plain_inputs(state, model=MODEL):
    """The inputs by their definition, the points as they lie apart: each stone's first input, and its values."""
    stones, hammer, house = stones_of(state), int(state[HAMMER]), model.params[IN_HOUSE]
    places = stones - [0.0, model.params[TEE]]
    found = {}
    order = sorted((i for i in range(STONES) if stones[i, 1] > 0.0), key=lambda i: np.hypot(*places[i]))
    for rank, i in enumerate(order):
        x, y = places[i]
        cover = backing = 0.0
        for j in order:
            near, ahead = max(1.0 - abs(x - places[j, 0]) / 0.6, 0.0), y - places[j, 1]
            cover += near if ahead > 0.25 else 0.0
            backing += near * (1.0 + ahead / 0.7) if -0.7 < ahead < 0.0 else 0.0
        distance = np.hypot(x, y)
        theirs = i // 8 != hammer
        found[2 * rank + theirs] = 1.0, x, abs(x), y / 2.0, distance / 2.0, cover, backing, float(distance < house)
    return found


def plain_prediction(state, weights, model=MODEL):
    """The same with matrices."""
    worth = np.empty(SCORES)
    _, lying = describe(state, model.params, np.empty(DESCRIBED))
    worth_of(state, model.params, worth)
    inputs = np.zeros(INPUTS)
    for place, values in plain_inputs(state, model).items():
        inputs[place * PER_STONE : (place + 1) * PER_STONE] = values
    inputs[SHOT + int(state[0]) % STONES] = inputs[LYING + MOST_KNOWN + lying] = 1.0
    inputs[WORTH:] = 2.0 * worth[8 - MOST_KNOWN : 9 + MOST_KNOWN] - 1.0
    w1, b1, w2, b2, w3, b3 = split(weights)
    outputs = np.maximum(np.maximum(inputs @ w1 + b1, 0.0) @ w2 + b2, 0.0) @ w3 + b3
    return np.exp(outputs) / np.exp(outputs).sum()


@pytest.mark.parametrize("seed", range(8))
def test_the_prediction_is_that_of_plain_matrices(seed):
    weights = first_weights(np.random.default_rng(seed)).astype(np.float64)
    state = position(seed, shot=(2 * seed + 1) % STONES, hammer=seed % 2, lead=seed - 4)
    np.testing.assert_allclose(chances(state, weights), plain_prediction(state, weights), rtol=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_the_teams_are_interchangeable(seed):
    weights = first_weights(np.random.default_rng(seed)).astype(np.float64)
    state = position(seed, hammer=1, lead=2)
    swapped = state.copy()
    swapped[HAMMER], swapped[2] = 0.0, -2.0
    stones = state[FIRST_STONE:].reshape(2, STONES)
    swapped[FIRST_STONE:] = stones[::-1].ravel()
    np.testing.assert_allclose(chances(swapped, weights), chances(state, weights), rtol=1e-6)


def test_inputs_say_who_lies_shot_and_what_covers_it():
    stones = no_stones()
    stones[0], stones[8], stones[9] = (0.1, 38.4), (0.0, 35.0), (1.0, 38.4)  # team 0's shot stone behind a guard
    workspace = np.empty(DESCRIBED)
    count, lying = describe(state_of(stones, 9, 1), MODEL.params, workspace)
    values = workspace[VALUES:]
    assert (count, lying) == (3, -1)
    assert workspace[PLACES:][:3].tolist() == [1, 4, 2]  # by the distance from the tee, the hammer's team first
    assert values[5] == pytest.approx(1.0 - 0.1 / 0.6)
    assert values[PER_STONE + 5] == 0.0


@pytest.mark.parametrize("seed", range(12))
def test_inputs_of_stones_are_those_of_their_definition(seed):
    state = position(seed, shot=seed + 3, hammer=seed % 2)
    workspace, expected = np.empty(DESCRIBED), plain_inputs(state)
    count, _ = describe(state, MODEL.params, workspace)
    places, values = workspace[PLACES:][:count].astype(int), workspace[VALUES:][: count * PER_STONE]
    assert sorted(places) == sorted(expected)
    expected = [expected[place] for place in places]
    np.testing.assert_allclose(values.reshape(count, PER_STONE), expected, rtol=1e-12, atol=1e-12)


def test_points_as_they_lie_are_counted_up_to_four():
    for theirs, count, expected in ((38.9, 2, 2), (40.3, 2, 2), (38.9, 6, 4), (37.0, 0, -1), (41.0, 0, 0)):
        stones = no_stones()
        stones[8] = 0.0, theirs
        stones[:count, 0], stones[:count, 1] = 0.05 * np.arange(count), 38.5
        _, lying = describe(state_of(stones, 14, hammer=0), MODEL.params, np.empty(DESCRIBED))
        assert lying == expected


def test_what_a_workspace_keeps_changes_no_number():
    params, workspace = with_weights(first_weights(np.random.default_rng(0)).astype(np.float64)), new_workspace()
    kinds = itertools.product(range(3), (9, 11, 10), (0, 1), (0, 1))
    states = [position(seed, shot, hammer, lead) for seed, shot, hammer, lead in kinds]
    moved = [state.copy() for state in states for _ in range(4)]
    rng = np.random.default_rng(1)
    for state in moved:
        row = FIRST_STONE + 2 * int(rng.integers(STONES))
        state[row : row + 2] = 0.0, rng.choice([0.0, 37.0, 38.5])
    for state in moved:
        assert expected_worth(state, params, workspace) == expected_worth(state, params, new_workspace())


def test_a_workspace_tells_power_plays_apart():
    mixed = Curling(3, extra_ends=1, reward="win_probability", game="mixed_doubles")
    params = with_weights(first_weights(np.random.default_rng(0)).astype(np.float64), mixed)
    state, workspace, worths = mixed.initial_state(np.random.default_rng(0)), new_workspace(), set()
    for state[DECIDER], state[POWER], state[POWER + 1] in itertools.product((0.0, 1.0), repeat=3):
        worths.add(expected_worth(state, params, workspace))
        assert expected_worth(state, params, new_workspace()) in worths
    assert len(worths) > 4


def test_weights_are_packed_in_single_precision():
    weights = np.random.default_rng(0).standard_normal(WEIGHTS)
    params = with_weights(weights)
    assert len(params) == params[NETWORK] + PACKED and np.isfinite(params).all()
    np.testing.assert_array_equal(unpacked(params), weights.astype(np.float32))


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
    expected = chances(state, weights) @ worth
    value = model.value(state, np.empty_like(state), 7, model.params, rng)
    assert value == pytest.approx(expected if hammer == 0 else 1.0 - expected)
    points = replace(model, reward="points", ends=1, extra_ends=0)
    expected = chances(state, weights, points) @ np.arange(-8, 9)
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
        assert len(model.params) == model.params[NETWORK] + PACKED
    others = replace(MODEL, noise="none"), replace(MODEL, rule="four_rock"), replace(MODEL, max_speed=3.0)
    for other in (*others, Curling(physics="dc2"), replace(MODEL, weights="none")):
        assert len(other.params) == other.params[NETWORK]


def test_the_client_of_a_default_match_has_the_weights():
    thrower = {"noise": Noise(0.0076, 0.0018), "max_speed": 4.0}
    settings = MatchSettings(2, reward="win_probability", rule="five_rock", **thrower)
    position = MatchPosition(no_stones(), 0, settings=settings)
    model = position.model()
    assert len(model.params) == model.params[NETWORK] + PACKED


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
