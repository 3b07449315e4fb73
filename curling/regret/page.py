"""The page of a run: what each client's shots lose, where, and the costliest of them."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from bonspiel.curling.arena.clients import Client
from bonspiel.curling.env.picture import NAMES
from bonspiel.curling.regret.pictures import draw_pair
from bonspiel.curling.regret.positions import TestPosition
from bonspiel.curling.regret.referee import SOURCES, ShotRegret
from bonspiel.curling.regret.results import Examined
from bonspiel.curling.regret.summary import (
    CERTAIN,
    GROUPS,
    LARGE,
    NETWORK,
    PLAYOUTS,
    Judged,
    differences,
    disagree,
    grouped,
    judged,
    mean,
    referee_of,
)
from bonspiel.runs.files import writing
from bonspiel.runs.progress import counted
from bonspiel.runs.tables import estimate, markdown

PAGE = "regret.md"
COSTLIEST = 10
ABOUT = f"""Regret is what a shot is worth less than the best one found, in probability to win the match; with it the
points that the best shot makes more in this end. Both are means over errors of execution, in brackets the 95 % interval
(bootstrap over positions). Below 0 is chance: the best shot is chosen by other throws than it is judged by.

Two referees compare the same shots: a fine grid, rule-based candidates, those of all clients, and better ones near.
`{NETWORK}` values the position after the throw by the champion's network. `{PLAYOUTS}` plays the end out, with shots
that the network chooses, and counts the score less the luck of the throws. `champion`, `presearch` and `valued`
planners are judged by `{PLAYOUTS}`, as nobody is judged by the values that it searches with; others by `{NETWORK}`."""


def write_page(
    folder: Path, clients: Sequence[Client], examined: Sequence[Examined], places: Sequence[TestPosition]
) -> str:
    """Write the page and its pictures into the folder; its first part as text.

    Raises:
        UsageError: they cannot be written.
    """
    rng = np.random.default_rng(0)
    found = {client.name: judged(client.name, examined, places) for client in clients}
    overview = _overview(clients, examined, found, rng)
    parts = ["# The regret of shots", ABOUT, overview]
    parts += [_disagreements(found), *_by_client(clients, found, rng)]
    with writing(folder):
        parts += _costliest(folder, clients, found)
        (folder / PAGE).write_text("\n\n".join(part for part in parts if part) + "\n", encoding="utf-8")
    return overview


def _overview(
    clients: Sequence[Client], examined: Sequence[Examined], found: dict[str, list[Judged]], rng: np.random.Generator
) -> str:
    """The means of all clients, and the differences between them."""
    head = ["client", "positions", "regret", "by", *(f"by {source.name}" for source in SOURCES), "points", "s a shot"]
    rows, lines = [head], list[str]()
    for client in clients:
        own, answers = found[client.name], [one.answers[client.name] for one in examined]
        failed = [
            (one.number, one.answers[client.name].failure) for one in examined if one.answers[client.name].failure
        ]
        by, seconds = referee_of(client), [answer.seconds for answer in answers if answer.shot is not None]
        regrets = {source.name: mean(own, source.name, _regret, rng) for source in SOURCES}
        points = mean(own, by, lambda one: one.lost_points, rng)
        both = [f"{regrets[source.name].value:.3f}" for source in SOURCES]
        spent = f"{np.mean(seconds):.2f}" if seconds else ""
        rows.append([client.name, str(len(own)), estimate(regrets[by]), by, *both, estimate(points, 2), spent])
        if failed:
            number, reason = failed[0]
            where = f"no shot in {counted(len(failed), 'position')}, first in position {number + 1}: {reason}"
            lines.append(f"{client.name}: {where}")
    return "\n\n".join(filter(None, [markdown(rows), *lines, _comparison(clients, examined, rng)]))


def _comparison(clients: Sequence[Client], examined: Sequence[Examined], rng: np.random.Generator) -> str:
    """The difference between each two clients, in the positions of both."""
    names = [client.name for client in clients]
    by = [differences(names, examined, source.name, rng) for source in SOURCES]
    rows = [["difference", *(f"by {source.name}" for source in SOURCES)]]
    for one, other in by[0]:
        pairs = [found[one, other] for found in by]
        rows.append([f"{one} less {other}", *(f"{estimate(pair.difference)}, p = {pair.p:.2g}" for pair in pairs)])
    return markdown(rows) if len(rows) > 1 else ""


def _regret(one: ShotRegret) -> float:
    return one.regret


def _disagreements(found: dict[str, list[Judged]]) -> str:
    """Where the two referees differ."""
    shots = [(name, one) for name, all_of in found.items() for one in all_of]
    apart = [(name, one) for name, one in shots if disagree(one)]
    rows = [["client", "position", "shot", *(source.name for source in SOURCES)]]
    far = sorted(apart, key=lambda both: -abs(_apart(both[1])))
    for name, one in far[:COSTLIEST]:
        regrets = [f"{one.verdicts[source.name].regret:.3f}" for source in SOURCES]
        rows.append([name, str(one.number + 1), one.verdicts[NETWORK].name, *regrets])
    text = f"The referees differ by more than {LARGE} and {CERTAIN:g} standard errors in {len(apart)} of "
    text += counted(len(shots), "shot")
    if not apart:
        return f"## Where the referees disagree\n\n{text}."
    return f"## Where the referees disagree\n\n{text}; these differ most:\n\n{markdown(rows)}"


def _apart(one: Judged) -> float:
    return one.verdicts[NETWORK].regret - one.verdicts[PLAYOUTS].regret


def _by_client(clients: Sequence[Client], found: dict[str, list[Judged]], rng: np.random.Generator) -> Iterator[str]:
    """The means of each client by part of the end, hammer and kind of shot, and the two parts of its regret."""
    for client in clients:
        own, by = found[client.name], referee_of(client)
        if not own:
            continue
        shares = [estimate(mean(own, by, part, rng)) for part in (_wrong_shot, _wrong_weight)]
        lines = [
            f"## {client.name}",
            f"By {by}. Aimed at the wrong shot, as the best one with the same name is worth less: {shares[0]}.",
            f"Right shot, wrong weight or line: {shares[1]}.",
        ]
        yield "\n".join([lines[0], "", *lines[1:]])
        for title, group in GROUPS:
            yield _table(title, grouped(own, group), by, rng)


def _wrong_shot(one: ShotRegret) -> float:
    return one.wrong_shot


def _wrong_weight(one: ShotRegret) -> float:
    return one.wrong_weight


def _table(title: str, groups: dict[str, list[Judged]], by: str, rng: np.random.Generator) -> str:
    columns: list[tuple[str, Callable[[ShotRegret], float]]] = [
        ("regret", _regret),
        ("wrong shot", _wrong_shot),
        ("wrong weight", _wrong_weight),
    ]
    rows = [[title, "positions", *(name for name, _ in columns), "points"]]
    for name, members in groups.items():
        means = [estimate(mean(members, by, part, rng)) for _, part in columns]
        points = estimate(mean(members, by, lambda one: one.lost_points, rng), 2)
        rows.append([name, str(len(members)), *means, points])
    return markdown(rows)


def _costliest(folder: Path, clients: Sequence[Client], found: dict[str, list[Judged]]) -> Iterator[str]:
    """The shots that cost most by both referees, drawn; of commands where there are any."""
    shown = [client for client in clients if client.planner is None] or clients
    shots = [(client, one) for client in shown for one in found[client.name]]
    shots.sort(key=lambda both: -min(verdict.regret for verdict in both[1].verdicts.values()))
    if shots:
        yield "## The costliest shots"
        yield "By the smaller regret of the two referees; both shots without errors of execution."
    for number, (client, one) in enumerate(shots[:COSTLIEST], 1):
        verdict, file = one.verdicts[referee_of(client)], folder / f"costly-{number:02d}.png"
        draw_pair(file, one.place, client.name, verdict)
        yield f"### {number}. {_situation(one.place)}"
        yield f"![{verdict.name}, and {verdict.best_name}]({file.name})"
        yield _words(one)


def _situation(place: TestPosition) -> str:
    """End, shot, team, score and hammer in words."""
    position = place.position
    settings, own = position.settings, 1 if position.team == 0 else -1
    lead, shot = own * position.lead, position.shot - settings.first_shot + 1
    end = f"end {position.end + 1} of {settings.ends}" if position.end < settings.ends else "extra end"
    score = f"{abs(lead)} {'ahead' if lead > 0 else 'behind'}" if lead else "level"
    stone = "with the hammer" if position.team == position.hammer else "without the hammer"
    return f"{NAMES[position.team].capitalize()}, {end}, shot {shot} of {settings.end_shots}, {score}, {stone}"


def _words(one: Judged) -> str:
    """What both referees say of a shot."""
    parts = [
        f"{verdict.referee}: {verdict.value:.3f}, best {verdict.best_value:.3f} ({verdict.best_name}), regret "
        f"{verdict.regret:.3f} ± {verdict.error:.3f}, of it wrong shot {verdict.wrong_shot:.3f}"
        for verdict in one.verdicts.values()
    ]
    return f"Position {one.number + 1} ({one.place.source}). {'; '.join(parts)}."
