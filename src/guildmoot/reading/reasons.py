"""Turns one item of a judge's list into a finding (mark, code, evidence, place, quote, remedy) or a run.

Regular expressions are imported where used: the fast verbs must start without them.
"""

from __future__ import annotations

from guildmoot.model.verdict import CliRun, Finding, Severity
from guildmoot.reading.list_items import Item

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from guildmoot.model.verdict import NamedTuple

DEFAULT_CODE = "criterion-unmet"
_RATINGS: dict[str, Severity] = {
    **dict.fromkeys(("critical", "severe", "kritisch", "p0"), "critical"),
    **dict.fromkeys(("high", "major", "significant", "p1"), "high"),
    **dict.fromkeys(("medium", "moderate", "p2", "should-fix"), "medium"),
    **dict.fromkeys(("low", "minor"), "low"),
}
_GATES = {
    **dict.fromkeys(("blocking", "blocker"), True),
    **dict.fromkeys(
        (
            *(
                "advisory",
                "non-blocking",
                "nonblocking",
                "nit",
                "nitpick",
                "optional",
                "suggestion",
            ),
            *("trivial", "style", "info", "p3", "p4"),
        ),
        False,
    ),
}
_PLAIN_MARKS = (
    "blocking",
    "blocker",
    "advisory",
    "non-blocking",
    "nit",
    "nitpick",
    "suggestion",
    "optional",
)
"""Marks that need no brackets, bold type or capitals to be one."""
PLAIN_RATINGS = ("critical", "severe", "kritisch", "significant", "major", "minor")
"""Ratings that stand where a code does: ``critical: the name goes into the query``."""
_STEMS = frozenset(word[:3] for word in (*_RATINGS, *_GATES))
_TYPE = "*_ \t"
_PASSED = (
    r"(?i)\b(?:pass(?:ed|es)?|ok|success(?:ful(?:ly)?)?|succeeded|green|true|yes|clean"
    r"|exit(?: code| status)?\W{0,3}0)\b|[✅✓✔]"
)
_FAILED = (
    r"(?i)\b(?:fail(?:ed|s|ure|ures)?|error(?:s|ed)?|red|false|no|not|timed? ?out"
    r"|exit(?: code| status)?\W{0,3}[1-9]\d*)\b|[❌✗✘]"
)
_ZERO = r"(?i)\b(?:0|no|zero) (?:failed|failures?|errors?)\b"
_AFTER_PLACE = (
    r"[`*_(]{0,3}[^\s`]{1,200}:L?\d{1,7}(?:[-–:]L?\d{1,7})?[`*_)]{0,3}[\s:–—-]{1,4}"
    r"[\[(*_]{0,3}([A-Za-z][\w-]{1,12})[\])*_]{0,3}\s?:"
)
"""``a.py:2: minor: ...``: the mark stands between the place and what is said of it."""
_CALLED = (
    r"(?i)\b(?:this|that|it|which) is an? (?:critical|severe)(?: [\w-]{1,20}){0,2}"
    r" (?:bug|defect|flaw|error|fault|issue|problem|hole|vulnerability)\b"
)
_SPAN = r"`+([^`]+)`+"
_BREAK = r"\s*(?:->|→|=>|—|–|:(?=\s)|\s-\s|\()\s*"


class Marks(NamedTuple):
    """What stood before a reason, and the reason without it."""

    text: str
    blocking: bool | None = None
    severity: Severity | None = None


def read_reason(item: Item, seat: str, family: str, places: bool = True) -> Finding:
    """The finding that an item states; it blocks unless it is marked as advisory."""
    marks = read_marks(item.text)
    if "severity" in item.fields:
        marks = _with_field(marks, item.fields["severity"])
    elif marks.severity is None and "group" in item.fields:
        marks = _with_field(marks, item.fields["group"])
    code, aside, evidence = read_code(marks.text)
    if aside.lower() in _RATINGS or aside.lower() in _GATES:
        marks = _marked(marks, aside.lower())
    elif marks.severity is None and _is_rating(code):
        marks = _marked(marks, code.lower())
    blocking = marks.blocking is not False
    finding = Finding(
        seat=seat,
        code=item.fields.get("code", "").strip("`*_") or code,
        title=evidence if evidence.count("**") % 2 == 0 else evidence.replace("**", ""),
        severity=marks.severity or ("high" if blocking else "low"),
        blocking=blocking,
        why=item.fields.get("why", ""),
        fix=item.fields.get("fix", ""),
        family=family,
    )
    return _placed(finding, item, aside) if places else finding


def _is_rating(code: str) -> bool:
    """A code that is a rating: ``Low: ...``; in small letters ``low`` may be a code of its own."""
    return code.lower() in PLAIN_RATINGS or (code[:1].isupper() and code.lower() in _RATINGS)


def read_marks(text: str) -> Marks:
    """Strip ``BLOCKING:``, ``**Advisory** -``, ``[critical]`` and the like from the front."""
    marks = Marks(text)
    for _ in range(3):
        word, rest = _mark(marks.text)
        if not rest:
            break
        marks = _marked(marks._replace(text=rest), word)
    if marks.severity is None and marks.blocking is None:
        marks = _after_place(marks)
    if marks.severity is None and "everity" in marks.text:
        marks = marks._replace(severity=_said_severity(marks.text))
    if marks.severity is None and ("(" in marks.text or "[" in marks.text):
        marks = _in_brackets(marks)
    if marks.severity is None and _is_called_critical(marks.text):
        marks = marks._replace(severity="critical")
    return marks


def _after_place(marks: Marks) -> Marks:
    """With the mark that follows the place at the front; the text is kept, for the place is read from it."""
    import re

    found = re.match(_AFTER_PLACE, marks.text) if ":" in marks.text else None
    word = found[1].lower() if found else ""
    return _marked(marks, word) if word in _RATINGS or word in _GATES else marks


def _is_called_critical(text: str) -> bool:
    """``That is a critical correctness bug``, in running words; a lesser word there may belittle."""
    import re

    return re.search(_CALLED, text) is not None


def _in_brackets(marks: Marks) -> Marks:
    """With the gravest rating that stands alone in brackets: ``SQL injection (critical)``, ``naming (nit)``."""
    import re

    found = re.findall(r"[(\[][*_`]{0,3}(\w[\w-]{1,12})[*_`]{0,3}[)\]]", marks.text)
    words = {word.lower() for word in found}
    word = next((word for word in (*_RATINGS, *_GATES) if word in words), "")
    return _marked(marks, word) if word else marks


def _mark(text: str) -> tuple[str, str]:
    """The mark at the front and the text after it; an empty text when there is no mark."""
    whole, text = text, _without_sign(text)
    bare = text.lstrip("[(*_")
    if bare[:3].lower() not in _STEMS and bare[:2].lower() not in _STEMS:
        return "", ""
    length = 0
    while bare[length : length + 1].isalnum() or bare[length : length + 1] == "-":
        length += 1
    word, after = bare[:length].lower(), bare[length:]
    if word not in _RATINGS and word not in _GATES:
        return "", ""
    decorated = len(bare) < len(text)
    rest = after.lstrip("])*_ \t")
    dashed = bare[:1].isupper() and rest[:2] in ("- ", "– ", "— ")
    plain = word in _PLAIN_MARKS or bare[:length].isupper()
    if not (decorated or text != whole or plain or dashed):
        return "", ""
    if rest[:1] == ":" or rest[:2] in ("- ", "– ", "— "):
        return word, rest[1:].lstrip("])*_ \t")
    place, closes, said = rest[1:].partition("):")
    if rest[:1] == "(" and bare[:length].isupper() and closes and "(" not in place:
        return word, f"{place}: {said.lstrip()}"  # CRITICAL (a.py:6): ...
    closed = decorated and after[:1] in ("]", ")", "*", "_")
    return (word, rest) if closed else ("", "")


def _without_sign(text: str) -> str:
    """Without a picture at the front, as the red circle before what is critical."""
    first = text[:1]
    return text[1:].lstrip("\ufe0f \t") if first > "\u2000" and not first.isalnum() else text


def _marked(marks: Marks, word: str) -> Marks:
    if word in _RATINGS:
        return marks._replace(severity=_RATINGS[word])
    if word == "blocker" and marks.severity is None:
        marks = marks._replace(severity="critical")
    return marks._replace(blocking=_GATES[word])


def _with_field(marks: Marks, said: str) -> Marks:
    for word in said.lower().replace("*", " ").replace("`", " ").split():
        if word in _RATINGS or word in _GATES:
            marks = _marked(marks, word)
    return marks


def _said_severity(text: str) -> Severity | None:
    """``severity: high`` anywhere in the text."""
    after = text.lower().partition("everity")[2].lstrip(":= *_`")
    return next((_RATINGS[word] for word in _RATINGS if after.startswith(word)), None)


def read_code(text: str) -> tuple[str, str, str]:
    """Code, what stood in brackets after it, and the evidence: ``code (aside): evidence``."""
    end = text.find(":")
    bracket = text.find("(", 0, max(end, 0))
    if bracket >= 0 and ")" not in text[bracket:end]:
        end = text.find(":", text.find(")", bracket))
    head, evidence = text[: max(end, 0)], text[end + 1 :].strip()
    name, aside = _split_aside(head.strip("`" + _TYPE))
    if not evidence or not _is_code(name):
        return (
            _decorated_code(text) if text[:1] in ("`", "*", "[", "_") else (DEFAULT_CODE, "", text)
        )
    if head[:1] in ("*", "_") and head[-1:] not in ("*", "_"):
        evidence = evidence.lstrip(_TYPE)  # the bold type ended after the colon
    return name, aside, evidence


def _split_aside(head: str) -> tuple[str, str]:
    if not head.endswith(")"):
        return head, ""
    name, _, aside = head[:-1].partition("(")
    return name.rstrip("`" + _TYPE), aside


def _is_code(name: str) -> bool:
    """At least two letters, digits or hyphens, a letter first and no hyphen last."""
    plain = name.replace("-", "")
    return (
        len(name) > 1
        and name.isascii()
        and plain.isalnum()
        and name[0].isalpha()
        and name[-1] != "-"
    )


def _decorated_code(text: str) -> tuple[str, str, str]:
    """A code set apart by its type: `` `code` - evidence``, ``[some-code] evidence``."""
    import re

    name = r"([A-Za-z][A-Za-z0-9-]*[A-Za-z0-9])"
    aside = r"\s*(?:\(([^)]*)\))?\s*"
    dashed = rf"[`*_]{{1,4}}{name}[`*_]{{1,4}}{aside}[-–—]+\s+(\S.*)"
    boxed = rf"\[`?([A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)+)`?\]{aside}[-–—:]?\s*(\S.*)"
    found = re.match(dashed, text, re.DOTALL) or re.match(boxed, text, re.DOTALL)
    return (found[1], found[2] or "", found[3]) if found else (DEFAULT_CODE, "", text)


def _placed(finding: Finding, item: Item, aside: str) -> Finding:
    """With the file, lines and quote that the item names."""
    from guildmoot.reading.places import find_anchor, find_quote

    where = item.fields.get("where", "").strip("`*_ ")
    for text in (f"`{where}`", aside, finding.title):
        path, line, end_line = find_anchor(text)
        if path:
            break
    stated = item.fields.get("quote", "").strip("`") or (find_quote(finding.title) if path else "")
    quote = stated or "\n".join(item.quote).strip("\n")
    remedy = "\n".join(item.remedy).strip("\n")
    return finding._replace(
        path=path,
        line=line,
        end_line=end_line,
        quote=quote,
        firm=bool(stated),
        fix=finding.fix or remedy,
        patch=remedy + "\n" if _is_patch(remedy) else "",
    )


def _is_patch(code: str) -> bool:
    """A unified diff that names its files."""
    rows = code.splitlines()
    return any(row.startswith("+++ ") for row in rows) and any(row.startswith("@@") for row in rows)


def read_run(item: Item, seat: str) -> CliRun | None:
    """The command and its result; one whose result is not said did not pass."""
    import re

    text = " ".join((item.text, *item.fields.values())).strip()
    span = re.search(_SPAN, text)
    if span:
        command, said = span[1], text[: span.start()] + " " + text[span.end() :]
    else:
        command, _, said = _broken(text.removeprefix("$ "))
    if not command.strip():
        return None
    said = re.sub(_ZERO, " passed ", said)
    passed = bool(re.search(_PASSED, said)) and not re.search(_FAILED, said)
    return CliRun(seat, command.strip(" $"), passed)


def _broken(text: str) -> tuple[str, str, str]:
    """At the last break that a result follows."""
    import re

    for gap in reversed(list(re.finditer(_BREAK, text))):
        said = text[gap.end() :]
        if re.search(_PASSED, said) or re.search(_FAILED, said):
            return text[: gap.start()], gap[0], said
    return text, "", ""
