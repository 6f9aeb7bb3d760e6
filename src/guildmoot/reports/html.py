"""Writes a document as one HTML file that needs nothing else: no script, no font, no picture, no network.

The page's policy allows its own style and nothing more, so even a mistake in the escaping could not run
or load anything.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files

from guildmoot.reports import document as doc
from guildmoot.text.clean import clean, one_line, spans, web_address

_VOTES = {"PASS": "good", "FAIL": "bad", "DISAGREE": "bad"}


def to_html(document: doc.Document) -> str:
    """The document as a web page."""
    banner = _banner(document.banner) if document.banner else ()
    main = ("<body>", "<main>", *banner, *_sections(document.blocks), "</main>")
    footer = f"<footer><p>{inline(document.footer)}</p></footer>"
    lines = (*_head(document.title), *main, footer, "</body>", "</html>")
    return "\n".join(line for line in lines if line) + "\n"


@cache
def style_sheet() -> str:
    """The look of every page: light and dark, wide and narrow, on screen and on paper."""
    return files("guildmoot.reports").joinpath("style.css").read_text(encoding="utf-8")


def inline(text: doc.Text) -> str:
    """One line; foreign text in it can only be text."""
    return "".join(map(_part, doc.parts(text))).strip()


def _part(part: str | doc.StyledText) -> str:
    if isinstance(part, str):
        flat = "".join(" " if mark.isspace() else mark for mark in clean(part))
        return "".join(f"<code>{escape(t)}</code>" if c else escape(t) for c, t in spans(flat))
    said = escape(one_line(part.text))
    match part.style:
        case "break":
            return "<br>"
        case "vote":
            return f'<span class="chip {_VOTES.get(part.text, "unsure")}">{said}</span>'
        case "strong":
            return f"<b>{inline(part.text)}</b>"
        case "muted":
            return f"<small>{inline(part.text)}</small>"
        case "code":
            return f"<code>{said}</code>"
        case "mark":
            return escape(part.text)


def _head(title: str) -> Iterator[str]:
    style = style_sheet()
    digest = b64encode(sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield '<meta name="referrer" content="no-referrer">'
    yield f"<title>{escape(one_line(title))} · Guildmoot</title>"
    yield f"<style>{style}</style>\n</head>"


def _banner(banner: doc.Banner) -> Iterator[str]:
    yield f'<header class="verdict tone-{banner.tone or "none"}">'
    mark = f'<span aria-hidden="true">{banner.symbol}</span> ' if banner.symbol else ""
    yield f"<h1>{mark}{inline(banner.word)}<small>{inline(banner.rest)}</small></h1>"
    if any(name for name, _ in banner.facts):
        # the heading says the outcome already
        yield _facts(pair for pair in banner.facts if pair[0] != "Outcome")
    else:
        values = (inline(value) for _, value in banner.facts if value)
        yield f'<p class="facts">{" · ".join(values)}</p>'
    if banner.head:
        known = (f"{name}: {inline(value)}" for name, value in banner.head)
        yield f'<p class="facts">{" · ".join(known)}</p>'
    if banner.reasons:
        yield f'<div class="reasons">{_items(map(inline, banner.reasons))}</div>'
    yield "</header>"


def _sections(blocks: Iterable[doc.Block]) -> Iterator[str]:
    """Every heading but the smallest begins a section, which the next one ends."""
    is_open = False
    for block in blocks:
        if isinstance(block, doc.SectionHeading) and block.level < 4:
            yield "</section>" if is_open else ""
            is_open = True
            kind = f' class="severity {block.tone}"' if block.tone else ""
            aside = block.remark or block.note
            small = f" <small>{inline(aside)}</small>" if aside else ""
            yield f"<section{kind}><h2>{inline(block.title)}{small}</h2>"
        else:
            yield from _block(block)
    yield "</section>" if is_open else ""


def _block(block: doc.Block) -> Iterator[str]:
    match block:
        case doc.SectionHeading():
            yield f"<h3>{inline(block.title)}</h3>"
        case doc.Paragraph(text, kind):
            yield f'<p class="{kind or "plain"}">{inline(text)}</p>'
        case doc.Bullets(items):
            yield f'<div class="card">{_items(map(inline, items))}</div>'
        case doc.Facts(pairs):
            yield f'<div class="card">{_facts(pairs)}</div>'
        case doc.Table():
            yield from _table(block)
        case doc.Quote(text, lead, kind):
            who = f'<p class="who">{inline(lead)}</p>' if lead else ""
            yield f'<div class="{f"said {kind}".strip()}">{who}{_quote(text)}</div>'
        case doc.Lines(text):
            yield f'<div class="card">{_quote(text)}</div>'
        case doc.Code(text):
            yield f"<pre><code>{escape(clean(text).strip(chr(10)))}</code></pre>"
        case doc.Fold(summary, items):
            listed = _items(map(inline, items))
            yield f"<details><summary>{inline(summary)}</summary>{listed}</details>"
        case doc.FindingCards(items):
            for claim in items:
                yield from _claim(claim, verbatim=block.form == "verbatim")
        case doc.Filter(boxes):  # the style sheet alone acts on them
            shown = (
                f'<label><input type="checkbox" id="show-{name}" checked>{name} {number:,}</label>'
                for name, number in boxes
            )
            yield f'<fieldset class="filter"><legend>Show</legend>{"".join(shown)}</fieldset>'


def _claim(claim: doc.FindingCard, *, verbatim: bool) -> Iterator[str]:
    kind = "blocking" if claim.blocking else "advisory"
    tag = '<span class="tag">blocking</span>' if claim.blocking else ""
    place = f"<code>{escape(claim.place)}</code>" if claim.place else "the work as a whole"
    if line := web_address(claim.link):
        place = f'<a href="{escape(line)}" rel="noopener noreferrer">{place}</a>'
    label, address = inline(claim.label), web_address(claim.url)
    if address:
        label = f'<a href="{escape(address)}" rel="noopener noreferrer">{label}</a>'
    yield f'<article class="card finding {kind} {claim.tone}">'
    yield f'<p class="where"><span class="place">{place}</span>{tag}'
    yield f"<span>{label}</span><span>{inline(claim.who)}</span></p>"
    if verbatim:
        yield _quote(claim.title)
    else:
        yield f"<h3>{inline(claim.title) or 'No reason was given.'}</h3>"
    if claim.quote.strip():
        yield _source(claim)
    if claim.others:
        listed = _items(f"<code>{escape(place)}</code>" for place in claim.others)
        yield f"<details><summary>Also at {len(claim.others):,} more places</summary>{listed}</details>"
    yield _facts(claim.details)
    if claim.patch.strip():
        patch = escape(clean(claim.patch).strip("\n"))
        yield f"<details><summary>Patch</summary><pre><code>{patch}</code></pre></details>"
    yield "</article>"


def _source(claim: doc.FindingCard) -> str:
    lines = clean(claim.quote).strip("\n").split("\n")
    if claim.line < 1:
        return f"<pre><code>{escape(chr(10).join(lines))}</code></pre>"
    width = len(str(claim.line + len(lines) - 1))
    numbered = (
        f'<span class="number">{number:>{width}}  </span>{escape(line)}'
        for number, line in enumerate(lines, claim.line)
    )
    return f"<pre><code>{chr(10).join(numbered)}</code></pre>"


def _table(table: doc.Table) -> Iterator[str]:
    counts = (number in table.numbers for number in range(len(table.heads)))
    kinds = [' class="count"' if count else "" for count in counts]
    heads = (
        f'<th scope="col"{kind}>{inline(head)}</th>'
        for kind, head in zip(kinds, table.heads, strict=True)
    )
    yield '<div class="card scroll" tabindex="0"><table>'
    yield f"<caption>{inline(table.caption)}</caption>" if table.caption else ""
    yield f"<thead><tr>{''.join(heads)}</tr></thead><tbody>"
    for first, *rest in table.rows:
        cells = (f"<td{k}>{inline(c) or '–'}</td>" for k, c in zip(kinds[1:], rest, strict=True))
        yield f'<tr><th scope="row">{inline(first)}</th>{"".join(cells)}</tr>'
    yield "</tbody></table></div>"


def _facts(pairs: Iterable[tuple[str, doc.Text]]) -> str:
    shown = "".join(f"<dt>{name}</dt><dd>{inline(value)}</dd>" for name, value in pairs if value)
    return f"<dl>{shown}</dl>" if shown else ""


def _items(lines: Iterable[str]) -> str:
    return f"<ul>{''.join(f'<li>{line}</li>' for line in lines)}</ul>"


def _quote(text: str) -> str:
    lines = [inline(line) for line in clean(text).strip().split("\n") if line.strip()]
    return f"<blockquote>{'<br>'.join(lines) or '–'}</blockquote>"
