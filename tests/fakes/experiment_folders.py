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
from tests.fakes.experiments import make_plan, play_outcomes, prepare_plan, render_answer

NOON = 1_700_000_000_000
"""When experiments begin."""
WRONG = render_answer("*take the lamp*")
"""What may not happen: the lamp is in the study."""
INVENTED = render_answer("*take the unicorn*")
"""What is nowhere."""
RIGHT = render_answer("*take the cup*")
"""What may happen."""


def choose_answers(cell: ExperimentCell) -> Sequence[str]:
    """Whoever is told nothing errs first; seeds differ in what comes after."""
    then = render_answer("Hm.") if cell.seed % 2 else render_answer("*go to the hall*")
    if cell.condition.inject:
        return RIGHT, then
    return (INVENTED if cell.seed % 2 else WRONG), RIGHT, then


def make_experiment(
    results: Path, made: ExperimentPlan | None = None, *, only: int | None = None, at: int = NOON
) -> Experiment:
    """An experiment below a folder, with its cells done, or only so many of them."""
    made = made or make_plan(seeds=(0, 1), max_turns=2)
    whole = prepare_plan(made)
    experiment = create_experiment(whole, results, FixedClock(at))
    with closing(open_experiment_outcomes(experiment)) as shelf:
        for outcome in play_outcomes(whole, choose_answers)[:only]:
            shelf.keep(outcome.key, encode_outcome(replace(outcome, plan=whole.fingerprint)))
    return experiment
