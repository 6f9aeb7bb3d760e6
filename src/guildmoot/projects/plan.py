"""Reads PLAN.md: phases with goal, exit criteria and dependencies, milestones, and what is amiss. Pure."""

from __future__ import annotations

import re

from guildmoot.projects.errors import RecordError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guildmoot.projects.manifest import Record

_HEADING = re.compile(r"(#{1,6})\s+(.*)\Z")
_MILESTONE = r"#{2,4}\s+(M\d+)\s*[—–-]\s*(.+?)\s*\Z"
_PHASE = re.compile(r"#{2,4}\s+Phase\s+(\d[\d.]*)\s*[—–:-]\s*(.+?)\s*\Z")
_LABEL = re.compile(
    r"\*\*(Goal|Deliverable|Exit|Output|Verification|Depends on|Plan)(?: \([^)]*\))?"
    r"(?:\*\*[ \t]*:|:\*\*)[ \t]*(.*)\Z"
)
_BULLET = re.compile(r"\s*(?:[-*]|\d+[.)])\s+(.*\S)\s*\Z")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ID = r"\d+(?:\.\d+)*"
_TO = r"(?:\s*[—–-]\s*|\s+(?:to|through|until)\s+)"
_NEXT = rf"(?:\s*[,;&+/]\s*|\s+and\s+|\s+or\s+|\s*,\s*and\s+|{_TO})"
_DEPENDENCY = rf"(?<![\w.])({_ID})(?:{_TO}(?:Phases?\s+)?({_ID})(?![\w.]))?"
_LIST = rf"(?i)\bPhases?\s+{_ID}(?:{_NEXT}(?:Phases?\s+)?{_ID})*"
_BARE_LIST = rf"{_ID}(?:{_NEXT}{_ID})*\Z"
_GOALS = ("Goal", "Deliverable")
_EXITS = ("Exit", "Output", "Verification")
_NESTED = 4  # brackets within brackets that are read
_WIDEST = 1000  # phases that a range may name


def parse_plan(text: str) -> Record:
    """``{"plan": ..., "diagnostics": [...]}``; RecordError ``plan-no-headings`` for text without any."""
    reader = _Reader(text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"))
    reader.read()
    if not reader.headings:
        raise RecordError(
            "plan-no-headings", "the plan has no heading; begin phases with '## Phase 1 — Name'"
        )
    plan: Record = {"phases": reader.phases}
    plan["phasesById"] = {phase["id"]: phase for phase in reader.phases}
    if reader.milestones:
        plan["milestones"] = reader.milestones
    if reader.strategy:
        plan["loopStrategy"] = reader.strategy
    if reader.override:
        plan["plan"] = reader.override
    return {"plan": plan, "diagnostics": reader.diagnostics()}


class _Reader:
    """Goes through the lines once."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self.phases: list[Record] = []
        self.milestones: list[Record] = []
        self.strategy = self.override = ""
        self.headings = 0
        self._starts: list[int] = []
        self._depends_lines: list[int] = []
        self._phase: Record | None = None
        self._milestone: Record | None = None

    def read(self) -> None:
        fence, at = "", 0
        while at < len(self._lines):
            line = self._lines[at]
            fence, inside = _fence_after(fence, line)
            if inside or not line.startswith(("#", "**")):
                at += 1
            elif heading := _HEADING.match(line):
                at = self._heading(at, len(heading.group(1)), heading.group(2))
            elif label := _LABEL.match(line):
                at = self._label(at, label.group(1), label.group(2).strip())
            else:
                at += 1

    def _heading(self, at: int, depth: int, title: str) -> int:
        self.headings += 1
        line = self._lines[at]
        if title.startswith("M") and (found := re.match(_MILESTONE, line)):
            self._phase = None
            self._milestone = {"id": found.group(1), "name": found.group(2), "phases": []}
            self.milestones.append(self._milestone)
        elif found := _PHASE.match(line):
            self._begin(at, found.group(1).rstrip("."), found.group(2))
        elif title.startswith("Loop strategy"):
            self._phase = self._milestone = None if depth <= 2 else self._milestone
            return self._read_strategy(at + 1)
        elif depth <= 2:
            self._phase = self._milestone = None
        return at + 1

    def _begin(self, at: int, number: str, name: str) -> None:
        phase: Record = {"id": number, "name": name, "exitCriteria": [], "dependsOn": []}
        if self._milestone is not None:
            phase["milestone"] = {key: self._milestone[key] for key in ("id", "name")}
            self._milestone["phases"].append(phase)
        self._phase = phase
        self.phases.append(phase)
        self._starts.append(at + 1)
        self._depends_lines.append(0)

    def _read_strategy(self, at: int) -> int:
        start = at
        fence, inside = "", False
        while at < len(self._lines):
            fence, inside = _fence_after(fence, self._lines[at])
            if not inside and _HEADING.match(self._lines[at]):
                break
            at += 1
        self.strategy = "\n".join(self._lines[start:at]).strip()
        return at

    def _label(self, at: int, label: str, rest: str) -> int:
        phase = self._phase
        if phase is None:
            if label == "Plan" and rest:
                self.override = rest
            return at + 1
        if label in _GOALS:
            phase["goal"] = rest
        elif label == "Plan":
            phase["plan"] = rest
        elif label == "Depends on":
            bullets, after = ([], at + 1) if rest else self._bullets(at + 1, rest)
            named = [each for line in (rest, *bullets) for each in read_dependencies(line)]
            phase["dependsOn"] = list(dict.fromkeys(named))
            self._depends_lines[-1] = at + 1
            return after
        else:
            bullets, after = self._bullets(at + 1, rest)
            phase["exitCriteria"] = [rest, *bullets] if rest else bullets
            return after
        return at + 1

    def _bullets(self, at: int, rest: str) -> tuple[list[str], int]:
        """The list that follows; where nothing stands beside the label, a blank line may come first."""
        start = at
        if not rest:
            while at < len(self._lines) and not self._lines[at].strip():
                at += 1
        found = []
        while at < len(self._lines) and (bullet := _BULLET.match(self._lines[at])):
            found.append(bullet.group(1))
            at += 1
        return found, at if found else start

    def diagnostics(self) -> list[Record]:
        """What a person should mend, in the order of the lines."""
        if not self.phases:
            message = "plan has headings but no `Phase N — Name` headings were found"
            return [_diagnostic("plan-no-phases-found", 0, "structural", message)]
        known: dict[str, int] = {}
        found: list[Record] = []
        ids = {phase["id"] for phase in self.phases}
        for phase, start, line in zip(self.phases, self._starts, self._depends_lines, strict=True):
            number = phase["id"]
            if number in known:
                message = f"phase {number} is there already, in line {known[number]}"
                found.append(_diagnostic("plan-duplicate-phase", start, "structural", message))
            known.setdefault(number, start)
            if not phase.get("goal"):
                message = f"phase {number} has no **Goal**/**Deliverable**"
                found.append(_diagnostic("plan-phase-missing-goal", start, "cosmetic", message))
            if not phase["exitCriteria"]:
                message = f"phase {number} has no **Exit**/**Output**/**Verification** criteria"
                found.append(_diagnostic("plan-phase-missing-exit", start, "cosmetic", message))
            for each in phase["dependsOn"]:
                if each not in ids:
                    message = f"phase {number} depends on unknown phase {each}"
                    found.append(
                        _diagnostic("plan-dangling-dependency", line, "structural", message)
                    )
        return found


def read_dependencies(text: str) -> list[str]:
    """The phases that a line names: ``Phase 1, 2 and 3``, ``Phases 1-3, 5``, ``1, 2``, ``nothing``."""
    plain = text
    for _ in range(_NESTED if "(" in text else 0):
        plain = re.sub(r"\([^()]*\)", "", plain)
    plain = plain.strip().rstrip(".").strip()
    if not plain or plain.lower().startswith(("nothing", "none", "n/a", "-", "—", "–")):
        return []
    lists = [plain] if re.match(_BARE_LIST, plain) else re.findall(_LIST, plain)
    found: dict[str, None] = {}
    for each in lists:
        for first, last in re.findall(_DEPENDENCY, each):
            found.update(dict.fromkeys(_range(first, last)))
    return list(found)


def _range(first: str, last: str) -> list[str]:
    if not last:
        return [first]
    if first.isdecimal() and last.isdecimal() and 0 <= int(last) - int(first) <= _WIDEST:
        return [str(number) for number in range(int(first), int(last) + 1)]
    return [first, last]


def _fence_after(fence: str, line: str) -> tuple[str, bool]:
    """The fence that is open after this line, and whether the line belongs to one."""
    found = _FENCE.match(line) if "```" in line or "~~~" in line else None
    if not fence:
        return (found.group(1), True) if found else ("", False)
    closes = found and found.group(1)[0] == fence[0] and len(found.group(1)) >= len(fence)
    return ("" if closes and not line.strip().strip(fence[0]) else fence), True


def _diagnostic(code: str, line: int, severity: str, message: str) -> Record:
    return {"code": code, "line": line, "severity": severity, "message": message}
