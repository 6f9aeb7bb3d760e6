"""What breaks a JavaScript or TypeScript file, and what does not: by its lines, for nothing here parses it."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from random import Random

from benchmarks.mutations import Mutator, typo
from benchmarks.mutations.added import ADDED_SCRIPT, secret_line
from benchmarks.mutations.general import cut_off, without_bracket, without_closing_line

_IMPORT = re.compile(
    r"(?:(?:const|let|var) (\w+) = require\([^()]*\)(?:\.\w+)?|import (\w+) from ['\"][^'\"]+['\"]);?\n"
)
_GIVEN = frozenset(
    ["process", "Buffer", "URL", "URLSearchParams", "console", "performance", "crypto", "fetch"]
)
"""What every script of Node has without its import."""
_DECLARED = re.compile(r"^(?:export )?(?:const|let|var|function|class) (\w{4,})\b", re.MULTILINE)


def _declared(text: str, name: str) -> int:
    """How often a name may be bound: by a keyword, as a parameter or in a pattern."""
    keyed = rf"\b(?:const|let|var|function|class|import) [^=;]*\b{name}\b"
    given = rf"[(,{{] *{name} *[,)}}=]|\b{name} *=>|\b{name} *="
    return len(re.findall(f"{keyed}|{given}", text))


def _uses(text: str, name: str) -> list[re.Match[str]]:
    """Where a name is read for certain: called or looked into, outside of comments and texts."""
    found = re.finditer(rf"(?<![\w$.'\"`]){name}(?=[.(])", text)
    return [each for each in found if _in_code(text, each.start())]


def _in_code(text: str, at: int) -> bool:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    plain = not re.search(r"//|['\"`/]|^\s*\*", line)
    ticks = text[:at].count("`") % 2 == 0
    return plain and ticks and text.rfind("/*", 0, at) <= text.rfind("*/", 0, at)


def import_removed(text: str, rng: Random) -> str | None:
    places = []
    for found in re.finditer(rf"^{_IMPORT.pattern}", text, re.MULTILINE):
        name = found[1] or found[2]
        rest = text[: found.start()] + text[found.end() :]
        if _uses(rest, name) and not _declared(rest, name) and name not in _GIVEN:
            places.append(rest)
    return rng.choice(places) if places else None


def name_changed(text: str, rng: Random) -> str | None:
    taken = set(re.findall(r"[\w$]+", text))
    places = [
        (use, name)
        for name in sorted(set(_DECLARED.findall(text)))
        for use in _uses(text, name)
        if not text[: use.start()].endswith(("function ", "class "))
    ]
    if not places:
        return None
    use, name = rng.choice(places)
    new = typo(name, taken, rng)
    return text[: use.start()] + new + text[use.end() :] if new else None


def _line(pattern: str, new: Callable[[re.Match[str]], str]) -> Mutator:
    """One line that fits becomes another."""

    def change(text: str, rng: Random) -> str | None:
        places = [f for f in re.finditer(pattern, text, re.MULTILINE) if _in_code(text, f.start())]
        if not places:
            return None
        found = rng.choice(places)
        return text[: found.start()] + new(found) + text[found.end() :]

    return change


def _added(choices: Sequence[str]) -> Mutator:
    def add(text: str, rng: Random) -> str | None:
        return text.rstrip("\n") + "\n\n" + rng.choice(choices)

    return add


def secret_added(text: str, rng: Random) -> str | None:
    last = list(re.finditer(rf"^{_IMPORT.pattern}", text, re.MULTILINE))
    at = last[-1].end() if last else len(text)
    return text[:at] + f"\nconst {secret_line(rng)};\n" + text[at:]


def syntax_broken(text: str, rng: Random) -> str | None:
    for _ in range(6):
        after = rng.choice((without_closing_line, without_bracket, cut_off))(text, rng)
        if after and after != text and not parses(after):
            return after
    return None


def parses(text: str) -> bool:
    """As node reads it; what has types, or where there is no node, is taken to be broken."""
    if not shutil.which("node"):
        return False
    for kind in ("commonjs", "module"):
        command = ["node", "--check", f"--input-type={kind}", "-"]
        ran = subprocess.run(command, input=text.encode(), capture_output=True, check=False)
        if ran.returncode == 0:
            return True
    return False


def comment(text: str, rng: Random) -> str | None:
    change = _line(
        r"^(?:const|let|var|function|export|import) ", lambda f: f"// Kept on purpose.\n{f[0]}"
    )
    return change(text, rng)


def formatted(text: str, rng: Random) -> str | None:
    change = _line(r"^(?=(?:const|let|var|function|class) )", lambda f: "\n")
    return change(text, rng)


def renamed(text: str, rng: Random) -> str | None:
    """A module of the file under another name, where every mention of it is a plain use."""
    places = []
    for found in re.finditer(rf"^{_IMPORT.pattern}", text, re.MULTILINE):
        name = found[1] or found[2]
        mentions = len(re.findall(rf"(?<![\w$]){name}(?![\w$])", text))
        if mentions == len(_uses(text, name)) + 1 and f"{name}Module" not in text:
            places.append(name)
    if not places:
        return None
    name = rng.choice(places)
    return re.sub(rf"(?<![\w$.]){name}(?![\w$'\"])", f"{name}Module", text)


MUTATORS: dict[str, Mutator] = {
    "syntax broken": syntax_broken,
    "import removed": import_removed,
    "name changed in one place": name_changed,
    "return removed": _line(r"^ +return [^;\n({]+;\n", lambda found: ""),
    "condition inverted": _line(r"\bif \(([^()\n]+)\) \{$", lambda found: f"if (!({found[1]})) {{"),
    "exception swallowed": _line(
        r"catch \(\w+\) \{\n(?:(?!\s*\}).*\n){1,3}( *)\}", lambda f: f"catch (_) {{\n{f[1]}}}"
    ),
    "SQL built from input": _added(ADDED_SCRIPT["SQL built from input"]),
    "shell built from input": _added(ADDED_SCRIPT["shell built from input"]),
    "secret added": secret_added,
    "comment": comment,
    "format": formatted,
    "rename everywhere": renamed,
    "new function": _added(ADDED_SCRIPT["new function"]),
}
