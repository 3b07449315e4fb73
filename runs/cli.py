"""The command line: all verbs in groups, and exit statuses. Verbs import late, so that --help is fast."""

try:  # Ctrl-C may come during the imports
    import argparse
    import errno
    import os
    import sys
    from collections.abc import Sequence
    from typing import TYPE_CHECKING, Any

    from bonspiel.runs import interrupts
    from bonspiel.runs.experiment import RunError, UsageError
    from bonspiel.runs.verbs import (
        agreement,
        archive,
        benchmarks,
        film,
        games,
        listing,
        paper,
        results,
        sensitivity,
        targets,
        tree,
    )
    from bonspiel.runs.verbs.command_line import (
        DONE,
        FAILED,
        GROUP,
        OPTIONS,
        USAGE,
        AddVerbs,
        Command,
        Parser,
        PrintAndExit,
        Verb,
    )
    from bonspiel.version import __version__
except KeyboardInterrupt:
    raise SystemExit(130) from None

if TYPE_CHECKING:
    from bonspiel.extensions import Extension

SHOWN = 60  # characters of a name that is too long
FULL = (errno.ENOSPC, errno.EDQUOT)


GROUPS: dict[str, tuple[AddVerbs, ...]] = {
    "benchmarks": (
        listing.add_verbs,
        benchmarks.add_verbs,
        results.add_verbs,
        archive.add_verbs,
        targets.add_verbs,
        sensitivity.add_verbs,
        agreement.add_verbs,
        tree.add_verbs,
        film.add_verbs,
        paper.add_verbs,
    ),
    "games": (games.add_verbs,),
}
EPILOG = """example: bonspiel run quick
verbs that other packages add: bonspiel list
exit status: 0 done, 1 a run failed, 2 invalid command line, 130 stopped by Ctrl-C, 143 by SIGTERM"""


def version(root: argparse.ArgumentParser, _: None) -> str:
    """The line of `bonspiel --version`."""
    return f"bonspiel {__version__}"


def completion(root: argparse.ArgumentParser, shell: str) -> str:
    """The script of `bonspiel --completion`."""
    from bonspiel.runs.verbs import completion

    return completion.script(root, shell)


def add_installed(kind: str, name: str, added: Sequence["Extension"], argument: Any) -> None:
    """Call the function of an installed package that adds a verb, or options of a verb."""
    from bonspiel.extensions import sole

    try:
        add = sole(kind, name, added, "uninstall one of them").load()
    except ValueError as error:
        raise UsageError(str(error)) from error
    try:
        add(argument)
    except (Exception, SystemExit) as error:  # whatever the author's code raises
        from bonspiel.planners.core.code.errors import error_place, error_text

        failed = f"{error_text(error)}){error_place(error)}"
        raise UsageError(f"{kind} {name!r} of {added[0].package} cannot be added ({failed}") from error


def parser(name: str = "") -> Parser:
    """The command line with the verb of this name, of an installed package if the core has none of it.

    With another name it has all verbs of this project, those of its guests too, which are found as anybody's are.
    """
    from bonspiel.extensions import extensions

    layout = argparse.RawDescriptionHelpFormatter
    root = Parser(prog="bonspiel", usage="bonspiel VERB ...", formatter_class=layout, epilog=EPILOG)
    root.add_argument("--version", action=PrintAndExit, nargs=0, text=version, help="print the version and exit")
    root.add_argument(
        "--completion",
        action=PrintAndExit,
        metavar="SHELL",
        text=completion,
        choices=("bash", "zsh", "tcsh"),
        help='print a completion script for bash, zsh or tcsh and exit; in bash: eval "$(bonspiel --completion bash)"',
    )
    verbs = root.add_subparsers(
        dest="verb", required=True, metavar="VERB", prog="bonspiel", parser_class=Parser, help=argparse.SUPPRESS
    )
    lines = ["Benchmarks of planning with continuous actions. `bonspiel VERB --help` explains a verb."]

    def verb(name: str, function: Command, summary: str, example: str) -> argparse.ArgumentParser:
        description = f"{summary[0].upper()}{summary[1:]}."
        command = verbs.add_parser(name, help=summary, description=description, epilog=f"example: {example}")
        command.set_defaults(function=function)
        lines.append(f"  {name:<12}{summary}")
        return command

    for title, group in GROUPS.items():
        lines.append(f"\n{title}:")
        for add_verbs in group:
            add_verbs(verb)
    if name not in verbs.choices:
        _add_guests(name, verb, lines)
    options = extensions(OPTIONS)
    for asked in [name] if name in verbs.choices else [*verbs.choices]:
        for added in options.get(asked, ()):
            add_installed("options of the verb", asked, [added], verbs.choices[asked])
    root.description = "\n".join(lines)
    return root


def _add_guests(name: str, verb: Verb, lines: list[str]) -> None:
    """Add the verb of this name, or all verbs of this project's guests if no installed package has it."""
    from bonspiel.extensions import extensions

    installed = extensions(GROUP)
    if name in installed:
        add_installed("verb", name, installed[name], verb)
        return
    places: dict[str, set[str]] = {}  # of each guest; one function may add several verbs
    guests = [(added[0].guest, added[0].place, of) for of, added in installed.items() if added[0].guest]
    for guest, place, of in sorted(guests):
        if place not in places.setdefault(guest, set()):
            lines += [f"\n{guest}:"] * (not places[guest])
            places[guest].add(place)
            add_installed("verb", of, installed[of], verb)


def _discard_output() -> None:
    """Discard the rest of standard output's buffer, on which Python would fail once more as it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main(line: Sequence[str] | None = None) -> int:
    """Run the command line with these arguments, sys.argv's if None; returns the exit status."""
    given = list(sys.argv[1:] if line is None else line)
    name = "bonspiel"
    try:
        asked = given[0] if given and not given[0].startswith("-") else ""
        arguments = parser(asked).parse_args(given)
        arguments.line = given
        function: Command = arguments.function
        name = " ".join(["bonspiel", arguments.verb, *filter(None, [getattr(arguments, "protocol", None)])])
        with interrupts.safe():
            status = function(arguments)
        sys.stdout.flush()
    except UsageError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return USAGE
    except RunError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return FAILED
    except BrokenPipeError:  # the reader of our output, such as `head`, has closed it
        _discard_output()
        return DONE
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            reason = "this name of a file or folder is too long; give a shorter one"
            print(f"{name}: {str(error.filename)[:SHOWN]!r}...: {reason}", file=sys.stderr)
            return USAGE
        if error.errno not in FULL:
            raise
        _discard_output()
        print(f"{name}: the output cannot be written ({error.strerror}); make room for it", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt as error:
        return interrupts.status(error)
    finally:
        if line is None:
            interrupts.end_at_once()
    return status
