"""Finds what stands beside a telling name: in code, settings, XML, SQL, command lines and prose.

Only literals count: ``password = get_password()`` and ``token: str`` are code and stay readable,
and so do placeholders such as ``<your token>`` or ``${TOKEN}``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from guildmoot.guard.families import SecretSpan
from guildmoot.guard.names import strength
from guildmoot.guard.values import is_plain, is_reference, is_secret

# What every text is asked for, in lower case with one byte a character.
_STEMS = (
    b"pass", b"pwd", b"pswd", b"pword", b"pw", b"secret", b"token", b"key", b"credential", b"cookie", b"auth",
    b"connectionstr", b"connstr", b"conn_str", b"connection_str", b"kennwort", b"mdp", b"contrase\xf1a", b"contrasena",
    b"clave", b"senha", b"wachtwoord", b"heslo", b"haslo", b"l\xf6senord", b"losenord", b"adgangskode", b"salasana",
    b"sifre", b"parola", b"jeton", b"geheimnis", b"segreto", b"schl\xfcssel", b"identified",
)  # fmt: skip
_OTHER_LETTERS = re.compile("(?i)пароль|密码|密碼|パスワード|비밀번호|hasło|şifre")
# Backwards from the letters: my.db_, api-, and what comes before a second word, as in "api key".
_LEFT = re.compile(
    r"(?:(?: ed tom| ipa| ssecca| etavirp| htua| gningis| noitpyrcne| retsam| terces| noisses)(?=\W|\Z))?[\w.$-]{0,40}",
    re.IGNORECASE,
)
_RIGHT = re.compile(r"\w{0,30}(?:-\w{1,20}){0,3}")

# A literal in quotes: "...", '...', `...`, \"...\", b"...", N'...', r'''...
_LITERAL = (
    r"(?:[bBrRuUfFNL]{0,2}|[@$])(?P<quote>\\{0,3}(?:\"{3}|'{3}|[\"'`]))"
    r"(?P<value>(?:(?!(?P=quote))(?:\\.|[^\\\n])){1,4096}+)"
)
_ANY = rf"(?:{_LITERAL}|(?P<bare>[^\s\"'`;<>]{{4,512}}))"
_CLOSED = r"\\{0,3}[\"'`]?[\])}]{0,2}"
_SIGN = r"(?::\s{0,4}[\w.\[\]|?, ]{1,40}?=|=>|:=|={1,3}|!={1,2}|:|\?\?=?|\|\|=?|<-|->|\+=)"
_WORD = r"(?P<value>[^\s\"'`<>\u201d\u2019\u00bb]"
_IS = (
    r"(?:[ \t]{0,4}(?:[:=]|->|\u2192)|[ \t]{1,4}(?:is|was|are|be|ist|war|lautet|hei(?:ß|ss)t|est|es|era|ser[aá]|é|è|to"
    r"|jest|är|now|remains)(?:[ \t](?:now|set to|still))?[:=]?)"
)


class ValuePlace(NamedTuple):
    """Where a value can stand behind its name, and in which surroundings."""

    shape: str
    where: str = ""
    """"" anywhere, "text" not where an unquoted word is code, "flag" behind a dash, "set", "call"."""
    bare: bool = False
    """The value has no quotes, so it must look like a secret by itself."""


def _place(shape: str, where: str = "", *, bare: bool = False) -> ValuePlace:
    return ValuePlace(shape, where, bare)


PLACES = (
    # Authorization: Bearer ...
    _place(r"(?i)\\?[\"']?\]?[ \t]{0,4}[:=,][ \t]{0,4}\\?[\"']?(?:bearer|basic|token|digest|apikey|key)[ \t]{1,4}"
           r"(?P<value>[A-Za-z0-9._~+/=-]{8,})", "header"),
    # password = "...", "password": "...", password: str = "...", password == "..."
    _place(rf"{_CLOSED}\s{{0,8}}{_SIGN}\s{{0,24}}\(?\s{{0,24}}{_LITERAL}"),
    # PASSWORD '...', storePassword "..."
    _place(rf"[ \t]{{1,4}}{_LITERAL}", "spaced"),
    # set_password("...")
    _place(rf"\(\s{{0,24}}{_LITERAL}(?P=quote)\s{{0,8}}\)", "call"),
    # getenv("PASSWORD", "..."), env.PASSWORD || "..."
    _place(rf"{_CLOSED}[ \t]{{0,4}}(?:\|\||\?\?|or\b|,)[ \t]{{0,4}}{_LITERAL}", "default"),
    # auth=("user", "...")
    _place(rf"[ \t]{{0,4}}[=:][ \t]{{0,4}}[(\[]\s{{0,4}}[\"'][^\"'\n]{{1,64}}[\"'],[ \t]{{0,4}}{_LITERAL}", "pair"),
    # <add key="password" value="..."/>, - name: PASSWORD, and on the next line value: ...
    _place(rf"\\?[\"']?[\s,]{{1,40}}\\?[\"']?(?:[Vv]alue|VALUE)\\?[\"']?\s{{0,8}}[:=]\s{{0,8}}{_ANY}"),
    # <password>...</password>, <key>password</key><string>...</string>
    _place(r"(?:[^<>\n]{0,80}>|</key>\s{0,40}<string>)\s{0,40}(?:<!\[CDATA\[)?(?P<value>[^<>\n]{3,400}?)\s{0,8}(?:\]\]>)?</",
           "element"),
    # password: ..., PASSWORD=..., ?token=..., ${PASSWORD:-...}
    _place(rf"{_CLOSED}[ \t]{{0,8}}(?:=>|:=|={{1,2}}|:-?)[ \t]{{0,8}}{_WORD}{{4,512}})", "text", bare=True),
    # passphrase: four or more words
    _place(rf"{_CLOSED}[ \t]{{0,8}}[:=][ \t]{{0,8}}"
           r"(?P<value>[A-Za-z0-9]+(?:[ \t][A-Za-z0-9]+){2,23})[ \t]*(?=[\r\n]|\Z)", "phrase"),
    # --password ..., "--password", "..."
    _place(r"(?:[ \t]{1,4}|[\"'][ \t]{0,4},[ \t]{0,4}[\"'])(?P<value>[^\s\"'`<>|;]{4,256})", "flag", bare=True),
    # the password of the database is ..., Passwort lautet ...
    _place(rf"[\"'`*)]{{0,2}}(?:[ \t]{{1,4}}[\w@./()'-]{{1,30}}){{0,5}}?{_IS}[ \t]{{1,4}}"
           rf"(?P<open>[\"'`*\u201c\u2018\u00ab(]{{0,3}}){_WORD}{{4,128}})", "says", bare=True),
    # ENV PASSWORD ..., login me password ...
    _place(r"[ \t]{1,4}(?P<value>[^\s\"'`<>,;]{5,128})", "follows", bare=True),
)  # fmt: skip

_IDENTIFIED = re.compile(
    rf"(?i)\s{{1,8}}(?:with\s{{1,8}}\S{{1,40}}\s{{1,8}})?(?:by|as)\s{{1,8}}(?:password\s{{1,8}}|values\s{{1,8}})?{_ANY}"
)
_SQL = re.compile(r"(?i)\b(?:user|role|grant|login|account|to)\b")
_BLOCK = re.compile(r":[ \t]{0,8}[|>][-+0-9]{0,2}[ \t]{0,8}\r?\n(?P<indent>[ \t]{1,40})(?=\S)")
_AS_WORD = re.compile(r"[ \t](?:as|als|comme|como)[ \t]")
_AS = re.compile(  # hunter2 as the password
    r"(?P<value>[^\s\"'`<>(]{5,64})[\"'`]?[ \t](?:as|als|comme|como)[ \t](?:\w{1,4}[ \t])?(?:\w{1,16}[ \t])?\Z"
)  # fmt: skip
_SET = re.compile(
    r"(?i)(?:^|[\s(\"'])(?:env|arg|setx?|setenv|login[ \t]+\S+|user[ \t]+\S+)(?:[ \t]+-\w+)*[ \t]+\Z"
)
_GETTER = re.compile(
    r"(?i)(?:get|env|fetch|define|config|default|property|option|setting)\w{0,20}\([\"'`]\Z"
)
_UNSIGNED = ("spaced", "flag", "says", "follows")
_SIGNED = re.compile(
    rf"{_CLOSED}\s{{0,40}}(?:[=:!|?,+(<>-]|or\b|[Vv]alue|VALUE|\\?[\"'](?:[Vv]alue|VALUE)|[^<>\n]{{0,80}}>)"
)
_SETTER = re.compile(r"(?i)(?:set|with|use|using)[_A-Z].*\Z|\w{0,3}pass\w*\Z")
# Between the parts of one literal: "ab" + "cd", 'ab' <newline> 'cd', "ab\<newline>cd".
_GOES_ON = re.compile(
    r"(?P<quote>[\"'`])[ \t]{0,8}[+.&~<>|]{0,2}[ \t]{0,8}\\?(?:\r?\n[ \t]{0,80}[+.&~<>|]{0,2}[ \t]{0,8})?"
    r"[bruf]?(?P=quote)"
    r"(?P<value>(?:(?!(?P=quote))(?:\\.|[^\\\n])){1,4096}+)|\\\r?\n(?P<rest>[^\"'`\n\\]{1,4096})"
)  # fmt: skip

_COMMENT = re.compile(r"(?:^|[\s;{}(])(?:#|//|/\*|\*|--|;|<!--|%|rem\b|\"\"\"|''')", re.IGNORECASE)
_CODE = (
    ".py", ".pyi", ".pyx", ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".vue", ".svelte",
    ".go", ".rs", ".java", ".kt", ".kts", ".scala", ".groovy", ".c", ".h", ".cc", ".cpp", ".cxx",
    ".hpp", ".hh", ".m", ".mm", ".cs", ".fs", ".vb", ".swift", ".dart", ".rb", ".php", ".pl", ".pm",
    ".lua", ".r", ".jl", ".ex", ".exs", ".erl", ".hs", ".ml", ".mli", ".clj", ".lisp", ".el",
    ".sql", ".html", ".htm", ".css", ".scss", ".less", ".tf", ".hcl", ".nix", ".zig", ".sol",
)  # fmt: skip
_SETTINGS = (
    ".yml", ".yaml", ".ini", ".cfg", ".conf", ".properties", ".env", ".toml", ".tfvars", ".cnf",
    ".envrc", ".example", ".sample", ".dist", ".template",
)  # fmt: skip


class _Name(NamedTuple):
    """A telling name where it stands."""

    text: str
    start: int
    end: int
    strong: bool
    path: str


def is_code(path: str) -> bool:
    """Whether an unquoted word in such a file is a name and no value."""
    return path.lower().endswith(_CODE)


def places(low: bytes, stems: Iterable[bytes]) -> Iterator[tuple[int, int]]:
    """Every place of the stems; those that are nowhere cost one plain search each."""
    for stem in stems:
        if stem in low:
            yield from (found.span() for found in _literal(stem).finditer(low))


@cache
def compiled(shape: str) -> re.Pattern[str]:
    """The pattern, made when it is first needed: most texts need few."""
    return re.compile(shape)


@cache
def _literal(stem: bytes) -> re.Pattern[bytes]:
    return re.compile(re.escape(stem))


# Letters that are part of many words: what must stand before them, or nothing may stand beside them.
_KEYS = (
    b"api", b"access", b"auth", b"account", b"app", b"aes", b"admin", b"private", b"signing", b"storage", b"shared",
    b"session", b"service", b"rsa", b"master", b"encryption", b"encrypt", b"crypt", b"license", b"licence", b"client",
    b"deploy", b"hmac", b"jwt", b"secret",
)  # fmt: skip


def _may_tell(low: bytes, start: int, end: int) -> bool:
    stem = low[start:end]
    if stem == b"key":
        return low[max(0, start - 14) : start].rstrip(b" _-").endswith(_KEYS)
    if stem in (b"pw", b"mdp", b"clave"):
        return (
            not (
                low[max(0, start - 1) : start].isalpha()
                and not low[start - 5 : start].endswith((b"db", b"admin", b"root", b"user"))
            )
            and not low[end : end + 1].isalnum()
        )
    return True


def keyword_spans(text: str, low: bytes, path: str) -> Iterator[SecretSpan]:
    """Values of telling names; ``low`` is the text in lower case with one byte a character."""
    for start, end in places(low, _STEMS):
        if _may_tell(low, start, end):
            yield from _beside(text, start, end, path)
    if not text.isascii():
        for word in _OTHER_LETTERS.finditer(text):
            yield from _beside(text, *word.span(), path)


def _beside(text: str, start: int, end: int, path: str) -> Iterator[SecretSpan]:
    if text[end - 10 : end].lower() == "identified":
        is_sql = _SQL.search(text, max(0, start - 200), start)
        if is_sql and (match := _IDENTIFIED.match(text, end)) and _is_identified(match):
            yield from _whole(text, match)
        return
    before = _LEFT.match(text[max(0, start - 40) : start][::-1])
    behind = _RIGHT.match(text, end)
    start -= before.end() if before else 0
    end = behind.end() if behind else end
    if how := strength(text[start:end]):
        yield from _found(_Name(text, start, end, how == "strong", path))


def _is_identified(match: re.Match[str]) -> bool:
    if match["value"] is None:
        return is_secret(match["bare"].rstrip(";)"), strong=True, bare=True)
    return not is_plain(match["value"])


def _found(name: _Name) -> Iterator[SecretSpan]:
    text = name.text
    is_signed = _SIGNED.match(text, name.end) is not None
    if not is_signed and text[name.start : name.end].lower() == "pass":
        return  # a verb
    for place in PLACES:
        if not is_signed and place.where not in _UNSIGNED:
            continue
        match = compiled(place.shape).match(text, name.end)
        if match and _fits(name, place, match):
            yield from _whole(text, match)
            return
    if block := _BLOCK.match(text, name.end):
        yield from _block(name, block.end() - len(block["indent"]), block["indent"])
    elif name.strong and _AS_WORD.search(text, max(0, name.start - 30), name.start):
        match = _AS.search(text, max(0, name.start - 100), name.start)
        if match and is_secret(match["value"], strong=True, bare=True):
            yield from _whole(text, match)


def _fits(name: _Name, place: ValuePlace, match: re.Match[str]) -> bool:
    """Whether the place is possible here, and the value a secret."""
    group = _group(match)
    value = match[group]
    text, strong = name.text, name.strong
    bare = place.bare or group == "bare"
    if place.where and not _is_there(name, place.where, match):
        return False
    if place.where == "header":
        return is_secret(value, strong=True)
    if place.bare:
        value = value.rstrip(".,;:)]}\\")
        is_set = name.path.lower().endswith(_SETTINGS) or "=" in text[name.end : match.start(group)]
        if strong and place.where == "text" and is_set and not is_code(name.path):
            bare = text[match.end() : match.end() + 1] not in ("", "\n", "\r")
        if place.where == "says" and match["open"]:
            bare = not strong
    strict = place.where in ("call", "default", "pair") or (place.where == "spaced" and not strong)
    return is_secret(value, strong=strong, bare=bare or (strict and not strong))


def _is_there(name: _Name, where: str, match: re.Match[str]) -> bool:
    text, start = name.text, name.start
    before = text[max(0, start - 1) : start]
    word = text[start : name.end]
    if where == "spaced":
        return name.strong
    if where == "header":
        return word.lower().endswith(("orization", "orisation"))
    if where == "element":
        return before in ("<", ":", '"', "'", ">") and text[start - 2 : start] != "</"
    if where == "call":
        return name.strong and _SETTER.search(word) is not None
    if where == "default":
        return "." in word or _GETTER.search(text, max(0, start - 40), start) is not None
    if where == "pair":
        return word.lower().endswith("auth")
    if where == "flag":
        return word.startswith("-") or before in ("-", "/")
    if where == "text":
        return (
            not is_code(name.path)
            or before in tuple("?&;")
            or word.startswith("--")
            or is_said(text, start)
        )
    if where == "phrase":
        is_open = name.path.lower().endswith(_SETTINGS) or match["value"].count(" ") > 2
        return name.strong and is_open and not (is_code(name.path) and not is_said(text, start))
    if where == "says":
        return not is_code(name.path) or is_said(text, start)
    if where == "follows":
        is_set = _SET.search(text, max(0, start - 60), start)
        return name.strong and bool(is_set or not is_code(name.path) or is_said(text, start))
    return True


def is_said(text: str, at: int) -> bool:
    """Whether the place lies in a comment or inside quotes, as far as its line tells."""
    line = text[max(text.rfind("\n", 0, at) + 1, at - 400) : at]
    if _COMMENT.search(line):
        return True
    bare = line.replace("\\\\", "").replace('\\"', "").replace("\\'", "")
    return any(bare.count(quote) % 2 for quote in "\"'`")


def _block(name: _Name, at: int, indent: str) -> Iterator[SecretSpan]:
    """The lines of a YAML block, when together they are one value."""
    lines: list[tuple[int, int]] = []
    while name.text.startswith(indent, at) and len(lines) < 16:
        end = name.text.find("\n", at)
        end = len(name.text) if end < 0 else end
        lines.append((at + len(indent), end))
        at = end + 1
    value = "".join(name.text[start:end].strip() for start, end in lines)
    if is_secret(value, strong=name.strong):
        yield from (SecretSpan(start, end, "secret", False) for start, end in lines)


def _group(match: re.Match[str]) -> str:
    return "bare" if match["value"] is None else "value"


def _whole(text: str, match: re.Match[str]) -> Iterator[SecretSpan]:
    """The value, and the further literals that are joined to it."""
    group = _group(match)
    start, end = match.span(group)
    kind = "example" if "EXAMPLE" in match[group] else "secret"
    if "quote" not in match.re.groupindex or group == "bare":
        end = start + len(match[group].rstrip(".,;:)]}\\"))
    yield SecretSpan(start, end, kind, False)
    while more := _GOES_ON.match(text, end):
        start, end = more.span("rest" if more["value"] is None else "value")
        if is_reference(text[start:end]) or _COMMENT.match(text, match.start(), match.end()):
            return
        yield SecretSpan(start, end, kind, False)
