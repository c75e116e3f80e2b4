"""`make bench`: measure ours beside the peers, print one table, keep it in RESULTS.md."""

import argparse
import datetime
import json
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks import (
    agent,
    decide,
    experiment,
    gate,
    keep,
    machine,
    peers,
    restore,
    serving,
    start,
    tell,
)
from benchmarks.row import Row, duration, markdown, table

RESULTS = Path(__file__).with_name("RESULTS.md")

GROWTH = """\
Judging, applying and playing must be flat.
Listing all admissible actions has a mark for the world of 20 rooms only; hearing words
("take the cup 0") and playing them has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """How much of everything is measured."""

    steps: int
    """Actions of a walk of ours."""
    textworld: int
    """Steps of each walk in TextWorld."""
    express: int
    """Steps of the walk in TextWorldExpress."""
    commits: int
    """Turns kept, and bare commits beside them."""
    turns: int
    """Turns of the run that is spoken and resumed."""
    starts: int
    """Fresh processes."""
    gate: gate.Effort
    """Events at the gate."""
    agent: agent.Effort
    """Turns of agents."""
    experiment: experiment.Effort
    """Cells of experiments."""
    serving: serving.Effort
    """Turns of players at a server."""


FULL = Effort(
    steps=1400,
    textworld=300,
    express=3000,
    commits=1000,
    turns=1000,
    starts=15,
    gate=gate.Effort(
        slices=100, langgraph=300, dbos=600, race=4000, contest=200, starts=15
    ),
    agent=agent.Effort(rounds=9, starts=9),
    experiment=experiment.Effort(samples=400, runs=1000),
    serving=serving.Effort(turns=20),
)
QUICK = Effort(
    steps=280,
    textworld=100,
    express=1000,
    commits=200,
    turns=200,
    starts=5,
    gate=gate.Effort(
        slices=20, langgraph=100, dbos=200, race=1000, contest=200, starts=5
    ),
    agent=agent.Effort(rounds=3, starts=3),
    experiment=experiment.Effort(samples=100, runs=200),
    serving=serving.Effort(turns=5),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """Everything that was measured in one run."""

    date: str
    machine: dict[str, str]
    rows: list[Row]
    growth: list[tuple[float, ...]]
    absent: dict[str, str]
    """Peers that could not be had, and why."""

    @property
    def missed(self) -> list[Row]:
        """The rows whose mark was not met."""
        return [row for row in self.rows if row.met is False]


def measured(effort: Effort) -> Result:
    """One run over everything."""
    facts, absent = machine.described(), dict[str, str]()
    began = machine.load()
    textworld = peers.asked(peers.TEXTWORLD, facts, absent, effort.textworld)
    express = peers.asked(peers.EXPRESS, facts, absent, effort.express)
    rows = decide.beside_textworld(textworld, effort.steps)
    rows += decide.beside_express(rows[-1], express)
    rows += decide.flagship_rows(effort.steps)
    growth, flat = decide.growth(effort.steps)
    rows += flat
    rows += restore.rows(textworld)
    rows += keep.rows(effort.commits, effort.turns)
    rows += start.rows(effort.starts)
    rows += tell.rows(absent, effort.starts)
    rows += gate.rows(effort.gate, facts, absent)
    rows += agent.rows(effort.agent, facts, absent)
    rows += experiment.rows(effort.experiment, facts, absent)
    rows += serving.rows(effort.serving)
    facts["load"] = f"{began} when it began, {machine.load()} when it ended"
    today = datetime.date.today().isoformat()  # noqa: DTZ011 - a date for people
    return Result(date=today, machine=facts, rows=rows, growth=growth, absent=absent)


def page(result: Result) -> str:
    """The result for people."""
    sizes = markdown(
        ("entities", "judge and apply", "as a turn", "all admissible", "from words"),
        [(f"{n:,}", *map(duration, times)) for n, *times in result.growth],
    )
    missed = [
        f"- {row.work}: {row.amount(row.ours)}"
        f"{f' beside {row.peer}' if row.peer else ''}, mark {row.mark}."
        for row in result.missed
    ] or ["None."]
    absent = [f"- {name}: {why}" for name, why in result.absent.items()]
    parts = [
        "# Results",
        f"Measured on {result.date} by `make bench`, all in one run.",
        "\n".join(f"- {name}: {value}" for name, value in result.machine.items()),
        "## Ours and theirs",
        table(result.rows),
        "## One action in ever larger worlds",
        sizes,
        GROWTH,
        "## Marks missed",
        "\n".join(missed),
    ]
    if absent:
        parts += ["## Peers that could not be had", "\n".join(absent)]
    return "\n\n".join(parts) + "\n"


def main() -> int:
    """Measure and print. A missed mark is shown, not failed: a timing is no test."""
    reader = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    reader.add_argument("--json", action="store_true", help="print JSON")
    reader.add_argument(
        "--quick", action="store_true", help="fewer rounds; RESULTS.md stays as it is"
    )
    wanted = reader.parse_args()
    result = measured(QUICK if wanted.quick else FULL)
    if wanted.json:
        document = {
            "date": result.date,
            "machine": result.machine,
            "rows": [row.as_document() for row in result.rows],
            "growth": result.growth,
            "absent": result.absent,
        }
        print(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        print(page(result), end="")
    if not wanted.quick:
        RESULTS.write_text(page(result), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
