"""Finds what stands beside a telling name: in code, settings, XML, SQL, command lines and prose.

Only literals count: ``password = get_password()`` and ``token: str`` are code and stay readable,
and so do placeholders such as ``<your token>`` or ``${TOKEN}``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from guildmoot.guard.families import SecretSpan
from guildmoot.guard.names import strength
from guildmoot.guard.values import compiled, is_reference, is_secret, is_told
from guildmoot.guard.wording import is_foreign, is_translation, is_wording
from guildmoot.guard.words import SAYING
from guildmoot.named import NamedTuple
from guildmoot.text.languages import language_of

# What every text is asked for, in lower case with one byte a character.
_STEMS = (
    b"pass", b"pwd", b"pswd", b"pword", b"pw", b"secret", b"token", b"key", b"credential", b"cookie", b"auth",
    b"connectionstr", b"connstr", b"conn_str", b"connection_str", b"kennwort", b"mdp", b"contrase\xf1a", b"contrasena",
    b"clave", b"senha", b"wachtwoord", b"heslo", b"haslo", b"l\xf6senord", b"losenord", b"adgangskode", b"salasana",
    b"sifre", b"parola", b"jeton", b"geheimnis", b"segreto", b"securestring", b"schl\xfcssel", b"phrase", b"mnemonic",
)  # fmt: skip
_OTHER_FIRST = "пП密パ비łŁşŞ"  # of which every one of the following holds one
_OTHER_LETTERS = "(?i)пароль|密码|密碼|パスワード|비밀번호|hasło|şifre"
# Letters that are part of many words: what must stand beside them.
_KEYS = (
    "api|app|aes|rsa|jwt", "auth|hmac", "admin|crypt", "access|shared|master|client|deploy|secret",
    "private|signing|storage|session|service|account|encrypt|license|licence", "encryption",
)  # fmt: skip
_BESIDE = {
    **dict.fromkeys(
        ("pw", "mdp", "clave"),
        r"(?:(?<![a-z]0)|(?<=db0)|(?<=root0)|(?<=user0)|(?<=admin0))(?![a-z0-9])",
    ),
    "key": "(?:"
    + "|".join(f"(?<=(?:{names}){gap}0)" for names in _KEYS for gap in ("", "[ _-]"))
    + ")",
    # How many tokens there are is no secret.
    "token": r"(?!\w{0,40}[\"']?\s{0,4}[:=]\s{0,4}[0-9.]{1,12}[,;\s}\])])",
}
# Behind a name comes a sign, or a blank and a word.
_GOES_ON_WITH = (
    rb"(?=[\w.\x80-\xff-]{0,60}+[\"'`\\\])}*]{0,5}+"
    rb"(?:\s{0,40}[=:!|?,+(<>\xa0-\xff-]|[ \t]{1,4}[^\s&|]|\s{1,40}value))"
)
# Backwards from the letters: my.db_, api-, and what comes before a second word, as in "api key".
_LEFT = (
    r"(?i)(?:(?: ed tom| ssap| ipa| ssecca| etavirp| htua| gningis| noitpyrcne| retsam| terces| noisses| dees"
    r"| yrevocer)(?=\W|\Z))?[\w.$-]{0,40}"
)
_RIGHT = r"[^\W\u3000-\u9fff\uac00-\ud7af]{0,30}(?:-\w{1,20}){0,3}"

# A literal in quotes: "...", '...', `...`, \"...\", b"...", N'...', r'''...; or a word.
_LITERAL = (
    r"(?:[bBrRuUfFNL]{0,2}|[@$])(?P<quote>\\{0,3}(?:\"{3}|'{3}|[\"'`]))"
    r"(?P<value>(?:(?!(?P=quote))(?:\\.|[^\\\n])){1,4096}+)"
)
VALUE = rf"{_LITERAL}|(?P<bare>[^\s\"'`<>\u201d\u2019\u00bb]{{4,512}})"
_ELEMENT = r"(?P<value>[^<>\n]{3,400}?)\s{0,8}(?:\]\]>)?</"
_PHRASE = r"[A-Za-z0-9]+(?:[ \t][A-Za-z0-9]+){2,23}[ \t]*(?=\.?(?:[\r\n]|\Z))"
_CLOSED = r"\\{0,3}[\"'`]?[\])}]{0,2}"
_SIGN = r"(?::\s{0,4}[\w.\[\]|?, ]{1,40}?=|=>|:=|={1,3}|!={1,2}|:-?|\?\?=?|\|\|=?|<-|->|\+=)"
_IS = (
    r"(?:[ \t]{0,4}(?:(?::|->|\u2192)[ \t]{1,4}|[\uff1a是は为為][ \t]{0,4})"
    r"|[ \t]{1,4}(?:is|was|are|be|ist|war|lautet|hei(?:ß|ss)t|est|es|era|ser[aá]|é|è|to|jest|är|now|remains)"
    r"(?:[ \t](?:now|set to|still))?[:=]?[ \t]{1,4})"
)
# Where a value can stand behind its name: the first that fits is taken, then what only a blank parts.
_SIGNED = (
    # auth=("user", "...")
    r"(?P<pair>[ \t]{0,4}[=:][ \t]{0,4}[(\[]\s{0,4}[\"'][^\"'\n]{1,64}[\"'],[ \t]{0,4})"
    # Authorization: Bearer ...
    r"|(?P<header>\\?[\"']?\]?[ \t]{0,4}[:=,][ \t]{0,4}\\?[\"']?(?i:bearer|basic|token|digest|apikey|key)[ \t]{1,4})"
    # password = "...", "password": "...", password: str = "...", PASSWORD=..., ${PASSWORD:-...}, env.PASSWORD || "..."
    rf"|(?P<sign>{_CLOSED}\s{{0,8}}{_SIGN}\s{{0,24}}(?:\(|%[qQ][(\[{{])?\s{{0,24}})"
    # <add key="password" value="..."/>, - name: PASSWORD, and on the next line value: ...
    # and variable "password" { default = "..." }
    r"|(?P<attribute>\\?[\"']?[\s,]{1,40}\\?[\"']?(?:[Vv]al(?:ue)?|VALUE)\\?[\"']?\s{0,8}[:=]\s{0,8}"
    r"|\"\s{0,4}\{[^{}]{0,400}?\bdefault\s{0,8}=\s{0,8})"
    # getenv("PASSWORD", "..."), "--password", "...", option("--password", default="...")
    rf"|(?P<default>{_CLOSED}[ \t]{{0,4}}(?:or\b|,)[ \t]{{0,4}}"
    r"(?:[^()\n]{0,160}?\bdefault[ \t]{0,2}=[ \t]{0,2})?)"
    # set_password("...")
    r"|(?P<call>\(\s{0,24})"
    # <password>...</password>, <key>password</key><string>...</string>
    r"|(?P<element>(?:[^<>\n]{0,80}>|</key>\s{0,40}<string>)\s{0,40}(?:<!\[CDATA\[)?)"
)
_SPACED = (
    # the password of the database is ..., Passwort lautet ...
    rf"(?P<says>[\"'`*)]{{0,2}}(?:[ \t]{{1,4}}[\w@./()'-]{{1,30}}){{0,5}}?{_IS}[*\u201c\u2018\u00ab(]{{0,3}})",
    # PASSWORD '...', --password ..., ENV PASSWORD ..., login me password ...
    r"(?P<follows>[ \t]{1,4})",
)
_BLOCK = r":[ \t]{0,8}[|>][-+0-9]{0,2}[ \t]{0,8}\r?\n(?P<indent>[ \t]{1,40})(?=\S)"
# hunter2 as the password
_AS_WORDS = (b"passw", b"pw", b"kennwort", b"mot de", b"contrase")
_AS = r"(?:\w{1,4}[ \t])?(?:\w{1,16}[ \t])?(?i:passw|pwd?\b|kennwort|mot de|contrase)"
_SET = r"(?i)(?:^|[\s(\"'])(?:env|arg|setx?|setenv|login[ \t]+\S+|user[ \t]+\S+)(?:[ \t]+-\w+)*[ \t]+\Z"
_GETTER = r"(?i)(?:get|env|fetch|define|config|default|property|option|setting|put|set|add|append)\w{0,20}\([\"'`]\Z"
_SETTER = r"(?i)(?:set|with|use|using)[_A-Z].*\Z|\w{0,3}pass\w*\Z"
# Names of commands, and the languages in which back-ticks quote a text.
_ALIAS = r"\balias[ \t]+(?:-\w+[ \t]+)?\Z"
_TICKED = ("JavaScript", "TypeScript", "TSX", "Vue", "Svelte", "Astro", "Go", "HTML")
# Between the parts of one literal: "ab" + "cd", 'ab' <newline> 'cd', "ab\<newline>cd".
_GOES_ON = (
    r"(?P<quote>[\"'`])[ \t]{0,8}[+.&~<>|]{0,2}[ \t]{0,8}\\?(?:\r?\n[ \t]{0,80}[+.&~<>|]{0,2}[ \t]{0,8})?[bruf]?"
    r"(?P=quote)(?P<value>(?:(?!(?P=quote))(?:\\.|[^\\\n])){1,4096}+)|\\\r?\n(?P<bare>[^\"'`\n\\]{1,4096})"
)
_COMMENT = r"(?i)(?:^|[\s;{}(])(?:#|//|/\*|\*|--|;|<!--|%|rem\b|\"\"\"|''')"
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


@cache
def _telling(stem: bytes) -> re.Pattern[bytes]:
    letters = stem.decode("latin-1")
    beside = _BESIDE.get(letters, "").replace("0)", f"{letters})")
    return re.compile(re.escape(stem) + beside.encode("latin-1") + _GOES_ON_WITH)


@cache
def _stems() -> list[tuple[re.Pattern[bytes], list[bytes]]]:
    """The stems by their first letter: one search tells that a text holds none of them."""
    groups: dict[bytes, list[bytes]] = {}
    for stem in _STEMS:
        groups.setdefault(stem[:1], []).append(stem)
    return [
        (
            re.compile(first + b"(?:" + b"|".join(re.escape(stem[1:]) for stem in stems) + b")"),
            stems,
        )
        for first, stems in groups.items()
    ]


def telling_places(low: bytes) -> Iterator[tuple[int, int]]:
    """Where the letters of telling names stand with something behind them."""
    for any_of_them, stems in _stems():
        if any_of_them.search(low):
            for stem in stems:
                if stem in low:
                    yield from (found.span() for found in _telling(stem).finditer(low))


def keyword_spans(text: str, low: bytes, path: str) -> Iterator[SecretSpan]:
    """Values of telling names; ``low`` is the text in lower case with one byte a character."""
    for start, end in telling_places(low):
        yield from _beside(text, start, end, path)
    if not text.isascii() and any(letter in text for letter in _OTHER_FIRST):
        for word in compiled(_OTHER_LETTERS).finditer(text):
            yield from _beside(text, *word.span(), path)
    if text.isascii() and not any(word in low for word in _AS_WORDS):
        return
    for link in (" as ", " als ", " comme ", " como "):
        for said in compiled(link + _AS).finditer(text) if link in text else ():
            before = text[max(0, said.start() - 64) : said.start()].rstrip("\"'`")
            value = before.split()[-1].lstrip("\"'`(") if before.split() else ""
            if is_secret(value, strong=True, bare=True):
                end = max(0, said.start() - 64) + len(before)
                yield SecretSpan(end - len(value), end, "secret", False)


def _beside(text: str, start: int, end: int, path: str) -> Iterator[SecretSpan]:
    before = compiled(_LEFT).match(text[max(0, start - 40) : start][::-1])
    behind = compiled(_RIGHT).match(text, end)
    start -= before.end() if before else 0
    end = behind.end() if behind else end
    how = strength(text[start:end])
    if how and not compiled(_ALIAS).search(text, max(0, start - 40), start):
        for span in _found(_Name(text, start, end, how == "strong", path)):
            if not _is_wording(text, end, span.start, span.end, path):
                yield span


def _is_wording(text: str, after: int, start: int, end: int, path: str) -> bool:
    """A text that people read and no value: any words in a file of translations, those of other scripts anywhere.

    Without quotes such a text goes on to the end of its line, and one on the next line belongs to another name.
    """
    if not is_translation(path):
        return is_foreign(text[start:end]) and is_wording(text[start:end])
    if text[start - 1] in "\"'`>":
        return is_wording(text[start:end])
    if "\n" in text[after:start]:
        return True
    line = text[text.rfind("\n", 0, start) + 1 : max(text.find("\n", start), end)]
    return is_wording(re.split("[=:]", line, maxsplit=1)[-1])


def _found(name: _Name) -> Iterator[SecretSpan]:
    text = name.text
    is_verb = text[name.start : name.end].lower() == "pass"
    for shape in (_SIGNED, *(() if is_verb else _SPACED)):
        lead = compiled(shape).match(text, name.end)
        if not lead or not lead.lastgroup:
            continue
        kind = lead.lastgroup
        match = compiled(_ELEMENT if kind == "element" else VALUE).match(text, lead.end())
        if match and _is_there(name, kind, match) and _is_value(name, kind, match):
            ticks = _ticks(name, match) if match["value"] is not None else ""
            if ticks != "run" or kind == "says":
                yield from (span._replace(hides=bool(ticks)) for span in whole(text, match))
                return
        is_phrase = kind == "says" and "phrase" in text[name.start : name.end].lower()
        if (kind == "sign" or is_phrase) and (phrase := compiled(_PHRASE).match(text, lead.end())):
            is_open = name.path.lower().endswith(_SETTINGS) or phrase[0].strip().count(" ") > 2
            is_open = is_open and not (is_phrase and SAYING.intersection(phrase[0].lower().split()))
            if is_open and _is_words(name) and is_secret(phrase[0], strong=name.strong):
                yield SecretSpan(*phrase.span(), "secret", False)
                return
    if block := compiled(_BLOCK).match(text, name.end):
        yield from _block(name, block.end() - len(block["indent"]), block["indent"])


def _ticks(name: _Name, match: re.Match[str]) -> str:
    """What back-ticks around a value do: nothing where they quote, ``run`` it, or nobody can tell."""
    text, at = name.text, match.start("value")
    if text[at - 1] != "`":
        return ""
    language = language_of(name.path, text[:80].partition("\n")[0])
    line = text[text.rfind("\n", 0, at) + 1 : at]
    if language.name in _TICKED:
        return "?" if line.count('"') % 2 or line.count("'") % 2 else ""
    return {"prose": "", "other": "?"}.get(language.kind, "run")


def _is_words(name: _Name) -> bool:
    """Whether an unquoted word can be a value here."""
    return not is_code(name.path) or is_said(name.text, name.start)


def _is_there(name: _Name, kind: str, match: re.Match[str]) -> bool:
    """Whether a value of this kind is possible beside this name."""
    text, start = name.text, name.start
    before, word = text[max(0, start - 1) : start], text[start : name.end]
    quoted = match["value"] is not None
    is_flag = word.startswith("-") or before in ("-", "/")
    if kind == "header":
        return word.lower().endswith(("orization", "orisation"))
    if kind == "pair":
        return quoted and word.lower().endswith("auth")
    if kind == "element":
        return before in ("<", ":", '"', "'", ">") and text[start - 2 : start] != "</"
    if kind == "call":
        return quoted and name.strong and compiled(_SETTER).search(word) is not None
    if kind == "default":
        is_got = compiled(_GETTER).search(text, max(0, start - 40), start)
        return quoted and ("." in word or is_flag or is_got is not None)
    if kind == "sign":
        return (
            quoted
            or text[match.start() - 3 : match.start() - 1] in ("%q", "%Q")
            or before in tuple("?&;")
            or word.startswith("--")
            or _is_words(name)
        )
    if kind == "follows":
        is_set = name.strong and compiled(_SET).search(text, max(0, start - 60), start)
        return is_flag or bool(is_set) or (name.strong and (quoted or _is_words(name)))
    return kind == "attribute" or _is_words(name)


def _is_value(name: _Name, kind: str, match: re.Match[str]) -> bool:
    if match["value"] is not None:
        strict = kind in ("call", "default", "pair", "says", "follows") and not name.strong
        return is_secret(match["value"], strong=name.strong or kind == "pair", bare=strict)
    text, value = name.text, match["bare"].rstrip(_TAIL)
    if kind == "header":
        return is_secret(value, strong=True)
    ends = text[match.end() : match.end() + 1] in ("", "\n", "\r")
    if text[name.start : name.end].isupper() and text[name.end : name.end + 1] == "=":
        ends = ends or text[match.end() : match.end() + 1] == " "  # PGPASSWORD=word psql
    is_set = name.path.lower().endswith(_SETTINGS) or "=" in text[name.end : match.start()]
    open_ = kind == "sign" and name.strong and ends and is_set and not is_code(name.path)
    if is_secret(value, strong=name.strong, bare=not open_):
        return True
    return (
        kind in ("sign", "says")
        and name.strong
        and is_told(value, text[match.start() + len(value) : match.start() + len(value) + 12])
    )


_TAIL = ".,;:)]}|\\"


def is_said(text: str, at: int) -> bool:
    """Whether the place lies in a comment or inside quotes, as far as its line tells."""
    line = text[max(text.rfind("\n", 0, at) + 1, at - 400) : at]
    if compiled(_COMMENT).search(line):
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
        each = [is_secret(name.text[a:b].strip(), strong=name.strong, bare=True) for a, b in lines]
        hides = len(lines) > 1 and not all(each)
        yield from (SecretSpan(start, end, "secret", False, hides) for start, end in lines)


def whole(text: str, match: re.Match[str]) -> Iterator[SecretSpan]:
    """The value, and the further literals that are joined to it."""
    group = "bare" if match.groupdict().get("value") is None else "value"
    start, end = match.span(group)
    kind = "example" if "EXAMPLE" in match[group] else "secret"
    if group == "bare":
        end = start + len(match[group].rstrip(_TAIL))
    yield SecretSpan(start, end, kind, False)
    while more := compiled(_GOES_ON).match(text, end):
        start, end = more.span("bare" if more["value"] is None else "value")
        if is_reference(text[start:end]) or compiled(_COMMENT).match(
            text, match.start(), match.end()
        ):
            return
        yield SecretSpan(start, end, kind, False)
