"""The words that a finding about a kind of defect would use, for the strict way of matching.

They are looked for in everything a finding says: its code, title, why and fix. Whoever uses none of
them may still have meant the defect, so the strict count is a lower bound.
"""

from __future__ import annotations

import re

from guildmoot.model.verdict import Finding

WORDS = {
    "blocking-call": r"block|synchronous|async|event.loop|to_thread",
    "cross-site-scripting": r"xss|cross.site|escap|saniti|inject|script",
    "deadlock": r"deadlock|unlock|mutex|lock",
    "dangling": r"local|stack|dangl|lifetime|gone|freed|after",
    "float-money": r"float|double|decimal|round|precision|binary|money|cent",
    "format-string": r"format|printf|%s",
    "information-leak": r"leak|expos|disclos|stack|trace|process list|argument|command.line|visible",
    "leaked-secret": r"secret|token|password|credential|key|hard.?coded",
    "mismatch": r"match|selector|label|mismatch|differ",
    "missing-await": r"await|promise|coroutine|async",
    "missing-return": r"return|fall.?s? through|continue|next\.serve|still",
    "missing-timeout": r"time.?out|deadline|hang|forever|for ever|slow|wait",
    "missing-where": r"where|every row|all rows|every account|all accounts",
    "mutable-default": r"mutable|default|shared",
    "off-by-one": r"off.by.one|bound|inclusive|exclusive|range|last|limit|>=|<=|one more|one too|tier",
    "overflow": r"overflow|wrap|saturat|past the end|strcpy|longer|unbounded",
    "path-traversal": r"travers|outside|escape|path|\.\./|extract|prefix|symlink|trusted",
    "race": r"race|atomic|concurren|lock|thread|two (workers|callers|buyers)|synchroni|toctou",
    "removed-validation": r"valid|check|limit|expir|empty|zero|negative|range|unbounded|currency|verif|large|sum",
    "resource-leak": r"leak|clos|release|context.manager|with statement|clean.?up|temporary|finally",
    "shell-injection": r"shell|inject|eval|command|quot",
    "sql-injection": r"sql|inject|parameter|placeholder|string.building|concat|interpolat",
    "swallowed-exception": r"swallow|except|ignor|silent|blind|broad|cancel|suppress|pass|continue",
    "slow-pattern": r"redos|backtrack|exponential|quadratic|regex|pattern|catastroph|slow",
    "timezone": r"time.?zone|utc|naive|aware|local time|tz",
    "undefined-name": r"undefined|not defined|name ?error|unknown name|total",
    "unchecked-error": r"error|check|unwrap|panic|status|fail|exit|ignored|pipefail|return value|\bok\b",
    "unpinned": r"pin|latest|digest|tag|version|reproduc",
    "unquoted": r"quot|split|glob|space",
    "unsafe-loading": r"unsafe|yaml|load|deseriali|arbitrary",
    "unsafe-temp": r"mktemp|temp|predict|race|insecure",
    "wrong-comparison": r"compar|equal|==|\bis\b|identity|constant.time|timing|operator|condition|min|max|>|&&",
    "wrong-default": r"default|verif|tls|certificate|cascade|interface|0\.0\.0\.0|expos|bind",
    "wrong-join": r"join|missing|null|without (any )?entr|left",
    "wrong-order": r"order|preceden|overrid|sort|ascend|descend|wins?\b",
    "wrong-permission": r"permission|root|privileg|world|chmod|umask|readable|user",
    "wrong-size": r"size|length|pointer|buffer",
    "wrong-status": r"status|exit code|return code|\b(200|201|400|404|422|429|500|503)\b",
    "wrong-unit": r"unit|second|milli|\bms\b|1000",
}
_PATTERNS = {kind: re.compile(words, re.IGNORECASE) for kind, words in WORDS.items()}


def speaks_of(finding: Finding, kind: str) -> bool:
    """Whether the finding uses a word of this kind of defect."""
    said = " ".join((finding.code, finding.title, finding.why, finding.fix))
    return bool(_PATTERNS[kind].search(said))
