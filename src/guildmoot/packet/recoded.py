"""Files that a change leaves in another encoding than UTF-8, where those who read the language take nothing else.

Judges see every file as text, whatever its bytes are; compilers and readers of data do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from guildmoot.model.packet import BaseFile, Recoded
from guildmoot.packet.contents import Blobs, DecodedText, WorkTree, decode
from guildmoot.packet.encodings import ATTRIBUTES, declared_coding, said_of
from guildmoot.system.git import Git
from guildmoot.text.globs import matches
from guildmoot.text.languages import language_in
from guildmoot.text.places import EXAMPLES, FIXTURES, TESTS

_UTF8_ONLY = frozenset(
    (
        *("Python", "JavaScript", "TypeScript", "TSX", "Vue", "Svelte", "Astro", "Go", "Rust"),
        *("Kotlin", "Swift", "Dart", "Zig", "Elixir", "Elm", "Gleam", "Terraform", "JSON"),
        *(
            "JSON with comments",
            "JSON lines",
            "Jupyter notebook",
            "TOML",
            "YAML",
            "GitHub workflow",
        ),
    )
)
_BYTE_A_LETTER = frozenset(
    (
        *("C", "C++", "Objective-C", "Java", "Scala", "Groovy", "Ruby", "PHP", "Shell", "Perl"),
        *("Lua", "SQL", "Dockerfile", "Makefile", "CMake"),
    )
)
"""Read byte by byte, or in whatever encoding is set: a letter of Latin-1 does no harm in a comment."""
_TAKEN_WIDE = frozenset(("SQL",))
_MARKS = (
    *((b"\xff\xfe\0\0", "UTF-32"), (b"\0\0\xfe\xff", "UTF-32")),
    *((b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16")),
)


def recoded(
    git: Git,
    base: Mapping[str, str],
    files: Sequence[tuple[str, str]],
    before: Sequence[BaseFile],
    source: WorkTree | Blobs,
) -> tuple[Recoded, ...]:
    """What each file that is no UTF-8 is told, unless the base had it so; ``base`` is from path to content."""
    odd = [(path, text) for path, text in files if _is_odd(path, text, source)]
    if not odd:
        return ()
    olds = {each.path: each.oid for each in before}
    with git.blob_reader() as read:
        rules = [path for path in base if path.rpartition("/")[2] == ATTRIBUTES]
        said = said_of({path: read(base[path]) for path in rules}, [path for path, _ in odd])
        found = list[Recoded]()
        for path, text in odd:
            data = source.read(path)
            if path in said or not isinstance(data, bytes):
                continue
            old = read(olds[path]) if path in olds else None
            if old is None or not any(_faults(path, old)):
                found += _told(path, text, data, is_new=old is None)
    return tuple(found)


def _is_odd(path: str, text: str, source: WorkTree | Blobs) -> bool:
    """Whether its bytes are others than those of the text; nothing is read to tell it."""
    if "\ufffd" in text:
        return True
    return source.size(path) != (len(text) if text.isascii() else len(text.encode()))


def _told(path: str, text: str, data: bytes, *, is_new: bool) -> Iterator[Recoded]:
    language = language_in(path, text).name
    strict = language in _UTF8_ONLY
    if not strict and language not in _BYTE_A_LETTER:
        return
    for line, what, wide in _faults(path, data):
        grave = strict or (wide and language not in _TAKEN_WIDE)
        meant = is_new and matches(path, (*TESTS, *EXAMPLES, *FIXTURES))
        why = (
            f"those who read {language} take UTF-8 only"
            if grave
            else "others will read other letters"
        )
        message = f"{what}, and {why}: save the file as UTF-8"
        yield Recoded(path, line, "ERROR" if grave and not meant else "WARNING", message)


def _faults(path: str, data: bytes) -> Iterator[tuple[int, str, bool]]:
    """The line, what is wrong there, and whether every letter takes several bytes; nothing for UTF-8."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            yield 1, f"the file is {name}", True
            return
    found = decode(data) if b"\0" in data else None
    if isinstance(found, DecodedText) and not found.replaced and found.text.encode() != data:
        yield 1, "the file is UTF-16 or UTF-32 without a mark", True
        return
    try:
        data.decode()
    except UnicodeDecodeError as wrong:
        if not _is_declared(path, data):
            line = data.count(b"\n", 0, wrong.start) + 1
            yield line, f"the byte 0x{data[wrong.start]:02X} in line {line} is no UTF-8", False


def _is_declared(path: str, data: bytes) -> bool:
    """Whether it is Python that names its coding, and is written in it."""
    try:
        name = declared_coding(path, data)
        return bool(name and data.decode(name))
    except (UnicodeError, LookupError):
        return False
