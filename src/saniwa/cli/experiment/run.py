"""`saniwa experiment run` and `resume`: parse the options, prepare the plan, run it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click
import msgspec

from saniwa.cli import render
from saniwa.cli.command_definition import define_command
from saniwa.cli.experiment.options import ExecutionOptions
from saniwa.core.decoder_warming import warm_decoders
from saniwa.core.errors import SaniwaError
from saniwa.core.findings import Finding, SourceLocation
from saniwa.core.path_checks import does_path_exist
from saniwa.core.text import escape_control_characters

if TYPE_CHECKING:
    from saniwa.experiment.plan import ExperimentPlan, PreparedPlan
    from saniwa.experiment.plan_reader import PlanReadResult


MULTI_WORD_OPTIONS: Final = ("--scenario", "--conditions", "--seeds")
"""Options that take several values: `--seeds 1 2 3`."""
_PLAN_KEYS: Final = {
    "scenario": "scenarios",
    "longest_answer": "max_tokens",
    "model_url": "llm_url",
}


class PlanOptions(NamedTuple):
    """What the command line says about a plan; it stands over the plan's own keys."""

    scenario: tuple[str, ...]
    """The scenarios."""
    experiment_id: str | None
    """The name of the experiment."""
    profile: str | None
    """The profile."""
    conditions: tuple[str, ...]
    """The conditions."""
    seeds: tuple[int, ...]
    """One number is a count of seeds; several are the seeds."""
    max_turns: int | None
    """Turns of a run."""
    longest_answer: int | None
    """Tokens of an answer."""
    mode: str | None
    """Whether stand-ins or models play."""
    model: str | None
    """The model's specification."""
    model_url: str | None
    """The URL of an OpenAI-compatible server."""
    temperature: float | None
    """The temperature of models."""
    rulebook: str | None
    """The rulebook."""
    prompt: str | None
    """The edition of the prompts."""
    language: str | None
    """The language."""

    @property
    def plan_keys(self) -> dict[str, Any]:
        """The options that were given, by the plan's keys."""
        given = {_PLAN_KEYS.get(name, name): value for name, value in self._asdict().items()}
        said = {key: value for key, value in given.items() if value not in (None, ())}
        if len(self.seeds) == 1:
            said["seeds"] = self.seeds[0]  # a count
        return {k: [*v] if isinstance(v, tuple) else v for k, v in said.items()}


class MultiWordCommand(click.Command):
    """A command with options that take every word up to the next option."""

    def __init__(self, *args: Any, several: Sequence[str] = (), **more: Any) -> None:
        """Create the command; `several` are the options that take several words."""
        super().__init__(*args, **more)
        self._several = frozenset(several)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words as if the option were repeated before each further value."""
        return super().parse_args(ctx, list(self._repeat_options(args)))

    def _repeat_options(self, args: Sequence[str]) -> Iterator[str]:
        option, fresh = "", False
        for word in args:
            if word.startswith("-"):
                option = word if word in self._several else ""
                fresh = True
            elif option and not fresh:
                yield option
            else:
                fresh = False
            yield word


_MAX_CONDITIONS_LISTED = 8
_MAX_FINDINGS_SHOWN = 100
_CONDITION_COUNT = 4


def prepare_plan(
    plan: str | None,
    said: dict[str, Any],
    registry: str | None,
    *,
    replayed: bool,
    unasked: bool,
    as_json: bool,
) -> "PreparedPlan":
    """Read, check and prepare the plan; if it has mistakes, print them and exit with 1.

    Args:
        ctx: The context to exit from.
        plan: The plan's file; None if options describe it all.
        said: The plan options, by the plan's keys.
        registry: The registry of scenarios.
        replayed: Whether recordings replace the models.
        unasked: Whether no model will be called, as in a dry run.
        as_json: Whether to print findings as JSON.

    Raises:
        click.UsageError: Neither a plan nor a scenario was named.
        DocumentError: The plan's file is not JSON or YAML.
    """
    from saniwa.app.experiments import plan_preparation
    from saniwa.app.experiments.forecast import make_offline_environment

    if plan is None and "scenarios" not in said:
        raise click.UsageError("give a PLAN, or a scenario with --scenario")
    read, by = _read_plan_source(plan, said, registry)
    named: dict[str, Any] = {
        "registry": registry,
        "replayed": replayed,
        "asked": not unasked,
        "environment": make_offline_environment() if unasked else None,
    }
    if read.authored is None:
        wrong = plan_preparation.find_misnamed(read.draft, **named)
        _exit_with_findings((*read.report.findings, *wrong), read, as_json=as_json)
    assert read.authored is not None, "a plan without mistakes is there"
    try:
        prepared = plan_preparation.prepare_plan(read.authored, **named)
    except SaniwaError as problem:
        wrong = _collect_findings(problem)
        _exit_with_findings((*read.report.findings, *wrong), read, as_json=as_json)
        raise
    prepared = msgspec.structs.replace(prepared, is_profile_recommended=bool(by))
    if not as_json:
        for each in read.report.findings:
            render.show_labelled(f"{each.severity}[{each.code}]", each.message, fg="yellow")
        for twin in plan_preparation.find_translations(prepared, registry):
            render.show_warning(twin)
        note = _describe_profile(prepared.plan, by, said) if plan is None else ""
        if note:
            click.echo(escape_control_characters(note), err=True)
    return prepared


def _read_plan_source(
    plan: str | None, said: dict[str, Any], registry: str | None
) -> "tuple[PlanReadResult, str]":
    """Read the plan; also return a note if the registry recommended its profile.

    Without a file and without a profile, the recommended or smallest profile is used.
    """
    from saniwa.app.experiments.plan_preparation import SMALLEST_PROFILE, find_recommended_profile
    from saniwa.experiment.plan_reader import read_plan

    if plan is not None:
        _check_is_plan(plan, registry)
        return read_plan(plan, said), ""
    if "profile" in said:
        return read_plan(None, said), ""
    recommended = find_recommended_profile(said["scenarios"], registry)
    by = ", as the registry recommends" if recommended else ""
    return read_plan(None, {**said, "profile": recommended or SMALLEST_PROFILE}), by


def _describe_profile(plan: "ExperimentPlan", by: str, said: Mapping[str, Any]) -> str:
    """Name a profile that the user did not choose, and what it has decided; may be empty."""
    defaults = {
        "conditions": ", ".join(each.name for each in plan.conditions[:_MAX_CONDITIONS_LISTED]),
        "seeds": render.format_count(len(plan.seeds), "seed"),
        "max_turns": render.format_count(plan.max_turns, "turn"),
    }
    decided = [text for key, text in defaults.items() if key not in said]
    if "profile" in said or not decided:
        return ""
    text = f"profile {': '.join(filter(None, (plan.profile, ', '.join(decided))))}{by}"
    letters = {each.letter for each in plan.conditions}
    if len(letters) == _CONDITION_COUNT or "conditions" in said:
        return text
    return f"{text}; all four conditions: --profile full"


def _check_is_plan(named: str, registry: str | None) -> None:
    """Reject a scenario's id given instead of a plan, with the option to use."""
    from saniwa.app.scenario_lookup import find_entry

    path = Path(named)
    if not path.suffix and not does_path_exist(path):
        with suppress(SaniwaError):
            find_entry(named, registry)
            message = f"{named!r} is a scenario, not a plan: use --scenario {named}"
            raise click.UsageError(message)


warm_decoders(Finding)


def _collect_findings(problem: SaniwaError) -> tuple[Finding, ...]:
    """Return all findings in an error, or the error itself as a finding."""
    found = problem.details.get("findings")
    if isinstance(found, list) and found:
        return tuple(
            msgspec.convert({**each, "where": each, "details": {}}, Finding) for each in found
        )
    where = problem.where or SourceLocation()
    finding = Finding(
        code=str(problem.code), message=problem.message, where=where, hint=problem.hint
    )
    return (finding,)


def _exit_with_findings(
    found: tuple[Finding, ...], read: "PlanReadResult", *, as_json: bool
) -> None:
    if as_json:
        render.print_json({"ok": False, "findings": [each.to_document() for each in found]})
    else:
        for each in found[:_MAX_FINDINGS_SHOWN]:
            file = each.where.file
            render.show_finding(each, read.texts.get(file) or render.read_source_text(file))
        if len(found) > _MAX_FINDINGS_SHOWN:
            click.echo(f"… and {len(found) - _MAX_FINDINGS_SHOWN} more")
        click.echo(render.format_tally(found))
    render.exit_with(render.EXIT_FINDINGS)


@define_command("experiment resume")
def resume(
    *, named: str = "last", way: ExecutionOptions, output: str = "results", as_json: bool
) -> None:
    """Continue an experiment; without a name, the newest.

    Uses the plan as it was when the experiment began, not the current files. Finished
    cells are kept; cells that ended with an error run again. If all cells are finished,
    the results are written again, unchanged.

    \b
    Example:
      saniwa experiment resume last --jobs 4
    """
    from saniwa.app.experiments.folder import find_experiment
    from saniwa.cli.experiment.execution_and_replay import execute_experiment

    way.check()
    begun = find_experiment(named, output)
    recording = find_experiment(way.replay, output) if way.replay else None
    render.exit_with(
        execute_experiment(begun.prepared, way, recording, as_json=as_json, begun=begun)
    )


@define_command("experiment run", MultiWordCommand, several=MULTI_WORD_OPTIONS)
def run(
    *,
    plan: str | None,
    options: PlanOptions,
    way: ExecutionOptions,
    output: str = "results",
    dry_run: bool,
    registry: str | None,
    as_json: bool,
) -> None:
    """Run the experiment in PLAN, or one described by options.

    Options take precedence over the plan. Everything is checked before the first model
    call and before anything is written. The experiment can be stopped at any time and
    resumed. Exits with status 1 if a cell ended with an error, or if you named the
    profile `gate` and Gate-3A was not passed.

    \b
    Examples:
      saniwa experiment run --scenario hidden_object --profile full
      saniwa experiment run --scenario hidden_object coffee_trap --conditions A B C D --seeds 4
      saniwa experiment run plan.yaml --dry-run
      saniwa experiment run plan.yaml --model ollama:gemma3:12b --jobs 4
      saniwa experiment run plan.yaml --workers 4
    """
    from saniwa.app.experiments.folder import find_experiment
    from saniwa.cli.experiment.execution_and_replay import execute_experiment

    way.check()
    recording = find_experiment(way.replay, output) if way.replay else None
    prepared = prepare_plan(
        plan,
        options.plan_keys,
        registry,
        replayed=recording is not None,
        unasked=dry_run,
        as_json=as_json,
    )
    if recording is not None and prepared.plan.mode == "sim":
        raise click.UsageError("--replay replaces models; stand-ins call none")
    if dry_run:
        import asyncio

        from saniwa.app.experiments.forecast import (
            find_plan_extra,
            make_forecast,
            make_offline_environment,
        )
        from saniwa.cli.experiment.render import show_forecast

        forecast = asyncio.run(make_forecast(prepared, make_offline_environment()))
        show_forecast(prepared, forecast, as_json=as_json)
        missing = None if recording is not None else find_plan_extra(prepared.plan)
        if missing is not None and not as_json:
            render.show_problem("warning", missing)
        render.exit_with(render.EXIT_OK)
    render.exit_with(execute_experiment(prepared, way, recording, as_json=as_json, output=output))
