import asyncio
import json
import sys
import traceback
import warnings
from typing import Any

import pytest
from msgspec.structs import replace

from saniwa.agent.definition import ModelSettings
from saniwa.app.model_factory import open_oracle
from saniwa.core.errors import (
    ConfigurationError,
    SdkBridgeError,
    SdkConnectionError,
    SdkRateLimitError,
)
from saniwa.core.redaction import MARK
from saniwa.models import bounded_http_client, provider_conversion, provider_oracle
from saniwa.models.oracle import OracleAnswer, OracleMessage, OracleRequest, ToolOffer, Usage
from saniwa.models.provider_oracle import ProviderOracle
from saniwa.models.providers import _MODEL_OPENERS, PROVIDERS
from tests.fakes.model_server import REFUSAL, STRAY_INPUT, STRAY_TOOL, HeardRequest, ModelServer
from tests.fakes.oracles import KEY, MODELS, CountedPause, make_provider_oracle, make_request

every = pytest.mark.parametrize("name", MODELS)
_SCHEMA = {
    "type": "object",
    "properties": {"ok": {"type": "string"}},
    "required": ["ok"],
    "additionalProperties": False,
}

_LOOK = ToolOffer(
    name="look",
    description="Look at a thing.",
    parameters={"type": "object", "properties": {"at": {"type": "string"}}},
)


def _ask_provider(
    name: str, asked: OracleRequest, model: str = "", plan: str = "ok"
) -> HeardRequest:
    async def ask() -> HeardRequest:
        with ModelServer() as server:
            server.plan(plan)
            oracle = make_provider_oracle(name, server)
            if model:
                oracle = ProviderOracle(name, model, url=server.url, key=KEY)
            await oracle.answer(asked)
            await oracle.close()
            return server.heard[0]

    return asyncio.run(ask())


def _make_listener(streamed: bool) -> Any:
    return list[str]().append if streamed else None


def _answer_plan(name: str, plan: str, hear: Any = None) -> OracleAnswer:
    async def ask() -> OracleAnswer:
        with ModelServer() as server:
            server.plan(plan)
            oracle = make_provider_oracle(name, server)
            try:
                return await oracle.answer(make_request("a"), hear)
            finally:
                await oracle.close()

    return asyncio.run(ask())


@every
def test_the_whole_conversation_is_reported(name: str) -> None:
    """The system prompt, all messages with their roles, and the key reach the provider."""
    heard = _ask_provider(name, make_request("one", "two", "three", system="be brief"))

    told = str(heard.body)
    assert KEY == heard.key
    assert KEY not in told
    places = [told.index(text) for text in ("one", "two", "three")]
    assert sorted(places) == places
    assert "be brief" in told
    assert ("assistant" in told) or ("model" in told)


@every
def test_length_and_freedom_are_asked_for(name: str) -> None:
    """The longest answer and the temperature reach the provider."""
    heard = _ask_provider(name, make_request("one", temperature=0.25))

    told = {**heard.body, **heard.body.get("generationConfig", {})}
    lengths = ("max_tokens", "max_completion_tokens", "maxOutputTokens")
    assert [8] == [told[each] for each in lengths if each in told]
    assert 0.25 == told["temperature"]


def test_a_reasoning_model_receives_no_temperature() -> None:
    """A reasoning model gets no temperature, because it would refuse it."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        heard = _ask_provider("openai", make_request("one"), "gpt-5-mini")

    assert "temperature" not in heard.body


@pytest.mark.parametrize(
    ("name", "model", "unsent"),
    [
        ("openai", "gpt-4o-mini", ()),
        ("openai", "gpt-5-mini", ("temperature",)),
        ("anthropic", MODELS["anthropic"], ("seed",)),
    ],
)
def test_an_answer_says_which_settings_were_not_sent(
    name: str, model: str, unsent: tuple[str, ...]
) -> None:
    """The settings that a provider does not take are listed, and are not in the request."""

    async def ask() -> tuple[tuple[str, ...], OracleAnswer, str]:
        with ModelServer() as server:
            oracle = ProviderOracle(name, model, url=server.url, key=KEY)
            known = oracle.find_unsent_settings()
            answer = await oracle.answer(make_request("a", temperature=0.25, seed=7))
            await oracle.close()
            return known, answer, str(server.heard[0].body)

    known, answer, body = asyncio.run(ask())

    assert (unsent, unsent) == (known, answer.unsent)
    assert [] == [setting for setting in unsent if f"'{setting}'" in body]


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("openai", "response_format"),
        ("openai-compatible", "response_format"),
        ("ollama", "response_format"),
        ("anthropic", "output_config"),
    ],
)
def test_a_schema_is_asked_for_as_the_provider_has_it(name: str, where: str) -> None:
    """The schema is sent in the form of each provider that supports one."""
    heard = _ask_provider(name, make_request("one", schema=_SCHEMA))

    assert "json_schema" in str(heard.body[where])


def test_google_is_asked_for_a_schema_in_its_own_words() -> None:
    """Google gets the schema and the response type among its settings."""
    heard = _ask_provider("google", make_request("one", schema=_SCHEMA))

    settings = heard.body["generationConfig"]
    assert "application/json" == settings["responseMimeType"]
    assert _SCHEMA["required"] in settings["responseJsonSchema"].values()


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_a_model_without_schemas_is_given_a_tool(streamed: bool) -> None:
    """A model without schemas gets a tool, and the tool's input is the answer."""
    heard: list[str] = []

    async def ask() -> tuple[OracleAnswer, HeardRequest]:
        with ModelServer(lambda _: '{"ok":"yes"}') as server:
            oracle = ProviderOracle("anthropic", "claude-3-haiku-20240307", url=server.url, key=KEY)
            answer = await oracle.answer(
                make_request("one", schema=_SCHEMA), heard.append if streamed else None
            )
            await oracle.close()
            return answer, server.heard[0]

    answer, told = asyncio.run(ask())

    assert ["answer"] == [tool["name"] for tool in told.body["tools"]]
    assert ('{"ok":"yes"}', "stop") == (answer.text, answer.finish)
    assert (answer.text if streamed else "") == "".join(heard)


def test_what_an_answer_cost_is_reported_in_millionths(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cost is the library's price for the counted tokens, rounded up."""

    async def ask() -> Usage:
        with ModelServer() as server:
            monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
            oracle = ProviderOracle("openai", "gpt-4o-mini", key=KEY)
            answer = await oracle.answer(make_request("one"))
            await oracle.close()
            return answer.usage

    assert Usage(calls=1, input_tokens=11, output_tokens=7, cost=6) == asyncio.run(ask())


def test_a_seed_is_passed_on() -> None:
    """A seed is sent to a provider that takes one."""
    assert 5 == _ask_provider("openai", make_request("one", seed=5)).body["seed"]


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:9/v1", "http://127.0.0.1:9"], ids=["openai", "anthropic"]
)
def test_a_server_that_does_not_answer_is_a_lost_connection(url: str) -> None:
    """A server that does not answer is a recoverable connection error."""
    name = "openai-compatible" if url.endswith("v1") else "anthropic"

    async def ask() -> SdkBridgeError:
        oracle = ProviderOracle(name, "x", url=url, key=KEY)
        with pytest.raises(SdkConnectionError) as caught:
            await oracle.answer(make_request("one"))
        await oracle.close()
        return caught.value

    assert asyncio.run(ask()).recoverable


@every
def test_no_key_is_in_what_a_provider_says(name: str) -> None:
    """A key repeated by the provider is redacted, also in pieces."""
    heard: list[str] = []

    answer = _answer_plan(name, "say_key", heard.append)

    assert f"your key is {MARK}, I believe" == answer.text == "".join(heard)


@every
def test_no_key_is_in_an_error_or_its_traceback(name: str) -> None:
    """A key is redacted in an error's message, its details and its traceback."""
    with pytest.raises(SdkBridgeError) as caught:
        _answer_plan(name, "echo_key")

    shown = "".join(traceback.format_exception(caught.value))
    assert MARK in caught.value.message
    assert KEY not in shown + str(caught.value.to_document())
    assert caught.value.__context__ is None


pieces = pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
_FILTERED = {"google": ("filtered", "SAFETY"), "anthropic": ("refused", "")}
_OPENAI_ALIKE = [name for name in MODELS if name not in _FILTERED]


@pieces
@every
def test_an_answer_its_filter_stopped_says_so(name: str, streamed: bool) -> None:
    """An answer stopped by a content filter says so; for Anthropic it is a refusal."""
    answer = _answer_plan(name, "filter", _make_listener(streamed))

    assert _FILTERED.get(name, ("filtered", "")) == (answer.finish, answer.reason)


@pieces
@pytest.mark.parametrize("name", _OPENAI_ALIKE)
def test_a_refusal_is_reported_with_its_words(name: str, streamed: bool) -> None:
    """The words of a `refusal` field are the reason, and the text is empty."""
    answer = _answer_plan(name, "refusal", _make_listener(streamed))

    assert ("", "refused", REFUSAL) == (answer.text, answer.finish, answer.reason)


@pieces
def test_a_stop_reason_of_a_refusal_is_a_refusal(streamed: bool) -> None:
    """Anthropic's stop reason `refusal` is a refusal."""
    assert "refused" == _answer_plan("anthropic", "refusal", _make_listener(streamed)).finish


def test_a_blocked_prompt_is_filtered() -> None:
    """A prompt blocked by Google is filtered, with the reason."""
    answer = _answer_plan("google", "blocked")

    assert ("", "filtered", "PROHIBITED_CONTENT") == (answer.text, answer.finish, answer.reason)


@pieces
@every
def test_an_answer_cut_at_its_limit_says_so(name: str, streamed: bool) -> None:
    """An answer cut at its limit has the finish `length`."""
    answer = _answer_plan(name, "length", _make_listener(streamed))

    assert ("heard: a", "length") == (answer.text, answer.finish)


@pieces
@every
def test_a_call_of_a_tool_that_was_not_given_is_no_answer(name: str, streamed: bool) -> None:
    """A call of a tool that was not offered is not an answer, and the tool is named."""
    heard: list[str] = []

    answer = _answer_plan(name, "stray_call", heard.append if streamed else None)

    assert ("", "tool_call", STRAY_TOOL) == (answer.text, answer.finish, answer.reason)
    assert [] == heard


@pieces
@every
def test_a_call_of_an_offered_tool_is_read_and_answered(name: str, streamed: bool) -> None:
    """The offer, the call and its result are sent in the provider's form."""
    offer = ToolOffer(name=STRAY_TOOL, description="Delete.", parameters={"type": "object"})
    request = make_request("one", tools=(offer,))

    async def ask() -> tuple[OracleAnswer, OracleAnswer, list[str]]:
        with ModelServer(lambda _: "It is gone.") as server:
            server.plan("stray_call", "ok")
            oracle = make_provider_oracle(name, server)
            hear = _make_listener(streamed)
            first = await oracle.answer(request, hear)
            called = OracleMessage(role="assistant", text=first.text, calls=first.calls)
            result = OracleMessage(
                role="tool", text="deleted 3", call_id=first.calls[0].id, tool=STRAY_TOOL
            )
            further = replace(request, messages=(*request.messages, called, result))
            second = await oracle.answer(further, _make_listener(streamed))
            await oracle.close()
            return first, second, [json.dumps(heard.body) for heard in server.heard]

    first, second, (offered, told) = asyncio.run(ask())

    assert (STRAY_TOOL, STRAY_INPUT) == (first.calls[0].name, first.calls[0].arguments)
    assert "tool_call" == first.finish
    assert STRAY_TOOL in offered
    assert "deleted 3" in told
    assert ("It is gone.", ()) == (second.text, second.calls)


@pieces
def test_a_stray_call_is_no_answer_where_a_schema_is_asked_for(streamed: bool) -> None:
    """With a schema, only the tool that carries it gives the answer."""
    heard: list[str] = []

    async def ask() -> OracleAnswer:
        with ModelServer() as server:
            server.plan("stray_call")
            oracle = ProviderOracle("anthropic", "claude-3-haiku-20240307", url=server.url, key=KEY)
            answer = await oracle.answer(
                make_request("one", schema=_SCHEMA), heard.append if streamed else None
            )
            await oracle.close()
            return answer

    answer = asyncio.run(ask())

    assert ("", "tool_call", STRAY_TOOL) == (answer.text, answer.finish, answer.reason)
    assert [] == heard


@every
def test_tokens_are_counted_and_a_foreign_address_has_no_price(name: str) -> None:
    """Tokens are the provider's count; a custom address has no price."""
    usage = _answer_plan(name, "ok").usage

    assert (11, 7, 0, 1) == (usage.input_tokens, usage.output_tokens, usage.cost, usage.unpriced)


@every
def test_an_answer_without_end_is_not_kept(name: str) -> None:
    """An answer of more than a few million characters is refused, streamed or not."""
    with pytest.raises(SdkBridgeError) as caught:
        _answer_plan(name, "huge", lambda _: None)

    assert "BRIDGE_REFUSED" == caught.value.code


@every
@pytest.mark.parametrize(
    ("plan", "why"), [("endless", "3000000 bytes"), ("packed", "the response is compressed")]
)
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_a_response_without_end_is_not_taken_in(
    name: str, plan: str, why: str, streamed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An endless response is stopped while it arrives, compressed or not, and is not retried."""
    monkeypatch.setattr(bounded_http_client, "MOST_BYTES", 3_000_000)

    with pytest.raises(SdkBridgeError) as caught:
        _answer_plan(name, plan, (lambda _: None) if streamed else None)

    assert ("BRIDGE_REFUSED", False) == (caught.value.code, caught.value.recoverable)
    assert why in caught.value.message


@pytest.mark.parametrize(
    ("plan", "why"),
    [
        ("thoughts", "more than 4000000 characters"),
        ("calls", "more than 4000000 characters"),
        ("line", "more than 3000000 bytes"),
        ("event", "more than 3000000 bytes"),
        ("comments", "more than 5000000 bytes"),
        ("whole_events", "more than 1000000 lines"),
        ("brackets", "more than 50000 brackets"),
        ("error_events", "more than 3000000 bytes"),
    ],
)
def test_whatever_a_stream_is_made_of_it_has_an_end(
    plan: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each part of a stream has a limit: thoughts, calls, lines, comments, brackets, errors."""
    monkeypatch.setattr(bounded_http_client, "MOST_BYTES", 3_000_000)
    monkeypatch.setattr(bounded_http_client, "MOST_STREAM_BYTES", 5_000_000)

    with pytest.raises(SdkBridgeError) as caught:
        _answer_plan("openai", plan, lambda _: None)

    assert ("BRIDGE_REFUSED", False) == (caught.value.code, caught.value.recoverable)
    assert why in caught.value.message


def test_a_whole_answer_is_none_in_pieces_whatever_it_is_called(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The limit of a whole answer applies even if the server labels it as a stream."""
    monkeypatch.setattr(bounded_http_client, "MOST_BYTES", 3_000_000)

    with pytest.raises(SdkBridgeError, match="more than 3000000 bytes"):
        _answer_plan("openai", "whole_events")


@pytest.mark.parametrize(
    ("name", "streamed"),
    # Google's library takes a comment for an answer, and ends there.
    [*((n, False) for n in MODELS), *((n, True) for n in MODELS if n != "google")],
)
def test_an_answer_has_one_deadline_whatever_comes_in_the_meantime(
    name: str, streamed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Comments in a stream do not extend the deadline, and the error is recoverable."""
    monkeypatch.setattr(provider_conversion, "TOTAL_SECONDS", 0.05)
    for bound in ("MOST_BYTES", "MOST_STREAM_BYTES", "MOST_STREAM_LINES"):
        monkeypatch.setattr(bounded_http_client, bound, 10**12)

    with pytest.raises(SdkConnectionError):
        _answer_plan(name, "comments", (lambda _: None) if streamed else None)


def test_thoughts_do_not_make_the_deadline_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thoughts do not extend the deadline."""
    monkeypatch.setattr(provider_conversion, "TOTAL_SECONDS", 0.05)
    monkeypatch.setattr(provider_oracle, "LONGEST_ANSWER_TEXT", 10**12)

    with pytest.raises(SdkConnectionError):
        _answer_plan("openai", "thoughts", lambda _: None)


@every
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_a_redirect_is_reported_as_what_it_is(name: str, streamed: bool) -> None:
    """A redirect is reported with its status, not followed, and its address is not shown."""
    with pytest.raises(SdkBridgeError) as caught:
        _answer_plan(name, "moved", (lambda _: None) if streamed else None)

    assert ("BRIDGE_REFUSED", False, 307) == (
        caught.value.code,
        caught.value.recoverable,
        caught.value.details["status"],
    )
    assert "redirects are not followed" in caught.value.message
    assert "hidden" not in str(caught.value.to_document())


def test_an_absurd_wait_is_passed_on_as_a_long_one() -> None:
    """An absurdly long wait is limited to 10**12 ms."""
    with pytest.raises(SdkRateLimitError) as caught:
        _answer_plan("openai", "limit_ages")

    assert 10**12 == caught.value.details["retry_after_ms"]


@pytest.mark.parametrize("after", [float("nan"), -1.0, "soon", None])
def test_a_wait_that_is_invalid_is_left_out(after: object) -> None:
    """An invalid wait is ignored."""
    problem = RuntimeError("no")
    problem.retry_after = after  # type: ignore[attr-defined]

    assert {} == provider_conversion._extract_retry_delay(problem)


@every
@pytest.mark.parametrize("plan", ["untold", "below"])
def test_uncounted_tokens_are_guessed(name: str, plan: str) -> None:
    """If the provider counts no tokens, four characters count as one."""

    async def ask() -> Usage:
        with ModelServer(lambda _: "x" * 401) as server:
            server.plan(plan)
            oracle = make_provider_oracle(name, server)
            answer = await oracle.answer(make_request("a" * 40, system="b" * 4))
            await oracle.close()
            return answer.usage

    assert Usage(calls=1, input_tokens=11, output_tokens=101, unpriced=1) == (asyncio.run(ask()))


def test_guessed_tokens_have_a_price(monkeypatch: pytest.MonkeyPatch) -> None:
    """Estimated tokens have a price."""

    async def ask() -> Usage:
        with ModelServer(lambda _: "x" * 4_000_000) as server:
            monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
            server.plan("untold")
            oracle = ProviderOracle("openai", "gpt-4o-mini", key=KEY)
            answer = await oracle.answer(make_request("a" * 4))
            await oracle.close()
            return answer.usage

    assert Usage(calls=1, input_tokens=1, output_tokens=10**6, cost=600_001) == (asyncio.run(ask()))


def test_a_stream_may_be_longer_than_an_answer_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream may be longer than a single response."""
    monkeypatch.setattr(bounded_http_client, "MOST_BYTES", 400)

    assert "heard: a" == _answer_plan("openai", "ok", lambda _: None).text

    monkeypatch.setattr(bounded_http_client, "MOST_STREAM_BYTES", 400)

    with pytest.raises(SdkBridgeError, match="more than 400 bytes"):
        _answer_plan("openai", "ok", lambda _: None)


def test_an_answer_is_asked_for_unpacked() -> None:
    """Requests ask for uncompressed answers."""
    assert "identity" == _ask_provider("openai", make_request("a")).headers["accept-encoding"]


def test_every_provider_of_the_table_can_be_opened() -> None:
    """One table lists the providers that can be opened, priced and tested."""
    assert list(PROVIDERS) == sorted(_MODEL_OPENERS) == sorted(MODELS)


@every
@pytest.mark.parametrize("plan", ["garbage", "bodiless", "torn", "blank"])
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_a_malformed_response_is_a_failure_on_the_way(name: str, plan: str, streamed: bool) -> None:
    """A malformed response is a recoverable connection error."""
    with pytest.raises(SdkConnectionError) as caught:
        _answer_plan(name, plan, (lambda _: None) if streamed else None)

    assert ("BRIDGE_CONNECTION", True) == (caught.value.code, caught.value.recoverable)
    assert "its response is malformed" in caught.value.message


@every
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_tools_are_offered_called_and_answered_natively(name: str, streamed: bool) -> None:
    """Tools are offered, called several at once, and answered in the provider's own format."""
    hear = _make_listener(streamed)
    calls = [{"name": "look", "arguments": {"at": each}} for each in ("key", "door")]
    replies = iter([json.dumps(calls), "I see both."])

    async def ask() -> tuple[OracleAnswer, OracleAnswer, list[str]]:
        with ModelServer(lambda _: next(replies)) as server:
            server.plan("call", "ok")
            oracle = make_provider_oracle(name, server)
            try:
                request = replace(make_request("a"), tools=(_LOOK,))
                called = await oracle.answer(request, hear)
                results = (
                    OracleMessage("tool", f"a {at} is here", call_id=call.id, tool=call.name)
                    for call, at in zip(called.calls, ("key", "door"), strict=True)
                )
                turn = OracleMessage("assistant", called.text, calls=called.calls)
                messages = (*request.messages, turn, *results)
                said = await oracle.answer(replace(request, messages=messages), hear)
            finally:
                await oracle.close()
            return called, said, [json.dumps(each.body) for each in server.heard]

    called, said, heard = asyncio.run(ask())

    assert [("look", {"at": "key"}), ("look", {"at": "door"})] == [
        (each.name, each.arguments) for each in called.calls
    ]
    assert 2 == len({each.id for each in called.calls})
    assert ("tool_call", "stop", "I see both.") == (called.finish, said.finish, said.text)
    assert '"look"' in heard[0]
    assert all(f"a {each} is here" in heard[1] for each in ("key", "door"))


@every
@pytest.mark.parametrize("plan", ["cut", "no_end"])
def test_a_stream_that_breaks_off_is_named_as_one(name: str, plan: str) -> None:
    """A stream that breaks off is reported as such, and can be retried."""
    with pytest.raises(SdkConnectionError) as caught:
        _answer_plan(name, plan, lambda _: None)

    assert ("BRIDGE_CONNECTION", True) == (caught.value.code, caught.value.recoverable)
    assert "broke off before its end" in caught.value.message


@every
def test_a_failed_connection_names_its_cause(name: str) -> None:
    """The message of a failed connection names its cause."""
    with pytest.raises(SdkConnectionError) as caught:
        _answer_plan(name, "drop")

    assert "Server disconnected without sending a response" in caught.value.message


@every
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_a_web_page_is_named_as_one(name: str, streamed: bool) -> None:
    """A web page as an answer is reported with the hint to check the address."""
    with pytest.raises(SdkConnectionError) as caught:
        _answer_plan(name, "page", (lambda _: None) if streamed else None)

    assert ("BRIDGE_CONNECTION", True) == (caught.value.code, caught.value.recoverable)
    assert "answers with a web page" in caught.value.message
    assert "address" in caught.value.hint


def test_a_malformed_response_is_asked_for_again() -> None:
    """A malformed response is retried, and the answer lists the failed attempts."""

    async def ask() -> OracleAnswer:
        with ModelServer() as server:
            server.plan("bodiless", "torn")
            asking = ModelSettings(use="openai-compatible:any", url=f"{server.url}/v1")
            oracle = open_oracle(asking, pause=CountedPause(), environment={})
            try:
                return await oracle.answer(make_request("a"))
            finally:
                await oracle.close()

    answer = asyncio.run(ask())

    assert "heard: a" == answer.text
    assert 2 == sum("its response is malformed" in each for each in answer.mended)


@every
def test_halves_of_letters_are_replaced(name: str) -> None:
    """Unpaired surrogates in an answer are replaced."""
    assert "a \ufffd key" == _answer_plan(name, "halves").text


def test_prices_are_known_for_known_models() -> None:
    """Prices are in millionths of a dollar, rounded up; an unknown model has none."""
    known = ProviderOracle("openai", "gpt-4o-mini", key=KEY)
    unknown = ProviderOracle("openai", "no-such-model", key=KEY)

    assert 750_000 == known.price(1_000_000, 1_000_000)
    assert 1 == known.price(1, 1)
    assert None is unknown.price(1, 1)
    assert None is ProviderOracle("ollama", "llama3").price(1, 1)


def test_no_model_is_asked_where_calls_are_forbidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where model calls are forbidden, no provider is called."""
    monkeypatch.setenv("SANIWA_MODEL_CALLS", "forbid")

    with pytest.raises(SdkBridgeError) as caught:
        _answer_plan("openai", "ok")

    assert "MODEL_CALLS_FORBIDDEN" == caught.value.code


def test_a_closed_oracle_answers_no_more() -> None:
    """A closed oracle refuses questions."""

    async def ask() -> str:
        with ModelServer() as server:
            oracle = make_provider_oracle("openai", server)
            await oracle.close()
            with pytest.raises(SdkBridgeError) as caught:
                await oracle.answer(make_request("a"))
            return caught.value.code

    assert "BRIDGE_REFUSED" == asyncio.run(ask())


def test_an_oracle_may_be_asked_from_one_loop_after_another() -> None:
    """An oracle can be used from one event loop after another."""
    with ModelServer() as server:
        oracle = make_provider_oracle("openai", server)
        said = [asyncio.run(oracle.answer(make_request("a"))).text for _ in range(3)]
        asyncio.run(oracle.close())

    assert ["heard: a"] * 3 == said


def test_a_cancelled_question_leaves_the_oracle_usable() -> None:
    """Cancelling a question does not affect the next one."""

    async def ask() -> str:
        with ModelServer() as server:
            oracle = make_provider_oracle("anthropic", server)
            server.plan("hold")
            task = asyncio.create_task(oracle.answer(make_request("a")))
            assert await asyncio.to_thread(server.arrived.wait, 10)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            answer = await oracle.answer(make_request("b"))
            await oracle.close()
            return answer.text

    assert "heard: b" == asyncio.run(ask())


def test_the_extra_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package, the error names the command that installs it."""
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)

    oracle = ProviderOracle("openai", "x")
    with pytest.raises(ConfigurationError) as caught:
        oracle.price(1, 1)
    with pytest.raises(ConfigurationError, match="EXTRA_MISSING"):
        oracle.find_unsent_settings()

    assert ("EXTRA_MISSING", "pip install 'saniwa[models]'") == (
        caught.value.code,
        caught.value.hint,
    )
