"""Derives from the one schema the form that each vendor's structured output accepts, and leads back.

    openai, anthropic   every property required, what is optional may be null, no other properties;
                        no bounds on numbers; a union with null only as ``type`` pair or ``anyOf``
    google              the OpenAPI subset: upper-case types, ``nullable``, ``propertyOrdering``, no
                        ``additionalProperties``, and only texts as ``enum``

None of them takes a map with free keys, so a map becomes an array of ``{name, score}`` pairs.
"""

from __future__ import annotations

from typing import Literal, get_args

from guildmoot.errors import UsageError
from guildmoot.reading.council.schema import SCHEMA, Schema

Vendor = Literal["openai", "anthropic", "google"]
VENDORS: tuple[Vendor, ...] = get_args(Vendor)


def strict_schema(vendor: str) -> Schema:
    """The schema to send to a vendor; raises ``UsageError`` for one that is not known."""
    _check(vendor)
    return _google(SCHEMA) if vendor == "google" else _strict(SCHEMA)


def from_strict(vendor: str, value: object) -> object:
    """A vendor's structured answer in the shape of the one schema; other values stay as they are."""
    _check(vendor)
    return _back(SCHEMA, value)


def _check(vendor: str) -> None:
    if vendor not in VENDORS:
        hint = f"Known are {', '.join(VENDORS)}."
        raise UsageError(f"There is no strict schema for the vendor {vendor!r}.", hint)


def _strict(node: Schema) -> Schema:
    kind, nullable = _kind(node)
    if kind == "object":
        node, kind = _pairs_for_map(node)
    strict: Schema = {"type": kind}
    if kind == "object":
        properties = _properties(node)
        strict["properties"] = {name: _strict(child) for name, child in properties.items()}
        strict["required"] = list(properties)
        strict["additionalProperties"] = False
    elif kind == "array":
        strict["items"] = _strict(node["items"])
    if "enum" in node:
        strict["enum"] = list(node["enum"])
    if nullable and kind in ("object", "array"):
        return {"anyOf": [strict, {"type": "null"}], **_described(node)}
    return {**strict, "type": [kind, "null"] if nullable else kind, **_described(node)}


def _google(node: Schema) -> Schema:
    kind, nullable = _kind(node)
    if kind == "object":
        node, kind = _pairs_for_map(node)
    words = _words(node)
    google: Schema = {"type": "STRING" if words else kind.upper(), **_described(node)}
    if words:
        google |= {"format": "enum", "enum": words}
    if kind == "object":
        properties = _properties(node)
        google["properties"] = {name: _google(child) for name, child in properties.items()}
        google["required"] = list(properties)
        google["propertyOrdering"] = list(properties)
    elif kind == "array":
        google["items"] = _google(node["items"])
    return {**google, "nullable": True} if nullable else google


def _back(node: Schema, value: object) -> object:
    kind, _ = _kind(node)
    if kind == "array" and isinstance(value, list):
        return [_back(node["items"], item) for item in value]
    if kind == "integer" and isinstance(value, str) and value in _words(node):
        return int(value)
    if kind != "object" or not isinstance(value, dict | list):
        return value
    if isinstance(value, dict):
        properties = _properties(node)
        return {name: _back(properties.get(name, {}), item) for name, item in value.items()}
    if "properties" not in node and all(_is_pair(pair) for pair in value):
        return {pair["name"]: pair["score"] for pair in value}
    return value


def _is_pair(pair: object) -> bool:
    return isinstance(pair, dict) and isinstance(pair.get("name"), str) and "score" in pair


def _pairs_for_map(node: Schema) -> tuple[Schema, str]:
    """An object with named properties as it is; one with free keys as an array of pairs."""
    if "properties" in node:
        return node, "object"
    pair: Schema = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "score": node["additionalProperties"]},
    }
    return {"items": pair, **_described(node)}, "array"


def _kind(node: Schema) -> tuple[str, bool]:
    """The type, and whether null is allowed beside it."""
    kind = node.get("type", "")
    kinds = kind if isinstance(kind, list) else [kind]
    return str(kinds[0]), "null" in kinds


def _properties(node: Schema) -> dict[str, Schema]:
    properties: dict[str, Schema] = node.get("properties", {})
    return properties


def _words(node: Schema) -> list[str]:
    return [str(choice) for choice in node.get("enum", []) if choice is not None]


def _described(node: Schema) -> Schema:
    return {"description": node["description"]} if "description" in node else {}
