"""Earlier names of parameters: they stand for the new ones wherever a planner is written."""

import pytest

from bonspiel import envs, planners
from bonspiel.planners.sequences.icem import ICEM
from bonspiel.runs.tuning.space import Space


@pytest.mark.parametrize("text", ["icem:horizon=7", "root:inner=(icem:horizon=7)"])
def test_texts_with_an_old_name_make_the_same_planner(text):
    made = planners.parse(text)
    assert made == planners.parse(text.replace("horizon", "lookahead"))
    assert "horizon" not in planners.REGISTRY.text(made)


def test_classes_take_old_names():
    assert ICEM(horizon=7) == ICEM(lookahead=7)


def test_a_parameter_by_both_names_is_refused():
    with pytest.raises(ValueError, match="horizon is the earlier name of lookahead, which is given too"):
        planners.parse("icem:horizon=7,lookahead=9")


def test_tuning_leaves_alone_what_a_text_gives_by_its_old_name():
    pendulum = envs.parse("pendulum")
    assert "lookahead" in Space("icem", pendulum, 1.0).parameters
    assert "lookahead" not in Space("icem:horizon=7", pendulum, 1.0).parameters
