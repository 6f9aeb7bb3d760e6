"""The wire for providers that are not in our table: pydantic-ai speaks to them, slower but to many.

Its own retries are switched off, so that ours count; its connections are closed with our own.
It reads their keys itself, from the variables that it documents.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from guildmoot.backends.http.dialects.base import TOOL_CALL, ending_of
from guildmoot.backends.http.failures import retry_after
from guildmoot.backends.http.wire import Completion, CompletionError, CompletionRequest, OnText
from guildmoot.backends.providers import check_url
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

    def __init__(self) -> None:
        self._clients: list[httpx2.AsyncClient] = []
        self._models: dict[tuple[str, ...], asyncio.Task[Model]] = {}

    async def ask(self, request: CompletionRequest, on_text: OnText) -> Completion:
        model = await self._model(request)
        from pydantic_ai.exceptions import ModelAPIError, UnexpectedModelBehavior, UserError

        try:
            return _answer(await _stream(model, request, on_text))
        except ModelAPIError as error:
            raise _failure(error) from error
        except UnexpectedModelBehavior as error:
            raise CompletionError(
                f"the reply is not what was expected: {error}", again=True
            ) from error
        except UserError as error:
            raise CompletionError(str(error), again=False) from error

    async def close(self) -> None:
        """End every connection."""
        for client in self._clients:
            await client.aclose()

    async def _model(self, request: CompletionRequest) -> Model:
        """The model, imported and made in a thread: seats on other backends go on meanwhile."""
        name = (request.provider, request.model, request.base_url, request.key)
        if name not in self._models:
            self._models[name] = asyncio.create_task(asyncio.to_thread(self._make, request))
        try:
            return await asyncio.shield(self._models[name])
        except (ImportError, ValueError, RuntimeError, UsageError) as error:
            self._models.pop(name, None)  # RuntimeError: pydantic-ai's own word for a missing key
            raise CompletionError(str(error), again=False) from error

    def _make(self, request: CompletionRequest) -> Model:
        from inspect import signature

        import httpx2
        from pydantic_ai.models import infer_model
        from pydantic_ai.providers import Provider, infer_provider_class

        client = httpx2.AsyncClient(timeout=_SECONDS, limits=httpx2.Limits(max_connections=None))
        self._clients.append(client)

        def provider(name: str) -> Provider[Any]:
            kind: Callable[..., Provider[Any]] = infer_provider_class(name)
            takes_client = "http_client" in signature(kind).parameters
            return kind(http_client=client) if takes_client else kind()

        model = infer_model(f"{request.provider}:{request.model}", provider)
        if model.base_url:
            check_url(model.base_url, f"the address of {request.provider}")
        return model


async def _stream(model: Model, request: CompletionRequest, on_text: OnText) -> ModelResponse:
    from pydantic_ai.messages import CachePoint, ModelRequest, UserPromptPart

    content: list[str | CachePoint] = [request.shared, CachePoint(), request.own]
    whole = UserPromptPart([part for part in content if part] if request.shared and request.own else
                           request.shared + request.own)  # fmt: skip
    settings: ModelSettings = {"max_tokens": request.max_tokens, "max_retries": 0}
    if request.effort:
        settings["thinking"] = request.effort
    opened = model.request_stream([ModelRequest([whole])], settings, _form(model, request))
    async with opened as stream:
        async for event in stream:
            on_text(_text_of(event))
        return stream.get()


def _form(model: Model, request: CompletionRequest) -> ModelRequestParameters:
    """The schema, for a model that takes one."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition

    takes = model.profile.get("supports_json_schema_output", False)
    if request.schema is None or not takes:
        return ModelRequestParameters()
    form = OutputObjectDefinition(dict(request.schema), name="reply", strict=True)
    return ModelRequestParameters(output_mode="native", output_object=form)


def _text_of(event: ModelResponseStreamEvent) -> str:
    from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta

    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
        return event.part.content
    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
        return event.delta.content_delta
    return ""


def _answer(response: ModelResponse) -> Completion:
    counts = response.usage
    usage = Usage(
        input_tokens=counts.input_tokens,
        output_tokens=counts.output_tokens,
        cache_read_tokens=counts.cache_read_tokens,
        cache_write_tokens=counts.cache_write_tokens,
    )
    reason = response.finish_reason
    if reason is None:
        raise CompletionError("the reply stopped before its end", again=True)
    refused = "the provider stopped the answer" if reason == "content_filter" else ""
    stops = (reason, TOOL_CALL if response.tool_calls else None)
    ending = ending_of(stops)
    return Completion(response.text or "", usage, response.model_name or "", refused, ending)


def _failure(error: ModelAPIError) -> CompletionError:
    from pydantic_ai import exceptions

    passing = (
        exceptions.ModelRateLimitError,
        exceptions.ModelUnavailableError,
        exceptions.ModelServerError,
        exceptions.ModelConnectionError,
    )
    status = getattr(error, "status_code", 0)
    asked = retry_after(getattr(error, "headers", None) or {})
    return CompletionError(
        str(error), again=isinstance(error, passing), status=status, retry_after=asked
    )
