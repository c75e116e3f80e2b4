"""What every command of the gate shares: its options, opening, and what was mended."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click
import msgspec

from saniwa.cli.gate.render import show_warning
from saniwa.cli.options import UTF8_TEXT, json_option
from saniwa.core.errors import StoreError
from saniwa.core.text import escape_control_characters

if TYPE_CHECKING:
    from saniwa.app.gate.places import GatePlaces
    from saniwa.core.findings import Finding
    from saniwa.process.artifact import Claim
    from saniwa.process.gate import Gate


F = TypeVar("F", bound=Callable[..., Any])

CREATE_RUN_COMMAND = "saniwa gate create-run --process exploration --write-config"
"""How a gate is begun."""
LIST_RUNS_HINT = "see which runs there are: saniwa gate runs"
"""The cure for a run that is not there."""
NO_GATE_MESSAGE = f"There is no gate in this folder; begin with: {CREATE_RUN_COMMAND}"
"""Told to somebody who stands in the wrong folder."""


class GateConnection(NamedTuple):
    """A gate that is open, and where its things lie."""

    gate: "Gate"
    """The gate."""
    places: "GatePlaces"
    """Where its things lie."""

    def find_run(self, named: str | None) -> str:
        """The run somebody means; the one that is being worked on where none is named."""
        from saniwa.app.gate.access import find_gate_run
        from saniwa.app.gate.places import read_configured_run

        named = named or read_configured_run(self.places)
        if named:
            return find_gate_run(self.gate, named)
        if not self.places.is_initialized:
            raise click.UsageError(NO_GATE_MESSAGE)
        raise click.UsageError(
            "Which run? Give RUN, such as `last`; or name one for all commands: "
            "saniwa gate create-run --write-config"
        )

    def list_runs(self) -> list[str]:
        """All runs that are kept here; where there is no gate, that is told."""
        if not self.places.is_initialized:
            raise click.UsageError(NO_GATE_MESSAGE)
        return list(self.gate.list_runs())


def run_argument(command: F) -> F:
    """Which run; the one that is being worked on where none is named."""
    return click.argument("run", required=False, type=UTF8_TEXT)(command)


def dir_option(command: F) -> F:
    """Where the gate is."""
    return click.option(
        "--dir",
        "place",
        metavar="PLACE",
        help="A folder or postgresql:// address (else $SANIWA_GATE, else .state_gate).",
    )(command)


def gate_options(command: F) -> F:
    """Where the gate is, who comes, and for machines."""
    credential = click.option(
        "--credential-file",
        metavar="FILE",
        help="Come as a person: a file that holds NAME:SECRET.",
    )
    return dir_option(credential(json_option(command)))


@contextmanager
def connect_gate(
    place: str | None, credential_file: str | None, *, credential: str | None = None
) -> Iterator[GateConnection]:
    """The gate at a place, closed again; what was mended is told at the end."""
    from saniwa.app.gate.access import open_gate
    from saniwa.app.gate.places import locate_gate

    if credential_file is not None:
        credential = read_credential(credential_file)
    places = locate_gate(place)
    gate = open_gate(place, credential=credential, as_written=True)
    try:
        yield GateConnection(gate, places)
    except StoreError as problem:
        if problem.code != "RUN_NOT_FOUND":
            raise
        raise _make_not_found_error(problem, places) from problem
    finally:
        gate.close()
        report_repairs(getattr(gate.log, "repairs", ()))


def _make_not_found_error(problem: StoreError, places: "GatePlaces") -> StoreError:
    """The same, with the command that helps."""
    hint = LIST_RUNS_HINT if "did you mean" not in problem.hint else problem.hint
    return StoreError(
        problem.code,
        problem.message,
        where=problem.where,
        hint=hint
        if places.is_initialized
        else NO_GATE_MESSAGE[0].lower() + NO_GATE_MESSAGE[1:],
        details=problem.details,
    )


def report_repairs(findings: "list[Finding] | tuple[Finding, ...]") -> None:
    """What a crash had left unfinished and was mended; beside what was asked for."""
    for finding in findings:
        label = click.style(finding.severity, fg="yellow", bold=True)
        click.echo(f"{label}: {escape_control_characters(str(finding))}", err=True)


_MAX_VALUE_BYTES = 10_000_000


def parse_json_value(text: str, option: str) -> Any:
    """The JSON in a text, or in the file that an `@` names."""
    try:
        return msgspec.json.decode(_read_value(text, option))
    except (ValueError, RecursionError) as problem:
        raise click.BadParameter(f"{option} is no JSON: {problem}") from problem


def parse_json_object(text: str | None, option: str) -> dict[str, Any]:
    """The JSON object in a text or a file; an empty one for none."""
    if text is None:
        return {}
    value = parse_json_value(text, option)
    if not isinstance(value, dict):
        raise click.BadParameter(f'{option} must be a JSON object, such as {{"a": 1}}')
    return value


def parse_inline_artifact(text: str) -> "Claim":
    """The artifact in `TYPE=JSON` or `TYPE=@FILE`."""
    from saniwa.process.artifact import Claim

    kind, value = _split_assignment(text, "--inline", "TYPE=JSON")
    return Claim(type=kind, content=parse_json_value(value, "--inline"))


def parse_url_artifact(text: str) -> "Claim":
    """The artifact in `TYPE=URL#sha256=HEX`."""
    from saniwa.process.artifact import Claim

    kind, value = _split_assignment(text, "--url", "TYPE=URL#sha256=HEX")
    url, _, hash = value.partition("#sha256=")
    return Claim(type=kind, url=url, hash=hash)


def _split_assignment(text: str, option: str, form: str) -> tuple[str, str]:
    kind, equals, value = text.partition("=")
    if not equals or not kind:
        raise click.BadParameter(f"{option} is written {form}, and not {text[:60]!r}")
    return kind, value


def read_option_file(file: str, option: str, largest: int = _MAX_VALUE_BYTES) -> bytes:
    """Everything in a small regular file; nothing else is waited for."""
    from saniwa.core.safe_open import UnfitFileError, read_small_file

    try:
        return read_small_file(file, largest)
    except UnfitFileError as problem:
        raise click.BadParameter(f"{option}: {file!r} {problem}") from problem
    except FileNotFoundError as problem:
        raise click.BadParameter(f"{option}: there is no file {file!r}") from problem
    except (OSError, ValueError) as problem:
        why = getattr(problem, "strerror", None) or problem
        told = f"{option}: {file!r} cannot be read: {why}"
        raise click.BadParameter(told) from problem


def _read_value(text: str, option: str) -> bytes:
    if text.startswith("@"):
        return read_option_file(text[1:], option)
    return text.encode("utf-8", "surrogateescape")


_MAX_CREDENTIAL_BYTES = 10_000
"""Bytes of a file that could hold a credential."""
_OTHERS_PERMISSIONS = 0o077
"""The rights that nobody but the owner should have."""


def read_credential(file: str) -> str:
    """The credential in a file: its first line."""
    content = read_option_file(file, "--credential-file", _MAX_CREDENTIAL_BYTES)
    if os.name == "posix" and Path(file).stat().st_mode & _OTHERS_PERMISSIONS:
        show_warning(f"others can read {file!r}; keep it to yourself: chmod 600 {file}")
    first, _, _ = content.partition(b"\n")
    return first.decode("utf-8", "surrogateescape").strip()


def get_credential(file: str | None, asking: str = "Name") -> str | None:
    """The credential: in the file, else in the environment, else asked for."""
    if file is not None:
        return read_credential(file)
    if os.environ.get("STATE_GATE_CREDENTIAL") or not is_interactive():
        return None
    name = click.prompt(asking, err=True)
    secret = click.prompt("Passphrase", hide_input=True, err=True)
    return f"{name}:{secret}"


def is_interactive() -> bool:
    """Whether somebody sits here who can be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()
