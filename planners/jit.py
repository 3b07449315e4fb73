"""The compiler for authors of models and planners; `planners.core.jit` says how it works."""

from bonspiel.planners.core.jit import *  # noqa: F403  (all that is listed there)
from bonspiel.planners.core.problem import PROBLEM as PROBLEM
from bonspiel.planners.core.problem import problem_of as problem_of
from bonspiel.planners.core.problem import search_kernel as search_kernel
