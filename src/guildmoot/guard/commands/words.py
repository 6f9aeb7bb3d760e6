"""Words of a shell command after expansion, as far as it can be told without running anything.

A word is a string in which four private characters stand for what is not known or not literal.
"""

from __future__ import annotations

ANY = "\uf8f0"
"""Any text, perhaps none: a variable that nobody set here, the output of a program."""
STAR = "\uf8f1"
"""An unquoted ``*``."""
ONE = "\uf8f2"
"""An unquoted ``?`` or ``[...]``."""
BREAK = "\uf8f3"
"""A blank at which an unquoted expansion falls into several words."""
QUOTED = "\uf8f4"
"""Something was quoted here, so the word exists though it may be empty."""
_OPEN, _CLOSE, _COMMA = "\uf8f5", "\uf8f6", "\uf8f7"

_MOST_WORDS = 256
_GLOB = {ord("*"): STAR, ord("?"): ONE}
_BARE = {**_GLOB, ord("{"): _OPEN, ord("}"): _CLOSE, ord(","): _COMMA}
_SPLIT = {ord(" "): BREAK, ord("\t"): BREAK, ord("\n"): BREAK, **_GLOB}
_ESCAPES = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
_DIGITS = {"x": 2, "u": 4, "U": 8}


def has_marks(text: str) -> bool:
    """Whether a part of the text is unknown or a wildcard."""
    return ANY in text or STAR in text or ONE in text


def may_be(pattern: str, target: str) -> str:
    """How a path with wildcards may lie to another one: ``same``, ``holds``, ``inside``; empty for not at all."""
    mine, its = pattern.strip("/").split("/"), target.strip("/").split("/")
    if not all(map(_fits, mine, its)):
        return ""
    more = len(mine) - len(its)
    return "same" if not more else "inside" if more > 0 else "holds"


def _fits(pattern: str, name: str) -> bool:
    """As the shell has it: a wildcard at the start leaves names with a dot out."""
    if ANY in pattern or (name[:1] == "." and pattern[:1] != "."):
        return False
    return pattern_fits(pattern.lower(), name.lower())


def pattern_fits(pattern: str, name: str) -> bool:
    """Whether a name with STAR and ONE in it stands for this one."""
    head, star, rest = pattern.partition(STAR)
    if len(head) > len(name) or any(a not in (b, ONE) for a, b in zip(head, name, strict=False)):
        return False
    if not star:
        return len(head) == len(name)
    rest = rest.lstrip(STAR)
    return not rest or any(pattern_fits(rest, name[at:]) for at in range(len(head), len(name)))


def bare(text: str) -> str:
    """An unquoted piece of a word: escapes taken away, wildcards and braces marked."""
    if "\\" not in text:
        return _classes(text.translate(_BARE))
    out: list[str] = []
    at = 0
    while at < len(text):
        if text[at] == "\\":
            following = text[at + 1 : at + 2]
            out.append("" if following == "\n" else following)
            at += 2
            continue
        end = text.find("\\", at)
        end = len(text) if end < 0 else end
        out.append(_classes(text[at:end].translate(_BARE)))
        at = end
    return "".join(out)


def _classes(text: str) -> str:
    """``[a-z]`` is one unknown character; a bracket without its partner is itself."""
    while "[" in text:
        start = text.index("[")
        end = text.find("]", start + 2)
        if end < 0:
            break
        text = text[:start] + ONE + text[end + 1 :]
    return text


def pattern_marks(text: str) -> str:
    """A pattern that another program matches itself (``find -name``), with the marks of a wildcard."""
    return _classes(text.replace("*", STAR).replace("?", ONE))


def in_double_quotes(text: str) -> str:
    """The literal part of a double-quoted string."""
    if "\\" not in text:
        return text
    out: list[str] = []
    at = 0
    while (found := text.find("\\", at)) >= 0:
        out.append(text[at:found])
        following = text[found + 1 : found + 2]
        out.append(
            {"\n": ""}.get(following, following if following in '$`"\\' else "\\" + following)
        )
        at = found + 2
    return "".join(out) + text[at:]


def ansi_c(text: str) -> str:
    """The inside of ``$'...'``."""
    out: list[str] = []
    at = 0
    while at < len(text):
        if text[at] != "\\" or at + 1 == len(text):
            out.append(text[at])
            at += 1
            continue
        piece, at = _escape(text, at + 1)
        out.append(piece)
    return "".join(out)


def _escape(text: str, at: int) -> tuple[str, int]:
    char = text[at]
    if char in _ESCAPES:
        return _ESCAPES[char], at + 1
    if char == "c":
        return chr(ord(text[at + 1 : at + 2] or "@") & 31), at + 2
    if char in "01234567":
        end = at
        while end < min(at + 3, len(text)) and text[end] in "01234567":
            end += 1
        return chr(int(text[at:end], 8) & 255), end
    end = at + 1
    while (
        end < min(at + 1 + _DIGITS.get(char, 0), len(text))
        and text[end] in "0123456789abcdefABCDEF"
    ):
        end += 1
    if end == at + 1:
        return "\\" + char, at + 1
    value = int(text[at + 1 : end], 16)
    return (chr(value) if value < 0x110000 and not 0xD800 <= value < 0xE000 else ANY), end


def unquoted(value: str) -> str:
    """The value of an expansion outside quotes: it falls into words, and its wildcards count."""
    return value.translate(_SPLIT)


def plain(value: str) -> str:
    """A finished word without the marks that only building it needs."""
    if value.isascii():
        return value
    value = value.replace(QUOTED, "").replace(BREAK, " ")
    return value.replace(_OPEN, "{").replace(_CLOSE, "}").replace(_COMMA, ",")


def finish(raw: str) -> list[str]:
    """A built word as the words that a program would get: braces expanded, blanks split."""
    if raw.isascii():
        return [raw] if raw else []
    pieces = (
        [raw] if _OPEN not in raw else _braces(raw, _MOST_WORDS) if raw.count(_OPEN) < 12 else [ANY]
    )
    words = (word for piece in pieces for word in piece.split(BREAK))
    return [plain(word) for word in words if word]


def literal(word: str) -> str:
    """A word with its wildcards written out again, as a pattern that is passed on would have them."""
    return word.replace(STAR, "*").replace(ONE, "?")


def _braces(raw: str, most: int) -> list[str]:
    """``a{b,c}d`` gives abd and acd; more words than ``most`` are one that nobody knows."""
    start = raw.rfind(_OPEN)
    if start < 0:
        return [raw]
    end = raw.find(_CLOSE, start)
    inner = raw[start + 1 : end] if end >= 0 else ""
    before, after = raw[:start], raw[end + 1 :]
    choices = inner.split(_COMMA) if _COMMA in inner else sequence(inner)
    if end < 0 or not choices:
        kept = raw[start + 1 :] if end < 0 else f"{inner}}}{after}"
        return _braces(f"{before}{{{kept}", most)
    if len(choices) > most:
        return [ANY]
    out: list[str] = []
    for choice in choices:
        out.extend(_braces(f"{before}{choice}{after}", most // len(choices)))
    return out[:_MOST_WORDS]


def sequence(inner: str) -> list[str]:
    """``1..3`` and ``a..c``; empty where it is neither."""
    first, dots, rest = inner.partition("..")
    last, _, by = rest.partition("..")
    if not dots:
        return []
    try:
        low, high, step = int(first), int(last), abs(int(by or "1")) or 1
    except ValueError:
        if len(first) != 1 or len(last) != 1:
            return []
        a, b = sorted((ord(first), ord(last)))
        return [chr(code) for code in range(a, b + 1)][:_MOST_WORDS]
    if abs(high - low) // step > _MOST_WORDS:
        return [ANY]
    return [str(n) for n in range(min(low, high), max(low, high) + 1, step)]


def names(text: str) -> frozenset[str]:
    """A set of names written as one text."""
    return frozenset(text.split())
