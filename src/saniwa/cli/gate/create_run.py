"""`saniwa gate create-run`: begin a run of a process."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from saniwa.cli.gate.door import door_options, opened
from saniwa.cli.gate.values import json_object
from saniwa.cli.gate.words import WORDS
from saniwa.cli.render import answer
from saniwa.core.document import FORMATS
from saniwa.core.errors import ProcessError
from saniwa.core.quoted import printable

if TYPE_CHECKING:
    from saniwa.wiring.gate import GatePlaces


@click.command("create-run")
@click.option("--process", required=True, type=WORDS, metavar="ID", help="The process.")
@click.option(
    "--context",
    "variables",
    metavar="JSON|@FILE",
    help="First values of the run's variables.",
)
@click.option(
    "--artifacts",
    "folder",
    type=WORDS,
    default="",
    metavar="FOLDER",
    help="Where paths of evidence lead from, inside the project; "
    "else the run's own folder.",
)
@click.option(
    "--write-config",
    is_flag=True,
    help="Name the run in state-gate.json, so that RUN may be left out afterwards.",
)
@door_options
def create_run(
    process: str,
    variables: str | None,
    folder: str,
    write_config: bool,
    place: str | None,
    credential_file: str | None,
    as_json: bool,
) -> None:
    """Begin a run of a process in its first state.

    \b
    Examples:
      saniwa gate create-run --process exploration
      saniwa gate create-run --process exploration \\
          --context '{"exploration_mode": "domain"}' --write-config
    """
    first = json_object(variables, "--context")
    with opened(place, credential_file) as door:
        try:
            standing = door.gate.create_run(process, first, folder=folder)
        except ProcessError as problem:
            raise _with_cure(problem, door.places, process, folder) from problem
        if write_config:
            from saniwa.wiring.gate import configure_run

            configure_run(door.places, standing.run_id)
        evidence = door.places.artifacts(standing.run_id, folder)
        with suppress(OSError):  # a convenience: whoever hands in evidence makes it too
            evidence.mkdir(parents=True, exist_ok=True)
    if as_json:
        answer(
            {
                "run_id": standing.run_id,
                "initial_state": standing.state,
                "revision": standing.revision,
            }
        )
        return
    click.echo(printable(f"{standing.run_id}  {standing.state}"))
    click.echo(printable(f"evidence goes into {evidence}"))


def _with_cure(
    problem: ProcessError, places: "GatePlaces", process: str, folder: str
) -> ProcessError:
    """The same, with what somebody at this desk can do about it."""
    file = Path(process)
    hint = problem.hint
    if problem.code == "PROCESS_NOT_FOUND" and file.suffix.lower() in FORMATS:
        hint = f"put the file into {places.processes}, then: --process {file.stem}"
    if problem.code == "FILE_OUTSIDE":
        hint = _inside(Path(folder), places.project.absolute())
    return ProcessError(
        problem.code,
        problem.message,
        where=problem.where,
        hint=hint,
        details=problem.details,
    )


def _inside(folder: Path, project: Path) -> str:
    named = "papers"
    if folder.is_relative_to(project):
        named = str(folder.relative_to(project))
    return f"the project is {project}; name a folder inside it: --artifacts {named}"
