"""Where a run stands at its gate, in words for a worker's prompt.

The same standing gives the same words: no clock, no ids, everything in order. What
people and earlier agents wrote is quoted, so that it stays one line of the prompt.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

from saniwa.agent.quotation import quote_lines
from saniwa.core.quoted import cut
from saniwa.process.weighing.view import RunState, Sendable

LONGEST = 2_000
"""Letters of one text that somebody else wrote."""
MOST = 50
"""Lines of one list."""


class EvidenceText(NamedTuple):
    """A piece of evidence that was accepted."""

    place: str
    """How the log names it."""
    text: str | None
    """What it says; None where it is not shown."""


def told(
    state: RunState,
    events: tuple[Sendable, ...],
    evidence: tuple[EvidenceText, ...] = (),
) -> dict[str, str]:
    """Variables for a worker's prompt."""
    return {
        "process": state.process_id,
        "state": state.current_state,
        "state_prompt": cut(state.current_state_prompt, 4 * LONGEST),
        "missing": _lines(
            f"{lack.guard_name or 'evidence'}: {lack.description} ({lack.current_status})"
            for lack in state.missing_guards
        ),
        "required": _lines(
            f"{each.type}: {each.status}" for each in state.required_artifacts
        ),
        "events": _lines(_event(event) for event in events if event.is_allowed),
        "handed_in": _evidence(evidence),
        "variables": one_line(_json(state.context)),
        "last_decision": _decision(state),
    }


def facts_of(state: RunState) -> dict[str, Any]:
    """What an external-state completion may ask for."""
    return {
        "state": state.current_state,
        "is_final": state.is_final,
        "revision": state.revision,
        "process": state.process_id,
        "variables": state.context,
    }


def waits(state: RunState, events: tuple[Sendable, ...]) -> str:
    """Why only somebody else can go on; empty where the worker can do something.

    A worker waits where none of its events leads out of the state, and those of others
    lack nothing it could bring.
    """
    if state.is_final:
        return f"the run has ended in {state.current_state!r}"
    mine = [event for event in events if event.is_allowed]
    if any(_leaves(event, state.current_state) for event in mine):
        return ""
    others = [
        event
        for event in events
        if not event.is_allowed and _leaves(event, state.current_state)
    ]
    lacking = any(
        way.guard_status == "unsatisfied" for each in others for way in each.transitions
    )
    if mine and (lacking or not others):
        return ""
    who = sorted({role for event in others for role in event.who_may})
    names = ", ".join(sorted(event.event_name for event in others))
    if not others:
        return f"nothing this agent may send leads out of {state.current_state!r}"
    return (
        f"{' or '.join(who) or 'somebody'} must act in {state.current_state!r}: {names}"
    )


def one_line(text: str) -> str:
    """The text as one line; long ones are cut, and say so."""
    return cut(" ".join(text.split()), LONGEST)


def _leaves(event: Sendable, state: str) -> bool:
    return any(way.to_state != state for way in event.transitions)


def _event(event: Sendable) -> str:
    parts = [event.event_name]
    if event.description:
        parts.append(f"— {one_line(event.description)}")
    if event.payload_schema is not None:
        parts.append(f"payload schema: {one_line(_json(event.payload_schema))}")
    if event.blocked_reason:
        parts.append(f"(still missing: {one_line(event.blocked_reason)})")
    return " ".join(parts)


def _decision(state: RunState) -> str:
    decision = state.last_decision
    if decision is None:
        return ""
    said = f": {one_line(decision.reason)!r}" if decision.reason else ""
    return f"{decision.event} by a {decision.role}{said}"


def _evidence(evidence: tuple[EvidenceText, ...]) -> str:
    """The list of evidence, each piece with what it says as a quotation."""
    if not evidence:
        return "- nothing"
    lines = []
    for piece in evidence[:MOST]:
        lines.append(f"- {one_line(piece.place)}")
        if piece.text:
            lines.append(quote_lines(piece.text, LONGEST))
    rest = len(evidence) - MOST
    return "\n".join(lines + ([f"- and {rest} more"] if rest > 0 else []))


def _lines(items: Iterable[str]) -> str:
    every = [f"- {one_line(item)}" for item in items]
    rest = len(every) - MOST
    shown = every[:MOST] + ([f"- and {rest} more"] if rest > 0 else [])
    return "\n".join(shown) or "- nothing"


def _json(value: Any) -> str:
    return msgspec.json.encode(value, order="deterministic").decode()
