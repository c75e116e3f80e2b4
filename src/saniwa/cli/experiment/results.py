"""Commands on finished experiments: `compare`, `export`, `list` and `report`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from saniwa.cli.command_definition import define_command
from saniwa.cli.experiment.options import open_experiment_store
from saniwa.cli.render import exit_with, format_count, print_json, print_result, show_text
from saniwa.core.errors import SaniwaError
from saniwa.core.text import escape_control_characters
from saniwa.core.translations import Language

if TYPE_CHECKING:
    from saniwa.experiment.experiment_comparison import ComparisonSide, ExperimentComparison
    from saniwa.integrations.table_export import ExportFormat


_COMPARISON_SUFFIXES = (".md", ".html", ".json")
_CONDITIONS_HINT = (
    "this compares experiments; the conditions of one are compared in its report.html"
)


@define_command("experiment compare")
def compare(
    *, first: str, second: str | None, to: str | None, output: str = "results", as_json: bool
) -> None:
    """Compare two experiments: how the plans differ, and which figures got better or worse.

    The conditions of one experiment are compared in its own report.
    Prints tables on a terminal, and Markdown into a file or a pipe.

    \b
    Examples:
      saniwa experiment compare before last
      saniwa experiment compare before last -o compared.html
    """
    if second is None:
        raise click.UsageError(
            f"name two experiments: saniwa experiment compare before {first}; "
            f"the conditions of one are compared in its report: saniwa experiment report {first}"
        )
    if to is not None and Path(to).suffix.lower() not in _COMPARISON_SUFFIXES:
        raise click.UsageError(f"FILE must end in one of {', '.join(_COMPARISON_SUFFIXES)}")
    from saniwa.app.experiments.experiment_run import check_report_libraries
    from saniwa.experiment.comparison_report import build_comparison

    check_report_libraries()
    compared = build_comparison(_load_side(first, output), _load_side(second, output))
    if to is not None:
        _write_comparison(Path(to), compared)
    if to is None or as_json:
        plain = ".txt" if sys.stdout.isatty() else ".md"
        shown = _render_comparison(compared, ".json" if as_json else plain)
        click.echo(escape_control_characters(shown), nl=False)
    click.echo(_CONDITIONS_HINT, err=True)


def _load_side(named: str, output: str) -> "ComparisonSide":
    from saniwa.app.experiments.folder import iterate_outcomes
    from saniwa.app.experiments.status import measure_experiment
    from saniwa.experiment.experiment_comparison import ComparisonSide

    with open_experiment_store(named, output) as (experiment, outcomes):
        done, total = experiment.done_count, format_count(experiment.cell_count, "cell")
        show_text(f"{named}: {experiment.folder}, {done} of {total}", err=True)
        found = measure_experiment(experiment, iterate_outcomes(experiment, outcomes))
    return ComparisonSide(
        prepared=experiment.prepared, numbers=found.numbers, analysis=found.require_analysis()
    )


def _write_comparison(path: Path, compared: "ExperimentComparison") -> None:
    from saniwa.experiment.output.output_folder import open_output_folder

    with open_output_folder(path.parent) as place:
        place.write(path.name, _render_comparison(compared, path.suffix.lower()).encode())
    show_text(f"wrote {path}", err=True)


def _render_comparison(compared: "ExperimentComparison", ending: str) -> str:
    from saniwa.experiment.comparison_report import build_comparison_report, render_comparison_json
    from saniwa.experiment.report.render import render_html_page, render_markdown, render_plain_text

    if ending == ".json":
        return render_comparison_json(compared)
    render = {".html": render_html_page, ".txt": render_plain_text}.get(ending, render_markdown)
    return render(build_comparison_report(compared))


_EXPORT_FORMATS: "dict[str, ExportFormat]" = {
    "parquet": "parquet",
    "csv": "csv",
    "json": "jsonl",
    "jsonl": "jsonl",
}


@define_command("experiment export")
def export(
    *,
    named: str = "last",
    form: Literal["parquet", "csv", "json", "jsonl"] = "parquet",
    to: str | None,
    output: str = "results",
    store: str | None,
    as_json: bool,
) -> None:
    """Write two tables: `turns` with one row per turn, and `cells` with one row per cell.

    \b
    Example:
      saniwa experiment export last --format csv
    """
    from saniwa.app.experiments.folder import iterate_outcomes
    from saniwa.integrations import table_export

    with open_experiment_store(named, output, store) as (experiment, outcomes):
        folder = Path(to) if to is not None else experiment.folder
        written = table_export.export_tables(
            experiment.prepared,
            lambda: iterate_outcomes(experiment, outcomes),
            folder,
            _EXPORT_FORMATS[form],
        )
    document = {"files": [str(path) for path in written]}
    print_result(as_json, document, [f"wrote {path}" for path in written])


@define_command("experiment list")
def list(*, output: str = "results", as_json: bool) -> None:
    """List the experiments and their progress, oldest first.

    \b
    Example:
      saniwa experiment list
    """
    from saniwa.app.experiments.folder import list_experiment_folders

    rows = [_describe_folder(folder) for folder in list_experiment_folders(output)]
    if not (rows or as_json):
        show_text(f"there is no experiment in {output!r}", err=True)
    lines = [f"{row['folder']}  {row['told']}" for row in rows]
    print_result(as_json, {"experiments": rows}, lines)


def _describe_folder(folder: Any) -> dict[str, Any]:
    from saniwa.app.experiments.folder import open_experiment, parse_start_time
    from saniwa.experiment.plan import count_cells

    row = {"folder": str(folder), "began": parse_start_time(folder.name)}
    try:
        experiment = open_experiment(folder)
    except SaniwaError as problem:
        return {**row, "told": f"cannot be read: {problem.message}"}
    plan = experiment.prepared.plan
    done, total = experiment.done_count, count_cells(plan)
    finished = experiment.is_finished
    state = "finished" if finished else f"not finished: {done} done"
    return {
        **row,
        "experiment_id": plan.experiment_id,
        "mode": plan.mode,
        "cells": total,
        "done": done,
        "conditions": len(plan.conditions),
        "finished": finished,
        "told": f"{plan.mode}, {format_count(total, 'cell')}, {state}",
    }


@define_command("experiment report")
def report(
    *,
    named: str = "last",
    language: Language = "en",
    output: str = "results",
    store: str | None,
    as_json: bool,
) -> None:
    """Write the results and report of an experiment again from its stored cells.

    The same cells give the same bytes. An unfinished experiment is reported as far as it
    got. Exits with status 1 if a cell ended with an error, or if you named the profile
    `gate` and Gate-3A was not passed.

    With --language ja, also writes REPORT.ja.md and report.ja.html.

    \b
    Examples:
      saniwa experiment report last
      saniwa experiment report last --language ja
    """
    from saniwa.app.experiments.experiment_run import ExperimentRun, check_report_libraries
    from saniwa.cli.experiment.render import build_results_document, choose_exit_code, show_results

    check_report_libraries()
    with open_experiment_store(named, output, store) as (experiment, outcomes):
        experiment_run = ExperimentRun(experiment, outcomes)
        written = experiment_run.write_results(language=language)
    if as_json:
        print_json(build_results_document(experiment, written))
    else:
        if experiment_run.before < experiment_run.total:
            total = format_count(experiment_run.total, "cell")
            click.echo(f"{experiment_run.before} of {total} are done so far", err=True)
        show_results(experiment, written, language)
    exit_with(choose_exit_code(experiment, written))
