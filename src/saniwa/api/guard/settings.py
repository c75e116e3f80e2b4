"""How strict the guard is, and for which names it stands."""

import msgspec

from saniwa.api.guard.address import is_loopback


class Rate(msgspec.Struct, frozen=True, kw_only=True):
    """How often somebody may ask."""

    each_second: float
    """Requests a second, in the long run."""
    at_once: int
    """Requests that may come together after a silence."""


FILES = 10
"""How much more often than anything else files of pages may be asked for."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What is too much."""

    rate: Rate
    """For one visitor; for one address where nobody signed in. Files of pages, which
    come many at once and cost little, may be asked for `FILES` times as often."""
    body: int = 4_194_304
    """Bytes of a request's body: a text of 300,000 letters, however it is written."""
    strangers_body: int = 16_384
    """Bytes of a body from somebody who must sign in first."""
    body_seconds: float = 20.0
    """How long a body may take to arrive."""
    streams: int = 1_000
    """Live streams of everybody together."""
    streams_each: int = 20
    """Live streams of one visitor or address."""
    tries: Rate = Rate(each_second=1 / 5, at_once=5)
    """Wrong secrets for one name from one address; after that, each one waits its turn."""
    tries_each: Rate = Rate(each_second=1, at_once=60)
    """Wrong secrets for all names together from one address."""
    tries_wait: float = 30.0
    """Seconds that somebody waits for their turn before they are told to come again."""
    remembered: int = 10_000
    """Visitors and addresses that are counted; the longest silent one is forgotten."""


NEAR = Limits(rate=Rate(each_second=2_000, at_once=4_000), streams_each=500)
"""For this machine alone: enough for a page, a test and two hundred players."""
FAR = Limits(rate=Rate(each_second=20, at_once=60))
"""For a server that others can reach."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Where the server stands, and how strict it is there."""

    host: str = "127.0.0.1"
    """The address it listens at."""
    hosts: tuple[str, ...] = ()
    """More names it is known by, such as a proxy's in front of it, at any port."""
    proxy: str = ""
    """The address of a proxy whose `X-Forwarded-For` is believed; empty for none."""
    https: bool = False
    """Whether people come over TLS, even if a proxy ends it before us."""
    limits: Limits | None = None
    """What is too much; where nothing is said, what fits the address."""

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach the server."""
        return is_loopback(self.host)

    @property
    def private(self) -> bool:
        """Whether nothing says that others come: no other address, name, proxy or TLS.

        A proxy may call us by this machine's own name for whoever it passes on.
        """
        return self.loopback and not self.hosts and not self.https and not self.proxy

    @property
    def bounds(self) -> Limits:
        """What is too much here.

        Chosen by how the server is opened: behind a proxy on this machine, everybody
        comes from its loopback address.
        """
        return self.limits or (NEAR if self.private else FAR)
