import asyncio
from pathlib import Path

import pytest
from starlette.responses import StreamingResponse

from saniwa.app.caller import LOCAL_CALLER
from saniwa.app.operations.gate_runs import watch_gate_run
from saniwa.app.operations.operation import NoParameters, OperationCall
from saniwa.http.event_stream import stream_revisions
from tests.fakes.gate_callers import GateClient
from tests.fakes.workspaces import make_workspace


@pytest.fixture
def agent(tmp_path: Path) -> GateClient:
    """A local client with a run."""
    agent = GateClient(make_workspace(tmp_path))
    agent.begin()
    return agent


def test_a_run_says_where_it_is_and_what_could_happen(agent: GateClient) -> None:
    """A run shows its state and possible events, also those of other roles."""
    told = agent.read()
    events = {each["event_name"]: each for each in told["events"]}

    assert "frame" == told["state"]["current_state"]
    assert events["submit_hypothesis"]["is_allowed"]
    assert not events["abandon"]["is_allowed"]
    assert {"human", "reviewer"} == set(events["abandon"]["who_may"])
    assert "exploration" == told["process"]["process_id"]
    assert [] == told["trail"]


def test_a_run_shows_the_ways_it_has_gone(agent: GateClient) -> None:
    """A run shows each transition it took and how often."""
    agent.reach_decision()
    trail = {
        (each["from_state"], each["to_state"]): (each["times"], each["last"])
        for each in agent.read()["trail"]
    }

    assert (1, 2) == trail[("frame", "experiment")]
    assert (1, 4) == trail[("observe", "observe")]
    assert ("decide", "done") not in trail


def test_no_folder_of_this_machine_is_reported(agent: GateClient, tmp_path: Path) -> None:
    """Paths are shown relative to the project."""
    agent.reach_decision()
    told = [agent.read(path) for path in ("", "/review", "/events")]

    assert str(tmp_path) not in str(told)
    assert f"gate/artifacts/{agent.run}" == told[0]["state"]["artifact_base_path"]


def test_a_review_has_the_digest_a_decision_names(agent: GateClient) -> None:
    """A review has the digest and all evidence with hashes."""
    agent.reach_decision()
    told = agent.read("/review")

    assert ["approve", "override_guard", "reject"] == told["decisions"]
    assert 64 == len(told["digest"])
    assert {"decision", "evidence", "hypothesis", "observation", "synthesis"} == {
        each["type"] for each in told["evidence"]
    }


def test_verifying_says_what_is_not_as_it_was(agent: GateClient, tmp_path: Path) -> None:
    """Verifying names a changed file, without its path on the server."""
    folder = tmp_path / "gate" / "artifacts" / agent.run
    folder.mkdir(parents=True)
    file = folder / "hypothesis.md"
    file.write_text("it rains", encoding="utf-8")
    agent.send("submit_hypothesis", 1, artifact_paths=["hypothesis.md"])
    before = agent.client.post(agent.locate("/verify")).json()
    file.write_text("it snows", encoding="utf-8")
    after = agent.client.post(agent.locate("/verify")).json()

    assert (True, ["EVIDENCE_CLAIMED"]) == (
        before["passed"],
        [each["code"] for each in before["findings"]],
    )
    assert (False, ["EVIDENCE_CLAIMED", "ARTIFACT_CHANGED"]) == (
        after["passed"],
        [each["code"] for each in after["findings"]],
    )
    assert str(tmp_path) not in str(after)


@pytest.mark.parametrize("path", ["", "/review", "/events", "/live", "/evidence/1"])
def test_an_unknown_run_is_not_found(agent: GateClient, path: str) -> None:
    """An unknown run is not found."""
    for name in ("nothing", "run-x", "..", "%00", "%2e%2e", "last"):
        told = agent.client.get(f"/api/v1/gate/runs/{name}{path}")
        assert told.status_code in (400, 404), (name, told.text)


def test_a_watcher_learns_the_next_event(agent: GateClient) -> None:
    """A watching client gets the revision of each new event at once."""

    async def watch_events() -> list[str]:
        call = OperationCall(
            workspace=agent.garden,
            caller=LOCAL_CALLER,
            path={"run": agent.run},
            query=NoParameters(),
            body=None,
        )
        answer = stream_revisions(call, await watch_gate_run.run(call))
        assert isinstance(answer, StreamingResponse)
        told = aiter(answer.body_iterator)
        heard = [await anext(told), await anext(told)]
        waiting = asyncio.ensure_future(anext(told))
        await asyncio.to_thread(_hand_in, agent)
        agent.garden.notifier.notify(agent.run)
        return [str(each) for each in (*heard, await waiting)]

    retry, first, second = asyncio.run(watch_events())

    assert "retry: 2000\n\n" == retry
    assert "id: 1\nevent: revision\ndata: 1\n\n" == first
    assert "id: 2\nevent: revision\ndata: 2\n\n" == second


def _hand_in(agent: GateClient) -> None:
    handed = [{"type": "hypothesis", "content": "it rains"}]
    assert 200 == agent.send("submit_hypothesis", 1, artifacts=handed).status_code
