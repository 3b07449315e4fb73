"""The driver of planners over action sequences: rounds of rollouts, and the planner's own update between two rounds.

A simulation is one rollout of one sequence from the root.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from bonspiel.planners.checks import discrete_actions, missing_action_bounds, require_count, two_players
from bonspiel.planners.core.argmax import argmax_by
from bonspiel.planners.core.code.cache import say_once
from bonspiel.planners.core.jit import seconds_loading
from bonspiel.planners.core.problem import PlanLength, problem_of
from bonspiel.planners.core.search import CHUNK_SECONDS, decide
from bonspiel.planners.core.walk import NO_LIMIT
from bonspiel.planners.model import Array, Model, Rng
from bonspiel.planners.planner import Budget, Decision, Traits
from bonspiel.planners.sequences.batches import Batches, in_batches
from bonspiel.planners.sequences.rollouts import WHOLE, Rollouts, Sequences, mean_returns, new_round, with_invalid

MEASURED = 0.01  # part of a time budget, to measure the time of a rollout before the first round
MOST_RESERVED = 0.5  # of a time budget, for the finalists
SHORT = 0.02  # part of a time budget; a finalist whose rollouts take less is tried even when it is spent
FEWEST = 4  # sequences in a round, so that the better half is chosen by its returns
LATE = 2.0  # times the time that a round was to take, at which it ends


class Rule(Protocol):
    """The part in which planners over sequences differ."""

    def resize(self, simulations: int) -> None:
        """Size the rounds for a decision of so many rollouts, as a time budget is now expected to allow."""

    def propose(self) -> Array:
        """The sequences of the next round, [n, steps, action_dim], within the bounds of the actions."""

    def learn(self, actions: Array, returns: Array) -> None:
        """Take in sequences, [n, steps, action_dim], and their mean returns, [n]; fewer than proposed in the end."""

    def finalists(self) -> Array:
        """The sequences to choose from in the end, best known first, [finalists, steps, action_dim].

        As many at any time; before the first round the first is the sequence to start from.
        """


def best_of(returns: Array, count: int) -> NDArray[np.int64]:
    """Indices of the `count` highest returns; of equals the first, since sequences are drawn in no order."""
    return np.argsort(-returns, kind="stable")[:count]


SEQUENCE_TRAITS = Traits(takes_root_actions=False, divides_budget=True, rolls_out=False)


@dataclass(frozen=True, kw_only=True)
class SequenceSearch(PlanLength):
    """A search over sequences of actions within their bounds, each valued by rollouts.

    Args:
        lookahead: steps of a sequence, at which a rollout ends; none: to the end of the episode, or as far as the
            environment says. Its name was `horizon`, which is taken as well.
        repeats: rollouts of each sequence, for noisy models.
        sight: N discounts rewards within the search by (1 - 1/N)^k, k steps ahead, beside the model's own discount, so
            that soon rewards decide between few samples of long plans (Petrik and Scherrer 2008; Jiang, Kulesza,
            Singh, Lewis 2015); at least 1, with which the first reward alone counts; none: no further discount. The
            values of the decision are returns without it, so that the action played may not have the highest.
    """

    lookahead: int | None = 50
    repeats: int = 1
    sight: int | None = None

    traits: ClassVar[Traits] = SEQUENCE_TRAITS
    aliases: ClassVar[Mapping[str, str]] = {"horizon": "lookahead"}

    def __post_init__(self) -> None:
        super().__post_init__()
        require_count("repeats", self.repeats)
        if self.sight is not None:
            require_count("sight", self.sight)

    def unsupported(self, model: Model) -> str | None:
        """Say why a model cannot be searched; see `planners.Planner`."""
        return two_players(model) or discrete_actions(model) or missing_action_bounds(model)


def round_size(population: int, rounds: int, repeats: int, budget: Budget, finalists: int = 1) -> int:
    """Sequences in a round, so that a budget has `rounds` of them; with one finalist the last is half done and counts.

    No fewer than `FEWEST`, in fewer rounds: a round whose sequences are all elites moves at random. The whole
    population with a time budget, until its number of rollouts can be foretold; see `Rule.resize`.
    """
    if budget.simulations is None:
        return population
    return min(population, max(FEWEST, (budget.simulations // repeats - finalists + 1) // rounds))


def plan_with_sequences(
    rule: Rule,
    repeats: int,
    model: Model,
    state: Array,
    budget: Budget,
    rng: Rng,
    start: float,
    sight: int | None = None,
    costs: Callable[[Array], Array] | None = None,
) -> Decision:
    """Plan by rounds of rollouts.

    The last rollouts of the budget go to the rule's finalists, `repeats` to each; they alone value the decision, so
    that the value is no maximum of many noisy ones. The decision's rows are these finalists, then the last round that
    has a valid sequence, of which the best is played where all rollouts of the finalists are invalid, or a time budget
    ends before them.

    Args:
        rule: proposes sequences and learns from their returns.
        repeats: rollouts of each sequence.
        model: see `planners.Planner.plan`, as for the rest.
        state: [state_dim], checked by `check_plan`.
        budget: simulations or seconds.
        rng: the source of every random draw.
        start: clock at the beginning of the decision.
        sight: see `SequenceSearch`. Rules learn from returns discounted by it, and the decision has those without it.
        costs: what sequences, [n, steps, action_dim], cost within the search beside their returns, [n]. Rules learn
            from returns less that, and the sequence played is chosen by them; the decision has those without it.
    """
    usable: Sequences | None = None  # the last round that has a valid sequence

    def compared(sequences: Sequences) -> Array:
        means = mean_returns(sequences, problem)
        return means if costs is None else means - costs(sequences.actions)

    def learn(sequences: Sequences) -> None:
        nonlocal usable
        if (sequences.visits > sequences.invalid).any():
            usable = sequences
        tried = sequences.visits > 0
        rule.learn(sequences.actions[tried], compared(sequences)[tried])

    sequences = new_round(rule.finalists()[:1] if budget.simulations is None else rule.propose())
    problem = problem_of(model, state, sequences.actions.shape[1])
    kind = Batches if in_batches(model) else Rollouts
    rollouts, done = kind(model, problem, 1.0 if sight is None else 1.0 - 1.0 / sight, rng), 0

    if budget.simulations is None:
        sequences, final, done = _in_seconds(rule, learn, sequences, repeats, rollouts, budget.seconds or 0.0, start)
    else:

        def next_round(finished: Sequences) -> Sequences:
            learn(finished)
            return new_round(rule.propose())

        last = min(len(rule.finalists()) * repeats, budget.simulations)
        left = budget.simulations - last
        if repeats > 1 and 1 < budget.simulations and left <= 2 * repeats:  # one simulation never leaves any
            few = f"leave {left} of {budget.simulations} simulations for a search"
            say_once(f"repeats={repeats} {few}: give fewer repeats, or a larger budget")
        if left > 0:
            sequences, done = rollouts.until(sequences, repeats, Budget(left), start, next_round)
        learn(sequences)
        final = new_round(rule.finalists())
        done += rollouts.run(final, repeats, last)
    if usable is not None and usable is not final:
        sequences = usable
    means = np.concatenate([compared(final), compared(sequences)])
    values = np.concatenate([with_invalid(part.values, part, problem, WHOLE) for part in (final, sequences)])
    actions = np.concatenate([final.actions[:, 0], sequences.actions[:, 0]])
    visits = np.concatenate([final.visits, sequences.visits])
    valid = visits > np.concatenate([final.invalid, sequences.invalid])
    eligible = np.append(final.visits > 0, np.zeros(len(sequences.visits), bool))
    if valid.any() and not valid[eligible].any():  # such as the mean of elites on both sides of an invalid region
        eligible = valid
    best = argmax_by(rng, np.where(eligible, means, -np.inf))
    played = final.actions[best] if best < len(final.actions) else sequences.actions[best - len(final.actions)]
    rows = actions, visits, values[:, None]
    return decide(*rows, done, start, rng, lambda *_: best, problem=problem, plan=lambda _: played.copy())


def _in_seconds(
    rule: Rule,
    learn: Callable[[Sequences], None],
    sequences: Sequences,
    repeats: int,
    rollouts: Rollouts,
    seconds: float,
    start: float,
) -> tuple[Sequences, Sequences, int]:
    """The last round, the finalists, and the number of rollouts, of a time budget.

    Rounds are as large as in a budget of as many simulations as the time is expected to allow. That follows from the
    time of a rollout: at first of the one of `sequences`, which is all that the shortest budgets allow, and then of all
    so far, with what the rule took to propose and to learn. A round leaves the time that this and the finalists take.
    No rollout begins after the budget is spent, except a finalist's first one where rollouts are `SHORT`.
    """
    begin = time.perf_counter()
    _, done = rollouts.until(sequences, NO_LIMIT, Budget(seconds=MEASURED * seconds))
    begin, end, now = begin + seconds_loading(begin), start + seconds_loading(start) + seconds, time.perf_counter()
    last, update = len(rule.finalists()) * repeats, 0.0
    while True:
        each = max((now - begin) / done, 1e-9)
        left = end - now - min(last * each + update, MOST_RESERVED * seconds)
        if left <= 0.0:
            break
        rule.resize(done + round((end - now) / each))
        sequences = new_round(rule.propose())
        expected = len(sequences.actions) * repeats * each
        part, proposed = Budget(seconds=min(left, max(LATE * expected, CHUNK_SECONDS))), time.perf_counter()
        _, did = rollouts.until(sequences, repeats, part, now)
        finished, done = time.perf_counter(), done + did
        if finished - now > LATE * each * did:  # at this speed the budget allows smaller rounds
            rule.resize(done + round(max(end - finished, 0.0) / (finished - now) * did))
        learn(sequences)
        begun, now = now, time.perf_counter()
        update = (now - begun) - (finished - proposed)
    final = new_round(rule.finalists())
    while final.done[0] < last and (now < end or (final.done[0] == 0 and each < SHORT * seconds)):
        done += rollouts.run(final, repeats, 1)
        now = time.perf_counter()
    if final.done[0] == 0:
        sequences, final = new_round(sequences.actions[:0]), sequences
    return sequences, final, done
