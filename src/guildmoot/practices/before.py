"""A change before and after: what a tool finds now and did not find in the base's files is new."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache

from guildmoot.grounding.anchors import Texts, ground
from guildmoot.grounding.hidden_values import SECRETS, brings_a_value
from guildmoot.grounding.lost_names import misspelt, name_of, was_taken_away
from guildmoot.grounding.novelty import (
    BY_GRAMMAR,
    BY_NAME,
    NOT_READ,
    STOPPED_PARSING,
    SWITCHED_OFF,
    UNPARSABLE,
    UNREAD_LINE,
    WHEN_NEW,
    old_among,
    unparsed,
    whole,
)
from guildmoot.model.call import BEFORE, Call
from guildmoot.model.packet import Packet
from guildmoot.model.verdict import Finding, Judgement
from guildmoot.named import NamedTuple
from guildmoot.practices.calls import Calls, looks_at_both
from guildmoot.reading.known_paths import KnownPaths
from guildmoot.text.globs import matches
from guildmoot.text.languages import language_in
from guildmoot.text.pairs import EXACT, is_nonsense, is_tipped, is_uneven
from guildmoot.text.places import EXAMPLES, FIXTURES, TESTS
from guildmoot.text.slips import is_slip

Ranges = tuple[tuple[int, int], ...]

_UNTOLD = "whether the change brought it could not be told, so it counts: before the change {why}"
_UNREAD = "it did not parse before, either, so nobody can tell what the change adds to it"

_BEYOND = (
    "all that must pair up does, so the grammar may be behind its language: somebody must look"
)

_CLOSED = "nobody can tell what is in it, so somebody must look"

_MILD = (*TESTS, *EXAMPLES, *FIXTURES)
_NEAR = 3
"""Lines after a slip within which a grammar gives up."""
_UNBOUND = "unbound-name"
"""A name that a file uses and does not declare; another file may, so alone it says nothing."""


class Earlier(NamedTuple):
    """What the tools said of the base's files."""

    judgements: Mapping[str, Judgement]
    """By the seat; a seat that has no file there has none."""
    base: Packet | None = None


UNKNOWN = Earlier({})


def earlier(calls: Calls, read: Sequence[Judgement]) -> Earlier:
    """The judgements of the calls on the base's files, by the seats that they belong to."""
    return Earlier({each.seat.removesuffix(BEFORE): each for each in read}, calls.base)


class Novelty:
    """Tells what of a packet is new; where whole files are judged, all of it counts."""

    def __init__(
        self,
        packet: Packet,
        known: KnownPaths,
        earlier: Earlier,
        elsewhere: Callable[[str, str], bool] = lambda path, name: False,
    ) -> None:
        """``elsewhere`` tells whether a file that the change leaves alone may give a file that name."""
        self._elsewhere = cache(elsewhere)
        changed = dict(packet.changed)
        # What the change brought and nobody may see, such as a key file, is new as a whole.
        self._changed = {**{i.path: () for i in packet.omitted}, **changed} if changed else {}
        self._known = known
        self._judgements = earlier.judgements
        self._texts = Texts(earlier.base.files if earlier.base else ())
        self._now = Texts(packet.files)
        self._renamed = {each.old: each.path for each in packet.before}
        # Where tests and examples lie, much is let pass that counts elsewhere.
        self._left_tests = {
            new
            for old, new in self._renamed.items()
            if matches(old.lower(), _MILD) and not matches(new.lower(), _MILD)
        }
        self._hidden = dict(packet.real), dict(earlier.base.real) if earlier.base else {}

    def split(
        self, findings: Sequence[Finding], call: Call | None
    ) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
        """What counts and what was there; an opinion may concern effects, so it always counts."""
        if not self._changed or call is None:
            return tuple(
                f for f in findings if f.code not in (_UNBOUND, UNREAD_LINE, SWITCHED_OFF)
            ), ()
        facts = [finding for finding in findings if finding.proven]
        was_there = {
            id(finding) for finding, old in zip(facts, self._old(facts, call), strict=True) if old
        }
        slipped = self._slipped(findings, call)
        findings = [f for f in findings if f.code != UNREAD_LINE]
        findings = [*(f for f in findings if self._is_told(f, id(f) in was_there)), *slipped]
        new = (self._told(finding, call) for finding in findings if id(finding) not in was_there)
        return tuple(new), tuple(finding for finding in findings if id(finding) in was_there)

    def _is_told(self, finding: Finding, was_there: bool) -> bool:
        """A name without a declaration says something only when the change took the declaration away."""
        if finding.code != _UNBOUND:
            return True
        if was_there or finding.path not in self._renamed.values():
            return False
        (before, after), name = self._sides(finding.path), name_of(finding.title)
        lost = self._stood(finding) and was_taken_away(before, after, name)
        if not lost and not misspelt(before, after, finding.line, name):
            return False
        return not self._elsewhere(finding.path, name)

    def _slipped(self, findings: Sequence[Finding], call: Call) -> list[Finding]:
        """In files that no grammar read before either: the first place of each that it newly refuses."""
        said = self._judgements.get(call.seat.name)
        before = said.findings if said else ()
        broken = unparsed(before, self._renamed)
        held = Counter(self._renamed.get(f.path, f.path) for f in before if f.code == UNREAD_LINE)
        now = [f for f in findings if f.code == UNREAD_LINE]
        counts = Counter(f.path for f in now)
        stood = Counter((f.title, self._row(self._texts, f)) for f in before)

        def is_new(f: Finding) -> bool:
            return self._touches(f) or not stood[f.title, self._row(self._now, f)]

        worse = [f for f in now if counts[f.path] > held[f.path] > 0 and is_new(f)]
        found = {f.path: f for f in findings if f.code in BY_GRAMMAR and f.path in broken}
        pieces = {path: self._in_pieces(f) for path, f in found.items()}
        slips = {
            f.path: f._replace(code="may-not-parse")
            for f in reversed(worse)
            if is_slip(*self._sides(f.path), f.line, reach=_NEAR)
        }
        return [each for each in {**pieces, **slips}.values() if each and is_new(each)]

    def _row(self, texts: Texts, finding: Finding) -> str:
        """The line that it is about, without what stands around it."""
        return "".join(
            texts.text(finding.path).split("\n")[finding.line - 1 : finding.line]
        ).strip()

    def _in_pieces(self, finding: Finding) -> Finding | None:
        """Of a file that is refused as it was: a changed piece of it that reads no longer."""
        from guildmoot.agents.parsing.pieces import newly_refused  # few changes need it

        before, after = self._sides(finding.path)
        name = language_in(finding.path, after).name
        fault = newly_refused(name, finding.path, before, after) if before else None
        if fault is None:
            return None
        title = f"does not parse as {name}: {fault.reason}"
        new = finding._replace(title=title, line=fault.line, end_line=0, quote="")
        if is_slip(before, after, fault.line):
            return new._replace(code="may-not-parse")
        return _doubtful(new)

    def _stood(self, finding: Finding) -> bool:
        """Whether its line is one that the file had before the change."""
        line = finding.quote.strip().partition("\n")[0]
        before, _ = self._sides(finding.path)
        return bool(line) and line in _lines_of(before)

    def _old(self, facts: Sequence[Finding], call: Call) -> Iterator[bool]:
        said = self._judgements.get(call.seat.name)
        if not looks_at_both(call.agent) or (in_checkout(call) and not _is_heard(said)):
            yield from (not self._near(finding, call) for finding in facts)
            return
        grounded = (ground(f, self._texts) for f in said.findings) if said else ()
        before = [whole(f, self._texts.text(f.path)) for f in grounded]
        broken = {self._renamed.get(f.path, f.path): f.code for f in before if f.code in UNPARSABLE}
        refused = {f.path for f in facts if f.code in UNPARSABLE}
        undeclared = {
            (self._renamed.get(f.path, f.path), f.title) for f in before if f.code == _UNBOUND
        }
        for finding, old in zip(facts, old_among(facts, before, self._renamed), strict=True):
            if finding.path in broken and finding.code in UNPARSABLE:
                old = not (self._unread(finding) or self._tipped(finding))
            elif finding.path in broken and not old and finding.code != _UNBOUND:
                # of such a file little was known; one that can be read again is judged as a whole
                exact = broken[finding.path] in ("invalid-syntax", "does-not-parse")
                again = exact and finding.path not in refused
                old = not (again or self._near(finding, call))
            old = old or (finding.path, finding.title) in undeclared
            old = old and finding.path not in self._left_tests
            old = old and not (finding.code in SECRETS and self._hides_another(finding))
            yield old and not (finding.code == NOT_READ and finding.path in self._changed)

    def _hides_another(self, finding: Finding) -> bool:
        """Whether what is masked there is not what was: under their masks all look alike."""
        now, before = self._hidden
        old = next((old for old, new in self._renamed.items() if new == finding.path), "")
        masked, real = self._now.text(finding.path), now.get(finding.path, "")
        if not (real and old in before):
            return False
        return brings_a_value(masked, real, before[old], finding.line)

    def _unread(self, finding: Finding) -> bool:
        """Python that the change touches and that does not parse."""
        return finding.code == "invalid-syntax" and finding.path in self._changed

    def _tipped(self, finding: Finding) -> bool:
        """Whether all paired up in a file that no grammar read, and no longer does."""
        before, after = self._sides(finding.path)
        language = language_in(finding.path, after).name
        return bool(before) and is_tipped(language, before, after)

    def _sides(self, path: str) -> tuple[str, str]:
        """The file before and after the change."""
        old = next((old for old, new in self._renamed.items() if new == path), "")
        return self._texts.text(old), self._now.text(path)

    def _told(self, finding: Finding, call: Call) -> Finding:
        """A new fact; a file that no longer parses blocks, however mild its tool calls that."""
        if not finding.proven:
            return finding
        said = self._judgements.get(call.seat.name)
        if said and said.outcome in ("absent", "unreadable") and not self._touches(finding):
            return finding._replace(note=_UNTOLD.format(why=said.reason or said.outcome))
        if finding.code == NOT_READ:  # wherever it lies
            return finding._replace(code=STOPPED_PARSING, blocking=False, note=_CLOSED)
        broken = unparsed(said.findings, self._renamed) if said else ()
        if finding.path in broken and self._unread(finding):
            finding = finding._replace(note=_UNREAD)
        known = finding.path in self._renamed.values()  # a new file may just be odd
        if finding.code in BY_GRAMMAR and finding.path not in broken:
            doubtful = not self._is_broken(finding) if known else self._is_odd(finding)
            if doubtful:
                return _doubtful(finding)
        grave = finding.code == _UNBOUND or finding.code in UNPARSABLE | BY_NAME
        grave = grave and (known or self._is_bad_json(finding))
        if (grave or finding.code in WHEN_NEW) and not finding.blocking:
            return finding._replace(blocking=True, severity="high")
        return finding

    def _is_broken(self, finding: Finding) -> bool:
        """Whether more than a grammar says so: an exact parser, or what pairs up no longer as it did."""
        before, after = self._sides(finding.path)
        language = language_in(finding.path, after).name
        if language in EXACT or "closes nothing" in finding.title:
            return True
        if is_uneven(language, after, before) or is_slip(before, after, finding.line):
            return True
        return is_nonsense(language, finding.quote.partition("\n")[0], finding.title)

    def _is_odd(self, finding: Finding) -> bool:
        """Whether it is new code that its grammar does not read, and not for certain nor on purpose broken."""
        from guildmoot.agents.parsing.syntax import is_example  # few changes need it

        language = language_in(finding.path, self._now.text(finding.path))
        return language.kind == "code" and not finding.blocking and not is_example(finding.path)

    def _is_bad_json(self, finding: Finding) -> bool:
        """Whether it is a new file that every reader of JSON refuses."""
        from guildmoot.agents.parsing.syntax import is_example  # few changes need it

        plain = language_in(finding.path, "").name == "JSON" and finding.path.endswith(".json")
        return plain and not is_example(finding.path)

    def _near(self, finding: Finding, call: Call) -> bool:
        """Whether it lies in the change; one about a file that nobody knows may be about it."""
        unknown = finding.path not in self._known.files and not in_checkout(call)
        return unknown or self._touches(finding)

    def _touches(self, finding: Finding) -> bool:
        """One without a line concerns its whole file."""
        if not finding.path:
            return True
        if not finding.line:
            return finding.path in self._changed
        end = max(finding.line, finding.end_line)
        ranges: Ranges = self._changed.get(finding.path, ())
        return any(first <= end and finding.line <= last for first, last in ranges)


@lru_cache(maxsize=8)
def _lines_of(text: str) -> frozenset[str]:
    return frozenset(map(str.strip, text.split("\n")))


def _doubtful(finding: Finding) -> Finding:
    """What a grammar alone refuses."""
    return finding._replace(code=STOPPED_PARSING, blocking=False, severity="medium", note=_BEYOND)


def _is_heard(said: Judgement | None) -> bool:
    """Whether the tool could say something of the base: a whole tree may not be had, or not build."""
    return said is not None and said.outcome not in ("absent", "unreadable")


def in_checkout(call: Call | None) -> bool:
    """Whether it runs in the working tree, where it may mean files that the packet does not hold."""
    return call is not None and call.agent.run_in == "checkout"
