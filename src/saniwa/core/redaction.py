"""Keeping secrets out of texts that others will read."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

MARK: Final = "[redacted]"
"""What stands where a secret stood."""
SHORTEST: Final = 8
"""Letters of a secret; shorter values are words that stand in any text."""
_NAMES: Final = re.compile(
    r"(^|_)(key|token|secret|credential)s?$|passw(or)?d$", re.IGNORECASE
)


class Redaction:
    """Replaces known secrets by a mark. Knows them only while it lives; tells none."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = {secret for secret in secrets if len(secret) >= SHORTEST}
        # The longest first, so that no half of one is left when another is part of it.
        self._secrets = sorted(known, key=lambda secret: (-len(secret), secret))
        self._encoded = [
            msgspec.json.encode(secret.encode("utf-8", "replace").decode())[1:-1]
            for secret in self._secrets
        ]

    def __repr__(self) -> str:
        return f"Redaction(<{len(self._secrets)} secrets>)"

    def text(self, text: str) -> str:
        """The text with every secret replaced."""
        for secret in self._secrets:
            text = text.replace(secret, MARK)
        return text

    def document(self, encoded: bytes) -> bytes:
        """A JSON document with every secret in it replaced; still JSON."""
        for secret in self._encoded:
            encoded = encoded.replace(secret, MARK.encode())
        return encoded

    def held(self, text: str) -> int:
        """Letters at the text's end that may be the beginning of a secret.

        Whoever tells a text piece by piece keeps these back until more has come.
        """
        return max((_overlap(text, secret) for secret in self._secrets), default=0)


def _overlap(text: str, secret: str) -> int:
    longest = min(len(text), len(secret) - 1)
    starts = (n for n in range(longest, 0, -1) if text.endswith(secret[:n]))
    return next(starts, 0)


def environment_secrets(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The values of variables whose names say that they are secrets: `*_API_KEY`."""
    return tuple(value for name, value in environment.items() if _NAMES.search(name))
