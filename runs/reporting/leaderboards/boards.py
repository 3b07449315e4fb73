"""The content of a leaderboard, and the words for it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bonspiel.runs.progress import counted
from bonspiel.runs.reporting.chart import NOUNS
from bonspiel.runs.reporting.costs import Cost, costs
from bonspiel.runs.results.store import Store
from bonspiel.runs.statistics.ranks import Leaderboard, leaderboards
from bonspiel.runs.statistics.scale import BEST, OPTIMUM, REFERENCE, Scale


@dataclass(frozen=True)
class Findings:
    """The leaderboards of a run.

    Attributes:
        boards: by budget, those in simulations first.
        problems: their scales, by environment.
        costs: of decisions, by unit, budget and planner.
    """

    boards: list[Leaderboard]
    problems: Mapping[str, Scale]
    costs: Mapping[tuple[str, float, str], Cost]

    @classmethod
    def of(cls, stores: Sequence[Store]) -> "Findings":
        """Of runs whose planners are ranked together; the first one's problems count."""
        boards, problems = leaderboards(stores)
        return cls(boards, problems, costs(stores, problems) if boards else {})

    def cost(self, board: Leaderboard, planner: str) -> Cost:
        """Of a planner's decisions on a leaderboard."""
        return self.costs[board.unit, board.budget, planner]

    def cost_table(self, board: Leaderboard) -> tuple[str, str, dict[str, list[float]]]:
        """The column of costs on a leaderboard: its name, the format of a number, and each planner's numbers.

        The numbers are in order of the problems: simulations reached in a time budget, model steps otherwise.
        """
        timed = board.unit == "ms"
        rows = {}
        for one in board.standings:
            cost = self.cost(board, one.planner)
            values = cost.simulations if timed else cost.model_steps
            rows[one.planner] = [values[env] for env in self.problems]
        return ("Simulations per decision", ",.0f", rows) if timed else ("Model steps per simulation", ",.1f", rows)

    @property
    def heads(self) -> dict[str, str]:
        """The heads of the problems' columns; a scale whose top is not the optimum is marked."""
        return {env: env if scale.top == OPTIMUM else f"{env} ({scale.top})" for env, scale in self.problems.items()}

    @property
    def charted(self) -> dict[str, list[tuple[float, float, float, float, int]]]:
        """For each planner (model steps per decision, score, low, high, episodes) by budgets in simulations.

        The best with the largest budget comes first.
        """
        found: dict[str, list[tuple[float, float, float, float, int]]] = {}
        boards = [board for board in self.boards if board.unit == "simulations"]
        for board in reversed(boards):
            for standing in board.standings:
                steps = self.cost(board, standing.planner).mean_steps
                if steps > 0.0:  # and known
                    found.setdefault(standing.planner, []).insert(0, (steps, *standing.score, standing.episodes))
        return found

    @property
    def uncharted(self) -> list[str]:
        """Names of planners that make no model steps, or whose steps are not known in all problems."""
        planners = {standing.planner: 0 for board in self.boards for standing in board.standings}
        return [planner for planner in planners if planner not in self.charted]

    @property
    def scale(self) -> str:
        """The meaning of the scores 0 and 1, in a line."""
        tops = {top: [env for env, scale in self.problems.items() if scale.top == top] for top in (REFERENCE, BEST)}
        marked = [f"the {top} in {', '.join(found)}" for top, found in tops.items() if found]
        return "score 0: the random policy; 1: " + ", ".join(["the optimum", *marked])


def title(board: Leaderboard) -> str:
    """The budget of a leaderboard in words."""
    return f"{counted(board.budget, NOUNS[board.unit])} per decision"


def facts(board: Leaderboard, problems: Mapping[str, Scale]) -> list[str]:
    """Sentences that say how to read a leaderboard."""
    said = []
    if not math.isnan(board.critical):
        said.append(
            f"Mean ranks that differ by less than {board.critical:.2f} show no difference at 5 % (Nemenyi's test over "
            f"{len(problems)} problems); all planners equal: p = {board.p:.2g} (Friedman's test)."
        )
    if board.left_out:
        said.append(f"Not in all problems: {', '.join(board.left_out)}.")
    return said
