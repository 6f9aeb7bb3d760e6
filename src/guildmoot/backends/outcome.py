"""What the end of a program means for its seat: pure functions from a process result to a reply."""

from __future__ import annotations

import signal

from guildmoot.backends.programs import agent_programs, not_found, told_program
from guildmoot.model.agent import Agent
from guildmoot.model.call import Call, Reply
from guildmoot.system.process import ProcessResult

NOT_THERE = 127
"""What our adapter ends with when the tool behind it is not installed."""
_TAIL_LINES = 12
_TAIL_CHARACTERS = 2000


def reply_from(call: Call, result: ProcessResult, accepted: frozenset[int]) -> Reply:
    """The seat's reply: answered only when the program ended by itself with an accepted code."""
    reply = Reply(
        seat=call.seat.name,
        status="failed",
        text=decode(result.stdout),
        exit_code=result.exit_code,
        seconds=result.seconds,
    )
    if result.status == "exited" and result.exit_code in accepted:
        return reply._replace(status="answered", error=decode(result.stderr))
    if result.status == "timeout":
        return reply._replace(status="timeout", error=_with_tail(timed_out(call), result))
    if result.status == "missing":
        return reply._replace(status="missing", error=result.error)
    if result.exit_code == NOT_THERE and len(agent_programs(call.agent)) > 1:
        return reply._replace(status="missing", error=not_found(call.agent))
    return reply._replace(error=_with_tail(_why_failed(call.agent, result), result))


def accepted_codes(agent: Agent) -> frozenset[int]:
    """Exit codes of a tool that did its work; without a table 0 is clean and 1 is findings."""
    if not agent.exit_codes:
        return frozenset({0, 1})
    return frozenset(code for code, meaning in agent.exit_codes if meaning != "error")


def timed_out(call: Call) -> str:
    """The message for a seat whose own deadline passed."""
    filed = call.agent.source not in ("", "built in") and call.agent.origin != "package"
    longer = (
        f"set a longer `timeout` in {call.agent.source}" if filed else "pass a longer --timeout"
    )
    return f"no answer within {call.timeout:g} s, so it was ended; {longer} if it needs one"


def decode(output: bytes) -> str:
    """Output as text; a byte that is not UTF-8 is shown as ``\\xNN`` rather than lost."""
    return output.decode("utf-8", errors="backslashreplace")


def _why_failed(agent: Agent, result: ProcessResult) -> str:
    program = told_program(agent)
    if result.status == "unstartable":
        return result.error
    if result.status == "overflow":
        return f"{program} wrote more than may be kept ({len(result.stdout):,} bytes were)"
    code = result.exit_code
    if code is None:
        return f"{program} was told to end and did not"
    if code < 0:
        return f"{program} was ended by {_signal_name(-code)}"
    return f"{program} failed with exit code {code}"


def _with_tail(reason: str, result: ProcessResult) -> str:
    """The reason, then the last lines of what the program complained of."""
    tail = _tail(result.stderr) or _tail(result.stdout)
    return f"{reason}: {tail}" if tail else reason


def _tail(output: bytes) -> str:
    lines = decode(output[-4 * _TAIL_CHARACTERS :]).strip().splitlines()
    return "\n".join(lines[-_TAIL_LINES:])[-_TAIL_CHARACTERS:]


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal has no name
        return f"signal {number}"
