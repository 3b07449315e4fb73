"""The verb `list`: everything that can be named on the command line."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from bonspiel.runs.verbs.command_line import DONE, GROUP, Verb

if TYPE_CHECKING:
    from bonspiel.planners.core.code.packages import Extension
    from bonspiel.planners.registry import Registry


def show_list(arguments: argparse.Namespace) -> int:
    """Print planners, environments, games and suites, and what installed packages add."""
    from bonspiel import envs, planners
    from bonspiel.planners.core.code.packages import extensions
    from bonspiel.runs import bench
    from bonspiel.runs.games.game import GAMES
    from bonspiel.runs.suites import lookup

    for registry in (planners.REGISTRY, envs.REGISTRY, GAMES):
        kind = f"{registry.kind}s"
        for title, names in (
            (kind, registry.names()),
            *((f"{kind} of {game} alone", added) for game, added in registry.extensions.items()),
            *((f"{kind} of {package}", added) for package, added in by_package(registry.installed())),
        ):
            print(f"{title}, written NAME or NAME:key=value,...")
            for name in names:
                print(f"  {name:<14} {defaults(registry, name)}")
            print()
    for kind, group in ("verbs", GROUP), ("benchmarks", bench.GROUP):
        for package, names in by_package(extensions(group)):
            print(f"{kind} of {package}: {', '.join(names)}\n")
    print("suites")
    for name in lookup.names():
        found = lookup.load(name)
        counts = found.episodes()
        print(f"  {name:<18} {found.description} ({len(counts)} curve points, {sum(counts.values())} episodes)")
    return DONE


def by_package(installed: Mapping[str, Sequence["Extension"]]) -> Iterator[tuple[str, list[str]]]:
    """The names that each installed package adds."""
    for package in sorted({extension.package for added in installed.values() for extension in added}):
        yield package, [name for name, added in installed.items() if package in {of.package for of in added}]


def defaults(registry: "Registry", name: str) -> str:
    """The parameters of an entry with their defaults, or why it cannot be used."""
    from dataclasses import is_dataclass

    from bonspiel.planners.registry import fields_of, parameters_of, verbatim

    try:
        cls = registry.cls(name)
    except ValueError as error:
        return f"unusable: {error}"
    if parameter := verbatim(cls):
        return f"written {name}:{parameter.upper()}"
    if is_dataclass(cls):
        given = [f"{of.name}={registry.value_text(of, of.default)}" for of in fields_of(cls)]
    else:
        given = parameters_of(cls) or []
    return ", ".join(given) or "(no parameters)"


def add_verbs(verb: Verb) -> None:
    """Add the verb to the command line."""
    verb("list", show_list, "show planners, environments, games and suites with their parameters", "bonspiel list")
