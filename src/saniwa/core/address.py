"""Addresses as they may be shown: without what could be a secret."""

import re
from typing import Final

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_QUERY: Final = re.compile(r"[?#]")


def shown(address: str) -> str:
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
