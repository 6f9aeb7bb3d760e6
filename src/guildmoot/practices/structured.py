"""How an agent is held to the council's JSON verdict: by a schema, by instruction, or by both."""

from __future__ import annotations

import json

from guildmoot.model.call import Call
from guildmoot.reading.council import SCHEMA, strict_schema

_INSTRUCTION = """
Answer with one JSON object that fits this JSON Schema, and with nothing before or after it:
{schema}
"""


def ask_for_form(call: Call) -> Call:
    """The call with the schema that its backend takes; where nothing enforces it, the prompt asks."""
    if call.agent.reply != "council":
        return call
    from guildmoot.backends.schemas import schema_form  # few runs need it

    form = schema_form(call.agent.backend, call.seat.model or call.agent.model)
    schema = strict_schema(form.vendor) if form.vendor else None
    if form.enforced:
        return call._replace(schema=schema)
    words = _INSTRUCTION.format(schema=json.dumps(schema or SCHEMA))
    return call._replace(schema=schema, prompt=call.prompt + words)
