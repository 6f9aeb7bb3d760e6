"""Pieces of the HTML report: foreign text that can only be text, lists, tables and sections."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from guildmoot.text.clean import clean, one_line, spans


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
