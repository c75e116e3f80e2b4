"""A gate whose writers are killed while they write."""

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random  # noqa: TID251 - the caller brings it, with its seed
from typing import Any

from tests.fakes.gate_writer_processes import look, make_gate_folders, open_writers
from tests.journeys.gate_terminal import CommandAnswer, GateTerminal
from tests.torture.child_process import TortureChild, spin
from tests.torture.ordeal import Ordeal, TrialTally

DOOR = """\
process_id: door
version: '1.0.0'
name: A door that turns
initial_state: shut
states: [{name: shut}, {name: open}, {name: gone, is_final: true}]
events:
  - {name: turn, allowed_roles: [agent]}
  - {name: leave, allowed_roles: [agent]}
transitions:
  - {from: shut, event: turn, to: open}
  - {from: open, event: turn, to: shut}
  - {from: open, event: leave, to: gone}
roles: [{name: agent, allowed_events: '*'}]
"""


def _kill_writers(folder: Path, chance: Random) -> TrialTally:
    """Long-running writers in several processes, killed together again and again."""
    folders = make_gate_folders(folder)
    kept, kills = dict[int, str](), 25
    with open_writers(folder) as server:
        for _ in range(kills):
            server.fork_writers(chance.choice([1, 2, 4]))
            heard = server.hear_some(chance.randrange(1, 30))
            spin(chance, 4e-4)
            heard += server.kill()
            for word, revision, *key in heard:
                if word == "kept":
                    assert int(revision) not in kept
                    kept[int(revision)] = key[0]
            look(folders, kept)
    return TrialTally(harmed=kills, acknowledged=len(kept))


def _kill_commands(folder: Path, chance: Random) -> TrialTally:
    """Three processes write at once to the same revision, and are killed."""
    desk, kept, lost, kills = _open_terminal(folder), dict[int, str](), set[str](), 0
    for nth in range(12):
        if nth >= 3 and kills:
            break
        began = time.perf_counter()
        revision = int(desk.run_command("state", "--json").document["revision"])
        usual = time.perf_counter() - began
        keys = [f"k{revision}-{one}" for one in "abc"]
        # If the machine was busy during the measurement, every process ends before its kill.
        seconds = usual * chance.uniform(0.8, 3) * 0.6 ** max(0, nth - 2)
        racing = _race_people(folder, revision, keys, seconds)
        for key, answer in zip(keys, list(racing), strict=True):
            kills += answer is None
            # A process without an answer asks again under the same key.
            told = answer or desk.run_command("emit", *_make_turn_command(revision, key))
            if told.document["success"]:
                assert revision + 1 not in kept, f"{key} and {kept[revision + 1]} won"
                kept[revision + 1] = key
            else:
                assert "REVISION_CONFLICT" == told.refusal, told
                lost.add(key)
    _compare(desk, kept, lost)
    return TrialTally(harmed=kills, acknowledged=len(kept), refused=len(lost))


def _open_terminal(folder: Path) -> GateTerminal:
    desk = GateTerminal(folder)
    desk.define("door", DOOR)
    desk.begin("door")
    return desk


def _make_turn_command(revision: int, key: str) -> tuple[str, ...]:
    return ("turn", "--expected-revision", str(revision), "--key", key, "--json")


def _race_people(
    folder: Path, revision: int, keys: list[str], seconds: float
) -> Iterator[CommandAnswer | None]:
    """The answer of each process; None for one killed before its answer."""
    with ExitStack() as stack:
        racers = [
            stack.enter_context(
                TortureChild(folder, "gate", "emit", *_make_turn_command(revision, key))
            )
            for key in keys
        ]
        racers[0].let_work(seconds)
        for child in racers:
            said = child.kill().decode()
            yield CommandAnswer(0, said, "") if said.endswith("\n") else None


def _compare(desk: GateTerminal, kept: dict[int, str], lost: set[str]) -> None:
    """The history has every accepted event once, and none that was refused."""
    lines = desk.run_command("history", "--json").out.split("\n")
    records = [json.loads(line) for line in lines if line]
    there = {r["revision"]: r.get("key", "") for r in records if "event" in r}
    assert kept.items() <= there.items(), f"kept {kept}, there {there}"
    assert not lost & set(there.values())
    assert len(there) == len(kept) + 1, f"kept {kept}, there {there}"
    verified = desk.run_command("verify")
    assert 0 == verified.code, verified


_HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "torture", "version": "1"},
    },
}


def _kill_mcp_server(folder: Path, chance: Random) -> TrialTally:
    """An agent's MCP server, killed while a call is under way."""
    desk, kept, kills = _open_terminal(folder), dict[int, str](), 3
    pending = 0
    for _ in range(kills):
        with TortureChild(folder, "mcp", "--run", "last") as child:
            assert _ask_child(child, _HELLO), child.errors
            for revision in range(pending or 1, (pending or 1) + chance.randrange(30)):
                assert _emit_event(child, revision)["success"]
                kept[revision + 1] = f"call-{revision}"
            pending = max(kept, default=1)
            child.tell(json.dumps(_call(pending)).encode())
            spin(chance, 8e-3)
            child.kill()
    with TortureChild(folder, "mcp", "--run", "last") as child:
        assert _ask_child(child, _HELLO), child.errors
        assert _emit_event(child, pending)["success"]
        kept[pending + 1] = f"call-{pending}"
        child.read_rest()
    _compare(desk, kept, set())
    return TrialTally(harmed=kills, acknowledged=len(kept))


def _call(revision: int) -> dict[str, Any]:
    """An event with a key made from its revision."""
    sent = {"event_name": "turn", "expected_revision": revision, "run_id": "last"}
    given = {"name": "emit_event", "arguments": sent | {"idempotency_key": f"call-{revision}"}}  # fmt: skip
    return {"jsonrpc": "2.0", "id": revision, "method": "tools/call", "params": given}


def _emit_event(child: TortureChild, revision: int) -> dict[str, Any]:
    told: dict[str, Any] = _ask_child(child, _call(revision))["structuredContent"]
    return told


def _ask_child(child: TortureChild, asked: dict[str, Any]) -> dict[str, Any]:
    """The result of a request; any other message is skipped."""
    child.tell(json.dumps(asked).encode())
    while line := child.hear_line():
        told = json.loads(line)
        if told.get("id") == asked["id"]:
            result: dict[str, Any] = told["result"]
            return result
    raise AssertionError(f"no answer to {asked}; {child.errors}")


ORDEALS = (
    Ordeal(
        name="gate-writers-killed",
        tried="Up to four writers at one run of a gate are killed together with -9.",
        promised="Every acknowledged event is there once; chain and table are complete.",
        trial=_kill_writers,
    ),
    Ordeal(
        name="gate-emit-killed",
        tried="Three `saniwa gate emit` race for one revision, are killed, and repeat.",
        promised="One wins each revision, a reported event stays, and losers leave nothing.",
        trial=_kill_commands,
    ),
    Ordeal(
        name="mcp-killed",
        tried="`saniwa mcp` is killed during an event, which is sent again later.",
        promised="Every event reported as accepted stays, and one key counts exactly once.",
        trial=_kill_mcp_server,
    ),
)
