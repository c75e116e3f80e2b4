"""What every command of the gate shares: its options, opening, and what was mended."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from saniwa.cli.options import json_option
from saniwa.cli.render import printable

if TYPE_CHECKING:
    from saniwa.core.finding import Finding
    from saniwa.process.gate import Gate
    from saniwa.wiring.gate import GatePlaces

F = TypeVar("F", bound=Callable[..., Any])

_LONGEST = 2_000
"""Letters of a file that could be a credential."""


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
        if not named:
            raise click.UsageError(
                "Which run? Give RUN, such as `last`; or name one for all commands: "
                "saniwa gate create-run --write-config"
            )
        return run_named(self.gate, named)


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
        credential = credential_in(credential_file)
    gate = open_gate(place, credential=credential)
    try:
        yield Opened(gate, gate_folders(place))
    finally:
        gate.log.close()
        tell_mended(getattr(gate.log, "mended", ()))


def credential_in(file: str) -> str:
    """The credential in a file: its first line."""
    path = Path(file)
    if not path.exists() or path.is_dir():
        raise click.BadParameter(f"there is no file {file!r}")
    with path.open(encoding="utf-8", errors="surrogateescape") as stream:
        return stream.readline(_LONGEST).strip()


def tell_mended(findings: "list[Finding] | tuple[Finding, ...]") -> None:
    """What a crash had left unfinished and was mended; beside what was asked for."""
    for finding in findings:
        label = click.style(finding.severity, fg="yellow", bold=True)
        click.echo(f"{label}: {printable(str(finding))}", err=True)
