"""Spans for OpenTelemetry, if the program that runs this has set it up; else nothing.

The library is never imported here: a program that wants spans has imported it. Names are
those of OpenTelemetry's conventions for generative AI where these have one. No text of a
prompt, an answer, an argument or evidence is in a span.
"""

import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any, Final, Literal, Self

_API: Final = "opentelemetry.trace"
_SCOPE: Final = "saniwa"
SpanKindName = Literal["INTERNAL", "CLIENT"]
"""Whether something is done here, or by another program that is asked."""
_chosen: list[Any] = []


def use_tracer(tracer: Any) -> None:
    """Send spans to a tracer; None for that of the program, if it has one."""
    _chosen[:] = [] if tracer is None else [tracer]


class TracedOperation:
    """An operation that is a span while it runs, if anything collects spans."""

    __slots__ = ("_attributes", "_entered", "_kind", "_name", "_span")

    def __init__(
        self, name: str, attributes: dict[str, Any], kind: SpanKindName = "INTERNAL"
    ) -> None:
        """Name an operation; it begins with the `with` block."""
        self._name = name
        self._attributes = attributes
        self._kind = kind
        self._entered: Any = None
        self._span: Any = None

    def __enter__(self) -> Self:
        # Almost always nothing collects spans, and the question alone takes time.
        tracer = _find_tracer() if _chosen or _API in sys.modules else None
        if tracer is not None:
            kinds = sys.modules[_API].SpanKind
            self._entered = tracer.start_as_current_span(
                self._name,
                kind=kinds[self._kind],
                attributes=self._attributes,
                # An error's message may quote what a user wrote.
                record_exception=False,
                set_status_on_exception=False,
            )
            self._span = self._entered.__enter__()
        return self

    def note(self, describe: Callable[..., dict[str, Any]], *about: Any, name: str = "") -> None:
        """Add what is known by now, described only if it is collected, and a better name."""
        if self._span is not None:
            self._span.set_attributes(describe(*about))
            if name:
                self._span.update_name(name)

    def fail(self, error: str) -> None:
        """Mark the operation as failed, with the kind of error."""
        if self._span is not None:
            self._span.set_attribute("error.type", error)
            self._span.set_status(sys.modules[_API].StatusCode.ERROR)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._entered is not None:
            if kind is not None:
                self.fail(str(getattr(problem, "code", kind.__name__)))
            self._entered.__exit__(kind, problem, trace)


def _find_tracer() -> Any:
    if _chosen:
        return _chosen[0]
    api: Any = sys.modules[_API]
    provider = api.get_tracer_provider()
    # Without a provider of the program's own, spans would go nowhere.
    idle = isinstance(provider, (api.ProxyTracerProvider, api.NoOpTracerProvider))
    return None if idle else api.get_tracer(_SCOPE)
