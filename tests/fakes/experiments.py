"""Small experiments that need no file and no model: plans, prepared plans, outcomes."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from saniwa.agent.oracle import Answer, Hear, Request, Usage
from saniwa.experiment.cell import Cell, cells_of
from saniwa.experiment.outcome import Outcome
from saniwa.experiment.plan import LETTERS, Condition, Plan, Prepared
from saniwa.experiment.playing.cell import play_cell
from saniwa.experiment.playing.opening import Stages
from saniwa.scenario.load import load
from saniwa.wiring import book_layers, open_scenario
from saniwa.wiring.experiment.editions import SHIPPED, shipped_edition
from saniwa.wiring.experiment.prepare import setting_of

HOUSE: dict[str, Any] = {
    "name": "house",
    "locations": {
        "kitchen": {"name": "Kitchen", "exits": ["hall"]},
        "hall": {"name": "Hall", "exits": ["kitchen", "study"]},
        "study": {"name": "Study", "exits": ["hall"]},
    },
    "props": {
        "cup": {"name": "cup", "location": "kitchen"},
        "lamp": {"name": "lamp", "location": "study"},
        "box": {
            "name": "box",
            "kind": "container",
            "location": "kitchen",
            "openable": True,
            "lockable": True,
            "locked": True,
            "required_key": "key",
        },
        "key": {"name": "key", "location": "hall"},
    },
    "characters": {
        "ann": {"name": "Ann", "location": "kitchen"},
        "ben": {"name": "Ben", "location": "kitchen"},
    },
}
"""Three rooms, a cup here, a lamp elsewhere, a locked box; Ann and Ben in the kitchen."""


def conditions(letters: str = "ABCD") -> tuple[Condition, ...]:
    """The conditions of a 2×2, those that are named."""
    made = (
        Condition(name=letter, inject=inject, gm=gm)
        for (inject, gm), letter in LETTERS.items()
    )
    return tuple(sorted((c for c in made if c.name in letters), key=lambda c: c.name))


def plan(letters: str = "ABCD", **more: Any) -> Plan:
    """A 2×2 on the house, one seed, three turns; anything else as asked."""
    usual: dict[str, Any] = {
        "experiment_id": "trial",
        "scenarios": ("house",),
        "conditions": conditions(letters),
        "factors": {"inject": (False, True), "gm": (False, True)},
        "max_turns": 3,
    }
    return Plan(**(usual | more))


def editions() -> dict[str, dict[str, str]]:
    """The prompts that come with Saniwa."""
    return {name: shipped_edition(name) for name in SHIPPED}


def prepared(
    made: Plan | None = None, documents: Mapping[str, Mapping[str, Any]] | None = None
) -> Prepared:
    """A plan with all it needs; scenarios that no document is given for are shipped ones."""
    made = made or plan()
    known = {"house": HOUSE, **(documents or {})}
    opened = {
        name: load(known[name]) if name in known else open_scenario(name)
        for name in made.scenarios
    }
    return Prepared(
        plan=made,
        settings={
            name: setting_of(name, scenario) for name, scenario in opened.items()
        },
        books={
            name: {
                book: book_layers(scenario, book or None)
                for book in sorted({c.rulebook for c in made.conditions})
            }
            for name, scenario in opened.items()
        },
        prompts=editions(),
        version="0.0.0",
    )


class Scripted:
    """An oracle that says what it is given, in order, then the last again; hears it all."""

    def __init__(self, answers: Sequence[str | Answer | Exception]) -> None:
        self._answers = list(answers)
        self.asked: list[Request] = []
        """Everything it was asked."""
        self.closed = 0
        """How often it was let go."""

    async def answer(self, request: Request, hear: Hear | None = None) -> Answer:
        """The next answer."""
        del hear
        said = self._answers[min(len(self.asked), len(self._answers) - 1)]
        self.asked.append(request)
        if isinstance(said, Exception):
            raise said
        if isinstance(said, Answer):
            return said
        cost = Usage(calls=1, input_tokens=10, output_tokens=len(said) // 4 + 1)
        return Answer(text=said, usage=cost, model="scripted", took_ms=7)

    async def close(self) -> None:
        """Count it."""
        self.closed += 1


def say(output: str, thought: str = "So.") -> str:
    """An answer in good form."""
    return f"Thought: {thought}\nOutput: {output}"


def cell_of(
    made: Plan, letter: str = "D", *, seed: int = 0, scenario: str = ""
) -> Cell:
    """The cell of a plan for a condition."""
    wanted = scenario or made.scenarios[0]
    return next(
        cell
        for cell in cells_of(made)
        if (cell.condition.name, cell.seed, cell.scenario) == (letter, seed, wanted)
    )


def played(
    letter: str, *answers: str | Answer | Exception, made: Plan | None = None
) -> Outcome:
    """What comes of a cell in which these answers are given."""
    made = made or plan(max_turns=1)
    oracle = Scripted(answers)
    return asyncio.run(play_cell(Stages(prepared(made)), cell_of(made, letter), oracle))


def outcomes(whole: Prepared, answer: Callable[[Cell], Sequence[str]]) -> list[Outcome]:
    """Every cell of a plan, played with the answers it is given, in the plan's order."""
    stages = Stages(whole)

    async def all_of_them() -> list[Outcome]:
        return [
            await play_cell(stages, cell, Scripted(answer(cell)))
            for cell in cells_of(whole.plan)
        ]

    return asyncio.run(all_of_them())
