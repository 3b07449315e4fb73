"""A whole match with the PyPI package dc3client, run by the Python of its own virtual environment (see test_peer.py).

python peer_client.py PORT NAME
"""

import json
import logging
import random
import sys


def main(port, name):
    from dc3client import SocketClient, StoneRotation  # not in the environment that collects the tests

    logging.disable(logging.CRITICAL)
    client = SocketClient("127.0.0.1", int(port), name, rate_limit=0.0)
    team, rng = client.get_my_team(), random.Random(name)
    client.update()
    while client.get_winner() is None:
        if client.get_next_team() == team:
            spin = rng.choice((StoneRotation.clockwise, StoneRotation.counterclockwise))
            client.move(rng.uniform(-0.15, 0.15), rng.uniform(2.35, 2.45), spin)
        client.update()
    updates, trajectories = client.get_update_and_trajectory(remove_trajectory=False)
    state = updates[-1].state
    print(
        json.dumps(
            {
                "team": team,
                "winner": client.get_winner(),
                "scores": [state.scores.team0, state.scores.team1],
                "updates": len(updates),
                "moves": len(client.get_move_info()),
                "frames": [len(t.frames) for t in trajectories],
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
