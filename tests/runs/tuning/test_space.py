import dataclasses

import numpy as np
import pytest

import envs
import planners
from runs.experiment import UsageError
from runs.tune import SPACES, Choice
from runs.tuning.samplers import draw
from runs.tuning.space import Space


def space(start, env="trap"):
    return Space(start, envs.parse(env))


def parameters(text):
    return dict(item.split("=") for item in text.partition(":")[2].split(","))


def drawn(start, n=40):
    rng, of = np.random.default_rng(1), space(start)
    return [of.text({key: draw(values, rng) for key, values in of.parameters.items()}) for _ in range(n)]


@pytest.mark.parametrize("name", SPACES)
def test_every_draw_is_a_planner_within_its_space_and_all_values_are_drawn(name):
    assert SPACES[name].keys() <= {field.name for field in dataclasses.fields(planners.REGISTRY.cls(name))}
    texts = drawn(name)
    for text in texts:
        planners.parse(text)
    for key, values in SPACES[name].items():
        found = [parameters(text)[key] for text in texts]
        if isinstance(values, Choice):
            assert set(found) == {str(value) for value in values.values}
        else:
            assert len(set(found)) > 10
            for value in map(float, found):
                assert values.low <= value <= values.high
                assert value == float(f"{value:.2g}")


def test_every_planner_but_the_random_one_can_be_tuned():
    assert set(SPACES) == set(planners.names()) - {"random", "presearch"}


def test_values_that_a_planner_does_not_support_on_the_model_are_left_out(monkeypatch):
    monkeypatch.setattr(
        planners, "unsupported", lambda planner, model: "needs `rollout`" if planner.leaf == "rollout" else None
    )
    assert {parameters(text)["leaf"] for text in drawn("dpw")} == {"tree"}


def test_what_the_start_gives_stays():
    for text in drawn("dpw:leaf=tree,exploration=0.5"):
        assert text.startswith("dpw:leaf=tree,exploration=0.5,")
        assert parameters(text).keys() == SPACES["dpw"].keys()
    assert "bandwidth=" in drawn("wuct")[0]


@pytest.mark.parametrize(
    ("start", "words"),
    [
        ("random", "random has nothing to tune"),
        ("presearch", "presearch cannot search Trap: needs `aim_grid`"),
        ("dwp", "Did you mean 'dpw'"),
        ("uct:exploration=-1", "exploration=-1"),
        ("uct:exploration=1,n_actions=8,leaf=tree", "leaves nothing to tune"),
    ],
)
def test_what_cannot_be_tuned_is_refused(start, words):
    with pytest.raises(UsageError, match=words):
        space(start)
