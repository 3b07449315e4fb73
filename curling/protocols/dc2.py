r"""Digital Curling 2: ASCII text ended by a NUL byte, over TCP or the client's standard input and output.

    server -> client                        client -> server
    Connected                               Login
    LoginOk
    IsReady                                 ReadyOk
    NewGame
    Position, SetState, [Score,] Go         BestShot or Concede, from the mover; only the mover gets Go
    RunShot                                 the shot with its errors, to both
    Position, SetState, [Score,] Go ...     Score after the last shot of an end
    TotalScore, GameOver, Disconnect

Its frame is not that of `curling.sheet`: stones are thrown towards -y from (2.375, 41.28) to the tee at (2.375, 4.88).
`to_sheet`, `from_sheet` and their like for throws and stones are the only place that knows.

>>> encode(BestShot(-0.99074, -29.559774, 0))
b'BESTSHOT -0.990740 -29.559774 0\x00'
>>> decode_server(b"GO 59956 60000")
Go(first_ms=59956, second_ms=60000)
"""

from curling.protocols.dc2_codec import MAX_TEXT, decode_client, decode_server, encode
from curling.protocols.dc2_frame import (
    from_sheet,
    position_of,
    rows,
    stones,
    throw_from_sheet,
    throw_to_sheet,
    to_sheet,
)
from curling.protocols.dc2_messages import (
    BestShot,
    ClientMessage,
    Concede,
    Connected,
    Disconnect,
    GameOver,
    Go,
    IsReady,
    Login,
    LoginOk,
    NewGame,
    Position,
    ReadyOk,
    RunShot,
    Score,
    ServerMessage,
    SetState,
    Timeout,
    TotalScore,
)

__all__ = [
    "MAX_TEXT",
    "BestShot",
    "ClientMessage",
    "Concede",
    "Connected",
    "Disconnect",
    "GameOver",
    "Go",
    "IsReady",
    "Login",
    "LoginOk",
    "NewGame",
    "Position",
    "ReadyOk",
    "RunShot",
    "Score",
    "ServerMessage",
    "SetState",
    "Timeout",
    "TotalScore",
    "decode_client",
    "decode_server",
    "encode",
    "from_sheet",
    "position_of",
    "rows",
    "stones",
    "throw_from_sheet",
    "throw_to_sheet",
    "to_sheet",
]
