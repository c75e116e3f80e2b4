"""Where one signs in and out, and where it is found out who asks."""

import asyncio
from pathlib import Path
from typing import Final, NamedTuple

from msgspec.structs import replace

from saniwa.api.guard.address import household
from saniwa.api.guard.asgi import NEAR, Header, Scope, values
from saniwa.api.guard.badges import badge as badges
from saniwa.api.guard.badges.badge import Badge
from saniwa.api.guard.badges.cookie import Cookie
from saniwa.api.guard.badges.credentials import Credentials, refused
from saniwa.api.guard.badges.departed import Departed
from saniwa.api.guard.badges.key import badge_key
from saniwa.api.guard.caller import LOCAL, NOBODY, Caller, signed_in
from saniwa.api.guard.limits.buckets import Seconds
from saniwa.api.guard.settings import Settings
from saniwa.core.clock import Clock
from saniwa.store.gate.people.file import Person
from saniwa.store.gate.people.people import Chance, People

HOURS: Final = 12
"""How long a badge counts."""
RENEWED_MINUTES: Final = 5
"""How old the last use of a badge may be before it is renewed."""
_SECONDS: Final = HOURS * 3_600
_RENEWED: Final = RENEWED_MINUTES * 60_000


class Entrance(NamedTuple):
    """Somebody who has just signed in."""

    caller: Caller
    """Who they are from now on."""
    cookie: Header
    """The header of the answer that carries their badge."""


class Reception:
    """Knows the people of a gate, and the badges they were given."""

    def __init__(
        self,
        people: People,
        folder: Path,
        settings: Settings,
        *,
        clock: Clock,
        seconds: Seconds,
        chance: Chance,
    ) -> None:
        """A reception that keeps its key in a folder.

        Raises:
            StoreError: `TRACE_UNWRITABLE`, `STORE_UNREADABLE`.
        """
        self._people = people
        self._credentials = Credentials(people, settings.bounds, seconds, chance)
        self._key = badge_key(folder, chance)
        self._departed = Departed(folder)
        self._cookie = Cookie(self._key, https=settings.https)
        self._clock = clock
        self._chance = chance

    async def sign_in(self, scope: Scope, name: str, secret: str) -> Entrance:
        """Give somebody a badge who knows a name's secret.

        Raises:
            ProcessError: `CREDENTIAL_REFUSED`.
            ProtocolError: `TOO_MANY_REQUESTS`.
            StoreError: `STORE_UNREADABLE`.
        """
        # A name has no colon; with one, a part of it would be taken for the secret.
        if ":" in name:
            raise refused()
        person = await self._credentials.known(f"{name}:{secret}", household(scope))
        return self._entered(person)

    def _entered(self, person: Person) -> Entrance:
        badge = self._fresh(person)
        caller = signed_in(person, "badge", badges.csrf_of(self._key, badge))
        text = badges.write(self._key, badge, person)
        return Entrance(caller, self._cookie.giving(text, _SECONDS))

    async def change_secret(
        self, scope: Scope, name: str, secret: str, new: str
    ) -> Entrance:
        """Give a person another secret; all badges so far end, and this is a new one.

        The secret of now is asked for once more: a badge alone changes none.

        Raises:
            ProcessError: `CREDENTIAL_REFUSED`, `PERSON_UNUSABLE`.
            ProtocolError: `TOO_MANY_REQUESTS`.
            StoreError: It could not be read or written.
        """
        await self._credentials.known(f"{name}:{secret}", household(scope))
        change = self._people.change_secret
        return self._entered(await asyncio.to_thread(change, name, secret, new))

    async def sign_out_everywhere(self, name: str) -> Header:
        """Let no badge count that a person was given until now.

        Raises:
            StoreError: It could not be written down.
        """
        await asyncio.to_thread(self._departed.add_all, name, self._clock.now())
        return self.goodbye

    async def sign_out(self, scope: Scope) -> Header:
        """Let the badge somebody shows count no longer; the header takes it back.

        Raises:
            StoreError: It could not be written down.
        """
        for text in self._cookie.shown(scope):
            found = self._read(text)
            if found is not None:
                now = self._clock.now()
                await asyncio.to_thread(self._departed.add, found[0], now)
        return self.goodbye

    @property
    def goodbye(self) -> Header:
        """The header that makes a browser forget a badge."""
        return self._cookie.taking_back()

    async def caller(self, scope: Scope) -> Caller:
        """Who asks: by a token, else by a badge, else by being near.

        A token that is nobody's is refused; a badge that counts no longer is told of, and
        whoever shows it is let in as if without.

        Raises:
            ProcessError: `CREDENTIAL_REFUSED`.
            ProtocolError: `TOO_MANY_REQUESTS`.
            StoreError: `STORE_UNREADABLE`.
        """
        said = values(scope, b"authorization")
        if said:
            person = await self._credentials.known(_token(said), household(scope))
            return signed_in(person, "token")
        unknown = LOCAL if scope[NEAR] else NOBODY
        shown = self._cookie.shown(scope)
        if not shown:
            return unknown
        found = self._read(shown[0]) if len(shown) == 1 else None
        if found is None:
            return Caller(visitor=unknown.visitor, by=unknown.by, stale=True)
        badge, person = found
        csrf = badges.csrf_of(self._key, badge)
        return signed_in(person, "badge", csrf, self._renewal(badge, person))

    def _renewal(self, badge: Badge, person: Person) -> Header | None:
        now = self._clock.now()
        if now - badge.used < _RENEWED:
            return None
        text = badges.write(self._key, replace(badge, seen=now), person)
        return self._cookie.giving(text, (badge.expires - now) // 1_000)

    def _read(self, text: str) -> tuple[Badge, Person] | None:
        now = self._clock.now()
        found = badges.read(self._key, text, self._credentials.find, now)
        return None if found is None or self._departed.has(found[0]) else found

    def _fresh(self, person: Person) -> Badge:
        now = self._clock.now()
        return Badge(
            name=person.name,
            issued=now,
            expires=now + _SECONDS * 1_000,
            serial=self._chance.fresh(12).hex(),
        )


def _token(said: list[str]) -> str:
    """The `NAME:SECRET` of an Authorization header; names may be in any script."""
    kind, _, token = said[0].partition(" ")
    if len(said) != 1 or kind.lower() != "bearer":
        raise refused()
    try:
        return token.strip().encode("latin-1").decode("utf-8")
    except ValueError as problem:
        raise refused() from problem
