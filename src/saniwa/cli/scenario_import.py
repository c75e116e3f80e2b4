"""`saniwa scenario import`: a game made elsewhere, as a scenario of one's own."""

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from saniwa.cli.options import json_option
from saniwa.cli.render import FINDINGS, answer, show_finding
from saniwa.cli.tally import counted
from saniwa.core.quoted import printable

if TYPE_CHECKING:
    from saniwa.core.document import Document
    from saniwa.run.rehearsal import Rehearsed
    from saniwa.scenario.textworld import Imported
    from saniwa.scenario.textworld.write import Written


@click.command("import")
@click.argument("game", metavar="GAME.json")
@click.option("--name", metavar="ID", help="Its id (else the game file's name).")
@click.option(
    "-o", "--output", metavar="FILE", help="Write it here (else ID.yaml, here)."
)
@json_option
@click.pass_context
def import_scenario(
    ctx: click.Context, game: str, name: str | None, output: str | None, as_json: bool
) -> None:
    """Make a scenario of a game that TextWorld's tw-make has written.

    Its walkthrough, if it has one, is tried out and written beside the scenario, into
    walkthroughs/ID.txt. What cannot be told in a scenario is told to you. Nothing is
    ever written over.

    \b
    Examples:
      saniwa scenario import game.json
      saniwa scenario import game.json --name cellar -o stories/cellar.yaml
    """
    from saniwa.core.document import read_file
    from saniwa.scenario.textworld import import_game
    from saniwa.scenario.textworld.write import write_scenario
    from saniwa.wiring.rehearsal import rehearsed_game

    scenario_id = _id(name or Path(game).stem)
    document = read_file(game)
    imported = import_game(document, scenario_id)
    if not as_json:
        _show_findings(document, imported)
    if imported.scenario is None:
        if as_json:
            answer(_as_json(imported, None, None))
        ctx.exit(FINDINGS)
    rehearsed = rehearsed_game(imported)
    written = write_scenario(
        output or f"{scenario_id}.yaml", imported.scenario, imported.walkthrough
    )
    if as_json:
        answer(_as_json(imported, written, rehearsed))
    else:
        _show_written(written, rehearsed, imported.walkthrough)


def _id(name: str) -> str:
    from saniwa.core.errors import ScenarioError
    from saniwa.scenario.code import Code
    from saniwa.scenario.new_file import usable_id

    if usable_id(name):
        return name
    raise ScenarioError(
        Code.NAME_UNUSABLE,
        f"{name!r} cannot be the id of a scenario",
        hint="give one with --name: letters, digits, '_' and '-'",
    )


def _show_findings(document: "Document", imported: "Imported") -> None:
    for finding in imported.report.findings:
        show_finding(finding, document.text)
        click.echo()
    if imported.scenario is None:
        click.echo(f"nothing written: {counted(len(imported.report.errors), 'error')}")


def _show_written(
    written: "Written", rehearsed: "Rehearsed | None", lines: tuple[str, ...]
) -> None:
    both = f"{written.scenario} and {written.walkthrough}"
    click.echo(printable(f"wrote {both if written.walkthrough else written.scenario}"))
    if rehearsed is None:
        click.echo(printable(f"play it: saniwa play {quote(written.scenario)}"))
        return
    if rehearsed.wins:
        click.echo(f"its walkthrough wins in {counted(rehearsed.lines, 'line')}")
    else:
        click.echo(printable(_not_won(rehearsed, lines)))
    files = [quote(file) for file in (written.scenario, written.walkthrough)]
    command = f"saniwa play {files[0]} --input {files[1]}"
    click.echo(printable(f"play it: {command}"))


def _not_won(rehearsed: "Rehearsed", lines: tuple[str, ...]) -> str:
    if not rehearsed.stumble:
        return "its walkthrough does not win: it ends before the goal is reached"
    line = lines[rehearsed.lines - 1]
    return (
        f"its walkthrough does not win: line {rehearsed.lines}, {line!r}, "
        f"does nothing ({rehearsed.stumble})"
    )


def _as_json(
    imported: "Imported", written: "Written | None", rehearsed: "Rehearsed | None"
) -> dict[str, Any]:
    return {
        "written": None if written is None else written._asdict(),
        "walkthrough": None if rehearsed is None else rehearsed._asdict(),
        "findings": [found.as_document() for found in imported.report.findings],
    }
