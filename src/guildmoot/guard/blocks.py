"""Secrets that are more than a value beside a name: private keys, split tokens, commands, SQL."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cache

from guildmoot.guard.families import SecretSpan, family_spans
from guildmoot.guard.keywords import VALUE, telling_places, whole
from guildmoot.guard.values import compiled, in_bytes, is_plain, is_secret, looks_random

# --- private keys: in files of their own, in source, in JSON strings and in diffs ------------------

_BEGIN = r"(?m)-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|^Private-Lines: \d+"
# A line of a key: base64 with a quote, a comment sign or an escaped line break beside it.
_KEY_LINE = (
    r"(?m)[^A-Za-z0-9\n]{0,12}(?:\\[nr])?(?P<base64>[A-Za-z0-9+/]{2,}={0,2}|=[A-Za-z0-9+/]{4})"
    r"(?:\\[nr])*[\"'`,;)\\+ \t\r]{0,8}$"
)
_HEADER = r"(?m)[^\n]{0,12}(?:[A-Z][A-Za-z-]{2,20}: |[ \t\r\"'`#*+-]*$)"
_RUN = r"[A-Za-z0-9+/]{16,}={0,2}"
_MOST_LINES = 1000


def private_key_spans(text: str) -> Iterator[SecretSpan]:
    """What is base64 after the head of a private key; code that stands there stays visible."""
    if "PRIVATE KEY" not in text and "Private-Lines" not in text:
        return
    seen = 0
    for begin in compiled(_BEGIN).finditer(text):
        if begin.start() >= seen:
            for span in _key(text, begin.end()):
                yield span
                seen = span.end


def _key(text: str, at: int) -> Iterator[SecretSpan]:
    """The rest of the first line, then every line up to the foot that is a key's."""
    end = _line_end(text, at)
    for run in compiled(_RUN).finditer(text, at, end):
        if looks_random(run[0]):
            yield SecretSpan(*run.span(), "private-key", True)
    at = end + 1
    before = False
    for _ in range(_MOST_LINES):
        end = _line_end(text, at)
        if (
            at > len(text)
            or text.find("-----END ", at, end) >= 0
            or text.startswith("Private-MAC", at)
        ):
            return
        line = compiled(_KEY_LINE).match(text, at, end)
        base64 = line["base64"] if line else ""
        is_key = len(base64) >= 16 or (before and bool(base64) and not base64.isalpha())
        if line and is_key:
            yield SecretSpan(*line.span("base64"), "private-key", True)
        elif not line and not compiled(_HEADER).match(text, at, end) and not before:
            return  # no key follows: the head is quoted in a parser's source
        before = is_key or (before and not line)
        at = end + 1


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


# --- tokens in several pieces ---------------------------------------------------------------------

# "ab" + "cd"; ab\\ and cd on the next line; a line that is wrapped. Each by itself: together they are slow.
_QUOTES = r"(?as)(?P<quote>[\"'`])(?<=[\w-].)[\s+.&~\\|<>]{1,80}+[bruf]?(?P=quote)(?=[\w-])"
_BACKSLASH = r"(?as)\\(?<=[\w-].)\r?\n[ \t]{0,80}"
_WRAPPED = (
    r"(?as)\n[ \t]*+(?:(?:\#|[*>|/]{1,3}+)(?!\#)[ \t]{0,4}+)?+"
    r"(?=[\w+/=.-]{6,512}+[\"'`,;)]{0,3}+[ \t]{0,4}+(?:[\r\n]|\Z))"
)
_UNWRAPPED = r"(?a)[\w-]{8}(?<![a-z]{8})"
_NEAR = 256


def split_spans(text: str) -> Iterator[SecretSpan]:
    """Tokens of a known family that are broken by quotes, a backslash or a line's end."""
    starts, ends, stops = [0], [0], [""]
    for start, end in _joints(text):
        if start <= ends[-1]:
            ends[-1], stops[-1] = start, ""
        else:
            starts.append(max(start - _NEAR, ends[-1]))
            ends.append(start)
            stops.append("")
        starts.append(end)
        ends.append(min(len(text), end + _NEAR))
        stops.append("\n")
    if len(starts) == 1:
        return
    pieces = [text[a:b] + stop for a, b, stop in zip(starts, ends, stops, strict=True)]
    whole_text = "".join(pieces)
    places, place = [], 0
    for piece in pieces:
        places.append(place)
        place += len(piece)
    for span in family_spans(whole_text):
        first, final = bisect_right(places, span.start) - 1, bisect_left(places, span.end) - 1
        if first == final or not span.certain:
            continue
        for at in range(first, final + 1):
            start = starts[at] + max(0, span.start - places[at])
            end = min(ends[at], starts[at] + span.end - places[at])
            if start < end:
                yield span._replace(start=start, end=end)


def _joints(text: str) -> list[tuple[int, int]]:
    joints = [found.span() for found in compiled(_QUOTES).finditer(text)]
    if "\\\n" in text or "\\\r" in text:
        joints += [found.span() for found in compiled(_BACKSLASH).finditer(text)]
    for found in compiled(_WRAPPED).finditer(text):
        start = found.start() - (text[found.start() - 1 : found.start()] == "\r")
        if compiled(_UNWRAPPED).match(text, max(0, start - 8), start):
            joints.append((start, found.end()))
    return sorted(joints)


# --- passwords on command lines and in SQL --------------------------------------------------------

_GAP = r"(?=[^\n|;/-]{0,300}[/-])[^\n|;]{0,300}?[\s\"',]"
_ITEM = r"[\"']?(?P<value>[^\s\"'`,;|<>]{3,256})"
_SPACE = r"[\s\"',]{1,6}"
_USER = r"[\"']?[^\s\"':,;|<>]{1,64}:(?P<value>[^\s\"'`,;|<>]{3,256})"
_PIPE = r"[\"']?[ \t]{0,4}\|[ \t]{0,4}"
# Programs by their names, or how these begin, the flags (any, if none is named) and where the password stands.
COMMANDS = (
    ("mysql|mariadb|7z|sshpass", "p", rf"{_GAP}-p{_ITEM}"),
    ("sshpass|docker login|podman login|mongo|useradd|usermod|ftp", "p", rf"{_GAP}-p{_SPACE}{_ITEM}"),
    ("zip|unzip|sqlcmd|bcp|ipmitool|unrar|rar", "hpP", rf"{_GAP}-h?[pP]{_SPACE}?{_ITEM}"),
    ("redis-cli", "a", rf"{_GAP}-a{_SPACE}{_ITEM}"),
    ("ldap", "w", rf"{_GAP}-w{_SPACE}{_ITEM}"),
    ("openssl", "k", rf"{_GAP}-k{_SPACE}{_ITEM}"),
    ("snmp", "AX", rf"{_GAP}-[AX]{_SPACE}{_ITEM}"),
    ("curl|wget|http|xh", "uUap", rf"{_GAP}(?:-u|--user|--proxy-user|-U|-a|--auth)(?:{_SPACE}|=)?{_USER}"),
    ("smbclient|rpcclient", "Uu", rf"{_GAP}(?:-U|--user){_SPACE}?[^\s%]{{1,64}}%{_ITEM}"),
    ("lftp", "u", rf"{_GAP}-u{_SPACE}[^\s,]{{1,64}},{_ITEM}"),
    ("htpasswd", "bBcCdimnpsv", rf"{_GAP}-\w{{0,4}}b\w{{0,4}}{_SPACE}\S+{_SPACE}\S+{_SPACE}{_ITEM}"),
    ("xfreerdp", "", rf"{_GAP}/p:{_ITEM}"),
    ("sqlplus|rman", "", rf"{_GAP}[\w.]{{1,40}}/{_ITEM}@"),
    ("net user", "", rf"{_SPACE}\S{{1,40}}{_SPACE}{_ITEM}"),
    ("echo|printf", "", rf"{_SPACE}{_ITEM}{_PIPE}(?:sudo -S|su\b|crypt|[^\n|]{{0,80}}--pass(?:phrase-fd|word-stdin))"),
    ("echo|printf", "", rf"{_SPACE}{_USER}{_PIPE}(?:sudo )?chpasswd"),
)  # fmt: skip
_FLAG = r"-(?<=[\s\"',-].)\w"
_IDENTIFIED = r"(?i)identified\s{1,8}(?:with\s{1,8}\S{1,40}\s{1,8})?(?:by|as)\s{1,8}(?:(?:password|values)\s{1,8})?"
_SQL = r"(?i)\b(?:user|role|grant|login|account|to)\b"


@cache
def _commands() -> list[tuple[str, set[str], str]]:
    return [
        (name, set(flags), rf"{name}(?<![a-z0-9]{name})[\w-]*+{shape}")
        for names, flags, shape in COMMANDS
        for name in names.split("|")
    ]


def crowded_places(low: bytes) -> Iterator[int]:
    """Where something stands that must be looked at by itself."""
    yield from (start for start, _ in telling_places(low))
    names = {name for name, _, _ in _commands()} | {"identified", "private key-----", "eyj"}
    for name in sorted(names):
        if low.count(name.encode()) > 99:
            yield from (found.start() for found in in_bytes(name.encode()).finditer(low))


def command_spans(text: str, low: bytes) -> Iterator[SecretSpan]:
    """What follows the flag that takes the password, for programs that have one, and IDENTIFIED BY."""
    given = {flag[-1] for flag in compiled(_FLAG).findall(text)}
    for name, flags, shape in _commands():
        if (not flags or flags & given) and name in text:
            for match in compiled(shape).finditer(text):
                if not is_plain(match["value"]) and not match["value"].startswith("-"):
                    yield SecretSpan(*match.span("value"), "secret", False)
    if b"identified" in low:
        for lead in compiled(_IDENTIFIED).finditer(text):
            value = compiled(VALUE).match(text, lead.end())
            is_sql = compiled(_SQL).search(text, max(0, lead.start() - 200), lead.start())
            if value and is_sql and _is_given(value["value"], value["bare"]):
                yield from whole(text, value)


def _is_given(literal: str | None, bare: str) -> bool:
    return (
        is_secret(bare.rstrip(";)"), strong=True, bare=True)
        if literal is None
        else not is_plain(literal)
    )
