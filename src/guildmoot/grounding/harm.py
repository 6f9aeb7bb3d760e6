"""Blocking means harm: facts of tools that a rule calls grave and that the line, the file or the tool excuses.

What is excused stays in the report as advice, with the reason. Each row was measured on real repositories
(benchmarks/real_repositories.py). In a change less is excused: what was in place was accepted, what is new was not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from guildmoot.grounding.client_keys import is_of_client, is_of_settings
from guildmoot.grounding.loose_names import (
    is_bound,
    is_deleted,
    is_quoted,
    is_run_at_once,
    is_unreached,
    name_of,
)
from guildmoot.grounding.measured import blocks_in_audit
from guildmoot.grounding.novelty import BY_GRAMMAR, RISKS, UNPARSABLE, WHEN_NEW
from guildmoot.model.verdict import Finding
from guildmoot.named import NamedTuple
from guildmoot.text.globs import matches
from guildmoot.text.languages import language_in
from guildmoot.text.pairs import EXACT
from guildmoot.text.patterns import lazy, stands_in
from guildmoot.text.places import EXAMPLES, FIXTURES, TESTS
from guildmoot.text.turned import is_deceit

_TEMPLATES = (
    *("*.tpl.*", "*.tmpl.*", "*.template.*", "template/", "templates/", "_templates/"),
    *("skeleton/", "scaffold/", "boilerplate/", "cookiecutter*/"),
)
DEFECTS = (
    "assigned-condition|stray-semicolon|error-not-thrown|negated-part|unknown-type|compared-with-nan|promise-as-answer"
    "|sql-from-input|shell-from-input|eval-of-input|file-from-input|include-of-input|page-from-input"
    "|deferred-before-check|result-unused|unbounded-copy|format-from-input|size-of-pointer|swapped-size|local-returned"
    "|text-compared|wrong-delete|lock-let-go|empty-range|emptied-before-read|compared-as-text|always-true|deletes-first"
    "|open-to-all|public-bucket|declared-twice|quotes|unknown-job|unknown-stage|unknown-key|unclosed-expression|script-injection|compared-with-null|values-do-not-fit|past-the-end"
    "|selector-mismatch|unknown-volume|request-above-limit|runs-at-install"
)
"""What blocks of the rules in agents/rules."""
_IN_CHANGES = "|".join(sorted(WHEN_NEW))
_LEFT_OVER = ("*.orig", "*.rej", "*.backup.*", "*.base.*", "*.local.*", "*.remote.*")
"""Copies that tools of merging leave beside a file."""
_OUTPUTS = ("output/", "outputs/", "results/", "logs/", "runs/")
_LIKE_TESTS = ("test_*/", "test-*/", "*test/", "*tests/", "*testing/", "*-test-*/")
_OF_PYTHON_2 = frozenset(
    (
        *("unicode", "basestring", "long", "xrange", "raw_input", "unichr", "file", "cmp"),
        *("reduce", "buffer", "reload", "intern", "execfile", "apply", "coerce"),
        *("StandardError", "WindowsError"),
    )
)
_MANY = 4
"""Files of one folder that do not parse, from which on they are taken for data."""
_ALIKE = 3
"""As many that fail for the same reason: a program wrote them in a form of its own."""
_NAMES = 3
"""Undefined names of one file among many, from which on it is notes or a part of another that nobody runs."""
_HOSTED = 5
"""Files that use one name without a declaration, from which on somebody gives it to them."""
_FEW_FILES = 20
"""Up to which somebody points at the files; of more, some are always such that a grammar fails on them."""
_SHORT = 60
"""Lines of a file in which what must pair up can be counted without a slip."""
_CROWD = 20
"""Files of tests and examples with something grave, from which on they hold it on purpose."""
_IN_TESTS = lazy(r"merge-.+|F631|PGH005|PLW0129|PLW0133|PLW0245")
"""What makes a test pass without testing, and conflicts."""
_WHEN_NEW = frozenset(
    (
        *("possible-secret", "likely-secret", "possible-key-file", "undefined-name"),
        *("S102", "S110", "S112", "S301", "S307", "S608"),
    )
)
"""Advice that only a change is worth: in place it is mostly a name, a value or a risk that is meant so."""
_PYTHON_2 = lazy(
    r"""^#!.*\bpython2|^[ \t]*(?:print[ \t]+(?:["'%\w]|>>)|exec[ \t]+["'\w]"""
    r"""|raise[ \t]+(?:[\w.]+|"[^"\n]*"|'[^'\n]*')[ \t]*,"""
    r"""|except[ \t]+[\w.]+[ \t]*,[ \t]*[a-z_]\w*[ \t]*:)""",
    re.MULTILINE,
)
_IN_PLACE = "it is in place; a change that brings it is held up"
_ONLY, _ELSEWHERE = "advice only", "several names of this file are set elsewhere"
_MESSAGE = lazy(r"""\w\(\s*((?:[rRuU]?(?:"[^"\n]*"|'[^'\n]*')\s*)+)""")
_CALL = 5
"""Lines on which a message begins and goes on."""
_OTHER_SHELL = lazy(
    r"#![^\n]*\b(?:t?csh|fish|rc|expect|tclsh|wish|perl|python[\d.]*|ruby|awk|nu|pwsh)\b"
)
_JSON_ASIDE = lazy(r"""("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/""", re.DOTALL)
_JSON_COMMA = lazy(r",(\s*[}\]])")
_ATTRIBUTE = lazy(r"\bassert\s+(?:not\s+)?[\w.]+\.\w*called\w*\s*(?:#.*)?$")
_OWN_INIT = lazy(r"return\s+(?:None\b|super\b.*\.__init__\(|[\w.]+\.__init__\()")
_EXCUSED = lazy(r"#\s*(?:type:\s*ignore|pylint:\s*disable|ty:\s*ignore|pyright:\s*ignore)")


class Excuse(NamedTuple):
    """Why what a rule calls grave may do no harm."""

    codes: re.Pattern[str]
    holds: Callable[[Finding, str], bool]
    """Of the finding and the text of its file."""
    why: str
    in_changes: bool = True
    """It holds for what a change brings, too."""
    held: tuple[str, ...] = ()
    """Then only in such places that the base has: who writes a change chooses its folders."""


def excused(
    findings: Sequence[Finding],
    text_of: Callable[[str], str],
    change: bool,
    in_base: Callable[[str], bool] = lambda path: False,
    files: int = 0,
) -> list[Finding]:
    """The findings, with those that do no harm as advice; ``in_base`` knows a change's files and folders of before.

    ``files`` is how many were judged: the more, the likelier that it is the judge who errs.
    """
    broken = {f.path: f for f in reversed(findings) if f.proven and f.code in UNPARSABLE}
    crowds = Counter(map(_kind_of, broken))
    crowds.update(_alike_of(f) for f in broken.values())
    names = {(f.path, f.title) for f in findings if f.code == "F821"}
    crowds.update((path, "F821") for path, _ in names)
    crowds.update((path, "host") for path in _hosted(findings))
    grave = {f.path for f in findings if f.proven and f.blocking and _OF_TESTS(f, "")}
    crowds["", "tests"] = len(grave)
    crowds["", "files"] = files
    if not change:
        findings = [f for f in findings if f.path not in broken or _is_told(f, broken[f.path])]
    findings = [f for f in findings if f.code != "PLE1205" or not _is_in_braces(f, text_of(f.path))]
    held = in_base if change else None
    weighed = [_weighed(f, text_of, held, broken.get(f.path)) for f in findings]
    if change:
        return weighed
    told = [_of_many(f, text_of, crowds) for f in weighed]
    audit = files > _FEW_FILES
    return [f for f in told if not (audit and _is_untold(f, len(grave) >= _CROWD, text_of))]


def _is_told(finding: Finding, broken: Finding) -> bool:
    """That a file does not parse is told once: what follows from it says nothing new."""
    return finding is broken or finding.code not in UNPARSABLE


def _hosted(findings: Sequence[Finding]) -> set[str]:
    """Files that use a name which many files have from nowhere: a platform, a judge or a shell gives it."""
    asked = {(f.path, name_of(f)) for f in findings if f.code == "F821"}
    users = Counter(name for _, name in asked)
    return {path for path, name in asked if users[name] >= _HOSTED}


def _kind_of(path: str) -> tuple[str, str]:
    """The folder and the ending of a file."""
    folder, _, name = path.rpartition("/")
    return folder, name.rpartition(".")[2]


def _alike_of(finding: Finding) -> tuple[str, str]:
    """The folder of a file that does not parse, and why."""
    return finding.path.rpartition("/")[0], finding.title


def _of_many(
    finding: Finding, text_of: Callable[[str], str], crowds: Counter[tuple[str, str]]
) -> Finding:
    """What is in place in great numbers is so on purpose, or the judge's own fault."""
    if not (finding.blocking and finding.proven):
        return finding
    audit = crowds["", "files"] > _FEW_FILES
    many_tests = crowds["", "tests"] >= _CROWD or (audit and not _IN_TESTS.fullmatch(finding.code))
    if many_tests and _OF_TESTS(finding, ""):
        return _advice(finding, "tests and examples may hold it on purpose")
    if audit and not blocks_in_audit(finding.code, _language(finding, text_of(finding.path))):
        return _advice(finding, "it is in place, where this rule was right too seldom")
    if audit and finding.seat == "languages" and finding.code not in UNPARSABLE:
        return _advice(finding, _IN_PLACE)
    if audit and finding.code == "F821" and crowds[finding.path, "F821"] >= _NAMES:
        return _advice(finding, _ELSEWHERE)
    if audit and finding.code == "F821" and is_run_at_once(finding, text_of(finding.path)):
        return _advice(finding, "its file cannot be run as it stands")
    if finding.code == "F821" and crowds[finding.path, "host"]:
        return _advice(finding, "what runs such files gives them names")
    if finding.code not in UNPARSABLE:
        return finding
    kind = _kind_of(finding.path)
    if kind[0] and (crowds[kind] >= _MANY or crowds[_alike_of(finding)] >= _ALIKE):
        why = "several files of this kind and folder do not parse, as test data may"
        return _advice(finding, why)
    if audit and _is_guess(finding, text_of(finding.path)):
        return _advice(
            finding, "it is in place, and a grammar alone says so, which may be at fault"
        )
    return finding


def _is_untold(finding: Finding, crowd: bool, text_of: Callable[[str], str]) -> bool:
    """Advice that nobody acts on where it is in place: what is mild, on tests, on what a grammar lacks."""
    if finding.blocking or not finding.proven:
        return False
    if _OF_TESTS(finding, ""):
        return crowd or finding.code not in UNPARSABLE
    if finding.code == "may-not-parse":
        return _language(finding, text_of(finding.path)) not in EXACT
    return finding.severity == "low" or finding.code in _WHEN_NEW


def _language(finding: Finding, text: str) -> str:
    return language_in(finding.path, text).name


def _is_guess(finding: Finding, text: str) -> bool:
    """Whether no exact parser says so, of a text too long to count its brackets and quotes for certain."""
    by_grammar = finding.code in BY_GRAMMAR and _language(finding, text) not in EXACT
    return by_grammar and text.count("\n") > _SHORT


def _weighed(
    finding: Finding,
    text_of: Callable[[str], str],
    in_base: Callable[[str], bool] | None,
    broken: Finding | None,
) -> Finding:
    if not (finding.blocking and finding.proven and finding.path):
        return finding
    unparsed = finding.code in UNPARSABLE
    if broken and finding is not broken and (broken.blocking or not in_base):
        return _advice(finding, f"the file does not parse from line {broken.line} on")
    if unparsed and in_base and in_base(finding.path):
        return finding
    text = text_of(finding.path)
    for excuse in _EXCUSES:
        applies = (excuse.in_changes or not in_base) and excuse.codes.fullmatch(finding.code)
        if applies and excuse.holds(finding, text) and _stood(finding.path, excuse.held, in_base):
            return _advice(finding, excuse.why)
    return finding


def _stood(path: str, places: tuple[str, ...], in_base: Callable[[str], bool] | None) -> bool:
    """Whether the folder that excuses, or the file if its name does, is not of the change's making."""
    if not (places and in_base):
        return True
    parts = path.split("/")
    folders = ("/".join(parts[:end]) for end in range(1, len(parts)))
    return in_base(next((f for f in folders if matches(f"{f.lower()}/_", places)), path))


def _advice(finding: Finding, why: str) -> Finding:
    note = "; ".join(filter(None, (finding.note, f"{_ONLY}: {why}")))
    return finding._replace(blocking=False, severity="medium", note=note)


def _lies_in(*places: str) -> Callable[[Finding, str], bool]:
    return lambda finding, text: matches(finding.path.lower(), places)


def _says(*words: str) -> Callable[[Finding, str], bool]:
    return lambda finding, text: any(word in finding.title for word in words)


def _is_in_braces(finding: Finding, text: str) -> bool:
    """Whether the message of a log line has its fields in braces, as a logger of the project's own takes it."""
    call = "\n".join(text.split("\n")[max(finding.line - 1, 0) : finding.line + _CALL])
    message = _MESSAGE.search(call)
    return message is not None and "{" in message[0] and "%" not in message[0]


def _is_template(finding: Finding, text: str) -> bool:
    """It is filled in before it is read."""
    if "{{" in finding.path or matches(finding.path.lower(), _TEMPLATES):
        return True
    return re.search(r"\{%-?\s*\w+|<%[=-]?\s|<<\w+>>", text) is not None


def _is_about_conflicts(finding: Finding, text: str) -> bool:
    """A file of tests whose name, or its folder's, says that it holds one."""
    places = finding.path.lower().split("/")[-2:]
    return _OF_TESTS(finding, "") and any("conflict" in at or "merge" in at for at in places)


def _is_for_another(finding: Finding, text: str) -> bool:
    """Whether a script of another shell, or a program, stands under a name of this language."""
    shell = finding.path.endswith((".sh", ".bash")) and _OTHER_SHELL.match(text)
    json = finding.path.endswith(".json") and (text.startswith("#!") or _has_comments(text))
    return bool(shell) or json


def _has_comments(text: str) -> bool:
    """Whether it is JSON but for comments, and then for commas too, which many programs read."""
    import json  # few files need it

    bare = _JSON_ASIDE.sub(lambda found: found[1] or "", text)
    if bare == text:
        return False
    try:
        json.loads(_JSON_COMMA.sub(r"\1", bare))
    except (ValueError, RecursionError):
        return False
    return True


def _excuse(
    codes: str,
    holds: Callable[[Finding, str], bool],
    why: str,
    *,
    in_changes: bool = True,
    held: tuple[str, ...] = (),
) -> Excuse:
    return Excuse(lazy(codes), holds, why, in_changes, held)


_ANY = r".+"
_SETS_NAMES = lazy(r"\b(?:globals|vars)\(\)\s*(?:\[[^\]\n]+\]\s*=[^=]|\.(?:update|setdefault)\()")
_OF_TESTS = _lies_in(*TESTS, *_LIKE_TESTS, *EXAMPLES, *FIXTURES)
_EXCUSES: tuple[Excuse, ...] = (
    _excuse(_ANY, _says("seems safe", "(LOW confidence)"), "the tool itself thinks it is safe"),
    _excuse("S506", _says("`SafeLoader`", "`CSafeLoader`"), "the loader is a safe one"),
    _excuse(
        "PLE2502", lambda f, t: not is_deceit(f.quote), "only signs of direction, as text needs"
    ),
    _excuse(
        "PGH005",
        lambda f, t: bool(_ATTRIBUTE.search(f.quote.partition("\n")[0])),
        "what is asked may have such an attribute",
    ),
    _excuse("PLE0101", lambda f, t: bool(_OWN_INIT.search(f.quote)), "it returns None"),
    _excuse(
        "F821",
        lambda f, t: bool(re.fullmatch(r"__\w+__", name_of(f))),
        "a name that a host sets",
        in_changes=False,
    ),
    _excuse(
        "F821",
        lambda f, t: name_of(f).startswith("reveal_"),
        "type checkers know the name",
        in_changes=False,
    ),
    _excuse("F821", lambda f, t: f.path.endswith(".pyi"), "stubs are not run"),
    _excuse("F821", lambda f, t: stands_in(_SETS_NAMES, t), "the file sets names as it runs"),
    _excuse("F821", is_quoted, "the name stands in a text", in_changes=False),
    _excuse("F821", is_deleted, "the name is deleted in one branch", in_changes=False),
    _excuse(f"PLE.*|F5.*|{RISKS}", _lies_in(*EXAMPLES), "an example", held=EXAMPLES),
    _excuse("F821", _lies_in(*EXAMPLES), "an example", in_changes=False),
    _excuse(
        f"PLE.*|F5.*|B016|PLW2101|{RISKS}",
        _lies_in(*TESTS),
        "tests do such things on purpose",
        held=TESTS,
    ),
    _excuse(f"{DEFECTS}|{_IN_CHANGES}", _lies_in(*EXAMPLES), "an example", held=EXAMPLES),
    _excuse(
        f"{DEFECTS}|{_IN_CHANGES}", _lies_in(*TESTS), "tests do such things on purpose", held=TESTS
    ),
    _excuse(
        "secret|likely-secret|key-file",
        _lies_in(*TESTS, *EXAMPLES, *FIXTURES, *_LIKE_TESTS),
        "an example",
    ),
    _excuse(r"(?!merge-).+", _lies_in(*FIXTURES), "data of tests", held=FIXTURES),
    _excuse("text-turned|unseen-.+", _OF_TESTS, "a test of such signs", held=(*TESTS, *EXAMPLES)),
    _excuse("merge-.+", _is_about_conflicts, "a test of conflicts", in_changes=False),
    _excuse("merge-.+", _lies_in(*_LEFT_OVER), "git kept it aside", in_changes=False),
    _excuse(RISKS, lambda f, t: True, _IN_PLACE, in_changes=False),
    _excuse(
        "F821", lambda f, t: name_of(f) in _OF_PYTHON_2, "a name of Python 2", in_changes=False
    ),
    _excuse(
        "F821",
        lambda f, t: bool(_EXCUSED.search(f.quote)),
        "its line says that it is known",
        in_changes=False,
    ),
    _excuse(
        "F821|F633|invalid-syntax",
        lambda f, t: stands_in(_PYTHON_2, t),
        "it is written for Python 2",
        in_changes=False,
    ),
    _excuse("F821", lambda f, t: "globals()" in t, "names are made here", in_changes=False),
    _excuse("F821|F70\\d", _is_template, "a template", in_changes=False),
    _excuse("F821", is_unreached, "nothing comes to this line", in_changes=False),
    _excuse("F821", is_bound, "its function sets the name, if later", in_changes=False),
    _excuse("|".join(sorted(UNPARSABLE)), _lies_in(*EXAMPLES), "an example", in_changes=False),
    _excuse("|".join(sorted(UNPARSABLE)), _is_template, "a template", in_changes=False),
    _excuse("|".join(sorted(UNPARSABLE)), _is_for_another, "for another program", in_changes=False),
    _excuse("does-not-parse", _lies_in(*_OUTPUTS), "what a program wrote", in_changes=False),
    _excuse("secret|key-file", _lies_in("node_modules/"), "a package brings it", in_changes=False),
    _excuse("secret", is_of_settings, "settings of an application, which Google means to be seen"),
    _excuse("secret", is_of_client, "its users must be given this key", in_changes=False),
)
