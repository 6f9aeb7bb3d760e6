"""What a finding brings along to prove itself: its patch is tried, its assertions are run if allowed.

An assertion is a command that comes from a judge, so it is hostile: it is split without a shell, its
program must be on the allow-list by its plain name, and it runs in a throw-away copy of the packet with
a scrubbed environment, in a process group that is killed when its time is up.
"""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from collections.abc import Collection
from pathlib import Path
from typing import Literal

from guildmoot.grounding.patches import PatchSandbox
from guildmoot.model.verdict import Assertion, Finding
from guildmoot.named import NamedTuple
from guildmoot.system.process import run_blocking
from guildmoot.system.search import search_path

_MAX_OUTPUT = 1_000_000
_KEPT = ("LANG", "LC_ALL", "TMPDIR")


class AssertionResult(NamedTuple):
    """What became of one assertion."""

    status: Literal["held", "failed", "refused", "timeout"]
    detail: str = ""


def check_patch(finding: Finding, bench: PatchSandbox) -> Finding:
    """A patch that does not apply, or breaks the file it mends, is taken off and said so."""
    if not finding.patch:
        return finding
    applies, reason = bench.applies(finding.patch)
    if applies:
        applies, reason = bench.still_parses(finding.patch)
    return (
        finding
        if applies
        else _noted(finding._replace(patch=""), f"its patch was refused: {reason}")
    )


def check_assertions(
    finding: Finding, folder: Path, allowed: Collection[str], timeout: float
) -> Finding:
    """A finding whose own assertion fails cannot block alone; one whose assertions hold is proven."""
    if not finding.assertions or not allowed:
        return finding
    checked = [check_assertion(a, folder, allowed, timeout) for a in finding.assertions]
    failed = [c.detail for c in checked if c.status in ("failed", "timeout")]
    if failed:
        doubted = finding._replace(blocking=finding.blocking and finding.proven)
        return _noted(doubted, f"its own assertion does not hold: {failed[0]}")
    held = sum(c.status == "held" for c in checked)
    if held == len(checked):
        return _noted(finding._replace(proven=True), f"{held} assertions hold")
    return _noted(finding, f"{len(checked) - held} of {len(checked)} assertions were refused")


def check_assertion(
    assertion: Assertion, folder: Path, allowed: Collection[str], timeout: float
) -> AssertionResult:
    """Run one assertion on a copy of ``folder``; what is not allowed is refused, never run."""
    try:
        argv = shlex.split(assertion.command)
    except ValueError as error:
        return AssertionResult("refused", f"not a command: {str(error).lower()}")
    refusal = _refusal(argv, allowed)
    if refusal:
        return AssertionResult("refused", refusal)
    with tempfile.TemporaryDirectory(prefix="guildmoot-assert-") as scratch:
        copy = Path(scratch) / "files"
        shutil.copytree(folder, copy, symlinks=True)
        return _run(argv, copy, assertion.expected, timeout)


def _refusal(argv: list[str], allowed: Collection[str]) -> str:
    if not argv:
        return "an empty command"
    if argv[0] not in allowed or os.sep in argv[0]:
        return f"{argv[0]} is not in grounding.allow"
    outside = [word for word in argv[1:] if word.startswith("/") or ".." in word.split(os.sep)]
    return f"{outside[0]} leads out of the packet" if outside else ""


def _run(argv: list[str], cwd: Path, expected: str, timeout: float) -> AssertionResult:
    env = {name: os.environ[name] for name in _KEPT if name in os.environ} | {
        "HOME": str(cwd),
        "PATH": search_path(),
    }
    done = run_blocking(argv, cwd=str(cwd), env=env, timeout=timeout, max_output=_MAX_OUTPUT)
    if done.status == "timeout":
        return AssertionResult("timeout", f"no answer within {timeout:g} s")
    if done.exit_code is None:
        return AssertionResult("refused", done.error)
    return _judge(done.exit_code, done.stdout.decode("utf-8", "replace"), expected)


def _judge(code: int, output: str, expected: str) -> AssertionResult:
    if expected:
        held = expected.strip() in output
        return AssertionResult(
            "held" if held else "failed", "" if held else f"did not print {expected!r}"
        )
    return AssertionResult("held") if code == 0 else AssertionResult("failed", f"exit code {code}")


def _noted(finding: Finding, note: str) -> Finding:
    return finding._replace(note="; ".join(filter(None, (finding.note, note))))
