"""Agents: what a loop costs beside three others when the model costs nothing.

Everybody takes the same turns in one conversation; see `peers.turning`.
"""

import json
import subprocess
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import peers
from benchmarks.agent_turns import Keeper, canned, through_library
from benchmarks.asked import Asked
from benchmarks.bench import Bench
from benchmarks.disk import on_disk
from benchmarks.peers import loops, ours
from benchmarks.row import Found, Row
from benchmarks.timing import as_users_have_it, once_ms

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
ITERATION = "an agent's iteration, canned model"
LIBRARY = "the same through pydantic_ai.direct, its stub model"
PEERS = {
    "pydantic-ai, Agent with FunctionModel": loops.PYDANTIC_AI,
    "LangGraph, one node, InMemorySaver": loops.LANGGRAPH_TURNS,
    "OpenAI Agents SDK, Runner with a stub Model": loops.OPENAI_AGENTS,
}
IMPORTS = {
    "pydantic-ai, Agent with FunctionModel": "import pydantic_ai",
    "LangGraph, one node, InMemorySaver": "import langgraph.graph",
    "OpenAI Agents SDK, Runner with a stub Model": "import agents",
}
OURS = "import saniwa.agent.loop.agent, saniwa.agent.bridge"


Reports = Mapping[str, dict[str, Any] | None]
"""What each peer measured; None where it could not be had."""


def measured(bench: Bench) -> Found:
    """Everything about agents."""
    rounds = bench.amount(9, 3)
    reports = {name: bench.ask(peer, rounds, TURNS, IDLE) for name, peer in PEERS.items()}
    with on_disk() as folder:
        keeper = Keeper(folder)
        alone = keeper.turns(canned, rounds, TURNS)
        through = keeper.turns(through_library, rounds, TURNS)
        durable = keeper.durable_turns(folder, rounds, TURNS)
    rows = [
        *(_beside(name, alone, reports) for name in PEERS),
        _through(through, reports),
        _flat(ITERATION, alone),
        _flat(LIBRARY, through),
        _durable(durable),
        *_imports(bench.amount(9, 3), bench.absent),
        *_idle(reports),
    ]
    return Found(rows=rows, growth=[])


def _beside(name: str, turns: list[float], reports: Reports) -> Row:
    spent, report = median(turns), reports[name]
    return Row(
        work=ITERATION,
        ours=spent,
        peer=name,
        theirs=_ends(report["turns"])[0] if report else None,
        mark=f"under {ALONE} ms",
        met=spent < ALONE,
        asks=Asked.ITERATION,
        note=f"CPU time, ours in the median of {TURNS} turns of one conversation: resolve "
        "a prompt, ask, check the step, walk, look for the end, write a journal in memory. "
        f"We tell the model the last 20 messages and they tell all, so theirs is that of "
        f"their first {ENDS} turns; in the last {ENDS} {_grown(reports)}.",
    )


def _grown(reports: Reports) -> str:
    """What the peers cost at the end of the conversation."""
    said = [
        f"{name.partition(',')[0]} takes {_ends(report['turns'])[1]:.2f} ms"
        for name, report in reports.items()
        if report
    ]
    return ", ".join(said) or "nobody was measured"


def _through(turns: list[float], reports: Reports) -> Row:
    spent = median(turns)
    name = next(iter(PEERS))
    report = reports[name]
    return Row(
        work=LIBRARY,
        ours=spent,
        peer=name,
        theirs=_ends(report["turns"])[0] if report else None,
        mark=f"under {THROUGH} ms",
        met=spent < THROUGH,
        why="most of it is the library's own; a busy machine makes it more",
        note="the library's own way in, without its agents and without a network.",
    )


def _flat(work: str, turns: list[float]) -> Row:
    first, last = _ends(turns)
    return Row(
        work=f"{work}: the last {ENDS} of {TURNS} turns",
        ours=last,
        peer=f"ours, the first {ENDS}",
        theirs=first,
        mark=f"flat: within {FLAT}×",
        met=last <= FLAT * first,
        asks=Asked.ITERATION,
    )


def _durable(turns: list[float]) -> Row:
    return Row(
        work="the same with its journal synced to this disk",
        ours=median(turns),
        note="as it passes on the wall; two syncs an iteration: when the answer has come, "
        "and when the iteration counts.",
    )


def _ends(turns: list[float]) -> tuple[float, float]:
    return median(turns[:ENDS]), median(turns[-ENDS:])


def _imports(starts: int, absent: Mapping[str, str]) -> list[Row]:
    """Fresh processes by turns, so that a busy machine slows all alike."""
    commands = {"": (ours.python(), OURS), "python": (ours.python(), "pass")}
    for name, peer in PEERS.items():
        if peer.name not in absent:
            commands[name] = (peers.environment(peer), IMPORTS[name])
    for python, code in commands.values():
        _start(python, code)  # from now on Python has its bytecode
    spent: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(starts):
        for name, (python, code) in commands.items():
            spent[name].append(once_ms(partial(_start, python, code)))
    mine, bare = median(spent[""]), median(spent["python"])
    return [
        Row(
            work="import what runs an agent, fresh process",
            ours=mine,
            peer=name.partition(",")[0],
            theirs=median(spent[name]) if name in spent else None,
            note=f"Python alone takes {bare:.0f} ms of it.",
        )
        for name in PEERS
    ]


def _start(python: Path, code: str) -> None:
    subprocess.run([python, "-c", code], check=True, env=as_users_have_it())


def _idle(reports: Reports) -> list[Row]:
    command = [ours.python(), "-m", "benchmarks.agent_turns", str(IDLE)]
    done = subprocess.run(command, check=True, capture_output=True, cwd=peers.ROOT)
    mine: float = json.loads(done.stdout)["idle_kb"]
    return [
        Row(
            work="memory of a thousand idle agents",
            ours=mine * IDLE / 1024,
            peer=name.partition(",")[0],
            theirs=report["idle_kb"] * IDLE / 1024 if report else None,
            unit="MB",
            note="counted by Python's allocations. Ours are started: each has its "
            "bridge, its prompts and its journal open; theirs are objects that wait to "
            "be run.",
        )
        for name, report in reports.items()
    ]
