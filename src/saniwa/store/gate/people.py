"""Who may come to a gate as a person: names, roles, and secrets nobody can read back.

The boundary is the file. Whoever can write it can make himself a person, so an agent that
runs as the same user must be given another door than this folder.
"""

import hashlib
import hmac
import os
from collections.abc import Iterator
from contextlib import contextmanager
from hmac import compare_digest
from pathlib import Path
from typing import Protocol

import msgspec

from saniwa.core import atomic_files
from saniwa.core.errors import ProcessError, StoreError
from saniwa.core.findings import SourceLocation
from saniwa.core.locks import open_lock_file
from saniwa.core.safe_open import UnfitFileError, read_small_file
from saniwa.core.suggestions import suggest_nearest
from saniwa.core.text import quote_value
from saniwa.core.warm_decoders import warm_decoders
from saniwa.store.key_value_store import make_unwritable_error

LARGEST_PEOPLE_FILE = 1_000_000
"""Bytes the file may have."""
_OWNER_ONLY = 0o600
_KEY_BYTES = 32


class GatePerson(msgspec.Struct, frozen=True, kw_only=True):
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


class FormerPerson(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who may come no longer, but whose decisions stay."""

    name: str
    """What records call this person."""
    key: str
    """What marks are confirmed with; opens no door; hex."""


class PeopleFile(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the file holds."""

    people: tuple[GatePerson, ...] = ()
    """Everybody, in the order they came."""
    former: tuple[FormerPerson, ...] = ()
    """Those who were removed, in the order they went."""


def read_people(path: Path) -> PeopleFile:
    """What the file holds; nobody where there is none.

    A link that leads nowhere is no empty list: whoever is first needs nobody to vouch.

    Raises:
        StoreError: `STORE_UNREADABLE`.
    """
    try:
        sheet = msgspec.json.decode(
            read_small_file(path, LARGEST_PEOPLE_FILE), type=PeopleFile
        )
        _check_people(sheet)
    except FileNotFoundError as problem:
        if (link := _find_dangling_link(path)) is not None:
            raise _make_unreadable_error(
                path, f"{link.name!r} leads nowhere"
            ) from problem
        return PeopleFile()
    except UnfitFileError as problem:
        raise _make_unreadable_error(path, f"it {problem}") from problem
    except OSError as problem:
        raise _make_unreadable_error(
            path, problem.strerror or str(problem)
        ) from problem
    except (ValueError, RecursionError) as problem:
        raise _make_unreadable_error(path, str(problem)) from problem
    return sheet


def _check_people(sheet: PeopleFile) -> None:
    for each in sheet.people:
        bytes.fromhex(each.salt)
    keys = [each.hash for each in sheet.people] + [each.key for each in sheet.former]
    if any(len(bytes.fromhex(key)) != _KEY_BYTES for key in keys):
        raise ValueError(f"a hash has not {_KEY_BYTES} bytes")


def _find_dangling_link(path: Path) -> Path | None:
    links = (each for each in (path, *path.parents) if each.is_symlink())
    return next((each for each in links if not each.exists()), None)


def write_people(path: Path, sheet: PeopleFile) -> None:
    """Replace what the file holds; only its owner can read it.

    Raises:
        StoreError: `TRACE_UNWRITABLE`.
    """
    content = msgspec.json.format(msgspec.json.encode(sheet), indent=2) + b"\n"
    try:
        atomic_files.write_atomically(path.parent, path.name, content, _OWNER_ONLY)
    except OSError as problem:
        raise make_unwritable_error(path, problem) from problem


@contextmanager
def lock_people(path: Path) -> Iterator[None]:
    """Nobody else changes the file meanwhile: two who add somebody lose nobody.

    Raises:
        StoreError: `LOCK_TIMEOUT`, `TRACE_UNWRITABLE`.
    """
    try:
        fd = open_lock_file(path.with_suffix(".lock"))
    except OSError as problem:
        raise make_unwritable_error(path, problem) from problem
    try:
        yield
    finally:
        os.close(fd)


def _make_unreadable_error(path: Path, why: str) -> StoreError:
    return StoreError(
        "STORE_UNREADABLE",
        f"who is known here cannot be read: {why}",
        where=SourceLocation(file=str(path)),
        hint="bring the file back from a copy",
    )


warm_decoders(PeopleFile)


_SIGNATURE_PURPOSE = b"saniwa decision"


class PersonSigner:
    """A person who has shown a secret (see `People.known`), and can put marks."""

    def __init__(self, person: GatePerson) -> None:
        """The marks of this person."""
        self._key = _derive_key(person)

    def sign(self, message: bytes) -> str:
        """A mark that only this person's secret makes for this message; hex."""
        return _compute_signature(self._key, message)


class PeopleSignatureVerifier:
    """Knows a gate's people, and what they signed with before."""

    def __init__(self, path: Path) -> None:
        """The people in a file, which is read whenever somebody asks."""
        self._path = path

    def verify_signature(self, name: str, message: bytes, mac: str) -> bool | None:
        """Whether the mark is that person's; None if nobody ever had that name here.

        Whoever was removed still answers for old marks, and whoever was added again has
        another secret: a mark counts that was made with any of them.

        Raises:
            StoreError: `STORE_UNREADABLE`.
        """
        sheet = read_people(self._path)
        keys = [_derive_key(each) for each in sheet.people if each.name == name]
        keys += [bytes.fromhex(each.key) for each in sheet.former if each.name == name]
        if not keys:
            return None
        given = mac.encode("utf-8", "surrogatepass")
        return any(
            hmac.compare_digest(_compute_signature(key, message).encode(), given)
            for key in keys
        )


def retire_person(person: GatePerson) -> FormerPerson:
    """What is kept of a person who is removed: enough to confirm marks, no more."""
    return FormerPerson(name=person.name, key=_derive_key(person).hex())


def _derive_key(person: GatePerson) -> bytes:
    return hmac.digest(bytes.fromhex(person.hash), _SIGNATURE_PURPOSE, "sha256")


def _compute_signature(key: bytes, message: bytes) -> str:
    return hmac.digest(key, message, "sha256").hex()


def make_credential_error(path: Path) -> ProcessError:
    """The error for a credential that is nobody's; it tells no more than that."""
    return ProcessError(
        "CREDENTIAL_REFUSED",
        "nobody is known here by this name and secret",
        where=SourceLocation(file=str(path)),
        hint="a credential is NAME:SECRET; see who is known: saniwa gate people list",
    )


def make_voucher_missing_error(path: Path) -> ProcessError:
    """The error for a change that nobody vouches for."""
    return ProcessError(
        "CREDENTIAL_REFUSED",
        "somebody is known here already, and only a person changes who is",
        where=SourceLocation(file=str(path)),
        hint="let somebody of `saniwa gate people list` vouch: --credential-file FILE, "
        "or STATE_GATE_CREDENTIAL=NAME:SECRET",
    )


def make_agent_voucher_error(voucher: GatePerson, path: Path) -> ProcessError:
    """The error for a change that an agent vouches for."""
    return ProcessError(
        "CREDENTIAL_REFUSED",
        f"{quote_value(voucher.name)} has the role 'agent', and an agent vouches for nobody",
        where=SourceLocation(file=str(path)),
        hint="let a person of `saniwa gate people list` vouch: --credential-file FILE, "
        "or STATE_GATE_CREDENTIAL=NAME:SECRET",
    )


def make_agents_only_error() -> ProcessError:
    """The error for a change after which nobody could make another."""
    return ProcessError(
        "PERSON_UNUSABLE",
        "only agents would be known here, and nobody could add or remove anybody",
        hint="add somebody with a person's role first, such as 'reviewer'",
    )


def make_agent_secret_error(person: GatePerson) -> ProcessError:
    """The error for an agent that would change its secret."""
    return ProcessError(
        "PERSON_UNUSABLE",
        f"{quote_value(person.name)} has the role 'agent', and only people change their secret",
        hint="let a person remove this name and add it again",
    )


def make_same_secret_error() -> ProcessError:
    """The error for a new secret that is the old one."""
    return ProcessError(
        "PERSON_UNUSABLE",
        "the new passphrase is the same as the old one",
        hint="choose another",
    )


def make_name_taken_error(name: str) -> ProcessError:
    """The error for a name that is given."""
    return ProcessError(
        "PERSON_EXISTS",
        f"there is a person {quote_value(name)} already",
        hint="choose another name, or remove this person first",
    )


def make_unknown_person_error(
    name: str, people: tuple[GatePerson, ...]
) -> ProcessError:
    """The error for a name that is not given, with the nearest one."""
    names = [each.name for each in people]
    known = f"there is: {', '.join(names)}" if names else "nobody is known here yet"
    return ProcessError(
        "PERSON_UNKNOWN",
        f"there is no person {quote_value(name)}",
        hint=suggest_nearest(name, names) or known,
    )


SHORTEST_SECRET = 12
"""Characters a new passphrase must have; older ones go on to work."""
LONGEST_SECRET = 1_000
"""Letters a passphrase may have."""
LONGEST_NAME = 60
"""Letters a name or a role may have."""
_SALT_BYTES = 16
_TOKEN_BYTES = 32
_DUMMY_SALT = bytes(_SALT_BYTES)
_AGENT_ROLE = "agent"


class SecretSource(Protocol):
    """Gives bytes that nobody could guess."""

    def draw_bytes(self, count: int) -> bytes:
        """So many new bytes."""
        ...


class SystemSecretSource:
    """The machine's own source of chance."""

    def draw_bytes(self, count: int) -> bytes:
        """So many new bytes, from the kernel."""
        return os.urandom(count)


class People:
    """The people of one gate, in one file."""

    def __init__(self, path: Path, chance: SecretSource | None = None) -> None:
        """The people in a file; nobody yet where there is none."""
        self.path = path
        self._chance = chance or SystemSecretSource()

    def list_people(self) -> tuple[GatePerson, ...]:
        """Everybody, by name.

        Raises:
            StoreError: `STORE_UNREADABLE`.
        """
        return tuple(sorted(read_people(self.path).people, key=lambda each: each.name))

    def authenticate(self, credential: str) -> GatePerson:
        """The person whose `NAME:SECRET` this is.

        An unknown name and a wrong secret look and cost the same.

        Raises:
            ProcessError: `CREDENTIAL_REFUSED`.
            StoreError: `STORE_UNREADABLE`.
        """
        name, _, secret = credential.partition(":")
        found = next((each for each in self.list_people() if each.name == name), None)
        salt = bytes.fromhex(found.salt) if found else _DUMMY_SALT
        made = _hash_secret(secret[:LONGEST_SECRET], salt)
        if found is None or not compare_digest(made, found.hash):
            raise make_credential_error(self.path)
        return found

    def make_token(self) -> str:
        """A secret nobody could guess, for somebody who need not remember it."""
        return self._chance.draw_bytes(_TOKEN_BYTES).hex()

    def add(
        self, name: str, role: str, secret: str, *, at: str, by: str | None = None
    ) -> GatePerson:
        """Let somebody in from now on. Only the first needs nobody to vouch.

        Raises:
            ProcessError: `PERSON_UNUSABLE`, `PERSON_EXISTS`; `CREDENTIAL_REFUSED` where
                `by` is nobody's credential or an agent's, or is missing though there is
                somebody.
            StoreError: It could not be read or written.
        """
        _check_person(name, role, secret)
        with lock_people(self.path):
            sheet = self._read_with_voucher(by)
            people = sheet.people
            if any(each.name == name for each in people):
                raise make_name_taken_error(name)
            salt = self._chance.draw_bytes(_SALT_BYTES)
            person = GatePerson(
                name=name,
                role=role,
                salt=salt.hex(),
                hash=_hash_secret(secret, salt),
                added_at=at,
            )
            self._write_file(PeopleFile((*people, person), sheet.former))
        return person

    def remove(self, name: str, *, by: str | None = None) -> GatePerson:
        """Let somebody in no longer; what was decided stays in the records.

        Raises:
            ProcessError: `PERSON_UNKNOWN`, `CREDENTIAL_REFUSED`; `PERSON_UNUSABLE` where
                only agents would be left.
            StoreError: It could not be read or written.
        """
        with lock_people(self.path):
            sheet = self._read_with_voucher(by)
            people = sheet.people
            gone = next((each for each in people if each.name == name), None)
            if gone is None:
                raise make_unknown_person_error(name, people)
            rest = tuple(each for each in people if each is not gone)
            self._write_file(PeopleFile(rest, (*sheet.former, retire_person(gone))))
        return gone

    def change_secret(self, name: str, secret: str, new: str) -> GatePerson:
        """Give somebody another secret who knows the one of now.

        What was decided with the old one stays confirmed.

        Raises:
            ProcessError: `CREDENTIAL_REFUSED`; `PERSON_UNUSABLE` for an agent, and for a
                new secret that is too short, too long or the same.
            StoreError: It could not be read or written.
        """
        with lock_people(self.path):
            person = self.authenticate(f"{name}:{secret}")
            if person.role == _AGENT_ROLE:
                raise make_agent_secret_error(person)
            _check_secret(new)
            if new == secret:
                raise make_same_secret_error()
            salt = self._chance.draw_bytes(_SALT_BYTES)
            changed = msgspec.structs.replace(
                person, salt=salt.hex(), hash=_hash_secret(new, salt)
            )
            sheet = read_people(self.path)
            people = tuple(
                changed if each.name == name else each for each in sheet.people
            )
            self._write_file(PeopleFile(people, (*sheet.former, retire_person(person))))
        return changed

    def check_voucher(self, by: str | None) -> None:
        """See whether somebody may add or remove people, before more is asked.

        Raises:
            ProcessError: `CREDENTIAL_REFUSED`, as `add` would.
            StoreError: It could not be read.
        """
        self._read_with_voucher(by)

    def _read_with_voucher(self, by: str | None) -> PeopleFile:
        sheet = read_people(self.path)
        if not sheet.people:
            return sheet
        if by is None:
            raise make_voucher_missing_error(self.path)
        voucher = self.authenticate(by)
        if voucher.role == _AGENT_ROLE:
            raise make_agent_voucher_error(voucher, self.path)
        return sheet

    def _write_file(self, sheet: PeopleFile) -> None:
        if sheet.people and all(each.role == _AGENT_ROLE for each in sheet.people):
            raise make_agents_only_error()
        write_people(self.path, sheet)


def _hash_secret(secret: str, salt: bytes) -> str:
    content = secret.encode("utf-8", "surrogatepass")
    return hashlib.scrypt(content, salt=salt, n=2**14, r=8, p=1, dklen=32).hex()


def _check_person(name: str, role: str, secret: str) -> None:
    for what, text in (("name", name), ("role", role)):
        if not _is_plain_text(text):
            raise ProcessError(
                "PERSON_UNUSABLE",
                f"{quote_value(text)} cannot be a person's {what}",
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


def _is_plain_text(text: str) -> bool:
    return (
        0 < len(text) <= LONGEST_NAME
        and text.isprintable()
        and not any(letter == ":" or letter.isspace() for letter in text)
    )
