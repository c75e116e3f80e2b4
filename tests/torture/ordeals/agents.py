"""Agents that are killed while they work, and the recordings they make."""

import json
import re
from pathlib import Path
from random import Random  # noqa: TID251 - the caller brings it, with its seed

from saniwa.app.gate.gate_opening import open_gate
from saniwa.store.json_lines_file import JsonLinesFile
from tests.fakes.agent_folder import AGENT, change_document, write_agent
from tests.torture.child_process import ROOT, TortureChild, run_command, spin
from tests.torture.ordeal import Ordeal, TrialTally

ANSWERS = ("--model", f"canned:{ROOT / 'tests' / 'fakes' / 'worker_answers.json'}")
TOPIC = ("--topic", "does a lid keep tea warm")
DONE = [
    "created",
    "submit_hypothesis",
    "submit_evidence",
    "submit_observation",
    "submit_observation",
    "submit_synthesis",
    "submit_decision",
]
_KILLS = 3
_STOPS = 60
"""The number of answers in the recorded model's script."""
_ITERATION = re.compile(rb"^(\d+) ", re.MULTILINE)


def _kill_worker(folder: Path, chance: Random) -> TrialTally:
    """A worker at a gate, killed while it submits evidence."""
    with open_gate(folder / ".state_gate") as gate:
        run_id = gate.create_run("exploration").run_id
    begin = ("agent", "run", "worker", "--run", run_id, *ANSWERS, *TOPIC)
    kills, told = 0, 0
    for _ in range(_KILLS):
        with TortureChild(folder, *_choose_command(folder, "worker", begin), merged=True) as child:
            child.hear(chance.randrange(900))
            spin(chance, 0.03)
            heard = [int(number) for number in _ITERATION.findall(child.kill())]
        told, kills = max([told, *heard]), kills + (child.code == -9)
        assert told <= _read_last_iteration(folder), (
            "an iteration was shown and is not in the journal"
        )
    ended = run_command(folder, *_choose_command(folder, "worker", begin))
    assert (4, True) == (ended.code, "(9 iterations" in ended.out), ended
    with open_gate(folder / ".state_gate") as gate:
        events = [e.event for e in gate.read_history(run_id) if hasattr(e, "event")]
        assert events == DONE, events
        assert gate.verify(run_id).has_passed
    assert told <= 9
    return TrialTally(harmed=kills, acknowledged=len(DONE) + told)


def _read_last_iteration(folder: Path) -> int:
    """The last iteration in the worker's journals."""
    journals = (folder / ".saniwa/agents/worker").glob("*.jsonl")
    entries = [entry for file in journals for entry in JsonLinesFile(file).read_entries()]
    return max([entry.get("iteration", 0) for entry in entries], default=0)


def _choose_command(folder: Path, name: str, begin: tuple[str, ...]) -> tuple[str, ...]:
    """The command to type: `--resume` if a journal exists, else the one that begins."""
    journals = (folder / ".saniwa/agents" / name, folder / ".agent" / name / "logs")
    begun = [file for place in journals for file in place.glob("*.jsonl") if file.stat().st_size]  # fmt: skip
    return ("agent", "run", name, "--resume") if begun else begin


def _kill_recording(folder: Path, chance: Random) -> TrialTally:
    """An agent whose answers are recorded, killed between answers and while one is written."""
    _write_guide(folder)
    begin = ("agent", "run", "guide", "--record", "tape.jsonl")
    heard = 0
    for _ in range(_KILLS):
        with TortureChild(folder, *_choose_command(folder, "guide", begin), merged=True) as child:
            child.hear(chance.randrange(400))
            spin(chance, 0.01)
            numbers = [int(number) for number in _ITERATION.findall(child.kill())]
        # An iteration is printed when it begins, so the answer before it had been used.
        heard = max([heard, *numbers])
        answers = [each["answer"]["text"] for each in JsonLinesFile(folder / "tape.jsonl").read_entries()]  # fmt: skip
        _assert_in_order(answers, at_least=heard - 1)
    ended = run_command(folder, *_choose_command(folder, "guide", begin), "--json")
    assert 0 == ended.code, ended
    again = run_command(folder, "agent", "run", "guide", "--replay", "tape.jsonl", "--json")
    said = [each["assistantResponses"] for each in again.document["summaries"]]
    assert [[f"stop {n}"] for n in range(1, _STOPS)] == said[:-1], said
    assert ended.document["summaries"] == again.document["summaries"]
    return TrialTally(harmed=_KILLS, acknowledged=len(said))


def _write_guide(folder: Path) -> None:
    behaviour = {
        "completionType": "keywordSignal",
        "completionConfig": {"completionKeyword": "ARRIVED"},
    }
    step = {"prompt": {"path": "lead.md"}, "iterations": {"max": _STOPS}}
    agent = change_document(
        AGENT,
        behavior=behaviour,
        model={"use": "canned:answers.jsonl"},
        limits={"maxIterations": _STOPS},
    )
    home = folder / ".agent" / "guide"
    prompts = {"system.md": "You lead.", "lead.md": "Stop {uv-iteration}?"}
    registry = {"entryStep": "lead", "steps": {"lead": step}}
    write_agent(home, agent=agent, registry=registry, prompts=prompts)
    said = [*(f"stop {number}" for number in range(1, _STOPS)), "ARRIVED"]
    lines = "".join(json.dumps({"text": text}) + "\n" for text in said)
    (home / "answers.jsonl").write_text(lines)


def _assert_in_order(answers: list[str], at_least: int) -> None:
    """Every stop that was printed is on the tape; a kill may leave one there twice."""
    numbers = [int(text.split()[1]) for text in answers if text != "ARRIVED"]
    assert list(range(1, len(set(numbers)) + 1)) == sorted(set(numbers)), numbers
    assert numbers == sorted(numbers), numbers
    assert len(numbers) <= len(set(numbers)) + _KILLS
    assert at_least <= len(set(numbers)) + ("ARRIVED" in answers)


ORDEALS = (
    Ordeal(
        name="worker-killed",
        tried="`saniwa agent run` at a gate is killed with -9 and resumed.",
        promised="Every event is recorded once, in order, and the worker ends with the same result.",
        trial=_kill_worker,
    ),
    Ordeal(
        name="recording-killed",
        tried="An agent is killed with -9 while `--record` stores its model's answers.",
        promised="Every answer that was used is recorded, and a replay ends the same.",
        trial=_kill_recording,
    ),
)
