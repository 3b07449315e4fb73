"""The compiler for authors of models and planners; `planners.core.jit` says how it works."""

from planners.core.jit import *  # noqa: F403  (all that is listed there)
from planners.core.problem import PROBLEM as PROBLEM
from planners.core.problem import problem_of as problem_of
from planners.core.problem import search_kernel as search_kernel
