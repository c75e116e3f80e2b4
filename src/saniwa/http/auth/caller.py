"""Who asks, and what they may do."""

from dataclasses import dataclass, field
from typing import Final, Literal

from saniwa.app.gate.access import AGENT_ROLE
from saniwa.core.errors import ProcessError
from saniwa.http.asgi import Header
from saniwa.process.permissions import Visitor
from saniwa.store.gate.people import GatePerson

Permission = Literal["look", "play", "change"]
"""What an operation needs: reading; playing and sending events; rules, files and tables."""
AuthenticationMethod = Literal["badge", "token", "nearness", "nothing"]
"""What somebody is known by."""

_ALL_PERMISSIONS: Final = frozenset[Permission]({"look", "play", "change"})
_AGENT_PERMISSIONS: Final = frozenset[Permission]({"look", "play"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Whoever asks."""

    visitor: Visitor
    """As the gate knows them."""
    by: AuthenticationMethod
    """What they are known by."""
    person: GatePerson | None = field(default=None, repr=False)
    """What is kept of a person, who can sign decisions; None for an agent."""
    csrf: str = field(default="", repr=False)
    """What must be said beside the badge when something is to change."""
    renewal: Header | None = field(default=None, repr=False)
    """The header that renews their badge, where it is time for that."""
    stale: bool = False
    """Whether a badge was shown that counts no longer."""

    @property
    def name(self) -> str:
        """Their name; empty for whoever did not sign in."""
        return self.visitor.name

    @property
    def permissions(self) -> frozenset[Permission]:
        """Everything they may do. Who comes from this machine may do it all but decide."""
        if self.by == "nothing":
            return frozenset()
        if self.by == "nearness" or self.visitor.role != AGENT_ROLE:
            return _ALL_PERMISSIONS
        return _AGENT_PERMISSIONS


ANONYMOUS_CALLER: Final = Caller(visitor=Visitor(AGENT_ROLE), by="nothing")
"""Somebody from elsewhere who did not sign in."""
LOCAL_CALLER: Final = Caller(visitor=Visitor(AGENT_ROLE), by="nearness")
"""Somebody at this machine who did not sign in; to the gate an agent."""


def make_caller(
    person: GatePerson,
    by: AuthenticationMethod,
    csrf: str = "",
    renewal: Header | None = None,
) -> Caller:
    """Somebody with a credential. An agent's makes nobody a person, and signs nothing."""
    human = person.role != AGENT_ROLE
    visitor = Visitor(person.role, person=human, name=person.name)
    known = person if human else None
    return Caller(visitor=visitor, by=by, person=known, csrf=csrf, renewal=renewal)


def check_permission(caller: Caller, need: Permission) -> None:
    """Go on if whoever asks may do this.

    Raises:
        ProcessError: `SIGN_IN_NEEDED` where signing in would help, else `FORBIDDEN`.
    """
    if need in caller.permissions:
        return
    if caller.by == "nothing":
        raise make_sign_in_error("nobody has signed in")
    raise ProcessError(
        "FORBIDDEN",
        f"the role {caller.visitor.role!r} may look and play, and change nothing else",
        hint="sign in as a person; who may: saniwa gate people list",
        details={"needs": need},
    )


def make_sign_in_error(why: str) -> ProcessError:
    """The error for whoever has to say first who they are."""
    return ProcessError(
        "SIGN_IN_NEEDED",
        f"this is for people who are known here, and {why}",
        hint="sign in, or send 'Authorization: Bearer NAME:SECRET'",
    )
