"""Small experiments that need no file and no model: plans, prepared plans, outcomes."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from saniwa.app.experiments.plan_preparation import (
    SHIPPED_EDITIONS,
    make_setting,
    read_shipped_edition,
)
from saniwa.app.scenario_lookup import load_book_layers, open_scenario
from saniwa.experiment.cell_outcome import CellOutcome
from saniwa.experiment.cell_player import play_cell
from saniwa.experiment.plan import (
    LETTERS,
    Condition,
    ExperimentCell,
    ExperimentPlan,
    PreparedPlan,
    iterate_cells,
)
from saniwa.experiment.run_template import RunTemplates
from saniwa.models.oracle import OracleAnswer, OracleRequest, TextListener, Usage
from saniwa.scenario.loader import load_scenario

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
"""Three rooms with a cup, a lamp and a locked box; Ann and Ben are in the kitchen."""


def list_conditions(letters: str = "ABCD") -> tuple[Condition, ...]:
    """The named conditions of a 2×2."""
    made = (
        Condition(name=letter, inject=inject, gm=gm) for (inject, gm), letter in LETTERS.items()
    )
    return tuple(sorted((c for c in made if c.name in letters), key=lambda c: c.name))


def make_plan(letters: str = "ABCD", **more: Any) -> ExperimentPlan:
    """A 2×2 plan on the house with one seed and three turns; `more` changes its fields."""
    usual: dict[str, Any] = {
        "experiment_id": "trial",
        "scenarios": ("house",),
        "conditions": list_conditions(letters),
        "factors": {"inject": (False, True), "gm": (False, True)},
        "max_turns": 3,
    }
    return ExperimentPlan(**(usual | more))


def make_editions() -> dict[str, dict[str, str]]:
    """The prompts that Saniwa ships."""
    return {name: read_shipped_edition(name) for name in SHIPPED_EDITIONS}


def prepare_plan(
    made: ExperimentPlan | None = None, documents: Mapping[str, Mapping[str, Any]] | None = None
) -> PreparedPlan:
    """A plan with all it needs; scenarios without a given document are shipped ones."""
    made = made or make_plan()
    known = {"house": HOUSE, **(documents or {})}
    opened = {
        name: load_scenario(known[name]) if name in known else open_scenario(name)
        for name in made.scenarios
    }
    return PreparedPlan(
        plan=made,
        settings={name: make_setting(name, scenario) for name, scenario in opened.items()},
        books={
            name: {
                book: load_book_layers(scenario, book or None)
                for book in sorted({c.rulebook for c in made.conditions})
            }
            for name, scenario in opened.items()
        },
        prompts=make_editions(),
        version="0.0.0",
    )


class ScriptedOracle:
    """An oracle that gives prepared answers in order, repeats the last, and records requests."""

    def __init__(self, answers: Sequence[str | OracleAnswer | Exception]) -> None:
        self._answers = list(answers)
        self.asked: list[OracleRequest] = []
        """Every request."""
        self.closed = 0
        """How often it was closed."""

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """The next answer."""
        del hear
        said = self._answers[min(len(self.asked), len(self._answers) - 1)]
        self.asked.append(request)
        if isinstance(said, Exception):
            raise said
        if isinstance(said, OracleAnswer):
            return said
        cost = Usage(calls=1, input_tokens=10, output_tokens=len(said) // 4 + 1)
        return OracleAnswer(text=said, usage=cost, model="scripted", took_ms=7)

    async def close(self) -> None:
        """Count the call."""
        self.closed += 1


def render_answer(output: str, thought: str = "So.") -> str:
    """An answer in the expected format."""
    return f"Thought: {thought}\nOutput: {output}"


def pick_cell(
    made: ExperimentPlan, letter: str = "D", *, seed: int = 0, scenario: str = ""
) -> ExperimentCell:
    """The cell of a plan for a condition."""
    wanted = scenario or made.scenarios[0]
    return next(
        cell
        for cell in iterate_cells(made)
        if (cell.condition.name, cell.seed, cell.scenario) == (letter, seed, wanted)
    )


def play_cell_of(
    letter: str, *answers: str | OracleAnswer | Exception, made: ExperimentPlan | None = None
) -> CellOutcome:
    """The outcome of a cell with these answers."""
    made = made or make_plan(max_turns=1)
    oracle = ScriptedOracle(answers)
    return asyncio.run(play_cell(RunTemplates(prepare_plan(made)), pick_cell(made, letter), oracle))


def play_outcomes(
    whole: PreparedPlan, answer: Callable[[ExperimentCell], Sequence[str]]
) -> list[CellOutcome]:
    """Play every cell of a plan with its prepared answers, in the plan's order."""
    stages = RunTemplates(whole)

    async def play_all() -> list[CellOutcome]:
        return [
            await play_cell(stages, cell, ScriptedOracle(answer(cell)))
            for cell in iterate_cells(whole.plan)
        ]

    return asyncio.run(play_all())
