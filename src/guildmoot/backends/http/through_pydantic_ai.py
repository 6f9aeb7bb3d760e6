"""The wire that leaves protocols to pydantic-ai: slower to import and to call, but it knows many more.

Its own retries are switched off, so that ours count, and it is given our connections to send over.
Keys of providers that are not in our table are read by it, from the variables that it documents.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from guildmoot.backends.http.connections import Connections, Response, WireError
from guildmoot.backends.http.failures import retry_after
from guildmoot.backends.http.providers import PROVIDERS, check_url
from guildmoot.backends.http.wire import Answer, Ask, AskFailed, Hear
from guildmoot.errors import UsageError
from guildmoot.model.call import Usage

if TYPE_CHECKING:
    import httpx2
    from pydantic_ai.exceptions import ModelAPIError
    from pydantic_ai.messages import ModelResponse, ModelResponseStreamEvent
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

INSTALL = "pip install 'guildmoot[models]'"
_SECONDS = 3600.0  # the seat's own deadline comes first


def knows(provider: str) -> bool:
    """Whether pydantic-ai is installed and has this provider; found without importing it."""
    spec = find_spec("pydantic_ai")
    if spec is None or spec.origin is None or not provider.replace("-", "_").isidentifier():
        return False
    return Path(spec.origin).with_name("providers").joinpath(
        f"{provider.replace('-', '_')}.py"
    ).is_file()  # fmt: skip


class PydanticAiWire:
    """Asks through pydantic-ai's models, made once each."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._models: dict[tuple[str, ...], asyncio.Task[Model]] = {}

    async def ask(self, ask: Ask, hear: Hear) -> Answer:
        model = await self._model(ask)
        from pydantic_ai.exceptions import ModelAPIError, UnexpectedModelBehavior, UserError

        try:
            return _answer(await _stream(model, ask, hear))
        except ModelAPIError as error:
            raise _failure(error) from error
        except UnexpectedModelBehavior as error:
            raise AskFailed(f"the reply is not what was expected: {error}", again=True) from error
        except UserError as error:
            raise AskFailed(str(error), again=False) from error
        except WireError as error:
            raise AskFailed(str(error), again=True) from error

    async def _model(self, ask: Ask) -> Model:
        """The model, imported and made in a thread: seats on other backends go on meanwhile."""
        name = (ask.provider, ask.model, ask.base_url, ask.key)
        if name not in self._models:
            making = asyncio.to_thread(_make_model, ask, self._connections)
            self._models[name] = asyncio.create_task(making)
        try:
            return await asyncio.shield(self._models[name])
        except (ImportError, ValueError, RuntimeError, UsageError) as error:
            self._models.pop(name, None)  # RuntimeError: pydantic-ai's own word for a missing key
            raise AskFailed(str(error), again=False) from error


async def _stream(model: Model, ask: Ask, hear: Hear) -> ModelResponse:
    from pydantic_ai.messages import CachePoint, ModelRequest, UserPromptPart

    content: list[str | CachePoint] = [ask.shared, CachePoint(), ask.own]
    whole = UserPromptPart([part for part in content if part] if ask.shared and ask.own else
                           ask.shared + ask.own)  # fmt: skip
    known = PROVIDERS.get(ask.provider)
    settings: ModelSettings = {}
    if known is None or known.needs_key:  # a server of one's own knows what fits beside the prompt
        settings["max_tokens"] = ask.max_tokens
    if known is None:  # ours are made without retries, which is cheaper
        settings["max_retries"] = 0
    request = model.request_stream([ModelRequest([whole])], settings, _form(model, ask))
    async with request as stream:
        async for event in stream:
            hear(_text_of(event))
        return stream.get()


def _form(model: Model, ask: Ask) -> ModelRequestParameters:
    """The schema, for a model that takes one; a provider of the table wants its own form."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition

    takes = model.profile.get("supports_json_schema_output", False)
    if ask.schema is None or ask.provider in PROVIDERS or not takes:
        return ModelRequestParameters()
    form = OutputObjectDefinition(dict(ask.schema), name="reply", strict=True)
    return ModelRequestParameters(output_mode="native", output_object=form)


def _text_of(event: ModelResponseStreamEvent) -> str:
    from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta

    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
        return event.part.content
    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
        return event.delta.content_delta
    return ""


def _answer(response: ModelResponse) -> Answer:
    counts = response.usage
    usage = Usage(
        input_tokens=counts.input_tokens,
        output_tokens=counts.output_tokens,
        cache_read_tokens=counts.cache_read_tokens,
        cache_write_tokens=counts.cache_write_tokens,
    )
    reason = response.finish_reason
    if reason is None:
        raise AskFailed("the reply stopped before its end", again=True)
    refused = "the provider stopped the answer" if reason == "content_filter" else ""
    return Answer(
        response.text or "", usage, response.model_name or "", refused, reason == "length"
    )


def _failure(error: ModelAPIError) -> AskFailed:
    from pydantic_ai import exceptions

    passing = (
        exceptions.ModelRateLimitError,
        exceptions.ModelUnavailableError,
        exceptions.ModelServerError,
        exceptions.ModelConnectionError,
    )
    status = getattr(error, "status_code", 0)
    asked = retry_after(getattr(error, "headers", None) or {})
    return AskFailed(str(error), again=isinstance(error, passing), status=status, retry_after=asked)


def _make_model(ask: Ask, connections: Connections) -> Model:
    if ask.provider not in PROVIDERS:
        return _make_other(ask, _client(connections))
    maker = {
        "anthropic": _make_anthropic,
        "responses": _make_openai,
        "chat": _make_openai,
        "gemini": _make_google,
    }[PROVIDERS[ask.provider].dialect]
    return maker(ask, _client(connections))


def _make_anthropic(ask: Ask, client: httpx2.AsyncClient) -> Model:
    from anthropic import AsyncAnthropic
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    sdk = AsyncAnthropic(api_key=ask.key, base_url=ask.base_url, http_client=client, max_retries=0)
    return AnthropicModel(ask.model, provider=AnthropicProvider(anthropic_client=sdk))


def _make_openai(ask: Ask, client: httpx2.AsyncClient) -> Model:
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    key = ask.key or "none"  # the library insists on one
    sdk = AsyncOpenAI(api_key=key, base_url=ask.base_url, http_client=client, max_retries=0)
    if ask.provider == "openai":
        return OpenAIResponsesModel(ask.model, provider=OpenAIProvider(openai_client=sdk))
    other = OpenAICompatibleProvider(ask.provider, openai_client=sdk)
    return OpenAIChatModel(ask.model, provider=other)


def _make_google(ask: Ask, client: httpx2.AsyncClient) -> Model:
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    provider = GoogleProvider(api_key=ask.key, base_url=ask.base_url, http_client=client)
    return GoogleModel(ask.model, provider=provider)


def _make_other(ask: Ask, client: httpx2.AsyncClient) -> Model:
    from inspect import signature

    from pydantic_ai.models import infer_model
    from pydantic_ai.providers import Provider, infer_provider_class

    def provider(name: str) -> Provider[Any]:
        kind: Callable[..., Provider[Any]] = infer_provider_class(name)
        takes_client = "http_client" in signature(kind).parameters
        return kind(http_client=client) if takes_client else kind()

    model = infer_model(f"{ask.provider}:{ask.model}", provider)
    if model.base_url:
        check_url(model.base_url, f"the address of {ask.provider}")
    return model


def _client(connections: Connections) -> httpx2.AsyncClient:
    """A client that sends over our connections."""
    import httpx2

    class Body(httpx2.AsyncByteStream):
        def __init__(self, response: Response) -> None:
            self._response = response

        async def __aiter__(self) -> AsyncIterator[bytes]:
            try:
                async for chunk in self._response.chunks():
                    yield chunk
            except WireError as error:
                raise httpx2.ReadError(str(error)) from error

        async def aclose(self) -> None:
            self._response.close()

    class Transport(httpx2.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            body = await request.aread()
            try:
                response = await connections.post(str(request.url), request.headers, body)
            except WireError as error:
                raise httpx2.ConnectError(str(error)) from error
            return httpx2.Response(response.status, headers=response.headers, stream=Body(response))

    return httpx2.AsyncClient(transport=Transport(), timeout=_SECONDS)
