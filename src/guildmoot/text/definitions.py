"""The names that a file gives: what its code defines and what its headings say, told by form and without a parser.

Good enough to find a file by, in any common language; what a name means is left to others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_MARKS = (
    r"(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|override|virtual|inline"
    r"|extern|unsafe|open|sealed|data|partial|declare|pub(?:\([a-z]+\))?)[ \t]+){0,5}"
)
_DEFINES = re.compile(
    rf"(?m)^[ \t]*{_MARKS}(?:def|class|func|fun|function\*?|fn|struct|enum|interface|trait|impl|module|record"
    r"|protocol|object|sub|proc|namespace|type|message|service|rpc)[ \t]+(?:\([^()\n]{0,80}\)[ \t]*)?(?:self\.)?"
    r"(?P<name>[A-Za-z_$][\w$]{0,80})"
)
_ARROW = re.compile(
    rf"(?m)^[ \t]*{_MARKS}(?:const|let|var)[ \t]+(?P<name>[\w$]{{1,80}})[ \t]*=[ \t]*(?:async\b[ \t]*)?"
    r"(?:function\b|\([^()\n]{0,200}\)[^=\n]{0,60}=>|\w{1,80}[ \t]*=>)"
)
_METHOD = re.compile(
    r"(?m)^[ \t]*(?!(?:return|else|new|throw|await|if|while|for|switch|case|catch|do|try)\b)"
    r"(?:[\w<>\[\],.*&:~]{1,80}[ \t]+){1,6}[*&]?(?P<name>[A-Za-z_]\w{0,80})[ \t]*\([^;\n]{0,300}\{[ \t]*$"
)
_HEADING = re.compile(r"(?m)^#{1,6}[ \t]+(?P<name>[^\n#]{1,120})")
_LONGEST = 60_000


def defined_names(text: str) -> Iterator[str]:
    """Functions, classes, types and modules that the text defines, in no order; one may come twice."""
    for form in (_DEFINES, _ARROW, _METHOD):
        yield from (found["name"] for found in form.finditer(text, 0, _LONGEST))


def headings(path: str, text: str) -> Iterator[str]:
    """The headings of a document."""
    if path.casefold().endswith((".md", ".markdown", ".mdx", ".rst", ".txt")):
        yield from (found["name"].strip() for found in _HEADING.finditer(text, 0, _LONGEST))
