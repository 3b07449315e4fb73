"""The command line: all verbs in groups, and exit statuses. Verbs import late, so that --help is fast."""

try:  # Ctrl-C may come during the imports
    import argparse
    import errno
    import os
    import sys
    from collections.abc import Sequence

    from bonspiel.runs import interrupts
    from bonspiel.runs.curling.verbs import arena, client, curling, learn, server
    from bonspiel.runs.experiment import RunError, UsageError
    from bonspiel.runs.go import verbs as go
    from bonspiel.runs.verbs import agreement, benchmarks, film, games, listing, results, tree
    from bonspiel.runs.verbs.command_line import (
        DONE,
        FAILED,
        GROUP,
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

SHOWN = 60  # characters of a name that is too long
FULL = (errno.ENOSPC, errno.EDQUOT)


def add_games(verb: Verb) -> None:
    """Add the verbs of all games, with the options of curling."""
    curling.add_match_options(games.add_verbs(verb))


GROUPS: dict[str, tuple[AddVerbs, ...]] = {
    "benchmarks": (
        listing.add_verbs,
        benchmarks.add_verbs,
        results.add_verbs,
        agreement.add_verbs,
        tree.add_verbs,
        film.add_verbs,
    ),
    "games": (add_games, curling.add_verbs, learn.add_verbs, go.add_verbs),
    "curling servers": (arena.add_verbs, server.add_verbs, client.add_verbs),
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


def add_installed(name: str, verb: Verb) -> None:
    """Add the verb of this name of an installed package, if there is one.

    Raises:
        UsageError: two packages have it, or it cannot be added; the message names the package.
    """
    from bonspiel.planners.core.code import packages
    from bonspiel.planners.core.errors import error_place, error_text

    added = packages.extensions(GROUP).get(name)
    if not added:
        return
    try:
        add_verbs: AddVerbs = packages.sole("verb", name, added, "uninstall one of them").load()
    except ValueError as error:
        raise UsageError(str(error)) from error
    try:
        add_verbs(verb)
    except (Exception, SystemExit) as error:  # whatever the author's code raises
        failed = f"{error_text(error)}){error_place(error)}"
        raise UsageError(f"verb {name!r} of {added[0].package} cannot be added ({failed}") from error


def parser(name: str = "") -> Parser:
    """The command line; with the verb of this name of an installed package if it is none of this package's.

    Raises:
        UsageError: as for `add_installed`.
    """
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
        lines.append(f"  {name:<10}{summary}")
        return command

    for title, group in GROUPS.items():
        lines.append(f"\n{title}:")
        for add_verbs in group:
            add_verbs(verb)
    if name and name not in verbs.choices:
        add_installed(name, verb)
    root.description = "\n".join(lines)
    return root


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
