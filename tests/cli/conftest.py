"""``guild`` run in this process with real streams, for verbs that need no repository."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable

import pytest

from conftest import Ran
from guildmoot.cli.main import GUILD_VERBS, run


@pytest.fixture
def guild(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """``guild("recipe", "x", stdin=b"...")`` in the current folder."""

    def call(*argv: str, stdin: bytes = b"") -> Ran:
        out, err = io.BytesIO(), io.BytesIO()
        with monkeypatch.context() as streams:
            streams.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
            streams.setattr(sys, "stdout", io.TextIOWrapper(out, encoding="utf-8"))
            streams.setattr(sys, "stderr", io.TextIOWrapper(err, encoding="utf-8"))
            code = run("guild", GUILD_VERBS, list(argv))
            sys.stdout.flush()
            sys.stderr.flush()
            return Ran(code, out.getvalue().decode(), err.getvalue().decode())

    return call
