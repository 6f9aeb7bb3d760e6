"""Whose judgement it is: seats of one program or one vendor err together, so they count once.

Aliases and versions of a vendor's models are one family, whoever serves them: a model made from
another's weights errs as that one does, so ``hermes-3-llama-3.1`` belongs to Meta's family.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from guildmoot.backends import traits_of
from guildmoot.model.agent import Seat
from guildmoot.text.patterns import lazy

_VENDORS: dict[str, str] = {
    "anthropic": "claude opus sonnet haiku anthropic",
    "openai": "gpt chatgpt codex openai azure davinci",
    "google": "gemini gemma codegemma medgemma google vertex learnlm",
    "meta": "llama codellama meta",
    "mistral": "mistral mixtral codestral devstral ministral magistral pixtral voxtral mistralai",
    "alibaba": "qwen qwq qvq codeqwen tongyi alibaba dashscope",
    "deepseek": "deepseek",
    "xai": "grok xai",
    "cohere": "command-r command-a c4ai aya cohere cohereforai",
    "microsoft": "phi wizardlm microsoft",
    "zhipu": "glm chatglm codegeex zhipu zhipuai zai thudm",
    "moonshot": "kimi moonshot moonshotai",
    "minimax": "minimax abab",
    "amazon": "nova titan amazon bedrock aws",
    "ai21": "jamba ai21",
    "nvidia": "nemotron nvidia",
    "ibm": "granite ibm",
    "perplexity": "sonar perplexity",
    "01-ai": "yi",
    "bytedance": "doubao bytedance",
    "tencent": "hunyuan tencent",
    "baidu": "ernie baidu",
    "xiaomi": "mimo xiaomi",
    "databricks": "dbrx databricks",
    "allenai": "olmo tulu molmo allenai",
    "tii": "falcon tiiuae",
    "huggingface": "smollm zephyr huggingface huggingfacetb",
}
_VENDOR_OF = {word: vendor for vendor, words in _VENDORS.items() for word in words.split()}
_WORD = "|".join(sorted(map(re.escape, _VENDOR_OF), key=len, reverse=True))
_PROGRAMS = ("anthropic", "claude", "codex", "gemini", "grok", "kimi", "openai", "qwen")
_SERVERS = ("llama.cpp", "openai-compatible")  # named after a vendor, but anyone's model runs there
# A digit may follow a name (``gemma3``), a letter may not (``phind`` is no ``phi``).
_NAMED = lazy(rf"(?<![a-z])(?:{_WORD})(?![a-z])")
_O_SERIES = lazy(r"o\d+(?![a-z0-9])")
_PYTHON = lazy(r"\{python\}|python[\d.]*(?:\.exe)?|py")
_MARK = lazy(r"(?<=[xz])-(?=ai\b)")


def default_family(backend: str, command: Sequence[str], model: str) -> str:
    """The program of a tool; else the vendor of the model, of the program or of the backend."""
    traits = traits_of(backend)
    program = program_name(command) if traits.needs == "command" else ""
    if traits.is_tool:
        return program or backend
    if traits.needs == "model":
        return model_family(model) or backend
    vendor = _VENDOR_OF[program] if program in _PROGRAMS else program or traits.provider
    return model_vendor(model) or vendor or backend


def seat_model(seat: Seat) -> str:
    """The model behind a seat: the client's name where it chooses its own, empty for a program."""
    traits = traits_of(seat.backend)
    return seat.model or (seat.backend if traits.is_client or traits.handed else "")


def seat_judge(seat: Seat) -> str:
    """Who sits there, ``agent@model``: the same judge in every run, whatever its seat is called."""
    model = seat_model(seat)
    return f"{seat.agent}@{model}" if model else seat.agent


def model_family(model: str) -> str:
    """The vendor of ``provider:model`` where the name tells it, else the provider.

    A name without a provider that tells nothing has no family.
    """
    provider, colon, name = model.partition(":")
    if not colon:
        return model_vendor(model)
    server = "" if provider in _SERVERS else model_vendor(provider)
    return model_vendor(name) or server or provider.casefold()


def model_vendor(name: str) -> str:
    """Who made the model of that name, e.g. ``meta-llama/llama-3:free``; empty when unknown.

    What stands after the last slash says more than whoever published it there.
    """
    folded = _MARK.sub("", name.casefold())
    publisher, _, last = folded.rpartition("/")
    if _O_SERIES.match(last):
        return "openai"
    found = _NAMED.search(last) or _NAMED.search(publisher)
    return _VENDOR_OF[found[0]] if found else ""


def program_name(command: Sequence[str]) -> str:
    """What a command line runs: ``ruff`` for ``/usr/bin/ruff check`` and for ``python -m ruff``."""
    if not command:
        return ""
    name = re.split(r"[/\\]", command[0])[-1]
    if _PYTHON.fullmatch(name):
        after = list(command[1:])
        module = after[after.index("-m") + 1 :] if "-m" in after else []
        name = module[0].split(".")[0] if module else name.strip("{}")
    return name.removesuffix(".exe")
