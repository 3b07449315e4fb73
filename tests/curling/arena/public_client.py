"""A client of Digital Curling 4 by the PyPI package dc4client, with players of its own who make no errors.

python public_client.py HOST PORT MATCH TEAM
"""

import asyncio
import os
import random
import sys
from contextlib import aclosing

import dc4client


def team(mixed):
    names = [f"player{k}" for k in range(1, 3 if mixed else 5)]
    exact = {"max_velocity": 4.0, "shot_std_dev": 0.0, "angle_std_dev": 0.0}
    players = {name: dc4client.PlayerModel(player_name=name, **exact) for name in names}
    return dc4client.TeamModel(use_default_config=False, team_name="public", **players)


async def main(host, port, match, team_name, mixed=""):
    rng, answered = random.Random(team_name), (-1, -1)
    user, password = os.environ["DC4_USER"], os.environ["DC4_PASSWORD"]
    name = dc4client.MatchNameModel(team_name)
    client = dc4client.DCClient(match, user, password, match_team_name=name, auto_save_log=False)
    client.set_server_address(host, int(port))
    seat = await client.send_team_info(team(mixed))
    async with aclosing(client.receive_state_data()) as states:
        async for state in states:
            moment = state.end_number, state.total_shot_number
            if state.winner_team is not None:
                break
            if state.next_shot_team is state.total_shot_number is state.last_move is None:
                if state.mixed_doubles_settings.end_setup_team == seat:
                    choice = dc4client.PositionedStonesModel.center_house
                    await client.send_positioned_stones_info(choice)
            elif state.next_shot_team == seat and moment > answered:
                answered = moment
                if state.total_shot_number >= 12 and "crash" in mixed:
                    raise ZeroDivisionError("dropped the stone")
                if state.total_shot_number >= 4 and "nonsense" in mixed:
                    await client.send_shot_info(translational_velocity=2.4, shot_angle=1e9)
                    continue
                await client.send_shot_info_dc3(rng.uniform(-0.15, 0.15), rng.uniform(2.35, 2.45), "cw")
    print("winner", state.winner_team)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
