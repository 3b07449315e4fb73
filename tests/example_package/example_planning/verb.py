"""A verb of the command line: `bonspiel nim 11` says who wins a heap of 11 stones."""


def nim(arguments):
    """Print the winner; the result is the exit status."""
    print("the second player" if arguments.heap % 4 == 0 else "the first player")
    return 0


def add_nim(verb):
    """Add the verb: its name, function, summary and example; the result is a parser of argparse."""
    command = verb("nim", nim, "say who wins a heap of Nim", "bonspiel nim 11")
    command.add_argument("heap", type=int, metavar="STONES", help="in the heap, of which a move takes one to three")
