"""One episode of each planner over its steps: states, actions with plans, and rewards, played again for the report."""

import time
from collections.abc import Mapping
from html import escape
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

from bonspiel.planners.model import Array
from bonspiel.runs.experiment import Setting, UsageError, amount
from bonspiel.runs.reporting.charts import image
from bonspiel.runs.reporting.drawing import styled, svg
from bonspiel.runs.reporting.styles import BLUE, GREEN, GREY, INK, ORANGE, VERMILION
from bonspiel.runs.results.rows import Episode
from bonspiel.runs.results.store import Store
from bonspiel.runs.runner.episode import play_one
from bonspiel.runs.suite import model_of

LONGEST, ALL = 2.0, 10.0  # s, in which an episode, and those of all planners in all problems, were played
PATIENCE = 3.0  # times as long as that a replay may take, with the steps of the environment
SLOW = "not quick"
MOST = 8  # planners in one picture, those of the largest mean return
COORDINATES = 3  # of states and of actions that are drawn, the first ones
PLANS = 3  # drawn in an episode, at equal distances
COLOURS = (BLUE, VERMILION, GREEN)
LABEL = 34  # characters of a planner's name
WIDTH, HEIGHT = 9.6, 1.35  # inches; the height is that of one planner


def shorten(text: str, longest: int) -> str:
    """The text, cut to at most `longest` characters."""
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


class Course(NamedTuple):
    """An episode over its steps."""

    setting: Setting
    states: Array  # before each step, the first coordinates that tell states apart, [steps, coordinates]
    actions: Array  # that were chosen, [steps, action_dim]
    rewards: Array  # of the steps, [steps]
    plans: Mapping[int, Array]  # by step, each [length, action_dim]; none of a planner that has none
    effort: float  # mean change of the action, as part of its range


class Replays(NamedTuple):
    """The episodes of a problem by planner, and why other planners have none."""

    courses: dict[str, Course]
    reasons: dict[str, str]


def check_episode(store: Store, episode: int) -> None:
    """Refuse the number of an episode that nobody finished."""
    numbers = store.values("episode")
    played = {int(at) for one, found in numbers.items() if one.unit != "ms" for at in found}
    if episode not in played:
        known = f"from {min(played)} to {max(played)}" if played else "but there is none"
        raise UsageError(
            f"episode={episode}: must be one that was played with a budget in simulations or steps, {known}"
        )


def of_run(store: Store, episode: int | None = None) -> dict[str, Replays]:
    """The episodes that are drawn, by environment.

    One of a given number is drawn however long it takes; else 0 with each planner's largest budget that is quick.
    """
    at, returns = episode or 0, {one: sample for one, sample in store.returns().items() if one.unit != "ms"}
    longest = min(LONGEST, ALL / max(1, len({one[:2] for one in returns}))) if episode is None else np.inf
    means = {one: np.sum(sample) / max(1, len(sample)) for one, sample in returns.items()}
    failed = {one[:5] for one in store.failures()}
    found = {setting.env: Replays({}, {}) for setting in returns}
    tried = set()
    for setting in sorted(returns, key=lambda one: (-one.budget, -means[one])):
        (courses, reasons), pair = found[setting.env], setting[:2]
        if pair in tried:
            continue
        row = next((one for one in store.episodes(setting) if one.number == at), None)
        if row is None:
            reasons[setting.planner] = "failed" if (*setting[:4], at) in failed else "not played"
        elif len(courses) == MOST:
            reasons[setting.planner] = f"not among the first {MOST}"
        elif row.seconds > longest:
            reasons[setting.planner] = SLOW
        else:
            tried.add(pair)
            result = again(setting, row, PATIENCE * longest)
            if isinstance(result, Course):
                courses[setting.planner] = result
            else:
                reasons[setting.planner] = result
    for env, (courses, reasons) in found.items():
        others = (one for one in store.suite.names(env) if one not in courses)
        found[env] = Replays(courses, {one: reasons.get(one, "no budget in simulations") for one in others})
    return found


def again(setting: Setting, row: Episode, longest: float = np.inf) -> Course | str:
    """An episode played again by its row; or why not: more seconds than `longest`, another result, or an error."""
    states, decisions, rewards, until = list[Array](), list[Any](), list[float](), np.inf

    def watch(state: Array, decision: Any, reward: float) -> None:
        nonlocal until
        now = time.perf_counter()
        until = until if states else now + longest  # the first decision may have compiled
        if now > until:
            raise TimeoutError
        states.append(state)
        decisions.append(decision)
        rewards.append(reward)

    try:
        model: Any = model_of(setting.env)
        total = play_one(setting, row.number, watch).total
    except TimeoutError:
        return SLOW
    except (Exception, SystemExit) as error:  # of another version, or of a package that is not installed
        return f"cannot be played here ({type(error).__name__})"
    if total != row.total:
        return f"now returns {total} instead of {row.total}"
    weights = getattr(model, "distance_weights", np.ones(model.state_dim))
    shown = [i for i in np.flatnonzero(weights) if i != getattr(model, "time_index", None)][:COORDINATES]
    actions = np.array([decision.action for decision in decisions])
    spread = np.asarray(model.action_high) - np.asarray(model.action_low)
    changes = np.abs(np.diff(actions, axis=0)) / np.where(spread > 0.0, spread, 1.0)
    at = np.unique(np.linspace(0, len(actions), PLANS, endpoint=False).astype(int))
    plans = {int(step): decisions[step].plan for step in at if len(decisions[step].plan) > 1}
    effort = float(changes.mean()) if len(changes) else 0.0
    return Course(setting, np.array(states)[:, shown], actions, np.array(rewards), plans, effort)


def draw(courses: Mapping[str, Course], labels: Mapping[str, str]) -> Figure:
    """A row for each planner, whose labels are given: states, actions with plans as dashed lines, rewards."""
    height = HEIGHT * len(courses) + 0.75
    with styled((WIDTH, height), layout="constrained") as figure:
        rows = figure.subplots(len(courses), 3, squeeze=False, sharex=True, sharey="col")
        for (x, u, r), (planner, course) in zip(rows, courses.items(), strict=True):
            steps = len(course.rewards)
            for values, colour in zip(course.states.T, COLOURS, strict=False):
                x.plot(values, color=colour, lw=1.1, marker="." if steps == 1 else None)
            for values, colour in zip(course.actions.T, COLOURS, strict=False):
                _hold(u, 0, values, color=colour)
            for step, plan in course.plans.items():
                _hold(u, step, plan[: -(-steps // PLANS), 0], color=ORANGE, ls="--")
                u.axvline(step, color=GREY, lw=0.4)
            _hold(r, 0, course.rewards, color=INK)
            title = f"{shorten(labels[planner], LABEL)}, {amount(course.setting.budget, course.setting.unit)}"
            x.set_title(title, loc="left", fontsize=8)
            u.set_title(f"effort {course.effort:.3f}", loc="right", fontsize=8)
            r.set_title(f"sum {course.rewards.sum():.4g}", loc="right", fontsize=8)
        first = rows[0]
        for axes, name in zip(first, ("states", "actions", "reward"), strict=True):
            axes.annotate(name, (0.5, 1.28), xycoords="axes fraction", ha="center", fontsize=9, fontweight="bold")
        for axes in rows[-1]:
            axes.set_xlabel("step")
    return figure


def _hold(axes: Any, first: int, values: Array, **style: Any) -> None:
    """Draw the values of steps from the first one on, each until the next step."""
    axes.plot(first + np.arange(len(values) + 1), [*values, values[-1]], lw=1.1, drawstyle="steps-post", **style)


def section(played: Replays, labels: Mapping[str, str], episode: int) -> str:
    """The part of a page on an environment: the episodes, and who is left out; empty without both."""
    courses, reasons = played
    figure = missing = ""
    if courses:
        figure = image(f"States, actions and rewards of episode {episode}", svg(draw(courses, labels)))
        figure += f'<p class="muted">{SAID}</p>'
    if reasons:
        told = "; ".join(f"{labels[planner]} ({reason})" for planner, reason in reasons.items())
        missing = f'<p class="muted">Episode {episode} is not shown of {escape(told)}.</p>'
    return f"<section><h3>One episode</h3>{figure}{missing}</section>" if figure or missing else ""


SAID = (
    f"Played again for this page, with the same result. The first {COORDINATES} coordinates are blue, red and "
    "green; dashed is what the planner meant to play of the first one from some steps on, if it has a plan. Effort is "
    "the mean change of the action from step to step, as part of its range."
)
