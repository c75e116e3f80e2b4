"""Who may come to a gate as a person: names, roles, and secrets nobody can read back.

The boundary is the file. Whoever can write it can make himself a person, so an agent that
runs as the same user must be given another door than this folder.
"""

import fcntl
import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hmac import compare_digest
from pathlib import Path
from typing import Protocol

import msgspec

from saniwa.core.errors import ProcessError, StoreError
from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted
from saniwa.core.where import Where

SHORTEST_SECRET = 8
"""Letters a passphrase must have."""
LONGEST_SECRET = 1_000
"""Letters a passphrase may have."""
LONGEST_NAME = 60
"""Letters a name or a role may have."""
LARGEST = 1_000_000
"""Bytes the file may have."""
PATIENCE = 10.0
"""Seconds to wait for somebody else who changes the file."""
_WAIT = 0.01
_SALT = 16
_TOKEN = 32
_NOBODY = bytes(_SALT)


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


class Person(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who may come with a secret."""

    name: str
    """What records call this person."""
    role: str
    """The role this person has, at every door."""
    salt: str
    """Makes equal secrets look different; hex."""
    hash: str
    """What scrypt makes of the secret; hex."""
    added_at: str
    """When; ISO 8601."""


class _Sheet(msgspec.Struct, frozen=True):
    people: tuple[Person, ...] = ()


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
        return tuple(sorted(self._read().people, key=lambda each: each.name))

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
            raise _refused(self.path)
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
                `by` is nobody's credential, or is missing though there is somebody.
            StoreError: It could not be read or written.
        """
        _check(name, role, secret)
        with self._alone():
            people = self._vouched(by)
            if any(each.name == name for each in people):
                raise _taken(name)
            salt = self._chance.fresh(_SALT)
            person = Person(
                name=name,
                role=role,
                salt=salt.hex(),
                hash=_hashed(secret, salt),
                added_at=at,
            )
            self._write((*people, person))
        return person

    def remove(self, name: str, *, by: str | None = None) -> Person:
        """Let somebody in no longer; what was decided stays in the records.

        Raises:
            ProcessError: `PERSON_UNKNOWN`, `CREDENTIAL_REFUSED`.
            StoreError: It could not be read or written.
        """
        with self._alone():
            people = self._vouched(by)
            gone = next((each for each in people if each.name == name), None)
            if gone is None:
                raise _unknown(name, people)
            self._write(tuple(each for each in people if each is not gone))
        return gone

    def _vouched(self, by: str | None) -> tuple[Person, ...]:
        people = self.all()
        if people and by is None:
            raise ProcessError(
                "CREDENTIAL_REFUSED",
                "somebody is known here already, and only a person changes who is",
                where=Where(file=str(self.path)),
                hint="give the credential of somebody who is known: saniwa gate people list",
            )
        if people and by is not None:
            self.known(by)
        return people

    def _read(self) -> _Sheet:
        try:
            with self.path.open("rb") as stream:
                content = stream.read(LARGEST + 1)
            if len(content) > LARGEST:
                raise ValueError(f"it has more than {LARGEST} bytes")
            sheet = msgspec.json.decode(content, type=_Sheet)
            for each in sheet.people:
                bytes.fromhex(each.salt)
        except FileNotFoundError:
            return _Sheet()
        except (OSError, ValueError, RecursionError) as problem:
            raise StoreError(
                "STORE_UNREADABLE",
                f"who is known here cannot be read: {problem}",
                where=Where(file=str(self.path)),
                hint="bring the file back from a copy",
            ) from problem
        return sheet

    def _write(self, people: tuple[Person, ...]) -> None:
        content = msgspec.json.format(msgspec.json.encode(_Sheet(people)), indent=2)
        beside = self.path.with_suffix(f".{os.getpid()}.tmp")
        try:
            fd = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(fd, "wb") as stream:
                stream.write(content + b"\n")
                stream.flush()
                os.fsync(stream.fileno())
            beside.replace(self.path)
            _sync(self.path.parent)
        except OSError as problem:
            beside.unlink(missing_ok=True)
            raise _unwritable(self.path, problem) from problem

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Two who add somebody at once do not lose one another's."""
        lock = self.path.with_suffix(".lock")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            fd = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as problem:
            raise _unwritable(self.path, problem) from problem
        try:
            _take(fd, self.path)
            yield
        finally:
            os.close(fd)


def _hashed(secret: str, salt: bytes) -> str:
    content = secret.encode("utf-8", "surrogatepass")
    return hashlib.scrypt(content, salt=salt, n=2**14, r=8, p=1, dklen=32).hex()


def _take(fd: int, path: Path) -> None:
    until = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                raise _busy(path) from None
            time.sleep(_WAIT)
        else:
            return


def _sync(folder: Path) -> None:
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _check(name: str, role: str, secret: str) -> None:
    for what, text in (("name", name), ("role", role)):
        if not _is_plain(text):
            raise ProcessError(
                "PERSON_UNUSABLE",
                f"{quoted(text)} cannot be a person's {what}",
                hint=f"use 1 to {LONGEST_NAME} printable letters, without ':' and blanks",
            )
    if not SHORTEST_SECRET <= len(secret) <= LONGEST_SECRET:
        raise ProcessError(
            "PERSON_UNUSABLE",
            f"a passphrase has {SHORTEST_SECRET} to {LONGEST_SECRET} letters",
            hint="several words are easier to remember than signs",
        )


def _is_plain(text: str) -> bool:
    return (
        0 < len(text) <= LONGEST_NAME
        and text.isprintable()
        and not any(letter == ":" or letter.isspace() for letter in text)
    )


def _refused(path: Path) -> ProcessError:
    return ProcessError(
        "CREDENTIAL_REFUSED",
        "nobody is known here by this name and secret",
        where=Where(file=str(path)),
        hint="a credential is NAME:SECRET; see who is known: saniwa gate people list",
    )


def _taken(name: str) -> ProcessError:
    return ProcessError(
        "PERSON_EXISTS",
        f"there is a person {quoted(name)} already",
        hint="choose another name, or remove this person first",
    )


def _unknown(name: str, people: tuple[Person, ...]) -> ProcessError:
    names = [each.name for each in people]
    known = f"there is: {', '.join(names)}" if names else "nobody is known here yet"
    return ProcessError(
        "PERSON_UNKNOWN",
        f"there is no person {quoted(name)}",
        hint=did_you_mean(name, names) or known,
    )


def _unwritable(path: Path, problem: OSError) -> StoreError:
    return StoreError(
        "TRACE_UNWRITABLE",
        f"{path.name!r} cannot be written: {problem.strerror}",
        where=Where(file=str(path)),
        hint="make room, or allow writing there; what was kept before is still there",
        recoverable=True,
    )


def _busy(path: Path) -> StoreError:
    return StoreError(
        "LOCK_TIMEOUT",
        f"somebody else has been changing {path.name!r} for {PATIENCE:g} seconds",
        where=Where(file=str(path)),
        hint="try again when they are done",
        recoverable=True,
    )
