"""What of a policy code can hold lanes to: read before anybody approves it."""

from __future__ import annotations

from pathlib import Path

from guildmoot.lifecycle.documents import SourceDocument
from guildmoot.lifecycle.gates import Gate
from guildmoot.lifecycle.named_places import tree_of, unread_policy
from guildmoot.lifecycle.plan import Plan
from guildmoot.lifecycle.proof.claims import beyond_scope
from guildmoot.lifecycle.spec import AUTONOMY
from guildmoot.system.git import Git, GitError


def repository_tree(root: Path) -> frozenset[str]:
    """The files and folders that git tracks; none outside of a repository."""
    try:
        return tree_of(Git(root).names("ls-files", "-z"))
    except (GitError, OSError):
        return frozenset()


def unread_lines(
    gate: Gate, spec: SourceDocument | None, plan: Plan | None, tree: frozenset[str]
) -> list[str]:
    """What of the policy in a document nobody could be held to, in sentences. Pure."""
    if gate == "plan":
        lanes = plan.lanes if plan else ()
        return unread_policy(dict.fromkeys(p.text for lane in lanes for p in lane.policy), tree)
    section = spec.section(AUTONOMY) if spec and gate == "spec" else None
    return unread_policy((line.text for line in section.bullets()), tree) if section else []


def widening_lines(plan: Plan) -> list[str]:
    """Lanes whose policy names places that their scope does not, in sentences. Pure."""
    return [
        f"{lane.task} may not change {', '.join(beyond)}: its policy names that and its scope does not;"
        " name it in the scope if it shall"
        for lane in plan.lanes
        if (beyond := beyond_scope(lane))
    ]
