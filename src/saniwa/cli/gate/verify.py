"""`saniwa gate verify`: runs read again from the first byte."""

import click

from saniwa.cli.gate.door import door_options, opened
from saniwa.cli.gate.words import WORDS
from saniwa.cli.render import FINDINGS, FINE, answer, show_finding
from saniwa.core.finding import Report
from saniwa.core.quoted import printable


@click.command()
@click.argument("runs", nargs=-1, type=WORDS, metavar="[RUN]...")
@click.option("--all", "everyone", is_flag=True, help="Every run that is kept here.")
@door_options
@click.pass_context
def verify(
    ctx: click.Context,
    runs: tuple[str, ...],
    everyone: bool,
    place: str | None,
    credential_file: str | None,
    as_json: bool,
) -> None:
    """Read runs again from the first byte: log, records, rules and evidence.

    Mends nothing. Ends with 1 if something is wrong.

    \b
    Examples:
      saniwa gate verify last
      saniwa gate verify --all
    """
    with opened(place, credential_file) as door:
        named = door.every_run() if everyone else []
        named += [door.run(run) for run in runs or (() if everyone else (None,))]
        reports = {run_id: door.gate.verify(run_id) for run_id in named}
    if as_json:
        answer(_document(reports))
    else:
        _show(reports)
    passed = all(report.passed for report in reports.values())
    ctx.exit(FINE if passed else FINDINGS)


def _document(reports: dict[str, Report]) -> dict[str, object]:
    return {
        "passed": all(report.passed for report in reports.values()),
        "runs": [
            {
                "run_id": run_id,
                "passed": report.passed,
                "findings": [found.as_document() for found in report.findings],
            }
            for run_id, report in reports.items()
        ],
    }


def _show(reports: dict[str, Report]) -> None:
    for run_id, report in reports.items():
        for finding in report.findings:
            show_finding(finding)
        told, colour = ("OK", "green") if report.passed else ("FAIL", "red")
        click.echo(f"{click.style(told, fg=colour)}: {printable(run_id)}")
