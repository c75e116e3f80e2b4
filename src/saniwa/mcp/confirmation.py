"""Asks the person in front of a client before a decision is made in that person's name.

Only clients that can ask are asked to (elicitation); with others, the arguments of the call
decide: an event at the gate with the digest of a review, as always.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import mcp_types as wire
from mcp.server.context import ServerRequestContext
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from saniwa.core.errors import ProtocolError

_KEY = "decision"


class Confirmation(NamedTuple):
    """What a person is asked before a decision."""

    message: str
    """What is decided on."""
    form: dict[str, Any]
    """The fields of the form by name; each is a JSON Schema. The first is required."""
    digest: str
    """The digest of what the message shows."""
    make: Callable[[str, Mapping[str, Any]], Any]
    """Returns the arguments of the decision, from its digest and the form that was sent.

    None if the person did not agree.
    """

    @property
    def schema(self) -> dict[str, Any]:
        """The form as a JSON Schema."""
        return {"type": "object", "properties": self.form, "required": [next(iter(self.form))]}


def make_reason_field(description: str) -> dict[str, Any]:
    """Return the field of a form for a person's reason."""
    return {"type": "string", "title": "Reason", "description": description}


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
            confirmation.message, confirmation.schema, related_request_id=context.request_id
        )
        return _read_answer(answer, confirmation, confirmation.digest)
    given = (asked.input_responses or {}).get(_KEY)
    if given is None:
        form = wire.ElicitRequestFormParams(
            message=confirmation.message, requested_schema=confirmation.schema
        )
        return wire.InputRequiredResult(
            input_requests={_KEY: wire.ElicitRequest(params=form)},
            request_state=confirmation.digest,
        )
    # The digest of what was shown: it is refused if anything has changed since.
    return _read_answer(given, confirmation, asked.request_state or "")


def _read_answer(answer: object, confirmation: Confirmation, digest: str) -> Any:
    if isinstance(answer, wire.ElicitResult) and answer.action == "accept":
        arguments = confirmation.make(digest, answer.content or {})
        if arguments is not None:
            return arguments
    raise ProtocolError(
        "DECISION_DECLINED",
        "the person did not confirm this decision",
        hint="do not ask again; the person can decide later",
    )
