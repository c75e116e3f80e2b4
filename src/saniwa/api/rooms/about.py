"""Who asks, what is here, and coming and going."""

from dataclasses import replace
from importlib.metadata import version

import msgspec

from saniwa.api.guard.asgi import RECEPTION, Header
from saniwa.api.guard.badges.reception import Reception
from saniwa.api.operation import Answer, Call, Operation
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
)
