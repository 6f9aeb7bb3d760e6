"""Names that a change loses, in languages that nothing here parses: by lines whose shape leaves no doubt."""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random

from benchmarks.mutations import Mutator, typo

_DOTTED = r"^import (?:static )?(?:[\w]+\.)+([A-Z]\w+);?\n"
_IMPORTS = {
    "Go": r"^(?:import |\t)\"(?:[\w.]+/)*(\w+)\"\n",
    "Java": _DOTTED,
    "Kotlin": _DOTTED,
    "Scala": _DOTTED,
    "Rust": r"^use (?:\w+::)+([A-Z]\w+);\n",
    "PHP": r"^use (?:\w+\\)+(\w+);\n",
}
_OPEN = re.compile(r"^(?:import|use)\b.*[*_{]", re.MULTILINE)
_DECLARED = {
    "Go": r"^\t+(\w{4,}) := ",
    "Java": r"^ +(?:final )?(?:int|long|boolean|String|[A-Z]\w+) (\w{4,}) = ",
    "Kotlin": r"^ +va[lr] (\w{4,}) = ",
    "Scala": r"^ +va[lr] (\w{4,}) = ",
    "Swift": r"^ +(?:let|var) (\w{4,}) = ",
    "Rust": r"^ +let (?:mut )?(\w{4,}) = ",
    "C": r"^ +(?:int|char|size_t|\w+_t|\w+) \*?(\w{4,}) = ",
    "C++": r"^ +(?:auto|int|bool|size_t|const auto&?|\w+) \*?&?(\w{4,}) = ",
    "C#": r"^ +(?:var|int|string|bool) (\w{4,}) = ",
    "PHP": r"^ +(\$\w{4,}) = ",
    "Ruby": r"^ +(\w{4,}) = ",
}
_NOT_TYPES = re.compile(r"^\s*(?:return|throw|else|delete|goto|case|using|typedef)\b")


def mutators_of(language: str) -> Mapping[str, Mutator]:
    """By kind."""
    found: dict[str, Mutator] = {}
    if language in _IMPORTS:
        found["import removed"] = lambda text, rng: _import_removed(language, text, rng)
    if language in _DECLARED:
        found["name changed in one place"] = lambda text, rng: _changed(language, text, rng)
    return found


def _uses(text: str, name: str) -> list[re.Match[str]]:
    """Where the name is read for certain: not as a member, a key or a text, and in no comment."""
    found = re.finditer(
        rf"(?<![\w.$>:\\'\"@#-]){re.escape(name)}(?=[.(\[)+\-*/;]|, | [+*<>&|]|::|->)", text
    )
    return [each for each in found if _is_code(text, each.start())]


def _is_code(text: str, at: int) -> bool:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    if re.search(r"//|['\"`#]|^\s*\*|^\s*(?:import|use|package)\b", line):
        return False
    return text.rfind("/*", 0, at) <= text.rfind("*/", 0, at) and text[:at].count('"""') % 2 == 0


def _import_removed(language: str, text: str, rng: Random) -> str | None:
    if _OPEN.search(text):
        return None
    places = []
    for found in re.finditer(_IMPORTS[language], text, re.MULTILINE):
        rest = text[: found.start()] + text[found.end() :]
        others = len(
            re.findall(rf"\b(?:class|interface|object|type|struct|enum|mod) {found[1]}\b", rest)
        )
        if _uses(rest, found[1]) and not others and f"::{found[1]}" not in rest:
            places.append(rest)
    return rng.choice(places) if places else None


def _changed(language: str, text: str, rng: Random) -> str | None:
    """One use is misspelt, or the declaration is while the uses stay."""
    taken = set(re.findall(r"\w+", text))
    places = []
    for found in re.finditer(_DECLARED[language], text, re.MULTILINE):
        name = found[1]
        whole = re.findall(rf"(?<![\w.]){re.escape(name)}(?!\w)", text)
        uses = _uses(text[found.end() :], name)
        bare = _NOT_TYPES.match(found[0]) or not _is_code(text, found.start(1))
        if uses and not bare and len(whole) == len(uses) + 1:
            places += [(found.end() + each.start(), name) for each in uses]
            places.append((found.start(1), name))
    if not places:
        return None
    at, name = rng.choice(places)
    sign = name[: len(name) - len(name.lstrip("$"))]
    new = typo(name.lstrip("$"), taken, rng)
    return text[:at] + sign + new + text[at + len(name) :] if new else None
