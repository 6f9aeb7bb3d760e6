"""Eyes as tools of a backend: which models take them, and what each tool is called and given.

What a tool shows is made elsewhere, from the filtered tree; a backend only carries requests and answers. Backends
without tools of ours ask in words, and are answered in a further call.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from guildmoot.backends.registry import traits_of
from guildmoot.model.call import FileLook

_TEXT = {"type": "string"}
_NUMBER = {"type": "integer"}


def _tool(name: str, does: str, must: str, **properties: Mapping[str, str]) -> dict[str, Any]:
    form = {"type": "object", "properties": properties, "required": [must]}
    return {"name": name, "description": does, "parameters": form}


TOOLS = (
    _tool("list", "Lists the files of a folder; an empty name is the top.", "folder", folder=_TEXT),
    _tool(
        "read",
        "Shows a file with its line numbers, whole or from the first to the last line that is named.",
        "path",
        path=_TEXT,
        first=_NUMBER,
        last=_NUMBER,
    ),
    _tool(
        "grep",
        "Shows the lines that hold a text, whatever its case, in all files or below one folder.",
        "text",
        text=_TEXT,
        folder=_TEXT,
    ),
)
"""Name, description and JSON schema of the arguments, as every provider takes them in its own frame."""


def has_tools(backend: str, model: str) -> bool:
    """Whether this backend carries our tools to that model."""
    if not traits_of(backend).looks:
        return False
    from guildmoot.backends.schemas import (
        schema_form,
    )  # where these are held to, tools are known too

    return schema_form(backend, model).enforced


def takes_form_too(backend: str, model: str) -> bool:
    """Whether the answer can be held to a schema beside the tools; one vendor refuses both at once."""
    from guildmoot.backends.schemas import schema_form

    return has_tools(backend, model) and schema_form(backend, model).vendor != "google"


def arguments(look: FileLook) -> dict[str, Any]:
    """What a model gave to a tool; nothing where it wrote no object."""
    try:
        value = json.loads(look.arguments or "{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
