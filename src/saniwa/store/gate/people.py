"""The people of a gate: names, roles, and secrets that cannot be read back.

The boundary is the file. Any process that can write it can add itself as a person, so
an agent that runs as the same user must not have access to this folder.
"""

import hashlib
import hmac
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import msgspec

from saniwa.core import atomic_files
from saniwa.core.decoder_warming import warm_decoders
from saniwa.core.errors import ProcessError, StoreError
from saniwa.core.file_locks import open_lock_file
from saniwa.core.safe_open import UnfitFileError, read_small_file
from saniwa.core.suggestions import suggest_nearest
from saniwa.store.gate import describe
from saniwa.store.storage_errors import make_unwritable_error, translate_os_errors

LARGEST_PEOPLE_FILE = 1_000_000
"""Most bytes the file may have."""
_OWNER_ONLY = 0o600
_KEY_BYTES = 32


class GatePerson(msgspec.Struct, frozen=True, kw_only=True):
    """A person who can authenticate with a secret."""

    name: str
    """The person's name in records."""
    role: str
    """The person's role, in every interface."""
    salt: str
    """Makes equal secrets hash differently; hex."""
    hash: str
    """The scrypt hash of the secret; hex."""
    added_at: str
    """When the person was added; ISO 8601."""


class FormerPerson(msgspec.Struct, frozen=True, kw_only=True):
    """A person who was removed, but whose decisions remain valid."""

    name: str
    """The person's name in records."""
    key: str
    """The key that verifies old signatures; cannot authenticate; hex."""


class PeopleFile(msgspec.Struct, frozen=True, omit_defaults=True):
    """The content of the file."""

    people: tuple[GatePerson, ...] = ()
    """All people, in the order they were added."""
    former: tuple[FormerPerson, ...] = ()
    """Removed people, in the order they were removed."""


def read_people(path: Path) -> PeopleFile:
    """Read the file; without a file the list is empty.

    A dangling link is an error and not an empty list, because the first person is added
    without a voucher.

    Raises:
        StoreError: `STORE_UNREADABLE`.
    """
    try:
        content = msgspec.json.decode(read_small_file(path, LARGEST_PEOPLE_FILE), type=PeopleFile)
        _check_people(content)
    except FileNotFoundError as problem:
        if (link := _find_dangling_link(path)) is not None:
            raise _make_unreadable_error(path, f"{link.name!r} leads nowhere") from problem
        return PeopleFile()
    except (OSError, ValueError, RecursionError) as problem:
        prefix = "it " if isinstance(problem, UnfitFileError) else ""
        why = prefix + (getattr(problem, "strerror", None) or str(problem))
        raise _make_unreadable_error(path, why) from problem
    return content


def _check_people(content: PeopleFile) -> None:
    for each in content.people:
        bytes.fromhex(each.salt)
    keys = [each.hash for each in content.people] + [each.key for each in content.former]
    if any(len(bytes.fromhex(key)) != _KEY_BYTES for key in keys):
        raise ValueError(f"a hash has not {_KEY_BYTES} bytes")


def _find_dangling_link(path: Path) -> Path | None:
    links = (each for each in (path, *path.parents) if each.is_symlink())
    return next((each for each in links if not each.exists()), None)


def write_people(path: Path, people: PeopleFile) -> None:
    """Replace the file's content; only its owner can read it.

    Raises:
        StoreError: `TRACE_UNWRITABLE`.
    """
    content = msgspec.json.format(msgspec.json.encode(people), indent=2) + b"\n"
    with translate_os_errors(make_unwritable_error, path):
        atomic_files.write_atomically(path.parent, path.name, content, _OWNER_ONLY)


@contextmanager
def lock_people(path: Path) -> Iterator[None]:
    """Lock the file, so that of two concurrent additions neither is lost.

    Raises:
        StoreError: `LOCK_TIMEOUT`, `TRACE_UNWRITABLE`.
    """
    with translate_os_errors(make_unwritable_error, path):
        fd = open_lock_file(path.with_suffix(".lock"))
    with os.fdopen(fd):
        yield


def _make_unreadable_error(path: Path, why: str) -> StoreError:
    return describe("STORE_UNREADABLE", why=why).to_error(StoreError, where=str(path))


warm_decoders(PeopleFile)


_SIGNATURE_PURPOSE = b"saniwa decision"


class PersonSigner:
    """Signs as a person who has authenticated (see `People.authenticate`)."""

    def __init__(self, person: GatePerson) -> None:
        """Derive the signing key of this person."""
        self._key = _derive_key(person)

    def sign(self, message: bytes) -> str:
        """Return a signature that only this person can make for the message; hex."""
        return _compute_signature(self._key, message)


class PeopleSignatureVerifier:
    """Verifies signatures of a gate's current and former people."""

    def __init__(self, path: Path) -> None:
        """Use the people in a file, which is read at every call."""
        self._path = path

    def verify_signature(self, name: str, message: bytes, mac: str) -> bool | None:
        """Whether the signature is that person's; None for an unknown name.

        A removed person's old signatures remain valid, and a person who was added again
        has a new secret: a signature made with any of them counts.

        Raises:
            StoreError: `STORE_UNREADABLE`.
        """
        content = read_people(self._path)
        keys = [_derive_key(each) for each in content.people if each.name == name]
        keys += [bytes.fromhex(each.key) for each in content.former if each.name == name]
        if not keys:
            return None
        given = mac.encode("utf-8", "surrogatepass")
        return any(
            hmac.compare_digest(_compute_signature(key, message).encode(), given) for key in keys
        )


def retire_person(person: GatePerson) -> FormerPerson:
    """Return what stays of a removed person: enough to verify signatures, no more."""
    return FormerPerson(name=person.name, key=_derive_key(person).hex())


def _derive_key(person: GatePerson) -> bytes:
    return hmac.digest(bytes.fromhex(person.hash), _SIGNATURE_PURPOSE, "sha256")


def _compute_signature(key: bytes, message: bytes) -> str:
    return hmac.digest(key, message, "sha256").hex()


SHORTEST_SECRET = 12
"""Fewest characters of a new secret; older, shorter ones still work."""
LONGEST_SECRET = 1_000
"""Most characters of a secret."""
LONGEST_NAME = 60
"""Most characters of a name or a role."""
_SALT_BYTES = 16
_TOKEN_BYTES = 32
_DUMMY_SALT = bytes(_SALT_BYTES)
_AGENT_ROLE = "agent"


class SecretSource(Protocol):
    """Draws bytes that cannot be guessed."""

    def draw_bytes(self, count: int) -> bytes:
        """Return `count` new bytes."""


class SystemSecretSource:
    """The operating system's random source."""

    def draw_bytes(self, count: int) -> bytes:
        """Return `count` new bytes from the kernel."""
        return os.urandom(count)


class People:
    """The people of one gate, in one file."""

    def __init__(self, path: Path, chance: SecretSource | None = None) -> None:
        """Use the people in a file; without a file there are none yet."""
        self.path = path
        self._source = chance or SystemSecretSource()

    def list_people(self) -> tuple[GatePerson, ...]:
        """List all people, sorted by name.

        Raises:
            StoreError: `STORE_UNREADABLE`.
        """
        return tuple(sorted(read_people(self.path).people, key=lambda each: each.name))

    def authenticate(self, credential: str) -> GatePerson:
        """Return the person that a `NAME:SECRET` belongs to.

        An unknown name and a wrong secret give the same error and take the same time.

        Raises:
            ProcessError: `CREDENTIAL_REFUSED`.
            StoreError: `STORE_UNREADABLE`.
        """
        name, _, secret = credential.partition(":")
        found = _find_person(self.list_people(), name)
        salt = bytes.fromhex(found.salt) if found else _DUMMY_SALT
        made = _hash_secret(secret[:LONGEST_SECRET], salt)
        if found is None or not hmac.compare_digest(made, found.hash):
            raise describe("CREDENTIAL_REFUSED/secret").to_error(ProcessError, where=str(self.path))
        return found

    def make_token(self) -> str:
        """Make a random secret, for a person who need not remember it."""
        return self._source.draw_bytes(_TOKEN_BYTES).hex()

    def add(
        self, name: str, role: str, secret: str, *, at: str, by: str | None = None
    ) -> GatePerson:
        """Add a person. Only the first is added without a voucher.

        Raises:
            ProcessError: `PERSON_UNUSABLE`, `PERSON_EXISTS`; `CREDENTIAL_REFUSED` if
                `by` is an invalid credential or an agent's, or is missing although
                there are people.
            StoreError: It could not be read or written.
        """
        _check_words(name, role)
        check_secret(secret)
        with lock_people(self.path):
            content = self._read_with_voucher(by)
            _check_new(content, name)
            salt = self._source.draw_bytes(_SALT_BYTES)
            person = GatePerson(
                name=name, role=role, salt=salt.hex(), hash=_hash_secret(secret, salt), added_at=at
            )
            self._write_file(PeopleFile((*content.people, person), content.former))
        return person

    def remove(self, name: str, *, by: str | None = None) -> GatePerson:
        """Remove a person; their decisions stay in the records.

        Raises:
            ProcessError: `PERSON_UNKNOWN`, `CREDENTIAL_REFUSED`; `PERSON_UNUSABLE` if
                only agents would remain.
            StoreError: It could not be read or written.
        """
        with lock_people(self.path):
            content = self._read_with_voucher(by)
            people = content.people
            gone = _find_person(people, name)
            if gone is None:
                names = [each.name for each in people]
                known = f"there is: {', '.join(names)}" if names else "no person is registered"
                raise describe(
                    "PERSON_UNKNOWN", hint=suggest_nearest(name, names) or known, name=name
                ).to_error(ProcessError)
            rest = tuple(each for each in people if each is not gone)
            self._write_file(PeopleFile(rest, (*content.former, retire_person(gone))))
        return gone

    def change_secret(self, name: str, secret: str, new: str) -> GatePerson:
        """Give a person who knows the current secret a new one.

        Decisions signed with the old one stay verifiable.

        Raises:
            ProcessError: `CREDENTIAL_REFUSED`; `PERSON_UNUSABLE` for an agent, and for
                a new secret that is too short, too long or the same.
            StoreError: It could not be read or written.
        """
        with lock_people(self.path):
            person = self.authenticate(f"{name}:{secret}")
            if person.role == _AGENT_ROLE:
                raise describe("PERSON_UNUSABLE/agent", name=name).to_error(ProcessError)
            check_secret(new, secret)
            salt = self._source.draw_bytes(_SALT_BYTES)
            changed = msgspec.structs.replace(person, salt=salt.hex(), hash=_hash_secret(new, salt))
            content = read_people(self.path)
            people = tuple(changed if each.name == name else each for each in content.people)
            self._write_file(PeopleFile(people, (*content.former, retire_person(person))))
        return changed

    def check_addition(self, name: str, role: str, *, by: str | None = None) -> None:
        """Check that a person can be added, before a secret is asked for.

        Raises:
            ProcessError: As `add` would.
            StoreError: It could not be read.
        """
        _check_words(name, role)
        _check_new(self._read_with_voucher(by), name)

    def _read_with_voucher(self, by: str | None) -> PeopleFile:
        content = read_people(self.path)
        if not content.people:
            return content
        if by is None:
            raise describe("CREDENTIAL_REFUSED/no_voucher").to_error(
                ProcessError, where=str(self.path)
            )
        voucher = self.authenticate(by)
        if voucher.role == _AGENT_ROLE:
            raise describe("CREDENTIAL_REFUSED/agent", name=voucher.name).to_error(
                ProcessError, where=str(self.path)
            )
        return content

    def _write_file(self, content: PeopleFile) -> None:
        if content.people and all(each.role == _AGENT_ROLE for each in content.people):
            raise describe("PERSON_UNUSABLE/only_agents").to_error(ProcessError)
        write_people(self.path, content)


def _find_person(people: Iterable[GatePerson], name: str) -> GatePerson | None:
    return next((each for each in people if each.name == name), None)


def _hash_secret(secret: str, salt: bytes) -> str:
    content = secret.encode("utf-8", "surrogatepass")
    return hashlib.scrypt(content, salt=salt, n=2**14, r=8, p=1, dklen=32).hex()


def _check_words(name: str, role: str) -> None:
    for what, text in (("name", name), ("role", role)):
        if not _is_plain_text(text):
            message = describe("PERSON_UNUSABLE/name", text=text, what=what, most=LONGEST_NAME)
            raise message.to_error(ProcessError)


def _check_new(content: PeopleFile, name: str) -> None:
    if _find_person(content.people, name) is not None:
        raise describe("PERSON_EXISTS", name=name).to_error(ProcessError)


def check_secret(secret: str, current: str = "") -> None:
    """Check that a secret can be a person's new one, in place of the current one.

    Raises:
        ProcessError: `PERSON_UNUSABLE`: it is too short or too long, or the same.
    """
    if not SHORTEST_SECRET <= len(secret) <= LONGEST_SECRET:
        message = describe("PERSON_UNUSABLE/secret", least=SHORTEST_SECRET, most=LONGEST_SECRET)
        raise message.to_error(ProcessError)
    if secret == current:
        raise describe("PERSON_UNUSABLE/same_secret").to_error(ProcessError)


def _is_plain_text(text: str) -> bool:
    return (
        0 < len(text) <= LONGEST_NAME
        and text.isprintable()
        and not any(letter == ":" or letter.isspace() for letter in text)
    )
