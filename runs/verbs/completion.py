"""The completion script of a shell, which shtab writes from the parser; names are those known when it is written."""

import argparse
from collections.abc import Iterator
from pathlib import Path

from bonspiel.runs.verbs.command_line import PLANNER
from bonspiel.runs.verbs.options import run_of


def script(root: argparse.ArgumentParser, shell: str) -> str:
    """The script, to be evaluated by the shell or put where it looks for completions."""
    import shtab

    from bonspiel import envs, planners
    from bonspiel.runs.suites import lookup
    from bonspiel.runs.tuning import study

    names = {
        "SUITE|ENV": [*lookup.names(), *envs.names()],
        "ENV|STUDIES": [*study.names(), *envs.names()],
        "ENV": envs.names(),
        PLANNER: (everything := list(planners.REGISTRY.everything())),
        "PLANNER": everything,
    }
    for action in _actions(root):
        if isinstance(action, argparse._SubParsersAction):
            action.help = None  # shtab skips what the help leaves out; our help shows the verbs in groups instead
        elif isinstance(action.metavar, str) and action.metavar in names:
            action.choices = names[action.metavar]
        elif action.type in (Path, run_of):
            action.complete = shtab.FILE  # type: ignore[attr-defined]
    return str(shtab.complete(root, shell))


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _actions(command)
