"""Cuts the lines under a heading into items: lists of every common form, tables, titles, prose.

An item keeps what is nested below it: ``Fix: ...`` becomes a field, other text is folded in.
"""

from __future__ import annotations

from guildmoot.reading.blocks import MARK, OWN, QUOTED, SPACE, Line, columns_before

_GLYPHS = frozenset("-*+•◦▪‣·●○–—➤►❌⚠🔴🟠🟡✗✘")
_RATING_OF = {"🔴": "critical", "🟠": "high", "🟡": "medium"}
"""Signs with which a list rates its items."""
_BOXES = ("[ ] ", "[x] ", "[X] ")
_FIELDS = {
    "fix": "fix|remedy|suggested fix|suggested remedy|suggestion|recommendation|recommended fix",
    "why": "why|impact|because|risk|rationale|consequence|why it matters",
    "severity": "severity|sev|level|priority|prio|rank|blocking|schweregrad",
    "where": "file|path|location|where|anchor|line|lines",
    "code": "code|flag|flag code|rule|id|category",
    "quote": "quote|snippet|quoted code",
    "text": "evidence|reason|issue|finding|problem|description|detail|details|message|what|title",
}
_RATING_WORDS = """critical kritisch high significant medium moderate low minor major info note trivial blocker blocking
    advisory yes no true false none warning error not non-blocking p0 p1 p2 p3 p4 1 2 3 4 5"""
_RATINGS = frozenset(_RATING_WORDS.split())
_RATED_WORDS = "critical kritisch high significant major medium moderate minor low"
_RATED = frozenset(_RATED_WORDS.split())
_RATES = _RATED | {"blocker", "blocking", "non-blocking", "nit", "nitpick", "p0", "p1", "p2"}
_GROUPING = """severity priority issue issues finding findings problem problems concerns note notes remarks comments
    suggestions non blocking optional"""
_GROUPED = frozenset(_GROUPING.split())
_FIELD_OF = {word: field for field, words in _FIELDS.items() for word in words.split("|")}
_TABLE_RULE = set("-: ")
_LINES = ("line", "lines", "line(s)", "zeile", "zeilen")
_COUNTERS = ("#", "no", "no.", "nr", "n")
_WRAPPED_AT = 50
"""A line at least this long may run on in the next one without being indented."""


class Item:
    """One reason, remedy or note, with what was found nested in it."""

    __slots__ = ("_parts", "fields", "listed", "number", "quote", "remedy", "titled")

    def __init__(self, text: str, titled: bool = False, number: int | None = None) -> None:
        self._parts = [text]
        self.fields: dict[str, str] = {}
        self.quote: list[str] = []
        self.remedy: list[str] = []
        """Code that a line such as ``Fix:`` announced."""
        self.titled = titled
        """It began as a heading and has no words of its own yet."""
        self.listed = True
        """A bullet, a row or a title sets it apart; a paragraph is set apart by nothing."""
        self.number = number
        """That it was given in its list; None where it has none."""

    @property
    def numbered(self) -> bool:
        """Whether it stands in a list with numbers."""
        return self.number is not None

    @property
    def text(self) -> str:
        """The item's words, with what was folded in, without a label that only announced code."""
        said = "".join(self._parts)
        return said[: said.rstrip(": ").rfind(" ")].rstrip() if self.remedy else said

    def add(self, text: str, joint: str) -> None:
        """Take in a nested or continued line: as a field when it is labelled as one."""
        self.titled = False
        field, value = read_field(text)
        if field in ("", "text") or field in self.fields:
            said = value if field == "text" else text
            self._parts += [" " if self._parts[-1].endswith(":") else joint, said]
        else:
            self.fields[field] = value


def read_field(text: str) -> tuple[str, str]:
    """``Fix: add a cap`` as field and value; two empty strings when it is not a field."""
    head, colon, value = text.partition(":")
    if not colon or len(head) > 24:
        return "", ""
    field = _FIELD_OF.get(head.strip("*_` \t").lower(), "")
    value = value.strip("*_ \t")
    if field == "why" and value.strip("`[]().").lower() in _RATES:
        return "group", value  # "Impact: High" rates; where a severity is said, that counts
    return (field, value) if value and _fits(field, value) else ("", "")


def _fits(field: str, value: str) -> bool:
    """A rating, a code or a place is short; a sentence after the same word is a sentence."""
    words = value.split()
    if field == "severity" and words[0].strip("*_`[](),.").lower() not in _RATINGS:
        return False
    return field in ("fix", "why", "text", "quote") or len(words) <= (1 if field == "code" else 4)


def read_items(lines: list[Line]) -> list[Item]:
    """The items of lists, tables and titled parts; when there are none, the paragraphs of prose."""
    if all(row[:2] == "- " and kind == OWN for kind, row in lines if row):  # no more than a list
        texts = [bullet_text(row.rstrip(SPACE)) for _, row in lines if row]
        return [Item(text) for text in texts if text]
    found = _Pass()
    for kind, row in lines:
        found.take(kind, row)
    return found.done()


def bullet_text(line: str) -> str:
    """The text of a stripped line that is an item of a list (``-``, ``1.``, ``a)``), or nothing."""
    mark = line[:1]
    if mark in _GLYPHS:
        rest = line[1:].removeprefix("\ufe0f")
    elif mark == "(" or mark.isalnum():
        rest = _after_number(line)
    else:
        return ""
    text = rest.lstrip(SPACE)
    if text == rest:
        return ""
    return text[4:].lstrip(SPACE) if text.startswith(_BOXES) else text


def _after_number(line: str) -> str:
    """What follows ``12.``, ``(3)`` or ``a)``; nothing when the line begins otherwise."""
    head = line[:6].split(maxsplit=1)[0]
    number = head.strip("().")
    fits = len(number) <= 3 if number.isdigit() else len(number) == 1 and number.isalpha()
    return line[len(head) :] if fits and head[-1] in ".)" else ""


def _number(line: str) -> int | None:
    """The number that a line begins with, as that of an item."""
    head = line.lstrip("(")
    digits = head[: len(head) - len(head.lstrip("0123456789"))]
    return int(digits[:4]) if digits else None


def match_remedies(
    reasons: list[Item], remedies: list[Item], *, guess: bool = True
) -> list[tuple[Item, str]]:
    """Each reason with its remedy: by number where both are numbered, by code where each names one, else by order.

    Without a ``guess`` the order tells nothing where they are not as many.
    """
    said = [remedy.fields.get("fix") or remedy.text for remedy in remedies]
    by_number = {reason.number: reason for reason in reasons}
    numbers = [remedy.number for remedy in remedies]
    if None not in by_number and len(by_number) == len(reasons) and {*numbers} <= {*by_number}:
        return [(by_number[n], text) for n, text in zip(numbers, said, strict=True)]
    by_code = {_name(reason.text)[0]: reason for reason in reasons}
    named = [_name(text) for text in said]
    if "" not in by_code and named and all(name in by_code for name, _ in named):
        return [(by_code[name], rest) for name, rest in named]
    return list(zip(reasons, said, strict=False)) if guess or len(said) == len(reasons) else []


def _name(text: str) -> tuple[str, str]:
    """The code that a text begins with, and what follows it: ``sql-injection: use parameters``."""
    head, colon, rest = text.partition(":")
    code = head.partition("(")[0].strip("`*_ \t").casefold()
    return (code, rest.strip("*_ \t")) if colon and code and " " not in code else ("", text)


def says_none(text: str) -> bool:
    """Whether it only says that there is nothing, how many or where: ``none``, ``2 issues``."""
    if len(text) > 60 or text[:1] not in _NONE_BEGINS:
        return False
    words = [word.strip(_MARKS) for word in text.lower().replace("-", " ").split()]
    words = [word for word in words if word and not word.isdigit()]
    if words[:1] in _NONE_WORDS:
        words = words[1:]
    elif not text[:1].isdigit() and words:
        return False
    rated = text[:3].lower() == "no " and not _NAMED.isdisjoint(words)
    return (_EMPTY | _GRAVELY if rated else _EMPTY).issuperset(words)


def only_greets(text: str) -> bool:
    """Whether an item is only polite: ``Thanks!``, ``Overall LGTM``, ``Nice work, see you in the next round``."""
    words = [word.strip(_MARKS) for word in text.casefold().split()]
    words = [word for word in words if word and word not in _OPENERS]
    first = " ".join(words[:2])
    return len(words) <= _LONGEST_GREETING and (words[:1] in _GREETINGS or first in _GREETED)


_LONGEST_GREETING = 12
_OPENERS = ("overall", "otherwise", "but", "and", "again", "many", "really", "so", "very")
_GREETINGS = (["thanks"], ["lgtm"], ["cheers"], ["congratulations"])
_GREETED = frozenset(
    [
        *(
            "thank you",
            "great work",
            "nice work",
            "good work",
            "good job",
            "great job",
            "well done",
            "happy to",
        ),
        *("looking forward", "let me", "looks good", "feel free", "hope this"),
    ]
)
_NONE_WORDS = (["none"], ["n/a"], ["na"], ["nil"], ["nothing"], ["no"], ["not"], ["see"])
_MARKS = "*_`.,;:!()[]–—-"
_NONE_BEGINS = "nNsS0123456789" + _MARKS
_EMPTY_WORDS = """a above advisory and any applicable at below blocking change concerns escalate escalation
    finding findings fix for found from here identified in is issue issues moment my necessary needed
    none noted notes now of problems reasons remedies report required side the this time to total was
    were"""
_EMPTY = frozenset(_EMPTY_WORDS.split())
_NAMED = frozenset(("issue", "issues", "problems", "concerns", "findings", "finding"))
_GRAVELY_WORDS = """significant serious severe critical major important real open further other outstanding
    remaining"""
_GRAVELY = frozenset(_GRAVELY_WORDS.split())
"""How what is not there would be rated: "no significant issues"."""


class _Pass:
    """The state of one pass over the lines of a section."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.paragraphs: list[list[str]] = []
        self.rows: list[str] = []
        self.above: Item | None = None
        """The title below which a table began."""
        self.rating = ""
        """The severity that the title of a group names."""
        self.current: Item | None = None
        self.base = 0
        """Columns before the bullets of the outer list; negative below a title."""
        self.gap = True
        """The line before was blank."""
        self.last = ""

    def take(self, kind: str, row: str) -> None:
        line = row.strip(SPACE)
        if kind == QUOTED:
            if self.current:
                kept = self.current.remedy if _announces_fix(self.last) else self.current.quote
                kept.append(line.removeprefix(">") if line[:1] == ">" else row)
        elif not line:
            self.gap = True
        elif kind != MARK:
            self._spoken(line, columns_before(row))
            self.last, self.gap = line, False

    def _spoken(self, line: str, columns: int) -> None:
        listed = bullet_text(line)
        if listed:
            self._bullet(listed, columns, _number(line))
            if line[0] in _RATING_OF and self.current:
                self.current.fields.setdefault("group", _RATING_OF[line[0]])
        elif line.startswith("|") and line.count("|") > 1:
            self._row(line)
        elif line.startswith("#") or (self.gap and _is_bold_title(line)):
            self.rating = ""
            self._start(Item(line.strip("#* \t"), titled=True), columns=-1)
        elif self.current and (self._continues(columns) or _is_remark(line)):
            self.current.add(line, ": " if self.current.titled else " ")
        else:
            self.current = None
            self.rating = _group_rating(line) if line.endswith(":") else ""
            self._prose(line)

    def _bullet(self, text: str, columns: int, number: int | None) -> None:
        parent = self.current
        if parent and self._is_part(parent, text, columns, numbered=number is not None):
            parent.add(text, "; ")
            return
        if parent and parent.titled:  # the title only named a group
            self.items.remove(parent)
            self.rating = _group_rating(parent.text)
        self._start(Item(text, number=number), columns)
        if self.rating:
            self.items[-1].fields["group"] = self.rating

    def _row(self, line: str) -> None:
        if not self.rows and self.base < 0:
            self.above = self.current
        self.rows.append(line)

    def _is_part(self, parent: Item, text: str, columns: int, numbered: bool) -> bool:
        """Nested below the item, or a labelled field of a title or of a numbered item."""
        if text.startswith(("BLOCKING:", "**BLOCKING")):
            return False  # a blocking reason is one of its own, wherever it is put
        if 0 <= self.base < columns - 1:
            return True
        takes_fields = self.base < 0 or (parent.numbered and not numbered)
        return takes_fields and read_field(text)[0] not in ("", "code")

    def _start(self, item: Item, columns: int) -> None:
        self.current = item
        self.items.append(item)
        self.base = columns

    def _continues(self, columns: int) -> bool:
        """Indented, under a title, or run on from a line that was broken by its length."""
        if self.base < 0 or (columns > self.base and columns >= 2):
            return True
        return not self.gap and len(self.last) >= _WRAPPED_AT

    def _prose(self, line: str) -> None:
        if self.gap or not self.paragraphs:
            self.paragraphs.append([line])
        else:
            self.paragraphs[-1].append(line)

    def done(self) -> list[Item]:
        items = self.items
        if self.rows:
            listed = _read_table(self.rows)
            named = any({"severity", "group", "where"} & set(item.fields) for item in listed)
            items = [item for item in items if not named or item is not self.above] + listed
        if items:
            return items
        lead_in = len(self.paragraphs) > 1 and self.paragraphs[0][-1].endswith(":")
        for lines in self.paragraphs[lead_in:]:
            if items and _is_remark(lines[0]):
                items[-1].add(" ".join(lines), " ")
            else:
                items.append(Item(" ".join(lines)))
                items[-1].listed = False
        return items


def _is_bold_title(line: str) -> bool:
    """``**2. Unhandled error (nit)**``: a line that is bold from end to end, and numbered or rated, is a heading."""
    mark, inside = line[:2], line[2:-2]
    if mark not in ("**", "__") or not line.endswith(mark) or mark in inside:
        return False
    words = [word.strip(_MARKS) for word in inside.casefold().split()]
    rated = len(words) > 2 and not {words[0], words[-1]}.isdisjoint(_RATES)
    return rated or (_number(inside) is not None and bool(bullet_text(inside)))


def _announces_fix(line: str) -> bool:
    """``Fix:`` alone at the end of a line: the code that follows is the remedy, not a quotation."""
    words = line.rstrip("*_ ").removesuffix(":").lower().split()
    return line.rstrip("*_ ").endswith(":") and any(
        _FIELD_OF.get(" ".join(words[-many:]).strip("*_-• ")) == "fix" for many in (1, 2)
    )


def _group_rating(title: str) -> str:
    """The severity that a title gives to all below it: ``Critical``, ``🔴 Minor issues (2)``."""
    words = "".join(c if c.isalpha() else " " for c in title.casefold()).split()
    rest = set(words[1:]) <= _GROUPED
    return words[0] if words and rest and words[0] in _RATED else ""


def _is_remark(line: str) -> bool:
    """``Fix: ...`` on a line of its own belongs to the item above."""
    return read_field(line)[0] in ("fix", "why", "severity", "group", "where", "quote")


def _read_table(rows: list[str]) -> list[Item]:
    """One item for each row of the body; columns are known by their headings."""
    cells = [_cells(row) for row in rows]
    rules = [number for number, row in enumerate(cells) if set("".join(row)) <= _TABLE_RULE]
    headings = cells[rules[0] - 1] if rules and rules[0] else []
    body = cells[rules[0] + 1 :] if rules else cells
    return [item for row in body if (item := _table_item(headings, row)).text]


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def _table_item(headings: list[str], row: list[str]) -> Item:
    words: list[str] = []
    fields: dict[str, str] = {}
    line = ""
    for number, cell in enumerate(row):
        heading = headings[number].strip("*_` ").lower() if number < len(headings) else ""
        if not cell or heading in _COUNTERS or (not heading and cell.isdigit()):
            continue
        field = read_field(f"{heading}: {cell}")[0]
        if heading in _LINES:
            line = cell.strip("`*_L ")
        elif field and field != "text":
            fields.setdefault(field, cell)
        else:
            words.append(cell)
    if line[:1].isdigit():
        fields["where"] = f"{fields.get('where', '').strip('`*_ ')}:{line}".lstrip(":")
    item = Item(": ".join(words))
    item.fields.update(fields)
    return item
