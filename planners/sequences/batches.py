"""Rollouts of many sequences at once, by models that offer `sequence_returns`."""

import time
from typing import cast

import numpy as np

from bonspiel.planners.checks import check_returns, offers, require
from bonspiel.planners.core.code.cache import say_once
from bonspiel.planners.core.jit.validity import FIRST, INVALID, REWARD
from bonspiel.planners.core.search import Stopped, stopping
from bonspiel.planners.model import Array, HasSequenceReturns, Model
from bonspiel.planners.planner import Budget
from bonspiel.planners.sequences.rollouts import Grow, Rollouts, Sequences, new_round, note_returns

SAFE = 0.5  # of the time left, as rollouts may take longer than those before


def in_batches(model: Model) -> bool:
    """True if sequences are rolled out by `sequence_returns`: the model is not compiled, and that goes with its `step`.

    It does not where the model is a proxy or of a subclass that has a `step` of its own alone.
    """
    if model.compiled or not offers(model, HasSequenceReturns):
        return False
    owner = getattr(model.sequence_returns, "__self__", model)
    own, classes = getattr(owner, "__dict__", {}), type(owner).__mro__
    if owner is not model and getattr(owner, "step", None) != model.step:
        goes = False
    elif "sequence_returns" in own or "step" in own:
        goes = "sequence_returns" in own
    else:
        step, returns = (
            next((i for i, cls in enumerate(classes) if name in vars(cls)), len(classes))
            for name in ("step", "sequence_returns")
        )
        goes = returns <= step
    if not goes:
        say_once(
            f"{type(model).__name__} has a `step` of its own, but the `sequence_returns` of another class, which is "
            "not used; give it one too, or sequence_returns = None"
        )
    return goes


class Batches(Rollouts):
    """Rollouts by a model's `sequence_returns`, as many at once as the round and the budget allow.

    A sequence whose return is not finite there is an invalid rollout. It is rolled out again by `step`, to tell the
    invalid step, if noise lets it be met again.
    """

    rate = 0.0  # rollouts a second of the largest batch so far
    largest = 0

    def run(self, sequences: Sequences, repeats: int, count: int) -> int:
        """Roll out the next of a round at once; see `Rollouts.run`."""
        problem, model, first = self.problem, cast(HasSequenceReturns, self.model), int(sequences.done[0])
        indices = np.arange(first, min(first + count, len(sequences.actions) * repeats)) // repeats
        if len(indices) == 0:
            return 0
        begin, actions = time.perf_counter(), sequences.actions[indices]
        given = model.sequence_returns(problem.state.copy(), actions, model.params, self.rng)
        found = check_returns(given, *actions.shape[:2])
        for index, total, seen in zip(indices.tolist(), *self._returns(found, actions), strict=True):
            if np.isfinite(total):
                note_returns(sequences, index, total, seen, problem)
            else:
                self._note_invalid(sequences.actions[index : index + 1])
                note_returns(sequences, index, np.nan, np.nan, problem)
        sequences.done[0] = first + len(indices)
        if len(indices) >= self.largest:
            self.largest, self.rate = len(indices), len(indices) / max(time.perf_counter() - begin, 1e-9)
        return len(indices)

    def _note_invalid(self, sequence: Array) -> None:
        """Count an invalid rollout; the error names the root as the first one's place if its step is not met again."""
        validity, dim, again = self.problem.validity, len(self.problem.state), new_round(sequence)
        before, action = validity.copy(), sequence[0, 0]
        super().run(again, 1, 1)
        if again.invalid[0]:
            return
        validity[:] = before
        validity[INVALID] += 1.0
        if validity[INVALID] == 1.0:
            validity[REWARD] = np.nan
            validity[FIRST : FIRST + dim + len(action)] = [*self.problem.state, *action]

    def _returns(self, found: Array, actions: Array) -> tuple[Array, Array]:
        """Returns, [n], with the model's own discount, and as the search compares them."""
        n, steps, _ = actions.shape
        if found.ndim == 1:
            allowed = "none where `sequence_returns` gives sums of rewards, not rewards of shape [n, steps]"
            require(self.sight == 1.0, "sight", 1.0 / (1.0 - self.sight) if self.sight < 1.0 else None, allowed)
            return found, found
        totals, seen, weight, sight = np.zeros(n), np.zeros(n), 1.0, 1.0
        for t in range(steps):  # in this order, so that they are those of single steps to the bit
            totals += weight * found[:, t]
            seen += sight * weight * found[:, t]
            weight *= self.problem.discount
            sight *= self.sight
        return totals, seen

    def until(
        self, sequences: Sequences, repeats: int, budget: Budget, start: float | None = None, grow: Grow | None = None
    ) -> tuple[Sequences, int]:
        """Roll out until the budget is spent, and by one batch at most beyond it; see `Rollouts.until`."""
        start, done = time.perf_counter() if start is None else start, 0
        while True:
            if budget.seconds is not None:
                left = budget.seconds - (time.perf_counter() - start)
                due = 0 if done > 0 and left <= 0.0 else max(1, int(SAFE * left * self.rate))
            else:
                due = (budget.simulations or 0) - done
            if due == 0:
                return sequences, done
            did = self.run(sequences, repeats, due)
            done += did
            if stopping():
                raise Stopped
            if did < due and grow is None:
                return sequences, done
            if did == 0 and grow is not None:
                sequences = grow(sequences)
