"""Words of a human language beside a telling name, as files of translations hold them: ``"password": "Hasło"``."""

from __future__ import annotations

import html
import posixpath
import unicodedata
from itertools import pairwise

from guildmoot.guard.values import compiled, is_technical, looks_random

_FORMATS = (
    ".po", ".pot", ".strings", ".stringsdict", ".xcstrings", ".xliff", ".xlf", ".arb", ".resx", ".resw", ".ftl",
    ".lang", ".tmx",
)  # fmt: skip
_HOLDERS = (
    ".json",
    ".json5",
    ".yml",
    ".yaml",
    ".properties",
    ".xml",
    ".toml",
    ".ini",
    ".csv",
    ".tsv",
    ".txt",
    ".qm",
)
_SOURCES = (".ts", ".js", ".mjs", ".cjs", ".php", ".rb", ".py", ".dart", ".lua", ".java", ".kt")
_FOLDER = (
    r"(?i)(?:\A|/)(?:[\w.-]*[._-])?(?:locales?|i18n|l10n|langs?|languages?|translations?|nls|intl|lc_messages"
    r"|values-[a-z]{2,3}(?:-r[a-z]{2})?|[\w-]+\.lproj)/"
)
_LANGUAGE = (
    "aa|ab|ae|af|ak|am|an|ar|as|av|ay|az|ba|be|bg|bi|bm|bn|bo|br|bs|ca|ce|ch|co|cr|cs|cu|cv|cy|da|de|dv|dz|ee|el|en|eo"
    "|es|et|eu|fa|ff|fi|fj|fo|fr|fy|ga|gd|gl|gn|gu|gv|ha|he|hi|ho|hr|ht|hu|hy|hz|ia|id|ie|ig|ii|ik|io|is|it|iu|ja|jv|ka"
    "|kg|ki|kj|kk|kl|km|kn|ko|kr|ks|ku|kv|kw|ky|la|lb|lg|li|ln|lo|lt|lu|lv|mg|mh|mi|mk|ml|mn|mr|ms|mt|my|na|nb|nd|ne|ng"
    "|nl|nn|no|nr|nv|ny|oc|oj|om|or|os|pa|pi|pl|ps|pt|qu|rm|rn|ro|ru|rw|sa|sc|sd|se|sg|si|sk|sl|sm|sn|so|sq|sr|ss|st|su"
    "|sv|sw|ta|te|tg|th|ti|tk|tl|tn|to|tr|ts|tt|tw|ty|ug|uk|ur|uz|ve|vi|vo|wa|wo|xh|yi|yo|za|zh|zu"
)
"""The two letters of ISO 639-1."""
_CODE = rf"(?:{_LANGUAGE})(?:[-_](?:[A-Z][a-z]{{3}}|[A-Z]{{2}}|[a-z]{{2}}|\d{{3}})){{0,2}}"
_NAMED = rf"(?:\A|[._-]){_CODE}\Z|(?i:(?:\A|[._-])(?:strings?|messages?|i18n|l10n|locales?|translations?|labels)\Z)"
_ESCAPE = r"\\u([0-9a-fA-F]{4})"
_PLACEHOLDER = (
    r"\{\{?[\w ,.:#-]*\}?\}|%\(?\w*\)?[sd@]|%\{\w+\}|\$\{?\w+\}?|<[^<>]*>|:\w+\b|\\[nrt\"']"
)
_PIECE = r"[^\W_]+"
_LINKED = r"[^\W\d_][$^&~|=+@\\!*]+[^\W\d_]"
_LONGEST_NUMBER = 4
_VERSIONED = r"[A-Za-z]{1,8}\d{1,2}"
_FEW = 3
"""Words that make a sentence, in which a name may have a number: LDAPv3."""


def is_translation(path: str) -> bool:
    """Whether a file holds texts that people read, in one language or several, by its name and its folders."""
    low = path.lower()
    if low.endswith(_FORMATS):
        return True
    if compiled(_FOLDER).search(path):
        return low.endswith((*_HOLDERS, *_SOURCES))
    name = posixpath.splitext(posixpath.basename(path))[0]
    return low.endswith(_HOLDERS) and compiled(_NAMED).search(name) is not None


def is_foreign(value: str) -> bool:
    """Whether most of its letters are in a script that no machine draws secrets from."""
    letters = [letter for letter in _spelled(value) if letter.isalpha()]
    return 2 * sum(letter > "\u024f" for letter in letters) > len(letters)


def is_wording(value: str) -> bool:
    """Whether it is made of words: letters, numbers apart from them, signs between them; nothing drawn from a hat."""
    plain = unicodedata.normalize("NFC", compiled(_PLACEHOLDER).sub(" ", _spelled(value)))
    if compiled(_LINKED).search(plain):
        return False
    plain = "".join(
        "" if unicodedata.category(letter).startswith("M") else letter for letter in plain
    )
    tokens = compiled(_PIECE).findall(plain)
    words = sum(map(_is_word, tokens))
    rest = [token for token in tokens if not _is_word(token)]
    if rest and (
        words < _FEW or any(compiled(_VERSIONED).fullmatch(token) is None for token in rest)
    ):
        return False
    return not tokens or any(not token.isdecimal() for token in tokens)


def _is_word(token: str) -> bool:
    if token.isalpha():
        return not looks_random(token) and (
            not token.isascii() or _humps(token) <= max(2, len(token) // 5)
        )
    if token.isdecimal():
        return len(token) <= _LONGEST_NUMBER
    foreign = sum(letter > "\x7f" for letter in token)
    digits = max(map(len, compiled(r"\d+").findall(token)), default=0)
    return is_technical(token) or (2 * foreign > len(token) - digits and digits <= _LONGEST_NUMBER)


def _humps(token: str) -> int:
    """How often a small letter is followed by a capital one."""
    return sum(a.islower() and b.isupper() for a, b in pairwise(token))


def _spelled(value: str) -> str:
    """With letters for their escapes: ``Has\\u0142o``, ``Contrase&ntilde;a``."""
    return html.unescape(compiled(_ESCAPE).sub(lambda found: chr(int(found[1], 16)), value))
