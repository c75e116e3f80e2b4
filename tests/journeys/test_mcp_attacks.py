"""An agent that has only an MCP server tries to get past the gate."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.journeys.mcp_clients import McpVisit, open_stdio_client, run_async, write_evidence

pytestmark = pytest.mark.slow

VAULT = """\
process_id: vault
version: "1"
name: A vault

states:
  - {name: outside}
  - name: hall
    on_enter:
      - {type: set_variable, variable: sealed, value: true}
      - {type: notify, via: webhook, url: "http://127.0.0.1:9/pass-1?key=pass-2"}
  - {name: inside, is_final: true}

events:
  - {name: knock, allowed_roles: [agent]}
  - {name: enter, allowed_roles: [agent]}
  - {name: open, allowed_roles: [agent]}
  - {name: polish, allowed_roles: [agent]}
  - {name: approve, allowed_roles: "*"}

transitions:
  - {from: outside, event: knock, to: outside}
  - {from: outside, event: enter, to: hall}
  - {from: outside, event: open, to: inside, guard: clean}
  - {from: outside, event: polish, to: hall, guard: flawless}
  - {from: hall, event: knock, to: hall}
  - {from: hall, event: open, to: inside, guard: unsealed}
  - {from: hall, event: approve, to: inside}

guards:
  trusted: {type: context, variable: trusted, condition: equals, value: true}
  unsealed: {type: context, variable: sealed, condition: not_exists}
  flaw: {type: artifact, artifact_type: flaw, condition: exists}
  pass: {type: artifact, artifact_type: pass, condition: exists}
  flawless: {type: not, guard: flaw}
  clean: {type: all, guards: [trusted, pass, flawless]}

artifacts: [flaw, pass, paper]
"""
HURRIED = """\
process_id: hurried
version: "1"
name: A door that closes by itself

states: [open, {name: late, is_final: true}]
events: [{name: knock, allowed_roles: [agent]}]
transitions:
  - {from: open, event: knock, to: open}
  - {from: open, after: 1500ms, to: late}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with processes that the agent tries to pass."""
    place = tmp_path / ".state_gate" / "processes"
    place.mkdir(parents=True)
    (place / "vault.yaml").write_text(VAULT, encoding="utf-8")
    (place / "hurried.yaml").write_text(HURRIED, encoding="utf-8")
    return tmp_path


def attack(project: Path, attempt: Callable[[McpVisit, str], Awaitable[None]]) -> None:
    """Make an attempt in a new run of the vault."""

    async def run_journey() -> None:
        async with open_stdio_client(project) as visit:
            begun = await visit.call("create_run", process_id="vault")
            await attempt(visit, str(begun["run_id"]))

    run_async(run_journey)


def read_code(answer: dict[str, Any]) -> str:
    """The code of the error; empty if there is none."""
    return str(answer["error"]["code"]) if "error" in answer else ""


async def read_state(visit: McpVisit, run_id: str) -> tuple[str, int]:
    """The state and revision of a run."""
    state = await visit.call("get_state", run_id=run_id)
    return state["current_state"], state["revision"]


def test_no_guarded_variable_is_talked_into_a_value(project: Path) -> None:
    """No context, payload or nested name sets a variable that a guard needs."""

    async def attempt(visit: McpVisit, run_id: str) -> None:
        begun = await visit.call("create_run", process_id="vault", context={"trusted": True})
        assert "INVALID_CONTEXT" == read_code(begun)
        said = await visit.send(run_id, "knock", 1, payload={"trusted": True})
        assert "INVALID_PAYLOAD" == read_code(said)
        for trick in ({"context": {"trusted": True}}, {"variables.trusted": True}):
            answer = await visit.send(run_id, "open", 1, payload=trick)
            assert "GUARD_FAILED" == read_code(answer), trick
        assert ("outside", 1) == await read_state(visit, run_id)

    attack(project, attempt)


@pytest.mark.parametrize("value", [10**30, -(2**63) - 1, [[2**64]]], ids=str)
def test_no_value_breaks_a_run_or_the_server(project: Path, value: Any) -> None:
    """A value that not every reader can read again is refused, and the run can be continued."""

    async def attempt(visit: McpVisit, run_id: str) -> None:
        begun = await visit.call("create_run", process_id="vault", context={"n": value})
        assert "INVALID_CONTEXT" == read_code(begun)
        said = await visit.send(run_id, "knock", 1, payload={"n": value})
        assert "INVALID_PAYLOAD" == read_code(said)
        piece = {"type": "paper", "content": {"n": value}}
        handed = await visit.send(run_id, "knock", 1, artifacts=[piece])
        assert "INVALID_PAYLOAD" == read_code(handed)
        assert ("outside", 1) == await read_state(visit, run_id)
        assert (await visit.call("verify", run_id=run_id))["passed"] is True

    attack(project, attempt)


def test_no_number_of_variables_keeps_a_hook_from_its_word(project: Path) -> None:
    """A hook sets its variable even if the run has the largest number of variables."""

    async def attempt(visit: McpVisit, run_id: str) -> None:
        full = {f"v{number}": number for number in range(1_000)}
        assert "" == read_code(await visit.send(run_id, "knock", 1, payload=full))
        more = await visit.send(run_id, "knock", 2, payload={"one_more": 1})
        assert "INVALID_PAYLOAD" == read_code(more)
        assert "" == read_code(await visit.send(run_id, "enter", 2))

        assert "GUARD_FAILED" == read_code(await visit.send(run_id, "open", 3))
        unsaid = await visit.send(run_id, "knock", 3, payload={"sealed": False})
        assert "INVALID_PAYLOAD" == read_code(unsaid)
        assert ("hall", 3) == await read_state(visit, run_id)

    attack(project, attempt)


def test_no_evidence_changes_its_kind(project: Path) -> None:
    """Evidence keeps the kind of its first submission, whatever kind a later one names."""

    async def attempt(visit: McpVisit, run_id: str) -> None:
        write_evidence(project, run_id, flaw="A crack.")
        assert "" == read_code(await visit.send(run_id, "knock", 1, "flaw.md"))
        again = {"type": "paper", "path": "flaw.md"}
        answer = await visit.send(run_id, "knock", 2, artifacts=[again])
        revision = 2 if read_code(answer) else 3
        write_evidence(project, run_id, flaw="No crack.")

        assert "GUARD_FAILED" == read_code(await visit.send(run_id, "polish", revision))

    attack(project, attempt)


def test_no_kind_of_evidence_is_forged(project: Path) -> None:
    """Evidence that is empty or of an unknown kind is refused."""
    pieces: list[dict[str, Any]] = [
        {"type": "Pass", "content": "x"},
        {"type": "pass ", "content": "x"},
        {"type": "\uff50ass", "content": "x"},
        {"type": "pass", "content": ""},
        {"type": "pass", "content": "\u200b\u2800"},
        {"type": "pass", "content": None},
        {"type": "pass", "content": {}},
        {"type": "pass"},
        {"type": "pass", "path": "../vault.yaml"},
        {"type": "pass", "path": "absent.md"},
        {"type": "pass", "url": "http://127.0.0.1:9/pass"},
        {"type": "pass", "content": "x", "path": "pass.md"},
    ]

    async def attempt(visit: McpVisit, run_id: str) -> None:
        taken = [
            piece
            for piece in pieces
            if "INVALID_PAYLOAD"
            != read_code(await visit.send(run_id, "knock", 1, artifacts=[piece]))
        ]
        assert [] == taken
        assert ("outside", 1) == await read_state(visit, run_id)

    attack(project, attempt)


def test_no_key_prevents_a_timed_transition(project: Path) -> None:
    """A timed transition happens, whatever keys an agent has used."""

    async def attempt(visit: McpVisit, _: str) -> None:
        begun = await visit.call("create_run", process_id="hurried")
        run_id = str(begun["run_id"])
        for number in range(1, 5):
            key = f"timer:{number + 1}"
            await visit.send(run_id, "knock", number, key=key)
        while (await read_state(visit, run_id))[0] != "late":
            await anyio.lowlevel.checkpoint()

        last = (await visit.call("get_history", run_id=run_id))["entries"][-1]
        assert {"type": "system", "id": "timer"} == last["author"]
        assert (await visit.call("verify", run_id=run_id))["passed"] is True

    attack(project, attempt)


def test_no_approval_is_forged_or_carried_over(project: Path) -> None:
    """No digest, code or spelling lets an agent approve."""

    async def attempt(visit: McpVisit, run_id: str) -> None:
        await visit.send(run_id, "enter", 1)
        digest = (await visit.call("review", run_id=run_id))["digest"]
        told = {"approval_digest": digest, "payload": {"author": "human:ann"}}
        assert "FORBIDDEN" == read_code(await visit.send(run_id, "approve", 2, **told))
        for name in ("Approve", "approve ", "\uff41pprove", "approve\x00"):
            answer = await visit.send(run_id, name, 2, key="k", **told)
            assert "INVALID_EVENT" == read_code(answer), name
        for extra in ("approval", "mac", "author", "state", "at"):
            answer = await visit.send(run_id, "knock", 2, **{extra: "x"})
            assert "INVALID_PAYLOAD" == read_code(answer), extra
        assert ("hall", 2) == await read_state(visit, run_id)

    attack(project, attempt)


def test_no_secret_of_an_address_is_read(project: Path) -> None:
    """The history names the host of a webhook, but no secret of its address."""

    async def attempt(visit: McpVisit, run_id: str) -> None:
        await visit.send(run_id, "enter", 1)

        history = str(await visit.call("get_history", run_id=run_id))
        assert "webhook http://127.0.0.1:9" in history
        read = [history, str(await visit.call("get_state", run_id=run_id))]
        read += [str(await visit.call("review", run_id=run_id))]
        assert [] == [each for each in read if "pass-" in each]

    attack(project, attempt)
