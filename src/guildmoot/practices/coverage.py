"""Who looked at which file, and what that is worth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from guildmoot.agents.roster import judged_paths, known_as
from guildmoot.backends import traits_of
from guildmoot.model.agent import Agent
from guildmoot.model.packet import Packet
from guildmoot.model.report import DEPTHS, Depth, FileCoverage
from guildmoot.model.verdict import Finding, Judgement
from guildmoot.packet import before_packet
from guildmoot.packet.digest import count_lines
from guildmoot.text.languages import Language, depth_of, language_in

_UNREADABLE = frozenset(("invalid-syntax", "does-not-parse"))
_READ = ("approved", "flagged", "operator-judgment")


def file_coverage(
    packet: Packet,
    judged: Iterable[tuple[Agent, Judgement]],
    existing: Iterable[Finding] = (),
) -> tuple[FileCoverage, ...]:
    """For each file the best that somebody who answered did with it; a model reads all that it is shown.

    A file that did not parse before the change and does not now is among what is ``existing``: no tool read it.
    """
    unread = {(found.seat, found.path) for found in existing if found.code in _UNREADABLE}
    paths, names = [file.path for file in packet.files], known_as(packet.files)
    languages = {file.path: language_in(file.path, file.text) for file in packet.files}
    best: dict[str, Depth] = dict.fromkeys(paths, "unread")
    for agent, judgement in judged:
        if judgement.outcome not in _READ:
            continue
        is_tool = traits_of(agent.backend).is_tool
        for path in judged_paths(agent, paths, names) if is_tool else paths:
            depth = _depth(agent, languages[path]) if is_tool else "checked"
            if (judgement.seat, path) in unread:
                depth = "scanned"
            if DEPTHS.index(depth) < DEPTHS.index(best[path]):
                best[path] = depth
    if packet.before and not any(
        best[path] == "checked" for path in paths if languages[path].kind == "code"
    ):
        best |= dict.fromkeys(_same_code(packet, languages, best), "checked")
    return tuple(
        FileCoverage(
            file.path,
            best[file.path],
            languages[file.path].name,
            languages[file.path].kind,
            count_lines(file.text),
        )
        for file in packet.files
    )


def _depth(agent: Agent, language: Language) -> Depth:
    """Of a tool's silence about a file in this language."""
    if agent.depth != "language":
        return agent.depth
    return depth_of(language)


def _same_code(
    packet: Packet, languages: Mapping[str, Language], best: Mapping[str, Depth]
) -> Iterator[str]:
    """Files of a change that were parsed and whose code is what it was, but for comments, layout, dependencies."""
    parsed = {path for path in best if best[path] == "parsed" and languages[path].kind == "code"}
    base = before_packet(packet) if parsed else None
    if base is None:
        return
    from guildmoot.agents.parsing.same_code import (  # few changes need it
        is_of_dependencies,
        is_same_code,
    )

    earlier = {file.path: file.text for file in base.files}
    texts = {file.path: file.text for file in packet.files}
    for each in packet.before:
        before = earlier.get(each.old)
        if each.path not in parsed or before is None:
            continue
        sides = languages[each.path].name, before, texts[each.path]
        if is_same_code(*sides) or is_of_dependencies(*sides):
            yield each.path
