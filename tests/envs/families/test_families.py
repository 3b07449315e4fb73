"""What all families of problems have to do."""

import hashlib
from collections import Counter
from dataclasses import fields

import numpy as np
import pytest

from bonspiel import envs
from bonspiel.envs.optimal import random_value, solve, upper_bound
from bonspiel.planners.core.text import read
from bonspiel.runs.cli import main
from bonspiel.runs.suites import lookup

DIGESTS = {
    "family:treasure_hunt": "45d8123325b0",
    "family:donut": "b879f6d8f7ac",
    "family:trap": "cc253699c9b8",
    "family:linear_quadratic": "181e6e000d34",
}
SMALL = [f"{name}:instance=3" for name in envs.FAMILIES]


def digest(model):
    return hashlib.blake2b(model.params.tobytes(), digest_size=6).hexdigest()


@pytest.mark.parametrize("name", envs.FAMILIES)
def test_an_instance_is_the_same_on_every_machine(name):
    assert digest(envs.parse(f"{name}:instance=3")) == DIGESTS[name]


@pytest.mark.parametrize("name", envs.FAMILIES)
def test_other_numbers_are_other_instances(name):
    assert len({digest(envs.parse(f"{name}:instance={k}")) for k in range(50)}) == 50
    assert digest(envs.parse(name)) == digest(envs.make_model(name, instance=1))


@pytest.mark.parametrize("text", SMALL)
def test_an_instance_keeps_the_contract_of_models(text):
    envs.check_model(envs.parse(text), np.random.default_rng(0))


@pytest.mark.parametrize("name", envs.FAMILIES)
@pytest.mark.parametrize(
    ("given", "limits"),
    [
        ("instance=-1", "instance=-1: must be a whole number from 0 to 2147483647"),
        ("instance=1.5", "instance=1.5: must be a whole number from 0 to 2147483647"),
        ("horizon=201", "horizon=201: must be a whole number from 1 to 200"),
        ("dim=17", "dim=17: must be a whole number from"),
        ("width=0", "width=0: must be from 0.01 to 100"),
        ("offset=1e9", "offset=1000000000.0: must be from -1e"),
        ("factor=0", "factor=0: must be from 1e-06 to 1e"),
        ("noise=11", "noise=11: must be from"),
        ("nosie=1", "Did you mean 'noise'?"),
    ],
)
def test_limits_are_named(name, given, limits):
    if given.partition("=")[0] not in {"nosie", *(of.name for of in fields(envs.make_model(name)))}:
        pytest.skip("the family has no such parameter")
    with pytest.raises(ValueError) as raised:
        envs.parse(f"{name}:{given}")
    assert limits in str(raised.value)


@pytest.mark.parametrize("text", SMALL)
def test_the_optimum_is_better_than_random_actions(text):
    model = envs.parse(text)
    assert solve(model).mean_value() > random_value(model)
    assert solve(envs.parse(f"{text},lookahead=2")) is not None
    with pytest.raises(TypeError):
        solve(model, [model.action_low])
    with pytest.raises(TypeError, match="no upper bound of Trap is known"):
        upper_bound(envs.Trap())


def test_an_unknown_family_is_refused_with_the_close_match():
    with pytest.raises(ValueError, match=r"Did you mean 'family:linear_quadratic'\?"):
        envs.parse("family:linear_quadratik:instance=3")


def test_a_family_is_run_and_listed_as_any_problem(tmp_path, capsys):
    text, out = "family:linear_quadratic:instance=3,dim=1,lookahead=5", str(tmp_path / "run")
    budget = "--budget 10 --episodes 2 --jobs 1".split()
    assert main(["run", text, "--planner", "random", *budget, "--out", out]) == 0
    assert "optimum" in capsys.readouterr().out
    assert main(["list", "family:linear_quadratic"]) == 0
    assert "curvature" in capsys.readouterr().out


def test_the_suite_has_fifteen_instances_of_each_family_in_three_sizes():
    drawn = {}
    for text in {setting.env for setting in lookup.load("families").settings()}:
        name, given = read(text)
        drawn.setdefault((name, given.get("dim", given.get("size"))), set()).add(given["instance"])
    assert set(map(frozenset, drawn.values())) == {frozenset(range(1, 16))}
    assert Counter(name for name, _ in drawn) == dict.fromkeys(envs.FAMILIES, 3)
