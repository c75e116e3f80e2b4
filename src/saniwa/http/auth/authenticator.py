"""Signs people in and out, and identifies the caller of a request."""

import asyncio
from pathlib import Path
from typing import Final, NamedTuple

from msgspec.structs import replace

from saniwa.core.clock import Clock
from saniwa.http.asgi import SCOPE_LOCAL, Header, Scope, list_header_values
from saniwa.http.auth import tokens
from saniwa.http.auth.caller import ANONYMOUS_CALLER, LOCAL_CALLER, Caller, make_caller
from saniwa.http.auth.credential_verifier import CredentialVerifier, make_credential_error
from saniwa.http.auth.tokens import RevokedTokens, SessionCookie, SessionToken, load_signing_key
from saniwa.http.settings import MonotonicClock, ServerSettings, find_client_network
from saniwa.store.gate.people import GatePerson, People, SecretSource

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
        caller = make_caller(person, "badge", tokens.derive_csrf_token(self._key, token))
        text = tokens.encode_token(self._key, token, person)
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
        headers, network = list_header_values(scope, b"authorization"), find_client_network(scope)
        if headers:
            bearer = _parse_bearer(headers)
            return make_caller(await self._credentials.verify_credential(bearer, network), "token")
        unknown = LOCAL_CALLER if scope[SCOPE_LOCAL] else ANONYMOUS_CALLER
        shown = self._cookie.read_values(scope)
        if not shown:
            return unknown
        found = self._read_token(shown[0]) if len(shown) == 1 else None
        if found is None:
            return Caller(visitor=unknown.visitor, by=unknown.by, stale=True)
        token, person = found
        csrf = tokens.derive_csrf_token(self._key, token)
        return make_caller(person, "badge", csrf, self._renew_cookie(token, person))

    def _renew_cookie(self, token: SessionToken, person: GatePerson) -> Header | None:
        now = self._clock.now()
        if now - token.last_used < _RENEWAL_MILLISECONDS:
            return None
        text = tokens.encode_token(self._key, replace(token, seen=now), person)
        return self._cookie.build_header(text, (token.expires - now) // 1_000)

    def _read_token(self, text: str) -> tuple[SessionToken, GatePerson] | None:
        now = self._clock.now()
        found = tokens.decode_token(self._key, text, self._credentials.find_person, now)
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
