import socket

import pytest

from bonspiel.curling.protocols.tcp import keep_alive


@pytest.mark.skipif(not hasattr(socket, "TCP_KEEPIDLE"), reason="the system has no such option")
def test_a_silent_peer_is_asked_whether_it_is_there():
    with socket.socket() as line:
        keep_alive(line, idle=17)
        assert line.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        names = socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT
        assert [line.getsockopt(socket.IPPROTO_TCP, name) for name in names] == [17, 10, 3]
