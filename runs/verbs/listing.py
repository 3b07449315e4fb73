"""The verb `list`: everything that can be named on the command line, and the parameters of one name."""

import argparse
import shutil
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bonspiel.runs.experiment import UsageError
from bonspiel.runs.verbs.command_line import DONE, GROUP, Verb

if TYPE_CHECKING:
    from bonspiel.extensions import Extension
    from bonspiel.planners.registry import Registry

PARAGRAPH = "\n\n"
NARROWEST, WIDEST = 72, 118  # characters of a line
WIDEST_DEFAULT = 14  # characters; the meaning stands below a longer one


def show_list(arguments: argparse.Namespace) -> int:
    """Print the parameters of one name, all names, or problems in RDDL."""
    if arguments.rddl:
        show_rddl()
    elif (arguments.name or "").startswith("rddl:"):
        show_problem(arguments.name, arguments.source)
    elif arguments.source:
        raise UsageError("--source shows the source of a problem in RDDL: bonspiel list rddl:DOMAIN --source")
    elif arguments.name is None:
        show_everything()
    else:
        show_parameters(arguments.name)
    return DONE


def show_everything() -> None:
    """Print planners, environments, games and suites, and what installed packages add."""
    from bonspiel.extensions import extensions
    from bonspiel.runs import bench
    from bonspiel.runs.suites import lookup

    for registry in registries():
        kind = f"{registry.kind}s"
        installed = registry.installed()
        hidden = dict.fromkeys(installed.keys() & registry.everything(), "unusable: bonspiel has its own")
        for title, names, of_others in (
            *[(kind, registry.names(), {})] * bool(registry.names()),
            *((f"{kind} of {guest}", added, {}) for guest, added in by_guest(registry)),
            *((f"{kind} of {package}", added, hidden) for package, added in by_package(installed)),
        ):
            print(f"{title}, written NAME or NAME:key=value,...")
            for name in names:
                print(f"  {name:<14} {of_others.get(name) or defaults(registry, name)}")
            print()
    for kind, group in ("verb", GROUP), ("benchmark", bench.GROUP):
        others = {name: added for name, added in extensions(group).items() if not added[0].guest}
        for package, names in by_package(others):
            print(f"{kind}s of {package}: {', '.join(name + unusable(kind, name, others[name]) for name in names)}\n")
    print("suites")
    for name in lookup.names():
        try:
            found = lookup.load(name)
        except UsageError as error:
            print(f"  {name:<18} unusable: {error}")
            continue
        counts = found.episodes()
        print(f"  {name:<18} {found.description} ({len(counts)} curve points, {sum(counts.values())} episodes)")


def show_rddl() -> None:
    """Print the domains of rddlrepository with their instances."""
    from bonspiel.envs.rddl.domain import repository

    try:
        found = repository()
    except ImportError as error:
        raise UsageError(str(error)) from error
    print("problems of rddlrepository, written rddl:NAME:instance=...")
    for name, instances in sorted(found.items()):
        print(f"  {name:<32} {', '.join(instances)}")


def show_problem(text: str, source: bool) -> None:
    """Print the coordinates of a problem in RDDL, or the source of its step."""
    from bonspiel import envs

    try:
        model = envs.parse(text)
    except ValueError as error:
        raise UsageError(str(error)) from error
    if source:
        if not model.source:
            raise UsageError(f"{text}: pyRDDLGym interprets it, so there is no source")
        print(model.source, end="")
        return
    print(f"{text}: {model.state_dim} coordinates of the state, {model.horizon} steps, discount {model.discount:g}\n")
    ends = zip(model.action_low, model.action_high, strict=True)
    defaults, values = [f"{value:g}" for value in model.null_action], [f"{low:g} to {high:g}" for low, high in ends]
    rows = zip(model.action_names, model.action_kinds, defaults, values, strict=True)
    print("\n".join(table([("action", "kind", "default", "values"), *rows])))


def registries() -> tuple["Registry", ...]:
    """Those of planners, environments and games."""
    from bonspiel import envs, planners
    from bonspiel.runs.games.game import GAMES

    return planners.REGISTRY, envs.REGISTRY, GAMES


def by_guest(registry: "Registry") -> Iterator[tuple[str, list[str]]]:
    """The names that each of this project's packages for single games adds."""
    places = registry.guests()
    guests = {name: place.split(".")[1] for name, place in places.items()}
    for guest in sorted({*guests.values()}):
        yield guest, [name for name in places if guests[name] == guest]


def by_package(installed: Mapping[str, Sequence["Extension"]]) -> Iterator[tuple[str, list[str]]]:
    """The names that each installed package adds."""
    for package in sorted({extension.package for added in installed.values() for extension in added}):
        yield package, [name for name, added in installed.items() if package in {of.package for of in added}]


def unusable(kind: str, name: str, added: Sequence["Extension"]) -> str:
    """Say in brackets why a verb or a benchmark cannot be used; empty if it can."""
    from bonspiel.extensions import sole

    try:
        sole(kind, name, added, "uninstall one of them").load()
    except ValueError as error:
        return f" (unusable: {error})"
    return ""


def defaults(registry: "Registry", name: str) -> str:
    """The parameters of an entry with their defaults, or why it cannot be used."""
    from bonspiel.planners.registry import verbatim
    from bonspiel.runs.verbs.parameters import parameters

    try:
        found = parameters(registry, name)
    except ValueError as error:
        return f"unusable: {error}"
    if parameter := verbatim(registry.cls(name)):
        return f"written {name}:{parameter.upper()}"
    return ", ".join(f"{of.name}={of.default}" for of in found) or "(no parameters)"


def show_parameters(name: str) -> None:
    """Print what a planner, environment or game is, and the meaning of its parameters; of two of that name, both."""
    from bonspiel.runs.verbs.parameters import describe

    try:
        found = [(registry, describe(registry, name)) for registry in registries_of(name)]
    except ValueError as error:
        raise UsageError(str(error)) from error
    for registry, (place, text, parameters) in found:
        if registry is not found[0][0]:
            print()
        kind = "" if ":" in name else f"{registry.kind} "
        print(f"{kind}{name}: {place}\n{text.partition(PARAGRAPH)[0]}\n")
        print(kinds_line(registry.cls(name)), end="")
        rows = [(of.name, of.default or "(required)", of.meaning) for of in parameters]
        print("\n".join(table([("parameter", "default", "meaning"), *rows])) if rows else "It has no parameters.")


def kinds_line(cls: Any) -> str:
    """A line with the kinds of coordinates of actions, of a planner those that it takes; nothing for real ones only."""
    kinds = getattr(getattr(cls, "traits", None), "action_kinds", None) or getattr(cls, "action_kinds", None)
    if not isinstance(kinds, tuple) or set(kinds) == {"real"}:
        return ""
    return f"Kinds of actions: {', '.join(dict.fromkeys(kinds))}.\n\n"


def registries_of(name: str) -> list["Registry"]:
    """The registries that have a name, a game is often also an environment; ValueError says what to write instead."""
    from bonspiel.planners.registry import unknown
    from bonspiel.runs.suites import lookup

    known = [
        (registry, {**registry.everything(), **registry.aliases, **registry.installed()}) for registry in registries()
    ]
    if found := [registry for registry, names in known if name in names]:
        return found
    removed = [registry for registry, _ in known if name in registry.removed]
    if removed:
        removed[0].place(name)  # the error says what to take instead
    everything = dict.fromkeys(of for _, names in known for of in names)
    base = name.partition(":")[0]
    if known_part := next((part for part in (base, name.rpartition(":")[0]) if part in everything), None):
        raise ValueError(f"{name!r}: write the name without its parameters: bonspiel list {known_part}")
    if name in lookup.names():
        raise ValueError(f"{name!r} is a suite; to see what it runs: bonspiel run {name} --dry-run")
    if alike := [of for of in everything if of.startswith(f"{base}:")]:
        raise unknown(base, name, alike)
    if base == "gym":
        id = name.partition(":")[2]
        raise ValueError(
            f"{name!r}: its parameters are those of gymnasium.make({id!r}), lookahead, horizon and discount"
        )
    if ":" in name:  # module:attribute, of which every registry takes any
        return [known[0][0]]
    raise unknown("planner, environment or game", name, everything)


def table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Lines with the cells of each row, the last wrapped; it stands below a long one, a default, before it."""
    *short, defaults, _ = zip(*rows, strict=True)
    widths = [max(map(len, column)) + 2 for column in short]
    widths.append(max(len(default) for default in defaults if len(default) <= WIDEST_DEFAULT) + 2)
    indent = " " * sum(widths)
    width = min(max(shutil.get_terminal_size((WIDEST, 1)).columns, NARROWEST), WIDEST)
    for *cells, last in rows:
        start = "".join(cell.ljust(least) for cell, least in zip(cells, widths, strict=True))
        if len(cells[-1]) > WIDEST_DEFAULT:
            yield start
            start = indent
        yield textwrap.fill(last, width, initial_indent=start, subsequent_indent=indent).rstrip() or start.rstrip()


def add_verbs(verb: Verb) -> None:
    """Add the verb to the command line."""
    summary = "show planners, environments, games and suites, or the parameters of one of them"
    command = verb("list", show_list, summary, "bonspiel list dpw")
    command.add_argument("name", nargs="?", metavar="NAME", help="a planner, environment or game: show its parameters")
    command.add_argument("--rddl", action="store_true", help="show the problems of rddlrepository")
    command.add_argument("--source", action="store_true", help="show the compiled step of a problem in RDDL")
