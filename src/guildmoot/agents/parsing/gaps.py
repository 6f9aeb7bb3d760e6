"""What the grammars do not know yet, written so that they do: only to learn whether a file parses.

A file that fails is tried again in each of these forms; where one of them parses, nothing is wrong with it.
Positions are always those of the file as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from guildmoot.text.patterns import lazy

_Rewrite = Callable[[bytes], bytes]
_FLOW = lazy(
    rb"@flow\b|^(?:import typeof? |declare |(?:export )?(?:opaque )?type \w)", re.MULTILINE
)
_ZSH = lazy(rb"zsh|\$\{\(|\$\+\w|\(%\)")
_OBJECTIVE = lazy(
    rb"^[ \t]*(?:@(?:interface|protocol|class|end|import)\b|#[ \t]*import\b)", re.MULTILINE
)
_DIRECTIVE = lazy(rb"^[ \t]*#[ \t]*(\w+)")


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
    rules = [(lazy(pattern, re.MULTILINE), by) for pattern, by in pairs]

    def rewrite(text: bytes) -> bytes:
        for pattern, by in rules:
            text = pattern.sub(by, text)
        return text

    return rewrite


def _same(text: bytes) -> bytes:
    return text


_COMMENTS = lazy(
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


_MACRO = rb"[A-Z][A-Z0-9_]{2,}(?:\([^()\n]*\))?"
_MACROS = _sub(
    # Qt's own words of a class
    (rb"\bQ_[A-Z_]+[ \t]*\([^()\n]*\n[^()\n]*\)", b"\n"),
    (rb"^([ \t]*(?:public|protected|private)[ \t]+)(?:slots|Q_SLOTS)(?=[ \t]*:)", rb"\1"),
    (rb"^[ \t]*(?:signals|Q_SIGNALS)(?=[ \t]*:)", b"public"),
    (rb"\b(static|extern|inline|const)[ \t]+" + _MACRO + rb"[ \t]+(?=[a-z])", rb"\1 "),
    (
        rb"^((?:" + _MACRO + rb"[ \t]+)?[a-z]\w*[ \t*]+)" + _MACRO + rb"[ \t]+(?=\w+[ \t]*\()",
        rb"\1",
    ),
    # what is made of a template
    (
        rb"^[ \t]*(?:extern[ \t]+)?template[ \t]+(?:class|struct)[ \t]+(?:"
        + _MACRO
        + rb"[ \t]+)?[\w:]+[ \t]*<[^;(){}]*>[ \t]*;",
        b"",
    ),
    (rb"^([ \t]*(?:extern[ \t]+)?template[ \t]+)" + _MACRO + rb"[ \t]+(?=[A-Za-z_])", rb"\1"),
    (rb"^([ \t]+)\w*for_?each\w*[ \t]*\([^;{}]*\)[ \t]*\{", rb"\1while (1) {"),
    (rb"^([ \t]+)\w*for_?each\w*[ \t]*\([^;{}()]*\)[ \t]*$", rb"\1while (1)"),
    (rb"([(,][ \t\n]*)" + _MACRO + rb"[ \t]+(?=(?:const[ \t]+)?[a-z]\w*[ \t*]+\w)", rb"\1"),
    # heads of structs, types as arguments and operators that are called by their names
    (
        rb"\b(struct|class|union)[ \t]+" + _MACRO + rb"[ \t]+(?=\w+[ \t\n]*(?:final[ \t]*)?[:{])",
        rb"\1 ",
    ),
    (
        rb"^typedef[ \t]+[A-Z][A-Z0-9_]{2,}\([^()\n]*\)(?=[ \t]*\{?[ \t]*$)",
        b"typedef struct made_",
    ),
    (rb"(,[ \t]*)(?:struct|union|enum)[ \t]+\w+(?=[ \t]*[,)])", rb"\g<1>0"),
    (rb"(?<=[.>])operator[ \t]*(?:\[\]|\(\)|[-+*/<>=!&|%^~]{1,3})(?=[ \t]*\()", b"operator_"),
    (rb"\bva_arg\s*\([^(),]*,[^()]*\)", b"va_arg_"),
    (rb"\b(?:offsetof|container_of|alignof|_Alignof|sizeof|typeof|__typeof__)\s*\([^()]*\)", b"0"),
    (rb"^[ \t]*[A-Z][A-Z0-9_]{2,}(?:[ \t]*\([^()\n]*\))?[ \t]*$", b""),
    (rb"^([ \t]*)[A-Z][A-Z0-9_]{2,}\([^()\n]*\)[ \t]+(?=(?:[a-z]|[A-Z]\w*[a-z]))", rb"\1"),
    (  # but for types in capitals: those declare what follows
        rb"^([ \t]*)[A-Z][A-Z0-9_]{2,}[ \t]+(?=[a-z]|[A-Z]\w*[a-z])(?!\w+[ \t]*(?:[;=\[]|,[ \t]*\w))",
        rb"\1",
    ),
    (
        rb"(\)(?:[ \t]*(?:const|noexcept|override|final)\b)*)[ \t\n]*[A-Z][A-Z0-9_]{2,}(?:\([^()\n]*\))?(?=\s*[;{,)])",
        rb"\1",
    ),
    (rb"^([ \t]+)[A-Z][A-Z0-9_]{2,}[ \t]*\(.*\)[ \t]*\{[ \t]*$", rb"\1{"),
    (rb"^[ \t]*[A-Z][A-Z0-9_]{2,}[ \t]*\(.*\)[ \t]*;?[ \t]*$", b""),
    (rb'"[ \t]*[A-Z][A-Za-z0-9_]*[ \t]*(?=")', b'" '),
    (rb'"[ \t]*[A-Z][A-Z0-9_]{2,}', b'"'),
)


_ENUM = lazy(rb"(\benum\b[^;{}()]*\{)([^{}]*)(?=\})")
_ENTRIES = lazy(rb"(=[^,\n]*)|\b[A-Za-z_]\w*[ \t]*\([^()\n]*\)[ \t]*,?")


def _without_entries(text: bytes) -> bytes:
    """Without the macros that stand for constants of an enum."""
    return _ENUM.sub(lambda each: each[1] + _ENTRIES.sub(rb"\1", each[2]), text)


def _plain_c(text: bytes) -> bytes:
    return _MACROS(_without_entries(first_branches(text)))


_TS = _sub(
    (rb"\bexport type \*", b"export *"),
    (rb"""\b(?:typeof\s+)?import\s*\(\s*(['"])[^'"\n]*\1\s*\)""", b"imported_"),
    (rb"\bin(?=\d)", b"im"),
    (rb"([<,]\s*)(?:in|out|in\s+out)\s+(?=[A-Z]\w*\s*(?:[,>=]|extends\b))", rb"\1"),
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
    (rb"""<<<[ \t]*(?:"[^"\n]*"|'[^'\n]*'|[^\s;|&)]+)""", b""),
    (rb"(?<=[\w./*])\$(?=[)\s])", b""),
    (rb"\$\(\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)\)", b"0"),
    (rb"\$\{[^{}\n]*\}", b"$x"),
)
_POWERSHELL = _sub((rb"(?<=[ \t])(-\w+[ \t]+[A-Za-z][\w.-]*)(?:,[ \t]*[A-Za-z][\w.-]*)+", rb"\1"))
_RANGE = rb"[ \t]*[<>]=?[ \t]*[\w.()-]+"
_CSS = _sub(
    (rb"\([ \t]*[\w.-]+(?:" + _RANGE + rb"){1,2}[ \t]*\)(?=[^;{}]*\{)", b"(a: b)"),
    (rb"@container\b[^;{}()]*(?=[({])", b"@media "),
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
_LISTED = rb"\[(?:[^\[\];{}]|\[[^\[\];{}]*\]|\{[^{};]*\})*\]"
_LISTS = lazy(  # after a word of patterns, and as the arm of a switch
    rb"(\b(?:is|case|not|or|and)\s+)(" + _LISTED + rb")"
    rb"|([{,]\s*)(" + _LISTED + rb")(?=\s*(?:=>|when\b|or\b|and\b))"
)
_INNER_LIST = lazy(rb"\[([^\[\]]+)\]")


def _positional(text: bytes) -> bytes:
    """Patterns of lists as those of tuples, with all names that they bind."""
    return _LISTS.sub(lambda hit: (hit[1] or hit[3]) + _as_tuple(hit[2] or hit[4]), text)


def _as_tuple(pattern: bytes) -> bytes:
    said = re.sub(rb"(?:(?<=[\[,(])|^)(\s*)(?:\.\.\s*)?\[\s*\]", rb"\1{ }", pattern)
    said = re.sub(rb"\.\.(?=\s*[,\]])", b"_", said).replace(b"..", b"")
    while (inner := _INNER_LIST.sub(rb"(\1)", said)) != said:
        said = inner
    return said


_NEW_CS = _sub(  # C# 11 to 14
    # blocks of members for a type
    (
        rb"^([ \t]*)extension[ \t]*(<[^<>(){};\n]*>)?[ \t]*\([^(){};\n]+\)(?=[^;{}()=]*\{)",
        rb"\1class extension_\2",
    ),
    (rb"\ballows\s+ref\s+struct\b", b"new()"),
    (rb"\?\.(?=[\w.]+(?:\[[^\]\n]*\])?\s*(?:[-+*/%&|^]|\?\?)?=(?![=>]))", b"."),
    (rb"\bnameof\(([\w.]+)<[ ,]*>\)", rb"nameof(\1)"),
    (rb"\basync\b(?=\s*[;,)=.])", b"async_"),  # as a name
)


def _new_cs(text: bytes) -> bytes:
    return _NEW_CS(_positional(text))


_SWIFT = _sub((rb"\(\(\)\)", b"(0)"), (rb"value: \(\)", b"value: 0"), (rb"^[ \t]*#\w+.*$", b""))
_KOTLIN = _sub(
    (rb"(\bcompanion object(?:[ \t]+\w+)?[ \t]*\{)([^{}\n]*)\}", rb"\1\n\2\n}"),
    (rb"\bin(?=\d)", b"im"),
    (rb"@\w+ (?=set|get)", b""),
    (rb"^([ \t]*(?:!?(?:is|in)[ \t]+)?[\w.<>*]+)[ \t]+if[ \t][^\n]*?[ \t]->", rb"\1 ->"),
    (rb"(:[ \t]*[\w.<>]+(?:\([^()\n]*\))?)[ \t]+\}", b"\\1\n}"),
)
_RUST = _sub((rb"\bunsafe[ \t]+extern\b", b"extern"), (rb"\bsafe[ \t]+(?=fn|static)", b""))
_ARGUMENTS = rb'\((?:"(?:\\.|[^"\\\n])*"|[^"(){};]|\([^"(){};]*\))*\)'
_CPP = _sub(
    # tests: a macro with texts and a block, as a function at the margin and as a block below it
    (rb"^[A-Z][A-Z0-9_]{2,}[ \t]*" + _ARGUMENTS + rb"(?=\s*\{)", b"void made_()"),
    (rb"^([ \t]+)[A-Z][A-Z0-9_]{2,}[ \t]*" + _ARGUMENTS + rb"(?=\s*\{)", rb"\1"),
    (rb"(\busing[ \t]+[\w:<>, \t]*::)operator[ \t]*\(\)(?:\s*\.\.\.)?(?=\s*;)", rb"\1operator_"),
    (rb"\bif[ \t]*!?[ \t]*consteval\b", b"if (true)"),
    (rb"(?<=[>\w])([ \t]*\*+)[ \t]*=[ \t]*(nullptr|0)(?=\s*[,>])", rb"\1 unnamed = \2"),
    (rb"([{,]\s*\.\w+)[ \t]*(?=\{)", rb"\1 = "),  # a field that is set by its name
)
_WORD = rb"(?!(?:return|def|import|package|class|throw|new|else|assert|case|in|as)\b)[A-Za-z_]\w*"
_GROOVY = _sub(
    (rb"^([ \t]*)task[ \t]+(?=\w)", rb"\1task_"),
    (
        rb"^([ \t]*"
        + _WORD
        + rb")[ \t]+("
        + _WORD
        + rb"(?:\.\w+)*(?:\([^()\n]*\))?)(?=[ \t]*(?:\{[ \t]*)?$)",
        rb"\1(\2)",
    ),
    (rb"^\(\d+\.\.\w+\)(?=\.)", b"x"),
)
_MAKE = _sub(
    (rb"\$\([\w<@^*%?+-]+:[^()\n]*?=(?:[^()\n]|\([^()\n]*\)|\$\([^()\n]*\))*\)", b"$(x)"),
    (rb"^\$\((?:error|warning|info|eval|call)\b(?:[^\n]*\\\n)*[^\n]*$", b""),
)
_MAKE_IF = lazy(rb"^ *(?:(?P<opens>ifn?eq|ifn?def)|(?P<closes>endif)|else)\b.*$", re.MULTILINE)


def _without_conditions(text: bytes) -> bytes:
    """A Makefile with all that its conditions choose from, where each of them is closed."""
    found = [*_MAKE_IF.finditer(text)]
    if sum(each["opens"] is not None for each in found) != sum(
        each["closes"] is not None for each in found
    ):
        return text
    return _MAKE_IF.sub(b"", _MAKE(text))


_DOLLARS = lazy(rb"(\$\w*\$)(.*?)\1", re.DOTALL)
_BLOCK_WORDS = lazy(
    rb"(?i)--[^\n]*|'(?:''|[^'])*'|\bEND[ \t]+(?P<of>IF|LOOP|CASE)\b"
    rb"|(?<!ELS)\b(?P<word>IF(?![ \t]+(?:NOT[ \t]+)?EXISTS[ \t]+\w)|LOOP|CASE|BEGIN|END)\b|(?P<sign>[()])"
)


def _without_bodies(text: bytes) -> bytes:
    """Bodies in PL/pgSQL, which the grammar does not know, as texts; one whose blocks are not in pairs stays."""
    if not re.search(rb"(?i)\bplpgsql\b|^\s*DO\s+\$", text, re.MULTILINE):
        return text
    return _DOLLARS.sub(lambda body: b"'x'" if _is_paired(body[2]) else body[0], text)


def _is_paired(body: bytes) -> bool:
    open_blocks: list[bytes] = []
    ends = {b"END": (b"BEGIN", b"CASE"), b")": (b"(",)}
    for token in _BLOCK_WORDS.finditer(body):
        word = (token["of"] or token["word"] or token["sign"] or b"").upper()
        closes = (word,) if token["of"] else ends.get(word)
        if closes is None:
            open_blocks += [word] if word else []
        elif not open_blocks or open_blocks.pop() not in closes:
            return False
    return not open_blocks


_ITEMS = rb"(?:[^;()]|\([^;()]*\))"
_UPSERT = rb"(?i)\bON\s+CONFLICT\b" + _ITEMS + rb"*?\bDO\s+"
_SQL = _sub(
    (_UPSERT + rb"(?:NOTHING|UPDATE\s+SET\b" + _ITEMS + rb"*?)(?=\s*(?:\bRETURNING\b|;|\Z))", b""),
    (rb"^\\.*$", b""),
    (rb"^\.[a-z]+\b.*$", b""),
    (rb"(?i)^\s*(?:PRAGMA|ATTACH|DETACH|VACUUM)\b[^;\n]*;", b""),
    (rb"^\s*(?:USE|GO|DELIMITER)\b.*$", b""),
    (rb"\[(\w+)\]", rb"\1"),
    (rb"(?i)\s(?:DEFAULT\s+)?(?:CHARSET|CHARACTER\s+SET|COLLATE)\s*=?\s*\w+", b""),
    (rb"(?i)\s(?:ENGINE|AUTO_INCREMENT|ROW_FORMAT|KEY_BLOCK_SIZE)\s*=\s*\w+", b""),
    (rb"(?i)\sCOMMENT\s*=?\s*'(?:[^'\n]|'')*'", b""),
    (rb"(?i)\sON\s+(?:UPDATE|DELETE)\s+(?:CURRENT_TIMESTAMP(?:\(\d*\))?|NO\s+ACTION)", b""),
    (rb"(?i)\bCURRENT_TIMESTAMP\(\d*\)", b"1"),
    (rb"(?i)\bDROP\s+(?:FOREIGN\s+KEY|INDEX)(?:\s+IF\s+EXISTS)?(?=\s+`)", b"DROP COLUMN"),
)

_FILLED = _sub((rb"\{\{.*?\}\}", b"x"), (rb"\{[%#].*?[%#]\}", b""))

_FORMS: dict[str, tuple[tuple[str, _Rewrite], ...]] = {
    "Go": (("Go", _GO),),
    "TypeScript": (("TypeScript", _TS),),
    "TSX": (("TSX", _TS), ("TSX", lambda text: _JSX_AND(_TS(text)))),
    "JavaScript": (("JavaScript", _JSX_AND), ("TSX", _TS)),
    "Shell": (("Shell", _SH),),
    "PowerShell": (("PowerShell", _POWERSHELL),),
    "C": (("C++", _same), ("C", _plain_c), ("C++", _plain_c)),
    "C++": (
        *(("C++", _plain_c), ("C++", _CPP)),
        ("C++", lambda text: _CPP(_plain_c(text))),
    ),
    "Rust": (("Rust", _RUST),),
    "Groovy": (("Groovy", _GROOVY),),
    "Makefile": (("Makefile", _MAKE), ("Makefile", _without_conditions)),
    "Objective-C": (("Objective-C", _plain_c),),
    "C#": (
        *(("C#", first_branches), ("C#", _CS), ("C#", _new_cs)),
        ("C#", lambda text: _new_cs(first_branches(text))),
    ),
    "CSS": (("CSS", _CSS),),
    "HTML": (("HTML", _FILLED),),
    "Swift": (("Swift", _SWIFT),),
    "Kotlin": (("Kotlin", _KOTLIN),),
    "SQL": (("SQL", _SQL), ("SQL", lambda text: _SQL(_without_bodies(text)))),
}
