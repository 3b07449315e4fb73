"""Values that stand in for an optimum: what they are, and that the commands beside them are of their environment."""

import shlex

import pytest

from bonspiel import envs, planners
from bonspiel.envs.optimal import optimal_value
from bonspiel.envs.references import REFERENCES
from bonspiel.runs.cli import parser


@pytest.mark.parametrize("env", REFERENCES)
def test_a_reference_stands_where_there_is_no_optimum(env):
    with pytest.raises(TypeError):
        optimal_value(envs.parse(env))


@pytest.mark.parametrize("env", REFERENCES)
def test_its_command_plays_as_many_episodes_there(env):
    found = REFERENCES[env]
    arguments = parser().parse_args(["run", *shlex.split(found.run)])
    assert (arguments.target, arguments.episodes) == (env, found.episodes)
    (planner,) = arguments.planner
    assert planners.parse(planner)
    assert arguments.seed is not None
