"""Experiments in folders that are played at once, with prepared answers."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from msgspec.structs import replace

from saniwa.app.experiments.experiment_resources import open_experiment_outcomes
from saniwa.app.experiments.folder import Experiment, create_experiment
from saniwa.core.clock import FixedClock
from saniwa.experiment.cell_outcome import encode_outcome
from saniwa.experiment.plan import ExperimentCell, ExperimentPlan
from tests.fakes.experiments import make_plan, play_outcomes, prepare_plan, render_answer

NOON = 1_700_000_000_000
"""The start time of experiments."""
WRONG = render_answer("*take the lamp*")
"""An action that is not allowed: the lamp is in the study."""
INVENTED = render_answer("*take the unicorn*")
"""An action on something that does not exist."""
RIGHT = render_answer("*take the cup*")
"""An action that is allowed."""


def choose_answers(cell: ExperimentCell) -> Sequence[str]:
    """Without injected facts the first answer is wrong; the seed decides the later ones."""
    then = render_answer("Hm.") if cell.seed % 2 else render_answer("*go to the hall*")
    if cell.condition.inject:
        return RIGHT, then
    return (INVENTED if cell.seed % 2 else WRONG), RIGHT, then


def make_experiment(
    results: Path, made: ExperimentPlan | None = None, *, only: int | None = None, at: int = NOON
) -> Experiment:
    """An experiment in a folder, with all of its cells done, or only the first `only`."""
    made = made or make_plan(seeds=(0, 1), max_turns=2)
    whole = prepare_plan(made)
    experiment = create_experiment(whole, results, FixedClock(at))
    with closing(open_experiment_outcomes(experiment)) as shelf:
        for outcome in play_outcomes(whole, choose_answers)[:only]:
            shelf.keep(outcome.key, encode_outcome(replace(outcome, plan=whole.fingerprint)))
    return experiment
