"""Session tokens: their format, cookie, signing key, and revocation.

Revoked tokens stay revoked after a restart. They are stored by name: up to a limit for
each person, above which all tokens of that person so far are revoked.
"""

import base64
import hashlib
import hmac
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, Generic, TypeVar

import msgspec
from starlette.types import Scope

from saniwa.core import atomic_files
from saniwa.core.decoder_warming import warm_decoders
from saniwa.core.errors import StoreError
from saniwa.core.findings import SourceLocation
from saniwa.core.safe_open import read_small_file
from saniwa.http.request_scope import list_header_values
from saniwa.http.responses import Header
from saniwa.store.gate import people
from saniwa.store.gate.people import GatePerson, SecretSource
from saniwa.store.storage_errors import make_unwritable_error

MAX_TOKEN_LENGTH: Final = 1_000
"""The largest number of characters of a token."""
IDLE_MILLISECONDS: Final = 2 * 3_600_000
"""Milliseconds for which an unused token stays valid."""
_SEAL_PURPOSE: Final = b"saniwa badge\0"
_CSRF_PURPOSE: Final = b"saniwa csrf\0"

PersonFinder = Callable[[str], GatePerson | None]
"""Finds the person who has a name now."""


class SessionToken(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """A signed-in session: whose, and how long it is valid."""

    name: str
    """The person's name."""
    issued: int
    """When it was issued; milliseconds since 1970."""
    expires: int
    """When it expires."""
    serial: str
    """A unique number, for signing out."""
    seen: int = 0
    """When it was last renewed; 0 if never."""

    @property
    def last_used(self) -> int:
        """When it was last known to be used."""
        return max(self.issued, self.seen)


def encode_token(key: bytes, token: SessionToken, person: GatePerson) -> str:
    """Encode a token as text for a cookie."""
    payload = base64.urlsafe_b64encode(msgspec.json.encode(token)).rstrip(b"=")
    return f"{payload.decode()}.{_compute_seal(key, payload, person)}"


def decode_token(
    key: bytes, text: str, known: PersonFinder, now: int
) -> tuple[SessionToken, GatePerson] | None:
    """Return the token and its person; None if forged, expired, or without a person.

    A token that was not used for some hours has expired. This never raises, whatever
    the text is.
    """
    payload, _, seal = text.partition(".")
    token = _decode_payload(payload) if len(text) <= MAX_TOKEN_LENGTH and text.isascii() else None
    person = known(token.name) if token is not None else None
    if token is None or person is None:
        return None
    expected = _compute_seal(key, payload.encode(), person)
    if not hmac.compare_digest(expected.encode(), seal.encode()):
        return None
    counts = token.last_used <= now < min(token.expires, token.last_used + IDLE_MILLISECONDS)
    return (token, person) if counts else None


def derive_csrf_token(key: bytes, token: SessionToken) -> str:
    """Return the CSRF token of a session, which other sites' pages cannot know.

    It does not change when the session token is renewed.
    """
    return hmac.digest(key, _CSRF_PURPOSE + token.serial.encode(), "sha256").hex()


def _decode_payload(payload: str) -> SessionToken | None:
    try:
        padded = payload + "=" * (-len(payload) % 4)
        content = base64.b64decode(padded, altchars=b"-_", validate=True)
        return msgspec.json.decode(content, type=SessionToken)
    except (ValueError, RecursionError):
        return None


def _compute_seal(key: bytes, payload: bytes, person: GatePerson) -> str:
    message = _SEAL_PURPOSE + payload + b"\0" + person.hash.encode()
    return hmac.digest(key, message, "sha256").hex()


warm_decoders(SessionToken)


_COOKIE_ATTRIBUTES: Final = "Path=/; HttpOnly; SameSite=Strict"


class SessionCookie:
    """The session cookie of one server."""

    def __init__(self, key: bytes, *, https: bool) -> None:
        """Create a cookie whose name depends on the key.

        Browsers store cookies by name and host but not by port, and two servers on one
        machine must not sign each other's users out.
        """
        mark = hashlib.sha256(b"saniwa cookie\0" + key).hexdigest()[:8]
        # With this prefix a browser accepts the cookie only over TLS and from this
        # host.
        self.name = f"__Host-saniwa-{mark}" if https else f"saniwa-{mark}"
        """The cookie's name."""
        self._more = f"{_COOKIE_ATTRIBUTES}; Secure" if https else _COOKIE_ATTRIBUTES

    def read_values(self, scope: Scope) -> list[str]:
        """Return every value that a request has for this cookie."""
        pairs = (p.strip() for v in list_header_values(scope, b"cookie") for p in v.split(";"))
        named = (pair.partition("=") for pair in pairs)
        return [value for name, _, value in named if name == self.name]

    def build_header(self, text: str, seconds: int) -> Header:
        """Return the header that sets the cookie; deleted after 0 seconds."""
        value = f"{self.name}={text}; Max-Age={seconds}; {self._more}"
        return b"set-cookie", value.encode("ascii")


KEY_FILE: Final = "badge.key"
"""The name of the key file."""
_KEY_BYTES: Final = 32
_KEY_PATTERN: Final = re.compile(rb"[0-9a-f]{64}\n?")
_KEY_FILE_MODE: Final = 0o600


def load_signing_key(folder: Path, chance: SecretSource) -> bytes:
    """Return the key in a folder, created if missing; concurrent creators get the same.

    Raises:
        StoreError: `TRACE_UNWRITABLE`, `STORE_UNREADABLE`.
    """
    path = folder / KEY_FILE
    try:
        if not path.exists():
            _create_key(folder, chance.draw_bytes(_KEY_BYTES))
        content = read_small_file(path, 2 * _KEY_BYTES + 1)
    except OSError as problem:
        raise make_unwritable_error(path, problem) from problem
    if _KEY_PATTERN.fullmatch(content) is None:
        raise StoreError(
            "STORE_UNREADABLE",
            f"{KEY_FILE!r} contains no key",
            where=SourceLocation(file=str(path)),
            hint="remove the file; a new key is created, and all users must sign in again",
        )
    return bytes.fromhex(content.decode())


def _create_key(folder: Path, key: bytes) -> None:
    atomic_files.make_folder(folder)
    with atomic_files.open_pending_file(folder, _KEY_FILE_MODE) as new:
        new.write(key.hex().encode() + b"\n")
        new.sync()
        with suppress(FileExistsError):
            new.link(KEY_FILE)
    atomic_files.sync_folder(folder)


_Kind = TypeVar("_Kind")
_FileSignature = tuple[int, int, int, int]


class CachedFile(Generic[_Kind]):
    """The content of a file that is replaced atomically, cached until it changes."""

    def __init__(self, path: Path, read: Callable[[Path], _Kind]) -> None:
        """Watch a file; it is read with the first call, not before."""
        self.path = path
        self._read = read
        self._last: tuple[_FileSignature, _Kind] | None = None

    def read_current(self) -> _Kind:
        """Return the current content; raises what reading raises."""
        mark: _FileSignature | None = None
        with suppress(OSError):
            state = self.path.stat()
            mark = state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns
        if self._last is not None and self._last[0] == mark:
            return self._last[1]
        found = self._read(self.path)
        self._last = (mark, found) if mark is not None else None
        return found


REVOKED_FILE: Final = "signed-out.json"
"""The name of the file of revoked tokens."""
MAX_REVOKED_SERIALS: Final = 50
"""Revoked tokens of one person that are stored one by one."""
_MAX_REVOKED_BYTES: Final = 8_000_000
_REVOKED_FILE_MODE: Final = 0o600


class PersonRevocations(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The revoked tokens of one person."""

    before: int = 0
    """Every token issued until this time is revoked."""
    serials: dict[str, int] = {}
    """Other revoked tokens, each with its expiry time."""


_RevocationsByName = dict[str, PersonRevocations]


class RevokedTokens:
    """The revoked tokens, in one file."""

    def __init__(self, folder: Path) -> None:
        """Use the file in a folder; without a file nothing is revoked."""
        self._watched = CachedFile(folder / REVOKED_FILE, _read_revocations)

    def is_revoked(self, token: SessionToken) -> bool:
        """Whether a token was revoked.

        Raises:
            StoreError: `STORE_UNREADABLE`.
        """
        revocations = self._watched.read_current().get(token.name)
        if revocations is None:
            return False
        return token.issued <= revocations.before or token.serial in revocations.serials

    def revoke_token(self, token: SessionToken, now: int) -> None:
        """Revoke a token; it is stored when this returns.

        Raises:
            StoreError: `LOCK_TIMEOUT`, `STORE_UNREADABLE`, `TRACE_UNWRITABLE`.
        """
        self._update_person(token.name, lambda known: _add_revocation(known, token, now))

    def revoke_all(self, name: str, now: int) -> None:
        """Revoke every token that a person has been issued until now.

        Raises:
            StoreError: As for `revoke_token`.
        """
        self._update_person(name, lambda known: PersonRevocations(before=max(known.before, now)))

    def _update_person(
        self, name: str, changed: Callable[[PersonRevocations], PersonRevocations]
    ) -> None:
        path = self._watched.path
        with people.lock_people(path):
            sheet = dict(_read_revocations(path))
            sheet[name] = changed(sheet.get(name, PersonRevocations()))
            try:
                content = msgspec.json.encode(sheet)
                atomic_files.write_atomically(path.parent, path.name, content, _REVOKED_FILE_MODE)
            except OSError as problem:
                raise make_unwritable_error(path, problem) from problem


def _add_revocation(
    revocations: PersonRevocations, token: SessionToken, now: int
) -> PersonRevocations:
    serials = {**revocations.serials, token.serial: token.expires}
    left = {serial: end for serial, end in serials.items() if end > now}
    before = revocations.before
    if len(left) > MAX_REVOKED_SERIALS:
        left, before = {}, max(before, now)
    # The clock may have been ahead, or may be set back: tokens that are dropped from
    # the list here must stay revoked whatever the time will be.
    lifetime = token.expires - token.issued
    issued = [end - lifetime for serial, end in serials.items() if serial not in left]
    return PersonRevocations(before=max([before, *issued]), serials=left)


def _read_revocations(path: Path) -> _RevocationsByName:
    try:
        return msgspec.json.decode(
            read_small_file(path, _MAX_REVOKED_BYTES), type=_RevocationsByName
        )
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as problem:
        raise StoreError(
            "STORE_UNREADABLE",
            f"the list of revoked sessions cannot be read: {problem}",
            where=SourceLocation(file=str(path)),
            hint=f"remove {REVOKED_FILE!r} and 'badge.key'; all users must sign in again",
        ) from problem


warm_decoders(_RevocationsByName)
