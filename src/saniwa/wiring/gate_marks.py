"""Who puts marks under decisions at a door, and who confirms them; loaded when needed.

Most visitors neither decide nor verify, and opening a gate should cost them nothing.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from saniwa.process.ports import Signer, Witness
    from saniwa.store.gate.people.file import Person
    from saniwa.wiring.gate_places import GatePlaces


def signer_of(person: "Person | None") -> "Signer | None":
    """Puts the marks of a person who has shown a secret; nobody's where there is none."""
    if person is None:
        return None
    from saniwa.store.gate.people.mark import PersonSigner

    return PersonSigner(person)


def witness_at(places: "GatePlaces") -> "Witness":
    """Confirms the marks of a gate's people."""
    return _Witness(places.people.absolute())


class _Witness:
    """Looks into the people's file when somebody asks."""

    def __init__(self, path: "Path") -> None:
        self._path = path

    def confirms(self, name: str, message: bytes, mac: str) -> bool | None:
        """Whether the mark is that person's; None if nobody of that name is known."""
        from saniwa.store.gate.people.mark import PeopleWitness

        return PeopleWitness(self._path).confirms(name, message, mac)
