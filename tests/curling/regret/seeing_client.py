"""A client of Digital Curling 3 that prints the first state in which it throws, and draws to the tee, or fails.

python seeing_client.py PORT [WAY]
"""

import json
import socket
import sys
import time


def main(port, way=""):
    with socket.create_connection(("127.0.0.1", int(port))) as connection, connection.makefile("rw") as server:

        def send(message):
            server.write(json.dumps(message) + "\n")
            server.flush()

        for line in server:
            message = json.loads(line)
            if message["cmd"] == "dc":
                send({"cmd": "dc_ok", "name": "seeing"})
            elif message["cmd"] == "is_ready":
                team = message["team"]
                send({"cmd": "ready_ok", "player_order": [0, 1, 2, 3]})
            elif message["cmd"] == "update" and message["next_team"] == team:
                if way == "crash":
                    raise ZeroDivisionError("dropped the stone")
                if way == "concede":
                    send({"cmd": "move", "move": {"type": "concede"}})
                elif way == "hang":
                    time.sleep(1000)
                else:
                    print(json.dumps(message["state"]), flush=True)
                    velocity = {"x": 0.1317, "y": 2.3997}
                    send({"cmd": "move", "move": {"type": "shot", "velocity": velocity, "rotation": "ccw"}})


if __name__ == "__main__":
    main(*sys.argv[1:])
