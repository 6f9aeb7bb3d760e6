"""What can be checked without judgement, one small function each; no file is read here.

A check that warns or fails holds the verdict down, whatever the judges say; so they warn only about
what a program can be sure of. Here are the scope, tests and links; ``claims`` and ``complexity`` have
files of their own.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple
from urllib.parse import unquote

from guildmoot.model.packet import Packet, PacketFile
from guildmoot.practices.repository import RepositoryView
from guildmoot.text.clean import count
from guildmoot.text.globs import matches

ReportTable = tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]
"""Title, headings, rows, as a report shows them."""

_CHANGED, _SPEC, _TESTED, _LINKS = "changed files", "spec found", "tests present", "links resolve"
_CODE = (
    *("*.py", "*.js", "*.jsx", "*.ts", "*.tsx", "*.mjs", "*.go", "*.rs", "*.rb", "*.java", "*.kt"),
    *("*.cs", "*.c", "*.cc", "*.cpp", "*.php", "*.swift", "*.scala", "*.ex"),
)
_TEST_FOLDERS = ("test/", "tests/", "__tests__/", "spec/", "specs/")
_TESTS = (
    *("test_*.*", "*_test.*", "*_tests.*", "*.test.*", "*.spec.*", "*_spec.*", "conftest.py"),
    *("*Test.*", "*Tests.*", "*Spec.*", *_TEST_FOLDERS, "testdata/", "fixtures/"),
)
_NO_SUBJECT = ("__init__", "__main__", "__version__", "version", "setup", "conf", "settings")
_INSIDE = re.compile(r"#\[(?:cfg\()?test\)?\]|^\s*>>> ", re.MULTILINE)
"""Tests within the file itself: Rust's, and doctests."""

_FENCE = re.compile(r"^ {0,3}(```+|~~~+)")
_SPAN = re.compile(r"(`+)[^`].*?\1|<!--.*?-->")
_INLINE = re.compile(r"\]\(\s*(?:<([^<>\n]*)>|([^\s()<>]+(?:\([^\s()]*\)[^\s()<>]*)?))")
_DEFINED = re.compile(r"^ {0,3}\[[^\]^\n]+\]:\s*<?([^\s<>]+)>?")
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//|#|\{|\$", re.IGNORECASE)


class CheckResult(NamedTuple):
    """One check."""

    name: str
    result: Literal["ok", "warn", "undecided", "fail", "skipped"]
    detail: str
    more: tuple[str, ...] = ()
    """Line by line, for the judges."""
    table: ReportTable | None = None


def some(items: Sequence[str], most: int = 5) -> str:
    """The first few, and how many more there are."""
    rest = len(items) - most
    return ", ".join(items[:most]) + (f" and {rest} more" if rest > 0 else "")


def check_changed(packet: Packet, left: Sequence[str] = ()) -> CheckResult:
    """How much is judged; ``left`` are changed files beyond what one review takes."""
    number = len(packet.files)
    noun = "file" if number == 1 else "files"
    if left:
        more = tuple(f"not judged: {path}" for path in left)
        detail = f"{number} of {number + len(left)} are judged; name the rest: {some(list(left))}"
        return CheckResult(_CHANGED, "undecided", detail, more)
    changed = "changed " if packet.changed else ""
    unseen = [each.path for each in packet.omitted if each.path not in dict(packet.changed)]
    beside = f"; left out: {some(unseen, 3)}" if unseen else ""
    return CheckResult(_CHANGED, "ok", f"{number} {changed}{noun} judged{beside}")


def check_spec(packet: Packet) -> CheckResult:
    """Which document says what the work should do."""
    specs = [section.title for section in packet.sections if section.kind == "spec"]
    if specs:
        return CheckResult(_SPEC, "ok", some(specs))
    return CheckResult(_SPEC, "skipped", "none was named or found: the work is judged by itself")


def is_test(path: str) -> bool:
    """Whether a file belongs to the tests, going by its name and folders."""
    return matches(path, _TESTS)


def check_tests(files: Sequence[PacketFile], repository: RepositoryView) -> CheckResult:
    """Every code file among ``files`` needs a test somewhere in the repository."""
    subjects = [file for file in files if _is_subject(file.path)]
    if not subjects:
        return CheckResult(_TESTED, "skipped", "no code that would need tests")
    tests = [path for path in repository.files() if is_test(path)]
    stems = {stem for path in tests for stem in _subjects_of(path)}
    bare = [file.path for file in subjects if not _is_tested(file, stems, repository)]
    if not bare:
        return CheckResult(_TESTED, "ok", "every code file has tests")
    detail = f"{len(bare)} of {count(len(subjects), 'code file')} without tests: {some(bare)}"
    return CheckResult(_TESTED, "warn", detail, tuple(f"no test for {path}" for path in bare))


def _is_subject(path: str) -> bool:
    return matches(path, _CODE) and not is_test(path) and _stem(path) not in _NO_SUBJECT


def _is_tested(file: PacketFile, stems: set[str], repository: RepositoryView) -> bool:
    stem = _stem(file.path)
    if _plain(stem) in stems or _INSIDE.search(file.text):
        return True
    names = dict.fromkeys((stem, stem.strip("_") or stem))
    return any(is_test(path) for name in names for path in repository.mentions(name))


def _subjects_of(path: str) -> set[str]:
    """What a test file is about: ``test_prices``, ``prices.spec``, ``PricesTest``, ``tests/prices``."""
    stem = _stem(path)
    plain = re.sub(r"^test[_-]+|[_.-]+(?:tests?|spec)$|(?<=[a-z0-9])(?:Tests?|Spec)$", "", stem)
    return {_plain(plain)} if plain != stem or matches(path, _TEST_FOLDERS) else set()


def _stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]


def _plain(stem: str) -> str:
    """``_auth``, ``Auth`` and ``auth`` are one subject, and so are ``user-list`` and ``user_list``."""
    return re.sub(r"[_.-]", "", stem).casefold()


def check_links(files: Sequence[PacketFile], repository: RepositoryView) -> CheckResult:
    """Every link to a file of the repository must lead to one."""
    pages = [file for file in files if file.path.lower().endswith((".md", ".markdown", ".mdx"))]
    if not pages:
        return CheckResult(_LINKS, "skipped", "no Markdown")
    shown = {file.path for file in files}
    seen, dead = 0, []
    for page in pages:
        for line, link in links(page.text):
            target = resolve(page.path, link)
            if target is None:
                continue
            seen += 1
            if target not in shown and not repository.has(target):
                dead.append(f"{page.path}:{line} {link}")
    if not seen:
        return CheckResult(_LINKS, "skipped", "no link to a file of the repository")
    if not dead:
        return CheckResult(_LINKS, "ok", f"all {seen} lead to something")
    more = tuple(f"dead link at {each}" for each in dead)
    return CheckResult(_LINKS, "warn", f"{len(dead)} of {seen} lead nowhere: {some(dead)}", more)


def links(text: str) -> Iterator[tuple[int, str]]:
    """Each link with its line, outside of code."""
    fence = ""
    for number, line in enumerate(text.split("\n"), 1):
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        elif not fence:
            plain = _SPAN.sub("", line)
            yield from ((number, a or b) for a, b in _INLINE.findall(plain) if a or b)
            if defined := _DEFINED.match(plain):
                yield number, defined[1]


def resolve(page: str, link: str) -> str | None:
    """The path that a link names, from the root; None for what is not in the repository."""
    if _ELSEWHERE.match(link):
        return None
    bare = unquote(re.split(r"[#?]", link, maxsplit=1)[0])
    if not bare:
        return None
    start = "" if bare.startswith("/") else posixpath.dirname(page)
    path = posixpath.normpath(posixpath.join(start, bare.lstrip("/")))
    return None if path == ".." or path.startswith("../") else path
