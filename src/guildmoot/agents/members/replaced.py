"""Members that took the place of others and that nothing can have. Pure.

One word of a line became another, all else stayed. The old one was a member that this repository declares, or, in Ruby,
one that everybody knows; the new one stands nowhere else in the whole repository.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from guildmoot.agents.members.slips import replaced_word
from guildmoot.agents.parsing.own_names import Around, Lost
from guildmoot.agents.parsing.plain_names import SCRIPTS
from guildmoot.agents.parsing.walk import text_of
from guildmoot.text.patterns import lazy
from guildmoot.text.slips import Passage, passages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

_ASKED = {
    **dict.fromkeys(SCRIPTS, (r"\bthis|[\w$)\]!?]", r"\??\.")),
    "Go": (r"[\w)\]]", r"\."),
    "Java": (r"[\w)\]]", r"\.|::"),
    "C#": (r"[\w)\]?!]", r"\."),
    "Rust": (r"[\w)\]?>]", r"\.|::"),
    "Ruby": (r"[\w)\]}\"'?!]", r"&?\."),
}
"""What stands before a member, and the sign between them."""
_SCRIPT = r"(?m)^\s*(?:(?:public|private|protected|static|async|get|set|readonly|abstract)\s+)*#?{0}\s*[?!]?\s*[(:<=]"
_DECLARED = {
    **dict.fromkeys(SCRIPTS, _SCRIPT),
    "Go": r"(?m)^func\s*\([^)]*\)\s*{0}\s*[(\[]|^\s+{0}(?:\s*,\s*\w+)*\s+[\w*\[\]]|^\s+{0}\(",
    "Java": r"[\w>\]]\s+{0}\s*[(;=]",
    "C#": r"[\w>\]?]\s+{0}\s*[(;={{]",
    "Rust": r"(?m)\bfn\s+{0}\b|^\s*(?:pub(?:\([^)]*\))?\s+)?{0}\s*:",
}
_MESSAGE = "`{}` stands nowhere else: `{}` was asked for here, and that is declared"
_SHORTEST = 3
_PLAIN = lazy(r"[A-Z][a-z]+")
_ASIDE = lazy(r"^\s*(?://|#|\*|import\b|use\b|using\b|package\b)")


def replaced_members(language: str, before: Node, after: Node, around: Around) -> Iterator[Lost]:
    """Each such member once."""
    if language not in _ASKED:
        return
    then, now = text_of(before), text_of(after)
    for passage in passages(then, now) if then else ():
        was, new = replaced_word(passage)
        line = _asked(language, passage, new) if len(new) >= _SHORTEST and was else 0
        if not line or len(re.findall(rf"(?<!\w){new}(?!\w)", now)) != 1 or _has(then, new):
            continue
        if language == "C#" and _PLAIN.fullmatch(was):
            continue  # types from afar have it, too
        if _is_declared(language, was, then, around) and not _is_known(language, new, around):
            yield new, line, _MESSAGE.format(new, was)


def _asked(language: str, passage: Passage, name: str) -> int:
    """The line on which it is asked of something; 0 where it is not."""
    before, sign = _ASKED[language]
    asks = re.compile(rf"(?:{before})\s*(?:{sign}){name}(?!\w)")
    for at, text in enumerate(passage.after.split("\n"), passage.first):
        if asks.search(text) and not _ASIDE.search(text):
            return at
    return 0


def _is_known(language: str, name: str, around: Around) -> bool:
    known = language == "Ruby" and _is_of_ruby(name)
    return known or bool(around.holders([name])[name])


def _is_of_ruby(name: str) -> bool:
    from guildmoot.agents.ruby.given import is_known_member

    return is_known_member(name)


def _is_declared(language: str, name: str, then: str, around: Around) -> bool:
    """Whether the repository declares a member of that name."""
    if language == "Ruby":
        from guildmoot.agents.ruby.declares import declares

        return _is_of_ruby(name) or any(declares(name, text) for text in (then, *around.held(name)))
    made = re.compile(_DECLARED[language].format(re.escape(name)))
    return any(map(made.search, (then, *around.held(name))))


def _has(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){name}(?!\w)", text) is not None
