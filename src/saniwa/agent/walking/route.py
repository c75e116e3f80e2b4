"""Which way leads out of a gateway: the first route that fits what is known."""

from collections.abc import Mapping
from typing import Any

import msgspec

from saniwa.agent.flow import AgentStep, Route
from saniwa.core.errors import LoopError
from saniwa.core.quoted import quoted


def route_of(step: AgentStep, known: Mapping[str, Any]) -> str:
    """The step the gateway leads to; empty for the flow's end.

    Raises:
        LoopError: `ROUTE_MISSING` if no route fits.
    """
    for route in step.routes:
        if _fits(route, known):
            return "" if route.complete else route.next
    if step.next or step.complete:
        return "" if step.complete else step.next
    asked = sorted({route.variable for route in step.routes if route.variable})
    raise LoopError(
        "ROUTE_MISSING",
        f"no way out of gateway {step.id!r} fits",
        hint="end its routes with one that asks nothing",
        details={
            "step": step.id,
            "asked": {n: quoted(known[n]) if n in known else None for n in asked},
        },
    )


def _fits(route: Route, known: Mapping[str, Any]) -> bool:
    if not route.variable:
        return True
    if route.variable not in known:
        return False
    value = known[route.variable]
    if route.contains:
        return isinstance(value, str) and route.contains in value
    if route.equals is msgspec.UNSET:
        return True
    # Variables are texts: 3 and "3", true and "true" mean the same to an author.
    return bool(value == route.equals) or as_text(value) == as_text(route.equals)


def as_text(value: Any) -> str:
    """A value as a variable holds it: texts as they are, the rest as JSON."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
