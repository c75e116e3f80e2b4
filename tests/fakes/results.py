"""Experiments in folders, played in a moment: a lamp that is elsewhere, and a cup."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from msgspec.structs import replace

from saniwa.app.experiments.executors import open_experiment_outcomes
from saniwa.app.experiments.folder import Experiment, create_experiment
from saniwa.core.clock import FixedClock
from saniwa.experiment.outcome import encode_outcome
from saniwa.experiment.plan import ExperimentCell, ExperimentPlan
from tests.fakes.experiments import outcomes, plan, prepared, say

NOON = 1_700_000_000_000
"""When experiments begin."""
WRONG = say("*take the lamp*")
"""What may not happen: the lamp is in the study."""
INVENTED = say("*take the unicorn*")
"""What is nowhere."""
RIGHT = say("*take the cup*")
"""What may happen."""


def answers(cell: ExperimentCell) -> Sequence[str]:
    """Whoever is told nothing errs first; seeds differ in what comes after."""
    then = say("Hm.") if cell.seed % 2 else say("*go to the hall*")
    if cell.condition.inject:
        return RIGHT, then
    return (INVENTED if cell.seed % 2 else WRONG), RIGHT, then


def kept_in(
    results: Path, made: ExperimentPlan | None = None, *, only: int | None = None, at: int = NOON
) -> Experiment:
    """An experiment below a folder, with its cells done, or only so many of them."""
    made = made or plan(seeds=(0, 1), max_turns=2)
    whole = prepared(made)
    experiment = create_experiment(whole, results, FixedClock(at))
    with closing(open_experiment_outcomes(experiment)) as shelf:
        for outcome in outcomes(whole, answers)[:only]:
            shelf.keep(outcome.key, encode_outcome(replace(outcome, plan=whole.fingerprint)))
    return experiment
