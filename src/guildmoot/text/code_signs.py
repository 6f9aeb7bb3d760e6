"""What a text says of its own language where neither its name nor its first line does: a mode line, or its form.

A form tells that a text is code, not of which language: enough to know that somebody must read it.
"""

from __future__ import annotations

from guildmoot.text.patterns import lazy

_EMACS = lazy(r"-\*-(?:.*?\bmode:)?[ \t]*([\w+#-]+)[ \t]*(?:;.*)?-\*-")
_VIM = lazy(r"\b(?:vim?|ex):[ \t]*(?:.*?[ \t:])?(?:ft|filetype|syntax|syn)=([\w+#-]+)")
_MODE_LINES = 5
"""Lines at either end of a file in which editors look for one."""
_SHOWN = 20_000
"""Letters whose form is looked at."""
_WORDS = (
    "def|class|function|fn|func|fun|sub|proc|struct|enum|interface|trait|impl|namespace|package|module|import|from|use"
    "|using|require|include|return|if|elif|elsif|else|for|foreach|while|until|unless|switch|match|case|try|except|catch"
    "|finally|with|raise|throw|var|let|const|local|my|our|async|await|yield|assert|new|end|do|begin"
)
_HEAD = lazy(
    rf"[ \t]*(?:(?:export|pub|public|private|protected|static|final|abstract|async|default)[ \t]+)*(?:{_WORDS})\b"
)
_OF_CODE = lazy(r"[(){}\[\];=]|:[ \t]*$|[\"'][ \t]*$")
_IMPORT = (
    r"[ \t]*(?:import[ \t]+[\w.]+(?:[ \t]+as[ \t]+\w+)?|from[ \t]+[\w.]+[ \t]+import[ \t]+.+"
    r"|use[ \t]+[\w:]+|#[ \t]*include[ \t]*[<\"].+|return\b.*)[ \t]*;?[ \t]*$"
)
_CALL = (
    r"[ \t]*(?:[\w$@]+[ \t]*[-+*/|&]?=[ \t]*)?[\w$@]+(?:(?:\.|::|->)\w+)*!?\(.*\)[ \t]*;?[ \t]*$"
)
_SET = r"[ \t]*[\w$@.>\[\]'\"-]+[ \t]*(?:[-+*/|&.]?=|:=|<-)[ \t]*\S.*;[ \t]*$"
_OPENS = r".*[)\w\"'][ \t]*\{[ \t]*$"
_IMPORTS = lazy(_IMPORT)
_FORM = lazy(f"{_OPENS}|{_IMPORT}|{_CALL}|{_SET}")
_ASIDE = lazy(r"[ \t]*(?:$|#(?![ \t]*include)|//|/\*|\*|--|[;%]|[\])}]+[;,]?[ \t]*$|<!--)")
_LEAST = 0.3
"""Of the lines that say something, how many must have the form of code."""


def mode_of(text: str) -> str:
    """The mode that an editor's line asks for, such as ``python``; empty without one."""
    if "-*-" not in text and "ft=" not in text and "filetype=" not in text and "syn" not in text:
        return ""
    lines = text.split("\n")
    for line in (*lines[:_MODE_LINES], *lines[-_MODE_LINES:]):
        found = _EMACS.search(line[:500]) or _VIM.search(line[:500])
        if found:
            return found[1].lower()
    return ""


def has_form_of_code(text: str) -> bool:
    """Whether many of the lines are such as programs have, and prose, lists and settings have not."""
    said = [line for line in text[:_SHOWN].split("\n") if not _ASIDE.match(line)]
    like_code = sum(map(_is_of_code, said))
    return like_code > 0 and like_code >= _LEAST * len(said)


def _is_of_code(line: str) -> bool:
    line = line[:500]
    if _HEAD.match(line):
        return bool(_OF_CODE.search(line)) or _IMPORTS.match(line) is not None
    return _FORM.match(line) is not None
