"""Whether a value that stands beside a telling name is a secret, or an example, a reference, a word."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache, lru_cache
from math import log2

from guildmoot.guard.words import PLAIN, SAYING, STATES


@cache
def compiled(shape: str) -> re.Pattern[str]:
    """The pattern, made when it is first needed: most texts need few."""
    return re.compile(shape)


@cache
def in_bytes(shape: bytes) -> re.Pattern[bytes]:
    """The same for bytes."""
    return re.compile(shape)


_PIECES = r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+"
_HEX = r"(?:0x)?(?:[0-9a-f]{16,}|[0-9A-F]{16,})"
_UUID = r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
_DIGIT = r"[0-9]"
_LETTER = r"[^\W\d_]"
_SPECIAL = r"[!#$%&*+=?@^~|]"

# What looks a value up, or will be filled in, or is a mask.
_REFERENCE = (
    r"\$\w+\Z|\$[({]|\{[{%]|[%}]\}|</|#\{|<%|%[({]|%\w\Z|%[sdvr@]|\{[\w.:!\[\]\"'-]*\}|\A<[^<>]*>?|\w\(|\(\)|\.\.\.|\u2026"
    r"|\[masked:|masked_|\]\[|\Aos\.|\benviron|\bprocess\.|\bgetenv|\bENV\b|\Asecrets?[./]|\Avault:|\Aarn:|\Akeyring:"
    r"|://|\\[dwsSWD]|\A\^|\[[a-zA-Z]-[a-zA-Z]|\A[@&!*]?\w+\[|=>|->|::|\*\*\*|&lt;|\A[:@]\w+\Z|[\"'`] ?[+.&|]"
)  # fmt: skip
# Written so that nobody takes it for a real one.
EXAMPLE = (
    r"(?i)example|placeholder|(?:change|replace|update)[ _-]?(?:me|this|it|with)|dummy|redacted|x{3,}|y{4,}|your[ _-]?"
    r"|\binsert|todo\b|fixme|fake|lorem|\Aabc123\Z|\A123abc\Z|[_-]here\b|not[ _-]?a?[ _-]?real"
    r"|(?:foo|spam|quux)[ _-]?(?:bar|eggs|baz)"
    r"|\bnever[ _-]|keyboard cat|hidden|omitted|censored|my[_-](?:super[_-])?(?:secret|password|token|api|key|access)"
    r"|12345678-1234|1234567890abcdef|0123456789abcdef|00000000|11111111|deadbeef"
)  # fmt: skip
_STEM = (
    r"(?i)pass(?:w|phrase|code)|\bpwd\b|secret|token|credential|api[_-]?key|kennwort|contrase|mot de passe|test"
    r"|sample|mock|default|user|admin|login|auth|bearer|basic|digest|string|value|field"
)  # fmt: skip
# Words of the trade with a digit in them, which make no word a password.
_TECHNICAL = (
    r"(?i)(?<![A-Za-z])(?:u?int\d+|float\d+|base-?\d+|b64|utf-?\d+|ucs-?\d|sha-?\d+(?:[-_/]\d+)?|md[45]|[a-z]{2}256|oauth-?\d|s3|ec2|k8s|i18n"
    r"|l10n|a11y|x-?509|ed25519|http/?\d|ipv\d|\bv\d+|web3|log4j|argon2\w*|pbkdf2|bcrypt|scrypt|p12|pkcs-?\d+|aes-?\d+\w*"
    r"|rsa-?\d+|r?r?fc-?\d+|h26\d|mp[34]|win(?:32|64)|x86|x64|(?:arm|amd)64|saml\d|tls\d|\b\d+(?:st|nd|rd|th|[smhd]|[kmg]i?b?|px|em|bits?|bytes?|chars?)\b"
    r"|iso-?\d+|latin-?\d|cp\d{3,4}|python\d|py\d+|es\d|d3|[cg]pt-?\d\w*|(?:19|20)\d\d-\d\d-\d\d\S*)"
)  # fmt: skip
_NAME = r"[A-Za-z]+\d{0,2}(?:[_.:/-][A-Za-z]*\d{0,2})+"
_FILE = r"[\w.~/\\-]*\.[a-z]{2,5}|[~.]?/[\w./-]*|[\w.-]+/[\w./-]*"


def looks_random(run: str) -> bool:
    """Whether the characters look drawn from a hat rather than written as words."""
    core = run.strip("/+-_=")
    if len(core) < 16 or not compiled(_LETTER).search(core):
        return False
    if not core.isascii() and 2 * sum(letter > "\x7f" for letter in core) > len(core):
        return False  # words of another script
    if compiled(_HEX).fullmatch(core):
        return spread(core) >= 2.9 and len(compiled(_LETTER).findall(core)) > 2
    one_case = core.isalnum() and (core.islower() or core.isupper())
    # Without a digit only a jumble of cases: kQzRtYbN, not getUserNameById.
    most = (4.0 if one_case else 2.6) if compiled(_DIGIT).search(core) else 1.9
    return _piece_length(core) < most and spread(core) >= 3.3


def _piece_length(core: str) -> float:
    """How many characters of one kind stand together on average: about 2 by chance, 5 in words."""
    pieces = compiled(_PIECES).findall(core)
    return sum(map(len, pieces)) / max(1, len(pieces))


def spread(core: str) -> float:
    """Shannon's entropy in bits a character."""
    size = len(core)
    return -sum(n / size * log2(n / size) for n in Counter(core).values())


def is_technical(token: str) -> bool:
    """A word of the trade with a digit in it: ``OAuth2``, ``S3``, ``UTF-8``."""
    return not compiled(_DIGIT).search(compiled(_TECHNICAL).sub("", token))


def is_reference(value: str) -> bool:
    """``${NAME}``, ``{{ name }}``, ``os.environ[...]``, ``<your token>``, ``get()``, a mask, an address."""
    return compiled(_REFERENCE).search(value) is not None


def is_plain(value: str) -> bool:
    """A reference, an example, or a word that only names what should stand there."""
    low = value.lower()
    return (
        is_reference(value)
        or _is_example(value)
        or low in PLAIN
        or bool(compiled(_STEM).fullmatch(low))
    )


def _is_example(value: str) -> bool:
    """Whether a word says that it is one; behind letters and digits, as in ``Kx9exampleT7``, it says nothing."""
    for found in compiled(EXAMPLE).finditer(value):
        before = compiled(r"[A-Za-z0-9]*\Z").search(value, 0, found.start())
        glued = before[0] if before else ""
        if glued.isalpha() or not glued or glued.isdigit() or len(set(found[0])) < 3:
            return True
    return False


@lru_cache(maxsize=4096)
def is_secret(value: str, *, strong: bool, bare: bool = False) -> bool:
    """Whether a literal is a secret: ``strong`` for a name such as password, ``bare`` without quotes."""
    core = value.strip()[:1024]
    if len(core) < 4 or len(set(core)) < 4 or is_reference(core):
        return False
    if " " in core or "\t" in core:
        return strong and not bare and _is_pass_phrase(core)
    if looks_random(core) or compiled(_UUID).fullmatch(core):
        return not _is_example(core) or "EXAMPLE" in core
    if _is_example(core) or core.lower() in PLAIN:
        return False
    if _is_file(core):
        name, dot, _ = core.rpartition(".")
        return (
            strong
            and bool(dot)
            and "/" not in core
            and bool(compiled(_DIGIT).search(name))
            and is_secret(name, strong=strong, bare=True)
        )
    plain = compiled(_TECHNICAL).sub("", core)
    has_digit, has_letter = compiled(_DIGIT).search(plain), compiled(_LETTER).search(plain)
    stem = compiled(_STEM).search(core)
    if (
        compiled(_NAME).fullmatch(core)
        and _piece_length(core) >= 3
        and (not strong or stem or not _is_pass_phrase(core))
    ):
        return False
    if has_digit and has_letter:
        return len(core) >= (5 if strong else 8) and (len(core) >= 8 or not stem)
    if not strong or len(core) < 5:
        return False
    if compiled(_SPECIAL).search(core[:-1]) and has_letter:
        return not stem
    if has_digit:
        return core.isdigit() and len(core) >= 6
    return not bare and not stem and len(core) >= 6 and (core.isalpha() or _is_pass_phrase(core))


# How words end that say something about a password: required, missing, invalid, optional, ungültig, obligatoire.
_STATE = r".*(?:ed|ing|[ai]ble|ly|ous|ful|less|ent|ant|ive|al|[oa]ry|ic|ion|id|ct|[ai]d[ao]|en|ig|lich|bar|oire|ée?s?)"
_CLAUSE = r"[.!,;)\]*\"'`]|\s*(?:\Z|[\r\n])|[ \t](?:for|on|and|für|und|pour|et|para|y|but)\b"


def is_told(value: str, behind: str) -> bool:
    """Whether a word is what a sentence gives as the password: ``the password is swordfish.``"""
    low = value.lower()
    return (
        len(value) >= 5
        and value.isalpha()
        and (value.islower() or value.istitle())
        and not (low in STATES or low in PLAIN or low in SAYING)
        and not compiled(_STATE).fullmatch(low)
        and not (compiled(EXAMPLE).search(low) or compiled(_STEM).search(low))
        and compiled(_CLAUSE).match(behind) is not None
    )


def _is_file(core: str) -> bool:
    return compiled(_FILE).fullmatch(core) is not None and _piece_length(core) >= 3


def _is_pass_phrase(value: str) -> bool:
    """Words that say nothing, as in ``correct horse battery staple``; a message says something."""
    words = re.split(r"[ _.:/-]+", value.strip())
    if len(words) < 2 or len(words) > 24 or value[-1] in ".!?:," or compiled(_STEM).search(value):
        return False
    if not all(word.isalnum() for word in words) or compiled(EXAMPLE).search(value):
        return False
    saying = sum(word.lower() in SAYING or word.lower() in PLAIN for word in words)
    return len(words) - saying >= max(2, 2 * saying + 1) or (saying == 0 and len(words) > 1)
