"""A static look at what a project brings for coding agents: agents, skills, commands, hooks, servers, settings.

Nothing is run. Each file is told with its hash, size, tools, and what in it points at the network or at writing;
compared with the report before, what is new, changed or gone is drift.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from guildmoot.guard.install.settings import hooks_are_off
from guildmoot.guard.scrub import write_durable
from guildmoot.system.files import folder_inside, read_inside, read_own

FOLDER = Path(".guild/audit")
_PLACES = (
    *(".claude/agents", ".claude/skills", ".claude/commands", ".claude/hooks", ".guild/agents"),
    *(".agents/skills", ".gemini", ".codex", ".claude-plugin", "hooks", "agents", "skills"),
)
_FILES = (
    *(
        ".claude/settings.json",
        ".claude/settings.local.json",
        ".mcp.json",
        "CLAUDE.md",
        "AGENTS.md",
    ),
    *("GEMINI.md", ".guild/settings.json"),
)
_KINDS = (".md", ".json", ".toml", ".yaml", ".yml", ".sh", ".py", ".js", ".ts")
_MOST_FILES, _MOST_BYTES = 2_000, 1_000_000
_NETWORK = re.compile(
    r"https?://[^\s\"'<>)]{4,80}|\b(?:curl|wget|fetch\(|requests\.|urllib|socket\.|WebFetch|WebSearch)\b"
)
_WRITES = re.compile(
    r"\b(?:Write|Edit|NotebookEdit|writeFile\w*|open\([^)\n]{0,80}[\"'][wa]|mkdir|rm -r\w*|tee)\b"
    r"|>>? ?[\w./~$-]+"
)
_OUTSIDE = re.compile(
    r"(?:>>?|tee|cp|mv|writeFile\w*\()\s*[\"']?(?:~|/(?!tmp|dev/null)|\.\./|\$HOME)"
)
_TOOLS = re.compile(r"^(?:tools|allowed-tools|allowed_tools):[ \t]*(.*)$", re.MULTILINE)
_ROW = re.compile(r"^\| `([^`]+)` \| `([0-9a-f]{64})` \|", re.MULTILINE)
_WEB_AGENT = "researcher"


class AuditedFile(NamedTuple):
    """What is told of one file."""

    path: str
    sha256: str
    loc: int
    allowed_tools: str
    network_evidence: str
    filesystem_write_evidence: str
    writes_outside_guild: bool
    notes: str


class Audit(NamedTuple):
    """The report."""

    when: str
    files: tuple[AuditedFile, ...]
    added: tuple[str, ...]
    changed: tuple[str, ...]
    gone: tuple[str, ...]
    compared: str
    """The report that it is compared with; empty for the first."""
    report: str = ""

    @property
    def flagged(self) -> tuple[AuditedFile, ...]:
        """Files that somebody should look at."""
        return tuple(file for file in self.files if file.notes)


def audit(root: Path, *, write: bool = True) -> Audit:
    """Look at the project; the report is added to today's file below ``.guild/audit``."""
    files = tuple(_look(root, path) for path in _paths(root))
    compared, before = _before(root)
    now = {file.path: file.sha256 for file in files}
    found = Audit(
        datetime.now(UTC).isoformat(timespec="seconds"),
        files,
        tuple(path for path in now if compared and path not in before),
        tuple(path for path in now if before.get(path, now[path]) != now[path]),
        tuple(path for path in before if path not in now),
        compared,
    )
    if not write:
        return found
    folder = folder_inside(root, FOLDER)
    name = f"{found.when[:10]}.md"
    earlier = read_own(folder / name).decode("utf-8", "replace")
    write_durable(folder / name, f"{earlier}{chr(10) if earlier else ''}{_text(found)}")
    return found._replace(report=str(FOLDER / name))


def _paths(root: Path) -> list[str]:
    found = [name for name in _FILES if os.path.isfile(root / name)]
    for place in _PLACES:
        found += _below(root, place)
    return sorted(dict.fromkeys(found))[:_MOST_FILES]


def _below(root: Path, place: str) -> Iterator[str]:
    if (root / place).is_symlink():
        return
    for where, _, names in os.walk(root / place):
        for name in names:
            file = Path(where, name)
            if file.suffix in _KINDS and not file.is_symlink():
                yield str(file.relative_to(root))


def _look(root: Path, path: str) -> AuditedFile:
    data, problem = read_inside(root / path, root, _MOST_BYTES)
    text = data.decode("utf-8", "replace")
    tools = _TOOLS.search(text)
    allowed = tools.group(1).strip() if tools else ""
    network = _first(_NETWORK, text)
    outside = bool(_OUTSIDE.search(text))
    agent = Path(path).stem
    notes = [problem] if problem else []
    is_agent = "agents/" in path and path.endswith(".md")
    if is_agent and re.search(r"WebFetch|WebSearch", allowed) and agent != _WEB_AGENT:
        notes.append("an agent other than the researcher has web tools")
    if is_agent and not allowed and not problem:
        notes.append("names no tools, so it has all of them")
    if outside:
        notes.append("writes outside of the project")
    if path.endswith("settings.json") and '"hooks"' in text:
        notes.append("brings hooks that run on every call")
    if path.startswith(".claude/settings") and hooks_are_off(text):
        notes.append("switches all hooks off, so that nothing is guarded")
    return AuditedFile(
        path,
        hashlib.sha256(data).hexdigest(),
        text.count("\n"),
        allowed,
        network,
        _first(_WRITES, text),
        outside,
        "; ".join(notes),
    )


def _first(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    if not match:
        return ""
    line = text.count("\n", 0, match.start()) + 1
    return f"line {line}: {match.group()[:60]}"


def _before(root: Path) -> tuple[str, dict[str, str]]:
    """The last report of any day, and the hashes in its last part."""
    try:
        names = sorted(name for name in os.listdir(root / FOLDER) if name.endswith(".md"))
    except OSError:
        return "", {}
    for name in reversed(names):
        text = read_own(root / FOLDER / name).decode("utf-8", "replace")
        last = text.rpartition("# Audit ")[2]
        if last:
            return str(FOLDER / name), dict(_ROW.findall(last))
    return "", {}


def _text(found: Audit) -> str:
    rows = [f"# Audit {found.when}", ""]
    rows.append(
        f"{len(found.files)} files; compared with {found.compared or 'nothing: the first'}."
    )
    for title, paths in (("new", found.added), ("changed", found.changed), ("gone", found.gone)):
        rows += [f"- {title}: `{_cell(path)}`" for path in paths]
    rows += ["", f"| {' | '.join(('path', *AuditedFile._fields[1:]))} |"]
    rows.append("|---|---|---|---|---|---|---|---|")
    for file in found.files:
        cells = (
            f"`{_cell(file.path)}`", f"`{file.sha256}`", str(file.loc), _cell(file.allowed_tools),
            _cell(file.network_evidence), _cell(file.filesystem_write_evidence),
            "yes" if file.writes_outside_guild else "no", _cell(file.notes),
        )  # fmt: skip
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"


def _cell(text: str) -> str:
    plain = "".join(char if char.isprintable() else " " for char in text)
    return plain.replace("|", "\\|").replace("`", "'")
