"""Who sits on which model: the words of --agents and --model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildmoot.agents.binding import (
    ModelBinding,
    bind_as_written,
    bind_default,
    bind_model,
    known_providers,
    parse_bindings,
    parse_model,
)
from guildmoot.agents.families import model_family
from guildmoot.backends import CLIENTS
from guildmoot.errors import UsageError
from guildmoot.model.agent import Agent

JUDGE = Agent("judge", "a judge", "Judge it.", "judge.md")


def test_every_form_of_a_seat_is_read():
    words = ["a@anthropic:claude-sonnet-4-5", "b@claude", "b@codex:gpt-5", " c@gemini ", "d"]
    assert parse_bindings(words) == (
        ModelBinding("a", "api", "anthropic:claude-sonnet-4-5"),
        ModelBinding("b", "claude"),
        ModelBinding("b", "codex", "gpt-5"),
        ModelBinding("c", "gemini"),
        ModelBinding("d"),
    )


def test_one_agent_may_sit_on_several_models_and_twice_on_one():
    seats = parse_bindings(["a@openai:gpt-5", "a@ollama:llama3:8b", "a@openai:gpt-5"])
    assert [seat.model for seat in seats] == ["openai:gpt-5", "ollama:llama3:8b", "openai:gpt-5"]


@pytest.mark.parametrize(
    "model",
    [
        "llama3:8b",
        "meta-llama/llama-3:free",
        "claude-sonnet-4@20250514",
        "us.anthropic.claude-v2:0",
    ],
)
def test_a_models_own_colons_slashes_and_ats_are_left_alone(model):
    assert parse_bindings([f"a@openrouter:{model}"]) == (
        ModelBinding("a", "api", f"openrouter:{model}"),
    )


@pytest.mark.parametrize(
    ("word", "problem", "hint"),
    [
        ("a@antropic:claude-x", "no provider 'antropic'", "Did you mean anthropic:claude-x"),
        ("a@claud", "no client 'claud'", "Did you mean claude?"),
        ("a@zzz:m", "no provider 'zzz'", "Known: anthropic,"),
        ("a@sonnet", "without the service or client", "anthropic:sonnet or claude:sonnet"),
        ("a@gpt-5", "without the service or client", "openai:gpt-5 or codex:gpt-5"),
        ("a@openai", "openai needs a model", "openai:MODEL"),
        ("a@openai:", "no model is named after openai:", "--agents"),
        ("a@codex:", "no model is named after codex:", "--agents"),
        ("a@", "nothing is named after the @", "--agents"),
        ("@command", "no agent is named before the @", "--agents"),
        ("a@command", "only an agent file can say `backend: command`", "--agents"),
        ("a@tool", "only an agent file can say", "--agents"),
        ("", "is no agent's name", "--agents"),
        ("a b", "is no agent's name", "--agents"),
        ("a@openai:gpt 5", "no model is named", "--agents"),
    ],
)
def test_what_cannot_be_read_is_refused_with_what_to_write(word, problem, hint):
    with pytest.raises(UsageError) as refused:
        parse_bindings(["ok", word])
    assert problem in refused.value.message
    assert hint in refused.value.hint


def test_model_takes_the_same_words():
    assert parse_model("openai:gpt-5") == ModelBinding("", "api", "openai:gpt-5")
    assert parse_model("claude") == ModelBinding("", "claude")
    with pytest.raises(UsageError, match="--model gpt-5"):
        parse_model("gpt-5")


@given(
    st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,20}", fullmatch=True),
    st.sampled_from([*known_providers(), *CLIENTS]),
    st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._:/@-]{0,30}", fullmatch=True),
)
def test_what_was_written_is_what_is_cast(agent, place, model):
    (binding,) = parse_bindings([f"{agent}@{place}:{model}"])
    written = binding.model if binding.backend == "api" else f"{binding.backend}:{binding.model}"
    assert (binding.agent, written) == (agent, f"{place}:{model}")


@given(st.text(max_size=30))
def test_any_word_is_a_binding_or_a_usage_error(word):
    try:
        (binding,) = parse_bindings([word])
    except UsageError as refused:
        assert refused.hint
    else:
        assert binding.agent


def test_an_agent_is_given_backend_model_and_family():
    seated = bind_model(JUDGE, ModelBinding("judge", "api", "openrouter:anthropic/claude-opus-5-5"))
    assert (seated.backend, seated.family) == ("api", "anthropic")
    assert seated.model == "openrouter:anthropic/claude-opus-5-5"
    assert bind_model(JUDGE, ModelBinding("judge", "codex")).family == "openai"
    assert bind_model(JUDGE, ModelBinding("judge")) == JUDGE


def test_the_family_is_that_of_the_model_and_no_longer_the_files():
    written = JUDGE._replace(backend="claude", family="house", command=("x",))
    seated = bind_model(written, ModelBinding("judge", "api", "xai:grok-4"))
    assert (seated.family, seated.command) == ("xai", ())


def test_a_tool_runs_its_program_and_no_model():
    tool = JUDGE._replace(name="ruff", backend="tool", command=("ruff", "check"))
    with pytest.raises(UsageError, match="ruff is a tool"):
        bind_model(tool, ModelBinding("ruff", "claude"))
    assert bind_default(tool, parse_model("openai:gpt-5")) == tool


def test_model_moves_only_agents_whose_file_leaves_it_open():
    model = parse_model("openai:gpt-5")
    assert bind_default(JUDGE, model).model == "openai:gpt-5"
    for settled in (
        JUDGE._replace(backend="codex"),
        JUDGE._replace(backend="scripted", replies="r.json"),
        JUDGE._replace(command=("my-judge",)),
        JUDGE._replace(model="xai:grok-4"),
    ):
        assert bind_default(settled, model) == settled


def test_a_file_may_name_its_model_alone():
    seated = bind_as_written(JUDGE._replace(model="anthropic:claude-opus-5-5"))
    assert (seated.backend, seated.family) == ("api", "anthropic")
    for settled in (JUDGE, JUDGE._replace(model="sonnet"), JUDGE._replace(backend="claude")):
        assert bind_as_written(settled) == settled
    with pytest.raises(UsageError, match="no provider 'antropic'"):
        bind_as_written(JUDGE._replace(model="antropic:x"))


@pytest.mark.parametrize(
    ("family", "models"),
    [
        ("anthropic", ("anthropic:claude-3-haiku", "bedrock:us.anthropic.claude-opus-4-v1:0")),
        ("anthropic", ("openrouter:anthropic/claude-3.7-sonnet", "openrouter:anthropic/new-name")),
        ("openai", ("openai:o3-mini", "openrouter:openai/gpt-oss-120b", "azure:my-deployment")),
        ("google", ("google:gemini-2.5-pro", "ollama:gemma3:27b", "google:next")),
        ("meta", ("ollama:llama3", "together:meta-llama/Llama-4-Scout", "ollama:codellama:7b")),
        ("meta", ("openrouter:nousresearch/hermes-3-llama-3.1-405b",)),
        ("mistral", ("mistral:mistral-large-latest", "ollama:dolphin-mixtral", "x:devstral-small")),
        ("alibaba", ("ollama:qwen2.5-coder:32b", "openrouter:qwen/qwq-32b")),
        ("deepseek", ("deepseek:deepseek-chat", "groq:deepseek-r1-distill-llama-70b")),
        ("xai", ("xai:grok-4", "openrouter:x-ai/grok-code-fast-1")),
        ("zhipu", ("zai:glm-4.6", "openrouter:z-ai/glm-4.5-air")),
        ("moonshot", ("moonshotai:kimi-k2", "openrouter:moonshotai/kimi-k2-thinking")),
        ("microsoft", ("ollama:phi4",)),
        ("cohere", ("ollama:command-r-plus", "cohere:command-a-03-2025")),
        ("minimax", ("openrouter:minimax/minimax-m2",)),
        ("vllm", ("vllm:my-model", "vllm:another")),
        ("lmstudio", ("lmstudio:phind-coder",)),
        ("llama.cpp", ("llama.cpp:my-model",)),
        ("openai-compatible", ("openai-compatible:my-model",)),
        ("openai", ("openai-chat:a-new-one",)),
    ],
)
def test_aliases_and_versions_of_one_vendor_are_one_family(family, models):
    assert [model_family(model) for model in models] == [family] * len(models)
