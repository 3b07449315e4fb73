"""The verb `learn`."""

import functools

import pytest

from bonspiel.curling import model_params
from bonspiel.curling.learning import rounds
from bonspiel.curling.network import end_weights
from bonspiel.curling.verbs import learn


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["generate", "--ends", "0"], "ends"),
        (["generate", "--round", "-1"], "round"),
        (["generate", "--samples", "0"], "samples"),
        (["generate", "--aims", "-1"], "aims"),
        (["generate", "--seed", "-1"], "seed"),
        (["train", "--epochs", "0"], "epochs"),
    ],
)
def test_numbers_out_of_range_are_refused(refused, arguments, word):
    error = refused("learn", arguments[0], "new", *arguments[1:])
    assert f"{word}=" in error


def test_a_missing_step_before_is_named(refused):
    error = refused("learn", "train", "new")
    assert "generate" in error
    error = refused("learn", "generate", "new", "--round", "1")
    assert "round-0" in error


@pytest.mark.parametrize(
    ("game", "noise"), [("standard", "normal_dist"), ("standard", "2*normal_dist"), ("mixed_doubles", "normal_dist")]
)
def test_all_rounds_are_learned_and_shipped_and_a_second_call_repeats_nothing(run, tmp_path, monkeypatch, game, noise):
    monkeypatch.setattr(rounds, "PART_ENDS", 60)
    for name, values in (("ENDS", (120, 60)), ("AIMS", (0, 4)), ("EPOCHS", (1, 1))):
        monkeypatch.setattr(learn, name, values)
    monkeypatch.setattr(end_weights, "FOLDER", tmp_path)
    monkeypatch.setattr(end_weights, "own", functools.cache(end_weights.own.__wrapped__))
    monkeypatch.setattr(model_params, "own", end_weights.own)
    for _ in range(2):
        of = "--game", game, "--noise", noise
        status, out, error = run("learn", "all", "new", "--seed", "1", "--samples", "1", "--jobs", "1", *of)
        assert status == 0 and [line.split(":")[0] for line in out.splitlines()] == ["round 0", "round 1"]
    assert error.splitlines()[-1] == "round 1 has its weights already"
    assert run("learn", "ship", "new")[0] == 0
    weights = (tmp_path / "new" / "round-1" / "weights.npz").read_bytes()
    assert (tmp_path / f"{game}-{noise.replace('*', 'x')}.npz").read_bytes() == weights


def test_a_stopped_step_says_how_to_continue(run, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(rounds.Learning, "generate", stop)
    status, _, error = run("learn", "generate", "new")
    assert status == 130 and "the same command continues" in error


def test_a_round_that_was_begun_otherwise_is_refused(run, refused, monkeypatch):
    monkeypatch.setattr(rounds, "PART_ENDS", 20)
    generate = "learn", "generate", "new", "--samples", "1", "--jobs", "1", "--ends"
    assert run(*generate, "20")[0] == 0
    error = refused(*generate, "40", "--aims", "4")
    assert "aims=4: must be 0" in error and "part-00000.npz" in error
    assert run("learn", "train", "new", "--epochs", "1")[0] == 0
    error = refused("learn", "train", "new", "--epochs", "2")
    assert "epochs=2: must be 1" in error and "weights.npz" in error
    for name, values in (("ENDS", (40,)), ("AIMS", (0,)), ("EPOCHS", (1,))):
        monkeypatch.setattr(learn, name, values)
    error = refused("learn", "all", "new", "--jobs", "1")
    assert "ends=40: must be 20" in error


def test_weights_name_the_ends_that_they_were_learned_from(run, monkeypatch, tmp_path):
    monkeypatch.setattr(rounds, "PART_ENDS", 20)
    assert run("learn", "generate", tmp_path / "ends", "--samples", "1", "--jobs", "1", "--ends", "20")[0] == 0
    assert run("learn", "train", tmp_path / "ends", "--epochs", "1")[0] == 0
    assert run("learn", "generate", tmp_path / "ends", "--round", "1", "--jobs", "1", "--ends", "40")[0] == 0
    for part in (tmp_path / "ends" / "round-0").glob("part-*.npz"):
        part.unlink()
    assert run("learn", "train", tmp_path / "ends", "--round", "1", "--epochs", "1")[0] == 0
    assert end_weights.load(tmp_path / "ends" / "round-1" / "weights.npz")[1].rounds == (20, 40)
