"""The content of a leaderboard, and the words for it."""

import math
from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from bonspiel.planners import BASELINES, Array
from bonspiel.runs.experiment import Setting, amount
from bonspiel.runs.progress import counted, followed
from bonspiel.runs.reporting import model_steps, origins
from bonspiel.runs.reporting.chart import NOUNS
from bonspiel.runs.reporting.notes import failed
from bonspiel.runs.results.store import Store
from bonspiel.runs.statistics import split_half
from bonspiel.runs.statistics.ends import resampled_scores, scales
from bonspiel.runs.statistics.ranks import Leaderboard, leaderboard
from bonspiel.runs.statistics.sample import Interval
from bonspiel.runs.statistics.scale import BEST, BOUND, NO_SCALE, OPTIMUM, REFERENCE, Scale
from bonspiel.runs.tables import estimate


class Cost(NamedTuple):
    """The cost of a decision of a planner with one budget."""

    simulations: dict[str, float]  # per decision, mean over the episodes of the run, by environment
    # per simulation, in first decisions of the run, by environment; NaN where they cannot be counted
    model_steps: dict[str, float]

    @property
    def mean_steps(self) -> float:
        """Model steps per decision, mean over the environments; NaN if one is not known."""
        return float(np.mean([self.simulations[env] * self.model_steps[env] for env in self.simulations]))


class Episodes(NamedTuple):
    """The episodes behind a row of a leaderboard, in all problems together."""

    played: int  # their number
    planned: int  # the number in the suite of the run
    seeds: tuple[int, ...]  # of the run, in order; one almost always
    other: bool  # whether a seed is not that of the ranked run in the same problem

    @property
    def cells(self) -> tuple[str, str]:
        """The number and the seeds in words."""
        unfinished = f" of {self.planned:,} (unfinished)" if self.played < self.planned else ""
        return f"{self.played:,}{unfinished}", ", ".join(map(str, self.seeds)) + " (other)" * self.other


EPISODES = "episodes", "seed"  # heads of their columns
MODEL_STEPS = "model steps per decision"

Value = str | Interval | tuple[float, str]
"""A text, an estimate, or a number with its format; one that is not finite is not shown."""
Rows = Sequence[Sequence[Value]]
"""A table whose first row is its head."""
Key = tuple[str, float, str]  # unit, budget and name of a planner
Scores = defaultdict[tuple[float, str], dict[str, dict[str, Array]]]  # by budget, planner and problem


@dataclass(frozen=True)
class Findings:
    """The leaderboards of a run."""

    boards: list[Leaderboard]  # by budget, those in simulations first
    problems: Mapping[str, Scale]  # their scales, by environment
    costs: Mapping[Key, Cost]  # of decisions, by unit, budget and planner
    episodes: Mapping[Key, Episodes] = field(default_factory=dict)  # by unit, budget and planner
    # lines about problems without a scale, other runs of which no planner could be ranked, and episodes that failed
    unranked: Sequence[str] = ()
    runs: Rows = ()  # where each run is from
    made: str = ""  # the command that made the leaderboards, with its version and commit

    @classmethod
    def of(cls, stores: Sequence[Store], planners: Sequence[str] = (), made: str = "") -> "Findings":
        """Of runs whose planners, or those of these names, are ranked together; the first one's problems count."""
        origins.check_names(stores, planners)
        boards, problems = leaderboards(stores, planners)
        found = costs(stores, problems) if boards else {}
        counts = episodes(stores, problems)
        return cls(boards, problems, found, counts, [*unranked(stores, problems)], origins.rows(stores), made)

    def facts(self, board: Leaderboard) -> list[str]:
        """Sentences that say how to read a leaderboard."""
        found = (self.episodes.get((board.unit, board.budget, one.planner)) for one in board.standings)
        rows, said = [row for row in found if row], facts(board, self.problems)
        if any(row.played < row.planned for row in rows):
            said.append("(unfinished): the run has played fewer episodes than planned.")
        if any(row.other for row in rows):
            said.append(
                "(other): played with another seed than this run, so with other noise; means and intervals can be "
                "compared, episodes cannot be paired."
            )
        return said

    def cost(self, board: Leaderboard, planner: str) -> Cost:
        """Of a planner's decisions on a leaderboard."""
        return self.costs[board.unit, board.budget, planner]

    def standings(self, board: Leaderboard, bands: bool) -> Rows:
        """The planners in order; `bands` gives the scores in each problem their intervals."""
        first = board.standings[0].planner
        rows: list[Sequence[Value]] = [
            [
                "planner",
                "score [95 %]",
                "mean rank",
                f"P(> {first}) [95 %]",
                MODEL_STEPS,
                *self.heads.values(),
                *EPISODES,
            ]
        ]
        for one in board.standings:
            chance = "" if one.planner == first else one.improvement
            steps = self.cost(board, one.planner).mean_steps, ",.0f"
            found = [one.scores[env] if bands else (one.scores[env].value, ".3f") for env in self.problems]
            known = self.episodes.get((board.unit, board.budget, one.planner))
            played = known.cells if known else ("", "")
            rows.append([one.planner, one.score, (one.rank, ".2f"), chance, steps, *found, *played])
        return rows

    def cost_rows(self, board: Leaderboard) -> tuple[str, Rows]:
        """The costs of decisions on a leaderboard: simulations reached in a time budget, model steps otherwise."""
        timed = board.unit == "ms"
        rows: list[Sequence[Value]] = [["planner", *self.problems]]
        for one in board.standings:
            cost = self.cost(board, one.planner)
            values = cost.simulations if timed else cost.model_steps
            rows.append([one.planner, *((values[env], ",.0f" if timed else ",.1f") for env in self.problems)])
        return "Simulations per decision" if timed else "Model steps per simulation", rows

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
        others = (REFERENCE, BOUND, BEST)
        tops = {top: [env for env, scale in self.problems.items() if scale.top == top] for top in others}
        marked = [f"the {top} in {', '.join(found)}" for top, found in tops.items() if found]
        return "score 0: the better of doing nothing and random actions; 1: " + ", ".join(["the optimum", *marked])

    @property
    def scale_sentence(self) -> str:
        """The same as a sentence of its own; names of environments keep their capitals."""
        return f"S{self.scale[1:]}."


def leaderboards(stores: Sequence[Store], planners: Sequence[str] = ()) -> tuple[list[Leaderboard], dict[str, Scale]]:
    """A leaderboard for each budget that several planners have played in all problems with a scale, and the scales.

    The planners of all runs are ranked together, those of these names if there are any, as for `is_one_of`; the first
    run's problems and budgets count.
    """
    played = origins.returns(stores)
    environments, budgets = {setting.env for setting in played[0]}, {setting[2:4] for setting in played[0]}
    by_problem: dict[str, dict[tuple[int, Setting], Array]] = {}
    for place, of_run in enumerate(played):
        for setting, sample in of_run.items():
            if setting.env in environments:
                by_problem.setdefault(setting.env, {})[place, setting] = sample
    problems = scales((key[1], sample) for of_problem in by_problem.values() for key, sample in of_problem.items())
    called = origins.names(stores)
    scores, resampled = Scores(dict), Scores(dict)
    for env, scale in problems.items():
        means = resampled_scores(scale, by_problem[env])
        for (place, setting), sample in by_problem[env].items():
            asked = not planners or origins.is_one_of(stores[place], setting, planners)
            if asked and setting.planner not in BASELINES and (budget := setting[2:4]) in budgets:
                name = called[place][env, setting.planner]
                scores[budget].setdefault(name, {})[env] = scale.scores(sample)
                if means:
                    resampled[budget].setdefault(name, {})[env] = means[place, setting]
    order = sorted(scores, key=lambda budget: (budget[1] != "simulations", budget[0]))
    boards = [
        leaderboard(unit, size, scores[size, unit], list(problems), resampled[size, unit])
        for size, unit in followed(order, "leaderboards")
    ]
    return [board for board in boards if len(board.standings) > 1], problems


def costs(stores: Sequence[Store], problems: Container[str]) -> dict[Key, Cost]:
    """The costs of runs in some problems by unit, budget and name of the planner (`names`)."""
    found: dict[Key, Cost] = {}
    for store, called in zip(stores, origins.names(stores), strict=True):
        efforts = {setting: effort for setting, effort in store.efforts().items() if setting.env in problems}
        steps = model_steps.of_settings(efforts, store.model_steps)
        for setting, effort in efforts.items():
            key = setting.unit, setting.budget, called[setting.env, setting.planner]
            cost = found.setdefault(key, Cost({}, {}))
            simulations = math.nan if effort.simulations is None else effort.simulations / effort.steps
            cost.simulations[setting.env] = simulations
            cost.model_steps[setting.env] = steps[setting]
    return found


def episodes(stores: Sequence[Store], problems: Container[str]) -> dict[Key, Episodes]:
    """The episodes of each planner in some problems, by unit, budget and name (`names`)."""
    own = {setting.env: setting.seed for setting in reversed(list(stores[0].suite.settings()))}
    found: dict[Key, Episodes] = {}
    for store, called in zip(stores, origins.names(stores), strict=True):
        planned = store.suite.episodes()
        for setting, count in store.counts().items():
            if setting.env in problems and count.done:
                key = setting.unit, setting.budget, called[setting.env, setting.planner]
                so_far = found.get(key, Episodes(0, 0, (), False))
                found[key] = Episodes(
                    so_far.played + count.done,
                    so_far.planned + planned[setting],
                    tuple(sorted({*so_far.seeds, setting.seed})),
                    so_far.other or setting.seed != own[setting.env],
                )
    return found


def unranked(stores: Sequence[Store], problems: Container[str]) -> Iterator[str]:
    """Lines about problems of the first run without a scale, about runs without any of the rest, and about failures.

    Such a run shares no problem with it, or no budget in one.
    """
    finished = [setting for setting, count in stores[0].counts().items() if count.done]
    own, other = {setting[2:4] for setting in finished}, origins.other_problems(stores)
    yield from origins.left_out_problems(stores)
    if flat := dict.fromkeys(setting.env for setting in finished if setting.env not in problems):
        yield f"Left out: {', '.join(flat)}, where {NO_SCALE}."
    for store, differ in zip(stores[1:], other[1:], strict=True):
        played = [setting for setting, count in store.counts().items() if count.done and setting.env not in differ]
        budgets = dict.fromkeys(setting[2:4] for setting in played if setting.env in problems)
        if not played:
            reason = "it holds no finished episode"
        elif not budgets:
            places = ", ".join(dict.fromkeys(setting.env for setting in played))
            reason = f"it has none of the problems of {stores[0].folder}, but {places}"
        elif own.isdisjoint(budgets):
            reason = f"it has other budgets, {', '.join(amount(*budget) for budget in budgets)}"
        else:
            continue
        yield f"No planner of {store.folder} is ranked: {reason}."
    for store in stores:
        yield from failed(store)


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
    for name, found in split_half.of_board(board).items():
        said.append(
            f"Odd and even instances of {name}: the ranks of {found.planners} planners have Spearman's correlation "
            f"{estimate(found.correlation)} [95 %], over {found.odd} and {found.even} problems."
        )
    if board.left_out:
        said.append(f"Not in all problems: {', '.join(board.left_out)}.")
    return said
