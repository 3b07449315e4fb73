"""The verb `server`: practice matches by the protocols of Digital Curling."""

import argparse
from dataclasses import fields

from bonspiel.curling.verbs.server_options import Options, add_dc2, add_dc3, add_dc4
from bonspiel.runs.verbs.command_line import Parser, Verb

STATUSES = "exit status: 0 done, 1 a port is in use, 2 invalid command line, 130 stopped"
PROTOCOLS = {
    "dc3": (add_dc3, "Digital Curling 3: TCP, one port for each team", "--port 10000 --ends 2"),
    "dc2": (
        add_dc2,
        "Digital Curling 2: TCP, one port; clients are paired in the order of their logins",
        "--noise gat",
    ),
    "dc4": (
        add_dc4,
        "Digital Curling 4: HTTP, one port; clients create the matches, standard or mixed doubles (extra dc4)",
        "--port 5000 --matches 1",
    ),
}


def server(arguments: argparse.Namespace) -> int:
    """Serve practice matches until their number is reached, or Ctrl-C."""
    from bonspiel.curling.verbs import server_run

    given = vars(arguments)
    return server_run.main(
        Options(**{field.name: given[field.name] for field in fields(Options) if field.name in given})
    )


def add_verbs(verb: Verb) -> None:
    """Add the verb to the command line."""
    summary = "serve practice matches to clients of Digital Curling"
    example = f"bonspiel server dc3 --ends 2 --seed 1 ({STATUSES})"
    command = verb("server", server, summary, example)
    protocols = command.add_subparsers(dest="protocol", required=True, metavar="PROTOCOL", parser_class=Parser)
    for name, (add_options, summary, example) in PROTOCOLS.items():
        epilog = f"example: bonspiel server {name} {example} ({STATUSES})"
        add_options(protocols.add_parser(name, help=summary, description=f"{summary}.", epilog=epilog))
