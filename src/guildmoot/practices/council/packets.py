"""What a council's judges are shown, and the same as the ``council_packet`` JSON that councils exchange.

Such a packet may be handed over in place of targets, and what is judged can be printed as one. Its files
and texts pass the same filter as everything else; what a key of its context means that is not known here
is shown as evidence under that key, so that nothing of it is lost.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from guildmoot.agents.presets.model import Perspective
from guildmoot.errors import UsageError
from guildmoot.model.council_verdict import CONFIDENCES, FINDING_SEVERITIES, NEWEST, VERDICTS
from guildmoot.model.packet import Packet, Section
from guildmoot.packet import PacketRequest
from guildmoot.packet.sections import read_document
from guildmoot.practices.council.plan import CouncilPlan
from guildmoot.practices.council.tasks import TASKS
from guildmoot.practices.decided import build_decided
from guildmoot.practices.recall import codebase_map

ENVIRONMENT = ".agents/ao/environment.json"
"""What tools and state there are, as other programs write it down for judges."""
_MOST_ENVIRONMENT = 65_536
_KINDS = {
    "spec": "spec",
    "prior_decisions": "decision",
    "empirical_results": "evidence",
    "environment": "environment",
    "diff": "diff",
}
"""Keys of a packet's context, and the kinds of section that they are."""
_NAMES = {kind: key for key, kind in _KINDS.items()}
_ANY = "text, or null"
_OUTPUT: dict[str, object] = {
    "verdict": " | ".join(VERDICTS),
    "confidence": " | ".join(CONFIDENCES),
    "key_insight": "one sentence",
    "findings": [
        {
            "severity": " | ".join(FINDING_SEVERITIES),
            "category": "security, architecture, performance, style, ...",
            "description": "what was found",
            "location": "file:line",
            "recommendation": "how to address it",
            **dict.fromkeys(("fix", "why", "ref", "id"), _ANY),
        }
    ],
    "recommendation": "the next step",
    "schema_version": NEWEST,
}


class HandedPacket(NamedTuple):
    """A packet that was handed over: what is asked, and what it is asked about."""

    task: str
    target: str
    texts: tuple[tuple[str, str], ...]
    """Paths and contents."""
    sections: tuple[Section, ...]
    perspective: str = ""
    focus: str = ""


def council_packet(plan: CouncilPlan, request: PacketRequest | Packet) -> Packet:
    """What the judges are shown: the request with the project's words to reviewers, the environment, the
    question and, with one, a map of the repository. A packet that was built already is taken as it is.
    """
    if isinstance(request, Packet):
        return request
    more = [Section("reviewers", "reviewer config", plan.context)] if plan.context else []
    known = {section.kind for section in request.sections}
    if "environment" not in known and (
        text := read_document(request.cwd, ENVIRONMENT, _MOST_ENVIRONMENT)
    ):
        more.append(Section("environment", "environment", text))
    question = request.question or ("" if plan.task == "validate" else plan.target)
    handed = request.texts or request.sections
    if question and not handed and (shown := codebase_map(request.cwd)):
        more.append(Section("map", "codebase map: folders, and files in them", shown))
    return build_decided(request._replace(sections=(*request.sections, *more), question=question))


def read_handed(text: str, source: str) -> HandedPacket:
    """The packet in a JSON text, under ``council_packet`` or by itself; UsageError says what is wrong."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as wrong:
        raise UsageError(
            f"{source} is no JSON: {wrong}", "See --print-packet for the form."
        ) from None
    inner = found.get("council_packet", found) if isinstance(found, dict) else None
    if not isinstance(inner, dict) or not isinstance(inner.get("context", {}), dict):
        raise UsageError(f"{source} holds no council_packet", "See --print-packet for the form.")
    task = str(inner.get("mode") or "validate").casefold()
    target = " ".join(str(inner.get("target") or "").split())
    if task not in TASKS or not target:
        raise UsageError(
            f"{source}: a council_packet needs a target and a mode, one of: {', '.join(TASKS)}"
        )
    context = inner.get("context", {})
    return HandedPacket(
        TASKS[task],
        target,
        tuple(_texts(context.get("files") or [], source)),
        tuple(_sections(context)),
        " ".join(str(inner.get("perspective") or "").split()),
        " ".join(str(inner.get("perspective_description") or "").split()),
    )


def handed_request(handed: HandedPacket, base: PacketRequest) -> PacketRequest:
    """``base`` with what was handed over."""
    sections = (*base.sections, *handed.sections)
    return base._replace(texts=handed.texts, sections=sections, question=handed.target)


def packet_json(
    packet: Packet, task: str, target: str, angles: Sequence[Perspective]
) -> dict[str, object]:
    """What every judge is shown, as a ``council_packet``; secrets are masked in it."""
    context: dict[str, object] = {
        "files": [{"path": file.path, "content": file.text} for file in packet.files]
    }
    for section in packet.sections:
        key = _NAMES.get(section.kind, section.kind)
        value: object = section.text
        if key == "spec":
            value = {"source": section.title, "content": section.text}
        elif key == "prior_decisions":
            value = [*_listed(context.get(key)), *section.text.splitlines()]
        elif key in context:
            value = f"{context[key]}\n{section.text}"
        context[key] = value
    one = angles[0] if len(angles) == 1 else None
    seen = {"perspective": one.name, "perspective_description": one.focus} if one else {}
    several = [{"perspective": a.name, "perspective_description": a.focus} for a in angles]
    return {
        "council_packet": {
            "version": "1.0",
            "mode": task,
            "target": target,
            "context": context,
            **seen,
            **({"perspectives": several} if len(angles) > 1 else {}),
            "output_schema": _OUTPUT,
        }
    }


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _texts(files: object, source: str) -> Iterator[tuple[str, str]]:
    if not isinstance(files, list):
        raise UsageError(f"{source}: context.files must be a list of path and content")
    for number, file in enumerate(files, 1):
        path = file.get("path") if isinstance(file, dict) else None
        content = file.get("content") if isinstance(file, dict) else None
        if not isinstance(path, str) or not isinstance(content, str) or not path.strip():
            raise UsageError(f"{source}: file {number} of the packet needs a path and its content")
        if path.startswith(("/", "~")) or ".." in Path(path).parts:
            raise UsageError(f"{source}: {path!r} is no path below a repository")
        yield path.removeprefix("./"), content


def _sections(context: Mapping[str, object]) -> Iterator[Section]:
    for key, value in context.items():
        if key == "files" or value in (None, "", [], {}):
            continue
        kind, title = _KINDS.get(key, "evidence"), key.replace("_", " ")
        if key == "spec" and isinstance(value, dict):
            title, value = str(value.get("source") or title), value.get("content") or ""
        text = _text(value)
        if text.strip():
            yield Section(kind, title, text)


def _text(value: object) -> str:
    """A value as judges are shown it: texts as they are, lists of texts line by line."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "\n".join(value)
    return json.dumps(value, indent=1, ensure_ascii=False)
