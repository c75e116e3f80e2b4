from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from saniwa.app.operations import gate_runs
from saniwa.core import file_locks
from tests.fakes.gate_callers import GATE, GateClient
from tests.fakes.workspaces import make_workspace


@pytest.fixture
def agent(tmp_path: Path) -> GateClient:
    """A local client of a gate without runs."""
    return GateClient(make_workspace(tmp_path))


def test_a_run_is_started_where_its_process_says(agent: GateClient) -> None:
    """Creating a run returns its state, revision and address."""
    told = agent.begin(variables={"team_mode": "team"})

    assert 201 == told.status_code
    assert '"1"' == told.headers["etag"]
    assert told.headers["location"].endswith(agent.run)
    assert ("frame", "team") == (told.json()["current_state"], told.json()["context"]["team_mode"])


def test_the_same_beginning_again_is_the_same_run(agent: GateClient) -> None:
    """A repeated request with its key returns the same run; another request is refused."""
    key = {"Idempotency-Key": "a1"}
    body = {"process_id": "exploration"}
    first = agent.client.post(GATE, json=body, headers=key).json()
    again = agent.client.post(GATE, json=body, headers=key).json()
    other = agent.client.post(GATE, json={"process_id": "experiment"}, headers=key)

    assert first["run_id"] == again["run_id"]
    assert (422, "IDEMPOTENCY_CONFLICT") == (other.status_code, other.json()["code"])
    assert 1 == len(agent.client.get(GATE).json()["items"])


def test_the_same_beginning_twice_at_once_is_one_run(agent: GateClient) -> None:
    """Equal requests at once create one run."""
    key, body = {"Idempotency-Key": "a1"}, {"process_id": "exploration"}
    together = Barrier(4)

    def begin(_: int) -> str:
        together.wait()
        told = agent.client.post(GATE, json=body, headers=key).json()
        return str(told["run_id"])

    with ThreadPoolExecutor(4) as copies:
        begun = set(copies.map(begin, range(4)))

    assert 1 == len(begun)
    listed = agent.client.get(GATE).json()["items"]
    assert [*begun] == [line["run_id"] for line in listed]


def test_a_repeated_request_during_creation_returns_the_same_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A repeated request at another server during the creation returns the same run."""
    key, body = {"Idempotency-Key": "a1"}, {"process_id": "exploration"}
    store, taken = str(tmp_path / "runs.sqlite"), file_locks.try_lock
    ours = GateClient(make_workspace(tmp_path, store)).client
    other = GateClient(make_workspace(tmp_path, store)).client
    told = list[str]()

    def copy_request(fd: int, kind: file_locks.LockKind) -> bool:
        # The first lock after a file of the run exists.
        if not told and [*tmp_path.glob("gate/metadata/*")]:
            told.append("")
            told[0] = other.post(GATE, json=body, headers=key).json()["run_id"]
        return taken(fd, kind)

    monkeypatch.setattr(file_locks, "try_lock", copy_request)
    begun = ours.post(GATE, json=body, headers=key).json()

    assert told == [begun["run_id"]]
    assert 1 == len(ours.get(GATE).json()["items"])


def test_an_interrupted_creation_is_repeated_with_another_run(tmp_path: Path) -> None:
    """If creating a run was interrupted, a repeated request creates another."""
    key, body = {"Idempotency-Key": "a1"}, {"process_id": "exploration"}
    store = str(tmp_path / "runs.sqlite")
    killed = GateClient(make_workspace(tmp_path, store)).client
    first = killed.post(GATE, json=body, headers=key).json()["run_id"]
    (tmp_path / "gate" / "runs" / f"{first}.csv").unlink()
    (tmp_path / "gate" / "metadata" / f"{first}.jsonl").write_bytes(b'{"re')
    again = GateClient(make_workspace(tmp_path, store)).client.post(GATE, json=body, headers=key)

    assert 201 == again.status_code, again.text
    assert first != again.json()["run_id"]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"process_id": "nothing"}, 404, "PROCESS_NOT_FOUND"),
        ({"process_id": "../x"}, 404, "PROCESS_NOT_FOUND"),
        ({"process_id": "exploration", "variables": {"team_mode": 3}}, 422, "INVALID_CONTEXT"),
        ({"process_id": "exploration", "folder": "notes"}, 401, "SIGN_IN_NEEDED"),
        ({"process_id": "exploration", "role": "reviewer"}, 400, "PROTOCOL_BAD_FIELD"),
    ],
)  # fmt: skip
def test_what_cannot_begin_says_why(
    agent: GateClient, body: dict[str, object], status: int, code: str
) -> None:
    """A run that cannot be created is refused with a reason; a role is no argument."""
    told = agent.client.post(GATE, json=body)

    assert (status, code) == (told.status_code, told.json()["code"])
    assert [] == agent.client.get(GATE).json()["items"]


@pytest.mark.parametrize(
    "folder", ["../x", "/etc", ".saniwa", ".", ".//./", "gate", "Gate/artifacts", "\0", "keys"]
)
def test_a_person_names_only_folders_that_the_owner_lists(tmp_path: Path, folder: str) -> None:
    """A person may only use folders that the owner lists."""
    mira = GateClient(make_workspace(tmp_path, evidence=("notes",))).sign_in("mira", "reviewer")
    told = mira.client.post(GATE, json={"process_id": "exploration", "folder": folder})

    assert (403, "FILE_OUTSIDE") == (told.status_code, told.json()["code"])
    assert [] == mira.client.get(GATE).json()["items"]


def test_only_people_who_signed_in_name_a_folder(tmp_path: Path) -> None:
    """An agent may not choose a folder, even a listed one."""
    local = GateClient(make_workspace(tmp_path, evidence=("notes",)))
    person = local.sign_in("mira", "reviewer")
    agent = local.sign_in("bot", "agent")
    unknown, refused = local.begin(folder="notes"), agent.begin(folder="notes")

    assert (401, "SIGN_IN_NEEDED") == (unknown.status_code, unknown.json()["code"])
    assert (403, "FILE_OUTSIDE") == (refused.status_code, refused.json()["code"])
    assert 201 == person.begin(folder="notes").status_code
    assert 201 == person.begin(folder="notes/deep").status_code


def test_the_board_says_where_runs_stand_and_what_they_wait_for(agent: GateClient) -> None:
    """The board shows each run's state, missing evidence and possible decisions."""
    agent.begin()
    agent.begin()
    agent.reach_decision()
    mira = agent.sign_in("mira", "reviewer")
    waiting, fresh = mira.client.get(GATE).json()["items"]
    seen = agent.client.get(GATE, params={"state": "decide"}).json()["items"]

    assert (agent.run, "decide") == (waiting["run_id"], waiting["current_state"])
    assert ["approve", "reject"] == waiting["decisions"] == waiting["yours"]
    assert (True, False) == (waiting["ready"], fresh["ready"])
    assert ["approve", "reject"] == seen[0]["decisions"]
    assert [] == seen[0]["yours"]
    assert ["hypothesis"] == [each for each in ("hypothesis",) if each in fresh["missing"][0]]


def test_the_board_is_paged_and_filtered(
    agent: GateClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The board is paged and filtered, and shows each run once."""
    monkeypatch.setattr(gate_runs, "MAX_RUNS_READ", 2)
    begun = []
    for process in ("exploration", "experiment", "experiment", "exploration"):
        agent.begin(process)
        begun += [agent.run] if process == "exploration" else []
    found: list[str] = []
    after: str | None = ""
    while after is not None:
        query = {"process": "exploration", "limit": "1", "after": after}
        page = agent.client.get(GATE, params=query).json()
        found += [each["run_id"] for each in page["items"]]
        after = page["next"]

    assert begun[::-1] == found


def test_a_run_that_cannot_be_read_hides_no_other(agent: GateClient, tmp_path: Path) -> None:
    """A run that cannot be read is listed with its problem, without its path."""
    agent.begin()
    broken = agent.run
    agent.begin()
    record = tmp_path / "gate" / "metadata" / f"{broken}.jsonl"
    agent.garden.gates.close()
    record.unlink()
    items = GateClient(make_workspace(tmp_path)).client.get(GATE).json()["items"]

    assert [agent.run, broken] == [each["run_id"] for each in items]
    assert "RECORDS_MISSING" in items[1]["problem"]
    assert str(tmp_path) not in str(items)


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({"variable": "team_mode=team"}, 1),
        ({"variable": "team_mode=solo"}, 0),
        ({"since": "2000-01-01", "until": "2001-01-01"}, 0),
        ({"since": "2000-01-01"}, 1),
        ({"person": "agent"}, 1),
        ({"person": "eve"}, 0),
    ],
)
def test_runs_are_found_by_variable_time_and_person(
    agent: GateClient, query: dict[str, str], count: int
) -> None:
    """Runs are found by variable, time and person, as with `saniwa gate runs`."""
    agent.begin(variables={"team_mode": "team"})

    assert count == len(agent.client.get(GATE, params=query).json()["items"])


def test_a_time_that_is_invalid_is_a_problem(agent: GateClient) -> None:
    """An invalid time is refused."""
    told = agent.client.get(GATE, params={"since": "soon"})

    assert (422, "SEARCH_UNUSABLE") == (told.status_code, told.json()["code"])
