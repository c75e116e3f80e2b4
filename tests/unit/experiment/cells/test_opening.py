import asyncio
from typing import Any

from saniwa.experiment.cell_player import play_cell
from saniwa.experiment.plan import Condition, ExperimentCell, iterate_cells
from saniwa.experiment.run_template import RunTemplates
from saniwa.world.model import Id
from tests.fakes.experiments import HOUSE, ScriptedOracle, make_plan, prepare_plan, render_answer

STORY: dict[str, Any] = HOUSE | {
    "name": "story",
    "gm_opening_message": "The kettle is cold.",
    "characters": {
        "ann": {"name": "Ann", "location": "kitchen", "goals": ["a cup of tea"]},
        "ben": {"name": "Ben", "location": "kitchen"},
    },
}


def _make_cell(**condition: Any) -> tuple[RunTemplates, ExperimentCell]:
    named = Condition(name="D", **condition)
    made = make_plan(scenarios=("story",), conditions=(named,), seeds=(5,), max_turns=2)
    whole = prepare_plan(made, {"story": STORY})
    return RunTemplates(whole), next(iterate_cells(made))


def _ask_first_speaker(**condition: Any) -> tuple[str, str]:
    """Return the first speaker's prompt: their character and the turn."""
    stages, cell = _make_cell(**condition)
    oracle = ScriptedOracle([render_answer("Hm.")])
    asyncio.run(play_cell(stages, cell, oracle))
    return oracle.asked[0].system, oracle.asked[0].messages[0].text


def test_a_speaker_learns_what_the_author_wrote_for_them() -> None:
    """The prompt has the opening, the goals and the others, without the lines of empty parts."""
    about, now = _ask_first_speaker()

    assert "Others in it: Ben." in about
    assert now.startswith("The kettle is cold.\n\n- a cup of tea\n\n[WORLD]\n")


def test_the_language_is_the_conditions() -> None:
    """The prompt and the refusals are in the language that the condition sets."""
    about, _ = _ask_first_speaker(language="ja")
    stages, cell = _make_cell(language="ja")

    assert about.startswith("あなたはAnn。")
    assert "ja" == stages.open_cell(cell).run.world.language


def test_the_book_is_the_conditions() -> None:
    """A condition with another rulebook is judged by that rulebook."""
    usual, strict = (_make_cell(rulebook=book) for book in ("", "strict"))
    books = [stages.open_cell(cell).run.book.id for stages, cell in (usual, strict)]

    assert books[0] != books[1]


def test_the_seed_is_the_cells() -> None:
    """The run starts with the cell's seed."""
    stages, cell = _make_cell()

    assert (5, 5) == (
        stages.open_cell(cell).run.record.seed,
        stages.make_record("story", cell.condition, 5).seed,
    )


def test_cells_share_nothing_that_changes() -> None:
    """A change in one run is not seen in the next."""
    stages, cell = _make_cell()
    first, second = stages.open_cell(cell), stages.open_cell(cell)
    asyncio.run(first.run.say("take the cup", "ann"))

    assert ("ann", "kitchen") == tuple(
        table.run.world.entities[Id("cup")].place for table in (first, second)
    )


def test_the_scenarios_order_decides_who_speaks() -> None:
    """If the scenario sets a turn order, the cell follows it."""
    made = make_plan(scenarios=("ordered",), max_turns=2)
    ordered = HOUSE | {"name": "ordered", "turn_order": ["ben", "ann"]}
    whole = prepare_plan(made, {"ordered": ordered})
    outcome = asyncio.run(
        play_cell(
            RunTemplates(whole), next(iterate_cells(made)), ScriptedOracle([render_answer("Hm.")])
        )
    )

    assert ["ben", "ann"] == [p.speaker for p in outcome.passages]
