"""The one way out: whatever judges will see passes through ``release`` and nothing else.

Key files are dropped again here, whatever was decided before, and secrets are masked in the
files, in every section, in the diff, and in names. ``Packet`` values are made nowhere else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType

from guildmoot.guard.clean_texts import CleanTexts
from guildmoot.guard.egress import KEY_FILE, admit
from guildmoot.guard.secrets import mask
from guildmoot.model.packet import (
    BaseFile,
    FileCheck,
    Masking,
    Omission,
    Packet,
    PacketFile,
    RealTexts,
    Recoded,
    Section,
)
from guildmoot.model.verdict import Finding
from guildmoot.named import NamedTuple
from guildmoot.packet.diff import Patch, Ranges
from guildmoot.packet.digest import packet_hash
from guildmoot.text.patterns import lazy

_SURROGATE = lazy("[\ud800-\udfff]")
_TELLING = "its name holds a secret"
_MOST_TOLD = 50
"""Values that are looked for everywhere."""
_LOADS = lazy(
    r"(?i)import|require|include|from|use|load|source|exec|run|spawn|system|call|open|eval|shell|cmd|command"
)
# In a file's name a dash is enough: dump_password-Tr0ub4dor.txt.
_TELLING_WORD = lazy(
    r"(?i:\b|(?<=[_-]))(?i:(pass(?:w(?:ord|d|ort))?|passphrase|kennwort|pwd|pw|secret|token))[-_]"
    r"(?=[^\s/]*[A-Z])(?=[^\s/]*[a-z])(?=[^\s/_-]*\d)(?=[^\s/._-]{6})"
)


class Draft(NamedTuple):
    """What was collected, as it lies on this machine."""

    root: str
    target: str
    files: Sequence[tuple[str, str]] = ()
    sections: Sequence[Section] = ()
    patches: Sequence[Patch] = ()
    diff_title: str = ""
    omitted: Sequence[Omission] = ()
    changed: Mapping[str, Ranges] = MappingProxyType({})
    checkout: bool = False
    alerts: Sequence[Finding] = ()
    base: str = ""
    checks: Sequence[FileCheck] = ()
    before: Sequence[BaseFile] = ()
    beside: Sequence[str] = ()
    recoded: Sequence[Recoded] = ()


def release(draft: Draft) -> Packet:
    """The packet that judges may see, with a list of what was held back."""
    held = _Withheld()
    files = tuple(_files(draft.files, held))
    if draft.base:  # of a change nobody sees what is dropped here
        held.omitted = [item._replace(unseen_by="everybody") for item in held.omitted]
    shown = {file.path for file in files}
    sections = [_section(section, held) for section in draft.sections]
    if draft.diff_title:
        sections.append(_diff(draft, held, shown))
    if held.told:
        files = tuple(_again(files, dict(draft.files), held))
        sections = [
            part._replace(text=held.again(part.text, "diff" if part.kind == "diff" else part.title))
            for part in sections
        ]
    packet = Packet(
        root=draft.root,
        target=_valid_utf8(_unlisted_mask(draft.target)),
        files=files,
        sections=tuple(sections),
        omitted=_sorted_omissions([*draft.omitted, *held.omitted]),
        masked=tuple(held.masked),
        changed=tuple(sorted(item for item in draft.changed.items() if item[0] in shown)),
        checkout=draft.checkout,
        hash="",
        alerts=tuple(draft.alerts),
        base=draft.base,
        checks=tuple(draft.checks),
        before=tuple(earlier for earlier in draft.before if earlier.path in shown),
        beside=tuple(draft.beside),
        recoded=tuple(draft.recoded),
        real=RealTexts(held.real),
    )
    return packet._replace(hash=packet_hash(packet))


def with_section(packet: Packet, section: Section) -> Packet:
    """The packet with one more text before its diff; it passes the same filter."""
    held = _Withheld()
    shown = _section(section, held)
    parts = list(packet.sections)
    at = next((n for n, part in enumerate(parts) if part.kind == "diff"), len(parts))
    packet = packet._replace(
        sections=(*parts[:at], shown, *parts[at:]), masked=(*packet.masked, *held.masked), hash=""
    )
    return packet._replace(hash=packet_hash(packet))


class _Withheld:
    """What the filter held back so far."""

    def __init__(self) -> None:
        self.masked: list[Masking] = []
        self.omitted: list[Omission] = []
        self.real: list[tuple[str, str]] = []
        self.told: set[str] = set()

    def text(self, text: str, path: str) -> str:
        masked, found = mask(text, path, self.told)
        self.masked += found
        return masked

    def again(self, text: str, path: str) -> str:
        """Without the values that were masked elsewhere: beside no name they say what they are as well."""
        for value in sorted(self.told)[:_MOST_TOLD]:
            parts = text.split(value)
            line = 1
            for part, after in pairwise(parts):
                line += part.count("\n")
                hides = not _is_value(part, after)
                self.masked.append(Masking(path, line, "secret", certain=False, hides=hides))
            text = "[masked:secret]".join(parts)
        return text


def _is_value(before: str, after: str) -> bool:
    """Whether what stands between is a whole literal that nothing loads or runs; else it may be code."""
    quote, line = before[-1:], before[before.rfind("\n") + 1 :]
    whole = quote in ("'", '"') and after.startswith(quote)
    return whole and not after[1:].lstrip().startswith(":") and not _LOADS.search(line)


def _files(files: Sequence[tuple[str, str]], held: _Withheld) -> Iterator[PacketFile]:
    telling = _telling_names(path for path, _ in files)
    clean = CleanTexts(files)
    for path, text in sorted(files):
        if admit(path) or path in telling:
            detail = _TELLING if path in telling else ""
            held.omitted.append(Omission(path, KEY_FILE, detail))
            continue
        known = clean.holds(path, text)
        shown = text if known else held.text(text, path)
        if shown != text:
            held.real.append((path, text))
        elif not known and not (held.masked and held.masked[-1].path == path):
            clean.add(path, text)
        yield PacketFile(path, shown, hashlib.sha256(shown.encode()).hexdigest())
    clean.keep()


def _again(
    files: Iterable[PacketFile], real: Mapping[str, str], held: _Withheld
) -> Iterator[PacketFile]:
    known = {path for path, _ in held.real}
    for file in files:
        shown = held.again(file.text, file.path)
        if shown != file.text and file.path not in known:
            held.real.append((file.path, real[file.path]))
        yield PacketFile(file.path, shown, hashlib.sha256(shown.encode()).hexdigest())


def _section(section: Section, held: _Withheld) -> Section:
    title = _valid_utf8(_unlisted_mask(section.title))
    return Section(section.kind, title, held.text(_valid_utf8(section.text), title))


def _diff(draft: Draft, held: _Withheld, shown: Collection[str]) -> Section:
    """The patches of files that may be shown, each masked by the rules for its kind of file."""
    pieces: list[str] = []
    lines = 0
    telling = _telling_names(name for patch in draft.patches for name in (patch.path, patch.old))
    for patch in draft.patches:
        if any(admit(name) or name in telling for name in (patch.path, patch.old)):
            continue
        text, found = _mask_patch(patch, held.told)
        signs = [line[:1] for line in text.split("\n")]
        held.masked += [
            item._replace(
                path="diff",
                line=item.line + lines,
                # Where the whole file is shown as well, that one tells.
                hides=item.hides and signs[item.line - 1] == "+" and patch.path not in shown,
            )
            for item in found
        ]
        pieces.append(text)
        lines += text.count("\n")
    return Section("diff", _unlisted_mask(draft.diff_title), "".join(pieces))


def _mask_patch(patch: Patch, told: set[str]) -> tuple[str, list[Masking]]:
    """Masked without the column of signs, which would be taken for a part of the first word."""
    lines = patch.text.split("\n")
    signs = [line[:1] if line[:1] in ("+", "-", " ") else "" for line in lines]
    bodies = "\n".join(line[len(sign) :] for sign, line in zip(signs, lines, strict=True))
    masked, found = mask(bodies, patch.path, told)
    if not found:
        return patch.text, []
    shown = zip(signs, masked.split("\n"), strict=True)
    return "\n".join(sign + body for sign, body in shown), found


def _telling_names(names: Iterable[str]) -> frozenset[str]:
    """Those that hold a secret: a token of a known family, or a word behind a telling one."""
    listed = sorted(names)
    joined = "\n".join(name.replace("\n", " ").replace("/", " / ") for name in listed)
    found = mask(_TELLING_WORD.sub(r"\1=", joined), "")[1]
    return frozenset(
        listed[item.line - 1] for item in found if item.certain or item.kind == "secret"
    )


@lru_cache(maxsize=256)
def _unlisted_mask(text: str) -> str:
    """Masked, but not listed as masked: names and titles are part of that list themselves."""
    shown, found = mask(text, "")
    parted, more = mask(_TELLING_WORD.sub(r"\1=", text), "")
    return parted if len(more) > len(found) else shown


def _sorted_omissions(omitted: Sequence[Omission]) -> tuple[Omission, ...]:
    telling = _telling_names(item.path for item in omitted)
    details = "\n".join(sorted({item.detail for item in omitted}))
    told = list(omitted)
    if _unlisted_mask(details) != details:  # mostly there is nothing, and one look tells
        told = [item._replace(detail=_unlisted_mask(item.detail)) for item in omitted]
    return tuple(sorted({_without_secret(item) if item.path in telling else item for item in told}))


def _without_secret(item: Omission) -> Omission:
    return item._replace(path=_unlisted_mask(item.path))


def _valid_utf8(text: str) -> str:
    """Words from a command line may hold bytes that are no UTF-8; they are shown as replaced."""
    return _SURROGATE.sub("\ufffd", text)
