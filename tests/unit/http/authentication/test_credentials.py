import asyncio
from pathlib import Path

import pytest

from saniwa.core.errors import SaniwaError
from saniwa.http import authenticator
from saniwa.http.authenticator import CredentialVerifier
from saniwa.store.gate.people import GatePerson, People
from tests.unit.http.middleware.guarded_requests import (
    FAR,
    SECRET,
    CountingBytes,
    GuardedServer,
    StandingClock,
)


class CountedPeople(People):
    """People that count how often a secret is checked."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.looks = 0

    def authenticate(self, credential: str) -> GatePerson:
        """Check a credential, and count it."""
        self.looks += 1
        return super().authenticate(credential)


class CountedWaits:
    """Waits no time, and records how long it should have been."""

    def __init__(self) -> None:
        """Nothing recorded."""
        self.seconds = list[float]()

    async def __call__(self, seconds: float) -> None:
        """Record the wait."""
        self.seconds.append(round(seconds, 3))


@pytest.fixture
def guarded_server(tmp_path: Path) -> GuardedServer:
    """A server with people."""
    return GuardedServer(tmp_path)


@pytest.fixture
def people(guarded_server: GuardedServer) -> CountedPeople:
    """Its people, with a count."""
    return CountedPeople(guarded_server.people.path)


@pytest.fixture
def verifier(guarded_server: GuardedServer, people: CountedPeople) -> CredentialVerifier:
    """The verifier of their credentials."""
    return CredentialVerifier(people, FAR.effective_limits, guarded_server.watch, CountingBytes())


def verify_name(known: CredentialVerifier, credential: str, address: str = "192.0.2.1") -> str:
    """The name of the person, or the code of the error."""
    try:
        return asyncio.run(known.verify_credential(credential, address)).name
    except SaniwaError as problem:
        return problem.code


def test_a_secret_is_looked_at_once(verifier: CredentialVerifier, people: CountedPeople) -> None:
    """A credential that was checked is remembered for some minutes."""
    names = [verify_name(verifier, f"ann:{SECRET}") for _ in range(20)]

    assert (["ann"] * 20, 1) == (names, people.looks)


def test_after_some_minutes_it_is_looked_at_again(
    verifier: CredentialVerifier, people: CountedPeople, guarded_server: GuardedServer
) -> None:
    """After some minutes it is checked again."""
    verify_name(verifier, f"ann:{SECRET}")
    guarded_server.watch.seconds += authenticator.REMEMBERED_SECONDS + 1
    verify_name(verifier, f"ann:{SECRET}")

    assert 2 == people.looks


def test_a_removed_person_is_forgotten_at_once(
    verifier: CredentialVerifier, guarded_server: GuardedServer
) -> None:
    """Removing a person or changing a secret forgets the credential at once."""
    before = verify_name(verifier, f"bot:{SECRET}")
    guarded_server.people.remove("bot", by=f"ann:{SECRET}")
    gone = verify_name(verifier, f"bot:{SECRET}")
    guarded_server.people.add("bot", "agent", "another secret", at="", by=f"ann:{SECRET}")

    assert ["bot", "CREDENTIAL_REFUSED", "CREDENTIAL_REFUSED", "bot"] == [
        before,
        gone,
        verify_name(verifier, f"bot:{SECRET}"),
        verify_name(verifier, "bot:another secret"),
    ]


def test_wrong_secrets_do_not_lock_the_right_one_out(
    people: CountedPeople, guarded_server: GuardedServer
) -> None:
    """After five wrong secrets each further one waits, and the right one is accepted."""
    pauses = CountedWaits()
    known = CredentialVerifier(
        people, FAR.effective_limits, guarded_server.watch, CountingBytes(), pauses
    )
    codes = [verify_name(known, f"ann:guess {number}") for number in range(7)]
    name = verify_name(known, f"ann:{SECRET}")

    assert (["CREDENTIAL_REFUSED"] * 7, "ann") == (codes, name)
    assert ([5, 10, 15], 8) == (pauses.seconds, people.looks)


def test_wrong_secrets_are_counted_by_address_and_name(
    people: CountedPeople, guarded_server: GuardedServer
) -> None:
    """Wrong secrets are counted per address and name."""
    pauses = CountedWaits()
    known = CredentialVerifier(
        people, FAR.effective_limits, guarded_server.watch, CountingBytes(), pauses
    )
    for number in range(5):
        verify_name(known, f"ann:guess {number}")
    verify_name(known, f"bot:{SECRET}")
    verify_name(known, f"ann:{SECRET}", "192.0.2.2")

    assert [] == pauses.seconds


def test_too_many_waiting_checks_are_asked_to_retry(
    people: CountedPeople, guarded_server: GuardedServer
) -> None:
    """The number of waiting checks is limited, and others get TOO_MANY_REQUESTS."""
    pauses = CountedWaits()
    known = CredentialVerifier(
        people, FAR.effective_limits, guarded_server.watch, CountingBytes(), pauses
    )
    codes = [verify_name(known, f"ann:guess {number}") for number in range(20)]
    guarded_server.watch.seconds += 5

    assert ["CREDENTIAL_REFUSED"] * 11 + ["TOO_MANY_REQUESTS"] * 9 == codes
    assert (11, 30) == (people.looks, max(pauses.seconds))
    assert "ann" == verify_name(known, f"ann:{SECRET}")


def test_one_address_tries_only_so_many_names(
    people: CountedPeople, guarded_server: GuardedServer
) -> None:
    """Wrong secrets for many names are counted per address."""
    pauses = CountedWaits()
    known = CredentialVerifier(
        people, FAR.effective_limits, guarded_server.watch, CountingBytes(), pauses
    )
    for number in range(62):
        verify_name(known, f"name{number}:guess")

    assert [1, 2] == pauses.seconds


def test_right_ones_are_no_tries(
    verifier: CredentialVerifier, people: CountedPeople, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Right secrets do not count as attempts."""
    monkeypatch.setattr(authenticator, "REMEMBERED_SECONDS", 0)
    names = [verify_name(verifier, f"ann:{SECRET}") for _ in range(7)]

    assert (["ann"] * 7, 7) == (names, people.looks)


def test_only_so_many_are_remembered(
    verifier: CredentialVerifier, people: CountedPeople, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number of remembered credentials is limited."""
    monkeypatch.setattr(authenticator, "MAX_REMEMBERED", 1)
    for name in ("ann", "bot", "bot", "ann"):
        verify_name(verifier, f"{name}:{SECRET}")

    assert 3 == people.looks


def test_secrets_wait_in_a_short_line(people: CountedPeople) -> None:
    """The number of checks that wait at once is limited."""
    known = CredentialVerifier(people, FAR.effective_limits, StandingClock(), CountingBytes())

    async def flood() -> list[object]:
        many = (known.verify_credential("ann:guess", f"192.0.2.{n}") for n in range(40))
        return await asyncio.gather(*many, return_exceptions=True)

    codes = [getattr(each, "code", "") for each in asyncio.run(flood())]

    assert authenticator.MAX_WAITING == codes.count("CREDENTIAL_REFUSED") == people.looks
    assert 40 - authenticator.MAX_WAITING == codes.count("TOO_MANY_REQUESTS")
    assert "ann" == verify_name(known, f"ann:{SECRET}", "192.0.2.99")


def test_what_was_not_looked_at_is_no_try(
    verifier: CredentialVerifier, people: CountedPeople, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refusal because others wait does not count as an attempt."""
    monkeypatch.setattr(authenticator, "MAX_WAITING", 0)
    away = [verify_name(verifier, f"ann:{SECRET}") for _ in range(10)]
    monkeypatch.undo()

    assert (["TOO_MANY_REQUESTS"] * 10, 0) == (away, people.looks)
    assert "ann" == verify_name(verifier, f"ann:{SECRET}")


@pytest.mark.parametrize(
    "credential", ["", ":", "ann", "ann:", f"Ann:{SECRET}", f"ann:{SECRET} ", "\x00:\ud800"]
)
def test_an_invalid_credential_belongs_to_no_person(
    verifier: CredentialVerifier, credential: str
) -> None:
    """Only the exact name and secret are accepted."""
    assert "CREDENTIAL_REFUSED" == verify_name(verifier, credential)


def test_a_refusal_reveals_nothing(verifier: CredentialVerifier) -> None:
    """A wrong name and a wrong secret get the same refusal, without a path."""
    with pytest.raises(SaniwaError) as one:
        asyncio.run(verifier.verify_credential("nobody:guess", "192.0.2.1"))
    with pytest.raises(SaniwaError) as other:
        asyncio.run(verifier.verify_credential("ann:guess", "192.0.2.1"))

    assert str(one.value) == str(other.value)
    assert "people.json" not in str(one.value)


def test_one_address_does_not_fill_the_line(people: CountedPeople) -> None:
    """One address with many attempts does not block the checks of others."""
    known = CredentialVerifier(people, FAR.effective_limits, StandingClock(), CountingBytes())

    async def flood() -> list[object]:
        many = [known.verify_credential(f"name{n}:guess", "192.0.2.1") for n in range(40)]
        other = known.verify_credential(f"ann:{SECRET}", "192.0.2.2")
        return await asyncio.gather(*many, other, return_exceptions=True)

    *refused, other = asyncio.run(flood())
    codes = [getattr(each, "code", "") for each in refused]

    assert "ann" == getattr(other, "name", "")
    assert authenticator.MAX_WAITING_PER_ADDRESS == codes.count("CREDENTIAL_REFUSED")
