"""What is said back to a host, by its own contract.

A denial is exit 2 with one line on standard error, for every host understands that; JSON is used only to ask
and to change what the model sees. Where a host cannot ask, asking is a denial that names the inbox.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guildmoot.guard.hooks.events import HookEvent

CAN_ASK = frozenset(("claude",))
_MOST = 1_500
"""Letters of one reason."""


class HookReply:
    """What the process prints and how it ends."""

    __slots__ = ("code", "stderr", "stdout")

    def __init__(self, code: int = 0, stdout: str = "", stderr: str = "") -> None:
        self.code = code
        self.stdout = stdout
        self.stderr = stderr

    def __repr__(self) -> str:
        return f"<{self.code} {self.stdout!r} {self.stderr!r}>"


NOTHING = HookReply()
"""No opinion: the host goes on as it would without us."""


def deny(reason: str) -> HookReply:
    """The call does not happen; the model is told why."""
    return HookReply(2, "", f"{_line('guild guard: ' + reason)}\n")


def ask(event: HookEvent, reason: str) -> HookReply:
    """A person decides, in the host's own way; only for hosts that can."""
    return _specific(
        event,
        {
            "permissionDecision": "ask",
            "permissionDecisionReason": _line(f"guild guard: {reason}"),
        },
    )


def tell_model(event: HookEvent, text: str) -> HookReply:
    """Something that the model reads beside its input."""
    return _specific(event, {"additionalContext": text})


def replace_output(event: HookEvent, output: object, note: str) -> HookReply:
    """The model sees this in place of what the tool gave."""
    if event.host == "gemini":
        import json

        text = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)
        body = {"decision": "deny", "reason": text}
        return HookReply(0, json.dumps(body, ensure_ascii=False) + "\n")
    return _specific(event, {"updatedToolOutput": output, "additionalContext": note})


def can_replace(event: HookEvent) -> bool:
    """Whether the host lets a hook change what the model sees; Codex does not."""
    return event.host in ("claude", "gemini")


def _specific(event: HookEvent, fields: dict[str, object]) -> HookReply:
    import json

    body = {"hookSpecificOutput": {"hookEventName": event.own_name, **fields}}
    return HookReply(0, json.dumps(body, ensure_ascii=False) + "\n")


def _line(text: str) -> str:
    """One line without control characters, so that no terminal and no model is spoken to by a command."""
    plain = "".join(char if char.isprintable() else " " for char in text)
    short = " ".join(plain.split())
    return short if len(short) <= _MOST else short[: _MOST - 1] + "…"
