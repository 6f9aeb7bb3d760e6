"""A panel as the judge of a test, or of an evaluation: for pytest and for inspect_ai.

    from guildmoot.testing import assert_approved

    def test_the_templates_render_to_sound_code(tmp_path):
        render_to(tmp_path)
        assert_approved(tmp_path)

Both libraries are extras (``guildmoot[pytest]``, ``guildmoot[inspect]``) and neither is imported before it is needed.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from guildmoot.api.judge import validate
from guildmoot.config import Value
from guildmoot.errors import UsageError
from guildmoot.model.report import RunReport
from guildmoot.model.verdict import Finding
from guildmoot.packet import PacketRequest
from guildmoot.practices.panel import PanelRequest

NO_SETTINGS: Mapping[str, Value] = {}
_GRADES = {"approved": "C", "flagged": "I", "conflict": "I"}
"""inspect_ai's letters: correct and incorrect; without a verdict nothing is scored."""


def judge(
    *targets: str | os.PathLike[str],
    agents: Sequence[str] = (),
    settings: Mapping[str, Value] = NO_SETTINGS,
    ask: str = "",
    cwd: str | os.PathLike[str] = "",
) -> RunReport:
    """Put files or folders before a panel and wait for the report; nothing is recorded."""
    _outside_of_a_loop()
    words = [os.fspath(target) for target in targets] or ["."]
    place = Path(cwd or _folder_of(words)).absolute()
    with _repository(place, words) as (folder, named):
        packet = PacketRequest(targets=named, cwd=folder, ask=ask)
        request = PanelRequest(packet, tuple(agents), record=False, settings=dict(settings))
        return asyncio.run(validate(request))


def assert_approved(*targets: str | os.PathLike[str], **how: Any) -> RunReport:  # noqa: ANN401 - those of judge
    """Fail with the findings unless the panel approves; undecided is no approval either."""
    __tracebackhide__ = True
    report = judge(*targets, **how)
    if report.verdict != "approved":
        rows = [_told(finding) for finding in report.blocking] or list(report.header.reasons)
        raise AssertionError("\n".join([f"{report.outcome}:", *rows]))
    return report


def score_text(text: str, name: str = "answer.md", ask: str = "", **how: Any) -> RunReport:  # noqa: ANN401 - those of judge
    """The verdict on a text that lies nowhere yet, as a file of that name; an empty one is nothing to judge."""
    if name in ("", "..") or Path(name).name != name:
        raise UsageError(f"{name!r} is no name of a file", "Give one without folders: answer.py")
    if not text.strip():
        return RunReport.of_nothing("the text is empty", "There is nothing to approve.")
    with tempfile.TemporaryDirectory(prefix="guildmoot-score-") as folder:
        (Path(folder) / name).write_text(text, encoding="utf-8")
        return judge(name, cwd=folder, ask=ask, **how)


def panel_scorer(
    agents: Sequence[str] = (), name: str = "answer.md", settings: Mapping[str, Value] = NO_SETTINGS
) -> Any:  # noqa: ANN401 - inspect_ai's Scorer
    """A scorer of inspect_ai: the panel judges what the model answered, as a file called ``name``."""
    kit: Any = import_module("inspect_ai.scorer")

    def made() -> Any:  # noqa: ANN401 - an extra, whose types may not be here
        async def score(state: Any, target: Any) -> Any:  # noqa: ANN401
            report = await asyncio.to_thread(
                score_text, state.output.completion, name, state.input_text,
                agents=agents, settings=settings,
            )  # fmt: skip
            why = "\n".join([*map(_told, report.blocking), *report.header.reasons])
            grade = _GRADES.get(report.outcome, kit.NOANSWER)
            return kit.Score(value=grade, answer=state.output.completion, explanation=why)

        return score

    marked = kit.scorer(metrics=[kit.accuracy(), kit.stderr()], name="guild_panel")(made)
    return marked()


@contextmanager
def _repository(place: Path, words: Sequence[str]) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """The folder itself where git keeps it; else a repository for the moment with copies of the targets."""
    if any((above / ".git").exists() for above in (place, *place.parents)):
        yield place, tuple(words)
        return
    with tempfile.TemporaryDirectory(prefix="guildmoot-test-") as scratch:
        subprocess.run(["git", "init", "-q", scratch], check=True)
        for word in words:
            target = place / word
            if target.is_dir():
                shutil.copytree(target, scratch, dirs_exist_ok=True, symlinks=True)
            else:
                shutil.copy2(target, scratch, follow_symlinks=False)
        yield Path(scratch), (".",)


def _folder_of(words: Sequence[str]) -> str:
    """Where the first target lies: what is judged may be outside of the working folder."""
    first = Path(words[0])
    if not first.is_absolute():
        return "."
    return str(first if first.is_dir() else first.parent)


def _outside_of_a_loop() -> None:
    """What waits would stop an event loop, and asyncio refuses it in other words."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise UsageError(
        "this waits for the verdict, and an event loop runs here",
        "Await guildmoot.validate, or asyncio.to_thread(judge, ...).",
    )


def _told(finding: Finding) -> str:
    place = f"{finding.path}:{finding.line} " if finding.path else ""
    return f"  {place}{finding.code} {finding.title}".rstrip()
