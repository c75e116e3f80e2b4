"""Experiments that are played and measured, ready to be reported."""

from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from saniwa.experiment.cell import Cell
from saniwa.experiment.measure.analysis import analyse
from saniwa.experiment.measure.count import numbers_of
from saniwa.experiment.measure.model import Analysis, Numbers
from saniwa.experiment.outcome import Outcome
from saniwa.experiment.plan import Prepared
from saniwa.experiment.report.blocks import Report
from saniwa.experiment.report.comparing.record import Side
from saniwa.experiment.report.gathering import gather
from saniwa.experiment.report.material import Material, material_of
from saniwa.experiment.report.whole import report_of
from tests.fakes.experiments import outcomes, plan, prepared, say


class Trial(NamedTuple):
    """An experiment with all a report asks for."""

    prepared: Prepared
    """The plan with all it needed."""
    outcomes: tuple[Outcome, ...]
    """What came of its cells."""
    numbers: tuple[Numbers, ...]
    """What was counted."""
    analysis: Analysis
    """What was made of it."""

    @property
    def material(self) -> Material:
        """The same as parts of a report take it."""
        gathered = gather(self.prepared.plan, self.outcomes)
        return material_of(self.prepared, gathered, self.numbers, self.analysis)

    @property
    def report(self) -> Report:
        """The report of it, as blocks."""
        return report_of(self.prepared, self.outcomes, self.numbers, self.analysis)

    @property
    def side(self) -> Side:
        """The same as comparisons take it."""
        return Side(
            prepared=self.prepared, numbers=self.numbers, analysis=self.analysis
        )

    def with_words(self, words: str) -> "Trial":
        """The same, but everything that comes from outside says these words."""
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
        said = [_with_words(each, words, first.name) for each in self.outcomes]
        made = msgspec.structs.replace(self.prepared, plan=named, version=words)
        return trial_of(made, said)


def trial_of(made: Prepared, played: list[Outcome]) -> Trial:
    """The outcomes, measured."""
    numbers = tuple(map(numbers_of, played))
    return Trial(made, tuple(played), numbers, analyse(made.plan, numbers))


@lru_cache
def trial(letters: str = "ABCD", seeds: int = 4, **more: Any) -> Trial:
    """A small 2×2 on the house: untold, Ann wants a sword; told, she takes the cup."""
    made = prepared(plan(letters, seeds=tuple(range(seeds)), **more))
    return trial_of(made, outcomes(made, _answers))


def _answers(cell: Cell) -> list[str]:
    """Refused where nobody told; broken in form at odd seeds; then guided, or not."""
    bad = say(f"*take the sword{cell.seed}* Mine!")
    good = say("*take the cup* Here it is.")
    first = good if cell.condition.inject and cell.seed != 2 else bad
    broken = f"{first}<|im_end|>" if cell.seed % 2 else first
    mended = [bad, bad] if cell.seed == 3 else [say("*go to the hall* Then I go.")]
    return [broken, *mended, say("Hello there, Ben.")]


def _with_words(outcome: Outcome, words: str, renamed: str) -> Outcome:
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
