"""`bonspiel list NAME` and the tables of the site say what each parameter means."""

import functools
from dataclasses import dataclass, field

import pytest

from bonspiel import envs, planners
from bonspiel.planners.registry import Registry, fields_of
from bonspiel.runs.verbs.parameters import Parameter, describe, meanings, parameters

EVERYTHING = [(registry, name) for registry in (planners.REGISTRY, envs.REGISTRY) for name in registry.everything()]


@dataclass(frozen=True)
class Base:
    """A base.

    Args:
        shared: is overwritten.
        kept: of the base: in 1
            and more lines.
    """

    shared: int = 1
    kept: float = 0.5


@dataclass(frozen=True)
class Derived(Base):
    """Something derived.

    A second paragraph.

    Args:
        shared: one of "a" or "b".

    Raises:
        ValueError: never.
    """

    needed: int = field(kw_only=True)
    made: tuple[int, ...] = field(default_factory=lambda: (1, 2), kw_only=True)
    _hidden: int = field(default=0, init=False)


class Plain:
    """No dataclass."""

    def __init__(self, size, noise=0.1, **others):
        """Make it.

        Args:
            size: in metres.
            noise: a share.
            others: are ignored.
        """


class Switches:
    """Three coordinates."""

    action_kinds = ("boolean", "boolean", "integer")


REGISTRY = Registry("thing", {cls.__name__.lower(): f"{__name__}:{cls.__name__}" for cls in (Base, Derived, Plain)})


def test_meanings_come_from_the_class_then_from_its_bases():
    assert parameters(REGISTRY, "derived") == [
        Parameter("shared", "1", 'one of "a" or "b".'),
        Parameter("kept", "0.5", "of the base: in 1 and more lines."),
        Parameter("needed", "", ""),
        Parameter("made", "(1, 2)", ""),
    ]
    assert describe(REGISTRY, "derived")[:2] == (f"{__name__}.Derived", "Something derived.\n\nA second paragraph.")


def test_a_class_without_fields_is_described_by_its_init():
    assert parameters(REGISTRY, "plain") == [Parameter("size", "", "in metres."), Parameter("noise", "0.1", "a share.")]
    assert meanings(lambda: None) == {} == meanings(functools.partial(Plain))


def test_list_shows_the_kinds_of_actions_that_are_not_all_real(run):
    line = "\nKinds of actions: real, integer, boolean, categorical.\n"
    assert line in run("list", "dpw")[1]
    assert "Kinds of actions" not in run("list", "mppi")[1] + run("list", "trap")[1]
    name = "tests.runs.test_listing:Switches"
    assert "\nKinds of actions: boolean, integer.\n" in run("list", name)[1]


def test_every_parameter_of_a_planner_or_problem_has_a_meaning():
    wrong = []
    for registry, name in EVERYTHING:
        found = parameters(registry, name)
        names = [of.name for of in fields_of(registry.cls(name))]
        if [of.name for of in found] != names or not all(of.meaning for of in found):
            wrong.append((name, names, found))
    assert wrong == [] and EVERYTHING


def test_list_shows_the_parameters_of_one_name(run):
    status, out, err = run("list", "cmcgs")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "planner cmcgs: bonspiel.planners.cells.cmcgs.CMCGS"
    assert lines[3].split() == ["parameter", "default", "meaning"]
    (elite,) = [line for line in lines if line.startswith("elite_ratio ")]
    assert elite.split()[1] == "0.1" and "experiences" in elite
    assert max(map(len, lines)) <= 118


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("trap", ["environment trap: ", "noise_range  0.1 "]),
        ("wuct", ["planner wuct: ", "WeightedUCT"]),
        ("presearch", ["(abstraction:exploration=0.3,tree_steps=1)\n       "]),
        ("random", ["It has no parameters."]),
        ("bonspiel.envs.trap.model:Trap", ["noise_range  0.1 "]),
    ],
)
def test_names_of_each_kind_are_shown(run, name, words):
    status, out, _ = run("list", name)
    assert status == 0 and [word for word in words if word not in out] == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("dwp", "unknown planner, environment or game 'dwp'. Did you mean 'dpw'? Known: random, uct, "),
        ("refined_abstraction", "take 'adaptive' instead"),
        ("dpw:exploration=1", "write the name without its parameters: bonspiel list dpw"),
        ("family:trapp", "unknown family 'family:trapp'. Did you mean 'family:trap'?"),
        ("family:trap:dim=2", "write the name without its parameters: bonspiel list family:trap"),
        ("quick", "'quick' is a suite; to see what it runs: bonspiel run quick --dry-run"),
        ("gym:Pendulum-v1", "those of gymnasium.make('Pendulum-v1')"),
        ("nowhere:Thing", "nowhere cannot be imported"),
    ],
)
def test_a_name_that_cannot_be_shown_is_answered_in_one_line(refused, name, words):
    err = refused("list", name)
    assert err.startswith("bonspiel list: ") and words in err


def test_meanings_are_wrapped_to_the_terminal(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    _, out, _ = run("list", "icem")
    assert 72 < max(map(len, out.splitlines()[3:])) <= 80
