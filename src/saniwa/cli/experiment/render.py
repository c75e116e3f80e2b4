"""Text output of experiments: the results table, the forecast, and the progress bar."""

import shlex
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from statistics import fmean
from typing import Any, Final

import click
import msgspec

from saniwa.app.experiments.folder import Experiment
from saniwa.app.experiments.forecast import Forecast
from saniwa.app.experiments.status import ExperimentStatus
from saniwa.cli.render import (
    EXIT_FINDINGS,
    EXIT_OK,
    format_count,
    print_json,
    show_labelled,
    show_text,
)
from saniwa.core.clock import Clock, SystemClock
from saniwa.core.text import measure_width
from saniwa.core.translations import Language, name_in_language, use_language
from saniwa.experiment.analysis_records import CellNumbers, GateCheck, GateName, GateVerdict
from saniwa.experiment.metrics import (
    compute_metric,
    find_metric,
    format_quotient,
    group_by_condition,
    is_measured,
    pool_numbers,
    round_figure,
)
from saniwa.experiment.output.output_folder import REPORT_PAGE, RESULTS
from saniwa.experiment.plan import Condition, ExperimentPlan, PreparedPlan, list_players
from saniwa.experiment.ports import CellCompletion
from saniwa.experiment.report.question_and_answer import describe_letters, list_answer_lines
from saniwa.experiment.report_wording import NOTHING, describe_simulation, describe_unfinished
from saniwa.experiment.statistics.design import count_blocks_lacking

TABLE_METRICS: Final = (
    ("deeds_per_turn", "actions a turn"),
    ("impossible_deed_rate", "impossible actions %"),
    ("goal_reached", "goals reached %"),
    ("milestone_rate", "milestones %"),
    ("invented_deed_rate", "invented %"),
    ("give_up_rate", "given up %"),
    ("retry_success_rate", "retry helped %"),
)
"""The metrics of the short table, with their column headings."""
WORK_TABLE_METRICS: Final = (
    ("pass_rate", "passed %"),
    ("fabrication_rate", "fabricated %"),
    ("submission_refusal_rate", "refused %"),
    ("model_calls_per_run", "model calls a run"),
    ("tool_calls_per_run", "tool calls a run"),
    ("tokens_per_run", "tokens a run"),
    ("cost_per_run", "US dollars"),
)
"""The metrics of the short table about agents at a gate, with their column headings."""
_REPORTED_METRICS: Final = (
    *(metric for metric, _ in TABLE_METRICS),
    "first_try_validity",
    "impossible_rate",
    "invented_rate",
)
"""The metrics in JSON output: those of the table, and earlier ones."""
_MAX_ROWS: Final = 16
_GATE_PROFILE: Final = "gate"


def show_results(
    experiment: Experiment, written: ExperimentStatus, language: Language = "en"
) -> None:
    """Print the results as text: the table, answers, gates, crashes, the paths of the report."""
    plan = experiment.prepared.plan
    notices = (describe_unfinished(plan, len(written.numbers)), describe_simulation(plan))
    letters = "" if plan.mode == "work" else describe_letters(plan)
    lines = (*notices, letters, *_render_table(written), *_list_answers(written))
    for line in filter(None, lines):
        show_text(line)
    _warn_few_blocks(plan)
    for line in _describe_gates(written):
        show_text(line)
    crashed = _count_crashes(written.numbers)
    if crashed:
        click.echo(f"{format_count(crashed, 'cell')} ended with an error")
    for reason in _explain_exit_code(experiment, written):
        show_text(reason)
    page = REPORT_PAGE if written.analysis is not None else RESULTS
    what = "report" if page == REPORT_PAGE else "results"
    show_text(f"{what}: {experiment.folder / page}")
    if language != "en":
        with use_language(language):
            show_text(f"{what}: {experiment.folder / name_in_language(page)}")


def _list_answers(written: ExperimentStatus) -> Iterator[str]:
    """Yield the answers of the report, one line each; none without statistics."""
    if written.analysis is None or len(written.experiment.prepared.plan.conditions) < 2:
        return
    for line in list_answer_lines(written.build_material()):
        yield "".join(piece.text for piece in line)


def choose_exit_code(experiment: Experiment, written: ExperimentStatus) -> int:
    """Return 1 if a cell ended with an error, or a required gate failed; else 0."""
    if _count_crashes(written.numbers):
        return EXIT_FINDINGS
    failed = _is_gate_required(experiment) and any(_list_failed_gates(written))
    return EXIT_FINDINGS if failed else EXIT_OK


def _is_gate_required(experiment: Experiment) -> bool:
    """Whether the user, and not only the registry, named the profile `gate`."""
    prepared = experiment.prepared
    return prepared.plan.profile == _GATE_PROFILE and not prepared.is_profile_recommended


def _explain_exit_code(experiment: Experiment, written: ExperimentStatus) -> Iterator[str]:
    """Say why the command ends with status 1, if it does because of a gate."""
    if not _is_gate_required(experiment):
        return
    failed = [*_list_failed_gates(written)]
    if failed:
        grouped = group_by_condition(written.numbers)
        missed = "; ".join(
            _describe_failure(each, grouped.get(each.condition, [])) for each in failed[:_MAX_ROWS]
        )
        yield (
            f"exit status 1: the profile 'gate' requires {failed[0].gate} to pass, "
            f"but it did not: {missed}"
        )
        if len(written.numbers) < experiment.cell_count:
            yield (
                "the experiment is not finished, so this can still change; continue with: "
                f"{shlex.join(['saniwa', 'experiment', 'resume', str(experiment.folder)])}"
            )


def build_results_document(experiment: Experiment, written: ExperimentStatus) -> dict[str, Any]:
    """Build the results for JSON output."""
    return {
        "ok": choose_exit_code(experiment, written) == EXIT_OK,
        "experiment": str(experiment.folder),
        "fingerprint": experiment.prepared.fingerprint,
        "players": list_players(experiment.prepared.plan),
        "notice": describe_simulation(experiment.prepared.plan),
        "cells": len(written.numbers),
        "crashed": _count_crashes(written.numbers),
        "means": compute_means(written),
        "gates": written.gates,
    }


def compute_means(written: ExperimentStatus) -> dict[str, dict[str, float | None]]:
    """Return the mean of every reported metric, by condition."""
    works = written.experiment.prepared.plan.mode == "work"
    metrics = [name for name, _ in WORK_TABLE_METRICS] if works else _REPORTED_METRICS
    cells = group_by_condition(written.numbers)
    return {
        each.name: {metric: _compute_mean(metric, each, cells[each.name]) for metric in metrics}
        for each in sorted(written.experiment.prepared.plan.conditions, key=lambda c: c.name)
        if each.name in cells
    }


def _compute_mean(metric: str, condition: Condition, cells: list[CellNumbers]) -> float | None:
    """Return a metric's mean over cells, rounded as in reports; None as there."""
    if not is_measured(find_metric(metric), condition):
        return None
    values = [compute_metric(metric, each) for each in cells]
    known = [each for each in values if each is not None]
    return round_figure(fmean(known)) if known else None


def _render_table(written: ExperimentStatus) -> Iterator[str]:
    means, cells = compute_means(written), Counter(each.condition for each in written.numbers)
    wide = max([len("condition"), *(measure_width(name) for name in means)])
    works = written.experiment.prepared.plan.mode == "work"
    metrics = WORK_TABLE_METRICS if works else TABLE_METRICS
    counted = {name for row in means.values() for name, mean in row.items() if mean is not None}
    table = [each for each in metrics if each[0] in counted]
    columns = [len(head) for _, head in table]
    yield f"{'condition':<{wide}}  cells" + "".join(
        f"  {head:>{column}}" for (_, head), column in zip(table, columns, strict=True)
    )
    for name in list(means)[:_MAX_ROWS]:
        row = "".join(
            f"  {_format_metric(metric, means[name][metric]):>{column}}"
            for (metric, _), column in zip(table, columns, strict=True)
        )
        yield f"{name}{' ' * (wide - measure_width(name))}  {cells[name]:>5}{row}"
    if len(means) > _MAX_ROWS:
        yield f"… and {format_count(len(means) - _MAX_ROWS, 'more condition')}"


def _format_metric(metric: str, mean: float | None) -> str:
    """Format a mean; the heading of its column has the unit."""
    if mean is None:
        return NOTHING
    unit = find_metric(metric).unit
    if unit == "rate":
        return f"{mean * 100:.1f}"
    return f"{mean:.4f}" if unit == "usd" else f"{mean:.2f}"


def _count_crashes(numbers: tuple[CellNumbers, ...]) -> int:
    return sum(not each.success for each in numbers)


def _list_failed_gates(written: ExperimentStatus) -> Iterator[GateVerdict]:
    return (each for each in written.gates if each.blocking and not each.passed)


def _describe_gates(written: ExperimentStatus) -> Iterator[str]:
    """Say in one line which conditions did not pass each gate, and where to read on."""
    if written.gates:
        gates = sorted({each.gate for each in written.gates})
        told = "; ".join(_describe_gate(gate, written.gates) for gate in gates)
        yield f"limits (see the report): {told}"


def _describe_gate(gate: GateName, verdicts: Iterable[GateVerdict]) -> str:
    judged = [each for each in verdicts if each.gate == gate and each.judged]
    if not judged:
        return f"{gate} nothing to judge"
    failed = [each.condition for each in judged if not each.passed]
    if not failed:
        return f"{gate} passed"
    rest = len(failed) - _MAX_ROWS
    more = f" and {format_count(rest, 'more condition')}" if rest > 0 else ""
    return f"{gate} not passed by {', '.join(failed[:_MAX_ROWS])}{more}"


def _describe_failure(verdict: GateVerdict, cells: list[CellNumbers]) -> str:
    """Name a condition with each check that it did not pass."""
    missed = ", ".join(
        f"{find_metric(check.name).label.lower()} {_format_check(check, cells)}, "
        f"must be {check.limit}"
        for check in verdict.checks
        if check.judged and not check.passed
    )
    return f"{verdict.condition} ({missed or 'nothing to judge'})"


def _format_check(check: GateCheck, cells: list[CellNumbers]) -> str:
    """Format the value of a check, with the counts that it was computed from."""
    return f"{check.value or 0:.3g}{format_quotient(check.name, pool_numbers(cells))}"


_UNITS = ("bytes", "kB", "MB", "GB", "TB")
_STEP = 1000
_UNKNOWN_TOKENS: Final = "not known beforehand: agents decide what they read"


def show_forecast(prepared: PreparedPlan, found: Forecast, *, as_json: bool) -> None:
    """Print what the plan would take; no model is called and nothing is written."""
    plan = prepared.plan
    if as_json:
        print_json({"ok": True, "plan": plan, **msgspec.to_builtins(found)})
        return
    works = plan.mode == "work"
    names = ", ".join(condition.name for condition in plan.conditions[:12])
    more = f" … ({len(plan.conditions)} in all)" if len(plan.conditions) > 12 else ""
    tokens = _format_range(found.tokens_fewest, found.tokens_most)
    rows = (
        ("experiment", plan.experiment_id),
        ("mode", plan.mode),
        ("processes" if works else "scenarios", ", ".join(plan.scenarios)),
        ("conditions", names + more),
        ("cells", f"{found.cells:,}"),
        ("iterations" if works else "turns", f"at most {plan.max_turns} a cell"),
        ("calls", _format_range(found.calls_fewest, found.calls_most)),
        ("tokens", _UNKNOWN_TOKENS if works else f"about {tokens}"),
        ("cost", _format_cost(plan.mode, found)),
        ("disk", f"about {format_size(found.disk)}" if found.disk else ""),
    )
    for label, words in rows:
        if words:
            show_text(f"{label:<11} {words}")
    _warn_few_blocks(plan)


def _warn_few_blocks(plan: ExperimentPlan) -> None:
    """Warn that the plan has too few blocks for a significant result."""
    needed = count_blocks_lacking(plan)
    if needed:
        blocks = format_count(len(plan.scenarios) * len(plan.seeds), "block")
        click.echo(
            f"note: {blocks} of scenario and seed are too few to show an effect; at least {needed} are needed",
            err=True,
        )


def format_size(count: int) -> str:
    """Format a number of bytes: `12.3 MB`."""
    value, unit = float(count), 0
    while value >= _STEP and unit < len(_UNITS) - 1:
        value, unit = value / _STEP, unit + 1
    return f"{value:.1f} {_UNITS[unit]}" if unit else f"{count} bytes"


def _format_range(fewest: int, most: int) -> str:
    return f"{fewest:,}" if fewest == most else f"{fewest:,} to {most:,}"


def _format_cost(mode: str, found: Forecast) -> str:
    if mode == "work":
        return "not known beforehand; set a limit with --max-cost or --max-tokens"
    if mode == "sim":
        return "nothing: stand-ins call no model"
    if found.cost_fewest is None or found.cost_most is None:
        models = ", ".join(found.unpriced)
        return f"unknown: there is no price for {models}; name it under 'prices'"
    return f"about ${found.cost_fewest:.2f} to ${found.cost_most:.2f}"


_WIDTH: Final = 30
_REDRAW_MS: Final = 100
_LINE_INTERVAL_MS: Final = 30_000
_MIN_LINE_INTERVAL_MS: Final = 2_000
_PARTS: Final = 10
_MAX_FAILURES_SHOWN: Final = 5
"""Failed cells that are reported one by one; further ones are not."""


class ExperimentProgress:
    """Prints to standard error how many cells are done, how fast, and the time left.

    A bar on a terminal; otherwise a line from time to time.
    """

    def __init__(self, total: int, before: int, *, quiet: bool, clock: Clock | None = None) -> None:
        """Start at `before` of `total` cells."""
        self._total, self._before = total, before
        self._quiet = quiet
        self._clock = clock or SystemClock()
        self._began = self._shown = self._clock.now()
        self._is_terminal = sys.stderr.isatty() and not quiet
        self._drawn = False
        self._part = before * _PARTS // max(total, 1)
        self.done = 0
        """Cells done since the start."""
        self.failed = 0
        """Cells that failed and can be resumed."""

    def tick(self) -> None:
        """Redraw the bar on a terminal, although no cell is done."""
        if self._is_terminal:
            click.echo(f"\r{self._format_bar(self._clock.now())}", err=True, nl=False)
            self._drawn = True

    def record_cell(self, done: CellCompletion) -> None:
        """Count a cell, and redraw or print if enough time has passed."""
        self.done += not done.error
        if done.error:
            self._report_failure(done)
        now = self._clock.now()
        if self._is_terminal:
            if now - self._shown >= _REDRAW_MS or self._is_complete:
                self._shown = now
                self._drawn = True
                click.echo(f"\r{self._format_bar(now)}", err=True, nl=False)
        elif not self._quiet:
            self._print_line(now)

    def finish(self) -> None:
        """End the bar's line."""
        if self._drawn:
            click.echo(err=True)

    @property
    def _is_complete(self) -> bool:
        return self._before + self.done >= self._total

    def _format_bar(self, now: int) -> str:
        finished = self._before + self.done
        filled = _WIDTH * finished // max(self._total, 1)
        bar = "█" * filled + "░" * (_WIDTH - filled)
        # Padded with spaces, to overwrite a longer line.
        return f"{bar} {self._format_status(now):<48}"

    def _print_line(self, now: int) -> None:
        part = (self._before + self.done) * _PARTS // max(self._total, 1)
        passed = now - self._shown
        timely = passed >= _LINE_INTERVAL_MS or (
            part > self._part and passed >= _MIN_LINE_INTERVAL_MS
        )
        if timely or self._is_complete:
            self._part, self._shown = part, now
            click.echo(self._format_status(now), err=True)

    def _format_status(self, now: int) -> str:
        finished = self._before + self.done
        seconds = max(now - self._began, 1) / 1000
        rate = self.done / seconds
        status = f"{finished}/{self._total} cells, "
        status += f"{rate:.1f} a second" if self.done else format_duration(seconds)
        if rate and not self._is_complete:
            status += f", {format_duration((self._total - finished) / rate)} left"
        return status

    def _report_failure(self, done: CellCompletion) -> None:
        self.failed += 1
        if self._quiet or self.failed > _MAX_FAILURES_SHOWN:
            return
        if self._is_terminal:
            click.echo(err=True)
        message = f"{done.key}: {done.message}; it can be resumed"
        if self.failed == _MAX_FAILURES_SHOWN:
            message += " (further failures are not shown)"
        show_labelled(f"error[{done.error}]", message, fg="red")


def format_duration(seconds: float) -> str:
    """Format a duration: `4 s`, `3 min 20 s`, `2 h 5 min`."""
    total = max(round(seconds), 1)
    hours, rest = divmod(total, 3600)
    minutes, left = divmod(rest, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {left} s" if minutes else f"{left} s"
