"""Who asks, what is here, and coming and going."""

from dataclasses import replace
from importlib.metadata import version

import msgspec

from saniwa.api.guard.asgi import RECEPTION, Header
from saniwa.api.guard.badges.reception import Reception
from saniwa.api.guard.caller import sign_in_needed
from saniwa.api.operation import Answer, Call, Operation
from saniwa.core.errors import ProcessError
from saniwa.core.quoted import quoted
from saniwa.run.opening import LANGUAGES


class Visiting(msgspec.Struct, frozen=True, kw_only=True):
    """Who asks."""

    name: str
    """Their name; empty for whoever did not sign in."""
    role: str
    """Their role at the gate."""
    person: bool
    """Whether a credential says that this is a person."""
    may: list[str]
    """What they may do: look, play, change."""
    signed_in: bool
    """Whether they have signed in."""


class About(msgspec.Struct, frozen=True, kw_only=True):
    """What answers here, and to whom."""

    version: str
    """The Saniwa version."""
    visitor: Visiting
    """Who asks."""
    languages: list[str]
    """The languages worlds are told in."""
    csrf: str
    """What a page says beside its badge when something is to change."""


class Credential(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A name and its secret, as `saniwa gate people` gave them."""

    name: str
    """The name."""
    secret: str
    """The secret."""


class SecretChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Another secret for whoever asks."""

    secret: str
    """The secret of now."""
    new_secret: str
    """The one from now on, of at least 12 characters."""


def _about(call: Call) -> About:
    caller = call.caller
    return About(
        version=version("saniwa"),
        visitor=Visiting(
            name=caller.name,
            role=caller.visitor.role,
            person=caller.visitor.person,
            may=sorted(caller.may),
            signed_in=caller.by in ("badge", "token"),
        ),
        languages=sorted(LANGUAGES),
        csrf=caller.csrf,
    )


async def about(call: Call) -> About:
    """What answers here, and to whom."""
    return _about(call)


async def sign_in(call: Call) -> Answer:
    """Take a name and its secret, and give a badge."""
    reception: Reception = call.scope[RECEPTION]
    entered = await reception.sign_in(call.scope, call.body.name, call.body.secret)
    return Answer(
        body=_about(replace(call, caller=entered.caller)),
        headers=(_header(entered.cookie),),
    )


async def sign_out(call: Call) -> Answer:
    """Take the badge back."""
    reception: Reception = call.scope[RECEPTION]
    return Answer(headers=(_header(await reception.sign_out(call.scope)),))


async def sign_out_everywhere(call: Call) -> Answer:
    """Let no badge count that the caller was given until now."""
    _check_person(call)
    reception: Reception = call.scope[RECEPTION]
    cookie = await reception.sign_out_everywhere(call.caller.name)
    return Answer(headers=(_header(cookie),))


async def change_secret(call: Call) -> Answer:
    """Give the caller another secret, and a badge that goes with it."""
    _check_person(call)
    reception: Reception = call.scope[RECEPTION]
    body: SecretChange = call.body
    entered = await reception.change_secret(
        call.scope, call.caller.name, body.secret, body.new_secret
    )
    return Answer(
        body=_about(replace(call, caller=entered.caller)),
        headers=(_header(entered.cookie),),
    )


def _check_person(call: Call) -> None:
    if not call.caller.name:
        raise sign_in_needed("nobody has signed in")
    if not call.caller.visitor.person:
        raise ProcessError(
            "FORBIDDEN",
            f"{quoted(call.caller.name)} has the role 'agent', and this is for people",
            hint="let a person remove this name and add it again",
        )


def _header(given: Header) -> tuple[str, str]:
    name, value = given
    return name.decode("latin-1"), value.decode("latin-1")


OPERATIONS = (
    Operation(
        name="readAbout",
        method="GET",
        path="/",
        summary="What answers here, and to whom",
        run=about,
        answers=About,
        needs=None,
    ),
    Operation(
        name="signIn",
        method="POST",
        path="/sign-in",
        summary="Show a name and its secret, and get a badge",
        run=sign_in,
        takes=Credential,
        answers=About,
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
        takes=SecretChange,
        answers=About,
        needs=None,
        codes=(
            "CREDENTIAL_REFUSED",
            "FORBIDDEN",
            "PERSON_UNUSABLE",
            "TOO_MANY_REQUESTS",
        ),
        example={
            "secret": "correct-horse-battery",
            "new_secret": "a garden full of herons",
        },
    ),
)
