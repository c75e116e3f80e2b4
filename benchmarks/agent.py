"""Agents: what a loop costs, compared with three others, when the model costs nothing.

All take the same turns in one conversation; see `peers.turn_timing`.
"""

import json
import subprocess
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import peers
from benchmarks.agent_turns import KeeperAgents, make_canned_oracle, make_library_oracle
from benchmarks.benchmark_run import BenchmarkRun
from benchmarks.disk import open_disk_folder
from benchmarks.peer_questions import PeerRow
from benchmarks.peers import loops, saniwa_environment
from benchmarks.row import Measurements, ResultRow
from benchmarks.timing import make_user_environment, time_once

TURNS = 100
"""Turns of a conversation."""
ENDS = 10
"""Turns at either end that are compared."""
ALONE, THROUGH = 0.2, 0.7
"""Milliseconds of an iteration, without a provider library and through one."""
FLAT = 1.25
"""How much more the last turns may cost than the first."""
IDLE = 1000
"""Agents that do nothing."""
TIMES = 10
"""How many times as fast as a peer's an iteration with a tool call must be."""
ITERATION = "an agent's iteration, canned model"
TOOL_CALL = "an agent's iteration with one tool call, canned model, a tool that does nothing"
LIBRARY = "the same through pydantic_ai.direct, its stub model"
PEERS = {
    "pydantic-ai, Agent with FunctionModel": loops.PYDANTIC_AI,
    "LangGraph, one node, InMemorySaver": loops.LANGGRAPH_TURNS,
    "OpenAI Agents SDK, Runner with a stub Model": loops.OPENAI_AGENTS,
}
TOOL_LOOPS = {
    "pydantic-ai, Agent with FunctionModel": "pydantic-ai, Agent with a tool",
    "LangGraph, one node, InMemorySaver": "LangGraph, model and ToolNode, InMemorySaver",
    "OpenAI Agents SDK, Runner with a stub Model": "OpenAI Agents SDK, Runner with a function tool",
}
IMPORTS = {
    "pydantic-ai, Agent with FunctionModel": "import pydantic_ai",
    "LangGraph, one node, InMemorySaver": "import langgraph.graph",
    "OpenAI Agents SDK, Runner with a stub Model": "import agents",
}
OURS = "import saniwa.agent.loop.lifecycle, saniwa.agent.bridge"


Reports = Mapping[str, dict[str, Any] | None]
"""What each peer measured; None where it could not be had."""


def measure(bench: BenchmarkRun) -> Measurements:
    """Everything about agents."""
    rounds = bench.choose_amount(9, 3)
    reports = {name: bench.ask(peer, rounds, TURNS, IDLE) for name, peer in PEERS.items()}
    with open_disk_folder() as folder:
        keeper = KeeperAgents(folder)
        alone = keeper.time_turns(make_canned_oracle, rounds, TURNS)
        called = keeper.time_tool_turns(rounds, TURNS)
        through = keeper.time_turns(make_library_oracle, rounds, TURNS)
        durable = keeper.time_durable_turns(folder, rounds, TURNS)
    rows = [
        *(_make_peer_row(name, alone, reports) for name in PEERS),
        *(_make_tool_row(name, called, reports) for name in PEERS),
        _make_library_row(through, reports),
        _make_flat_row(ITERATION, alone),
        _make_flat_row(TOOL_CALL, called),
        _make_flat_row(LIBRARY, through),
        _make_durable_row(durable),
        *_measure_imports(bench.choose_amount(9, 3), bench.absent),
        *_measure_idle_memory(reports),
    ]
    return Measurements(rows=rows, growth=[])


def _make_peer_row(name: str, turns: list[float], reports: Reports) -> ResultRow:
    spent, report = median(turns), reports[name]
    return ResultRow(
        work=ITERATION,
        ours=spent,
        peer=name,
        theirs=_ends(report["turns"])[0] if report else None,
        mark=f"under {ALONE} ms",
        met=spent < ALONE,
        asks=PeerRow.ITERATION,
        note=f"CPU time, ours in the median of {TURNS} turns of one conversation: resolve a "
        "prompt, call the model, check the step, choose the next one, check for the end, write a "
        "journal in memory. We send the model the last 20 messages and they send all, so theirs "
        "is that of "
        f"their first {ENDS} turns; in the last {ENDS} {_describe_growth(reports, 'turns')}.",
    )


def _make_tool_row(name: str, turns: list[float], reports: Reports) -> ResultRow:
    spent, report = median(turns), reports[name]
    theirs = _ends(report["tool_turns"])[0] if report else None
    return ResultRow(
        work=TOOL_CALL,
        ours=spent,
        peer=TOOL_LOOPS[name],
        theirs=theirs,
        mark=f"{TIMES}× faster",
        met=TIMES * spent <= theirs if theirs else None,
        note="CPU time, two questions and one call a turn, on all sides an asynchronous "
        "function; ours also checks the arguments and the permission, and writes the call to "
        "its journal in memory, before it and after it. Theirs is that of their first "
        f"{ENDS} turns; in the last {ENDS} {_describe_growth(reports, 'tool_turns')}.",
    )


def _describe_growth(reports: Reports, turns: str) -> str:
    """What the peers cost at the end of the conversation."""
    said = [
        f"{name.partition(',')[0]} takes {_ends(report[turns])[1]:.2f} ms"
        for name, report in reports.items()
        if report
    ]
    return ", ".join(said) or "none was measured"


def _make_library_row(turns: list[float], reports: Reports) -> ResultRow:
    spent = median(turns)
    name = next(iter(PEERS))
    report = reports[name]
    return ResultRow(
        work=LIBRARY,
        ours=spent,
        peer=name,
        theirs=_ends(report["turns"])[0] if report else None,
        mark=f"under {THROUGH} ms",
        met=spent < THROUGH,
        why="most of it is the library's own; a busy machine makes it more",
        note="the library's direct interface, without its agents and without a network.",
    )


def _make_flat_row(work: str, turns: list[float]) -> ResultRow:
    first, last = _ends(turns)
    return ResultRow(
        work=f"{work}: the last {ENDS} of {TURNS} turns",
        ours=last,
        peer=f"Saniwa, the first {ENDS}",
        theirs=first,
        mark=f"flat: within {FLAT}×",
        met=last <= FLAT * first,
        asks=PeerRow.ITERATION,
    )


def _make_durable_row(turns: list[float]) -> ResultRow:
    return ResultRow(
        work="the same with its journal synced to this disk",
        ours=median(turns),
        note="wall time; two syncs an iteration: when the answer has arrived, and when the "
        "iteration is complete.",
    )


def _ends(turns: list[float]) -> tuple[float, float]:
    return median(turns[:ENDS]), median(turns[-ENDS:])


def _measure_imports(starts: int, absent: Mapping[str, str]) -> list[ResultRow]:
    """Fresh processes, alternately, so that a busy machine slows all alike."""
    commands = {
        "": (saniwa_environment.find_python(), OURS),
        "python": (saniwa_environment.find_python(), "pass"),
    }
    for name, peer in PEERS.items():
        if peer.name not in absent:
            commands[name] = (peers.prepare_environment(peer), IMPORTS[name])
    for python, code in commands.values():
        _start(python, code)  # from now on Python has its bytecode
    spent: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(starts):
        for name, (python, code) in commands.items():
            spent[name].append(time_once(partial(_start, python, code)))
    mine, bare = median(spent[""]), median(spent["python"])
    return [
        ResultRow(
            work="import the agent runtime, fresh process",
            ours=mine,
            peer=name.partition(",")[0],
            theirs=median(spent[name]) if name in spent else None,
            note=f"Python alone takes {bare:.0f} ms of it.",
        )
        for name in PEERS
    ]


def _start(python: Path, code: str) -> None:
    subprocess.run([python, "-c", code], check=True, env=make_user_environment())


def _measure_idle_memory(reports: Reports) -> list[ResultRow]:
    python = str(saniwa_environment.find_python())
    command = [python, "-m", "benchmarks.agent_turns", str(IDLE)]
    done = subprocess.run(command, check=True, capture_output=True, cwd=peers.ROOT)
    mine: float = json.loads(done.stdout)["idle_kb"]
    return [
        ResultRow(
            work="memory of a thousand idle agents",
            ours=mine * IDLE / 1024,
            peer=name.partition(",")[0],
            theirs=report["idle_kb"] * IDLE / 1024 if report else None,
            unit="MB",
            note="counted by Python's allocations. Ours are started: each has its "
            "bridge, its prompts and its journal open; theirs are objects that have not been run.",
        )
        for name, report in reports.items()
    ]
