"""Names and secrets, looked at slowly once and then remembered for a while.

What is remembered is a keyed digest that covers what is kept of the secret now, so who is
removed or given another secret is forgotten at once.
"""

import asyncio
import hmac
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable
from typing import Final

from saniwa.api.guard.badges.watched import Watched
from saniwa.api.guard.limits.buckets import Buckets, Seconds
from saniwa.api.guard.settings import Limits
from saniwa.core.errors import ProcessError
from saniwa.core.patience import too_many
from saniwa.store.gate.people import file
from saniwa.store.gate.people.file import Person
from saniwa.store.gate.people.people import LONGEST_NAME, Chance, People

REMEMBERED: Final = 300.0
"""Seconds for which a credential need not be looked at again."""
MOST: Final = 1_000
"""Credentials that are remembered."""
AT_ONCE: Final = 2
"""Secrets that are looked at together; each takes 16 MB and some time of a core."""
WAITING: Final = 16
"""Secrets that may wait for it."""
WAITING_EACH: Final = 4
"""Secrets from one address among them, so that one address does not fill the line."""
Pause = Callable[[float], Awaitable[None]]
"""Waits so many seconds."""


class Credentials:
    """The credentials of a gate's people."""

    def __init__(
        self,
        people: People,
        limits: Limits,
        seconds: Seconds,
        chance: Chance,
        pause: Pause = asyncio.sleep,
    ) -> None:
        """Those of the people in a file, which is read again when it changes."""
        self._people = people
        self._sheet = Watched(people.path, file.read)
        self._tries = Buckets(limits.tries, limits.remembered, seconds)
        self._tries_each = Buckets(limits.tries_each, limits.remembered, seconds)
        self._longest = limits.tries_wait
        self._pause = pause
        self._seconds = seconds
        self._key = chance.fresh(32)
        self._until: OrderedDict[bytes, float] = OrderedDict()
        self._looking = asyncio.Semaphore(AT_ONCE)
        self._waiting = Counter[str]()

    def find(self, name: str) -> Person | None:
        """Who has a name now.

        Raises:
            StoreError: `STORE_UNREADABLE`.
        """
        return next((p for p in self._sheet.now().people if p.name == name), None)

    async def known(self, credential: str, address: str) -> Person:
        """The person whose `NAME:SECRET` this is.

        Only wrong ones count as tries, by address and name. After some of them each next
        one waits before it is looked at, also a right one, which then succeeds.

        Raises:
            ProcessError: `CREDENTIAL_REFUSED`.
            ProtocolError: `TOO_MANY_REQUESTS`.
            StoreError: `STORE_UNREADABLE`.
        """
        name = credential.partition(":")[0]
        person = self.find(name)
        if person is not None and self._remembers(credential, person):
            return person
        # A name that is too long is no one's, and is counted as one.
        pair = f"{address} {name[: LONGEST_NAME + 1]}"
        wait = self._turn(pair, address)
        try:
            if wait:
                await self._pause(wait)
            person = await self._looked_at(credential, address)
        except ProcessError:
            raise
        except BaseException:
            # Nobody has looked: that says nothing about the secret.
            self._give_back(pair, address)
            raise
        self._give_back(pair, address)
        self._remember(credential, person)
        return person

    def _turn(self, pair: str, address: str) -> float:
        """Take a turn: the seconds until it comes."""
        wait = self._tries.reserve(pair, self._longest)
        if wait <= self._longest:
            of_all = self._tries_each.reserve(address, self._longest)
            if of_all <= self._longest:
                return max(wait, of_all)
            self._tries.give_back(pair)
            wait = of_all
        raise too_many("too many secrets are being tried", wait - self._longest)

    def _give_back(self, pair: str, address: str) -> None:
        self._tries.give_back(pair)
        self._tries_each.give_back(address)

    async def _looked_at(self, credential: str, address: str) -> Person:
        full = self._waiting.total() >= WAITING
        if full or self._waiting[address] >= WAITING_EACH:
            raise too_many("too many secrets are being looked at", 1)
        self._waiting[address] += 1
        try:
            async with self._looking:
                return await asyncio.to_thread(self._people.known, credential)
        except ProcessError as problem:
            raise refused() from problem
        finally:
            self._waiting[address] -= 1
            if not self._waiting[address]:
                del self._waiting[address]

    def _remembers(self, credential: str, person: Person) -> bool:
        return self._until.get(self._digest(credential, person), 0.0) > self._seconds()

    def _remember(self, credential: str, person: Person) -> None:
        digest = self._digest(credential, person)
        self._until[digest] = self._seconds() + REMEMBERED
        self._until.move_to_end(digest)
        if len(self._until) > MOST:
            self._until.popitem(last=False)

    def _digest(self, credential: str, person: Person) -> bytes:
        content = credential.encode("utf-8", "surrogatepass")
        return hmac.digest(self._key, person.hash.encode() + content, "sha256")


def refused() -> ProcessError:
    """The error for a credential that is nobody's; it tells no more than that."""
    return ProcessError(
        "CREDENTIAL_REFUSED",
        "nobody is known here by this name and secret",
        hint="a credential is NAME:SECRET; on the server: saniwa gate people list",
    )
