"""The head of every page: a policy that allows the page's own style and nothing more.

So even a mistake in a page's escaping could not run or load anything.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from html import escape

from guildmoot.text.clean import clean


def head(title: str, style: str) -> Iterator[str]:
    """Everything before the body; ``title`` may be anybody's words, ``style`` is ours."""
    digest = b64encode(sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield '<meta name="referrer" content="no-referrer">'
    yield f"<title>{escape(clean(title))} · Guildmoot</title>"
    yield f"<style>{style}</style>\n</head>"
