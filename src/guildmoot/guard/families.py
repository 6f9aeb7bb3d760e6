"""The shapes of tokens that belong to one service each, and of private key blocks.

A family is found by its fixed letters, so texts without them cost one plain search a family. Values
with no shape of their own are for ``keywords`` and ``entropy``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from guildmoot.guard.entropy import looks_random, spread


class SecretSpan(NamedTuple):
    """A piece of a text, within one line, that must not be shown."""

    start: int
    end: int
    kind: str
    certain: bool


class Family(NamedTuple):
    """One token shape: its fixed letters, and what it looks like (group 1, or all, is secret)."""

    kind: str
    letters: tuple[bytes, ...]
    shape: re.Pattern[str]
    certain: bool | None = True
    """None: only when the value looks random, since words can have the shape too."""


def _family(kind: str, letters: str, shape: str, certain: bool | None = True) -> Family:
    return Family(kind, tuple(letters.encode().split(b"|")), re.compile(shape), certain)


_T = r"[A-Za-z0-9_-]"

FAMILIES = (
    _family("bearer-token", "earer|EARER", r"(?i)\bbearer[ \t]+([A-Za-z0-9._~+/=-]{16,})", None),
    _family("anthropic-key", "sk-ant-", rf"sk-ant-{_T}{{20,}}"),
    _family("api-key", "sk-", rf"(?<![A-Za-z0-9_-])sk-{_T}{{20,}}", None),
    _family("github-token", "ghp_|gho_|ghu_|ghs_|ghr_", r"gh[pousr]_[A-Za-z0-9_]{36,}"),
    _family("github-token", "github_pat_", r"github_pat_[A-Za-z0-9_]{22,}"),
    _family("gitlab-token", "gl", rf"gl(?:pat|dt|ft|soat|rt|cbt|imt|ptt|agent|oas)-{_T}{{20,}}"),
    _family("slack-token", "xox", r"xox[abcdeoprs]-[A-Za-z0-9-]{10,}"),
    _family("slack-token", "xapp-", r"xapp-[0-9]-[A-Za-z0-9-]{10,}"),
    _family("slack-webhook", "slack.", r"hooks\.slack\.com/\w+/([A-Za-z0-9_/-]{20,})"),
    _family("aws-key", "AKIA", r"AKIA[0-9A-Z]{16,}"),
    _family("aws-key", "ASIA|ABIA|ACCA", r"\bA(?:SIA|BIA|CCA)[0-9A-Z]{16}(?![0-9A-Z])", None),
    _family("jwt", "eyJ", rf"eyJ{_T}{{5,}}\.{_T}{{5,}}\.[A-Za-z0-9_.+/-]*"),
    _family("google-key", "AIza", rf"AIza{_T}{{35,}}"),
    _family("google-secret", "GOCSPX-", rf"GOCSPX-{_T}{{20,}}"),
    _family("google-token", "ya29.", r"ya29\.[A-Za-z0-9._-]{20,}"),
    _family("npm-token", "npm_", r"npm_[A-Za-z0-9]{36,}"),
    _family("npm-token", "_authToken", r"_authToken[ \t]*=[ \t]*\"?([A-Za-z0-9_-]{16,})"),
    _family("pypi-token", "pypi-Ag", rf"pypi-Ag{_T}{{50,}}"),
    _family("stripe-key", "_live_|_test_", r"\b[rsp]k_(?:live|test)_[0-9A-Za-z]{16,}"),
    _family("stripe-key", "whsec_", r"whsec_[A-Za-z0-9+/]{24,}"),
    _family("sendgrid-key", "SG.", rf"SG\.{_T}{{16,}}\.{_T}{{16,}}"),
    _family("hugging-face", "hf_", r"\bhf_[A-Za-z0-9]{34,}"),
    _family("groq-key", "gsk_", r"gsk_[A-Za-z0-9]{40,}"),
    _family("xai-key", "xai-", r"xai-[A-Za-z0-9]{40,}"),
    _family("digitalocean", "_v1_", r"do[opr]_v1_[a-f0-9]{64}"),
    _family("shopify-token", "shp", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32,}"),
    _family("square-secret", "sq0", rf"sq0(?:csp|atp|idp)-{_T}{{22,}}"),
    _family("vault-token", "hv", rf"hv[sbr]\.{_T}{{24,}}"),
    _family("age-key", "AGE-SECRET", r"AGE-SECRET-KEY-1[0-9A-Z]{40,}"),
    _family("atlassian", "ATATT", rf"ATATT3{_T}{{50,}}"),
    _family("linear-key", "lin_api_", r"lin_api_[A-Za-z0-9]{32,}"),
    _family("databricks", "dapi", r"dapi[0-9a-f]{32,}"),
    _family("twilio-key", "SK|AC", r"(?<![A-Za-z0-9+/])(?:SK|AC)[0-9a-f]{32}(?![A-Za-z0-9+/])"),
    _family("telegram-token", ":AA", rf"(?<!\d)\d{{8,10}}:AA{_T}{{33}}(?!{_T})"),
    _family("mailchimp-key", "-us", r"(?<![0-9a-z])[0-9a-f]{32}-us[0-9]{1,2}(?![0-9a-z])"),
    _family("azure-key", "AccountKey=", r"AccountKey=([A-Za-z0-9+/]{80,}={0,2})"),
)

_LETTERS = [(letters, family) for family in FAMILIES for letters in family.letters]
_BEFORE = 24


def family_spans(text: str, view: bytes, runs: Sequence[tuple[int, int]]) -> Iterator[SecretSpan]:
    """Every token of a known family; ``view`` is the text with one byte a character.

    A token is a long run, or follows its opening letters closely, so the letters of all families
    are looked for only there, and the slow shapes only on the lines where a run has them.
    """
    near = [view[max(0, start - _BEFORE) : end] for start, end in runs]
    joined = b"\n".join(near)
    for letters, family in _LETTERS:
        if letters in joined:
            for start, end in _lines(view, runs, near, letters):
                for match in family.shape.finditer(text, start, end):
                    group = 1 if match.re.groups else 0
                    yield SecretSpan(
                        *match.span(group), family.kind, _is_certain(family, match[group])
                    )


def _lines(
    view: bytes, runs: Sequence[tuple[int, int]], near: Sequence[bytes], letters: bytes
) -> Iterator[tuple[int, int]]:
    """Start and end of each line that has the letters near a run, each line once."""
    seen = 0
    for (start, _), piece in zip(runs, near, strict=True):
        if start >= seen and letters in piece:
            first = view.rfind(b"\n", 0, start) + 1
            last = view.find(b"\n", start)
            seen = len(view) if last < 0 else last
            yield first, seen


def _is_certain(family: Family, value: str) -> bool:
    """A value such as ``ghp_xxxx...`` or ``AKIAIOSFODNN7EXAMPLE`` has the shape but is no token."""
    if "EXAMPLE" in value.upper() or spread(value) < 2.9:
        return False
    return looks_random(value) if family.certain is None else family.certain


# --- private keys: in files of their own, in source, in JSON strings and in diffs ------------------

_BEGIN = re.compile(r"-----BEGIN ([A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?)-----")
# What a line of a key can look like: base64 with a quote, a comment sign or an escaped newline
# beside it, or one of the headers of old formats.
_LINE = re.compile(
    r"[^A-Za-z0-9\n]{0,12}(?P<base64>[A-Za-z0-9+/]+={0,2}|=[A-Za-z0-9+/]{4})?(?:\\[nr])*"
    r"[\"'`,;)\\+ \t\r]{0,8}$"
    r"|[^A-Za-z0-9\n]{0,12}(?P<header>Proc-Type|DEK-Info|Key-Info|Comment|Version|Hash)\b[^\n]*$",
    re.MULTILINE,
)
_RUN = re.compile(r"[A-Za-z0-9+/]{16,}")
_KNOWN_STARTS = ("MII", "MIG", "MC4", "b3BlbnNzaC1r")
_LONGEST = 50_000
_START = 2_000  # a key begins right after its header


def private_key_spans(text: str, view: bytes) -> Iterator[SecretSpan]:
    """The lines of every private key block; a lone header, as in a parser's source, is no key."""
    if b"PRIVATE KEY" not in view:
        return
    for begin in _BEGIN.finditer(text):
        end = _block_end(text, begin)
        if end is not None:
            yield from _each_line(text, begin.start(), end)


def _block_end(text: str, begin: re.Match[str]) -> int | None:
    """Where the block ends: at its footer, or after the last line that can belong to it."""
    footer = f"-----END {begin[1]}-----"
    at = text.find(footer, begin.end(), begin.end() + _LONGEST)
    if at >= 0:
        body = text[begin.end() : at]
        return at + len(footer) if _is_key(body) else None
    end = _last_line(text, _line_end(text, begin.end()))
    return end if _has_material(text[begin.end() : end]) else None


def _last_line(text: str, end: int) -> int:
    """Where a block without a footer ends: after the lines that cannot be anything but a key."""
    after_header = False
    while end < len(text) and (line := _LINE.match(text, end + 1)):
        base64 = line["base64"] or ""
        is_last = len(base64) < 16 and base64.endswith("=")
        if len(base64) < 16 and not (is_last or line["header"] or after_header):
            break
        after_header = bool(line["header"])
        end = line.end()
        if is_last:
            break
    return end


def _is_key(body: str) -> bool:
    """Base64 that looks random, or nothing but lines of a key, however short the sample."""
    lines = [line for line in body.split("\n") if line.strip(" \t\r+-")]
    return _has_material(body) or (len(lines) > 1 and all(map(_LINE.match, lines)))


def _has_material(body: str) -> bool:
    # Anywhere in the run: in a JSON string the "n" of an escaped newline stands before it.
    return any(
        looks_random(run) or any(start in run for start in _KNOWN_STARTS)
        for run in _RUN.findall(body[:_START])
    )


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _each_line(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    """One span a line, so that masking keeps the number of lines; indentation is kept too."""
    while start < end:
        stop = min(_line_end(text, start), end)
        body = text[start:stop].lstrip(" \t")
        if body.strip():
            yield SecretSpan(stop - len(body), stop, "private-key", True)
        start = stop + 1
