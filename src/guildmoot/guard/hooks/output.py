"""What a tool gave, without the keys in it, before the model sees it.

Only what is certainly a secret is masked: tokens of known families, private keys, passwords in addresses, and what
a shell shows as a setting (``PASSWORD=...``). Another value beside a telling name may be code that the model has to
work on.
"""

from __future__ import annotations

from guildmoot.guard.hooks.events import POST
from guildmoot.guard.hooks.replies import NOTHING, HookReply, can_replace, replace_output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guildmoot.guard.hooks.events import HookEvent

_NOTE = "guild guard masked {0} in this output."
_MOST_DEPTH = 50
_SHORTEST = 12
"""No token is shorter."""
_ALSO = ("url-password", "jwt")
_SETTINGS = (
    r"(?im)(?:(?:^|[\s;])(?:export[ ]+)?\w*(?:password|passwd|secret|secret_key|access_key|api_key|token)="
    r"|^[<> ]*(?:x-api-key|x-auth-token):[ ]+|[ ]-u[ ]+[\w.@-]+:|(?:sshpass|docker login[^\n]*)[ ]-p[ ]*'?"
    r"|mysql(?:dump)?[^\n]*?[ ]-p(?=\S))([^\s'\"$<>(){}\[\]|;,]{8,256})(?=['\s]|\Z)"
)
"""As a shell, a settings file or a request shows them: without quotes, without blanks."""


def scrubbed_output(event: HookEvent) -> HookReply:
    """A reply that replaces the output where it holds secrets and the host allows it."""
    given = event.data.get("tool_response")
    if event.name != POST or not given or not can_replace(event):
        return NOTHING
    kinds: list[str] = []
    clean = _walk(given, kinds, 0)
    if not kinds:
        return NOTHING
    named = ", ".join(sorted(set(kinds)))
    if event.host == "gemini" and isinstance(clean, dict):
        clean = clean.get("llmContent", clean)
    return replace_output(event, clean, _NOTE.format(named))


def _walk(value: object, kinds: list[str], depth: int) -> object:
    if isinstance(value, str):
        return mask_certain(value, kinds)
    if depth >= _MOST_DEPTH:
        return value
    if isinstance(value, dict):
        return {name: _walk(held, kinds, depth + 1) for name, held in value.items()}
    if isinstance(value, list):
        return [_walk(held, kinds, depth + 1) for held in value]
    return value


def mask_certain(text: str, kinds: list[str]) -> str:
    """The text with certain secrets masked; what they were is added to ``kinds``."""
    if len(text) < _SHORTEST:
        return text
    from guildmoot.guard.blocks import private_key_spans
    from guildmoot.guard.families import family_spans

    spans = sorted(
        (span.start, span.end, span.kind)
        for span in (*family_spans(text), *private_key_spans(text))
        if span.certain or span.kind in _ALSO
    )
    spans = sorted((*spans, *_settings(text)))
    pieces, seen = [], 0
    for start, end, kind in spans:
        if end <= seen:
            continue
        pieces += [text[seen : max(start, seen)], f"[masked:{kind}]"]
        kinds.append(kind)
        seen = end
    return "".join(pieces) + text[seen:] if pieces else text


_QUOTED = (
    r"(?im)(?:^[ ]*(?:export[ ]+)?[A-Z_0-9]*(?:password|passwd|secret|access_key|api_key|token)=[\"']"
    r"|^[ ]*-?[ ]*[\w.-]*(?:password|passwd|secret|(?:secret|access|api)[_-]?key|token)(?:[ ]+=|:)[ ]+[\"']?"
    r"|[\"']\w*(?:password|passwd|secret|secret_?key|access_?key|api_?key|token|auth)[\"'][ ]*:[ ]*[\"']"
    r"|\blogin[ ]+\S+[ ]+password[ ]+|[ ]-p'|^[<> ]*(?:set-)?cookie:[ ]+\w{0,40}(?:session|sid|token|auth)\w{0,20}=)"
    r"([^\s'\"$<>(){}\[\]|;,]{14,512})(?=[\"',;\s]|\Z)"
)
"""In quotes, or as YAML, JSON and .netrc have them, where code has them too: only what looks drawn from a hat."""
_GIVEN_BACK = r"(?i)page|next|contin|cursor|resume|sync|public|csrf|xsrf"
"""Tokens that an agent has to give back, and that open nothing."""


def _settings(text: str) -> list[tuple[int, int, str]]:
    from guildmoot.guard.values import compiled, is_secret, looks_random

    shown = [
        found for found in compiled(_SETTINGS).finditer(text) if is_secret(found[1], strong=True)
    ]
    shown += [
        found
        for found in compiled(_QUOTED).finditer(text)
        if looks_random(found[1])
        and is_secret(found[1], strong=True)
        and not compiled(_GIVEN_BACK).search(text, found.start(), found.start(1))
    ]
    return [(*found.span(1), "secret") for found in shown]
