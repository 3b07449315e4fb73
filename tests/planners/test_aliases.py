"""Earlier names of parameters: they stand for the new ones, with a warning, wherever a planner is written."""

import pytest

from bonspiel import planners
from bonspiel.planners.trees.rave_uct import RaveUCT, TerritoryUCT
from bonspiel.runs.tuning.space import Space
from tests.planners.trees.rave_uct.claims import Claims


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("rave_uct:fpu=none", "rave_uct:first_play=none", ["fpu is now first_play"]),
        ("rave_uct:selection=ucb1_tuned", "rave_uct:bonus=ucb1_tuned", ["selection is now bonus"]),
        ("territory_uct:bonus=criticality", "territory_uct:statistic=criticality", ["bonus=criticality is now stat"]),
        (
            "territory_uct:bonus=criticality,selection=ucb1_tuned,fpu=0.9",
            "territory_uct:statistic=criticality,bonus=ucb1_tuned,first_play=0.9",
            ["bonus=criticality is now statistic=", "selection is now bonus", "fpu is now first_play"],
        ),
        ("root:inner=(rave_uct:fpu=none)", "root:inner=(rave_uct:first_play=none)", ["fpu is now first_play"]),
    ],
)
def test_texts_with_old_names_make_the_same_planner_and_warn_once_for_each(old, new, words):
    with pytest.warns(FutureWarning) as warned:
        made = planners.parse(old)
    assert made == planners.parse(new)
    assert "fpu" not in planners.REGISTRY.text(made)
    assert len(warned) == len(words)
    assert all(word in str(one.message) for word, one in zip(words, warned, strict=True))


def test_classes_take_old_names_and_warn_where_they_are_called():
    with pytest.warns(FutureWarning, match="RaveUCT: fpu is now first_play; version 0.3") as warned:
        made = RaveUCT(fpu=0.5)
    assert made == RaveUCT(first_play=0.5)
    assert warned[0].filename == __file__
    with pytest.warns(FutureWarning, match="TerritoryUCT: selection is now bonus"):
        assert TerritoryUCT(selection="ucb1_tuned") == TerritoryUCT(bonus="ucb1_tuned")


def test_the_new_meaning_of_a_word_warns_of_nothing():
    assert planners.parse("territory_uct:bonus=ucb1_tuned").bonus == "ucb1_tuned"  # a warning fails a test
    with pytest.raises(ValueError, match="bonus='pts': must be"):
        planners.parse("rave_uct:bonus=pts")


@pytest.mark.parametrize("text", ["rave_uct:fpu=1,first_play=1", "territory_uct:statistic=pts,bonus=criticality"])
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_a_parameter_by_both_names_is_refused(text):
    with pytest.raises(ValueError, match="which is given too"):
        planners.parse(text)


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_tuning_leaves_alone_what_a_text_gives_by_its_old_name():
    space = Space("rave_uct:fpu=none,selection=ucb1_tuned", Claims(), 1.0)
    assert set(space.parameters) == {"exploration", "rave_k"}
