"""What the grammars do not know yet, written so that they do: only to learn whether a file parses.

A file that fails is tried again in each of these forms; where one of them parses, nothing is wrong with it.
Positions are always those of the file as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

_Rewrite = Callable[[bytes], bytes]
_FLOW = re.compile(
    rb"@flow\b|^(?:import typeof? |declare |(?:export )?(?:opaque )?type \w)", re.MULTILINE
)
_ZSH = re.compile(rb"zsh|\$\{\(|\$\+\w|\(%\)")
_OBJECTIVE = re.compile(
    rb"^[ \t]*(?:@(?:interface|protocol|class|end|import)\b|#[ \t]*import\b)", re.MULTILINE
)
_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*(\w+)")


def other_forms(name: str, text: bytes) -> Iterator[tuple[str, bytes]]:
    """Each further reading that is worth a try: the grammar, and the text in its form."""
    for grammar, rewrite in _FORMS.get(name, ()):
        yield grammar, rewrite(text)
    if name == "C" and _OBJECTIVE.search(text):
        yield "Objective-C", text
        yield "Objective-C", _plain_c(text)


def is_other_dialect(name: str, path: str, text: bytes) -> bool:
    """Whether the file is in a dialect that no grammar here knows: zsh, Flow, templates."""
    if name == "Shell":
        return path.endswith((".zsh", ".ksh", "configure")) or bool(_ZSH.search(text))
    if name == "JavaScript":
        return bool(_FLOW.search(text))
    return name in ("HTML", "SQL", "CSS") and is_template(text)


def is_template(text: bytes) -> bool:
    """Whether another program fills this text in before anybody parses it."""
    return bool(re.search(rb"\{\{|\{%|<%|<\?(?!xml)|\$\{\w|@@\w+@@|^@\w+@", text, re.MULTILINE))


def _sub(*pairs: tuple[bytes, bytes]) -> _Rewrite:
    rules = [(re.compile(pattern, re.MULTILINE), by) for pattern, by in pairs]

    def rewrite(text: bytes) -> bytes:
        for pattern, by in rules:
            text = pattern.sub(by, text)
        return text

    return rewrite


def _same(text: bytes) -> bytes:
    return text


_COMMENTS = re.compile(
    rb"""//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""",
    re.DOTALL,
)


def first_branches(text: bytes) -> bytes:
    """The text without directives of a preprocessor, and of each condition the first branch alone."""
    kept: list[bytes] = []
    hidden: list[bool] = []
    in_directive = False
    for line in _COMMENTS.sub(_blank_comment, text).split(b"\n"):
        found = None if in_directive else _DIRECTIVE.match(line)
        word = found[1] if found else b""
        if word.startswith(b"if"):
            hidden.append(False)
        elif word in (b"else", b"elif", b"elifdef") and hidden:
            hidden[-1] = True
        elif word == b"endif" and hidden:
            hidden.pop()
        is_directive = in_directive or found is not None
        in_directive = is_directive and line.rstrip().endswith(b"\\")
        kept.append(b"" if is_directive or any(hidden) else line)
    return b"\n".join(kept)


def _blank_comment(token: re.Match[bytes]) -> bytes:
    """A text stays; of a comment its line ends do, continued ones too: it may stand in a directive or after one."""
    if not token[0].startswith(b"/*"):
        return token[0]
    return b"".join(re.findall(rb"\\?[ \t]*\n", token[0]))


_MACROS = _sub(
    (rb"\bva_arg\s*\([^(),]*,[^()]*\)", b"va_arg_"),
    (rb"\b(?:offsetof|container_of|alignof|_Alignof|sizeof|typeof|__typeof__)\s*\([^()]*\)", b"0"),
    (rb"^[ \t]*[A-Z][A-Z0-9_]{2,}(?:[ \t]*\([^()\n]*\))?[ \t]*$", b""),
    (rb"^([ \t]*)[A-Z][A-Z0-9_]{2,}(?:\([^()\n]*\))?[ \t]+(?=(?:[a-z]|[A-Z]\w*[a-z]))", rb"\1"),
    (rb"(\))[ \t\n]*[A-Z][A-Z0-9_]{2,}(?:\([^()\n]*\))?(?=\s*[;{,)])", rb"\1"),
    (rb"^([ \t]+)[A-Z][A-Z0-9_]{2,}[ \t]*\(.*\)[ \t]*\{[ \t]*$", rb"\1{"),
    (rb"^[ \t]*[A-Z][A-Z0-9_]{2,}[ \t]*\(.*\)[ \t]*;?[ \t]*$", b""),
    (rb'"[ \t]*[A-Z][A-Za-z0-9_]*[ \t]*(?=")', b'" '),
    (rb'"[ \t]*[A-Z][A-Z0-9_]{2,}', b'"'),
)


def _plain_c(text: bytes) -> bytes:
    return _MACROS(first_branches(text))


_TS = _sub(
    (rb"\bexport type \*", b"export *"),
    (rb"""\b(?:typeof\s+)?import\s*\(\s*(['"])[^'"\n]*\1\s*\)""", b"imported_"),
    (rb"\bin(?=\d)", b"im"),
    (rb"\baccessor\s+(?=[\w#])", b""),
    (rb"\basserts (?=this\b)", b""),
    (
        rb"^([ \t]+(?:\w+\??|new )?\([^\n]{0,300}\)\??: [^\n;{}=]{0,300}[\w>\])])$(?=\n[ \t]*<\w)",
        rb"\1;",
    ),
)
_JSX_AND = _sub(
    (rb"""(?<==)("[^"\n{}<>]*&[^"\n{}<>]*"|'[^'\n{}<>]*&[^'\n{}<>]*')(?=[\s/>])""", b'"x"'),
    (rb"&(?!&)(?=[^<>{}=;&]*(?:&[^<>{}=;&]+)*(?:<|\{|$))(?<!&&)", b"|"),
)
_GO = _sub((rb"\bnew\(", b"nev("), (rb"^//.*$", b""))
_SH = _sub(
    (rb"\bfor[ \t]+(\w+)[ \t]+do\b", rb"for \1 in a; do"),
    (rb"(?<=[\s;&|(])coproc[ \t]+", b""),
    (rb"\$\{\w+@\w\}", b"$x"),
    (rb"(?<=[<>])\|", b""),
    (rb"(?<=[\w./*])\$(?=[)\s])", b""),
    (rb"\$\(\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)\)", b"0"),
    (rb"\$\{[^{}\n]*\}", b"$x"),
)
_CSS = _sub(
    (rb"url\([^)\n]*\)", b"none"),
    (rb"--[\w-]+:[ \t]*;", b""),
    (
        rb"^[ \t]*@(?:config|plugin|source|theme|utility|variant|apply|custom-\w+|reference)\b[^;{]*;",
        b"",
    ),
    (rb"&", b"a"),
    (rb":global\(|:local\(|:deep\(|:slotted\(", b":is("),
    (rb"\\.", b"x"),
    (rb"@import[^;\n]*$", b""),
)
_CS = _sub((rb"^[ \t]*#.*$", b""))
_SWIFT = _sub((rb"\(\(\)\)", b"(0)"), (rb"value: \(\)", b"value: 0"), (rb"^[ \t]*#\w+.*$", b""))
_KOTLIN = _sub((rb"\bin(?=\d)", b"im"), (rb"@\w+ (?=set|get)", b""))
_SQL = _sub(
    (rb"^\\.*$", b""),
    (rb"^\s*(?:USE|GO|DELIMITER)\b.*$", b""),
    (rb"\[(\w+)\]", rb"\1"),
)

_FORMS: dict[str, tuple[tuple[str, _Rewrite], ...]] = {
    "Go": (("Go", _GO),),
    "TypeScript": (("TypeScript", _TS),),
    "TSX": (("TSX", _TS), ("TSX", lambda text: _JSX_AND(_TS(text)))),
    "JavaScript": (("JavaScript", _JSX_AND), ("TSX", _TS)),
    "Shell": (("Shell", _SH),),
    "C": (("C++", _same), ("C", _plain_c), ("C++", _plain_c)),
    "C++": (("C++", _plain_c),),
    "Objective-C": (("Objective-C", _plain_c),),
    "C#": (("C#", first_branches), ("C#", _CS)),
    "CSS": (("CSS", _CSS),),
    "Swift": (("Swift", _SWIFT),),
    "Kotlin": (("Kotlin", _KOTLIN),),
    "SQL": (("SQL", _SQL),),
}
