"""`saniwa agent run`, as a command."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.model_server import ModelServer
from tests.fakes.processes import end_with_test
from tests.journeys.gate_terminal import CommandAnswer, answer_of, make_environment

_AGENT = {
    "version": "1.0.0",
    "name": "guide",
    "displayName": "Guide",
    "description": "Leads somebody somewhere.",
    "behavior": {
        "systemPromptPath": "prompts/system.md",
        "completionType": "keywordSignal",
        "completionConfig": {"completionKeyword": "ARRIVED"},
    },
    "parameters": {
        "origin": {"type": "string", "required": True, "cli": "--from"},
        "stops": {"type": "number", "default": 1, "validation": {"min": 1, "max": 9}},
        "loud": {"type": "boolean", "default": False},
    },
    "model": {"use": "canned:answers.jsonl"},
    "limits": {"maxIterations": 5},
}
_FLOW = {
    "version": "1.0.0",
    "basePath": "prompts",
    "entryStep": "lead",
    "steps": {"lead": {"id": "lead", "prompt": {"path": "lead.md"}}},
}


@pytest.fixture
def agent_folder(tmp_path: Path) -> Path:
    """A project with one agent."""
    home = tmp_path / ".agent" / "guide"
    (home / "prompts").mkdir(parents=True)
    (home / "agent.json").write_text(json.dumps(_AGENT), encoding="utf-8")
    (home / "steps_registry.json").write_text(json.dumps(_FLOW), encoding="utf-8")
    (home / "prompts" / "system.md").write_text("You are a guide.", encoding="utf-8")
    (home / "prompts" / "lead.md").write_text(
        "Lead from {uv-origin}, {uv-stops} stops.", encoding="utf-8"
    )
    _write_answers(home, ["left", "right", "ARRIVED"])
    return tmp_path


def _write_answers(home: Path, said: list[str]) -> None:
    lines = "".join(json.dumps({"text": each}) + "\n" for each in said)
    (home / "answers.jsonl").write_text(lines, encoding="utf-8")


def _run_command(folder: Path, *words: str, **variables: str) -> CommandAnswer:
    return answer_of(folder, "agent", *words, known=make_environment() | variables)


def _read_journal(folder: Path) -> list[dict[str, Any]]:
    (path,) = (folder / ".agent" / "guide" / "logs").glob("agent-*.jsonl")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def test_an_agent_runs_until_it_is_done(agent_folder: Path) -> None:
    """The last answer and the result are printed, and the exit status is 0."""
    told = _run_command(agent_folder, "run", "guide", "--from", "Tokyo")

    said, became = told.out.strip().split("\n")
    assert (0, "ARRIVED", "done: ") == (told.code, said, became[:6])
    assert "3 iterations, 3 calls" in became


def test_its_parameters_are_options(agent_folder: Path) -> None:
    """A parameter's option fills its variable in every prompt."""
    _run_command(agent_folder, "run", "guide", "--from=Kyoto", "--stops", "3")

    prompts = [e["prompt"] for e in _read_journal(agent_folder) if e["event"] == "promptBuilt"]
    assert "Lead from Kyoto, 3 stops." == prompts[0]


def test_an_input_fills_its_own_gap(agent_folder: Path) -> None:
    """The text given with `--input` replaces `{input_text}` in a prompt."""
    prompt = agent_folder / ".agent" / "guide" / "prompts" / "lead.md"
    prompt.write_text("Lead to: {input_text}", encoding="utf-8")
    (agent_folder / "goal.txt").write_text("the {uv-origin} bridge", encoding="utf-8")

    _run_command(agent_folder, "run", "guide", "--from", "Tokyo", "--input", "goal.txt")

    prompts = [e["prompt"] for e in _read_journal(agent_folder) if e["event"] == "promptBuilt"]
    assert "Lead to: the {uv-origin} bridge" == prompts[0]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "origin"),
        (("--from", "Tokyo", "--stops", "99"), "stops"),
        (("--from", "Tokyo", "--stops", "many"), "stops"),
    ],
)
def test_arguments_that_do_not_fit_are_reported_before_any_model_is_asked(
    agent_folder: Path, words: tuple[str, ...], said: str
) -> None:
    """With a wrong parameter no model is called and nothing is written."""
    told = _run_command(agent_folder, "run", "guide", *words)

    assert 3 == told.code
    assert said in told.err
    assert not (agent_folder / ".agent" / "guide" / "logs").exists()


def test_an_unknown_option_is_a_mistake_of_use(agent_folder: Path) -> None:
    """An unknown option is a usage error that offers the agent's nearest option."""
    told = _run_command(agent_folder, "run", "guide", "--form", "Tokyo")

    assert 2 == told.code
    assert "--from" in told.err


def test_for_machines_the_result_is_one_object(agent_folder: Path) -> None:
    """With `--json` only one object is printed, with the published names."""
    told = _run_command(agent_folder, "run", "guide", "--from", "Tokyo", "--json")

    assert (0, "") == (told.code, told.err)
    assert {"success": True, "totalIterations": 3, "ok": True}.items() <= (told.document.items())


def test_a_limit_that_is_reached_is_no_success(agent_folder: Path) -> None:
    """An agent that is stopped by a limit exits with status 3 and says so."""
    told = _run_command(agent_folder, "run", "guide", "--from", "Tokyo", "--max-iterations", "2")

    assert 3 == told.code
    assert "not done[AGENT_MAX_ITERATIONS]: " in told.out


def test_a_ceiling_stops_before_the_call_that_would_cross_it(agent_folder: Path) -> None:
    """An agent stops before the call that would exceed its limit."""
    told = _run_command(agent_folder, "run", "guide", "--from", "Tokyo", "--max-calls", "2")

    assert 3 == told.code
    assert "[BUDGET_SPENT]" in told.out
    assert "2 calls" in told.out


def test_what_was_recorded_is_played_again_without_a_model(agent_folder: Path) -> None:
    """A replay of a recording needs no model and gives the same summaries."""
    first = _run_command(
        agent_folder, "run", "guide", "--from", "T", "--record", "tape.jsonl", "--json"
    )
    (agent_folder / ".agent" / "guide" / "answers.jsonl").unlink()

    again = _run_command(
        agent_folder, "run", "guide", "--from", "T", "--replay", "tape.jsonl", "--json"
    )

    assert (0, 0) == (first.code, again.code)
    assert first.document["summaries"] == again.document["summaries"]


def test_a_question_that_was_not_recorded_shows_the_nearest(agent_folder: Path) -> None:
    """A question that was not recorded is an error that shows the difference to the nearest."""
    _run_command(agent_folder, "run", "guide", "--from", "Tokyo", "--record", "tape.jsonl")

    told = _run_command(agent_folder, "run", "guide", "--from", "Kyoto", "--replay", "tape.jsonl")

    assert 3 == told.code
    assert "RECORDING_MISSING" in told.out
    assert "okyo" in told.out


def test_an_agent_continues_where_it_stopped(agent_folder: Path) -> None:
    """`--resume` continues from the journal, with the same arguments and the next answers."""
    words = ("run", "guide", "--from", "Tokyo", "--max-iterations", "1")
    first = _run_command(agent_folder, *words)

    same = _run_command(agent_folder, "run", "guide", "--resume")
    more = ("--max-iterations", "5")
    told = _run_command(agent_folder, "run", "guide", "--resume", *more, "--json")

    assert (3, 3, 0) == (first.code, same.code, told.code)
    assert ["left", "right", "ARRIVED"] == [
        s["assistantResponses"][0] for s in told.document["summaries"]
    ]


def test_what_was_said_when_it_began_counts_again(agent_folder: Path) -> None:
    """A resumed agent uses the same model and the same limits as before."""
    (agent_folder / "other.jsonl").write_text('{"text": "else"}\n' * 9, encoding="utf-8")
    words = "run guide --from Tokyo --model canned:other.jsonl --max-calls 2"
    first = _run_command(agent_folder, *words.split())

    told = _run_command(agent_folder, "run", "guide", "--resume", "--json")
    more = _run_command(agent_folder, "run", "guide", "--resume", "--max-calls", "3", "--json")

    assert 3 == first.code
    assert "BUDGET_SPENT" == told.document["error"]["code"]
    assert ["else"] * 3 == [s["assistantResponses"][0] for s in more.document["summaries"]]


def test_a_start_that_fails_begins_no_run(agent_folder: Path) -> None:
    """Without a model, no run of a process is created."""
    told = _run_command(agent_folder, "run", "worker", "--process", "exploration")

    assert 3 == told.code
    assert "MODEL_UNNAMED" in told.err
    assert not (agent_folder / ".state_gate").exists()


def test_an_old_journal_that_cannot_be_read_stops_no_new_run(agent_folder: Path) -> None:
    """Removing old journals skips files that are not journals."""
    home = agent_folder / ".agent" / "guide"
    agent = {**_AGENT, "logging": {"maxFiles": 1}}
    (home / "agent.json").write_text(json.dumps(agent), encoding="utf-8")
    (home / "logs").mkdir()
    (home / "logs" / "agent-0.jsonl").write_text("garbage{\n", encoding="utf-8")

    told = [_run_command(agent_folder, "run", "guide", "--from", "Tokyo").code for _ in range(2)]

    assert [0, 0] == told
    assert 2 == len(list((home / "logs").glob("*.jsonl")))


def test_journals_are_not_written_through_a_link(agent_folder: Path, tmp_path: Path) -> None:
    """A journal folder that is a symbolic link is refused."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (agent_folder / ".agent" / "guide" / "logs").symlink_to(outside)

    told = _run_command(agent_folder, "run", "guide", "--from", "Tokyo")

    assert 3 == told.code
    assert "is reached through a symbolic link" in told.err
    assert [] == list(outside.iterdir())


def test_the_runs_of_an_agent_can_be_seen(agent_folder: Path) -> None:
    """The list of runs has each run's iterations and result."""
    _run_command(agent_folder, "run", "guide", "--from", "Tokyo")
    _run_command(agent_folder, "run", "guide", "--from", "Kyoto", "--max-iterations", "1")

    told = _run_command(agent_folder, "runs", "guide", "--json")

    assert [(3, "done"), (1, "AGENT_MAX_ITERATIONS")] == [
        (each["iterations"], each["became"]) for each in told.document["runs"]
    ]


def test_an_agent_that_was_edited_does_not_continue(agent_folder: Path) -> None:
    """An agent whose definition was changed cannot be resumed."""
    _write_answers(agent_folder / ".agent" / "guide", ["left"])
    _run_command(agent_folder, "run", "guide", "--from", "Tokyo")
    prompt = agent_folder / ".agent" / "guide" / "prompts" / "lead.md"
    prompt.write_text("Lead elsewhere from {uv-origin}.", encoding="utf-8")

    told = _run_command(agent_folder, "run", "guide", "--resume")

    assert 3 == told.code
    assert "JOURNAL_DIFFERS" in told.err


def test_secrets_of_the_environment_stand_in_no_journal(agent_folder: Path) -> None:
    """Secrets in environment variables are redacted in the journal."""
    _write_answers(agent_folder / ".agent" / "guide", ["sk-very-secret-0123456789 ARRIVED"])
    told = "sk-very-secret-0123456789"

    _run_command(agent_folder, "run", "guide", "--from", told, GUIDE_API_KEY=told)

    written = b"".join(p.read_bytes() for p in agent_folder.rglob("logs/*.jsonl"))
    assert b"ARRIVED" in written
    assert b"sk-very-secret" not in written


def test_a_log_for_people_is_next_to_the_journal(agent_folder: Path) -> None:
    """With the format `text`, a log next to the journal has a line for each event."""
    agent = {**_AGENT, "logging": {"format": "text"}}
    home = agent_folder / ".agent" / "guide"
    (home / "agent.json").write_text(json.dumps(agent), encoding="utf-8")

    _run_command(agent_folder, "run", "guide", "--from", "Tokyo")

    (log,) = (home / "logs").glob("agent-*.log")
    lines = log.read_text(encoding="utf-8").strip().split("\n")
    assert ["1 lead", "2 lead", "3 lead"] == lines[:3]
    assert lines[3].startswith("  done: ")


def test_an_agent_that_is_not_whole_is_not_run(agent_folder: Path) -> None:
    """An incomplete agent is refused before any model is called."""
    (agent_folder / ".agent" / "guide" / "prompts" / "lead.md").unlink()

    told = _run_command(agent_folder, "run", "guide", "--from", "Tokyo")

    assert 3 == told.code
    assert "lead.md" in told.err


@pytest.mark.slow
def test_an_interrupted_agent_leaves_everything_whole(agent_folder: Path) -> None:
    """Ctrl-C exits with status 130, the journal says why, and the command to resume is printed."""
    journals = agent_folder / ".saniwa" / "agents" / "worker"
    (agent_folder / "answers.jsonl").write_text("", encoding="utf-8")
    _wait_at_a_gate(agent_folder)
    words = "agent run worker --wait --process nod --model canned:answers.jsonl"
    process = end_with_test(
        subprocess.Popen(
            [sys.executable, "-m", "saniwa", *words.split()],
            cwd=agent_folder,
            env=make_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    )
    assert process.stderr is not None
    while b"waiting:" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)

    assert 130 == process.returncode
    assert f"continue with: {sys.executable} -m saniwa agent run worker --resume".encode() in err
    last = _read_last_entry(journals)
    assert ("error", "AGENT_STOPPED") == (last["event"], last["error"]["code"])


def _wait_at_a_gate(folder: Path) -> None:
    place = folder / ".state_gate" / "processes"
    place.mkdir(parents=True, exist_ok=True)
    (place / "nod.yaml").write_text(
        "process_id: nod\nversion: '1.0.0'\nname: A nod\ninitial_state: asked\n"
        "states: [{name: asked}, {name: granted, is_final: true}]\n"
        "events: [{name: approve, allowed_roles: [human]}]\n"
        "transitions: [{from: asked, event: approve, to: granted}]\n"
        "roles: [{name: human, allowed_events: '*', can_approve: true}]\n",
        encoding="utf-8",
    )


def _read_last_entry(journals: Path) -> dict[str, Any]:
    path = max(journals.glob("*.jsonl"))
    told: dict[str, Any] = json.loads(path.read_text(encoding="utf-8").strip().split("\n")[-1])
    return told


@pytest.mark.parametrize(
    ("plan", "finish", "code", "asked"),
    [
        ("stray_call", "tool_call", "RETRIES_EXHAUSTED", 4),
        # Four requests, each with two more for the rest of its answer.
        ("length", "length", "RETRIES_EXHAUSTED", 12),
        ("refusal", "refused", "MODEL_REFUSED", 1),
        ("filter", "filtered", "MODEL_FILTERED", 1),
    ],
)
def test_four_ends_of_an_answer_are_distinguished(
    agent_folder: Path, plan: str, finish: str, code: str, asked: int
) -> None:
    """Each incomplete answer of a model is an error with its own name, and is not printed."""
    with ModelServer(lambda _: "ARRIVED") as server:
        server.plan(*[plan] * 20)
        model = ("--model", "openai-compatible:x", "--model-url", f"{server.url}/v1")
        done = _run_command(
            agent_folder, "run", "guide", "--from", "here", *model, SANIWA_MODEL_KEY="k"
        )

    answers = [e["response"] for e in _read_journal(agent_folder) if e["event"] == "queryExecuted"]
    assert (3, asked) == (done.code, len(server.heard))
    assert f"[{code}]" in done.out
    assert f"finish: {finish}" in done.out
    assert "ARRIVED" not in done.out
    assert {finish} == {answer["finish"] for answer in answers}


def test_a_worker_that_repeats_itself_is_stopped(agent_folder: Path) -> None:
    """An agent is stopped after five equal refusals, and after a resume at the first."""
    sent = {"type": "submit", "event": "submit_hypothesis"}
    sent |= {"artifacts": [{"path": "notes.md", "content": "x"}]}  # type: ignore[dict-item]
    said = {"answers": [f"```action\n{json.dumps(sent)}\n```"], "repeat": True}
    (agent_folder / "stuck.json").write_text(json.dumps(said), encoding="utf-8")
    model = ("--model", "canned:stuck.json")

    first = _run_command(agent_folder, "run", "worker", "--process", "exploration", *model)
    again = _run_command(agent_folder, "run", "worker", "--resume", *model)

    assert [3, 3] == [first.code, again.code]
    assert [5, 1] == [each.err.count("submit: refused") for each in (first, again)]
    assert all("[SUBMISSION_REPEATED]" in each.out for each in (first, again))
