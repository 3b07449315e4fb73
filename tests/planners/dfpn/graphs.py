"""Games on graphs in plain Python: nodes are positions and moves; who is to prove something begins."""

from collections import namedtuple

from bonspiel.planners.dfpn.solve import ProofProblem
from bonspiel.planners.dfpn.walk import Rules

PLIES = 40
Game = namedtuple("Game", "after verdicts rows")


def key_of(node):
    return node * 7919


def moves(game, row, out, keys):
    for place, node in enumerate(game.after[game.rows[row]]):
        out[place], keys[place] = node, key_of(node)
    return len(game.after[game.rows[row]])


def play(game, row, move, into):
    game.rows[into] = move


def verdict(game, row):
    return game.verdicts[game.rows[row]]


def one_each(game, row):
    return 1, 1


RULES = Rules(moves, play, verdict, one_each)


def problem_of(after, verdicts, rules=RULES, prover_first=True):
    """A game from node 0; `after` has the nodes that each leads to, `verdicts` is 0 where the game goes on."""
    return ProofProblem(rules, Game(after, verdicts, [0] * 2 * PLIES), 0, PLIES, len(after), prover_first)


def search_without_table(after, verdicts, prover_first=True):
    """The verdict on node 0 by trying all lines; to repeat a position is illegal."""

    def mover_wins(line, prover):
        verdict = verdicts[line[-1]]
        if verdict:
            return (verdict > 0) == prover
        return any(node not in line and not mover_wins([*line, node], not prover) for node in after[line[-1]])

    return 1 if mover_wins([0], prover_first) == prover_first else -1


def random_game(rng, nodes, over=0.2):
    """Even nodes are the first player's; some of the others are the end."""
    after, verdicts = [], []
    for node in range(nodes):
        ends = node > 0 and rng.random() < over
        others = [other for other in range(nodes) if other % 2 != node % 2]
        verdicts.append(rng.choice([1, -1]) if ends else 0)
        after.append([] if ends else rng.sample(others, rng.randint(1, min(4, len(others)))))
    return after, verdicts
