"""The verb `server`: practice matches by the protocols of Digital Curling."""

import argparse
from pathlib import Path

from runs.verbs.command_line import Parser, Verb

STATUSES = "exit status: 0 done, 1 a port is taken, 2 bad usage, 130 stopped"


def server(arguments: argparse.Namespace) -> int:
    """Serve practice matches until there were enough, or Ctrl-C."""
    from runs.curling import server

    given = vars(arguments)
    return server.main(server.Options(**{name: given[name] for name in server.Options.__annotations__}))


def add_verbs(verb: Verb) -> None:
    """Add the verb; `verb` makes one from its name, function, summary and example."""
    command = verb(
        "server",
        server,
        "serve practice matches to clients of Digital Curling",
        f"bonspiel server dc3 --ends 2 --seed 1 | {STATUSES}",
    )
    protocols = command.add_subparsers(dest="protocol", required=True, metavar="PROTOCOL", parser_class=Parser)
    dc3 = protocols.add_parser(
        "dc3",
        help="Digital Curling 3: TCP, one port for each team",
        epilog=f"example: bonspiel server dc3 --port 10000 --ends 2 | {STATUSES}",
    )
    dc3.add_argument(
        "--port",
        type=int,
        default=10000,
        metavar="P",
        help="team 0's; team 1's is P + 1; 0: any free ones (default: 10000)",
    )
    dc3.add_argument("--ends", type=int, default=10, metavar="N", help="ends of a match (default: 10)")
    dc3.add_argument(
        "--thinking-time",
        type=float,
        default=219.0,
        metavar="S",
        help="of a team for the match, seconds (default: 219)",
    )
    dc3.add_argument(
        "--extra-end-time",
        type=float,
        default=21.9,
        metavar="S",
        help="of a team for an extra end, seconds (default: 21.9)",
    )
    dc3.add_argument("--rule", choices=("five_rock", "four_rock"), default="five_rock", help="default: five_rock")
    dc3.add_argument(
        "--noise",
        choices=("normal_dist", "none"),
        default="normal_dist",
        help="errors of execution (default: normal_dist)",
    )
    dc3.add_argument(
        "--speed-sd", type=float, metavar="SD", help="standard deviation of the speed, m/s (normal_dist: 0.0076)"
    )
    dc3.add_argument(
        "--angle-sd", type=float, metavar="SD", help="standard deviation of the direction, rad (normal_dist: 0.0018)"
    )
    dc3.add_argument(
        "--trajectory",
        type=int,
        nargs="?",
        const=100,
        metavar="MS",
        help="send the paths of the stones, a frame every 10 to 10,000 milliseconds (100 if no number is "
        "given); without this option none are sent",
    )
    dc2 = protocols.add_parser(
        "dc2",
        help="Digital Curling 2: TCP, one port; clients play in the order they log in",
        epilog=f"example: bonspiel server dc2 --noise gat | {STATUSES}",
    )
    dc2.add_argument("--port", type=int, default=9876, metavar="P", help="0: any free one (default: 9876)")
    dc2.add_argument("--ends", type=int, default=10, metavar="N", help="ends of a match (default: 10)")
    dc2.add_argument(
        "--thinking-time",
        type=float,
        default=219.0,
        metavar="S",
        help="of a team for the match, seconds (default: 219)",
    )
    dc2.add_argument(
        "--noise", choices=("dc2", "gat", "none"), default="dc2", help="errors of execution (default: dc2)"
    )
    dc2.set_defaults(extra_end_time=21.9, rule="four_rock", speed_sd=None, angle_sd=None, trajectory=None)
    for parser in (dc3, dc2):
        parser.add_argument(
            "--bind",
            dest="host",
            default="127.0.0.1",
            metavar="ADDRESS",
            help="where clients may come from; 0.0.0.0: everywhere (default: 127.0.0.1)",
        )
        parser.add_argument(
            "--engine",
            choices=("analytic", "box2d"),
            default="analytic",
            help="what moves the stones (default: analytic)",
        )
        parser.add_argument("--seed", type=int, metavar="N", help="root of all randomness (default: a new one)")
        parser.add_argument("--matches", type=int, metavar="N", help="end after so many (default: go on)")
        parser.add_argument(
            "--records",
            type=Path,
            default=Path("results/server"),
            metavar="FOLDER",
            help="a record of every match goes there (default: results/server)",
        )
        parser.add_argument(
            "--watch",
            type=int,
            metavar="PORT",
            help="show the matches on a page at http://127.0.0.1:PORT; 0: any free port",
        )
