"""How a command says that it could not do what was asked: one message, one exit code."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from contextlib import suppress

from guildmoot.errors import EXIT_INFRASTRUCTURE, EXIT_USAGE, GuildmootError
from guildmoot.system.jsonio import dumps


def explain(program: str, argv: list[str], error: Exception) -> int:
    """Print the error for people, or as JSON when ``--json`` was asked for; return the exit code."""
    message, hint, code = _describe(error)
    if "--json" in argv:
        body = {"message": message, "hint": hint, "exit_code": code}
        with suppress(OSError):  # standard output may be what failed; the exit code still tells
            sys.stdout.write(dumps({"schema_version": 1, "error": body}) + "\n")
            sys.stdout.flush()
            return code
    sys.stderr.write(f"{program} {argv[0]}: {message}\n")
    if hint:
        sys.stderr.write(f"  {hint}\n")
    return code


def _describe(error: Exception) -> tuple[str, str, int]:
    if isinstance(error, GuildmootError):
        return error.message, error.hint, error.exit_code
    if isinstance(error, OSError):
        return _describe_os(error)
    return _describe_bug(error)


def _describe_os(error: OSError) -> tuple[str, str, int]:
    where = f": {os.fsdecode(error.filename)}" if error.filename else ""
    message = f"{error.strerror or error}{where}"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return (
            message,
            "Free some space and run it again; nothing was overwritten.",
            EXIT_INFRASTRUCTURE,
        )
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return message, "Check who owns it and whether it may be written.", EXIT_INFRASTRUCTURE
    if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.EISDIR):
        return message, "", EXIT_USAGE
    return message, "", EXIT_INFRASTRUCTURE


def _describe_bug(error: Exception) -> tuple[str, str, int]:
    """An error nobody foresaw is ours: say so, and keep the trace for whoever mends it."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{os.path.basename(last.filename)}:{last.lineno}"
    message = f"internal error: {type(error).__name__}: {error} (at {place})"
    if os.environ.get("GUILD_DEBUG"):
        traceback.print_exception(error)
    return (
        message,
        "This is a bug in guildmoot. GUILD_DEBUG=1 prints the trace.",
        EXIT_INFRASTRUCTURE,
    )
