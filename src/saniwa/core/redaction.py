"""Keeping secrets out of texts that others will read."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_QUERY: Final = re.compile(r"[?#]")


def redact_address(address: str) -> str:
    """The address without a name or password before its host, and without a query.

    Of one that can be read in two ways, nothing is shown that could be either.
    """
    found = _SCHEME.match(address)
    scheme = found[0] if found else ""
    name, at, rest = address[len(scheme) :].rpartition("@")
    if _QUERY.search(name):
        return f"{scheme}…"
    place, *query = _QUERY.split(rest, maxsplit=1)
    return f"{scheme}{'…@' if at else ''}{place}{'?…' if query else ''}"


MARK: Final = "[redacted]"
"""What stands where a secret stood."""
SHORTEST: Final = 8
"""Letters of a secret; shorter values are words that stand in any text."""
LONGEST_WORDS: Final = 16
"""Letters of plain words in the environment that are no secret; a passphrase is longer."""
_NAMES: Final = re.compile(
    r"((token|secret|credential|passw(or)?d|passphrase|apikey)s?"
    r"|(^|_)(key|pass|pat|auth|authorization|cookie|dsn)s?"
    r"|access_key_id|secret_key_base)(_?\d+)?$",
    re.IGNORECASE,
)
_WORDS: Final = re.compile(r"[A-Z]?[a-z]+([_ .-][a-z]+)*|[A-Z]+(_[A-Z]+)*")
_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#@:]*:([^/?#]+)@")

_ESCAPED: Final = re.compile(rb"%([0-9A-Fa-f]{2})")


class Redactor:
    """Replaces known secrets by a mark. Knows them only while it lives; tells none."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = {secret for secret in secrets if len(secret) >= SHORTEST}
        self._known = frozenset(known)
        known |= {_encode_json(secret) for secret in known}
        # The longest first, so that no half of one is left when another is part of it.
        self._secrets = sorted(known, key=lambda secret: (-len(secret), secret))
        self._encoded = [_encode_json(secret).encode() for secret in self._secrets]

    def __repr__(self) -> str:
        return f"Redaction(<{len(self._known)} secrets>)"

    def with_secrets(self, *secrets: str) -> "Redactor":
        """One that knows these as well."""
        return Redactor({*self._known, *secrets})

    def redact_text(self, text: str) -> str:
        """The text with every secret replaced."""
        for secret in self._secrets:
            text = text.replace(secret, MARK)
        return text

    def redact_values(self, document: Any) -> Any:
        """A document of plain values with every secret in its texts replaced.

        Keys and numbers are left alone: they say what the document is. Where no secret
        can be in it, it is the document itself.
        """
        if not self._may_contain_secret(document):
            return document
        whole = [document]
        # No recursion: a model may write as deep as a reader goes.
        left: list[Any] = [whole]
        while left:
            part = left.pop()
            pairs = part.items() if isinstance(part, dict) else enumerate(part)
            for at, value in list(pairs):
                if isinstance(value, str):
                    part[at] = self.redact_text(value)
                elif isinstance(value, dict | list | tuple):
                    part[at] = dict(value) if isinstance(value, dict) else list(value)
                    left.append(part[at])
        return whole[0]

    def _may_contain_secret(self, document: Any) -> bool:
        """Whether a text of the document may hold a secret; one look at all of it."""
        if not self._secrets:
            return False
        try:
            content = msgspec.json.encode(document)
        except (TypeError, ValueError, OverflowError, RecursionError):
            # What JSON has no text for is looked at piece by piece.
            return True
        return any(secret in content for secret in self._encoded)

    def count_held_back(self, text: str) -> int:
        """Letters at the text's end that may be the beginning of a secret.

        Whoever tells a text piece by piece keeps these back until more has come.
        """
        return max(
            (_measure_overlap(text, secret) for secret in self._secrets), default=0
        )


def _encode_json(secret: str) -> str:
    """The secret as it stands in a text that is JSON itself."""
    encoded = msgspec.json.encode(secret.encode("utf-8", "replace").decode())
    return encoded[1:-1].decode()


def _measure_overlap(text: str, secret: str) -> int:
    at = text.find(secret[0], max(len(text) - len(secret) + 1, 0))
    while at >= 0:
        if secret.startswith(text[at:]):
            return len(text) - at
        at = text.find(secret[0], at + 1)
    return 0


def find_environment_secrets(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The values of variables whose names say that they are secrets: `*_API_KEY`.

    Of an address with a password, whatever the variable is called, the password. A few
    plain words are no secret: `SORT_KEY=iteration`.
    """
    found = dict.fromkeys(_find_candidates(environment))
    return tuple(value for value in found if not _is_plain(value))


def _find_candidates(environment: Mapping[str, str]) -> Iterator[str]:
    for name, value in environment.items():
        if _NAMES.search(name):
            yield value
        address = _ADDRESS.match(value)
        if address is not None:
            yield from (address[1], _unescape(address[1]))


def _unescape(text: str) -> str:
    """What an address writes as `%21` and the like, in letters."""
    encoded = text.encode("utf-8", "surrogatepass")
    plain = _ESCAPED.sub(lambda found: bytes.fromhex(found[1].decode()), encoded)
    return plain.decode("utf-8", "replace")


def _is_plain(value: str) -> bool:
    return len(value) <= LONGEST_WORDS and _WORDS.fullmatch(value) is not None
