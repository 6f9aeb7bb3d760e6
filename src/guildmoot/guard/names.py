"""The names that tell of a secret, in code, on command lines and in prose of several languages.

``password``, ``dbPassword`` and ``AWS_SECRET_ACCESS_KEY`` tell of one; ``password_hint``, ``max_tokens``,
``token_type`` and ``tokenizer`` do not.
"""

from __future__ import annotations

from functools import lru_cache

from guildmoot.guard.values import compiled
from guildmoot.guard.words import ABOUT, OF_OTHERS, STRONG, WEAK

# As glued to other words: dbpassword, myapikey. "pass" only behind these, for compass and bypass are words.
_ENDS = (
    r"(?P<strong>passw(?:or[dt]|d)|passphrase|kennwort|motdepasse|contrase[ñn]a|(?:^|db|user|my|admin|root|sudo|smtp|ftp|mail|"
    r"redis|mysql|pg|postgres|mongo|ldap|ssh|key|store|sql|login|http|proxy|vpn|wifi)(?:pass|pwd|pw))$"
    r"|(?:secret|token|apikey|accesskey|secretkey|privatekey|authkey)$"
)
_PLURAL = r"(?<=[a-rt-z])s$"
_WORDS = r"[A-Z]+(?![a-zß-ÿ])|[A-Z]?[^\W\dA-Z_]+|\d+"


@lru_cache(maxsize=8192)
def strength(name: str) -> str:
    """``strong``, ``weak`` or nothing, for a whole name such as ``spring.datasource.password``."""
    words = [word.lower() for word in compiled(_WORDS).findall(name[-80:])]
    for at in range(len(words) - 1, -1, -1):
        for size in (3, 2, 1):
            first = at - size + 1
            found = _kind("".join(words[first : at + 1]), size) if first >= 0 else ""
            if found:
                return _weighed(found, words[:first], words[at + 1 :])
    return ""


def _kind(word: str, size: int) -> str:
    single = compiled(_PLURAL).sub("", word)
    if word == "pass":
        return "weak"  # mostly a verb
    if word in STRONG or single in STRONG:
        return "strong" if word in STRONG else "weak"
    if word in WEAK or single in WEAK:
        return "weak"
    glued = compiled(_ENDS).search(single) if size == 1 else None
    if not glued:
        return ""
    return "strong" if glued["strong"] else "weak"


def _weighed(found: str, before: list[str], behind: list[str]) -> str:
    if any(word in ABOUT for word in behind) or (before and before[-1] in OF_OTHERS):
        return ""
    return found if all(word.isdigit() for word in behind) else "weak"
