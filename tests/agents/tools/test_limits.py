"""A rule that takes too long is told, and leaves what it and the others found."""

from __future__ import annotations

import json
import signal
import time

from builders import agent, call
from guildmoot.agents.parsing import changed_names
from guildmoot.agents.tools import code_changes
from guildmoot.agents.tools.limits import TimeLimits
from guildmoot.backends.outcome import timed_out


def _slow(*first: int):
    yield from first
    while True:
        time.sleep(0.01)


def test_one_look_ends_and_the_next_has_its_own_time() -> None:
    limits = TimeLimits(0.2, 9.0)
    assert list(limits.look("a", iter([1]))) == [1]
    assert list(limits.look("b", _slow(2, 3))) == [2, 3]
    assert list(limits.look("c", iter([4]))) == [4]
    assert limits.unfinished == ["b"]
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_together_they_have_an_end_as_well() -> None:
    limits = TimeLimits(5.0, 0.3)
    began = time.monotonic()
    assert [*limits.look("a", _slow(1)), *limits.look("b", _slow(2))] == [1]
    assert limits.unfinished == ["a", "b"]
    assert time.monotonic() - began < 3


def test_what_is_not_compared_is_told_beside_what_was_found(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(
        changed_names, "_RULES", {"eternities": lambda change: _slow(), **changed_names._RULES}
    )
    monkeypatch.setattr(code_changes, "_SECONDS_EACH", 0.5)
    base = {"a.go": "package a\n\nfunc F() int {\n\tx := 1\n\treturn x\n}\n"}
    now = {"a.go": base["a.go"].replace("\tx := 1\n", "")}
    for folder, files in ((tmp_path / "now", now), (tmp_path / "before/files", base)):
        folder.mkdir(parents=True)
        for name, text in files.items():
            (folder / name).write_text(text)
    told = {"root": str(tmp_path), "base": "", "changed": {"a.go": [[1, 9]]}, "touched": ["a.go"]}
    (tmp_path / "change.json").write_text(json.dumps({**told, "renamed": {"a.go": "a.go"}}))
    found = code_changes.find([str(tmp_path / "change.json")], str(tmp_path / "now"))
    assert [each.code for each in found] == ["undefined-name", "not-compared"]
    assert "eternities" in found[-1].message


def test_a_seat_of_ours_whose_time_is_up_names_no_file_of_the_installation() -> None:
    ours = call("tool", agent=agent("code-changes", origin="package", source="/lib/x/code.md"))
    assert "pass a longer --timeout" in timed_out(ours)
    theirs = call("tool", agent=agent("mine", origin="project", source=".guild/agents/mine.md"))
    assert ".guild/agents/mine.md" in timed_out(theirs)
