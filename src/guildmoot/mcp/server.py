"""Serves the tools over standard input and output: one JSON message a line, nothing else is printed there.

Requests that take a while run on threads of their own, so that the server always hears a cancellation.
"""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from guildmoot.mcp import protocol
from guildmoot.mcp.protocol import Answer, ProtocolError, Request
from guildmoot.mcp.tools import Arguments, Tool, ToolError

ANSWER_SECONDS = 60.0
"""What a command that only reads may take."""
JUDGE_SECONDS = 15.0
"""How long a client waits for tools to judge; then it is given the run's id."""
MOST_WAIT = 20
_TRIMMED = 20
"""Advisories in an answer: all of them are in the report, and a model pays for what it reads."""
_FINDING = ("id", "path", "line", "code", "severity", "evidence", "why", "remedy")
_VERDICT = (
    "verdict",
    "result",
    "outcome",
    "exit_code",
    "reasons",
    "run_id",
    "target",
    "summary",
    "error",
)


class Server:
    """One client's server."""

    def __init__(
        self, tools: Iterable[Tool], send: Callable[[Answer], None], cwd: Path, *, allow: bool
    ) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._send_now = send
        self._cwd = cwd
        self._allow = allow
        self._sending = threading.Lock()
        self._stops: dict[str | int, threading.Event] = {}
        self._threads: list[threading.Thread] = []

    def serve(self, lines: Iterable[bytes]) -> None:
        """Answer every line until the client closes its end, and finish what was asked by then."""
        for line in lines:
            if line.strip():
                self._hear(line)
        until = time.monotonic() + ANSWER_SECONDS
        for thread in self._threads:
            thread.join(max(until - time.monotonic(), 0.0))

    def _hear(self, line: bytes) -> None:
        try:
            request = protocol.read_request(line)
        except ProtocolError as wrong:
            self._send(protocol.error_of(wrong.ident, wrong))
            return
        if request is None:
            return
        if request.id is None:
            self._note(request)
        elif request.method in ("tools/call", "resources/read", "resources/list"):
            stop = self._stops[request.id] = threading.Event()
            thread = threading.Thread(target=self.answer, args=(request, stop), daemon=True)
            self._threads = [each for each in self._threads if each.is_alive()] + [thread]
            thread.start()
        else:
            self.answer(request, threading.Event())

    def _note(self, request: Request) -> None:
        """A notification; those that are not known are none of our business."""
        if request.method == "notifications/cancelled":
            ident = request.params.get("requestId")
            stop = self._stops.get(ident) if isinstance(ident, str | int) else None
            if stop:
                stop.set()

    def answer(self, request: Request, stop: threading.Event) -> None:
        """Serve one request and send its answer, unless it is stopped meanwhile."""
        try:
            protocol.check_version(request)
            answer = self._serve(request, stop)
        except ProtocolError as wrong:
            answer = protocol.error_of(request.id, wrong)
        except Exception as error:  # noqa: BLE001 - one bad request must not end the session
            bug = ProtocolError(protocol.INTERNAL_ERROR, f"{type(error).__name__}: {error}")
            answer = protocol.error_of(request.id, bug)
        finally:
            if request.id is not None:
                self._stops.pop(request.id, None)
        if not stop.is_set():  # nobody waits for the answer to what was cancelled
            self._send(answer)

    def _serve(self, request: Request, stop: threading.Event) -> Answer:
        match request.method:
            case "initialize":
                return protocol.result_of(request, protocol.initialized(request.params))
            case "server/discover":
                return protocol.result_of(request, protocol.discovered(), cached=True)
            case "ping":
                return protocol.result_of(request, {})
            case "tools/list":
                listed = {"tools": [tool.definition() for tool in self._tools.values()]}
                return protocol.result_of(request, listed, cached=True)
            case "tools/call":
                return protocol.result_of(request, self._call(request, stop))
            case "resources/list":
                return protocol.result_of(request, self._resources(), cached=True)
            case "resources/templates/list":
                return protocol.result_of(request, _templates(), cached=True)
            case "resources/read":
                return protocol.result_of(request, self._read(request.params), cached=True)
        raise ProtocolError(protocol.NO_METHOD, f"there is no method {request.method!r} here")

    def _call(self, request: Request, stop: threading.Event) -> Answer:
        tool = self._tools.get(str(request.params.get("name")))
        given = request.params.get("arguments", {})
        if tool is None:
            known = ", ".join(self._tools)
            raise ProtocolError(protocol.INVALID_PARAMS, f"no such tool; there are: {known}")
        given = {} if given is None else given
        if not isinstance(given, dict):
            raise ProtocolError(protocol.INVALID_PARAMS, "arguments is an object")
        try:
            given = tool.read(given)
            tool.check(given, allow=self._allow)
            cwd = self._folder(given)
            if "question" in tool.fields and not given.get("diff"):
                _check_paths(given.get("paths", ()), cwd)
            if tool.kind == "judgement":
                return self._judge(tool, given, cwd, request, stop)
            if tool.kind == "run":
                return self._run(tool, given, cwd, request, stop)
            return _told(run_command(tool.command(given), cwd, stop))
        except ToolError as wrong:
            return protocol.tool_result({"error": {"message": str(wrong)}}, failed=True)

    def _folder(self, given: Arguments) -> Path:
        cwd = Path(given.get("cwd") or self._cwd).expanduser()
        if not cwd.is_dir():
            raise ToolError(f"there is no folder {cwd}")
        return cwd

    def _judge(
        self, tool: Tool, given: Arguments, cwd: Path, request: Request, stop: threading.Event
    ) -> Answer:
        """Begin a judgement; tools are waited for, models are not."""
        from guildmoot.mcp.jobs import Jobs

        asked = {"tool": tool.name, "arguments": {k: v for k, v in given.items() if k != "cwd"}}
        paid = bool(given.get("model"))
        job = Jobs().begin(tool.command(given), cwd, asked, paid=paid)
        return self._await(job.id, 0.0 if paid else JUDGE_SECONDS, request, stop)

    def _run(
        self, tool: Tool, given: Arguments, cwd: Path, request: Request, stop: threading.Event
    ) -> Answer:
        from guildmoot.mcp.jobs import Jobs

        action, run = given.get("action", "status"), str(given["run_id"])
        if action == "resume":
            job = Jobs().begin(tool.command(given), cwd, {"tool": "resume", "run": run})
            return self._await(job.id, 0.0, request, stop)
        known = Jobs().find(run)
        if known is None:  # begun at a terminal: its record tells
            return _told(run_command(tool.command(given), cwd, stop))
        if action == "cancel":
            known.cancel()
        seconds = min(max(int(given.get("wait", 0)), 0), MOST_WAIT)
        return self._await(run, float(seconds), request, stop, cancels=False)

    def _await(
        self,
        run: str,
        seconds: float,
        request: Request,
        stop: threading.Event,
        *,
        cancels: bool = True,
    ) -> Answer:
        """Its result once it is there, else that it is running; a client's cancellation ends it."""
        from guildmoot.mcp.jobs import Jobs, McpJob

        job = McpJob(Jobs().folder / run)
        token, told, until = request.progress_token, 0, time.monotonic() + seconds
        while not job.wait(min(0.2, seconds)):
            if stop.is_set():
                if cancels:
                    job.cancel()
                return {}
            for line in job.progress(told) if token is not None else ():
                told += 1
                self._send(protocol.progress_of(token, told, line))  # type: ignore[arg-type]
            if time.monotonic() >= until:
                last = job.progress()[-1:]
                going = {"run_id": run, "status": "running", "progress": "".join(last)}
                return protocol.tool_result(going)
        if job.cancelled():
            return protocol.tool_result({"run_id": run, "status": "cancelled"})
        result = job.result()
        if result is None:
            why = " ".join(job.progress()[-3:]) or "it ended without a word"
            message = f"the run {run} has no result: {why}"
            return protocol.tool_result({"error": {"message": message}}, failed=True)
        return _told(result, run)

    def _resources(self) -> Answer:
        runs = run_command(["runs", "list", "-n", "20", "--json"], self._cwd, threading.Event())
        return {
            "resources": [
                {
                    "uri": f"guild://run/{run['run_id']}/{_page_of(run)}",
                    "name": f"{run.get('kind', 'run')} {run.get('target', '')}".strip(),
                    "mimeType": "text/markdown",
                }
                for run in runs.get("runs", [])
            ]
        }

    def _read(self, params: Mapping[str, Any]) -> Answer:
        import re
        import tempfile

        uri = str(params.get("uri"))
        found = re.fullmatch(r"guild://run/(last|[0-9a-f-]{4,40})/(report|board)", uri)
        if not found:
            raise ProtocolError(protocol.RESOURCE_NOT_FOUND, f"there is no resource {uri}")
        if found[2] == "board":
            text = self._board(found[1], uri)
            return {"contents": [{"uri": uri, "mimeType": "text/markdown", "text": text}]}
        with tempfile.TemporaryDirectory(prefix="guildmoot-mcp-") as folder:
            file = Path(folder) / "report.md"
            argv = ["replay", "--json", f"--report={file}", "--", found[1]]
            answer = run_command(argv, self._cwd, threading.Event())
            if not file.exists():
                message = answer.get("error", {}).get("message", "this run has no report")
                raise ProtocolError(protocol.RESOURCE_NOT_FOUND, f"{uri}: {message}")
            text = file.read_text(encoding="utf-8")
        return {"contents": [{"uri": uri, "mimeType": "text/markdown", "text": text}]}

    def _board(self, run: str, uri: str) -> str:
        """The board that a run wrote on, which lies below the folder of the session."""
        argv = ["runs", "show", run, "--part", "request", "--json"]
        told = run_command(argv, self._cwd, threading.Event())
        board = Path(str(told.get("board") or "-"))
        here = self._cwd.resolve()
        file = (board if board.is_absolute() else here / board).resolve()
        if not file.is_relative_to(here) or not file.is_file():
            raise ProtocolError(protocol.RESOURCE_NOT_FOUND, f"{uri}: this run has no board here")
        return file.read_text(encoding="utf-8", errors="replace")

    def _send(self, message: Answer) -> None:
        with self._sending:
            self._send_now(message)


def run_command(argv: list[str], cwd: Path, stop: threading.Event) -> dict[str, Any]:
    """The JSON that a command of ours prints; ToolError where it prints none or takes too long."""
    from guildmoot.mcp.jobs import command_line

    child = subprocess.Popen(
        command_line(argv),
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    out, err = b"", b""
    until = time.monotonic() + ANSWER_SECONDS
    while True:
        try:
            out, err = child.communicate(timeout=0.2)
            break
        except subprocess.TimeoutExpired:
            if stop.is_set() or time.monotonic() > until:
                child.kill()
                child.communicate()
                raise ToolError(f"guild {argv[0]} took more than {ANSWER_SECONDS:.0f} s") from None
    try:
        value = json.loads(out)
    except ValueError:
        raise ToolError(err.decode(errors="replace").strip() or f"guild {argv[0]} failed") from None
    return value if isinstance(value, dict) else {"value": value}


def _check_paths(paths: Iterable[str], cwd: Path) -> None:
    """A council would take other words for its question, and judge something else."""
    for path in paths:
        if not set("*?[") & set(path) and not os.path.lexists(cwd / path):
            raise ToolError(f"there is no {path!r} in {cwd}")


def _told(value: dict[str, Any], run: str = "") -> Answer:
    """A result as a client is given it; a verdict is trimmed to what an agent acts on."""
    if "error" in value:
        return protocol.tool_result({"error": value["error"]}, failed=True)
    if "blocking_findings" not in value:
        return protocol.tool_result(value)
    shown = {key: value[key] for key in _VERDICT if key in value}
    shown |= {"run_id": value.get("run_id") or run, "status": "complete"}
    for kind, most in (("blocking_findings", None), ("advisory_findings", _TRIMMED)):
        found = value.get(kind) or []
        shown[kind] = [
            {key: each[key] for key in _FINDING if each.get(key)} for each in found[:most]
        ]
        if len(found) > len(shown[kind]):
            shown[f"{kind}_left_out"] = len(found) - len(shown[kind])
    if shown["run_id"]:
        shown["report"] = f"guild://run/{shown['run_id']}/report"
    return protocol.tool_result(shown)


def _page_of(run: Mapping[str, Any]) -> str:
    return "board" if run.get("kind") == "whiteboard" else "report"


def _templates() -> Answer:
    pages = {"report": "report of a run", "board": "board of a whiteboard's run"}
    return {
        "resourceTemplates": [
            {
                "uriTemplate": f"guild://run/{{run}}/{page}",
                "name": name,
                "mimeType": "text/markdown",
            }
            for page, name in pages.items()
        ]
    }
