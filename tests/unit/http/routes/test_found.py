from pathlib import Path
from typing import Any

import pytest

from tests.fakes.gardens import Asking, garden_in, somebody


@pytest.fixture
def hosts(tmp_path: Path) -> tuple[Asking, Asking]:
    """Mika, who has begun a run, and Ren, who has not, in one garden."""
    garden = garden_in(tmp_path)
    mika = Asking(garden, somebody("mika"))
    mika.begin(scenario="door_and_key")
    ren = Asking(garden, somebody("ren"))
    ren.run, ren.revision = mika.run, mika.revision
    return mika, ren


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/words", {"text": "go east"}),
        ("/steps", None),
        ("/choices", {"index": 0}),
        ("/back", {"steps": 1}),
        ("/skip", None),
        ("/saves/here/load", None),
    ],
)
def test_who_began_a_run_plays_it_and_others_watch(
    hosts: tuple[Asking, Asking], path: str, body: dict[str, object] | None
) -> None:
    """Somebody else is told whose it is, and changes nothing."""
    _, ren = hosts
    told = ren.change(path, body)

    assert ("NOT_YOURS", 403) == (told["code"], told["status"])
    assert "mika" == told["details"]["owner"]
    assert 0 == ren.read("/moment")["revision"]


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_places_of_a_run_are_its_owners_too(hosts: tuple[Asking, Asking], method: str) -> None:
    """Nobody names or forgets places in a run of somebody else's."""
    _, ren = hosts
    told = ren.client.request(method, ren.at("/saves/here"))

    assert (403, "NOT_YOURS") == (told.status_code, told.json()["code"])


def test_the_owner_plays_on_and_the_list_says_whose_it_is(hosts: tuple[Asking, Asking]) -> None:
    """What was begun under a name stays under it."""
    mika, ren = hosts

    assert 1 == mika.change("/words", {"text": "go east"})["revision"]
    assert "mika" == ren.read("")["line"]["owner"]


def test_whoever_sits_at_the_machine_may_play_everything(hosts: tuple[Asking, Asking]) -> None:
    """Nothing is hidden from who owns the store."""
    mika, _ = hosts
    near = Asking(mika.garden)
    near.run = mika.run

    assert 1 == near.change("/words", {"text": "go east"})["revision"]


def test_an_agent_may_play_and_change_nothing_else(tmp_path: Path) -> None:
    """Rules, files and tables are for people."""
    agent = Asking(garden_in(tmp_path), somebody("bot", "agent"))
    agent.begin(scenario="door_and_key")
    played = agent.change("/words", {"text": "go east"})
    edited = agent.change("/rulebook", {"layer": {"rules": []}})

    assert 1 == played["revision"]
    assert (403, "FORBIDDEN") == (edited["status"], edited["code"])


def test_the_same_key_of_two_people_names_two_requests(tmp_path: Path) -> None:
    """Nobody is given what somebody else began."""
    garden = garden_in(tmp_path)
    begun = {
        Asking(garden, somebody(name))
        .client.post(
            "/api/v1/runs", json={"scenario": "door_and_key"}, headers={"Idempotency-Key": "k"}
        )
        .json()["run"]
        for name in ("mika", "ren")
    }

    assert 2 == len(begun)


def test_whoever_watches_a_run_is_rung_when_it_changes(tmp_path: Path) -> None:
    """A change is seen at once, and not at the next look."""
    host = Asking(garden_in(tmp_path))
    host.begin(scenario="door_and_key")
    rung: list[str] = []
    host.garden.notifier.notify = rung.append  # type: ignore[method-assign,assignment]
    host.change("/words", {"text": "go east"})

    assert [host.run] == rung


def test_the_same_key_of_two_people_in_one_run_is_no_conflict(tmp_path: Path) -> None:
    """Whoever names a request need not know what others call theirs."""
    garden = garden_in(tmp_path)
    run = garden.parts.begin("door_and_key").id
    told: list[dict[str, Any]] = []
    for name, words in (("mika", "go east"), ("ren", "go west")):
        host = Asking(garden, somebody(name))
        host.run, host.revision = run, len(told)
        told.append(host.change("/words", {"text": words}, key="k"))

    assert [1, 2] == [each["revision"] for each in told]


def test_what_nobody_signed_in_to_begin_is_played_by_people(tmp_path: Path) -> None:
    """An agent from elsewhere watches it; whoever sits here, and any person, plays."""
    garden = garden_in(tmp_path)
    here = Asking(garden)
    here.begin(scenario="door_and_key")
    told = []
    for caller in (somebody("bot", "agent"), somebody("mika"), None):
        host = Asking(garden, caller)
        host.run, host.revision = here.run, here.read("/moment")["revision"]
        told.append(host.change("/words", {"text": "wait"}))

    assert ("NOT_YOURS", "") == (told[0]["code"], told[0]["details"]["owner"])
    assert [1, 2] == [each["revision"] for each in told[1:]]
