from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from saniwa.app import game_tables
from saniwa.app.game_table_models import TableModelSetting
from tests.fakes.workspaces import WorkspaceClient, make_workspace

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
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WorkspaceClient]:
    """A client with a run of the shipped scenario, in a project with canned answers."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir(exist_ok=True)
    (tmp_path / "models" / "answers.yaml").write_text(ANSWERS, encoding="utf-8")
    host = WorkspaceClient(make_workspace(tmp_path))
    host.begin(scenario="door_and_key")
    with host.client:
        yield host


def list_players(host: WorkspaceClient) -> dict[str, str]:
    """The player of each character."""
    return {each["who"]: each["player"] for each in host.read("/table")["seats"]}


def list_turns(host: WorkspaceClient) -> list[tuple[str, str]]:
    """The actor and kind of each turn, oldest first."""
    items = host.read("/turns")["items"]
    return [(each["actor"], each["kind"]) for each in reversed(items)]


def test_a_run_has_a_person_and_empty_seats_at_first(host: WorkspaceClient) -> None:
    """The whole cast is listed, with or without a player."""
    table = host.read("/table")

    assert {"groundskeeper": "", "player": "person"} == list_players(host)
    assert ("player", False, False) == (table["awaited"], table["agents"], table["going"])


def test_an_agent_is_seated_and_that_is_a_turn(host: WorkspaceClient) -> None:
    """Seating an agent is a turn, and raises the revision."""
    told = host.change("/table/seat", SEATS)

    assert 1 == told["revision"]
    assert {"groundskeeper": "character", "player": "person"} == list_players(host)
    assert [("player", "seating")] == list_turns(host)


def test_an_agent_takes_one_turn_when_asked(host: WorkspaceClient) -> None:
    """An agent takes one turn on request."""
    host.change("/table/seat", BOTH)
    told = host.change("/table/step", {})

    assert 2 == told["revision"]
    assert ("player", "turn") == list_turns(host)[-1]


def test_the_same_step_sent_twice_is_taken_once(host: WorkspaceClient) -> None:
    """A repeated step is taken once."""
    host.change("/table/seat", BOTH)
    seen = host.revision
    first = host.change("/table/step", {}, key="k", revision=seen)
    again = host.change("/table/step", {}, key="k", revision=seen)

    assert first == again
    assert 2 == len(list_turns(host))


def test_no_step_is_taken_for_a_person(host: WorkspaceClient) -> None:
    """A step is refused if a person is next, and names that person's character."""
    told = host.change("/table/step", {})

    assert "SEATING_UNFIT" == told["code"]
    assert "'player'" in told["detail"]


def test_a_seat_is_taken_over_and_handed_back(host: WorkspaceClient) -> None:
    """Taking over a seat and returning it are turns, and the same agent gets it back."""
    host.change("/table/seat", SEATS)
    host.change("/table/take", {"who": "groundskeeper"})
    taken = list_players(host)
    host.change("/table/hand-back", {"who": "groundskeeper"})

    assert "person" == taken["groundskeeper"]
    assert "character" == list_players(host)["groundskeeper"]
    assert ["seating"] * 3 == [kind for _, kind in list_turns(host)]


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
    host: WorkspaceClient,
    path: str,
    body: dict[str, Any],
    code: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Files outside, unknown names and models without a key are refused, and nothing changes."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    assert code == host.change(f"/table/{path}", body)["code"]
    assert [] == list_turns(host)
    assert "" == host.read("/table")["model"]


def test_agents_play_by_themselves_until_a_person_is_to_act(host: WorkspaceClient) -> None:
    """Agents play until it is a person's turn, and the table says so."""
    host.change("/table/seat", {**SEATS, "order": "round_robin"})
    host.change("/words", {"text": "look"})
    host.client.post(host.locate("/table/go"), json={"pace": 0})
    table = wait_until_still(host)

    assert ("person", "player") == (table["stopped"], table["awaited"])
    assert ("groundskeeper", "turn") == list_turns(host)[-1]


def test_a_table_of_agents_stops_after_so_many_turns(host: WorkspaceClient) -> None:
    """Agents stop after the requested number of turns."""
    host.change("/table/seat", BOTH)
    host.client.post(host.locate("/table/go"), json={"pace": 0, "moves": 3})

    assert "moves" == wait_until_still(host)["stopped"]
    assert 4 == len(list_turns(host))


def test_an_agent_that_cannot_continue_stops_the_table_and_is_informed(
    host: WorkspaceClient, tmp_path: Path
) -> None:
    """A failing agent stops the table with the error's code, and earlier turns are kept."""
    once = ANSWERS.replace("repeat: true\n", "")
    (tmp_path / "models").mkdir(exist_ok=True)
    (tmp_path / "models" / "answers.yaml").write_text(once, encoding="utf-8")
    host.change("/table/seat", BOTH)
    host.client.post(host.locate("/table/go"), json={"pace": 0})
    table = wait_until_still(host)

    assert ("error", "CANNED_EXHAUSTED") == (table["stopped"], table["trouble"]["code"])
    assert 2 == len(list_turns(host))


def test_seats_that_come_too_late_leave_the_model(host: WorkspaceClient) -> None:
    """A refused change of seats does not change the model."""
    host.change("/table/seat", SEATS)
    late = {**SEATS, "model": "fuzz:1"}
    told = host.change("/table/seat", late, revision=0)

    assert "REVISION_CONFLICT" == told["code"]
    assert MODEL == host.read("/table")["model"]
    assert MODEL == TableModelSetting(host.garden.plays, host.run).read()


def test_the_same_seats_sent_twice_name_their_model_once(host: WorkspaceClient) -> None:
    """A repeated change of seats does not set the model again."""
    first = host.change("/table/seat", SEATS, key="k", revision=0)
    host.change("/table/seat", {**SEATS, "model": "fuzz:1"})
    again = host.change("/table/seat", SEATS, key="k", revision=0)

    assert first == again
    assert "fuzz:1" == host.read("/table")["model"]


@pytest.mark.parametrize(
    ("model", "code"), [("canned:/etc/passwd", "FILE_OUTSIDE"), ("no-such:thing", "MODEL_UNKNOWN")]
)
def test_a_model_is_looked_at_also_while_agents_play(
    host: WorkspaceClient, model: str, code: str
) -> None:
    """An invalid model is refused while agents play, and they continue with their own."""
    host.change("/table/seat", BOTH)
    host.client.post(host.locate("/table/go"), json={"pace": 30})
    told = host.client.post(host.locate("/table/go"), json={"pace": 30, "model": model})
    table = host.read("/table")

    assert code == told.json()["code"]
    assert (True, MODEL) == (table["going"], table["model"])


def test_agents_who_play_take_another_model_and_another_pace(host: WorkspaceClient) -> None:
    """Agents at play take another model and pace from the next turn."""
    host.change("/table/seat", BOTH)
    host.client.post(host.locate("/table/go"), json={"pace": 30})
    faster = {"pace": 0.25, "moves": 1, "model": "fuzz:1"}
    told = host.client.post(host.locate("/table/go"), json=faster).json()

    assert (True, "fuzz:1") == (told["going"], told["model"])
    assert "moves" == wait_until_still(host)["stopped"]
    assert 3 == len(list_turns(host))


def test_one_table_too_many_is_asked_to_wait(
    host: WorkspaceClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One table too many is refused, and the others continue."""
    first = host.run
    host.change("/table/seat", BOTH)
    host.client.post(host.locate("/table/go"), json={"pace": 30})
    monkeypatch.setattr(game_tables, "MOST_RUNNING", 1)
    host.begin(scenario="door_and_key")
    host.change("/table/seat", BOTH)
    told = host.client.post(host.locate("/table/go"), json={"model": "fuzz:1"})
    model = host.read("/table")["model"]
    host.run = first

    assert (429, "TOO_MANY_REQUESTS") == (told.status_code, told.json()["code"])
    assert "10" == told.headers["retry-after"]
    assert MODEL == model
    assert host.read("/table")["going"]


def test_a_table_continues_after_a_restart_with_the_model_it_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a restart a table continues with its model."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir(exist_ok=True)
    (tmp_path / "models" / "answers.yaml").write_text(ANSWERS, encoding="utf-8")
    first = WorkspaceClient(make_workspace(tmp_path, str(tmp_path / "store.sqlite")))
    with first.client:
        first.begin(scenario="door_and_key")
        first.change("/table/seat", BOTH)
    second = WorkspaceClient(make_workspace(tmp_path, str(tmp_path / "store.sqlite")))
    second.run, second.revision = first.run, first.revision
    with second.client:
        told = second.change("/table/step", {})

        assert 2 == told["revision"]
        assert MODEL == second.read("/table")["model"]


def test_a_table_is_paused(host: WorkspaceClient) -> None:
    """A paused table stops after the current turn."""
    host.change("/table/seat", BOTH)
    host.client.post(host.locate("/table/go"), json={"pace": 30})
    host.client.post(host.locate("/table/pause"))

    assert "paused" == wait_until_still(host)["stopped"]
    assert 2 == len(list_turns(host))


def test_agents_do_not_act_beneath_a_story(host: WorkspaceClient) -> None:
    """In a story with a world, agents cannot play, but seats can be changed."""
    host.begin(draft="---\nscenario: door_and_key\n---\n# One\n\nA line.\n\nTwo.\n")
    seated = host.change("/table/seat", SEATS)
    stepped = host.change("/table/step", {})
    moment = host.change("/steps")

    assert 2 == seated["revision"]
    assert "SEATING_UNFIT" == stepped["code"]
    assert host.read("/table")["playable"] is False
    assert "code" not in moment


def test_agents_that_can_play_are_listed(host: WorkspaceClient) -> None:
    """Only agents that can play are listed, not workers."""
    told = host.client.get("/api/v1/agents").json()

    assert [{"name": "character"}] == told["items"]


def wait_until_still(host: WorkspaceClient) -> dict[str, Any]:
    """The table once it has stopped; each request lets it continue for a moment."""
    for _ in range(2_000):
        table = host.read("/table")
        if not table["going"]:
            return table
    raise AssertionError("it goes on and on")
