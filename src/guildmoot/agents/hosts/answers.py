"""What a person said to sending work to a host: bound to what its manifest says, and proven to be this user's.

A manifest asks before anything leaves this machine (``egress: always-ask``) unless it says otherwise.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Literal, get_args

from guildmoot.agents.hosts.manifest import Host
from guildmoot.guard.nonce import PROOF, is_proven, make_proof
from guildmoot.guard.records import own_rows
from guildmoot.system.files import append_rows, folder_inside, place_inside

FILE = ".guild/host-answers.jsonl"
HostDecision = Literal["approved", "denied"]


def answer_of(root: Path, host: Host) -> HostDecision | None:
    """The last answer about this host as its manifest is now; None where nobody gave one."""
    place_inside(root, FILE)
    asked, found = (host.host_id, _digest(host)), None
    for row in own_rows(root, FILE):
        if row and is_proven(row) and (row.get("host"), row.get("sha256")) == asked:
            found = row.get("decision")
    return next((each for each in get_args(HostDecision) if each == found), None)


def answer_host(root: Path, host: Host, decision: HostDecision, who: str, when: str) -> None:
    """Keep an answer."""
    row = {"host": host.host_id, "sha256": _digest(host), "decision": decision, "who": who, "when": when}  # fmt: skip
    folder_inside(root, Path(FILE).parent)
    append_rows(place_inside(root, FILE), [{**row, PROOF: make_proof(row)}])


def _digest(host: Host) -> str:
    """What was agreed to; when it was advertised is no part of it."""
    said = [
        host.host_id, host.kind, sorted(host.offers), None if host.tools is None else sorted(host.tools),
        {tier: list(model) for tier, model in sorted(host.models.items())}, host.egress,
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()
