"""Writes a document as Markdown, fit for a pull request's comment or a page in a repository.

Foreign text can neither format, link, embed HTML, close its code block nor notify anyone. One line is
guarded besides: tools look for ``## Council Verdict:`` at the start of any line, inside code fences too,
so what a judge quotes never begins one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from guildmoot.reports import document as doc
from guildmoot.text.clean import clean, one_line, spans, web_address

MOST_FOLDED = 20
MOST_BYTES = 60_000
"""What fits a pull request's comment, with room for a line before it."""
_STAGES = (200, 50, 15, 5)
_SHORT = doc.Paragraph(
    "Shortened to fit a comment: the HTML and JSON reports have everything.", "muted"
)
_NOTHING = "–"
_SPECIAL = re.compile(r"[\\`*\[\]<>|~$&!]|(?<![^\W_])_+|_+(?![^\W_])")
_BLOCK_START = re.compile(r"^(?:[#+=>:-]|\d+(?=[.)](?:\s|$)))")
_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
_BARE_PIPE = re.compile(r"(?<!\\)\|")
_LIST_MARK = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_PLAIN_SCALAR = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


def to_comment(document: doc.Document) -> str:
    """The document within ``MOST_BYTES``, which a pull request's comment takes: whole, or shortened.

    First reasons go, then findings; how many is said, and the verdict always stands.
    """
    text = to_markdown(document)
    for most in _STAGES:
        if len(text.encode()) <= MOST_BYTES:
            return text
        text = to_markdown(document._replace(blocks=(*_shortened(document.blocks, most), _SHORT)))
    rows = text.encode()[: MOST_BYTES - 200].decode("utf-8", "ignore").split("\n")[:-1]
    return "\n".join((*rows, "", inline(_SHORT.text))) + "\n"


def _shortened(blocks: Iterable[doc.Block], most: int) -> Iterator[doc.Block]:
    """The blocks with at most so many findings, rows and points each."""
    for block in blocks:
        match block:
            case doc.FindingCards(items):
                cut = tuple(each._replace(others=each.others[:most]) for each in items[:most])
                yield doc.FindingCards(cut, "listed")
                if len(items) > most:
                    yield doc.Paragraph(f"… {len(items) - most:,} more like these")
            case doc.Table(rows=rows):
                yield block._replace(rows=rows[:most])
            case doc.Fold(items=listed):
                yield block._replace(items=listed[:most])
            case doc.Bullets(listed):
                yield doc.Bullets(listed[:most])
            case _:
                yield block


def to_markdown(document: doc.Document) -> str:
    """The whole document; the same one gives the same bytes."""
    blocks = [_front(document), *_banner(document.banner)]
    for block in document.blocks:
        blocks += _block(block)
    return "\n\n".join(block for block in (*blocks, inline(document.footer)) if block) + "\n"


def inline(text: doc.Text) -> str:
    """One line that cannot begin anything but a paragraph."""
    return _BLOCK_START.sub(_escape_start, _joined(text))


def _joined(text: doc.Text) -> str:
    return "".join(map(_part, doc.parts(text))).strip()


def _part(part: str | doc.StyledText) -> str:
    if isinstance(part, str):
        shown = re.sub(r"\s+", " ", clean(part))
        return "".join(_code(said) if is_code else _escape(said) for is_code, said in spans(shown))
    if part.style == "code":
        return _code(part.text)
    if part.style in ("break", "mark"):
        return part.text or "; "
    return f"**{inline(part.text)}**" if part.style == "strong" else inline(part.text)


def _code(text: str) -> str:
    """A code span that the text cannot close."""
    text = one_line(text)
    ticks = "`" * (_longest_run(text) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def _fenced(text: str, language: str = "text") -> str:
    """A code block that the text cannot close."""
    text = clean(text).strip("\n")
    ticks = "`" * max(3, _longest_run(text) + 1)
    return f"{ticks}{language}\n{text}\n{ticks}"


def _front(document: doc.Document) -> str:
    lines = []
    for name, value in document.front:
        if isinstance(value, str):
            lines.append(f"{name}: {_scalar(value)}")
        else:
            lines += [f"{name}:", *(f"  - {_scalar(each)}" for each in value)]
    return "\n".join(("---", *lines, "---")) if lines else ""


def _scalar(text: str) -> str:
    """A text as YAML reads it: bare when it is plain, else in double quotes."""
    text = one_line(text)
    return text if _PLAIN_SCALAR.fullmatch(text) else json.dumps(text)


def _banner(banner: doc.Banner | None) -> Iterator[str]:
    if banner is None:
        return
    rest = f": {banner.rest}" if banner.rest else ""
    title = banner.title or f"{banner.symbol} {banner.word}{rest}"
    yield f"{'#' * banner.level} {inline(title)}"
    if any(name for name, _ in banner.facts):
        yield _facts(banner.facts)
    else:
        yield " · ".join(inline(value) for _, value in banner.facts if value)
    if banner.head:
        yield " · ".join(f"**{name}:** {inline(value)}" for name, value in banner.head)
    yield _bullets(map(inline, banner.reasons))


def _block(block: doc.Block) -> Iterator[str]:
    match block:
        case doc.SectionHeading():
            remark = f": {inline(block.remark)}" if block.remark else ""
            yield f"{'#' * block.level} {inline(block.title)}{remark}"
        case doc.Paragraph(text, kind):
            yield f"> {inline(text)}" if kind == "callout" else inline(text)
        case doc.Bullets(items):
            yield _bullets(map(inline, items))
        case doc.Facts(pairs):
            yield _facts(pairs)
        case doc.Table():
            yield _table(block)
        case doc.Quote(text, lead):
            yield from (inline(lead), _quote(text))
        case doc.Lines(text):
            rows = (inline(_LIST_MARK.sub("", line)) for line in clean(text).split("\n"))
            yield _bullets(row for row in rows if row)
        case doc.Code(text, language):
            yield _fenced(text, language)
        case doc.Fold(summary, items):
            more = len(items) - MOST_FOLDED
            rest = [f"and {more} more, which the JSON report names"] if more > 0 else []
            yield f"{inline(summary)}:"
            yield _bullets([*map(inline, items[:MOST_FOLDED]), *rest])
        case doc.FindingCards():
            yield from _claims(block)


def _claims(block: doc.FindingCards) -> Iterator[str]:
    if block.table:
        yield _table(block.table)
    elif block.form == "listed":
        yield _bullets(map(_in_a_line, block.items))
    else:
        for claim in block.items:
            yield from _verbatim(claim) if block.form == "verbatim" else _headed(claim)


def _headed(claim: doc.FindingCard) -> Iterator[str]:
    blocking = "✗ blocking" if claim.blocking else "advisory"
    yield f"### {_where(claim)} · {inline(claim.label)} · {blocking}"
    yield inline(claim.title) or "No reason was given."
    if claim.quote.strip():
        yield _fenced(claim.quote)
    if claim.patch.strip():
        yield _fenced(claim.patch, "diff")
    address = web_address(claim.url)
    rule = [f"**Rule:** {f'<{address}>' if address else _code(claim.url)}"] if claim.url else []
    details = [f"**{name}:** {inline(text)}" for name, text in claim.details]
    if claim.others:
        details.insert(0, f"**Also at:** {', '.join(map(_code, claim.others))}")
    yield _bullets([*details, *rule, f"**Judge:** {inline(claim.who)}"])


def _verbatim(claim: doc.FindingCard) -> Iterator[str]:
    yield f"**{inline(claim.who)}** ({inline(claim.label)}, {_where(claim)}):"
    yield _quote(claim.title)
    if claim.quote.strip():  # behind a bar, so that no line begins as a line of the report
        yield _fenced("\n".join(f"| {row}" for row in clean(claim.quote).strip("\n").split("\n")))
    yield _bullets(f"{name}: {inline(text)}" for name, text in claim.details)


def _in_a_line(claim: doc.FindingCard) -> str:
    """Low advice is often long: without quotations it still fits a pull request's comment."""
    said = [inline(claim.title) or "no reason was given"]
    if claim.others:
        said.append(f"also at {', '.join(map(_code, claim.others))}")
    said += [f"{name}: {inline(text)}" for name, text in claim.details if name in ("Fix", "Note")]
    return f"{_where(claim)} · {inline(claim.label)} · {inline(claim.who)}: {'; '.join(said)}"


def _where(claim: doc.FindingCard) -> str:
    if not claim.place:
        return "the work as a whole"
    address = web_address(claim.link)
    return f"[{_code(claim.place)}](<{address}>)" if address else _code(claim.place)


def _table(table: doc.Table) -> str:
    """A bar in `code` would end its cell too, so every bar is escaped."""
    rules = ["--:" if number in table.numbers else "---" for number in range(len(table.heads))]
    heads, *cells = (
        [_BARE_PIPE.sub(r"\\|", _joined(cell)) or _NOTHING for cell in row]
        for row in (table.heads, *table.rows)
    )
    return "\n".join(f"| {' | '.join(row)} |" for row in (heads, rules, *cells))


def _facts(pairs: Iterable[tuple[str, doc.Text]]) -> str:
    return "\\\n".join(f"**{name}:** {inline(value)}" for name, value in pairs if value)


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _quote(text: str) -> str:
    lines = [inline(line) for line in clean(text).strip().split("\n")]
    return "\\\n".join(f"> {line}" for line in lines if line) or f"> {_NOTHING}"


def _escape(text: str) -> str:
    escaped = _SPECIAL.sub(lambda m: _ENTITIES.get(m[0]) or re.sub("(.)", r"\\\1", m[0]), text)
    return escaped.replace("@", "@<!-- -->")  # a name under review must not be notified


def _escape_start(match: re.Match[str]) -> str:
    """What would begin a heading, a list or a quotation at the start of a line."""
    found = match[0]
    return f"{found}\\" if found.isdigit() else f"\\{found}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
