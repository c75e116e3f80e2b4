"""Names and addresses of hosts: split, compared, and recognised as those of this machine."""

import ipaddress
import re
from functools import lru_cache
from typing import Final

LOCAL_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})
"""Names of this machine."""
_HOST_PATTERN: Final = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9_.-]+?)\.?(?::([0-9]{1,5}))?")


def split_host(text: str) -> tuple[str, str] | None:
    """Split a Host header into name and port, without brackets; None if invalid."""
    found = _HOST_PATTERN.fullmatch(text.lower())
    return None if found is None else (found[1].strip("[]"), found[2] or "")


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server at this name or address."""
    number = parse_address(host)
    return host == "localhost" if number is None else number.is_loopback


def is_ip_address(text: str) -> bool:
    """Whether a text is an IP address."""
    return parse_address(text) is not None


def is_same_machine(one: str, other: str) -> bool:
    """Whether two names or addresses are equal, however the address is written."""
    first, second = parse_address(one), parse_address(other)
    return one == other if first is None or second is None else first == second


@lru_cache(maxsize=1024)
def parse_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return an IP address, an IPv4 one also where it is written as IPv6; None for a name."""
    try:
        number = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
    mapped = number.ipv4_mapped if number.version == 6 else None
    return mapped or number
