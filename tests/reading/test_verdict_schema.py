"""One schema, and from it what each vendor accepts: checked against the vendors' published rules."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from jsonschema import Draft202012Validator

from guildmoot.errors import UsageError
from guildmoot.model.council_verdict import (
    Acknowledgment,
    Challenge,
    CouncilFinding,
    CouncilVerdict,
    DebateNotes,
    verdict_to_json,
)
from guildmoot.model.verdict import Assertion
from guildmoot.reading.council.read import read_council
from guildmoot.reading.verdict_schema import SCHEMA, VENDORS, strict_schema

FULL = CouncilVerdict(
    "FAIL",
    "MEDIUM",
    "The lock is never released.",
    (
        CouncilFinding(
            *("critical", "concurrency", "no release on error", "app/lock.py:12-19", "use with"),
            fix="with lock:",
            why="the next caller hangs",
            ref="app/lock.py:12",
            id="f-council-001",
            confidence="HIGH",
            test_assertions=(Assertion("grep -c 'with lock' app/lock.py", "0", "no with", "grep"),),
        ),
        CouncilFinding("minor", "style", "a long line", "app/lock.py:40", "break it"),
    ),
    "Release it in all cases.",
    4,
    0.4,
    (("tests", 0.5), ("docs", 0.25)),
    DebateNotes(
        "WARN",
        "The caller retries.",
        (Challenge("judge-2", "it cannot fail", "line 14 raises"),),
        (Acknowledgment("judge-3", "the timeout is long", "none"),),
    ),
)
BARE = CouncilVerdict("PASS", "HIGH", "Nothing is wrong.", (), "Merge it.")


def children(schema: dict[str, object]) -> list[dict[str, object]]:
    """The schemas directly below one; names of properties are not mistaken for keywords."""
    inner = [*(schema.get("properties") or {}).values(), *(schema.get("anyOf") or [])]
    inner += [schema[key] for key in ("items", "additionalProperties") if schema.get(key)]
    return inner


def nodes(schema: dict[str, object]) -> Iterator[dict[str, object]]:
    yield schema
    for child in children(schema):
        yield from nodes(child)


def depth(schema: dict[str, object]) -> int:
    return 1 + max(map(depth, children(schema)), default=0)


def common_faults(schema: dict[str, object]) -> list[str]:
    """What OpenAI's strict mode and Anthropic's structured output both refuse."""
    faults = []
    known = {"type", "properties", "required", "additionalProperties", "items", "enum", "anyOf"}
    for node in nodes(schema):
        faults += [f"unsupported keyword {key}" for key in set(node) - known - {"description"}]
        if node.get("type") == "object":
            if node.get("additionalProperties") is not False:
                faults.append("an object that is open")
            if list(node["properties"]) != node.get("required"):
                faults.append("a property that is not required")
    return faults


def faults_openai(schema: dict[str, object]) -> list[str]:
    faults = common_faults(schema)
    every = list(nodes(schema))
    if schema.get("type") != "object" or "anyOf" in schema:
        faults.append("the root is no object")
    if sum(len(node.get("properties") or {}) for node in every) > 5000 or depth(schema) > 10:
        faults.append("too large or too deep")
    if sum(len(node.get("enum") or []) for node in every) > 1000:
        faults.append("too many words to choose from")
    return faults


def faults_anthropic(schema: dict[str, object]) -> list[str]:
    faults = common_faults(schema)
    unions = [
        node for node in nodes(schema) if "anyOf" in node or isinstance(node.get("type"), list)
    ]
    if len(unions) > 16:
        faults.append("too many unions")
    if any(
        isinstance(word, dict | list) for node in nodes(schema) for word in node.get("enum", [])
    ):
        faults.append("an enum of objects")
    return faults


def faults_google(schema: dict[str, object]) -> list[str]:
    faults = []
    known = {"type", "format", "description", "nullable", "enum", "properties", "required"}
    kinds = {"STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT"}
    for node in nodes(schema):
        faults += [
            f"unknown field {key}" for key in set(node) - known - {"propertyOrdering", "items"}
        ]
        if str(node.get("type")) not in kinds:
            faults.append(f"type {node.get('type')}")
        if "enum" in node and node["type"] != "STRING":
            faults.append("an enum that is not of texts")
        if any(not isinstance(word, str) or not word for word in node.get("enum", [])):
            faults.append("a word of an enum that is no text")
        if node.get("type") == "OBJECT" and list(node["properties"]) != node["propertyOrdering"]:
            faults.append("an order that differs from the properties")
        if node.get("type") == "ARRAY" and "items" not in node:
            faults.append("an array of anything")
    return faults


FAULTS = {"openai": faults_openai, "anthropic": faults_anthropic, "google": faults_google}


def as_json_schema(node: object) -> object:
    """Google's form as JSON Schema, so that answers can be checked against it."""
    if isinstance(node, list):
        return [as_json_schema(item) for item in node]
    if not isinstance(node, dict):
        return node
    plain = {
        key: {name: as_json_schema(child) for name, child in value.items()}
        if key == "properties"
        else as_json_schema(value)
        for key, value in node.items()
        if key not in ("format", "propertyOrdering", "nullable", "type")
    }
    plain["type"] = node["type"].lower()
    return {"anyOf": [plain, {"type": "null"}]} if node.get("nullable") else plain


def answer(vendor: str, verdict: CouncilVerdict) -> dict[str, object]:
    """The verdict as a model would give it under the vendor's schema: every key, pairs for maps."""
    value = verdict_to_json(verdict)
    value.setdefault("debate_notes", None)
    if value["satisfaction_breakdown"] is not None:
        pairs = value["satisfaction_breakdown"].items()
        value["satisfaction_breakdown"] = [{"name": name, "score": score} for name, score in pairs]
    for finding in value["findings"]:
        finding.setdefault("confidence", None)
        finding.setdefault("test_assertions", None)
    value |= {"could_not_check": [], "conditions": None}
    if vendor == "google":
        value["schema_version"] = str(value["schema_version"])
    return value


def check(schema: object, value: object) -> list[str]:
    return [error.message for error in Draft202012Validator(schema).iter_errors(value)]


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_strict_schema_keeps_the_vendors_rules(vendor):
    assert FAULTS[vendor](strict_schema(vendor)) == []


@pytest.mark.parametrize("vendor", VENDORS)
def test_the_rules_are_not_kept_by_the_internal_schema_itself(vendor):
    assert FAULTS[vendor](SCHEMA) != []


@pytest.mark.parametrize("vendor", VENDORS)
@pytest.mark.parametrize("verdict", [FULL, BARE], ids=["full", "bare"])
def test_a_verdict_goes_through_a_strict_schema_and_comes_back_whole(vendor, verdict):
    schema = strict_schema(vendor)
    given = answer(vendor, verdict)
    assert check(as_json_schema(schema) if vendor == "google" else schema, given) == []
    assert read_council(json.dumps(given)).verdict == verdict


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_strict_schema_refuses_what_is_left_out_or_added(vendor):
    schema = strict_schema(vendor)
    schema = as_json_schema(schema) if vendor == "google" else schema
    given = answer(vendor, FULL)
    assert check(schema, {key: value for key, value in given.items() if key != "confidence"})
    assert check(schema, {**given, "verdict": "MAYBE"})
    assert vendor == "google" or check(schema, {**given, "judge": "one"})


def test_the_internal_schema_is_valid_and_lets_optional_parts_be_null():
    Draft202012Validator.check_schema(SCHEMA)
    for node in nodes(SCHEMA):
        for name, child in (node.get("properties") or {}).items():
            assert name in node["required"] or "null" in child["type"], name


def test_a_schema_can_be_changed_by_its_receiver_without_harm():
    strict_schema("openai")["properties"]["verdict"]["enum"].append("MAYBE")
    assert "MAYBE" not in json.dumps(strict_schema("openai"))


def test_an_unknown_vendor_is_refused_with_the_known_ones():
    with pytest.raises(UsageError) as error:
        strict_schema("acme")
    assert "openai" in error.value.hint


def as_older(verdict: CouncilVerdict, version: int) -> dict[str, object]:
    """The verdict as a judge that knows an older schema would give it."""
    value = verdict_to_json(verdict) | {"schema_version": version}
    newer = {1: "schema_version", 4: "satisfaction_score satisfaction_breakdown debate_notes"}
    newer_in_findings = {2: "fix why ref", 3: "id", 4: "confidence test_assertions"}
    for since, names in newer.items():
        for name in names.split() if version < since else []:
            value.pop(name, None)
    for since, names in newer_in_findings.items():
        for finding in value["findings"] if version < since else []:
            for name in names.split():
                finding.pop(name, None)
    return value


@pytest.mark.parametrize("version", range(5))
def test_older_versions_are_read_without_a_warning(version):
    reading = read_council(json.dumps(as_older(FULL, version)))
    assert reading.verdict is not None
    assert (reading.verdict.schema_version, reading.warnings) == (version, ())


@pytest.mark.parametrize("verdict", [FULL, BARE], ids=["full", "bare"])
def test_what_is_written_is_valid(verdict):
    assert check(SCHEMA, verdict_to_json(verdict)) == []


def test_a_verdict_without_debate_or_assertions_is_valid_upstream_too():
    value = verdict_to_json(FULL._replace(debate_notes=None, findings=FULL.findings[1:]))
    assert set(value) == {
        *("verdict", "confidence", "key_insight", "findings", "recommendation"),
        *("schema_version", "satisfaction_score", "satisfaction_breakdown"),
    }
    assert set(value["findings"][0]) == {
        *("severity", "category", "description", "location", "recommendation"),
        *("fix", "why", "ref", "id"),
    }
