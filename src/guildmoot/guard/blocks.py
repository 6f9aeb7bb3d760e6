"""Secrets that are more than one value on one line: private keys, seed phrases, split tokens, commands."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from guildmoot.guard.families import SecretSpan, family_spans, has_letters
from guildmoot.guard.keywords import compiled, places
from guildmoot.guard.values import is_plain, looks_random

# --- private keys: in files of their own, in source, in JSON strings and in diffs ------------------

_BEGIN = re.compile(
    r"-----BEGIN (?:[A-Z0-9 ]{0,40})PRIVATE KEY(?: BLOCK)?-----|^Private-Lines: \d+", re.MULTILINE
)
_END = re.compile(r"-----END |^Private-MAC", re.MULTILINE)
# A line of a key: base64 with a quote, a comment sign or an escaped line break beside it.
_KEY_LINE = re.compile(
    r"[^A-Za-z0-9\n]{0,12}(?:\\?[nr])?(?P<base64>[A-Za-z0-9+/]{2,}={0,2}|=[A-Za-z0-9+/]{4})"
    r"(?:\\[nr])*[\"'`,;)\\+ \t\r]{0,8}$",
    re.MULTILINE,
)
_HEADER = re.compile(r"[^\n]{0,12}(?:[A-Z][A-Za-z-]{2,20}: |[ \t\r\"'`#*+-]*$)", re.MULTILINE)
_RUN = re.compile(r"[A-Za-z0-9+/]{16,}={0,2}")
_MOST_LINES = 1000


def private_key_spans(text: str, view: bytes) -> Iterator[SecretSpan]:
    """What is base64 after the head of a private key; code that stands there stays visible."""
    if b"PRIVATE KEY" not in view and b"Private-Lines" not in view:
        return
    seen = 0
    for begin in _BEGIN.finditer(text):
        if begin.start() >= seen:
            for span in _key(text, begin.end()):
                yield span
                seen = span.end


def _key(text: str, at: int) -> Iterator[SecretSpan]:
    """The rest of the first line, then every line up to the foot that is a key's."""
    end = _line_end(text, at)
    for run in _RUN.finditer(text, at, end):
        if looks_random(run[0]):
            yield SecretSpan(*run.span(), "private-key", True)
    at = end + 1
    before = False
    for _ in range(_MOST_LINES):
        end = _line_end(text, at)
        if at > len(text) or _END.search(text, at, end):
            return
        line = _KEY_LINE.match(text, at, end)
        base64 = line["base64"] if line else ""
        is_key = len(base64) >= 16 or (before and bool(base64) and not base64.isalpha())
        if line and is_key:
            yield SecretSpan(*line.span("base64"), "private-key", True)
        elif not line and not _HEADER.match(text, at, end) and not before:
            return  # no key follows: the head is quoted in a parser's source
        before = is_key or (before and not line)
        at = end + 1


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


# --- seed phrases ---------------------------------------------------------------------------------

_WORDS = re.compile(
    rb"(?:[a-z]{3,8}+[\s,;\"']{1,8}+(?:\d{1,2}[.):]? ?)?+)++(?:[a-z]{3,8}(?![A-Za-z]))?"
)
_WORD = re.compile(r"[a-z]{3,8}")
_FEWEST = 12


@cache
def _seed_words() -> frozenset[str]:
    """The 2,048 words of BIP-39."""
    return frozenset((Path(__file__).parent / "seed_words.txt").read_text("ascii").split())


def seed_phrase_spans(text: str, view: bytes) -> Iterator[SecretSpan]:
    """Twelve or more words in a row out of the list that wallets draw from."""
    for run in _WORDS.finditer(view):
        if run.end() - run.start() < 4 * _FEWEST:
            continue
        known: list[re.Match[str]] = []
        for word in _WORD.finditer(text, *run.span()):
            if word[0] in _seed_words():
                known.append(word)
                continue
            yield from _phrase(text, known)
            known = []
        yield from _phrase(text, known)


def _phrase(text: str, words: list[re.Match[str]]) -> Iterator[SecretSpan]:
    """Each line of it, from its first word to its last; words of a list in code each by itself."""
    if len(words) < _FEWEST or len({word[0] for word in words}) < _FEWEST // 2:
        return
    first = words[0].start()
    for word, following in zip(words, [*words[1:], None], strict=True):
        gap = text[word.end() : following.start()] if following else "\n"
        if gap.strip(" \t"):
            yield SecretSpan(first, word.end(), "seed-phrase", False)
            first = following.start() if following else 0


# --- tokens in several pieces ---------------------------------------------------------------------

_JOINTS = (
    re.compile(rb"(?P<joint>([\"'`])[\s+.&~\\|<>]{1,80}+[bruf]?\2)"),  # "ab" + "cd"
    re.compile(rb"(?P<joint>\\\r?\n[ \t]{0,80})"),  # ab\ and cd on the next line
    re.compile(  # a line that is wrapped
        rb"(?P<joint>\r?\n[ \t]*+(?:[#*>|/]{1,3}+[ \t]{0,4}+)?+)"
        rb"[A-Za-z0-9_+/=.-]{6,512}+[\"'`,;)]{0,3}+[ \t]{0,4}+(?=[\r\n]|\Z)"
    ),
)
_TAIL = re.compile(rb"[A-Za-z0-9_-]{8}")
_NEAR = 256


def split_spans(text: str, view: bytes) -> Iterator[SecretSpan]:
    """Tokens of a known family that are broken by quotes, a backslash or a line's end."""
    joints = sorted(
        found.span("joint")
        for shape in _JOINTS
        for found in shape.finditer(view)
        if found.re.groups > 1 or _may_go_on(view, found.start())
    )
    group: list[tuple[int, int]] = []
    for joint in joints:
        if group and joint[0] < group[-1][1]:
            continue
        if group and joint[0] - group[-1][1] > _NEAR:
            yield from _joined(text, group)
            group = []
        group.append(joint)
    if group:
        yield from _joined(text, group)


def _may_go_on(view: bytes, end: int) -> bool:
    """Whether the line ends in what may be the beginning of a token."""
    if not _TAIL.match(view, max(0, end - 8), end):
        return False
    return has_letters(view[max(0, end - 200) : end].rsplit(None, 1)[-1])


def _joined(text: str, cuts: list[tuple[int, int]]) -> Iterator[SecretSpan]:
    """What is found when the cuts are taken out, in pieces where it stands."""
    starts = [max(0, cuts[0][0] - _NEAR), *(end for _, end in cuts)]
    ends = [*(start for start, _ in cuts), min(len(text), cuts[-1][1] + _NEAR)]
    pieces = [text[start:end] for start, end in zip(starts, ends, strict=True)]
    whole = "".join(pieces)
    places, place = [], 0
    for piece in pieces:
        places.append(place)
        place += len(piece)
    for span in family_spans(whole, whole.encode("latin-1", "replace")):
        first, last = bisect_right(places, span.start) - 1, bisect_left(places, span.end) - 1
        if first == last or not span.certain:
            continue
        for at in range(first, last + 1):
            start = starts[at] + max(0, span.start - places[at])
            end = min(ends[at], starts[at] + span.end - places[at])
            if start < end:
                yield span._replace(start=start, end=end)


# --- passwords on command lines -------------------------------------------------------------------

_GAP = r"[^\n|;]{0,300}?[\s\"',]"
_ITEM = r"[\"']?(?P<value>[^\s\"'`,;|<>]{3,256})"
_SPACE = r"[\s\"',]{1,6}"
_USER = r"[\"']?[^\s\"':,;|<>]{1,64}:(?P<value>[^\s\"'`,;|<>]{3,256})"
_PIPE = r"[\"']?[ \t]{0,4}\|[ \t]{0,4}"
COMMANDS = tuple(
    rf"(?<![a-z0-9])(?:{names})\b{shape}"
    for names, shape in (
        (r"mysql\w*|mariadb[\w-]*|7z\w?|sshpass", rf"{_GAP}-p{_ITEM}"),
        (r"sshpass|(?:docker|podman) login|mongo\w*|user(?:add|mod)|ftp", rf"{_GAP}-p{_SPACE}{_ITEM}"),
        (r"xfreerdp", rf"{_GAP}/p:{_ITEM}"),
        (r"zip|unzip|sqlcmd|bcp|ipmitool|unrar|rar", rf"{_GAP}-h?[pP]{_SPACE}?{_ITEM}"),
        (r"redis-cli", rf"{_GAP}-a{_SPACE}{_ITEM}"),
        (r"ldap\w+", rf"{_GAP}-w{_SPACE}{_ITEM}"),
        (r"snmp\w+", rf"{_GAP}-[AX]{_SPACE}{_ITEM}"),
        (r"curl|wget|https?|xh", rf"{_GAP}(?:-u|--user|--proxy-user|-U|-a|--auth)(?:{_SPACE}|=)?{_USER}"),
        (r"smbclient|rpcclient", rf"{_GAP}(?:-U|--user){_SPACE}?[^\s%]{{1,64}}%{_ITEM}"),
        (r"lftp", rf"{_GAP}-u{_SPACE}[^\s,]{{1,64}},{_ITEM}"),
        (r"sqlplus|rman", rf"{_GAP}[\w.]{{1,40}}/{_ITEM}@"),
        (r"htpasswd", rf"{_GAP}-\w{{0,4}}b\w{{0,4}}{_SPACE}\S+{_SPACE}\S+{_SPACE}{_ITEM}"),
        (r"net user", rf"{_SPACE}\S{{1,40}}{_SPACE}{_ITEM}"),
        (r"echo|printf", rf"{_SPACE}{_ITEM}{_PIPE}(?:sudo -S|su\b|cryptsetup|gpg[^\n]{{0,80}}--passphrase-fd)"),
        (r"echo|printf", rf"{_SPACE}{_USER}{_PIPE}(?:sudo )?chpasswd"),
    )
)  # fmt: skip
_STEMS = (
    b"mysql", b"mariadb", b"7z", b"sshpass", b"docker login", b"podman login", b"mongo", b"useradd ", b"usermod ",
    b"ftp ", b"xfreerdp", b"zip ", b"sqlcmd", b"bcp ", b"ipmitool", b"rar ", b"redis-cli", b"ldap", b"snmp",
    b"curl", b"wget", b"http ", b"https ", b"xh ", b"smbclient", b"rpcclient", b"sqlplus", b"rman", b"htpasswd",
    b"net user", b"echo ", b"printf ",
)  # fmt: skip


_FLAG = re.compile(rb"[\s\"',][-/]\w|[|:]|user")


def command_spans(text: str, low: bytes) -> Iterator[SecretSpan]:
    """What follows the flag that takes the password, for programs that have one."""
    for start, _ in places(low, _STEMS):
        if not _FLAG.search(low, start, start + 320):
            continue
        for shape in COMMANDS:
            match = compiled(shape).match(text, start, start + 900)
            if match and not is_plain(match["value"]) and not match["value"].startswith("-"):
                yield SecretSpan(*match.span("value"), "secret", False)
