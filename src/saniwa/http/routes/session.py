"""The server and its caller: versions and permissions, signing in and out."""

from dataclasses import replace
from importlib.metadata import version

import msgspec

from saniwa.core.errors import ProcessError
from saniwa.core.text import quote_value
from saniwa.http.asgi import SCOPE_AUTHENTICATOR, Header
from saniwa.http.auth.authenticator import Authenticator
from saniwa.http.auth.caller import make_sign_in_error
from saniwa.http.contract import Operation, OperationAnswer, OperationCall
from saniwa.runs.timeline import LANGUAGES


class CallerView(msgspec.Struct, frozen=True, kw_only=True):
    """Who asks."""

    name: str
    """Their name; empty for a caller who did not sign in."""
    role: str
    """Their role at the gate."""
    person: bool
    """Whether a credential says that this is a person."""
    may: list[str]
    """What they may do: look, play, change."""
    signed_in: bool
    """Whether they have signed in."""


class AboutServer(msgspec.Struct, frozen=True, kw_only=True):
    """What answers here, and to whom."""

    version: str
    """The Saniwa version."""
    visitor: CallerView
    """Who asks."""
    languages: list[str]
    """The languages worlds are told in."""
    csrf: str
    """What a page says beside its badge when something is to change."""


class SignInRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A name and its secret, as `saniwa gate people` gave them."""

    name: str
    """The name."""
    secret: str
    """The secret."""


class ChangeSecretRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Another secret for the caller."""

    secret: str
    """The secret of now."""
    new_secret: str
    """The one from now on, of at least 12 characters."""


def _build_about(call: OperationCall) -> AboutServer:
    caller = call.caller
    return AboutServer(
        version=version("saniwa"),
        visitor=CallerView(
            name=caller.name,
            role=caller.visitor.role,
            person=caller.visitor.person,
            may=sorted(caller.permissions),
            signed_in=caller.by in ("badge", "token"),
        ),
        languages=sorted(LANGUAGES),
        csrf=caller.csrf,
    )


async def read_about(call: OperationCall) -> AboutServer:
    """What answers here, and to whom."""
    return _build_about(call)


async def sign_in(call: OperationCall) -> OperationAnswer:
    """Take a name and its secret, and give a badge."""
    authenticator: Authenticator = call.scope[SCOPE_AUTHENTICATOR]
    entered = await authenticator.sign_in(call.scope, call.body.name, call.body.secret)
    return OperationAnswer(
        body=_build_about(replace(call, caller=entered.caller)),
        headers=(_decode_header(entered.cookie),),
    )


async def sign_out(call: OperationCall) -> OperationAnswer:
    """Take the badge back."""
    authenticator: Authenticator = call.scope[SCOPE_AUTHENTICATOR]
    return OperationAnswer(headers=(_decode_header(await authenticator.sign_out(call.scope)),))


async def sign_out_everywhere(call: OperationCall) -> OperationAnswer:
    """Let no badge count that the caller was given until now."""
    _check_person(call)
    authenticator: Authenticator = call.scope[SCOPE_AUTHENTICATOR]
    cookie = await authenticator.sign_out_everywhere(call.caller.name)
    return OperationAnswer(headers=(_decode_header(cookie),))


async def change_secret(call: OperationCall) -> OperationAnswer:
    """Give the caller another secret, and a badge that goes with it."""
    _check_person(call)
    authenticator: Authenticator = call.scope[SCOPE_AUTHENTICATOR]
    body: ChangeSecretRequest = call.body
    entered = await authenticator.change_secret(
        call.scope, call.caller.name, body.secret, body.new_secret
    )
    return OperationAnswer(
        body=_build_about(replace(call, caller=entered.caller)),
        headers=(_decode_header(entered.cookie),),
    )


def _check_person(call: OperationCall) -> None:
    if not call.caller.name:
        raise make_sign_in_error("nobody has signed in")
    if not call.caller.visitor.person:
        raise ProcessError(
            "FORBIDDEN",
            f"{quote_value(call.caller.name)} has the role 'agent', and this is for people",
            hint="let a person remove this name and add it again",
        )


def _decode_header(given: Header) -> tuple[str, str]:
    name, value = given
    return name.decode("latin-1"), value.decode("latin-1")


SESSION_OPERATIONS = (
    Operation(
        name="readAbout",
        method="GET",
        path="/",
        summary="What answers here, and to whom",
        run=read_about,
        answers=AboutServer,
        needs=None,
    ),
    Operation(
        name="signIn",
        method="POST",
        path="/sign-in",
        summary="Show a name and its secret, and get a badge",
        run=sign_in,
        takes=SignInRequest,
        answers=AboutServer,
        needs=None,
        codes=("CREDENTIAL_REFUSED", "TOO_MANY_REQUESTS"),
        example={"name": "mika", "secret": "correct-horse-battery"},
    ),
    Operation(
        name="signOut",
        method="POST",
        path="/sign-out",
        summary="Give the badge back",
        run=sign_out,
        answers=None,
        needs=None,
        status=204,
    ),
    Operation(
        name="signOutEverywhere",
        method="POST",
        path="/sign-out/everywhere",
        summary="Let no badge count that the caller was given until now",
        run=sign_out_everywhere,
        answers=None,
        needs=None,
        status=204,
        codes=("FORBIDDEN",),
    ),
    Operation(
        name="changeSecret",
        method="POST",
        path="/secret",
        summary="Give the caller another secret; every badge so far ends",
        run=change_secret,
        takes=ChangeSecretRequest,
        answers=AboutServer,
        needs=None,
        codes=("CREDENTIAL_REFUSED", "FORBIDDEN", "PERSON_UNUSABLE", "TOO_MANY_REQUESTS"),
        example={"secret": "correct-horse-battery", "new_secret": "a garden full of herons"},
    ),
)
