"""Every variable of the environment that a user may set for a council or a provider stands in the docs."""

from __future__ import annotations

import re
from pathlib import Path

from guildmoot.backends.providers import PROVIDERS
from guildmoot.model.settings import ALIASES

DOCS = Path(__file__).parents[2] / "docs"


def test_every_variable_of_a_council_and_every_base_url_is_documented():
    told = set(
        re.findall(r"[A-Z][A-Z0-9_]{5,}", "\n".join(p.read_text() for p in DOCS.glob("*.md")))
    )
    council = {name for names in ALIASES.values() for name in names}
    addresses = {each.url_variable for each in PROVIDERS.values()}
    assert len(council) > 5
    assert (council | addresses) - told == set()
