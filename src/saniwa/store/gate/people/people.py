"""Who may come to a gate as a person: names, roles, and secrets nobody can read back.

The boundary is the file. Whoever can write it can make himself a person, so an agent that
runs as the same user must be given another door than this folder.
"""

import hashlib
import os
from hmac import compare_digest
from pathlib import Path
from typing import Protocol

import msgspec

from saniwa.core.errors import ProcessError
from saniwa.core.quoted import quoted
from saniwa.store.gate.people import file, refusal
from saniwa.store.gate.people.file import Person, Sheet
from saniwa.store.gate.people.mark import former

SHORTEST_SECRET = 12
"""Characters a new passphrase must have; older ones go on to work."""
LONGEST_SECRET = 1_000
"""Letters a passphrase may have."""
LONGEST_NAME = 60
"""Letters a name or a role may have."""
_SALT = 16
_TOKEN = 32
_NOBODY = bytes(_SALT)
_AGENT = "agent"


class Chance(Protocol):
    """Gives bytes that nobody could guess."""

    def fresh(self, count: int) -> bytes:
        """So many new bytes."""
        ...


class SystemChance:
    """The machine's own source of chance."""

    def fresh(self, count: int) -> bytes:
        """So many new bytes, from the kernel."""
        return os.urandom(count)


class People:
    """The people of one gate, in one file."""

    def __init__(self, path: Path, chance: Chance | None = None) -> None:
        """The people in a file; nobody yet where there is none."""
        self.path = path
        self._chance = chance or SystemChance()

    def all(self) -> tuple[Person, ...]:
        """Everybody, by name.

        Raises:
            StoreError: `STORE_UNREADABLE`.
        """
        return tuple(sorted(file.read(self.path).people, key=lambda each: each.name))

    def known(self, credential: str) -> Person:
        """The person whose `NAME:SECRET` this is.

        An unknown name and a wrong secret look and cost the same.

        Raises:
            ProcessError: `CREDENTIAL_REFUSED`.
            StoreError: `STORE_UNREADABLE`.
        """
        name, _, secret = credential.partition(":")
        found = next((each for each in self.all() if each.name == name), None)
        salt = bytes.fromhex(found.salt) if found else _NOBODY
        made = _hashed(secret[:LONGEST_SECRET], salt)
        if found is None or not compare_digest(made, found.hash):
            raise refusal.refused(self.path)
        return found

    def token(self) -> str:
        """A secret nobody could guess, for somebody who need not remember it."""
        return self._chance.fresh(_TOKEN).hex()

    def add(
        self, name: str, role: str, secret: str, *, at: str, by: str | None = None
    ) -> Person:
        """Let somebody in from now on. Only the first needs nobody to vouch.

        Raises:
            ProcessError: `PERSON_UNUSABLE`, `PERSON_EXISTS`; `CREDENTIAL_REFUSED` where
                `by` is nobody's credential or an agent's, or is missing though there is
                somebody.
            StoreError: It could not be read or written.
        """
        _check(name, role, secret)
        with file.alone(self.path):
            sheet = self._vouched(by)
            people = sheet.people
            if any(each.name == name for each in people):
                raise refusal.taken(name)
            salt = self._chance.fresh(_SALT)
            person = Person(
                name=name,
                role=role,
                salt=salt.hex(),
                hash=_hashed(secret, salt),
                added_at=at,
            )
            self._write(Sheet((*people, person), sheet.former))
        return person

    def remove(self, name: str, *, by: str | None = None) -> Person:
        """Let somebody in no longer; what was decided stays in the records.

        Raises:
            ProcessError: `PERSON_UNKNOWN`, `CREDENTIAL_REFUSED`; `PERSON_UNUSABLE` where
                only agents would be left.
            StoreError: It could not be read or written.
        """
        with file.alone(self.path):
            sheet = self._vouched(by)
            people = sheet.people
            gone = next((each for each in people if each.name == name), None)
            if gone is None:
                raise refusal.unknown(name, people)
            rest = tuple(each for each in people if each is not gone)
            self._write(Sheet(rest, (*sheet.former, former(gone))))
        return gone

    def change_secret(self, name: str, secret: str, new: str) -> Person:
        """Give somebody another secret who knows the one of now.

        What was decided with the old one stays confirmed.

        Raises:
            ProcessError: `CREDENTIAL_REFUSED`; `PERSON_UNUSABLE` for an agent, and for a
                new secret that is too short, too long or the same.
            StoreError: It could not be read or written.
        """
        with file.alone(self.path):
            person = self.known(f"{name}:{secret}")
            if person.role == _AGENT:
                raise refusal.agents_secret(person)
            _check_secret(new)
            if new == secret:
                raise refusal.same_secret()
            salt = self._chance.fresh(_SALT)
            changed = msgspec.structs.replace(
                person, salt=salt.hex(), hash=_hashed(new, salt)
            )
            sheet = file.read(self.path)
            people = tuple(
                changed if each.name == name else each for each in sheet.people
            )
            self._write(Sheet(people, (*sheet.former, former(person))))
        return changed

    def check_voucher(self, by: str | None) -> None:
        """See whether somebody may add or remove people, before more is asked.

        Raises:
            ProcessError: `CREDENTIAL_REFUSED`, as `add` would.
            StoreError: It could not be read.
        """
        self._vouched(by)

    def _vouched(self, by: str | None) -> Sheet:
        sheet = file.read(self.path)
        if not sheet.people:
            return sheet
        if by is None:
            raise refusal.unvouched(self.path)
        voucher = self.known(by)
        if voucher.role == _AGENT:
            raise refusal.an_agents(voucher, self.path)
        return sheet

    def _write(self, sheet: Sheet) -> None:
        if sheet.people and all(each.role == _AGENT for each in sheet.people):
            raise refusal.agents_only()
        file.write(self.path, sheet)


def _hashed(secret: str, salt: bytes) -> str:
    content = secret.encode("utf-8", "surrogatepass")
    return hashlib.scrypt(content, salt=salt, n=2**14, r=8, p=1, dklen=32).hex()


def _check(name: str, role: str, secret: str) -> None:
    for what, text in (("name", name), ("role", role)):
        if not _is_plain(text):
            raise ProcessError(
                "PERSON_UNUSABLE",
                f"{quoted(text)} cannot be a person's {what}",
                hint=f"use 1 to {LONGEST_NAME} printable letters, without ':' and blanks",
            )
    _check_secret(secret)


def _check_secret(secret: str) -> None:
    if not SHORTEST_SECRET <= len(secret) <= LONGEST_SECRET:
        raise ProcessError(
            "PERSON_UNUSABLE",
            f"a passphrase has {SHORTEST_SECRET} to {LONGEST_SECRET} characters",
            hint="several words are easier to remember than signs",
        )


def _is_plain(text: str) -> bool:
    return (
        0 < len(text) <= LONGEST_NAME
        and text.isprintable()
        and not any(letter == ":" or letter.isspace() for letter in text)
    )
