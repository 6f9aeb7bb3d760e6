"""Where a unit of paired work is proven: a copy in a clone. The person's own files stay as they are until it is."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from guildmoot.calls import Watch
from guildmoot.loops.paired.pairing import InteractiveRequest, PairTools
from guildmoot.loops.transform import plain_findings
from guildmoot.loops.trial import on_trial, refuse_dirty
from guildmoot.loops.values import Held, HeldFile, LoopStop
from guildmoot.loops.workshop import Workshop, copies_of, dirty_paths, git
from guildmoot.system.files import read_own, write_atomic

if TYPE_CHECKING:
    from guildmoot.loops.paired.signals import WorkContract
    from guildmoot.loops.phase import PhasePlace
    from guildmoot.loops.values import CommandResult
    from guildmoot.model.verdict import Finding

FORK = "FORK:"
"""A command that cannot go on alone ends with exit code 3 and a last line ``FORK: question | proposal``."""


class Bench:
    """The clone of one phase, and the way from the checkout to it and back."""

    def __init__(
        self, request: InteractiveRequest, place: PhasePlace, tools: PairTools, verify: Sequence[str]
    ) -> None:  # fmt: skip
        self._request, self._place, self._tools, self._verify = request, place, tools, verify
        self.shop = Workshop(
            request.root,
            f"{place.key}-paired",
            tools.loop.stopped,
            copies_of(request.root, request.copies),
        )
        self.watch = Watch()
        self.findings: Sequence[Finding] = ()
        self._held: Held = {}
        self._answer = request.decision
        self._journal = request.root / ".guild" / "loops" / "paired-landing.json"

    def touched(self) -> list[str]:
        """What the person changed, the project's own records apart."""
        own = f"{self._place.inner}/"
        return [path for path in dirty_paths(self._request.root) if not path.startswith(own)]

    def verify_clean(self) -> list[CommandResult]:
        """The verification on a clean checkout of where the branch is."""
        self.shop.open(git(self._request.root, "rev-parse", "HEAD").strip())
        results = self._run_checks()
        self.shop.reset()
        return results

    def take(self) -> tuple[list[str], list[CommandResult]]:
        """Copy the person's work into the clone and verify it there."""
        root = self._request.root
        paths = _files(root, self.touched())
        self._refuse_links(root, paths)
        self._held = _read(root, paths)
        return self._prove(paths)

    def employ(self, contract: WorkContract, attempt: int) -> tuple[list[str], list[CommandResult]]:
        """Have the command do the work in the clone, or mend it; then verify."""
        decision = ""
        mends = bool(attempt and self._request.fixer)
        command = self._request.fixer if mends else self._request.implementer
        for _ in range(6):
            self._open()
            self.shop.put(self._held)
            result = self._start(command, contract, decision)
            refuse_dirty(self.touched(), command, self._request.command)
            question, proposal = _fork_of(result)
            if not question:
                break
            decision = self._decide(question, proposal)
        if question:
            raise LoopStop("escalated", f"the same fork again and again: {question}", "decide it")
        if not self.shop.is_whole():
            raise LoopStop(
                "gated", "the implementer touched git: it may change files alone", _AGAIN
            )
        paths = self.shop.changed()
        inside = [path for path in paths if path.startswith(f"{self._place.inner}/")]
        if inside:
            told = f"the implementer changed the project's records: {inside[0]}"
            raise LoopStop("gated", told, _AGAIN)
        self._refuse_links(self.shop.folder, paths)
        self._tools.loop.admit(paths)
        if not result.passed or not paths:
            why = f"ended with exit code {result.code}" if not result.passed else "changed nothing"
            said = " ".join(result.output.split())[-200:]
            # Its words are evidence; what is done next is never theirs to say.
            told = f"the implementer {why}" + (f"; it said: {said}" if said else "")
            raise LoopStop("gated", told, _AGAIN)
        self._held = self.shop.keep(paths)
        return self._prove(paths)

    def settle(self) -> None:
        """The clone as it was judged, without what verifying left behind."""
        self.shop.put(self._held)

    def keep_work(self) -> str:
        """Write what the last round made as a patch beside the loop's own files; where it is."""
        self.shop.put(self._held)
        git(self.shop.folder, "add", "-A", "--", *self._held)
        text = git(self.shop.folder, "diff", "--cached", "--binary", self.shop.base)
        place = self.shop.folder.with_suffix(".patch")
        write_atomic(place, text.encode("utf-8", "surrogateescape"))
        return str(place.relative_to(self._request.root))

    def land(self, commit: str, paths: Sequence[str]) -> None:
        """Move the branch to a proven commit; the person's files are those of the commit already."""
        if self._request.implementer:
            self.shop.land(commit, self._place.branch)
        else:
            root = self._request.root
            if _read(root, paths) != self._held:
                raise LoopStop(
                    "gated", "files changed while they were judged: nothing landed",
                    f"{self._request.command} --done",
                )  # fmt: skip
            words = ("fetch", "-q", "--no-tags", "--no-write-fetch-head", str(self.shop.folder))
            git(root, *words, commit)
            before = git(root, "rev-parse", "HEAD").strip()
            self._journal.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(self._journal, json.dumps({"to": commit}).encode())
            git(root, "update-ref", f"refs/heads/{self._place.branch}", commit, before)
            self.mend_landing()
        self._held, self.findings = {}, ()

    def mend_landing(self) -> None:
        """Finish a landing: the index and the records follow the branch, the person's files stay."""
        try:
            target = str(json.loads(read_own(self._journal))["to"])
        except (OSError, ValueError, KeyError, TypeError):
            return
        root = self._request.root
        if git(root, "rev-parse", "HEAD").strip() == target:
            git(root, "reset", "-q")
            missing = git(root, "diff", "--name-only", "-z", "--diff-filter=D").split("\0")
            records = git(root, "ls-files", "-z", "--", str(self._place.inner)).split("\0")
            wanted = [path for path in {*filter(None, missing), *filter(None, records)}
                      if path.startswith("projects/")]  # fmt: skip
            if wanted:
                git(root, "checkout", "-q", "--", *sorted(wanted))
        self._journal.unlink(missing_ok=True)

    # Parts.

    def _open(self) -> None:
        head = git(self._request.root, "rev-parse", "HEAD").strip()
        if not self.shop.folder.exists() or self.shop.base != head:
            self.shop.open(head)

    def _prove(self, paths: list[str]) -> tuple[list[str], list[CommandResult]]:
        self._open()
        self.shop.put(self._held)
        results = self._run_checks()
        self.shop.put(self._held)
        return paths, results

    def _run_checks(self) -> list[CommandResult]:
        results: list[CommandResult] = []
        with on_trial(self.shop) as check_looked:
            for command in self._verify:
                self.shop.check_stopped()
                results.append(self.shop.run(command, self._request.timeout))
                check_looked(command)
                if not results[-1].passed:
                    break
        return results

    def _start(self, command: str, contract: WorkContract, decision: str) -> CommandResult:
        place = self.shop.folder.with_suffix(".contract.json")
        told = {
            **contract._asdict(),
            "findings": plain_findings(self.findings),
            "decision": decision,
        }
        place.write_text(json.dumps(told, ensure_ascii=False), encoding="utf-8")
        findings = self.shop.folder.with_suffix(".findings.json")
        findings.write_text(json.dumps(told["findings"], ensure_ascii=False), encoding="utf-8")
        try:
            more = {
                "GUILD_CONTRACT": str(place), "GUILD_DECISION": decision, "GUILD_FINDINGS": str(findings)
            }  # fmt: skip
            return self.shop.run(command, self._request.timeout, contract.inputs, **more)
        finally:
            place.unlink(missing_ok=True)
            findings.unlink(missing_ok=True)

    def _decide(self, question: str, proposal: str) -> str:
        if self._answer:  # it answers one question, not every one that comes
            answer, self._answer = self._answer, ""
            return answer
        if self._tools.fork is not None:
            return self._tools.fork.settle(question, proposal)
        said = self._tools.ask_text(f"{question} [{proposal}]")
        if said is None:
            raise LoopStop(
                "gated", f"a person must decide: {question}", f"{self._request.command} --decision '...'"
            )  # fmt: skip
        return said.strip() or proposal

    def _refuse_links(self, folder: Path, paths: Sequence[str]) -> None:
        here = os.path.realpath(folder)
        for path in paths:
            place = folder / path
            if place.is_symlink() and not os.path.realpath(place).startswith(here + os.sep):
                raise LoopStop("gated", f"{path} is a link out of the tree", "take it away")


_AGAIN = "look at the command, then run the loop again"


def _fork_of(result: CommandResult) -> tuple[str, str]:
    lines = result.output.strip().splitlines()
    if result.code != 3 or not lines or not lines[-1].startswith(FORK):
        return "", ""
    question, _, proposal = lines[-1].removeprefix(FORK).partition("|")
    return question.strip(), proposal.strip()


def _files(root: Path, paths: Sequence[str]) -> list[str]:
    """Single files: git names a new folder as one."""
    found = []
    for path in paths:
        if path.endswith("/"):
            listed = git(root, "ls-files", "--others", "--exclude-standard", "-z", "--", path)
            found += [name for name in listed.split("\0") if name]
        else:
            found.append(path)
    return sorted(found)


def _read(root: Path, paths: Sequence[str]) -> Held:
    held: Held = {}
    for path in paths:
        place = root / path
        if place.is_file():
            held[path] = HeldFile(place.read_bytes(), os.access(place, os.X_OK))
        else:
            held[path] = None
    return held
