"""Where one signs in and out, and where it is found out who asks."""

import asyncio
from pathlib import Path
from typing import Final, NamedTuple

from msgspec.structs import replace

from saniwa.core.clock import Clock
from saniwa.http.asgi import SCOPE_LOCAL, Header, Scope, list_header_values
from saniwa.http.auth import tokens
from saniwa.http.auth.caller import ANONYMOUS_CALLER, LOCAL_CALLER, Caller, make_caller
from saniwa.http.auth.credentials import CredentialVerifier, make_credential_error
from saniwa.http.auth.tokens import (
    RevokedTokens,
    SessionCookie,
    SessionToken,
    load_signing_key,
)
from saniwa.http.settings import ServerSettings, find_client_network
from saniwa.http.token_buckets import MonotonicClock
from saniwa.store.gate.people import GatePerson, People, SecretSource

TOKEN_HOURS: Final = 12
"""How long a badge counts."""
RENEWAL_MINUTES: Final = 5
"""How old the last use of a badge may be before it is renewed."""
_TOKEN_SECONDS: Final = TOKEN_HOURS * 3_600
_RENEWAL_MILLISECONDS: Final = RENEWAL_MINUTES * 60_000


class SignInResult(NamedTuple):
    """Somebody who has just signed in."""

    caller: Caller
    """Who they are from now on."""
    cookie: Header
    """The header of the answer that carries their badge."""


class Authenticator:
    """Knows the people of a gate, and the badges they were given."""

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
        """A reception that keeps its key in a folder.

        Raises:
            StoreError: `TRACE_UNWRITABLE`, `STORE_UNREADABLE`.
        """
        self._people = people
        self._credentials = CredentialVerifier(
            people, settings.effective_limits, seconds, chance
        )
        self._key = load_signing_key(folder, chance)
        self._departed = RevokedTokens(folder)
        self._cookie = SessionCookie(self._key, https=settings.https)
        self._clock = clock
        self._chance = chance

    async def sign_in(self, scope: Scope, name: str, secret: str) -> SignInResult:
        """Give somebody a badge who knows a name's secret.

        Raises:
            ProcessError: `CREDENTIAL_REFUSED`.
            ProtocolError: `TOO_MANY_REQUESTS`.
            StoreError: `STORE_UNREADABLE`.
        """
        # A name has no colon; with one, a part of it would be taken for the secret.
        if ":" in name:
            raise make_credential_error()
        person = await self._credentials.verify_credential(
            f"{name}:{secret}", find_client_network(scope)
        )
        return self._issue_token(person)

    def _issue_token(self, person: GatePerson) -> SignInResult:
        badge = self._make_token(person)
        caller = make_caller(
            person, "badge", tokens.derive_csrf_token(self._key, badge)
        )
        text = tokens.encode_token(self._key, badge, person)
        return SignInResult(caller, self._cookie.build_header(text, _TOKEN_SECONDS))

    async def change_secret(
        self, scope: Scope, name: str, secret: str, new: str
    ) -> SignInResult:
        """Give a person another secret; all badges so far end, and this is a new one.

        The secret of now is asked for once more: a badge alone changes none.

        Raises:
            ProcessError: `CREDENTIAL_REFUSED`, `PERSON_UNUSABLE`.
            ProtocolError: `TOO_MANY_REQUESTS`.
            StoreError: It could not be read or written.
        """
        await self._credentials.verify_credential(
            f"{name}:{secret}", find_client_network(scope)
        )
        change = self._people.change_secret
        return self._issue_token(await asyncio.to_thread(change, name, secret, new))

    async def sign_out_everywhere(self, name: str) -> Header:
        """Let no badge count that a person was given until now.

        Raises:
            StoreError: It could not be written down.
        """
        await asyncio.to_thread(self._departed.revoke_all, name, self._clock.now())
        return self.clearing_header

    async def sign_out(self, scope: Scope) -> Header:
        """Let the badge somebody shows count no longer; the header takes it back.

        Raises:
            StoreError: It could not be written down.
        """
        for text in self._cookie.read_values(scope):
            found = self._read_token(text)
            if found is not None:
                now = self._clock.now()
                await asyncio.to_thread(self._departed.revoke_token, found[0], now)
        return self.clearing_header

    @property
    def clearing_header(self) -> Header:
        """The header that makes a browser forget a badge."""
        return self._cookie.build_clearing_header()

    async def identify_caller(self, scope: Scope) -> Caller:
        """Who asks: by a token, else by a badge, else by being near.

        A token that is nobody's is refused; a badge that counts no longer is told of, and
        whoever shows it is let in as if without.

        Raises:
            ProcessError: `CREDENTIAL_REFUSED`.
            ProtocolError: `TOO_MANY_REQUESTS`.
            StoreError: `STORE_UNREADABLE`.
        """
        said = list_header_values(scope, b"authorization")
        if said:
            person = await self._credentials.verify_credential(
                _parse_bearer(said), find_client_network(scope)
            )
            return make_caller(person, "token")
        unknown = LOCAL_CALLER if scope[SCOPE_LOCAL] else ANONYMOUS_CALLER
        shown = self._cookie.read_values(scope)
        if not shown:
            return unknown
        found = self._read_token(shown[0]) if len(shown) == 1 else None
        if found is None:
            return Caller(visitor=unknown.visitor, by=unknown.by, stale=True)
        badge, person = found
        csrf = tokens.derive_csrf_token(self._key, badge)
        return make_caller(person, "badge", csrf, self._renew_cookie(badge, person))

    def _renew_cookie(self, badge: SessionToken, person: GatePerson) -> Header | None:
        now = self._clock.now()
        if now - badge.last_used < _RENEWAL_MILLISECONDS:
            return None
        text = tokens.encode_token(self._key, replace(badge, seen=now), person)
        return self._cookie.build_header(text, (badge.expires - now) // 1_000)

    def _read_token(self, text: str) -> tuple[SessionToken, GatePerson] | None:
        now = self._clock.now()
        found = tokens.decode_token(self._key, text, self._credentials.find_person, now)
        return None if found is None or self._departed.is_revoked(found[0]) else found

    def _make_token(self, person: GatePerson) -> SessionToken:
        now = self._clock.now()
        return SessionToken(
            name=person.name,
            issued=now,
            expires=now + _TOKEN_SECONDS * 1_000,
            serial=self._chance.draw_bytes(12).hex(),
        )


def _parse_bearer(said: list[str]) -> str:
    """The `NAME:SECRET` of an Authorization header; names may be in any script."""
    kind, _, token = said[0].partition(" ")
    if len(said) != 1 or kind.lower() != "bearer":
        raise make_credential_error()
    try:
        return token.strip().encode("latin-1").decode("utf-8")
    except ValueError as problem:
        raise make_credential_error() from problem
