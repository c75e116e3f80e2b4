"""A small fixed experiment: two scenarios, A to D, two seeds, three turns."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from saniwa.experiment.analysis_records import Analysis
from saniwa.experiment.cell_outcome import CellOutcome
from saniwa.experiment.metrics import count_outcome
from saniwa.experiment.output.publication import publish_experiment
from saniwa.experiment.plan import ExperimentCell, PreparedPlan
from tests.fakes.experiments import make_plan, play_outcomes, prepare_plan, render_answer

_ANSWERS = {
    "house": (
        render_answer("*take the beans* Coffee?"),
        render_answer("*take the cup* Fine."),
        "I will *go to the hall",
        render_answer("*open the box*"),
        "<|im_end|>Thought: so\nOutput: hello",
    ),
    "coffee_trap": (
        render_answer("*コーヒー豆を取る* 淹れようか", "豆。"),
        render_answer("*マグカップを取る* はい"),
        "",
        render_answer("*リビングへ行く* あゆ、おいで"),
    ),
}


def choose_answers(cell: ExperimentCell) -> tuple[str, ...]:
    """Choose what is said in a cell: inventions, a broken format or nothing."""
    return _ANSWERS[cell.scenario]


@cache
def play_trial() -> tuple[PreparedPlan, tuple[CellOutcome, ...]]:
    """Play the experiment."""
    made = make_plan(scenarios=("house", "coffee_trap"), seeds=(0, 1))
    whole = prepare_plan(made)
    return whole, tuple(play_outcomes(whole, choose_answers))


def replace_fields(outcome: CellOutcome, **changed: Any) -> CellOutcome:
    """Return the outcome with other fields."""
    return msgspec.structs.replace(outcome, **changed)


def replace_answer(outcome: CellOutcome, text: str, turn: int = 0) -> CellOutcome:
    """Return the outcome with another final answer and speech at one turn."""
    passages = list(outcome.passages)
    final = msgspec.structs.replace(
        passages[turn].final, raw_output=text, speech=text, thought=text
    )
    tried = (*passages[turn].attempts[:-1], final)
    passages[turn] = msgspec.structs.replace(passages[turn], attempts=tried)
    return replace_fields(outcome, passages=tuple(passages))


def publish_trial(folder: Path) -> dict[str, bytes]:
    """Publish the whole experiment and return every file by its name."""
    whole, played = play_trial()
    write_trial(whole, played, folder)
    return read_files_below(folder)


def write_trial(
    whole: PreparedPlan,
    outcomes: Iterable[CellOutcome],
    folder: Path,
    analysis: Analysis | None = None,
) -> None:
    """Count the outcomes and write the experiment down."""
    kept = list(outcomes)
    numbers = [count_outcome(each) for each in kept]
    publish_experiment(whole, kept, numbers, analysis, folder)


def read_files_below(folder: Path) -> dict[str, bytes]:
    """Read all files of a folder, by name."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
