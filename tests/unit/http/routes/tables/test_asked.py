from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from saniwa.app import tables
from saniwa.app.table_agents import TableModelSetting
from tests.fakes.gardens import Asking, garden_in

ANSWERS = """\
answers: ["Thought: Let us see.\\nOutput: Good day!"]
repeat: true
"""
MODEL = "canned:models/answers.yaml"
SEATS = {"agents": {"groundskeeper": "character"}, "model": MODEL}
BOTH = {
    "agents": {"groundskeeper": "character", "player": "character"},
    "model": MODEL,
    "order": "round_robin",
}


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Asking]:
    """A host with a run of the shipped scenario, in a project with written answers."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir(exist_ok=True)
    (tmp_path / "models" / "answers.yaml").write_text(ANSWERS, encoding="utf-8")
    host = Asking(garden_in(tmp_path))
    host.begin(scenario="door_and_key")
    with host.client:
        yield host


def players(host: Asking) -> dict[str, str]:
    """Who plays whom."""
    return {each["who"]: each["player"] for each in host.read("/table")["seats"]}


def turns(host: Asking) -> list[tuple[str, str]]:
    """Who did what, oldest first."""
    items = host.read("/turns")["items"]
    return [(each["actor"], each["kind"]) for each in reversed(items)]


def test_a_run_has_a_person_and_empty_seats_at_first(host: Asking) -> None:
    """Everybody of the cast is listed, whether somebody plays them or not."""
    table = host.read("/table")

    assert {"groundskeeper": "", "player": "person"} == players(host)
    assert ("player", False, False) == (table["awaited"], table["agents"], table["going"])


def test_an_agent_is_seated_and_that_is_a_turn(host: Asking) -> None:
    """The revision rises by it."""
    told = host.change("/table/seat", SEATS)

    assert 1 == told["revision"]
    assert {"groundskeeper": "character", "player": "person"} == players(host)
    assert [("player", "seating")] == turns(host)


def test_an_agent_takes_one_turn_when_asked(host: Asking) -> None:
    """Its words are a turn like anybody's."""
    host.change("/table/seat", BOTH)
    told = host.change("/table/step", {})

    assert 2 == told["revision"]
    assert ("player", "turn") == turns(host)[-1]


def test_the_same_step_sent_twice_is_taken_once(host: Asking) -> None:
    """It is known by the turn that came of it."""
    host.change("/table/seat", BOTH)
    seen = host.revision
    first = host.change("/table/step", {}, key="k", revision=seen)
    again = host.change("/table/step", {}, key="k", revision=seen)

    assert first == again
    assert 2 == len(turns(host))


def test_no_step_is_taken_for_a_person(host: Asking) -> None:
    """Who is awaited is named."""
    told = host.change("/table/step", {})

    assert "SEATING_UNFIT" == told["code"]
    assert "'player'" in told["detail"]


def test_a_seat_is_taken_over_and_handed_back(host: Asking) -> None:
    """Both are turns; the agent who had it gets it again."""
    host.change("/table/seat", SEATS)
    host.change("/table/take", {"who": "groundskeeper"})
    taken = players(host)
    host.change("/table/hand-back", {"who": "groundskeeper"})

    assert "person" == taken["groundskeeper"]
    assert "character" == players(host)["groundskeeper"]
    assert ["seating"] * 3 == [kind for _, kind in turns(host)]


@pytest.mark.parametrize(
    ("path", "body", "code"),
    [
        ("take", {"who": "player"}, "SEATING_UNFIT"),
        ("take", {"who": "nobody"}, "ACTOR_UNKNOWN"),
        ("hand-back", {"who": "player"}, "SEATING_UNFIT"),
        ("seat", {"agents": {"nobody": "character"}}, "ACTOR_UNKNOWN"),
        ("seat", {"agents": {"player": "nobody"}}, "CONFIG_NOT_FOUND"),
        ("seat", {"agents": {"player": "../x"}}, "CONFIG_NOT_FOUND"),
        ("seat", {"agents": {"player": "worker"}}, "SEATING_UNFIT"),
        ("seat", {"agents": {"player": "character"}}, "MODEL_UNNAMED"),
        ("seat", {**SEATS, "model": "canned:/etc/passwd"}, "FILE_OUTSIDE"),
        ("seat", {**SEATS, "model": "replay:../tape.jsonl"}, "FILE_OUTSIDE"),
        ("seat", {**SEATS, "model": "local:/weights.gguf"}, "FILE_OUTSIDE"),
        ("seat", {**SEATS, "model": "canned:models/none.yaml"}, "DOCUMENT_UNREADABLE"),
        ("seat", {**SEATS, "model": "no-such:thing"}, "MODEL_UNKNOWN"),
        ("seat", {**SEATS, "model": "openai:any"}, "MODEL_KEY_MISSING"),
        ("seat", {"agents": {}}, "PROTOCOL_BAD_FIELD"),
    ],
)
def test_what_cannot_be_seated_changes_nothing(
    host: Asking, path: str, body: dict[str, Any], code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither files outside, nor unknown names, nor models without a key of the server."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    assert code == host.change(f"/table/{path}", body)["code"]
    assert [] == turns(host)
    assert "" == host.read("/table")["model"]


def test_agents_play_by_themselves_until_a_person_is_to_act(host: Asking) -> None:
    """Then the table stands still and says why."""
    host.change("/table/seat", {**SEATS, "order": "round_robin"})
    host.change("/words", {"text": "look"})
    host.client.post(host.at("/table/go"), json={"pace": 0})
    table = stood_still(host)

    assert ("person", "player") == (table["stopped"], table["awaited"])
    assert ("groundskeeper", "turn") == turns(host)[-1]


def test_a_table_of_agents_stops_after_so_many_turns(host: Asking) -> None:
    """Nobody is made to pay for more than was asked for."""
    host.change("/table/seat", BOTH)
    host.client.post(host.at("/table/go"), json={"pace": 0, "moves": 3})

    assert "moves" == stood_still(host)["stopped"]
    assert 4 == len(turns(host))


def test_an_agent_that_cannot_go_on_stops_the_table_and_is_told(
    host: Asking, tmp_path: Path
) -> None:
    """With its code, and what was done before is kept."""
    once = ANSWERS.replace("repeat: true\n", "")
    (tmp_path / "models").mkdir(exist_ok=True)
    (tmp_path / "models" / "answers.yaml").write_text(once, encoding="utf-8")
    host.change("/table/seat", BOTH)
    host.client.post(host.at("/table/go"), json={"pace": 0})
    table = stood_still(host)

    assert ("error", "CANNED_EXHAUSTED") == (table["stopped"], table["trouble"]["code"])
    assert 2 == len(turns(host))


def test_seats_that_come_too_late_leave_the_model(host: Asking) -> None:
    """Neither here nor in the store is there another one."""
    host.change("/table/seat", SEATS)
    late = {**SEATS, "model": "fuzz:1"}
    told = host.change("/table/seat", late, revision=0)

    assert "REVISION_CONFLICT" == told["code"]
    assert MODEL == host.read("/table")["model"]
    assert MODEL == TableModelSetting(host.garden.plays, host.run).read()


def test_the_same_seats_sent_twice_name_their_model_once(host: Asking) -> None:
    """Whatever was named since stays named."""
    first = host.change("/table/seat", SEATS, key="k", revision=0)
    host.change("/table/seat", {**SEATS, "model": "fuzz:1"})
    again = host.change("/table/seat", SEATS, key="k", revision=0)

    assert first == again
    assert "fuzz:1" == host.read("/table")["model"]


@pytest.mark.parametrize(
    ("model", "code"), [("canned:/etc/passwd", "FILE_OUTSIDE"), ("no-such:thing", "MODEL_UNKNOWN")]
)
def test_a_model_is_looked_at_also_while_agents_play(host: Asking, model: str, code: str) -> None:
    """They go on with the one they have."""
    host.change("/table/seat", BOTH)
    host.client.post(host.at("/table/go"), json={"pace": 30})
    told = host.client.post(host.at("/table/go"), json={"pace": 30, "model": model})
    table = host.read("/table")

    assert code == told.json()["code"]
    assert (True, MODEL) == (table["going"], table["model"])


def test_agents_who_play_take_another_model_and_another_pace(host: Asking) -> None:
    """From the next turn on, without a pause in between."""
    host.change("/table/seat", BOTH)
    host.client.post(host.at("/table/go"), json={"pace": 30})
    faster = {"pace": 0.25, "moves": 1, "model": "fuzz:1"}
    told = host.client.post(host.at("/table/go"), json=faster).json()

    assert (True, "fuzz:1") == (told["going"], told["model"])
    assert "moves" == stood_still(host)["stopped"]
    assert 3 == len(turns(host))


def test_one_table_too_many_is_told_to_wait(host: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    """It keeps the model it had, and the others go on."""
    first = host.run
    host.change("/table/seat", BOTH)
    host.client.post(host.at("/table/go"), json={"pace": 30})
    monkeypatch.setattr(tables, "MOST_RUNNING", 1)
    host.begin(scenario="door_and_key")
    host.change("/table/seat", BOTH)
    told = host.client.post(host.at("/table/go"), json={"model": "fuzz:1"})
    model = host.read("/table")["model"]
    host.run = first

    assert (429, "TOO_MANY_REQUESTS") == (told.status_code, told.json()["code"])
    assert "10" == told.headers["retry-after"]
    assert MODEL == model
    assert host.read("/table")["going"]


def test_a_table_goes_on_after_a_restart_with_the_model_it_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody has to name it again."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir(exist_ok=True)
    (tmp_path / "models" / "answers.yaml").write_text(ANSWERS, encoding="utf-8")
    first = Asking(garden_in(tmp_path, str(tmp_path / "store.sqlite")))
    with first.client:
        first.begin(scenario="door_and_key")
        first.change("/table/seat", BOTH)
    second = Asking(garden_in(tmp_path, str(tmp_path / "store.sqlite")))
    second.run, second.revision = first.run, first.revision
    with second.client:
        told = second.change("/table/step", {})

        assert 2 == told["revision"]
        assert MODEL == second.read("/table")["model"]


def test_a_table_is_paused(host: Asking) -> None:
    """It stands still after the turn that is being taken."""
    host.change("/table/seat", BOTH)
    host.client.post(host.at("/table/go"), json={"pace": 30})
    host.client.post(host.at("/table/pause"))

    assert "paused" == stood_still(host)["stopped"]
    assert 2 == len(turns(host))


def test_agents_do_not_act_beneath_a_story(host: Asking) -> None:
    """Its deeds are its own; seats may change hands all the same."""
    host.begin(draft="---\nscenario: door_and_key\n---\n# One\n\nA line.\n\nTwo.\n")
    seated = host.change("/table/seat", SEATS)
    stepped = host.change("/table/step", {})
    moment = host.change("/steps")

    assert 2 == seated["revision"]
    assert "SEATING_UNFIT" == stepped["code"]
    assert host.read("/table")["playable"] is False
    assert "code" not in moment


def test_agents_that_can_play_are_listed(host: Asking) -> None:
    """A worker at a gate says nothing aloud, and is not among them."""
    told = host.client.get("/api/v1/agents").json()

    assert [{"name": "character"}] == told["items"]


def stood_still(host: Asking) -> dict[str, Any]:
    """The table, once it goes no more; every look lets it go on for a moment."""
    for _ in range(2_000):
        table = host.read("/table")
        if not table["going"]:
            return table
    raise AssertionError("it goes on and on")
