"""The caller of a request, and what the caller may do."""

from dataclasses import dataclass, field
from typing import Final, Literal

from saniwa.app import describe
from saniwa.app.gate.gate_opening import AGENT_ROLE
from saniwa.core.errors import ProcessError
from saniwa.process.submission import Visitor
from saniwa.store.gate.people import GatePerson

Permission = Literal["look", "play", "change"]
"""What an operation needs.

`look` is reading; `play` is playing and sending events; `change` is changing rules,
files and tables.
"""
AuthenticationMethod = Literal["badge", "token", "nearness", "nothing"]
"""How a caller was identified."""

_ALL_PERMISSIONS: Final = frozenset[Permission]({"look", "play", "change"})
_AGENT_PERMISSIONS: Final = frozenset[Permission]({"look", "play"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """The sender of a request."""

    visitor: Visitor
    """The caller as a visitor of the gate."""
    by: AuthenticationMethod
    """How the caller was identified."""
    person: GatePerson | None = field(default=None, repr=False)
    """The record of a person, who can sign decisions; None for an agent."""
    csrf: str = field(default="", repr=False)
    """The CSRF token that a change needs besides the session token."""
    renewal: tuple[bytes, bytes] | None = field(default=None, repr=False)
    """The header that renews the session token, if it is due."""
    stale: bool = False
    """Whether the request had a session token that is no longer valid."""
    name: str = field(init=False)
    """The caller's name; empty for one who did not sign in."""
    permissions: frozenset[Permission] = field(init=False)
    """Everything the caller may do.

    A local caller may do everything except decide at a gate.
    """

    def __post_init__(self) -> None:
        # The dataclass is frozen; every layer reads both, so they are computed once.
        object.__setattr__(self, "name", self.visitor.name)
        object.__setattr__(self, "permissions", _find_permissions(self.visitor, self.by))


def _find_permissions(visitor: Visitor, by: AuthenticationMethod) -> frozenset[Permission]:
    if by == "nothing":
        return frozenset()
    agent = by != "nearness" and visitor.role == AGENT_ROLE
    return _AGENT_PERMISSIONS if agent else _ALL_PERMISSIONS


ANONYMOUS_CALLER: Final = Caller(visitor=Visitor(AGENT_ROLE), by="nothing")
"""A remote caller who did not sign in."""
LOCAL_CALLER: Final = Caller(visitor=Visitor(AGENT_ROLE), by="nearness")
"""A caller on this machine who did not sign in; an agent to the gate."""


def make_caller(
    person: GatePerson,
    by: AuthenticationMethod,
    csrf: str = "",
    renewal: tuple[bytes, bytes] | None = None,
) -> Caller:
    """Return the caller with a credential; an agent is no person, and cannot sign."""
    human = person.role != AGENT_ROLE
    visitor = Visitor(person.role, person=human, name=person.name)
    known = person if human else None
    return Caller(visitor=visitor, by=by, person=known, csrf=csrf, renewal=renewal)


def check_permission(caller: Caller, need: Permission) -> None:
    """Return if the caller has a permission.

    Raises:
        ProcessError: `SIGN_IN_NEEDED` if signing in would help, else `FORBIDDEN`.
    """
    if need in caller.permissions:
        return
    if caller.by == "nothing":
        raise make_sign_in_error("no user has signed in")
    raise describe("FORBIDDEN", needs=need, role=caller.visitor.role).to_error(ProcessError)


def make_sign_in_error(why: str) -> ProcessError:
    """Return the error for a caller who must sign in first."""
    return describe("SIGN_IN_NEEDED", why=why).to_error(ProcessError)
