"""Starts and resumes whole experiments, from the first check of the plan to the report."""

from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from saniwa.app import describe
from saniwa.app.experiment_agent_work import AgentWorkPlayer
from saniwa.app.experiments import experiment_resources
from saniwa.app.experiments.cell_signatures import OutcomeSigner, check_signable, sign_outcomes
from saniwa.app.experiments.experiment_run import (
    ExperimentRun,
    PlanSource,
    check_prerequisites,
    check_report_libraries,
    load_prepared_plan,
)
from saniwa.app.experiments.folder import OUTPUT, Experiment, create_experiment, get_experiment
from saniwa.app.gate.configuration import locate_gate, read_model_hosts
from saniwa.app.gate.gate_opening import AGENT_ROLE, authenticate_person
from saniwa.app.gate.port_adapters import make_signature_verifier, make_signer
from saniwa.core.clock import SystemClock
from saniwa.core.errors import ExperimentError, StoreError
from saniwa.experiment.plan import PreparedPlan

_DEFAULT_CONCURRENCY: Final = experiment_resources.Concurrency()


def open_outcome_signer(
    prepared: PreparedPlan, credential: str | None, concurrency: experiment_resources.Concurrency
) -> OutcomeSigner:
    """Authenticate the person who signs, after checking that the plan can be signed.

    Raises:
        ExperimentError: `SIGNATURE_UNUSABLE`: the answers do not come from a model that the
            gate's owner trusts, other processes play the cells, or no person's
            credential was given.
        ProcessError: `CREDENTIAL_REFUSED`.
        StoreError: The gate's settings or people cannot be read.
    """
    if concurrency.workers or concurrency.cluster:
        raise describe("SIGNATURE_UNUSABLE/concurrency").to_error(ExperimentError)
    places = locate_gate()
    check_signable(prepared.plan, read_model_hosts(places))
    person = authenticate_person(places, None, credential)
    if person is None or person.role == AGENT_ROLE:
        raise describe("SIGNATURE_UNUSABLE/credential").to_error(ExperimentError)
    return OutcomeSigner(person.name, make_signer(person), make_signature_verifier(places))


async def run_experiment(
    plan: PlanSource,
    *,
    output: str | Path = OUTPUT,
    store: str | None = None,
    concurrency: experiment_resources.Concurrency = _DEFAULT_CONCURRENCY,
    report: bool = True,
    registry: str | Path | None = None,
    credential: str | None = None,
) -> Experiment:
    """Run a plan, from its first check to its report.

    Cells that the store already has are not played again; `before` of the returned
    experiment is their number.

    Args:
        plan: A file, the keys of one, or an `ExperimentPlan`.
        output: The folder for experiments; this one gets its own folder in it.
        store: Where finished cells are stored, if not in that folder.
        concurrency: How many cells, processes and machines to use.
        report: Whether to write a report, which needs the extra `report`.
        registry: Where scenario ids are found; the usual registry by default.
        credential: A person's credential (`NAME:SECRET`), in whose name the answers of
            models are signed, so that a gate counts them as attested.

    Raises:
        SaniwaError: A mistake in the plan, before anything is written; or an error that
            `resume_experiment` raises.
    """
    prepared = load_prepared_plan(plan, registry=registry)
    await check_prerequisites(prepared, concurrency, store, report=report)
    signer = open_outcome_signer(prepared, credential, concurrency) if credential else None
    experiment = create_experiment(prepared, output, SystemClock())
    return await _continue_experiment(experiment, store, concurrency, signer, report=report)


async def resume_experiment(
    experiment: Experiment | str,
    *,
    output: str | Path = OUTPUT,
    store: str | None = None,
    concurrency: experiment_resources.Concurrency = _DEFAULT_CONCURRENCY,
    report: bool = True,
    credential: str | None = None,
) -> Experiment:
    """Play the cells that are not done or ended with an error, then write everything.

    Args:
        experiment: An experiment that was started; or its folder, its id, or `last`.
        output: The folder in which it is searched for by name.
        store: Where finished cells are stored, if not in the experiment's folder.
        concurrency: How many cells, processes and machines to use.
        report: Whether to write a report, which needs the extra `report`.
        credential: A person's credential, as for `run_experiment`.

    Raises:
        ExperimentError: `EXPERIMENT_NOT_FOUND`, `EXTRA_MISSING`, `BUDGET_SPENT`; or a
            cell failed, with the code of what made it fail. The other cells are stored.
        SaniwaError: The run cannot continue. Stored cells stay stored.
    """
    if report:
        check_report_libraries()
    found = get_experiment(experiment, output)
    await check_prerequisites(found.prepared, concurrency, store, report=False)
    signer = open_outcome_signer(found.prepared, credential, concurrency) if credential else None
    return await _continue_experiment(
        found, store, concurrency, signer, report=report, failed_again=True
    )


async def _continue_experiment(
    found: Experiment,
    store: str | None,
    concurrency: experiment_resources.Concurrency,
    signer: OutcomeSigner | None,
    *,
    report: bool,
    failed_again: bool = False,
) -> Experiment:
    with closing(experiment_resources.open_experiment_outcomes(found, store)) as outcome_store:
        run = ExperimentRun(
            found, sign_outcomes(outcome_store, found, signer), work=AgentWorkPlayer
        )
        if failed_again:
            run.reopen_failed()
        try:
            await run.play_all(concurrency, store)
        except BaseException:
            # The error that stopped the run matters more than losing its times.
            with suppress(StoreError):
                run.write_times()
            raise
        run.copy_to_folder(store)
        run.write_results(report=report)
    return found._replace(before=run.before)
