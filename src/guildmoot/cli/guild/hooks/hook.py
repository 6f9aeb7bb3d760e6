"""``guild hook``: answers one hook event of a coding agent, or serves as a daemon that does."""

from __future__ import annotations

import sys

from guildmoot.errors import UsageError

_HOSTS = ("claude", "codex", "gemini")


def main(argv: list[str]) -> int:
    """Run the verb; the ordinary case loads nothing that it does not need."""
    if not argv or (len(argv) == 1 and argv[0] in _HOSTS):
        import os

        from guildmoot.guard.hooks.entry import main as answer
        from guildmoot.guard.hooks.places import socket_path

        answer(argv, socket_path(os.environ))
    return _serve(argv)


def _serve(argv: list[str]) -> int:
    from guildmoot.cli.arguments import Parser, add_json

    parser = Parser(
        "hook",
        "Reads one hook event as JSON on standard input and answers by the host's contract: nothing"
        " to let it pass, exit 2 and one line to deny, JSON to ask or to change. 'serve' answers the"
        " same over a Unix socket and as an HTTP hook on loopback, quicker; the plain command asks it"
        " where it is running. 'guild guard install' sets all of it up.",
        "  guild hook < event.json     one event\n"
        "  guild hook codex < e.json   where the host cannot be told from the event\n"
        "  guild hook serve            a daemon, until Ctrl-C",
    )
    parser.add_argument("what", nargs="?", choices=(*_HOSTS, "serve"), help="see the examples")
    parser.add_argument("--no-http", action="store_true", help="serve: only the Unix socket")
    add_json(parser)
    options = parser.parse_args(argv)
    if options.what != "serve":
        raise UsageError(
            "'guild hook' answers an event by the host's contract and takes no option.",
            "Leave it out, or start the daemon with 'guild hook serve'.",
        )
    from guildmoot.api.hooks import serve_hooks
    from guildmoot.cli.output import emit

    def told(socket: str, url: str, token_file: str) -> None:
        rows = [f"listening at {socket}"]
        rows += [f"and at {url}", f"with the token in {token_file}"] if url else []
        data = {"socket": socket, "url": url or None, "token_file": token_file}
        emit(data, rows, as_json=options.json)
        sys.stdout.flush()

    serve_hooks(told, http=not options.no_http)
    return 0
