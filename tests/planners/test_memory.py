"""No decision depends on what new memory held before, which is zero in a fresh process and anything in an old one."""

import platform
import sys
import time
from contextlib import contextmanager
from functools import partial

import numpy as np
import pytest

from bonspiel import envs, planners
from bonspiel.planners import Budget
from bonspiel.planners.checks import offers
from bonspiel.planners.core.actions import action_set, own_actions
from bonspiel.planners.model import HasActions
from bonspiel.planners.planner import FreshSearches, begin_episode, traits_of
from bonspiel.planners.wrappers.threads.choice import Virtual
from bonspiel.planners.wrappers.threads.planner import SHARED, root_of, search_together
from tests.planners.test_contract import ROOM, variants
from tests.planners.tiny_models import Estimated, Target
from tests.planners.trees.rave_uct.claims import Claims

# models with the parts that some planners need: those of guests are larger
WITH_PARTS = map(envs.parse, ("go:size=5", "curling")) if envs.REGISTRY.guests() else (Claims(), Target(), Estimated())
MODELS = [*map(envs.parse, ("trap", "treasure_hunt", "pendulum")), *WITH_PARTS]
BEFORE = (-1.0, np.nan, 1_000.0)
SIMULATIONS = 60
MORE = (  # with scores that look at variances: planners that explore little by default, or search within another
    "rave_uct:bonus=ucb1_tuned,exploration=1",
    "territory_uct:bonus=ucb1_tuned,exploration=1",
    "presearch:inner=(uct:bonus=ucb_v)",
    "root:inner=(uct:bonus=ucb1_tuned)",
    "root:inner=abstraction,combine=tries",
    "threads:inner=(dpw:bonus=ucb_v),threads=1",
    *(f"{name}:memory=1" for name in ("uct", "pw", "dpw", "rave_uct")),
    "valued:inner=(uct:leaf=rollout,bonus=ucb1_tuned)",
)


def cases():
    """Every planner on every model that it searches; its choices on two of them, if it searches these.

    Workers in other processes have memory of their own.
    """
    choices = [f"{name}:{parameter}={choice}" for name, parameter, choice in variants() if choice != "processes"]
    for text in (*planners.names(), *choices, *MORE):
        planner = planners.parse(text)
        known = [model for model in MODELS if planners.unsupported(planner, model) is None]
        few = [model for model in known if model in (MODELS[1], MODELS[3]) and text not in planners.names()]
        for model in few or known if traits_of(planner).reproducible else ():
            yield pytest.param(planner, model, id=f"{text}-{type(model).__name__}")


def fill(array, value):
    """Write the value everywhere, or as an integer: the largest where it is not a number."""
    if array.dtype.names:
        for name in array.dtype.names:
            fill(array[name], value)
    elif array.dtype.kind in "iu":
        array[...] = np.iinfo(array.dtype).max if np.isnan(value) else np.array(int(value)).astype(array.dtype)
    else:
        array[...] = value


@pytest.fixture
def memory_holding(monkeypatch):
    """A function whose block is one in which new arrays hold a value; trees begin small there, so that they grow."""
    make = {name: getattr(np, name) for name in ("empty", "empty_like")}

    @contextmanager
    def holding(value):
        def filled(name, *given, **named):
            array = make[name](*given, **named)
            fill(array, value)
            return array

        with monkeypatch.context() as patch:
            for name in make:
                patch.setattr(np, name, partial(filled, name))
            for module, constant in ROOM.items():
                patch.setattr(f"{module}.{constant}", 1)
            yield

    return holding


def state_of(model):
    return model.initial_state(np.random.default_rng(8))


def decided(planner, model, given):
    """The content of a decision, of the next one where that remembers it, and the generator's state after them."""
    rng, search, state, rows = np.random.default_rng(7), begin_episode(planner, model), state_of(model), []
    for actions in (given,) if isinstance(search, FreshSearches) else (given, None):
        found = search.plan(state, Budget(SIMULATIONS), rng, actions)
        rows += found.action, found.value, found.simulations, found.actions, found.visits, found.values
        following = np.empty_like(state)
        if model.step(state, found.action, following, model.params, rng)[1]:
            break
        state = following
    return [np.nan_to_num(row).tolist() for row in rows], rng.bit_generator.state


def given_to(planner, model):
    """None, and three actions where the planner takes them."""
    yield None
    if traits_of(planner).takes_root_actions and getattr(planner, "root", None) != "trie":
        own = own_actions(model, state_of(model)) if offers(model, HasActions) else action_set(model, 3)
        yield own[:: len(own) // 3][:3].copy()


@pytest.mark.parametrize(("planner", "model"), list(cases()))
def test_no_decision_depends_on_what_memory_held(planner, model, memory_holding):
    for given in given_to(planner, model):
        usual = decided(planner, model, given)  # which also loads compiled code, of which `np.empty` may be a part
        for value in BEFORE:
            with memory_holding(value):
                assert decided(planner, model, given) == usual, f"memory that held {value} changes the decision"


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("inner", SHARED, ids=lambda inner: inner.__name__)
def test_no_tree_that_threads_share_depends_on_what_memory_held(inner, model, memory_holding):
    """By one thread, since with more a search is another each time."""

    def found(given):
        rng, start = np.random.default_rng(7), time.perf_counter()
        task = Virtual(1.0, False), model, state_of(model), Budget(SIMULATIONS), rng, given, 1, start
        return [part.tolist() for part in root_of(search_together(inner(), *task)[0])]

    for given in given_to(inner(), model):
        usual = found(given)
        for value in BEFORE:
            with memory_holding(value):
                assert found(given) == usual, f"memory that held {value} changes the search"


PAGES = """
import resource
import numpy as np
from bonspiel import envs, planners

model, budget = envs.make_model("treasure_hunt"), planners.Budget(simulations=1_000)
planner, state = planners.make("uct"), model.initial_state(np.random.default_rng(0))

def faults(decisions):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for seed in range(decisions):
        planner.plan(model, state, budget, np.random.default_rng(seed))
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

faults(20)
print(faults(20))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries have rules of their own")
def test_a_decision_uses_the_pages_of_the_last_one():
    import subprocess

    done = subprocess.run([sys.executable, "-c", PAGES], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 20 * 40  # some 400 pages a decision, where each asks the system for its memory
