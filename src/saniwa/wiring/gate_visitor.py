"""Who stands at a gate's door: a person with a credential, or an agent."""

import os
from typing import TYPE_CHECKING

from saniwa.core.errors import ProcessError
from saniwa.core.quoted import quoted
from saniwa.process.definition import PEOPLE
from saniwa.process.visitor import Visitor
from saniwa.wiring.gate_places import GatePlaces

if TYPE_CHECKING:
    from saniwa.store.gate.people.file import Person
    from saniwa.store.gate.people.people import People

AGENT = "agent"
"""The role of a door for which nobody named one."""


def person_at(
    places: GatePlaces, role: str | None, credential: str | None
) -> "Person | None":
    """The person whose credential it is; None for an agent.

    Raises:
        ProcessError: `ROLE_NEEDS_CREDENTIAL`, `ROLE_DIFFERS`, `CREDENTIAL_REFUSED`.
        StoreError: `STORE_UNREADABLE`.
    """
    credential = credential or os.environ.get("STATE_GATE_CREDENTIAL")
    role = _role(role)
    if not credential:
        if role in PEOPLE:
            raise _needs_credential(role)
        return None
    person = people_at(places).known(credential)
    if role and role != person.role:
        raise _differs(role, person)
    return person


def visitor_of(role: str | None, person: "Person | None") -> Visitor:
    """The visitor that is this person; without one, an agent in its role."""
    if person is None:
        return Visitor(_role(role) or AGENT)
    return Visitor(person.role, person=True, name=person.name)


def _role(said: str | None) -> str:
    return said or os.environ.get("STATE_GATE_ROLE") or ""


def people_at(places: GatePlaces) -> "People":
    """Those who may come as people."""
    from saniwa.store.gate.people.people import People

    return People(places.people)


def _needs_credential(role: str) -> ProcessError:
    return ProcessError(
        "ROLE_NEEDS_CREDENTIAL",
        f"only a person may have the role {quoted(role)}, and this door is an agent's",
        hint="come with a credential: $STATE_GATE_CREDENTIAL or --credential-file",
        details={"role": role},
    )


def _differs(role: str, person: "Person") -> ProcessError:
    return ProcessError(
        "ROLE_DIFFERS",
        f"{quoted(person.name)} has the role {quoted(person.role)}, not {quoted(role)}",
        hint="leave the role out: a credential says it",
        details={"role": role, "person": person.name},
    )
