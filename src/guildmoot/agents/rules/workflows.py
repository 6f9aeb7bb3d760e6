"""Rules for GitHub workflows: words of strangers in scripts, jobs and steps that do not exist."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import yaml

from guildmoot.agents.rules.model import Defect
from guildmoot.text.patterns import lazy
from guildmoot.text.slips import is_near

TYPE_CHECKING = False
if TYPE_CHECKING:
    from yaml.nodes import Node

_UNSAFE = lazy(
    r"\$\{\{[^}]*\bgithub\.(?:event\.(?:issue\.(?:title|body)|pull_request\.(?:title|body|head\.(?:ref|label|repo\.default_branch))"
    r"|comment\.body|review\.body|review_comment\.body|discussion\.(?:title|body)|head_commit\.(?:message|author\.(?:name|email))"
    r"|commits\b[^}]*message|pages\b[^}]*page_name|workflow_run\.(?:head_branch|head_commit\.message|pull_requests\b[^}]*head\.ref))"
    r"|head_ref)\b[^}]*\}\}"
)
_SAFE = lazy(r"\$\{\{\s*(?:toJSON\(.*|contains\(.*|startsWith\(.*|endsWith\(.*|.*[=!]=.*)\}\}")
_HEAD = lazy(
    r"\$\{\{\s*(?:github\.(?:event\.(?:pull_request\.head\.(?:sha|ref)|workflow_run\.head_(?:sha|branch)"
    r"|pull_request\.number)|head_ref)|format\('refs/pull)"
)
_STEP = lazy(r"\$\{\{[^}]*?\bsteps\.([\w-]+)\.(?:outputs|outcome|conclusion)\b")
_BOTH = "name if env uses with timeout-minutes continue-on-error"
_JOB = frozenset(
    f"{_BOTH} permissions needs runs-on environment concurrency outputs defaults steps strategy container services"
    " secrets snapshot".split()
)
_OF_STEP = frozenset(f"{_BOTH} id run working-directory shell".split())
_HALF = lazy(
    r"^\s*\$\{\{.*?\}\}\s*(?:&&|\|\|)|(?:&&|\|\|)\s*\$\{\{.*?\}\}\s*$|\}\}\s*(?:&&|\|\|)\s*\$\{\{"
)


def search_text(text: str) -> Iterator[Defect]:
    """What is wrong with a workflow."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError):
        return
    top = mapping(root)
    jobs = mapping(top["jobs"][1]) if "jobs" in top else {}
    events = _words(child(top, "on") or child(top, "true"))
    known = {name.lower() for name in jobs}
    strangers = bool(events & {"pull_request_target", "workflow_run"})
    for name, (key, node) in jobs.items():
        job = mapping(node)
        needs = _words(child(job, "needs"))
        for missing in sorted(
            each for each in needs if each.lower() not in known and "${{" not in each
        ):
            line = job["needs"][0].start_mark.line + 1
            yield Defect(
                line,
                "unknown-job",
                f"there is no job `{missing}`, so the workflow is refused",
                "ERROR",
            )
        if name in needs:
            yield Defect(
                key.start_mark.line + 1, "unknown-job", "a job cannot need itself", "ERROR"
            )
        yield from _unknown_keys(job, _JOB)
        yield from _unclosed(node)
        yield from _condition(job)
        if not any("${{" in need for need in needs):
            yield from _needed(node, needs)
        yield from _steps(job, strangers=strangers)


def _steps(job: Mapping[str, tuple[Node, Node]], *, strangers: bool) -> Iterator[Defect]:
    node = child(job, "steps")
    if not isinstance(node, yaml.SequenceNode):
        return
    known: set[str] = set()
    every = [mapping(each) for each in node.value]
    for step in every:
        name = child(step, "id")
        known |= {name.value.lower()} if isinstance(name, yaml.ScalarNode) else set()
    yield from _unknown_steps(child(job, "outputs"), known)
    for step in every:
        yield from _unknown_keys(step, _OF_STEP)
        yield from _condition(step)
        uses, given = child(step, "uses"), mapping(child(step, "with"))
        script = child(step, "run")
        if isinstance(uses, yaml.ScalarNode) and uses.value.startswith("actions/github-script@"):
            script = child(given, "script")
        if isinstance(script, yaml.ScalarNode):
            yield from _script(script)
        if (
            strangers
            and isinstance(uses, yaml.ScalarNode)
            and uses.value.startswith("actions/checkout@")
        ):
            ref = child(given, "ref")
            if isinstance(ref, yaml.ScalarNode) and _HEAD.search(ref.value):
                message = "code of strangers is checked out with the rights and secrets of the repository; use pull_request"
                yield Defect(ref.start_mark.line + 1, "untrusted-checkout", message, "WARNING")
        for _, value in step.values():
            yield from _unknown_steps(value, known)


def _unknown_keys(part: Mapping[str, tuple[Node, Node]], known: frozenset[str]) -> Iterator[Defect]:
    """Keys that are a slip of one which a job or a step has; others may be newer than this list."""
    for name, (key, _) in part.items():
        near = (each for each in known - part.keys() if is_near(name, each))
        slip = "" if name in known else min(near, default="")
        if slip:
            message = f"there is no key `{name}` here; `{slip}` is meant"
            yield Defect(key.start_mark.line + 1, "unknown-key", message, "ERROR")


def _unclosed(node: Node) -> Iterator[Defect]:
    for scalar in scalars([(node, node)]):
        at = scalar.value.rfind("${{")
        if at >= 0 and "}}" not in scalar.value[at:]:
            message = "the expression has no }}, so the workflow is refused"
            yield Defect(_line(scalar, at), "unclosed-expression", message, "ERROR")


def _unknown_steps(node: Node | None, known: set[str]) -> Iterator[Defect]:
    for scalar in scalars([(node, node)] if node is not None else []):
        for asked in _STEP.finditer(scalar.value):
            if asked[1].lower() not in known:
                message = f"no step of this job has the id `{asked[1]}`, so the value is empty"
                yield Defect(_line(scalar, asked.start()), "unknown-step", message, "WARNING")


def _script(node: Node) -> Iterator[Defect]:
    for found in _UNSAFE.finditer(node.value):
        if not _SAFE.fullmatch(found[0]):
            message = "text that anybody can write becomes part of a script; pass it through env"
            yield Defect(_line(node, found.start()), "script-injection", message, "ERROR")


def _condition(part: Mapping[str, tuple[Node, Node]]) -> Iterator[Defect]:
    node = child(part, "if")
    if not isinstance(node, yaml.ScalarNode):
        return
    line = node.start_mark.line + 1
    if _HALF.search(node.value):
        message = "only the part in ${{ }} is an expression and the rest is text, so the whole is always true"
        yield Defect(line, "always-true", message, "ERROR")
    elif node.style in ("|", ">") and "${{" in node.value and node.value.endswith("\n"):
        message = "the line end after ${{ }} makes a text of it, which is always true; use |- or >-"
        yield Defect(line, "always-true", message, "ERROR")
    if re.search(
        r"\bcontains\(\s*'[^']*\brefs/heads[^']*'\s*,\s*github\.(?:ref|head_ref|base_ref)",
        node.value,
    ):
        message = (
            "every branch whose name is a part of this text passes; compare with == or use fromJSON"
        )
        yield Defect(line, "part-of-name", message, "WARNING")


def _needed(node: Node, needs: set[str]) -> Iterator[Defect]:
    """Results of a job that this one does not wait for."""
    for scalar in scalars([(node, node)]):
        for asked in re.finditer(
            r"\$\{\{[^}]*?\bneeds\.([\w-]+)\.(?:outputs|result)\b", scalar.value
        ):
            if asked[1].lower() not in {each.lower() for each in needs}:
                message = f"this job does not list `{asked[1]}` in needs, so the value is empty"
                yield Defect(_line(scalar, asked.start()), "unknown-job", message, "WARNING")


def _line(node: Node, at: int) -> int:
    """The line of a letter in a scalar; a folded text tells only where it begins."""
    first = int(node.start_mark.line) + 1
    if getattr(node, "style", "") != "|":
        return first
    return first + 1 + str(node.value).count("\n", 0, at)


def scalars(pairs: list[tuple[Node, Node]]) -> Iterator[Node]:
    """Every plain value below them, not without an end."""
    nodes = [value for _, value in pairs]
    seen = 0
    while nodes and seen < 5_000:
        node, seen = nodes.pop(), seen + 1
        if isinstance(node, yaml.ScalarNode):
            yield node
        elif isinstance(node, yaml.SequenceNode):
            nodes += node.value
        elif isinstance(node, yaml.MappingNode):
            nodes += [value for _, value in node.value]


def mapping(node: Node | None) -> dict[str, tuple[Node, Node]]:
    """Keys with their node and the node of their value."""
    if not isinstance(node, yaml.MappingNode):
        return {}
    return {
        key.value: (key, value) for key, value in node.value if isinstance(key, yaml.ScalarNode)
    }


def child(own: Mapping[str, tuple[Node, Node]], name: str) -> Node | None:
    """The value of a key."""
    return own[name][1] if name in own else None


def _words(node: Node | None) -> set[str]:
    """The names of a scalar, a list or a mapping."""
    if isinstance(node, yaml.ScalarNode):
        return {node.value} if node.value else set()
    if isinstance(node, yaml.SequenceNode):
        return {each.value for each in node.value if isinstance(each, yaml.ScalarNode)}
    return set(mapping(node))
