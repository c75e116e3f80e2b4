"""Experiments that are played and measured, ready for a report."""

from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from saniwa.experiment.analysis_records import Analysis, CellNumbers
from saniwa.experiment.cell_outcome import CellOutcome
from saniwa.experiment.experiment_comparison import ComparisonSide
from saniwa.experiment.metrics import count_outcome
from saniwa.experiment.plan import ExperimentCell, PreparedPlan
from saniwa.experiment.report.assembly import assemble_report
from saniwa.experiment.report.outcome_summary import (
    ReportMaterial,
    build_material,
    summarize_outcomes,
)
from saniwa.experiment.report.report_blocks import ExperimentReport
from saniwa.experiment.statistics.analysis import analyse_experiment
from tests.fakes.experiments import make_plan, play_outcomes, prepare_plan, render_answer


class PlayedTrial(NamedTuple):
    """An experiment with all that a report needs."""

    prepared: PreparedPlan
    """The prepared plan."""
    outcomes: tuple[CellOutcome, ...]
    """The outcomes of its cells."""
    numbers: tuple[CellNumbers, ...]
    """The numbers of each cell."""
    analysis: Analysis
    """The analysis of the numbers."""

    @property
    def material(self) -> ReportMaterial:
        """The material of a report."""
        gathered = summarize_outcomes(self.prepared.plan, self.outcomes)
        return build_material(self.prepared, gathered, self.numbers, self.analysis)

    @property
    def report(self) -> ExperimentReport:
        """The report, as blocks."""
        return assemble_report(self.material)

    @property
    def side(self) -> ComparisonSide:
        """The side of a comparison."""
        return ComparisonSide(prepared=self.prepared, numbers=self.numbers, analysis=self.analysis)

    def replace_words(self, words: str) -> "PlayedTrial":
        """The same, but every text from outside is replaced by these words."""
        old = self.prepared.plan
        first, *others = old.conditions
        renamed = msgspec.structs.replace(first, name=words)
        named = msgspec.structs.replace(
            old,
            question=words,
            experiment_id=words,
            scenarios=(words,),
            profile=words,
            conditions=(renamed, *others),
        )
        said = [_replace_words(each, words, first.name) for each in self.outcomes]
        made = msgspec.structs.replace(self.prepared, plan=named, version=words)
        return measure_trial(made, said)


def measure_trial(made: PreparedPlan, played: list[CellOutcome]) -> PlayedTrial:
    """Count and analyse the outcomes."""
    numbers = tuple(map(count_outcome, played))
    return PlayedTrial(made, tuple(played), numbers, analyse_experiment(made.plan, numbers))


@lru_cache
def make_trial(letters: str = "ABCD", seeds: int = 4, **more: Any) -> PlayedTrial:
    """A small 2×2 on the house: without facts Ann wants a sword, with them she takes the cup."""
    made = prepare_plan(make_plan(letters, seeds=tuple(range(seeds)), **more))
    return measure_trial(made, play_outcomes(made, _choose_answers))


def _choose_answers(cell: ExperimentCell) -> list[str]:
    """Refused without facts; malformed at odd seeds; then corrected after guidance, or not."""
    bad = render_answer(f"*take the sword{cell.seed}* Mine!")
    good = render_answer("*take the cup* Here it is.")
    first = good if cell.condition.inject and cell.seed != 2 else bad
    broken = f"{first}<|im_end|>" if cell.seed % 2 else first
    mended = [bad, bad] if cell.seed == 3 else [render_answer("*go to the hall* Then I go.")]
    return [broken, *mended, render_answer("Hello there, Ben.")]


def _replace_words(outcome: CellOutcome, words: str, renamed: str) -> CellOutcome:
    passages = tuple(
        msgspec.structs.replace(
            passage,
            speaker_name=words,
            addressing=words,
            attempts=tuple(
                msgspec.structs.replace(
                    attempt,
                    raw_output=words,
                    repaired_output=words,
                    repair_method=words,
                    speech=words,
                    question=words,
                    card=words,
                    intents=tuple(
                        msgspec.structs.replace(
                            intent,
                            target=words,
                            message=words,
                            deny_code=words if intent.deny_code else "",
                        )
                        for intent in attempt.intents
                    ),
                )
                for attempt in passage.attempts
            ),
        )
        for passage in outcome.passages
    )
    return msgspec.structs.replace(
        outcome,
        passages=passages,
        key=words,
        scenario=words,
        error=words,
        condition=words if outcome.condition == renamed else outcome.condition,
    )
