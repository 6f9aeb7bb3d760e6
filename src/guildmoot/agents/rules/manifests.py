"""Rules for manifests of Kubernetes and files of compose: what the cluster refuses, and containers that rule their machine."""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from guildmoot.agents.rules.model import Defect
from guildmoot.agents.rules.workflows import child, mapping
from guildmoot.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from yaml.nodes import Node

_KINDS = ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet")
_MANIFEST = lazy(r"^(?:apiVersion:\s*apps/|services:)", re.MULTILINE)
_MOST = 400_000
_AMOUNT = lazy(r"(\d+(?:\.\d+)?)(m|k|Ki|M|Mi|G|Gi|T|Ti)?")
_UNITS = {"": 1.0, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12} | {
    f"{sign}i": 1024.0**power for power, sign in enumerate("KMGT", 1)
}


def search_text(text: str) -> Iterator[Defect]:
    """What is wrong with the manifests in a file."""
    if len(text) > _MOST or not _MANIFEST.search(text):
        return
    try:
        documents = [mapping(each) for each in yaml.compose_all(text, Loader=yaml.SafeLoader)]
    except (yaml.YAMLError, RecursionError):
        return
    for top in documents:
        if _word(child(top, "kind")) in _KINDS:
            yield from _workload(mapping(child(top, "spec")))
        elif "services" in top and "kind" not in top:
            for _, service in mapping(child(top, "services")).values():
                yield from _privileged(mapping(service))


def _workload(spec: dict[str, tuple[Node, Node]]) -> Iterator[Defect]:
    template = mapping(child(spec, "template"))
    pod = mapping(child(template, "spec"))
    wanted = mapping(child(mapping(child(spec, "selector")), "matchLabels"))
    labels = mapping(child(mapping(child(template, "metadata")), "labels"))
    told = bool(labels) and all(_word(key) and _word(value) for key, value in labels.values())
    for name, (_, value) in wanted.items():
        given = child(labels, name)
        if told and _word(value) and (given is None or _word(given) != _word(value)):
            node = given or next(iter(labels.values()))[0]
            message = f"the selector asks for `{name}: {_word(value)}`, so it is refused"
            yield Defect(node.start_mark.line + 1, "selector-mismatch", message, "ERROR")
    volumes = {*_names(child(pod, "volumes")), *_claims(spec)}
    for container in (*_items(child(pod, "initContainers")), *_items(child(pod, "containers"))):
        yield from _privileged(mapping(child(container, "securityContext")))
        yield from _resources(mapping(child(container, "resources")))
        for mount in _items(child(container, "volumeMounts")) if wanted else ():
            named = child(mount, "name")
            if named is not None and _word(named) and _word(named) not in volumes:
                message = f"the pod has no volume `{_word(named)}`, so it is refused"
                yield Defect(named.start_mark.line + 1, "unknown-volume", message, "ERROR")


def _resources(own: dict[str, tuple[Node, Node]]) -> Iterator[Defect]:
    limits = mapping(child(own, "limits"))
    for name, (key, value) in mapping(child(own, "requests")).items():
        asked, most = _amount(value), _amount(child(limits, name))
        if asked is not None and most is not None and asked > most:
            message = f"more {name} is requested than the limit allows, so it is refused"
            yield Defect(key.start_mark.line + 1, "request-above-limit", message, "ERROR")


def _privileged(own: dict[str, tuple[Node, Node]]) -> Iterator[Defect]:
    node = child(own, "privileged")
    if node is not None and _word(node) == "true":
        message = (
            "the container may do what root of the machine may; name the capabilities it needs"
        )
        yield Defect(node.start_mark.line + 1, "privileged-container", message, "INFO")


def _amount(node: Node | None) -> float | None:
    found = _AMOUNT.fullmatch(_word(node))
    return float(found[1]) * _UNITS[found[2] or ""] if found else None


def _items(node: Node | None) -> list[dict[str, tuple[Node, Node]]]:
    return [mapping(each) for each in node.value] if isinstance(node, yaml.SequenceNode) else []


def _names(node: Node | None) -> Iterator[str]:
    for item in _items(node):
        yield _word(child(item, "name"))


def _claims(spec: dict[str, tuple[Node, Node]]) -> Iterator[str]:
    for claim in _items(child(spec, "volumeClaimTemplates")):
        yield _word(child(mapping(child(claim, "metadata")), "name"))


def _word(node: Node | None) -> str:
    """A plain value that no template fills in."""
    plain = isinstance(node, yaml.ScalarNode) and not re.search(
        r"[{$]|\bREPLACE|<<", str(node.value)
    )
    return str(node.value) if plain and node is not None else ""
