"""What commands send to a collector, and that no telemetry library is loaded without one."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.tool_agent import make_call, write_tool_agent
from tests.journeys.gate_terminal import GateTerminal, answer_of, make_environment
from tests.unit.http.telemetry.collector import open_collector

pytestmark = pytest.mark.slow

_SECRET_LINE = "an unutterable line"


def test_model_calls_tool_calls_and_turns_of_an_agent_are_spans(tmp_path: Path) -> None:
    """An agent's spans follow the conventions for generative AI, and have no text of it."""
    answers = [make_call("append", line=_SECRET_LINE), "Done."]
    write_tool_agent(tmp_path / ".agent" / "hands", answers)
    with open_collector() as collector:
        known = make_environment() | {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url}
        done = answer_of(tmp_path, "agent", "run", "hands", known=known)
        spans = collector.list_attributes()
        names = collector.list_spans()
        raw = b"".join(content for _, content in collector.raw)

    assert 0 == done.code, done.err
    (chat,) = [name for name in spans if name.startswith("chat")]
    assert ("chat", "canned", ["stop"]) == (
        spans[chat]["gen_ai.operation.name"],
        spans[chat]["gen_ai.provider.name"],
        spans[chat]["gen_ai.response.finish_reasons"],
    )
    assert {"gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"} <= set(spans[chat])
    assert {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "append",
        "gen_ai.tool.type": "function",
    }.items() <= spans["execute_tool append"].items()
    assert "invoke_agent" == spans["invoke_agent hands"]["gen_ai.operation.name"]
    assert 2 == sum(name.startswith("saniwa: chat") for name in names)
    assert _SECRET_LINE.encode() not in raw


def test_a_run_of_an_agent_is_one_trace(tmp_path: Path) -> None:
    """An agent's run is one trace of iterations and calls, and waiting is not a failure."""
    answers = [make_call("append", line="x"), "Done."]
    write_tool_agent(tmp_path / ".agent" / "hands", answers, mode="")
    with open_collector() as collector:
        known = make_environment() | {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url}
        waiting = answer_of(tmp_path, "agent", "run", "hands", known=known)
        spans = collector.list_attributes()
        resume = ("agent", "run", "hands", "--resume", "--allow-tool", "append")
        done = answer_of(tmp_path, *resume, known=known)
        paths = collector.list_paths()

    assert (4, 0) == (waiting.code, done.code), done.err
    assert [] == [name for name, about in spans.items() if "error.type" in about]
    agent = "invoke_agent hands"
    assert {
        agent,
        f"{agent} > iteration",
        f"{agent} > iteration > chat canned:answers.json",
        f"{agent} > iteration > execute_tool append",
    } == paths


def test_events_of_a_gate_are_spans(tmp_path: Path) -> None:
    """Events of a gate are spans with the new state, or with the reason of the refusal."""
    terminal = GateTerminal(tmp_path)
    run_id = terminal.begin()
    with open_collector() as collector:
        here = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url}
        terminal.emit("submit_hypothesis", 1, **here)
        refused = collector.list_attributes()["gate_event submit_hypothesis"]
        terminal.emit("submit_hypothesis", 1, "--inline", 'hypothesis="hush"', **here)
        accepted = collector.list_attributes()["gate_event submit_hypothesis"]
        raw = b"".join(content for _, content in collector.raw)

    assert (False, "GUARD_FAILED") == (refused["saniwa.gate.accepted"], refused["saniwa.code"])
    assert {
        "saniwa.gate.event": "submit_hypothesis",
        "saniwa.gate.accepted": True,
        "saniwa.gate.from_state": "frame",
        "saniwa.gate.to_state": "experiment",
        "saniwa.gate.revision": 2,
    } == accepted
    assert b"hush" not in raw
    assert run_id.encode() not in raw


def test_a_collector_that_is_gone_stops_no_command(tmp_path: Path) -> None:
    """A command with an unreachable collector ends as usual."""
    terminal = GateTerminal(tmp_path)
    terminal.begin()
    done = terminal.emit(
        "submit_hypothesis",
        1,
        *("--inline", 'hypothesis="h"'),
        OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9",
    )

    assert 0 == done.code


def test_nothing_is_loaded_where_no_collector_is_named(tmp_path: Path) -> None:
    """Without a collector `gate state` loads no library for telemetry."""
    GateTerminal(tmp_path).begin()
    code = (
        "import sys\n"
        "from saniwa.cli.main import main\n"
        "try:\n    main(['gate', 'state', 'last'])\n"
        "except SystemExit as done:\n    assert not done.code\n"
        "print([name for name in sys.modules if name.startswith('opentelemetry')])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=make_environment(),
        capture_output=True,
        text=True,
        check=True,
    )

    assert "[]" == done.stdout.rstrip("\n").rpartition("\n")[2]
