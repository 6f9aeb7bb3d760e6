"""Whether a text of Ruby may declare a method, and whom it reaches. Pure."""

from __future__ import annotations

import posixpath
import re

from guildmoot.text.patterns import lazy

_TESTS = lazy(r"_(?:spec|test)\.rb$|^test_\w+\.rb$")
_FOLDERS = lazy(r"(?:^|/)(?:spec|tests?|features|specs)/")
_NO_MACRO = "(?!expect|allow|assert|refute|raise|puts|send|respond_to|receive|it |fail)"


def declares(word: str, text: str) -> bool:
    """A method, an alias, or a symbol that is handed to what may make a method of it."""
    name = re.escape(word) + ("" if word[-1] in "?!" else r"\b(?![?!])")
    forms = (
        rf"\bdef\s+(?:\w+\.)*{name}",
        rf"\balias(?:_method)?[\s(]+:?{name}",
        rf"^\s*{_NO_MACRO}[a-z_]\w*[!?]?[ (](?:[^#\n]*[\s(,\[*])?[:\"']{name}",
        rf"\b(?:Struct|Data|OpenStruct)\b[^#\n]*[:\"'\s(]{name}",
        rf"%[iwIW][\[({{][^\])}}]*\b{name}",
        rf"^\s*(?::\w+[!?]?,\s*)*:{name}",
        rf"define_(?:singleton_)?method[\s(]+[:\"']{name}",
    )
    return re.search("|".join(forms), text, re.MULTILINE) is not None


def is_reached(path: str, user: str) -> bool:
    """Whether what a file declares may be known in another: that of a test is not, unless it helps others."""
    if _TESTS.search(posixpath.basename(path)):
        return False
    return _is_test(user) == _is_test(path) or path.endswith((".rake", "Rakefile"))


def _is_test(path: str) -> bool:
    return _FOLDERS.search(path) is not None
