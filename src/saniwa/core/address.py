"""Addresses as they may be shown: without what could be a secret."""

import re
from typing import Final

_PARTS: Final = re.compile(
    r"([A-Za-z][A-Za-z0-9+.-]*://)?([^/?#]*@)?([^?#]*)(.*)", re.S
)


def shown(address: str) -> str:
    """The address without a name or password before its host, and without a query."""
    scheme, name, rest, query = _PARTS.fullmatch(address).groups("")  # type: ignore[union-attr]
    return f"{scheme}{'…@' if name else ''}{rest}{'?…' if query else ''}"
