"""The server and its caller: versions and permissions, signing in and out."""

from importlib.metadata import version

import msgspec

from saniwa.app.caller import Caller, make_sign_in_error
from saniwa.app.operations.operation import OperationAnswer, OperationCall, define
from saniwa.core.errors import ProcessError
from saniwa.core.text import quote_value
from saniwa.http.authenticator import Authenticator, SignInResult
from saniwa.http.request_scope import SCOPE_AUTHENTICATOR
from saniwa.http.responses import Header
from saniwa.runs.timeline import LANGUAGES


class CallerView(msgspec.Struct, frozen=True, kw_only=True):
    """The caller: name, role and permissions."""

    name: str
    """The caller's name; empty if the caller did not sign in."""
    role: str
    """The caller's role at the gate."""
    person: bool
    """Whether the credential identifies a person."""
    may: list[str]
    """The caller's permissions: look, play, change."""
    signed_in: bool
    """Whether the caller has signed in."""


class AboutServer(msgspec.Struct, frozen=True, kw_only=True):
    """The server's features and the caller."""

    version: str
    """The Saniwa version."""
    visitor: CallerView
    """The caller."""
    languages: list[str]
    """The languages of narration."""
    csrf: str
    """The token that a browser must send with every change, in addition to its session cookie."""


class SignInRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A name and its secret, as issued by `saniwa gate people`."""

    name: str
    """The name."""
    secret: str
    """The secret."""


class ChangeSecretRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A new secret for the caller."""

    secret: str
    """The current secret."""
    new_secret: str
    """The new secret, of at least 12 characters."""


def _build_about(caller: Caller) -> AboutServer:
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


@define("GET /", needs=None)
async def read_about(call: OperationCall) -> AboutServer:
    """Describe the server and the caller."""
    return _build_about(call.caller)


@define("POST /sign-in", "CREDENTIAL_REFUSED TOO_MANY_REQUESTS", needs=None)
async def sign_in(call: OperationCall, body: SignInRequest) -> OperationAnswer[AboutServer]:
    """Sign in with name and secret; sets a session cookie."""
    entered = await _get_authenticator(call).sign_in(call.scope, body.name, body.secret)
    return _answer_sign_in(entered)


def _get_authenticator(call: OperationCall) -> Authenticator:
    authenticator: Authenticator = call.scope[SCOPE_AUTHENTICATOR]
    return authenticator


def _answer_sign_in(entered: SignInResult) -> OperationAnswer[AboutServer]:
    return OperationAnswer(
        body=_build_about(entered.caller), headers=(_decode_header(entered.cookie),)
    )


@define("POST /sign-out", needs=None)
async def sign_out(call: OperationCall) -> OperationAnswer[None]:
    """Sign out."""
    cookie = await _get_authenticator(call).sign_out(call.scope)
    return OperationAnswer(headers=(_decode_header(cookie),))


@define("POST /sign-out/everywhere", "FORBIDDEN", needs=None)
async def sign_out_everywhere(call: OperationCall) -> OperationAnswer[None]:
    """Sign out everywhere: end all sessions of the caller."""
    _check_person(call)
    cookie = await _get_authenticator(call).sign_out_everywhere(call.caller.name)
    return OperationAnswer(headers=(_decode_header(cookie),))


@define(
    "POST /secret", "CREDENTIAL_REFUSED FORBIDDEN PERSON_UNUSABLE TOO_MANY_REQUESTS", needs=None
)
async def change_secret(
    call: OperationCall, body: ChangeSecretRequest
) -> OperationAnswer[AboutServer]:
    """Change the caller's secret; ends all other sessions."""
    _check_person(call)
    change, name = _get_authenticator(call).change_secret, call.caller.name
    return _answer_sign_in(await change(call.scope, name, body.secret, body.new_secret))


def _check_person(call: OperationCall) -> None:
    if not call.caller.name:
        raise make_sign_in_error("no user has signed in")
    if not call.caller.visitor.person:
        raise ProcessError(
            "FORBIDDEN",
            f"{quote_value(call.caller.name)} has the role 'agent', and only people can do this",
            hint="ask a person to remove this name and add it again",
        )


def _decode_header(given: Header) -> tuple[str, str]:
    name, value = given
    return name.decode("latin-1"), value.decode("latin-1")
