"""What somebody who has signed in shows: a name and times, sealed; no secret is in it.

The seal covers what is kept of the person's secret, so a badge ends with the secret.
"""

import base64
import hmac
from collections.abc import Callable
from typing import Final

import msgspec

from saniwa.core.ready import ready
from saniwa.store.gate.people.file import Person

LONGEST: Final = 1_000
"""Letters a badge may have."""
IDLE: Final = 2 * 3_600_000
"""Milliseconds for which a badge counts that nobody uses."""
_PURPOSE: Final = b"saniwa badge\0"
_ASKING: Final = b"saniwa csrf\0"

Known = Callable[[str], Person | None]
"""Finds who has a name now."""


class Badge(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """Who signed in, and how long that counts."""

    name: str
    """The person's name."""
    issued: int
    """When; milliseconds since 1970."""
    expires: int
    """From when on it counts no longer."""
    serial: str
    """Tells it from every other, for signing out."""
    seen: int = 0
    """When it was last renewed; 0 if it never was."""

    @property
    def used(self) -> int:
        """When it is known to have been used last."""
        return max(self.issued, self.seen)


def write(key: bytes, badge: Badge, person: Person) -> str:
    """The badge as text that fits into a cookie."""
    payload = base64.urlsafe_b64encode(msgspec.json.encode(badge)).rstrip(b"=")
    return f"{payload.decode()}.{_seal(key, payload, person)}"


def read(key: bytes, text: str, known: Known, now: int) -> tuple[Badge, Person] | None:
    """The badge and its person; None if it is forged, too old, or its person is gone.

    One that was not used for some hours is too old. Whatever the text is, this does not
    raise.
    """
    payload, _, seal = text.partition(".")
    badge = _opened(payload) if len(text) <= LONGEST and text.isascii() else None
    person = known(badge.name) if badge is not None else None
    if badge is None or person is None:
        return None
    expected = _seal(key, payload.encode(), person)
    if not hmac.compare_digest(expected.encode(), seal.encode()):
        return None
    counts = badge.used <= now < min(badge.expires, badge.used + IDLE)
    return (badge, person) if counts else None


def csrf_of(key: bytes, badge: Badge) -> str:
    """What a page of ours says beside the badge; no other page can know it.

    The same for a badge that is renewed.
    """
    return hmac.digest(key, _ASKING + badge.serial.encode(), "sha256").hex()


def _opened(payload: str) -> Badge | None:
    try:
        padded = payload + "=" * (-len(payload) % 4)
        content = base64.b64decode(padded, altchars=b"-_", validate=True)
        return msgspec.json.decode(content, type=Badge)
    except (ValueError, RecursionError):
        return None


def _seal(key: bytes, payload: bytes, person: Person) -> str:
    message = _PURPOSE + payload + b"\0" + person.hash.encode()
    return hmac.digest(key, message, "sha256").hex()


ready(Badge)
