"""What every command of the gate shares: its options, opening, and what was mended."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from saniwa.cli.gate.words import WORDS
from saniwa.cli.options import json_option
from saniwa.core.errors import StoreError
from saniwa.core.quoted import printable

if TYPE_CHECKING:
    from saniwa.core.finding import Finding
    from saniwa.process.gate import Gate
    from saniwa.wiring.gate import GatePlaces

F = TypeVar("F", bound=Callable[..., Any])

BEGIN = "saniwa gate create-run --process exploration --write-config"
"""How a gate is begun."""
SEE_RUNS = "see which runs there are: saniwa gate runs"
"""The cure for a run that is not there."""
NO_GATE = f"There is no gate in this folder; begin with: {BEGIN}"
"""Told to somebody who stands in the wrong folder."""


class Opened(NamedTuple):
    """A gate that is open, and where its things lie."""

    gate: "Gate"
    """The gate."""
    places: "GatePlaces"
    """Where its things lie."""

    def run(self, named: str | None) -> str:
        """The run somebody means; the one that is being worked on where none is named."""
        from saniwa.wiring.gate import configured_run, run_named

        named = named or configured_run(self.places)
        if named:
            return run_named(self.gate, named)
        if not self.places.begun:
            raise click.UsageError(NO_GATE)
        raise click.UsageError(
            "Which run? Give RUN, such as `last`; or name one for all commands: "
            "saniwa gate create-run --write-config"
        )

    def every_run(self) -> list[str]:
        """All runs that are kept here; where there is no gate, that is told."""
        if not self.places.begun:
            raise click.UsageError(NO_GATE)
        return list(self.gate.runs())


def run_argument(command: F) -> F:
    """Which run; the one that is being worked on where none is named."""
    return click.argument("run", required=False, type=WORDS)(command)


def dir_option(command: F) -> F:
    """Where the gate is."""
    return click.option(
        "--dir",
        "place",
        metavar="PLACE",
        help="A folder or postgresql:// address (else $SANIWA_GATE, else .state_gate).",
    )(command)


def door_options(command: F) -> F:
    """Where the gate is, who comes, and for machines."""
    credential = click.option(
        "--credential-file",
        metavar="FILE",
        help="Come as a person: a file that holds NAME:SECRET.",
    )
    return dir_option(credential(json_option(command)))


@contextmanager
def opened(
    place: str | None, credential_file: str | None, *, credential: str | None = None
) -> Iterator[Opened]:
    """The gate at a place, closed again; what was mended is told at the end."""
    from saniwa.wiring.gate import gate_folders, open_gate

    if credential_file is not None:
        from saniwa.cli.gate.credential import credential_in

        credential = credential_in(credential_file)
    places = gate_folders(place)
    gate = open_gate(place, credential=credential, as_written=True)
    try:
        yield Opened(gate, places)
    except StoreError as problem:
        if problem.code != "RUN_NOT_FOUND":
            raise
        raise _not_found(problem, places) from problem
    finally:
        gate.close()
        tell_mended(getattr(gate.log, "mended", ()))


def _not_found(problem: StoreError, places: "GatePlaces") -> StoreError:
    """The same, with the command that helps."""
    hint = SEE_RUNS if "did you mean" not in problem.hint else problem.hint
    return StoreError(
        problem.code,
        problem.message,
        where=problem.where,
        hint=hint if places.begun else NO_GATE[0].lower() + NO_GATE[1:],
        details=problem.details,
    )


def tell_mended(findings: "list[Finding] | tuple[Finding, ...]") -> None:
    """What a crash had left unfinished and was mended; beside what was asked for."""
    for finding in findings:
        label = click.style(finding.severity, fg="yellow", bold=True)
        click.echo(f"{label}: {printable(str(finding))}", err=True)
