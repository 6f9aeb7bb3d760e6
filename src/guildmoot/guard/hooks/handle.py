"""One event in, one reply out: decided, kept for undo where work is at stake, asked, answered, recorded.

What the host is told never depends on whether it could be recorded.
"""

from __future__ import annotations

from guildmoot.guard.hooks.events import POST, PRE, HookEvent, MalformedEvent, read_event
from guildmoot.guard.hooks.replies import CAN_ASK, NOTHING, HookReply, ask, deny, tell_model

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from guildmoot.guard.decision import Decision
    from guildmoot.guard.hooks.record import RunLog

CANARY = "guild-guard-canary"
"""Whatever names it is denied, so that a probe can see whether a host asks us."""
MOST_BYTES = 8_000_000
_CALL_EVENTS = (PRE, POST, "PostToolUseFailure", "PermissionDenied")
_STATUS = (
    "guild guard is on: a command that could lose work is kept first (guild undo brings it back); a refusal"
    " says what to do instead."
)
_SNAPSHOT_SECONDS = 20.0
_SESSION_SECONDS = 5.0
"""For what is told to a new session."""


def answer(
    raw: bytes,
    host: str,
    env: Mapping[str, str],
    settled: Callable[[HookReply], None] | None = None,
) -> HookReply:
    """What to say to the host. ``settled`` is told where something is to be written down after that."""
    told = settled or _nobody
    if len(raw) > MOST_BYTES:
        return _too_large(raw, host)
    try:
        event = read_event(raw, host, env)
    except MalformedEvent as wrong:
        if wrong.deep and is_before_call(raw):
            return deny("the call is nested too deeply to be read. Do it in a plainer way.")
        return _malformed(str(wrong), host, env, told)
    if event.name == PRE:
        return _before(event, told)
    if event.name in (POST, "PostToolUseFailure"):
        return _after(event, told)
    return _other(event, told)


def _nobody(_reply: HookReply) -> None:
    return None


def _too_large(raw: bytes, host: str) -> HookReply:
    if is_before_call(raw):
        return deny(
            f"the call is {len(raw):,} bytes, too large to be looked at. Do it in smaller pieces."
        )
    return NOTHING


def is_before_call(raw: bytes) -> bool:
    """Whether this looks like an event that comes before a call, even if it cannot be read."""
    head = raw[:100_000] + raw[-10_000:]
    return any(word in head for word in (b"PreToolUse", b"BeforeTool", b"preToolUse"))


def _malformed(
    why: str, host: str, env: Mapping[str, str], told: Callable[[HookReply], None]
) -> HookReply:
    """It never stops the host, except where a scope says what may happen: then nothing else may."""
    event = HookEvent({"hook_event_name": "", "cwd": env.get("PWD", "")}, host, env)
    scoped = _has_scope(event)
    reason = f"a scope is set and the event cannot be read: {why}. Nothing is allowed."
    reply = deny(reason) if scoped else NOTHING
    if event.run_place():
        told(reply)
    log = _run_log(event)
    if log:
        log.security("event_malformed", "deny" if scoped else "pass", why)
    return reply


def _has_scope(event: HookEvent) -> bool:
    if event.env.get("GUILD_CAPABILITY_SCOPE") is not None:
        return True
    log = _run_log(event)
    return bool(log and (log.folder / "scope").is_dir() and any((log.folder / "scope").iterdir()))


# Before a call.


def _before(event: HookEvent, told: Callable[[HookReply], None]) -> HookReply:
    from guildmoot.guard.hooks.judge import judge

    decision = _canary(event) or judge(event)
    if event.own_tool.startswith("mcp") and decision.action == "allow":
        from guildmoot.guard.hooks.pins import judge_pin

        decision = judge_pin(event) or decision
    left = ""
    if decision.action == "snapshot":
        decision, left = _kept(event, decision)
    elif decision.action == "ask" and decision.folders:
        _, left = _kept(event, decision)
        if left:
            decision.instead = f"{decision.instead} Meanwhile {left}.".strip()
    if decision.action == "allow":
        if event.run_place():
            told(NOTHING)
            _recorded(event, decision, left)
        return NOTHING
    return _held(event, decision, told)


def _canary(event: HookEvent) -> Decision | None:
    """What is denied by name alone: the canary of a probe, and the key that proves a person's answers."""
    texts = [value for value in event.tool_input.values() if isinstance(value, str)]
    canary = any(CANARY in text for text in texts)
    if not canary and not any("guildmoot" in text and "nonce-key" in text for text in texts):
        return None
    from guildmoot.guard.decision import Decision

    if canary:
        return Decision("deny", "canary", "the canary was seen: this surface is covered")
    return Decision(
        "deny", "guard-key", "names the guard's own key", "Nothing in a project needs that file."
    )


def _kept(event: HookEvent, decision: Decision) -> tuple[Decision, str]:
    """Take the snapshots that the decision asks for; what cannot be kept is not run unasked."""
    import os

    from guildmoot.guard.decision import Decision

    files = decision.code in ("overwrite", "discard-inside") and decision.named
    if files and len(decision.folders) == 1:
        from guildmoot.guard.commands.words import has_marks
        from guildmoot.guard.undo.saved import changed_below, is_committed
        from guildmoot.guard.undo.small import keep_files

        top, paths = decision.folders[0], decision.paths
        unclear = any(map(has_marks, paths))
        below = changed_below(top, paths) if unclear and decision.code == "overwrite" else None
        if below == () or (not unclear and is_committed(top, paths)):
            return Decision("allow", decision.code, decision.reason, "", decision.part), ""

        first = event.command.partition(" ")[0]  # no more of it: the rest may hold a key
        program = first if first.isalpha() and len(first) < 20 else event.own_tool
        name = keep_files(top, below or paths, program)
        if name and decision.then == "allow":
            kept = f"kept as {name}; `guild undo restore` brings it back"
            return Decision("allow", decision.code, decision.reason, "", decision.part), kept
    from pathlib import Path

    from guildmoot.errors import GuildmootError, TargetError
    from guildmoot.guard.hooks.entry import extend_deadline
    from guildmoot.guard.scrub import Scrubber
    from guildmoot.guard.undo.snapshot import take_snapshot
    from guildmoot.guard.undo.unsaved import is_unsaved

    extend_deadline(_SNAPSHOT_SECONDS)
    why = Scrubber().text(event.command or event.own_tool).text[:300]
    ignored = any(
        path in decision.folders for path in decision.paths
    )  # all of a tree, as with clean -x
    names: list[str] = []
    missing: list[str] = []
    changed = 0
    for folder in decision.folders or (event.cwd,):
        if not os.path.isdir(folder):
            continue
        if files and not is_unsaved(Path(folder), decision.paths):
            continue
        try:
            taken = take_snapshot(Path(folder), why, ignored=ignored, also=decision.paths)
        except TargetError as wrong:
            return Decision("deny", "no-undo", wrong.message, wrong.hint, decision.part), ""
        except GuildmootError as wrong:
            return Decision("deny", "no-snapshot", wrong.message, wrong.hint, decision.part), ""
        names.append(taken.id if folder == event.cwd else f"{taken.id} (of {folder})")
        missing += taken.left_out
        changed += taken.changed
    kept = f"kept as {', '.join(names)}; `guild undo restore` brings it back" if names else ""
    if missing:
        shown = ", ".join(missing[:3]) + (f" and {len(missing) - 3} more" if missing[3:] else "")
        reason = f"{decision.reason}, and {shown} cannot be kept first"
        rest = f"The rest is {kept}" if kept else ""
        return Decision("ask", decision.code, reason, rest, decision.part), kept
    if decision.then == "ask" and changed:
        return Decision("ask", decision.code, decision.reason, kept, decision.part), kept
    return Decision(
        "allow", decision.code, decision.reason, "", decision.part
    ), kept if changed else ""


def _held(event: HookEvent, decision: Decision, told: Callable[[HookReply], None]) -> HookReply:
    """A person's word lets it pass; else it is asked for or denied."""
    if decision.code == "canary":
        return deny(decision.sentence)
    if _may_be_granted(event):
        from guildmoot.guard.hooks import approvals

        word = approvals.granted(event)
        if word:
            told(NOTHING)
            _log(event, "allow", decision, override=word.id)
            return NOTHING
    asked = decision.action == "ask"
    seconds = _seconds_to_wait(event) if asked else 0.0
    if seconds:
        return _wait(event, decision, seconds)
    name = event.question
    if asked and event.host in CAN_ASK:
        reply = ask(event, f"{decision.sentence} (In the inbox: guild approvals approve {name})")
    elif asked:
        reply = deny(
            f"{decision.sentence} A person must allow it: guild approvals approve {name}. Then try it again."
        )
    else:
        reply = deny(f"{decision.sentence} (A person can allow it: guild approvals approve {name})")
    told(reply)
    _open(event, decision)
    _log(event, decision.action, decision)
    return reply


def _may_be_granted(event: HookEvent) -> bool:
    """A quick look: most calls were never asked for."""
    import os

    from guildmoot.guard.hooks.places import guard_folder

    try:
        with open(os.path.join(guard_folder(event.env), "approvals.jsonl"), "rb") as file:
            kept = file.read()
    except OSError:
        return False
    return b'"approved"' in kept and event.digest.encode() in kept


def _open(event: HookEvent, decision: Decision) -> None:
    from guildmoot.guard.hooks import approvals
    from guildmoot.guard.scrub import Scrubber

    call = Scrubber().text(event.command or str(dict(event.tool_input))[:4000]).text
    approvals.open_question(event, decision.action, decision.code, decision.sentence, call)


def _log(event: HookEvent, action: str, decision: Decision, override: str = "") -> None:
    from guildmoot.guard.decision import Decision
    from guildmoot.guard.hooks.ledger import log_decision

    log_decision(event, action, decision, override=override)
    if override:
        decision = Decision("allow", decision.code, decision.reason, "", decision.part)
    _recorded(event, decision, "", override)


def _seconds_to_wait(event: HookEvent) -> float:
    try:
        return max(0.0, min(float(event.env.get("GUILD_GUARD_WAIT", "") or 0), 540.0))
    except ValueError:
        return 0.0


def _wait(event: HookEvent, decision: Decision, seconds: float) -> HookReply:
    """The call waits for an answer in the inbox, as long as the user said."""
    from guildmoot.guard.hooks import approvals
    from guildmoot.guard.hooks.entry import extend_deadline

    extend_deadline(seconds + 5)
    _open(event, decision)
    _log(event, "ask", decision)
    state = approvals.wait_for_answer(event.env, event.question, seconds)
    if state == "approved" and approvals.granted(event):
        return NOTHING
    said = "A person said no." if state == "denied" else "Nobody answered in time."
    return deny(f"{decision.sentence} ({said})")


# After a call, and all the rest.


def _after(event: HookEvent, told: Callable[[HookReply], None]) -> HookReply:
    from guildmoot.guard.hooks.output import scrubbed_output

    reply = scrubbed_output(event)
    asked = bool(event.text("tool_use_id")) and _was_asked(event)
    if asked or event.run_place():
        told(reply)
    if asked:
        from guildmoot.guard.hooks import approvals

        approvals.seen_answer(event, "approved")
    log = _run_log(event)
    if log:
        from guildmoot.guard.hooks.record import is_ok

        ok = is_ok(event)
        ms = log.ended(ok=ok)
        log.event(ok=ok, ms=ms)
        if reply.stdout:
            log.security("secret_in_output", "degraded", "masked before the model saw it")
    return reply


def _was_asked(event: HookEvent) -> bool:
    import os

    from guildmoot.guard.hooks.places import guard_folder

    return os.path.isdir(os.path.join(guard_folder(event.env), "asked"))


def _other(event: HookEvent, told: Callable[[HookReply], None]) -> HookReply:
    reply, pages = NOTHING, tuple[str, ...]()
    if event.name == "ConfigChange":
        from guildmoot.guard.hooks.changes import judge_change

        reply = judge_change(event)
    if event.name == "SessionStart" and event.host in ("claude", "gemini"):
        text, pages = _session(event)
        reply = tell_model(event, f"{_STATUS}\n{text}" if text else _STATUS)
    asked = event.name == "PermissionDenied" and _was_asked(event)
    if asked or event.run_place():
        told(reply)
    if asked:
        from guildmoot.guard.hooks import approvals

        approvals.seen_answer(event, "denied")
    log = _run_log(event)
    if log:
        log.event(ok=True)
        log.hook(pages)
    return reply


def _session(event: HookEvent) -> tuple[str, tuple[str, ...]]:
    """What the project's memory and work have to say to a new session, and which pages that is of.

    The rooms that know it stand above this one and are loaded by name, and only where there is a ``.guild``.
    """
    import os

    at = os.path.abspath(event.project or ".")
    while not os.path.isdir(os.path.join(at, ".guild")):
        at, below = os.path.dirname(at), at
        if at == below:
            return "", ()
    from importlib import import_module

    from guildmoot.guard.hooks.entry import extend_deadline

    extend_deadline(_SESSION_SECONDS)
    try:
        told = import_module("guildmoot.api.session").session_context(event, at)
    except Exception:  # noqa: BLE001 - whatever is wrong with a memory, the session starts
        return "", ()
    return told.text, told.pages


def _run_log(event: HookEvent) -> RunLog | None:
    if not event.run_place():
        return None
    from guildmoot.guard.hooks.record import find_run

    return find_run(event)


def _recorded(event: HookEvent, decision: Decision, kept: str, override: str = "") -> None:
    log = _run_log(event)
    if not log:
        return
    log.began()
    log.event(ok=decision.action == "allow")
    scoped = decision.code.startswith("scope")
    if override:
        detail = f"{decision.sentence} (allowed by approval {override})"
        log.security("bypass_permission_allowed", "allow", detail, decision.code)
    elif decision.code.startswith("mcp-pin"):
        log.security("mcp_description_mismatch", "ask", decision.sentence, decision.code)
    elif decision.action == "deny":
        kind = "capability_scope_violation" if scoped else "command_denied"
        log.security(kind, "deny", decision.sentence, decision.code)
    elif decision.action == "ask":
        log.security("command_asked", "ask", decision.sentence, decision.code)
    if kept:
        log.security("snapshot_taken", "pass", kept, decision.code)
