r"""Digital Curling 3: one JSON object per line over TCP; the server listens, on one port for each team.

    server -> client                    client -> server
    Dc             at connection        DcOk
    IsReady                             ReadyOk    (no time limit: slow start-up belongs before it)
    NewGame        both are ready
    Update         the start position   Move       from the team `next_team`, within its thinking time
    Update         after every move     Move       from the team `next_team`
    ...
    Update         with `game_result`
    GameOver                            the client closes

Positions and velocities are in the shot frame of `curling.sheet`: both sides see the house at +y in every end.
Numbers are metres, metres a second, radians and seconds, and never NaN or infinite.

>>> encode(DcOk("bonspiel"))
b'{"cmd":"dc_ok","name":"bonspiel"}\n'
>>> decode_server(b'{"cmd": "game_over"}\r\n')
GameOver()
"""

from curling.protocols.dc3_boards import board, stones, stones_of
from curling.protocols.dc3_codec import MAX_CLIENT_LINE, MAX_SERVER_LINE, decode_client, decode_server, encode
from curling.protocols.dc3_messages import (
    IDENTICAL,
    NORMAL_DIST,
    ClientMessage,
    Concede,
    Dc,
    DcOk,
    Difference,
    Game,
    GameOver,
    GameResult,
    IsReady,
    LastMove,
    Move,
    NewGame,
    PerTeam,
    Player,
    Players,
    Position,
    ReadyOk,
    ServerMessage,
    Setting,
    Shot,
    Simulator,
    State,
    Stone,
    Stones,
    Team,
    Trajectory,
    Update,
    Velocity,
    Version,
)

__all__ = [
    "IDENTICAL",
    "MAX_CLIENT_LINE",
    "MAX_SERVER_LINE",
    "NORMAL_DIST",
    "ClientMessage",
    "Concede",
    "Dc",
    "DcOk",
    "Difference",
    "Game",
    "GameOver",
    "GameResult",
    "IsReady",
    "LastMove",
    "Move",
    "NewGame",
    "PerTeam",
    "Player",
    "Players",
    "Position",
    "ReadyOk",
    "ServerMessage",
    "Setting",
    "Shot",
    "Simulator",
    "State",
    "Stone",
    "Stones",
    "Team",
    "Trajectory",
    "Update",
    "Velocity",
    "Version",
    "board",
    "decode_client",
    "decode_server",
    "encode",
    "stones",
    "stones_of",
]
