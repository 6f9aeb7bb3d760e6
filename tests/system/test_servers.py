"""Where the user's own servers listen is known before a fence is put up."""

from __future__ import annotations

import pytest

from guildmoot.system.servers import servers


@pytest.mark.parametrize(
    ("environ", "place"),
    [
        ({}, "/tmp/tmux-7"),
        ({"TMUX_TMPDIR": "/var/t"}, "/var/t/tmux-7"),
        ({"TMUX": "/var/t/tmux-7/work,12,0"}, "/var/t/tmux-7"),
        ({"TMUX": "/home/a/my.sock,12,0"}, "/home/a/my.sock"),
        ({"XDG_RUNTIME_DIR": "/run/mine"}, "/run/mine/systemd"),
        ({}, "/run/user/7/bus"),
        ({"DBUS_SESSION_BUS_ADDRESS": "unix:path=/tmp/dbus-x,guid=1"}, "/tmp/dbus-x"),
        ({"SCREENDIR": "/home/a/.s"}, "/home/a/.s"),
    ],
)
def test_where_a_server_listens_is_known(environ: dict[str, str], place: str) -> None:
    assert place in servers(environ, 7)


def test_no_place_that_others_use_is_taken_for_a_servers_own() -> None:
    odd = {"TMUX": ",,", "DBUS_SESSION_BUS_ADDRESS": "unix:abstract=/tmp/x", "SCREENDIR": "here"}
    known = {"/tmp", "/", "here", "/tmp/x", "", "/run/user/7", "/run/screen"}
    assert not known & set(servers(odd, 7))
