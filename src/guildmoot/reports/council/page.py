"""Pieces of the HTML report: its head, and foreign text that can only be text.

The content security policy allows this page's own style and nothing more, so that even a mistake in
the escaping could not run or load anything.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from html import escape

from guildmoot.reports.council.style import STYLE
from guildmoot.reports.text import clean, one_line, spans


def head(title: str) -> Iterator[str]:
    """Everything before the body."""
    digest = b64encode(sha256(STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield '<meta name="referrer" content="no-referrer">'
    yield f"<title>{text(title)} · Guildmoot</title>"
    yield f"<style>{STYLE}</style>\n</head>"


def text(words: str) -> str:
    """Foreign text, escaped."""
    return escape(clean(words))


def line(words: str) -> str:
    """Foreign text on one line; `code` in backticks keeps its look."""
    return "".join(
        f"<code>{text(part)}</code>" if is_code else text(part)
        for is_code, part in spans(one_line(words))
    )


def quote(words: str) -> str:
    """What somebody said, word for word and line by line."""
    lines = [line(row) for row in clean(words).strip().split("\n") if row.strip()]
    return f"<blockquote>{'<br>'.join(lines) or '–'}</blockquote>"


def items(lines: Iterable[str]) -> str:
    """A list of ready lines."""
    return f"<ul>{''.join(f'<li>{each}</li>' for each in lines)}</ul>"


def chip(word: str | None) -> str:
    """A verdict's word in its colour."""
    shown = word or "none"
    return f'<span class="chip {_TONES.get(shown, "unsure")}">{text(one_line(shown))}</span>'


_TONES = {"PASS": "good", "WARN": "unsure", "FAIL": "bad", "DISAGREE": "bad"}


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of ready cells; the first of each row names it."""
    top = "".join(f'<th scope="col">{name}</th>' for name in heads)
    body = "".join(
        f'<tr><th scope="row">{row[0]}</th>{"".join(f"<td>{each}</td>" for each in row[1:])}</tr>'
        for row in rows
    )
    return (
        '<div class="card scroll" tabindex="0"><table>'
        f"<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def section(name: str, title: str, body: Iterable[str], remark: str = "") -> str:
    """A section under its heading; empty when there is nothing in it."""
    inner = "\n".join(body)
    small = f" <small>{line(remark)}</small>" if remark else ""
    heading = f'<section class="{name}"><h2>{line(title)}{small}</h2>'
    return f"{heading}\n{inner}\n</section>" if inner else ""
