"""A scripted model on loopback: asks a client for one tool, then says that it is done.

It speaks as much of Anthropic's, OpenAI's (Responses) and Gemini's protocol as the three clients need.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]
KEY = "guild-guard-probe"
"""The key that clients are given; it opens nothing."""


class CanaryModel:
    """One conversation: which tool is asked for, and what came back."""

    def __init__(self, tool: str, arguments: Json) -> None:
        self.tool = tool
        self.arguments = arguments
        self.asked = False
        self.bodies: list[str] = []
        self.port = 0
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def result(self) -> str:
        """All that the client said after it was asked for the tool."""
        return "\n".join(self.bodies)

    def next_is_call(self, body: Json) -> bool:
        """Whether this request gets the call: the first that offers tools."""
        with self._lock:
            if self.asked:
                self.bodies.append(json.dumps(body))
                return False
            self.asked = bool(body.get("tools"))
            return self.asked


@contextmanager
def scripted_model(model: CanaryModel) -> Iterator[CanaryModel]:
    """Serve until the block is left."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            return

        def do_GET(self) -> None:
            self._send(404, "application/json", b'{"error": {"message": "nothing here"}}')

        def do_POST(self) -> None:
            size = int(self.headers.get("content-length") or 0)
            try:
                body = json.loads(self.rfile.read(size) or b"{}")
            except ValueError:
                body = {}
            path = self.path.split("?")[0]
            if path.endswith("/messages"):
                rows = _anthropic(model, body)
            elif path.endswith("/responses"):
                rows = _responses(model, body)
            elif "enerateContent" in path:
                rows = _gemini(model, body)
                if "stream" not in path:
                    self._send(200, "application/json", json.dumps(rows[-1]).encode())
                    return
            else:
                self._send(404, "application/json", b'{"error": {"message": "nothing here"}}')
                return
            self._send(200, "text/event-stream", b"".join(map(_event, rows)))

        def _send(self, code: int, kind: str, data: bytes) -> None:
            self.send_response(code)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    model.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()


def _event(row: Json) -> bytes:
    name = f"event: {row['type']}\n" if "type" in row else ""
    return f"{name}data: {json.dumps(row)}\n\n".encode()


def _anthropic(model: CanaryModel, body: Json) -> list[Json]:
    call = model.next_is_call(body)
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {
        "id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": body.get("model", "m"),
        "stop_reason": None, "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    if call:
        block: Json = {"type": "tool_use", "id": "toolu_1", "name": model.tool, "input": {}}
        delta: Json = {"type": "input_json_delta", "partial_json": json.dumps(model.arguments)}
    else:
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": "done"}
    stop = {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}
    return [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]


def _responses(model: CanaryModel, body: Json) -> list[Json]:
    if model.next_is_call(body):
        called = {"call_id": "call_1", "name": model.tool, "arguments": json.dumps(model.arguments)}
        item: Json = {"id": "i_1", "type": "function_call", "status": "completed", **called}
    else:
        part = {"type": "output_text", "text": "done", "annotations": []}
        item = {
            "id": "i_1",
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [part],
        }
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    base = {"id": "resp_1", "object": "response", "created_at": 1, "model": body.get("model", "m")}
    return [
        {"type": "response.created", "response": {**base, "status": "in_progress", "output": []}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {
            "type": "response.completed",
            "response": {**base, "status": "completed", "output": [item], "usage": usage},
        },
    ]


def _gemini(model: CanaryModel, body: Json) -> list[Json]:
    call = model.next_is_call(body)
    part = (
        {"functionCall": {"name": model.tool, "args": model.arguments}}
        if call
        else {"text": "done"}
    )
    candidate = {"content": {"role": "model", "parts": [part]}, "index": 0, "finishReason": "STOP"}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    return [{"candidates": [candidate], "usageMetadata": usage, "modelVersion": "m"}]
