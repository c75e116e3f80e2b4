"""A small fixed experiment: two scenarios, A to D, two seeds, three turns."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from saniwa.experiment.metrics.analysis_records import Analysis
from saniwa.experiment.metrics.counts import count_outcome
from saniwa.experiment.outcome import CellOutcome
from saniwa.experiment.output.publication import publish_experiment
from saniwa.experiment.plan import ExperimentCell, PreparedPlan
from tests.fakes.experiments import outcomes, plan, prepared, say

_ANSWERS = {
    "house": (
        say("*take the beans* Coffee?"),
        say("*take the cup* Fine."),
        "I will *go to the hall",
        say("*open the box*"),
        "<|im_end|>Thought: so\nOutput: hello",
    ),
    "coffee_trap": (
        say("*コーヒー豆を取る* 淹れようか", "豆。"),
        say("*マグカップを取る* はい"),
        "",
        say("*リビングへ行く* あゆ、おいで"),
    ),
}


def answers(cell: ExperimentCell) -> tuple[str, ...]:
    """What is said in a cell: inventions, a broken format, silence."""
    return _ANSWERS[cell.scenario]


@cache
def trial() -> tuple[PreparedPlan, tuple[CellOutcome, ...]]:
    """The experiment, played."""
    made = plan(scenarios=("house", "coffee_trap"), seeds=(0, 1))
    whole = prepared(made)
    return whole, tuple(outcomes(whole, answers))


def one(outcome: CellOutcome, **changed: Any) -> CellOutcome:
    """The outcome with other fields."""
    return msgspec.structs.replace(outcome, **changed)


def said(outcome: CellOutcome, text: str, turn: int = 0) -> CellOutcome:
    """The outcome as if the answer that stands at a turn, and its speech, were this."""
    passages = list(outcome.passages)
    final = msgspec.structs.replace(
        passages[turn].final, raw_output=text, speech=text, thought=text
    )
    tried = (*passages[turn].attempts[:-1], final)
    passages[turn] = msgspec.structs.replace(passages[turn], attempts=tried)
    return one(outcome, passages=tuple(passages))


def published(folder: Path) -> dict[str, bytes]:
    """The whole experiment written down; every file by its name."""
    whole, played = trial()
    written(whole, played, folder)
    return files_below(folder)


def written(
    whole: PreparedPlan,
    outcomes: Iterable[CellOutcome],
    folder: Path,
    analysis: Analysis | None = None,
) -> None:
    """Count the outcomes and write the experiment down."""
    kept = list(outcomes)
    numbers = [count_outcome(each) for each in kept]
    publish_experiment(whole, kept, numbers, analysis, folder)


def files_below(folder: Path) -> dict[str, bytes]:
    """All files of a folder, by name."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
