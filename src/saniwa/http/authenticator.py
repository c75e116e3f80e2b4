"""Signs people in and out, verifies their secrets, and identifies the caller of a request."""

import asyncio
import hmac
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final, NamedTuple

from msgspec.structs import replace
from starlette.types import Scope

from saniwa.app.caller import ANONYMOUS_CALLER, LOCAL_CALLER, Caller, make_caller
from saniwa.core.clock import Clock
from saniwa.core.errors import ProcessError, make_rate_limit_error
from saniwa.http import session_tokens
from saniwa.http.limits import TokenBuckets, find_client_network
from saniwa.http.request_scope import SCOPE_LOCAL, list_header_values
from saniwa.http.responses import Header
from saniwa.http.server_settings import MonotonicClock, RequestLimits, ServerSettings
from saniwa.http.session_tokens import (
    CachedFile,
    RevokedTokens,
    SessionCookie,
    SessionToken,
    load_signing_key,
)
from saniwa.store.gate import people as store_people
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
        self._sheet = CachedFile(people.path, store_people.read_people)
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
        raise make_rate_limit_error("too many sign-in attempts", wait - self._longest)

    def _return_attempt(self, pair: str, address: str) -> None:
        self._tries.return_token(pair)
        self._tries_each.return_token(address)

    async def _verify_slowly(self, credential: str, address: str) -> GatePerson:
        full = self._waiting.total() >= MAX_WAITING
        if full or self._waiting[address] >= MAX_WAITING_PER_ADDRESS:
            raise make_rate_limit_error("too many sign-ins at the same time", 1)
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
        "no registered person has this name and secret",
        hint="type both again; list the names on the server: saniwa gate people list",
    )


TOKEN_HOURS: Final = 12
"""Hours until a session token expires."""
RENEWAL_MINUTES: Final = 5
"""Minutes since the last use after which a session token is renewed."""
_TOKEN_SECONDS: Final = TOKEN_HOURS * 3_600
_RENEWAL_MILLISECONDS: Final = RENEWAL_MINUTES * 60_000


class SignInResult(NamedTuple):
    """The result of signing in."""

    caller: Caller
    """The caller from now on."""
    cookie: Header
    """The header of the answer with the session token."""


class Authenticator:
    """Knows the people of a gate, and verifies their session tokens."""

    def __init__(
        self,
        people: People,
        folder: Path,
        settings: ServerSettings,
        *,
        clock: Clock,
        seconds: MonotonicClock,
        chance: SecretSource,
    ) -> None:
        """Create an authenticator that stores its signing key in a folder.

        Raises:
            StoreError: `TRACE_UNWRITABLE`, `STORE_UNREADABLE`.
        """
        self._people = people
        self._credentials = CredentialVerifier(people, settings.effective_limits, seconds, chance)
        self._key = load_signing_key(folder, chance)
        self._revoked = RevokedTokens(folder)
        self._cookie = SessionCookie(self._key, https=settings.https)
        self._clock = clock
        self._chance = chance

    async def sign_in(self, scope: Scope, name: str, secret: str) -> SignInResult:
        """Check a name and its secret, and issue a session token.

        Raises:
            ProcessError: `CREDENTIAL_REFUSED`.
            ProtocolError: `TOO_MANY_REQUESTS`.
            StoreError: `STORE_UNREADABLE`.
        """
        # A name has no colon; with one, part of it would be taken for the secret.
        if ":" in name:
            raise make_credential_error()
        network = find_client_network(scope)
        return self._issue_token(
            await self._credentials.verify_credential(f"{name}:{secret}", network)
        )

    def _issue_token(self, person: GatePerson) -> SignInResult:
        now = self._clock.now()
        token = SessionToken(
            name=person.name,
            issued=now,
            expires=now + _TOKEN_SECONDS * 1_000,
            serial=self._chance.draw_bytes(12).hex(),
        )
        caller = make_caller(person, "badge", session_tokens.derive_csrf_token(self._key, token))
        text = session_tokens.encode_token(self._key, token, person)
        return SignInResult(caller, self._cookie.build_header(text, _TOKEN_SECONDS))

    async def change_secret(self, scope: Scope, name: str, secret: str, new: str) -> SignInResult:
        """Change a person's secret; revoke all their tokens and issue a new one.

        The current secret is required again: a session token alone does not change it.

        Raises:
            ProcessError: `CREDENTIAL_REFUSED`, `PERSON_UNUSABLE`.
            ProtocolError: `TOO_MANY_REQUESTS`.
            StoreError: It could not be read or written.
        """
        await self._credentials.verify_credential(f"{name}:{secret}", find_client_network(scope))
        change = self._people.change_secret
        return self._issue_token(await asyncio.to_thread(change, name, secret, new))

    async def sign_out_everywhere(self, name: str) -> Header:
        """Revoke every session token that a person has been issued until now.

        Raises:
            StoreError: It could not be written.
        """
        await asyncio.to_thread(self._revoked.revoke_all, name, self._clock.now())
        return self.clearing_header

    async def sign_out(self, scope: Scope) -> Header:
        """Revoke the session token of a request; return the header that clears it.

        Raises:
            StoreError: It could not be written.
        """
        for text in self._cookie.read_values(scope):
            found = self._read_token(text)
            if found is not None:
                now = self._clock.now()
                await asyncio.to_thread(self._revoked.revoke_token, found[0], now)
        return self.clearing_header

    @property
    def clearing_header(self) -> Header:
        """The header that makes a browser delete the session cookie."""
        return self._cookie.build_header("", 0)

    async def identify_caller(self, scope: Scope) -> Caller:
        """Return the caller, identified by bearer token, session or address.

        An unknown bearer token is refused. An invalid session token marks the caller as
        `stale`, who is otherwise treated like one without a token.

        Raises:
            ProcessError: `CREDENTIAL_REFUSED`.
            ProtocolError: `TOO_MANY_REQUESTS`.
            StoreError: `STORE_UNREADABLE`.
        """
        headers = list_header_values(scope, b"authorization")
        if headers:
            bearer, network = _parse_bearer(headers), find_client_network(scope)
            return make_caller(await self._credentials.verify_credential(bearer, network), "token")
        unknown = LOCAL_CALLER if scope[SCOPE_LOCAL] else ANONYMOUS_CALLER
        if not list_header_values(scope, b"cookie"):
            return unknown
        shown = self._cookie.read_values(scope)
        if not shown:
            return unknown
        found = self._read_token(shown[0]) if len(shown) == 1 else None
        if found is None:
            return Caller(visitor=unknown.visitor, by=unknown.by, stale=True)
        token, person = found
        csrf = session_tokens.derive_csrf_token(self._key, token)
        return make_caller(person, "badge", csrf, self._renew_cookie(token, person))

    def _renew_cookie(self, token: SessionToken, person: GatePerson) -> Header | None:
        now = self._clock.now()
        if now - token.last_used < _RENEWAL_MILLISECONDS:
            return None
        text = session_tokens.encode_token(self._key, replace(token, seen=now), person)
        return self._cookie.build_header(text, (token.expires - now) // 1_000)

    def _read_token(self, text: str) -> tuple[SessionToken, GatePerson] | None:
        now = self._clock.now()
        found = session_tokens.decode_token(self._key, text, self._credentials.find_person, now)
        return None if found is None or self._revoked.is_revoked(found[0]) else found


def _parse_bearer(headers: list[str]) -> str:
    """Return the `NAME:SECRET` of an Authorization header, which is UTF-8."""
    kind, _, token = headers[0].partition(" ")
    if len(headers) != 1 or kind.lower() != "bearer":
        raise make_credential_error()
    try:
        return token.strip().encode("latin-1").decode("utf-8")
    except ValueError as problem:
        raise make_credential_error() from problem
