"""Asks the person in front of a client before a decision is made in that person's name.

Only clients that can ask are asked to (elicitation); with others, a decision needs the
digest of a review, as always.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import mcp_types as wire
from mcp.server.context import ServerRequestContext
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from saniwa.core.errors import ProtocolError

_KEY = "decision"
_SCHEMA = {
    "type": "object",
    "properties": {
        "agreed": {
            "type": "boolean",
            "title": "Decide so",
            "description": "Whether the decision is made, in your name.",
        },
        "reason": {"type": "string", "title": "Reason", "description": "Why; kept in the record."},
    },
    "required": ["agreed"],
}


class Confirmation(NamedTuple):
    """What a person is asked before a decision."""

    message: str
    """What was handed in, and the decision."""
    digest: str
    """The digest of what the message shows."""
    make: Callable[[str, str], Any]
    """Returns the arguments of the decision, from its digest and the person's reason."""


_Context = ServerRequestContext[Any, Any]


def can_ask(context: _Context) -> bool:
    """Whether the client can ask its user with a form."""
    able = context.session.client_capabilities
    if able is None or able.elicitation is None:
        return False
    # A client of before 2025-11-25 names no mode, and has forms.
    return able.elicitation.form is not None or able.elicitation.url is None


async def ask_person(
    context: _Context, asked: wire.CallToolRequestParams, confirmation: Confirmation
) -> Any | wire.InputRequiredResult:
    """Return the arguments of the decision, or the request that the client has to answer.

    Raises:
        ProtocolError: `DECISION_DECLINED`.
    """
    if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        answer = await context.session.elicit_form(
            confirmation.message, _SCHEMA, related_request_id=context.request_id
        )
        return _read_answer(answer, confirmation, confirmation.digest)
    given = (asked.input_responses or {}).get(_KEY)
    if given is None:
        form = wire.ElicitRequestFormParams(message=confirmation.message, requested_schema=_SCHEMA)
        return wire.InputRequiredResult(
            input_requests={_KEY: wire.ElicitRequest(params=form)},
            request_state=confirmation.digest,
        )
    # The digest of what was shown; the gate refuses it if anything has changed since.
    return _read_answer(given, confirmation, asked.request_state or "")


def _read_answer(answer: object, confirmation: Confirmation, digest: str) -> Any:
    if isinstance(answer, wire.ElicitResult) and answer.action == "accept":
        content = answer.content or {}
        if content.get("agreed") is True:
            return confirmation.make(digest, str(content.get("reason") or ""))
    raise ProtocolError(
        "DECISION_DECLINED",
        "the person who was asked did not make this decision",
        hint="leave it to them; asking again does not help",
    )
