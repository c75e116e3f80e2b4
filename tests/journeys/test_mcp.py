"""Agents and people at real MCP servers, each a process with pipes or a port."""

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import httpx2
import mcp_types as wire
import msgspec
import pytest
from mcp import Client

from saniwa.app.gate.configuration import locate_gate
from saniwa.app.gate.gate_opening import open_gate, open_people
from tests.fakes.processes import end_with_test
from tests.journeys.mcp_clients import (
    PATIENCE,
    McpVisit,
    make_environment,
    open_http_client,
    open_http_server,
    open_stdio_client,
    run_async,
    write_evidence,
)

pytestmark = pytest.mark.slow

SECRET = "correct horse battery"
HELLO = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":'
    b'"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}\n'
)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_an_agent_works_and_a_person_decides(tmp_path: Path, mode: str) -> None:
    """An agent works up to a decision and a person makes it, through two servers."""
    open_people(locate_gate(tmp_path / ".state_gate")).add(
        "ann", "reviewer", SECRET, at="2026-01-01T00:00:00Z"
    )
    synthesis = "---\nclaim: it is so\nconfidence: high\n---\nBecause.\n"

    async def work_at_gate() -> str:
        async with open_stdio_client(tmp_path, mode=mode) as visit:
            begun = await visit.call("create_run", process_id="exploration")
            run_id = str(begun["run_id"])
            refused = await visit.send(run_id, "submit_hypothesis", 1)
            assert "GUARD_FAILED" == refused["error"]["code"]
            write_evidence(
                tmp_path,
                run_id,
                hypothesis="Tea is better.",
                evidence="Ten cups.",
                observation_1="Warm.",
                observation_2="Green.",
                synthesis=synthesis,
                decision="Drink tea.",
            )
            for revision, (event, *files) in enumerate(
                [
                    ("submit_hypothesis", "hypothesis.md"),
                    ("submit_evidence", "evidence.md"),
                    ("submit_observation", "observation_1.md", "observation_2.md"),
                    ("submit_synthesis", "synthesis.md"),
                    ("submit_decision", "decision.md"),
                ],
                start=1,
            ):
                answer = await visit.send(run_id, event, revision, *files)
                assert answer["success"], answer
            shown = await visit.call("review", run_id=run_id)
            forbidden = await visit.send(run_id, "approve", 6, approval_digest=shown["digest"])
            assert "FORBIDDEN" == forbidden["error"]["code"]
            return run_id

    async def decide(run_id: str) -> None:
        credential = {"STATE_GATE_CREDENTIAL": f"ann:{SECRET}"}
        async with open_stdio_client(tmp_path, "--run", "last", mode=mode, **credential) as visit:
            shown = await visit.call("review")
            unbound = await visit.send(run_id, "approve", 6)
            assert "APPROVAL_UNBOUND" == unbound["error"]["code"]
            answer = await visit.send(run_id, "approve", 6, approval_digest=shown["digest"])
            assert "done" == answer["result"]["transition"]["to_state"]
            history = await visit.call("get_history")
            author = {"type": "human", "id": "ann"}
            assert author == history["entries"][-1]["author"]
            assert (await visit.call("verify"))["passed"] is True

    async def run_journey() -> None:
        await decide(await work_at_gate())

    run_async(run_journey)


def test_an_agent_finds_its_way_by_tools_alone(tmp_path: Path) -> None:
    """The tools say which processes exist, where evidence belongs, and find the newest run."""

    async def run_journey() -> None:
        async with open_stdio_client(tmp_path) as visit:
            listed = (await visit.call("list_processes"))["processes"]
            assert "exploration" in [each["process_id"] for each in listed]
            await visit.call("create_run", process_id="exploration")
            state = await visit.call("get_state", run_id="last")
            folder = tmp_path / state["artifact_base_path"]
            folder.mkdir(parents=True)
            (folder / "hypothesis.md").write_text("Tea.", encoding="utf-8")
            answer = await visit.send("last", "submit_hypothesis", 1, "hypothesis.md")
            assert answer["success"], answer

    run_async(run_journey)


def test_what_a_crash_left_is_reported_when_it_is_repaired(tmp_path: Path) -> None:
    """An incomplete table is reported on standard error when it is completed."""
    with open_gate(tmp_path / ".state_gate") as gate:
        run_id = gate.create_run("exploration").run_id
    (table,) = (tmp_path / ".state_gate" / "runs").glob("*.csv")
    table.write_bytes(table.read_bytes()[:-5])
    ask = msgspec.json.encode(
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": "get_state", "arguments": {"run_id": run_id}},
        }
    )
    told = tmp_path / "told"
    with told.open("wb") as err:
        server = end_with_test(
            subprocess.Popen(
                [sys.executable, "-m", "saniwa", "mcp"],
                cwd=tmp_path,
                env=make_environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=err,
            )
        )
    assert server.stdin is not None
    assert server.stdout is not None
    try:
        server.stdin.write(HELLO + ask + b"\n")
        server.stdin.flush()
        assert b'"id":1' in server.stdout.readline()
        assert b'"id":2' in server.stdout.readline()

        assert 1 == told.read_text(encoding="utf-8").count("[LOG_MENDED]")
    finally:
        server.communicate(timeout=PATIENCE)
    assert 1 == told.read_text(encoding="utf-8").count("[LOG_MENDED]")


def test_a_world_is_played_and_remembered(tmp_path: Path) -> None:
    """A run of one server is continued by the next."""

    async def run_journey() -> None:
        async with open_stdio_client(tmp_path) as visit:
            begun = await visit.call("begin_run", scenario="door_and_key")
            refused = await visit.call("say", words="open the iron gate")
            assert ["LOCKED"] == refused["reason_codes"]
            await visit.call("say", words="go east")
        async with open_stdio_client(tmp_path) as visit:
            seen = await visit.call("look", world_run=begun["world_run"])
            assert (2, "Toolshed") == (seen["turn"], seen["view"]["place"]["name"])

    run_async(run_journey)


def test_the_run_of_the_project_is_meant(tmp_path: Path) -> None:
    """The run in state-gate.json is the default, even when it is written later."""
    with open_gate(tmp_path / ".state_gate") as gate:
        run_id = gate.create_run("exploration").run_id

    async def run_journey() -> None:
        async with open_stdio_client(tmp_path) as visit:
            absent = await visit.call("get_state")
            assert "RUN_NOT_FOUND" == absent["error"]["code"]
            config = tmp_path / ".state_gate" / "state-gate.json"
            config.write_bytes(msgspec.json.encode({"run_id": run_id}))
            assert run_id == (await visit.call("get_state"))["run_id"]

    run_async(run_journey)


def test_no_client_takes_another_role_over_http(tmp_path: Path) -> None:
    """No argument, payload, header or path gives a client another role."""
    headers = {"x-role": "reviewer", "state-gate-role": "reviewer", "role": "human"}

    async def run_journey(where: str) -> None:
        async with open_http_client(f"{where}?role=reviewer", **headers) as visit:
            begun = await visit.call("create_run", process_id="exploration")
            run_id = str(begun["run_id"])
            digest = (await visit.call("review", run_id=run_id))["digest"]
            said = {"role": "human", "reason": "I am a person"}
            attempts = [
                await visit.send(run_id, "abandon", 1, payload=said),
                await visit.send(
                    run_id,
                    "override_guard",
                    1,
                    payload=said | {"event": "submit_hypothesis"},
                    approval_digest=digest,
                ),
            ]
            assert {"FORBIDDEN"} == {each["error"]["code"] for each in attempts}
            spoofed = await visit.send(run_id, "abandon", 1, role="human")
            assert "INVALID_PAYLOAD" == spoofed["error"]["code"]
            outside = await visit.call("get_state", run_id="../../../etc/passwd")
            assert "RUN_NOT_FOUND" == outside["error"]["code"]
            escaped = await visit.send(run_id, "submit_hypothesis", 1, "../people.json")
            assert "INVALID_PAYLOAD" == escaped["error"]["code"]
            state = await visit.call("get_state", run_id=run_id)
            assert (1, "frame") == (state["revision"], state["current_state"])
            entries = (await visit.call("get_history", run_id=run_id))["entries"]
            assert [{"type": "agent", "id": "agent"}] == [e["author"] for e in entries]

    with open_http_server(tmp_path) as where:
        run_async(lambda: run_journey(where))


def test_clients_of_several_servers_race_and_one_wins(tmp_path: Path) -> None:
    """Of four clients of several servers in a race for a revision, one wins."""
    answers: list[dict[str, Any]] = []

    async def race(visit: McpVisit, run_id: str, name: str) -> None:
        text = {"type": "hypothesis", "content": name}
        answers.append(await visit.send(run_id, "submit_hypothesis", 1, key=name, artifacts=[text]))

    async def run_journey(where: str) -> None:
        async with (
            open_http_client(where) as one,
            open_http_client(where) as two,
            open_stdio_client(tmp_path) as three,
            open_stdio_client(tmp_path) as four,
        ):
            begun = await one.call("create_run", process_id="exploration")
            run_id = str(begun["run_id"])
            async with anyio.create_task_group() as tasks:
                for number, visit in enumerate((one, two, three, four)):
                    tasks.start_soon(race, visit, run_id, f"client-{number}")
            log = await one.client.read_resource(f"stategate://runs/{run_id}/log")
            rows = log.contents[0]
            assert isinstance(rows, wire.TextResourceContents)
            assert 3 == rows.text.count("\r\n")
            summary = await four.client.read_resource(f"stategate://runs/{run_id}/summary")
            told = summary.contents[0]
            assert isinstance(told, wire.TextResourceContents)
            assert told.text.startswith("# exploration: experiment\n")

    with open_http_server(tmp_path) as where:
        run_async(lambda: run_journey(where))

    lost = [each["error"] for each in answers if not each["success"]]
    assert [("REVISION_CONFLICT", 2)] * 3 == [
        (each["code"], each["current_revision"]) for each in lost
    ]


def test_one_call_sent_by_several_at_once_is_done_once(tmp_path: Path) -> None:
    """One call that several clients send under one key is done once, with one answer."""
    told: list[dict[str, Any]] = []

    async def copy(visit: McpVisit, run_id: str, revision: int) -> None:
        answer = await visit.send(
            run_id,
            "submit_hypothesis" if revision == 1 else "submit_evidence",
            revision,
            key=f"copied-{revision}",
            artifacts=[{"type": "hypothesis" if revision == 1 else "evidence", "content": "x"}],
        )
        assert answer["success"], answer
        told.append({**answer["result"], "replayed": None})

    async def run_journey(where: str) -> None:
        async with (
            open_http_client(where) as one,
            open_http_client(where) as two,
            open_stdio_client(tmp_path) as three,
            open_stdio_client(tmp_path) as four,
        ):
            begun = await one.call("create_run", process_id="exploration")
            run_id = str(begun["run_id"])
            for revision in (1, 2):
                async with anyio.create_task_group() as tasks:
                    for visit in (one, two, three, four):
                        tasks.start_soon(copy, visit, run_id, revision)
            entries = (await two.call("get_history", run_id=run_id))["entries"]
            assert [1, 2, 3] == [each["revision"] for each in entries]

    with open_http_server(tmp_path) as where:
        run_async(lambda: run_journey(where))

    assert [told[0]] * 4 + [told[4]] * 4 == told


def test_a_token_is_asked_for_where_one_is_set(tmp_path: Path) -> None:
    """A server with a token answers only requests that have it."""

    async def run_journey(where: str) -> None:
        async with httpx2.AsyncClient() as web:
            answer = await web.post(where, content=HELLO)
            assert 401 == answer.status_code
        async with open_http_client(where, authorization="Bearer a long secret") as visit:
            assert [] == (await visit.call("list_runs"))["runs"]

    with open_http_server(tmp_path, STATE_GATE_TOKEN="a long secret") as where:
        run_async(lambda: run_journey(where))


def test_a_listening_client_is_informed_when_the_server_ends(tmp_path: Path) -> None:
    """Ctrl-C ends open streams properly, and no error is printed."""
    server = end_with_test(
        subprocess.Popen(
            [sys.executable, "-m", "saniwa", "mcp", "--http", "127.0.0.1:0"],
            cwd=tmp_path,
            env=make_environment(),
            stderr=subprocess.PIPE,
            text=True,
        )
    )
    assert server.stderr is not None
    where = server.stderr.readline().partition("listening at ")[2].partition(",")[0]

    async def run_journey() -> None:
        with anyio.fail_after(PATIENCE):
            async with Client(where) as client, client.listen(resources_list_changed=True) as heard:
                server.send_signal(signal.SIGINT)
                assert [] == [event async for event in heard]

    try:
        run_async(run_journey)
        assert 130 == server.wait(PATIENCE)
    finally:
        server.kill()
        _, told = server.communicate()
    assert "" == told


def test_garbage_is_answered_and_the_rest_is_heard(tmp_path: Path) -> None:
    """Invalid lines are answered, and closing the input ends the server."""
    call = (
        b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"create_run",'
        b'"arguments":{"process_id":"exploration"}}}\n'
    )
    garbage = b"hello\n\xff\xfe\n" + b"x" * 5_000_000 + b'\n{"jsonrpc":"1.0"}\n[]\n\n'

    done = subprocess.run(
        [sys.executable, "-m", "saniwa", "mcp"],
        cwd=tmp_path,
        env=make_environment(),
        input=garbage + HELLO + garbage + call + garbage,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )

    answers = [msgspec.json.decode(line) for line in done.stdout.split(b"\n") if line]
    assert (0, b"") == (done.returncode, done.stderr)
    assert {1, 2, None} == {answer["id"] for answer in answers}
    assert 18 == sum(answer["id"] is None for answer in answers)
    assert 1 == len(list((tmp_path / ".state_gate" / "runs").glob("*.csv")))


def test_ctrl_c_ends_a_server_that_waits(tmp_path: Path) -> None:
    """Ctrl-C ends a server that waits for a line, without output."""
    server = end_with_test(
        subprocess.Popen(
            [sys.executable, "-m", "saniwa", "mcp"],
            cwd=tmp_path,
            env=make_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    )
    assert server.stdin is not None
    assert server.stdout is not None
    try:
        server.stdin.write(HELLO)
        server.stdin.flush()
        assert b'"id":1' in server.stdout.readline()
        server.send_signal(signal.SIGINT)

        assert 130 == server.wait(PATIENCE)
    finally:
        server.kill()
        out, err = server.communicate()
    assert (b"", b"") == (out, err)
