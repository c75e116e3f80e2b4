import asyncio
from collections.abc import Iterator

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from saniwa.app.run_service import RunService
from saniwa.core.errors import RunError
from saniwa.core.tracing import TracedOperation, use_tracer


@pytest.fixture
def memory_exporter() -> Iterator[InMemorySpanExporter]:
    """An exporter of spans, as a program would install it."""
    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    use_tracer(provider.get_tracer("test"))
    yield kept
    use_tracer(None)


def test_without_a_tracer_an_operation_does_nothing() -> None:
    """Without a tracer, notes and failures have no effect."""
    with TracedOperation("a", {"b": 1}) as span:
        span.note(dict, {"c": 2}, name="d")
        span.fail("e")


def test_an_operation_is_a_span_with_what_was_noted(memory_exporter: InMemorySpanExporter) -> None:
    """An operation is a span with its notes; an inner operation is its child."""
    with TracedOperation("outer", {"a": 1}), TracedOperation("inner", {}, "CLIENT") as inner:
        inner.note(dict, {"b": [1, 2]}, name="better")
    first, second = memory_exporter.get_finished_spans()

    assert (("better", {"b": (1, 2)}, "CLIENT"), ("outer", {"a": 1})) == (
        (first.name, dict(first.attributes or {}), first.kind.name),
        (second.name, dict(second.attributes or {})),
    )
    assert first.parent is not None
    assert second.context is not None
    assert second.context.span_id == first.parent.span_id


@pytest.mark.parametrize(
    ("problem", "kind"), [(KeyError("secret"), "KeyError"), (RunError("X_Y", "secret"), "X_Y")]
)
def test_an_error_is_reported_by_its_kind_alone(
    memory_exporter: InMemorySpanExporter, problem: Exception, kind: str
) -> None:
    """The span of a failed operation has the kind of the error, not its message."""
    with pytest.raises(type(problem)), TracedOperation("a", {}):
        raise problem
    (span,) = memory_exporter.get_finished_spans()

    assert {"error.type": kind} == dict(span.attributes or {})
    assert StatusCode.ERROR is span.status.status_code
    assert "secret" not in span.to_json()


def test_a_turn_of_a_world_is_a_span(memory_exporter: InMemorySpanExporter) -> None:
    """The span of a turn has numbers, and none of the words."""

    async def play() -> str:
        service = RunService("memory:")
        run = service.begin("door_and_key")
        await run.say("take the brass key")
        return str(run.id)

    run_id = asyncio.run(play())
    (span,) = [each for each in memory_exporter.get_finished_spans() if each.name == "turn"]

    assert span.attributes is not None
    assert 1 == span.attributes["saniwa.turn.actions"]
    assert "brass" not in span.to_json()
    assert run_id not in span.to_json()
