"""The cookie that carries a badge: for this server alone, and out of any script's reach."""

import hashlib
from typing import Final

from saniwa.api.guard.asgi import Header, Scope, values

_ALWAYS: Final = "Path=/; HttpOnly; SameSite=Strict"


class Cookie:
    """One server's cookie."""

    def __init__(self, key: bytes, *, https: bool) -> None:
        """A cookie named after the key.

        Browsers keep cookies by name and host but not by port, and two gardens on one
        machine shall not sign each other's visitors out.
        """
        mark = hashlib.sha256(b"saniwa cookie\0" + key).hexdigest()[:8]
        # With this prefix a browser takes the cookie only over TLS and from this very host.
        self.name = f"__Host-saniwa-{mark}" if https else f"saniwa-{mark}"
        """What it is called."""
        self._more = f"{_ALWAYS}; Secure" if https else _ALWAYS

    def shown(self, scope: Scope) -> list[str]:
        """Every value somebody shows under its name."""
        pairs = (p.strip() for v in values(scope, b"cookie") for p in v.split(";"))
        named = (pair.partition("=") for pair in pairs)
        return [value for name, _, value in named if name == self.name]

    def giving(self, text: str, seconds: int) -> Header:
        """The header that hands a badge out."""
        return _header(f"{self.name}={text}; Max-Age={seconds}; {self._more}")

    def taking_back(self) -> Header:
        """The header that makes a browser forget it."""
        return _header(f"{self.name}=; Max-Age=0; {self._more}")


def _header(value: str) -> Header:
    return b"set-cookie", value.encode("ascii")
