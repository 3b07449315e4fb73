"""A client of Digital Curling 3 that plays draws, and fails in a chosen way at its third shot.

python odd_client.py PORT SEED [WAY]
"""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time


def fail(way, send):
    if way == "crash":
        raise ZeroDivisionError("dropped the stone")
    if way == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if way == "hang":
        time.sleep(1000)
    if way == "nonsense":
        send({"cmd": "swep"})


def main(port, seed, way=""):
    rng, throws = random.Random(seed), 0
    threads = os.environ["OMP_NUM_THREADS"], os.environ["NUMBA_NUM_THREADS"]
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else ()
    print("threads", *threads, "cores", *cores, flush=True)
    if way == "unready":
        time.sleep(1000)
    if way == "stays":  # and so does a process that it starts
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        left = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
        print("started", os.getpid(), left.pid, flush=True)
    with socket.create_connection(("127.0.0.1", int(port))) as connection, connection.makefile("rw") as server:

        def send(message):
            server.write(json.dumps(message) + "\n")
            server.flush()

        if way == "rude":
            send("good morning")
        for line in server:
            message = json.loads(line)
            if message["cmd"] == "dc":
                send({"cmd": "dc_ok", "name": "odd"})
            elif message["cmd"] == "is_ready":
                team = message["team"]
                send({"cmd": "ready_ok", "player_order": [0, 1, 2, 3]})
            elif message["cmd"] == "update" and message["next_team"] == team:
                throws += 1
                if throws == 3 and (way != "crash" or rng.random() < 0.5):
                    fail(way, send)
                velocity = {"x": rng.uniform(-0.15, 0.15), "y": rng.uniform(2.35, 2.45)}
                send({"cmd": "move", "move": {"type": "shot", "velocity": velocity, "rotation": "cw"}})
            elif message["cmd"] == "game_over":
                break
        if way == "stays":
            time.sleep(1000)


if __name__ == "__main__":
    main(*sys.argv[1:])
