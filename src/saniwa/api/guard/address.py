"""Names and numbers of machines: which are this one's, and which belong together."""

import ipaddress
import re
from typing import Final

from saniwa.api.guard.asgi import Scope

NEAR_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})
"""What this machine is called by itself."""
NOWHERE: Final = "nowhere"
"""The address of somebody who has none, as behind a socket file."""
_HOME: Final = 64
"""Bits of an IPv6 address that one household has to itself."""
_HOST: Final = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9_.-]+?)\.?(?::([0-9]{1,5}))?")


def split_host(text: str) -> tuple[str, str] | None:
    """Name and port of a Host header, without brackets; None where it is none."""
    found = _HOST.fullmatch(text.lower())
    return None if found is None else (found[1].strip("[]"), found[2] or "")


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach what listens at a name or number."""
    number = _number(host)
    return host == "localhost" if number is None else number.is_loopback


def is_number(text: str) -> bool:
    """Whether a text is an IP address."""
    return _number(text) is not None


def same_machine(one: str, other: str) -> bool:
    """Whether two names or numbers are one, however the number is written."""
    first, second = _number(one), _number(other)
    return one == other if first is None or second is None else first == second


def household(scope: Scope) -> str:
    """Whom limits count as one: an address, of IPv6 the part that one household has."""
    if not scope.get("client"):
        return NOWHERE
    number = _number(str(scope["client"][0]))
    if number is None:
        return NOWHERE
    if number.version == 4:
        return str(number)
    return str(ipaddress.ip_network((number, _HOME), strict=False))


def _number(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        number = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
    mapped = number.ipv4_mapped if number.version == 6 else None
    return mapped or number
