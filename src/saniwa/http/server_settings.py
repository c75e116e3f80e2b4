"""Settings of the server: where it listens, its names, its proxy, and limits on requests."""

from collections.abc import Callable

import msgspec

from saniwa.http.host_names import is_loopback

MonotonicClock = Callable[[], float]
"""A clock that only goes forward, such as `time.monotonic`."""


class AllowedRate(msgspec.Struct, frozen=True, kw_only=True):
    """How often a caller may ask."""

    each_second: float
    """Requests a second, in the long run."""
    at_once: int
    """Requests that may come at once after a pause."""


PAGE_FILE_FACTOR = 10
"""How much more often files of pages may be requested than anything else."""


class RequestLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits on requests."""

    rate: AllowedRate
    """For one visitor, or for one address without sign-in.

    Files of pages, which come many at once and cost little, may be requested
    `PAGE_FILE_FACTOR` times as often.
    """
    body: int = 4_194_304
    """Bytes of a request's body: a text of 300,000 characters, in any encoding."""
    strangers_body: int = 16_384
    """Bytes of a body from a caller who must sign in first."""
    body_seconds: float = 20.0
    """How long a body may take to arrive."""
    streams: int = 1_000
    """Live streams of all callers together."""
    streams_each: int = 20
    """Live streams of one visitor or address."""
    tries: AllowedRate = AllowedRate(each_second=1 / 5, at_once=5)
    """Wrong secrets for one name from one address; after that, each one must wait."""
    tries_each: AllowedRate = AllowedRate(each_second=1, at_once=60)
    """Wrong secrets for all names together from one address."""
    tries_wait: float = 30.0
    """Seconds that an attempt may wait before it is refused."""
    remembered: int = 10_000
    """Visitors and addresses that are counted; the least recently seen is forgotten."""


LOCAL_LIMITS = RequestLimits(rate=AllowedRate(each_second=2_000, at_once=4_000), streams_each=500)
"""For this machine alone: enough for a page, a test and two hundred players."""
PUBLIC_LIMITS = RequestLimits(rate=AllowedRate(each_second=20, at_once=60))
"""For a server that others can reach."""


class ServerSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The server's addresses, and how strict it is."""

    host: str = "127.0.0.1"
    """The address it listens at."""
    hosts: tuple[str, ...] = ()
    """Further names of the server, such as a proxy's in front of it, at any port."""
    proxy: str = ""
    """The address of a proxy whose `X-Forwarded-For` is trusted; empty for none."""
    https: bool = False
    """Whether users connect over TLS, even if a proxy terminates it."""
    limits: RequestLimits | None = None
    """The limits; None for those that fit the address."""

    @property
    def is_loopback_only(self) -> bool:
        """Whether only this machine can reach the server."""
        return is_loopback(self.host)

    @property
    def is_private(self) -> bool:
        """Whether nothing suggests remote users: no other address, name, proxy or TLS.

        A proxy may connect as this machine for any user it forwards.
        """
        return self.is_loopback_only and not self.hosts and not self.https and not self.proxy

    @property
    def effective_limits(self) -> RequestLimits:
        """The limits that apply.

        They depend on how the server is opened: behind a proxy on this machine, all
        users come from its loopback address.
        """
        return self.limits or (LOCAL_LIMITS if self.is_private else PUBLIC_LIMITS)
