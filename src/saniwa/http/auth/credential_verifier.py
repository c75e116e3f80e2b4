"""Verifies names and secrets; a slow check is done once and then cached for a while.

The cache has a keyed digest that covers the stored hash of the secret, so a person who
is removed or gets another secret is forgotten at once.
"""

import asyncio
import hmac
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable
from typing import Final

from saniwa.core.errors import ProcessError, make_rate_limit_error
from saniwa.http.auth.tokens import CachedFile
from saniwa.http.settings import MonotonicClock, RequestLimits, TokenBuckets
from saniwa.store.gate import people as gate_people
from saniwa.store.gate.people import LONGEST_NAME, GatePerson, People, SecretSource

REMEMBERED_SECONDS: Final = 300.0
"""Seconds for which a verified credential need not be checked again."""
MAX_REMEMBERED: Final = 1_000
"""Credentials that are cached."""
MAX_PARALLEL_CHECKS: Final = 2
"""Secrets that are checked at once; each takes 16 MB and some time of a core."""
MAX_WAITING: Final = 16
"""Secrets that may wait for a check."""
MAX_WAITING_PER_ADDRESS: Final = 4
"""Waiting secrets from one address, so that one address does not fill the queue."""
SleepFunction = Callable[[float], Awaitable[None]]
"""Waits so many seconds."""


class CredentialVerifier:
    """Verifies the credentials of a gate's people."""

    def __init__(
        self,
        people: People,
        limits: RequestLimits,
        seconds: MonotonicClock,
        chance: SecretSource,
        pause: SleepFunction = asyncio.sleep,
    ) -> None:
        """Use the people in a file, which is read again when it changes."""
        self._people = people
        self._sheet = CachedFile(people.path, gate_people.read_people)
        self._tries = TokenBuckets(limits.tries, limits.remembered, seconds)
        self._tries_each = TokenBuckets(limits.tries_each, limits.remembered, seconds)
        self._longest = limits.tries_wait
        self._pause = pause
        self._seconds = seconds
        self._key = chance.draw_bytes(32)
        self._until: OrderedDict[bytes, float] = OrderedDict()
        self._looking = asyncio.Semaphore(MAX_PARALLEL_CHECKS)
        self._waiting = Counter[str]()

    def find_person(self, name: str) -> GatePerson | None:
        """Return the person who has a name now.

        Raises:
            StoreError: `STORE_UNREADABLE`.
        """
        return next((p for p in self._sheet.read_current().people if p.name == name), None)

    async def verify_credential(self, credential: str, address: str) -> GatePerson:
        """Return the person to whom a `NAME:SECRET` belongs.

        Only wrong secrets count as attempts, by address and name. After several of them
        every further attempt waits before it is checked, also a correct one, which then
        succeeds.

        Raises:
            ProcessError: `CREDENTIAL_REFUSED`.
            ProtocolError: `TOO_MANY_REQUESTS`.
            StoreError: `STORE_UNREADABLE`.
        """
        name = credential.partition(":")[0]
        person = self.find_person(name)
        if person is not None and self._is_remembered(credential, person):
            return person
        # A name that is too long belongs to no person, and counts as one name.
        pair = f"{address} {name[: LONGEST_NAME + 1]}"
        wait = self._reserve_attempt(pair, address)
        try:
            if wait:
                await self._pause(wait)
            person = await self._verify_slowly(credential, address)
        except ProcessError:
            raise
        except BaseException:
            # The secret was not checked, so the attempt does not count.
            self._return_attempt(pair, address)
            raise
        self._return_attempt(pair, address)
        self._remember_credential(credential, person)
        return person

    def _reserve_attempt(self, pair: str, address: str) -> float:
        """Reserve an attempt, and return the seconds to wait for it."""
        wait = self._tries.reserve_token(pair, self._longest)
        if wait <= self._longest:
            of_all = self._tries_each.reserve_token(address, self._longest)
            if of_all <= self._longest:
                return max(wait, of_all)
            self._tries.return_token(pair)
            wait = of_all
        raise make_rate_limit_error("too many secrets are being tried", wait - self._longest)

    def _return_attempt(self, pair: str, address: str) -> None:
        self._tries.return_token(pair)
        self._tries_each.return_token(address)

    async def _verify_slowly(self, credential: str, address: str) -> GatePerson:
        full = self._waiting.total() >= MAX_WAITING
        if full or self._waiting[address] >= MAX_WAITING_PER_ADDRESS:
            raise make_rate_limit_error("too many secrets are being looked at", 1)
        self._waiting[address] += 1
        try:
            async with self._looking:
                return await asyncio.to_thread(self._people.authenticate, credential)
        except ProcessError as problem:
            raise make_credential_error() from problem
        finally:
            self._waiting[address] -= 1
            if not self._waiting[address]:
                del self._waiting[address]

    def _is_remembered(self, credential: str, person: GatePerson) -> bool:
        return self._until.get(self._compute_digest(credential, person), 0.0) > self._seconds()

    def _remember_credential(self, credential: str, person: GatePerson) -> None:
        digest = self._compute_digest(credential, person)
        self._until[digest] = self._seconds() + REMEMBERED_SECONDS
        self._until.move_to_end(digest)
        if len(self._until) > MAX_REMEMBERED:
            self._until.popitem(last=False)

    def _compute_digest(self, credential: str, person: GatePerson) -> bytes:
        content = credential.encode("utf-8", "surrogatepass")
        return hmac.digest(self._key, person.hash.encode() + content, "sha256")


def make_credential_error() -> ProcessError:
    """Return the error for an invalid credential; it does not say what is wrong."""
    return ProcessError(
        "CREDENTIAL_REFUSED",
        "nobody is known here by this name and secret",
        hint="a credential is NAME:SECRET; on the server: saniwa gate people list",
    )
