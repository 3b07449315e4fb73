"""All that an author of a compiled search imports, together with `bonspiel.planners`.

The names below, their arguments and their meaning stay as they are within a minor version. A name that goes or changes
is announced in CHANGELOG.md, with what takes its place. All other modules of `bonspiel.planners.core` may change in any
version. docs/guides/adding-a-planner.md has a complete planner that is written with these names.
"""

# checks of a planner's parameters and of what a model offers
from bonspiel.planners.checks import check_actions as check_actions
from bonspiel.planners.checks import discrete_actions as discrete_actions
from bonspiel.planners.checks import missing as missing
from bonspiel.planners.checks import missing_action_bounds as missing_action_bounds
from bonspiel.planners.checks import offers as offers
from bonspiel.planners.checks import require as require
from bonspiel.planners.checks import require_at_least as require_at_least
from bonspiel.planners.checks import require_choice as require_choice
from bonspiel.planners.checks import require_count as require_count
from bonspiel.planners.checks import require_positive as require_positive
from bonspiel.planners.checks import require_share as require_share
from bonspiel.planners.checks import steps_left as steps_left
from bonspiel.planners.checks import two_players as two_players

# sets of actions, and the best of several
from bonspiel.planners.core.actions import action_set as action_set
from bonspiel.planners.core.actions import own_actions as own_actions
from bonspiel.planners.core.argmax import argmax as argmax
from bonspiel.planners.core.argmax import argmax_by as argmax_by

# the tables of a search that finds nodes by keys
from bonspiel.planners.core.hash_table import find_or_add as find_or_add
from bonspiel.planners.core.hash_table import find_slot as find_slot
from bonspiel.planners.core.hash_table import new_slots as new_slots

# the compiler, and the model's functions as a kernel calls them
from bonspiel.planners.core.jit import Problem as Problem
from bonspiel.planners.core.jit import actions as actions
from bonspiel.planners.core.jit import cells as cells
from bonspiel.planners.core.jit import gain_of as gain_of
from bonspiel.planners.core.jit import helper as helper
from bonspiel.planners.core.jit import meet_again as meet_again
from bonspiel.planners.core.jit import model_helper as model_helper
from bonspiel.planners.core.jit import player as player
from bonspiel.planners.core.jit import priors as priors
from bonspiel.planners.core.jit import region as region
from bonspiel.planners.core.jit import rollout as rollout
from bonspiel.planners.core.jit import sample_action as sample_action
from bonspiel.planners.core.jit import step as step
from bonspiel.planners.core.jit import step_exact as step_exact
from bonspiel.planners.core.jit import traced_rollout as traced_rollout
from bonspiel.planners.core.problem import PlanLength as PlanLength
from bonspiel.planners.core.problem import problem_of as problem_of
from bonspiel.planners.core.problem import search_kernel as search_kernel
from bonspiel.planners.core.returns import no_returns as no_returns
from bonspiel.planners.core.returns import note_return as note_return

# the driver: a plan with a SearchTree, or with a tree of one's own by `extend` and `decide`
from bonspiel.planners.core.search import decide as decide
from bonspiel.planners.core.search import extend as extend
from bonspiel.planners.core.search import first_nodes as first_nodes
from bonspiel.planners.core.search import plan_with_tree as plan_with_tree
from bonspiel.planners.core.search import root_of as root_of

# the steps of a simulation in a SearchTree
from bonspiel.planners.core.tree.backup import average as average
from bonspiel.planners.core.tree.backup import back_up as back_up
from bonspiel.planners.core.tree.backup import update_variance as update_variance
from bonspiel.planners.core.tree.bandit import Bandit as Bandit
from bonspiel.planners.core.tree.bandit import choose_arm as choose_arm
from bonspiel.planners.core.tree.bandit import new_bandit as new_bandit
from bonspiel.planners.core.tree.bandit import update_arm as update_arm
from bonspiel.planners.core.tree.descent import Outcomes as Outcomes
from bonspiel.planners.core.tree.descent import choose_of_set as choose_of_set
from bonspiel.planners.core.tree.descent import follow as follow
from bonspiel.planners.core.tree.descent import follow_outcome as follow_outcome
from bonspiel.planners.core.tree.descent import take_outcome as take_outcome
from bonspiel.planners.core.tree.leaf import check_leaf as check_leaf
from bonspiel.planners.core.tree.leaf import playouts_of as playouts_of
from bonspiel.planners.core.tree.leaf import value_leaf as value_leaf
from bonspiel.planners.core.tree.new_actions import add_sampled_action as add_sampled_action
from bonspiel.planners.core.tree.new_actions import choose_widening as choose_widening
from bonspiel.planners.core.tree.new_actions import widening as widening

# the tree, and the simulation under way
from bonspiel.planners.core.tree.nodes import COLUMNS as COLUMNS
from bonspiel.planners.core.tree.nodes import ENDED as ENDED
from bonspiel.planners.core.tree.nodes import INV_SQRT as INV_SQRT
from bonspiel.planners.core.tree.nodes import MEAN as MEAN
from bonspiel.planners.core.tree.nodes import NEVER as NEVER
from bonspiel.planners.core.tree.nodes import SEARCH_TREE as SEARCH_TREE
from bonspiel.planners.core.tree.nodes import UNTRIED as UNTRIED
from bonspiel.planners.core.tree.nodes import VARIANCE as VARIANCE
from bonspiel.planners.core.tree.nodes import SearchTree as SearchTree
from bonspiel.planners.core.tree.nodes import add_child as add_child
from bonspiel.planners.core.tree.nodes import add_edge as add_edge
from bonspiel.planners.core.tree.nodes import add_node as add_node
from bonspiel.planners.core.tree.nodes import child_key as child_key
from bonspiel.planners.core.tree.nodes import grow as grow
from bonspiel.planners.core.tree.nodes import has_room as has_room
from bonspiel.planners.core.tree.nodes import longer as longer
from bonspiel.planners.core.tree.nodes import new_tree as new_tree

# the rules of selection and widening, the loop, the walk
from bonspiel.planners.core.tree.selection import BONUS as BONUS
from bonspiel.planners.core.tree.selection import Bonus as Bonus
from bonspiel.planners.core.tree.selection import Selection as Selection
from bonspiel.planners.core.tree.selection import Terms as Terms
from bonspiel.planners.core.tree.selection import best_by as best_by
from bonspiel.planners.core.tree.selection import best_edge as best_edge
from bonspiel.planners.core.tree.selection import check_bonus as check_bonus
from bonspiel.planners.core.tree.selection import columns_of as columns_of
from bonspiel.planners.core.tree.selection import final_choice as final_choice
from bonspiel.planners.core.tree.selection import score as score
from bonspiel.planners.core.tree.selection import select_edge as select_edge
from bonspiel.planners.core.tree.selection import selection_of as selection_of
from bonspiel.planners.core.tree.selection import sqrt_2_log as sqrt_2_log
from bonspiel.planners.core.tree.selection import terms_of as terms_of
from bonspiel.planners.core.tree.selection import tries_new as tries_new
from bonspiel.planners.core.tree.selection import ucb1 as ucb1
from bonspiel.planners.core.tree.selection import upper_bound as upper_bound
from bonspiel.planners.core.tree.simulation import descend as descend
from bonspiel.planners.core.tree.simulation import simulate as simulate
from bonspiel.planners.core.tree.widening import due as due
from bonspiel.planners.core.tree.widening import is_due as is_due
from bonspiel.planners.core.tree.widening import schedule_action as schedule_action
from bonspiel.planners.core.vectors import copy as copy
from bonspiel.planners.core.walk import TREE_WALK as TREE_WALK
from bonspiel.planners.core.walk import TreeWalk as TreeWalk
from bonspiel.planners.core.walk import new_walk as new_walk
from bonspiel.planners.core.walk import record as record
from bonspiel.planners.core.zobrist import combine as combine
from bonspiel.planners.core.zobrist import hash_vector as hash_vector

# what a model may offer, and what a planner says of itself
from bonspiel.planners.model import HasActionKinds as HasActionKinds
from bonspiel.planners.model import HasActionPeriod as HasActionPeriod
from bonspiel.planners.model import HasActions as HasActions
from bonspiel.planners.model import HasActionSd as HasActionSd
from bonspiel.planners.model import HasAimGrid as HasAimGrid
from bonspiel.planners.model import HasCells as HasCells
from bonspiel.planners.model import HasDistanceWeights as HasDistanceWeights
from bonspiel.planners.model import HasLookahead as HasLookahead
from bonspiel.planners.model import HasPlayer as HasPlayer
from bonspiel.planners.model import HasPriors as HasPriors
from bonspiel.planners.model import HasRegion as HasRegion
from bonspiel.planners.model import HasRollout as HasRollout
from bonspiel.planners.model import HasSequenceReturns as HasSequenceReturns
from bonspiel.planners.model import HasStateBounds as HasStateBounds
from bonspiel.planners.model import HasStepExact as HasStepExact
from bonspiel.planners.model import HasStepsLeft as HasStepsLeft
from bonspiel.planners.model import HasTieBreaker as HasTieBreaker
from bonspiel.planners.model import HasTimeIndex as HasTimeIndex
from bonspiel.planners.model import HasTracedRollout as HasTracedRollout
from bonspiel.planners.model import HasValue as HasValue
from bonspiel.planners.planner import FreshSearches as FreshSearches
from bonspiel.planners.planner import MergeableSearch as MergeableSearch
from bonspiel.planners.planner import ResumableSearch as ResumableSearch
from bonspiel.planners.planner import Traits as Traits
from bonspiel.planners.planner import check_plan as check_plan
from bonspiel.planners.planner import has_same_actions as has_same_actions
from bonspiel.planners.planner import traits_of as traits_of
from bonspiel.planners.registry import NESTED as NESTED

# rounds of action sequences
from bonspiel.planners.sequences.plans import Rule as Rule
from bonspiel.planners.sequences.plans import plan_with_sequences as plan_with_sequences
from bonspiel.planners.sequences.plans import round_size as round_size
from bonspiel.planners.sequences.rollouts import mean_returns as mean_returns

# what `bonspiel tune` may choose
from bonspiel.planners.spaces import EXPLORATION as EXPLORATION
from bonspiel.planners.spaces import LEAF as LEAF
from bonspiel.planners.spaces import LOOKAHEAD as LOOKAHEAD
from bonspiel.planners.spaces import N_ACTIONS as N_ACTIONS
from bonspiel.planners.spaces import STATES as STATES
from bonspiel.planners.spaces import WIDENING as WIDENING
from bonspiel.planners.spaces import Choice as Choice
from bonspiel.planners.spaces import Parameters as Parameters
from bonspiel.planners.spaces import Range as Range
