"""A messy reply in the form that the grammars read: tags, backticks, fences and other words for a verdict.

It is read so only for what closes (a FAIL, a flag) and for what was found: an approval must be said in the
form that was asked for, and nothing here makes one. Pure, one pass over the lines.
"""

from __future__ import annotations

import re
from typing import Literal

from guildmoot.reading.words.approval import approves

_FAILS = """fail failed failing reject rejected rejects reject-it disapproved flagged blocked block no-go nogo
    not-approved not-pass does-not-pass cannot-approve request-changes changes-requested changes-required
    do-not-merge dont-merge declined"""
_WARNS = """warn warning warned conditional-pass conditionally-approved conditional-approval pass-with approved-with
    approve-with pass-conditionally passes-with conditional accept-with accepted-with lgtm-with
    conditional-go conditional-yes conditional-ok conditional-merge conditional-acceptance"""
_FAIL_WORDS, _WARN_WORDS = _FAILS.split(), _WARNS.split()
_UNRESERVED = re.compile(r"\w+\W+with\W+(?:no|zero|flying|(?:\w+\W+){0,2}confidence)\b")
"""What begins like a reservation and is none."""
_BLOCKED = re.compile(r"(?<!non-)(?<!no-)(?<!not-)\b(?:blockers?|blocking|critical|must-fix)\b")
"""What is more than a reservation."""
_SURE = re.compile(r"(?<=confidence): .*", re.DOTALL)
_DENIED = ("not", "no", "never", "cannot", "without", "nicht", "kein", "keine", "pas", "non")
_HARMLESS = re.compile(r"-(?:no|not|non|nothing)-(?:block\w*|critical)(?=-)")
_UNTICKED = re.compile(r"[-*+•\s]{0,4}(?:\[\s?\]|☐)")
"""A box that was left empty: a word that was offered and not chosen."""
_RATES = re.compile(r"severity|level|priority", re.IGNORECASE)
_SHORT = 4
"""More words than these around a bare "warning" or "conditional" tell of one and are no verdict."""
_SIGNS = "*_`'\"[]()<>#|•- \t.!:✅❌⚠️🟢🟡🔴🛑✔✖🚫"
_LABEL = re.compile(
    r"[\s#*_>`|•-]{0,12}(?:(?:the|my|our|final|overall|panel|council)\s{1,3}){0,3}verdict[`*_]{0,4}\s{0,3}"
    r"(?::|：|=|\bis\b|->|→|-\s|–|—)\s{0,3}(?P<said>\S[^\n]{0,200})",
    re.IGNORECASE,
)
_OTHER_LABEL = re.compile(
    r"[\s#*_>`•-]{0,12}[^\W\d_]{2,20}(?: [^\W\d_]{2,20}){0,2}[*_`]{0,4}\s{0,2}[:：][\s*_`]{0,8}"
    r"(?P<said>FAIL|WARN)[\s*_`.!。]{0,6}"
)
"""A word of another language for "verdict", and behind it the schema's own word."""
_REST = re.compile(r"\s+(?:because|since|as|due)\b.*|\s*[-–—:;,(]\s.*", re.IGNORECASE)
_FENCE = re.compile(r"[ \t]{0,3}(?:`{3,}|~{3,})[ \t]*(?P<tag>[\w-]*)[ \t]*")
_OPEN_TAGS = ("", "text", "txt", "markdown", "md", "plaintext")
_TAGGED = re.compile(
    r"<(verdict|decision|outcome)\b[^<>]{0,80}>\s*([^<]{1,60}?)\s*</\1>", re.IGNORECASE
)
_ENTRY = re.compile(
    r"<(finding|reason|issue|problem)\b(?P<names>[^<>]{0,300})>(?P<inside>.{0,4000}?)</\1>",
    re.IGNORECASE | re.DOTALL,
)
_PART = re.compile(r"<(\w{2,20})\b[^<>]{0,80}>(.{0,2000}?)</\1>", re.DOTALL)
_NAME = re.compile(r"(\w{2,20})\s*=\s*[\"']([^\"'<>]{0,200})[\"']")
_LONGEST = 200_000

Word = Literal["FAIL", "WARN", ""]


def word_for(said: str) -> Word:
    """What the words of a verdict come to: FAIL, WARN, or nothing where that would be a guess."""
    plain = said.strip(_SIGNS).casefold().replace("'", "").replace("’", "")
    whole = "-".join(re.findall(r"[a-z]+", plain))
    first = "-".join(re.findall(r"[a-z]+", _REST.sub("", plain)))
    if first in _FAIL_WORDS or whole in _FAIL_WORDS:
        return "FAIL"
    if _UNRESERVED.match(plain) and approves(_SURE.sub("", plain), whole.partition("-")[0]):
        return ""
    if _BLOCKED.search(whole):
        return ""
    if first in _WARN_WORDS or any(whole.startswith(f"{word}-") for word in _WARN_WORDS):
        return "WARN"
    return ""


def reserves(quote: str, line: str) -> bool:
    """Whether the words that were quoted from a line say a WARN themselves: a reservation, or "WARN" set apart."""
    said = _HARMLESS.sub("", _chained(quote))
    denied = any(f"-{word}-" in said for word in (*_FAIL_WORDS, *_DENIED))
    if denied or _BLOCKED.search(said) or _UNRESERVED.search(quote.casefold()):
        return False
    told = _warnings(said)
    return any("-" in word for word in told) or (bool(told) and _sets_apart(line))


def _sets_apart(line: str) -> bool:
    """Whether a line, or a cell of it, says hardly more than one such word, and that of no single finding."""
    cells = (cell for cell in line.split("|") if len(cell.split()) <= _SHORT)
    return not _RATES.search(line) and any(_warnings(_chained(cell)) for cell in cells)


def _warnings(chained: str) -> list[str]:
    return [word for word in _WARN_WORDS if f"-{word}-" in chained]


def _chained(text: str) -> str:
    """The words of a text as the lists above write them, with a hyphen at either end."""
    plain = text.casefold().replace("'", "").replace("’", "")
    return "-".join(["", *re.findall(r"[^\W\d_]+", plain), ""])


def normal_form(text: str, council: bool) -> str:
    """The reply with its verdict as the grammar writes it and its tags as lists; the text itself when all is plain."""
    rows = _untagged(text[:_LONGEST]).split("\n")
    rows = _unfenced(rows)
    done = False
    for number, row in enumerate(rows):
        said = _said(row, alone=not done) or (_in_other_language(rows, number) if council else "")
        if word := word_for(said) if said else "":
            rows[number] = _line(word, council)
            done = True
    return "\n".join(rows)


def _said(row: str, alone: bool) -> str:
    """What a line says for a verdict: behind its label, or as all that it says."""
    bare = row.strip().strip("`").strip()
    if _UNTICKED.match(bare):
        return ""
    if found := _LABEL.fullmatch(bare):
        return found["said"]
    short = bare.strip(_SIGNS)
    return short if alone and 0 < len(short.split()) <= 2 and _is_marked(bare) else ""


def _in_other_language(rows: list[str], number: int) -> str:
    """The FAIL or WARN of a line that opens or closes the reply, whatever its label is called."""
    found = _OTHER_LABEL.fullmatch(rows[number])
    ends = found and (
        not any(map(str.strip, rows[:number])) or not any(map(str.strip, rows[number + 1 :]))
    )
    return found["said"] if found and ends else ""


def _is_marked(bare: str) -> bool:
    """Bold, a heading, a code span, a sign or capitals: a word that is set as a verdict."""
    return bare[:1] in "*_#`❌⚠🟡🔴🛑🚫✖" or bare.strip(_SIGNS).isupper()


def _line(word: str, council: bool) -> str:
    if council:
        return f"Verdict: {word}"
    return "VERDICT: flagged" if word == "FAIL" else ""


def _unfenced(rows: list[str]) -> list[str]:
    """Without the marks of fences that hold a verdict, when no line outside of fences states one."""
    spans: list[tuple[int, int]] = []
    opened = -1
    for number, row in enumerate(rows):
        mark = _FENCE.fullmatch(row)
        if mark and opened < 0:
            opened = number if mark["tag"].lower() in _OPEN_TAGS else -2
        elif mark and not mark["tag"]:
            if opened >= 0:
                spans.append((opened, number))
            opened = -1
    inside = {at for start, end in spans for at in range(start, end + 1)}
    if any(_LABEL.fullmatch(row.strip()) for at, row in enumerate(rows) if at not in inside):
        return rows
    drop: set[int] = set()
    for start, end in spans:
        if any(_LABEL.fullmatch(row.strip()) for row in rows[start + 1 : end]):
            drop |= {start, end}
    return [row for at, row in enumerate(rows) if at not in drop]


def _untagged(text: str) -> str:
    """Findings in tags as a list, and a verdict in tags as a line."""
    verdict = _TAGGED.search(text) if "<" in text else None
    if not verdict:
        return text
    if verdict[2].upper().startswith(("PASS", "APPROV")):  # why it passes is no finding
        text = re.sub(r"(?i)</?reason\b[^<>]{0,80}>", "\n", text)
    entries = [_entry(found["names"], found["inside"]) for found in _ENTRY.finditer(text)]
    bare = _TAGGED.sub(lambda found: f"\nVerdict: {found[2]}\n", _ENTRY.sub("", text))
    bare = re.sub(r"</?[A-Za-z][\w-]{0,30}[^<>]{0,80}>", "\n", bare)
    listed = "".join(f"- {entry}\n" for entry in entries if entry)
    return f"{bare}\n\nReasons:\n{listed}" if listed else bare


def _entry(names: str, inside: str) -> str:
    parts = {key.lower(): value for key, value in _NAME.findall(names)}
    parts |= {key.lower(): " ".join(value.split()) for key, value in _PART.findall(inside)}
    words = " ".join(re.sub(r"<[^<>]{0,80}>", " ", _PART.sub("", inside)).split())
    said = _first(parts, "description", "what", "title", "message", "text", "summary") or words
    severity, fix = parts.get("severity", ""), _first(parts, "fix", "recommendation", "remedy")
    place = _first(parts, "location", "file", "path", "where")
    if not said:
        return ""
    lead = f"[{severity}] " if severity else ""
    return lead + (f"{place}: " if place else "") + said + (f"\n  Fix: {fix}" if fix else "")


def _first(parts: dict[str, str], *names: str) -> str:
    return next((parts[name] for name in names if parts.get(name)), "")
