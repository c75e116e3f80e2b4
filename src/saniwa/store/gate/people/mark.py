"""Marks under decisions: made by who has shown a secret, confirmed by who knows the people.

The key of a mark comes from what is kept of a secret. So whoever can read the file of the
people can make marks; who can only write to runs cannot.
"""

import hmac
from pathlib import Path

from saniwa.store.gate.people.file import Former, Person, read

_PURPOSE = b"saniwa decision"


class PersonSigner:
    """A person who has shown a secret (see `People.known`), and can put marks."""

    def __init__(self, person: Person) -> None:
        """The marks of this person."""
        self._key = _key_of(person)

    def sign(self, message: bytes) -> str:
        """A mark that only this person's secret makes for this message; hex."""
        return _mark(self._key, message)


class PeopleWitness:
    """Knows a gate's people, and what they signed with before."""

    def __init__(self, path: Path) -> None:
        """The people in a file, which is read whenever somebody asks."""
        self._path = path

    def confirms(self, name: str, message: bytes, mac: str) -> bool | None:
        """Whether the mark is that person's; None if nobody ever had that name here.

        Whoever was removed still answers for old marks, and whoever was added again has
        another secret: a mark counts that was made with any of them.

        Raises:
            StoreError: `STORE_UNREADABLE`.
        """
        sheet = read(self._path)
        keys = [_key_of(each) for each in sheet.people if each.name == name]
        keys += [bytes.fromhex(each.key) for each in sheet.former if each.name == name]
        if not keys:
            return None
        given = mac.encode("utf-8", "surrogatepass")
        return any(
            hmac.compare_digest(_mark(key, message).encode(), given) for key in keys
        )


def former(person: Person) -> Former:
    """What is kept of a person who is removed: enough to confirm marks, no more."""
    return Former(name=person.name, key=_key_of(person).hex())


def _key_of(person: Person) -> bytes:
    return hmac.digest(bytes.fromhex(person.hash), _PURPOSE, "sha256")


def _mark(key: bytes, message: bytes) -> str:
    return hmac.digest(key, message, "sha256").hex()
