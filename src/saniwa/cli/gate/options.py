"""What a user gives to a gate command: the gate, a credential, JSON, artifacts, files."""

import os
import shlex
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import msgspec

from saniwa.cli import render
from saniwa.core.errors import ProcessError, StoreError
from saniwa.core.system_calls import HAS_PERMISSIONS

if TYPE_CHECKING:
    from saniwa.process.artifact import Claim

if TYPE_CHECKING:
    from saniwa.app.gate.configuration import GatePlaces
    from saniwa.core.findings import Finding
    from saniwa.process.gate import Gate
    from saniwa.process.ports import ToolJournal


CREATE_RUN_COMMAND = "saniwa gate create-run --process exploration --write-config"
"""The command that creates a gate."""
NO_PEOPLE_MESSAGE = (
    "Only people decide, and none is registered here. "
    "Register yourself first: saniwa gate people add NAME --role reviewer"
)
"""The message where a person must decide and there is none."""
LIST_RUNS_HINT = "list the runs: saniwa gate runs"
"""The hint for a run that does not exist."""


def explain_missing_gate(places: "GatePlaces") -> str:
    """Return the message where there is no gate; it names another user's above, if any."""
    from saniwa.app.gate.configuration import GATE_FOLDER, find_gate_above

    above = find_gate_above(places.root)
    if above is None:
        return (
            "This folder has no gate. Go to the folder of your project, or start a gate here: "
            f"{CREATE_RUN_COMMAND}"
        )
    named = f"--dir {shlex.quote(str(above / GATE_FOLDER))}"
    return f"This folder has no gate, and that of {above} belongs to another user; add {named}"


def explain_gate_above(places: "GatePlaces") -> list[str]:
    """Say in a line that the gate of a folder above is used, if it is."""
    if not places.is_above:
        return []
    from saniwa.app.gate.configuration import GATE_FOLDER

    return [f"gate {places.root}; to make one in this folder, add --dir {GATE_FOLDER}"]


class GateConnection(NamedTuple):
    """An open gate and the paths of its files."""

    gate: "Gate"
    """The gate."""
    places: "GatePlaces"
    """The paths of its files."""

    def find_run(self, named: str | None) -> str:
        """Return the id of the named run; without a name, of the session's or configured run.

        Raises:
            click.UsageError: No run is named or configured, or there is no gate.
            StoreError: `RUN_NOT_FOUND`.
        """
        from saniwa.app.gate.configuration import find_default_run
        from saniwa.app.gate.gate_opening import find_gate_run

        named = named or find_default_run(self.places)
        if named:
            return find_gate_run(self.gate, named)
        if not self.places.is_initialized:
            raise click.UsageError(explain_missing_gate(self.places))
        raise click.UsageError(
            "No run given. Name one, such as `last`, or start one for all commands: "
            "saniwa gate create-run --write-config"
        )

    def list_runs(self) -> list[str]:
        """Return the ids of all stored runs.

        Raises:
            click.UsageError: There is no gate here.
        """
        if not self.places.is_initialized:
            raise click.UsageError(explain_missing_gate(self.places))
        return list(self.gate.list_runs())


class GateOptions(NamedTuple):
    """The options `--dir`, `--credential-file` and `--json` of a command."""

    place: str | None
    """Where the gate is."""
    credential_file: str | None
    """The file with a person's credential."""
    as_json: bool
    """Whether to answer in JSON."""

    def connect(self) -> AbstractContextManager[GateConnection]:
        """Open the gate, for the person whose credential is in the file, if one is named."""
        return connect_gate(self.place, self.credential_file)

    def connect_person(self) -> AbstractContextManager[GateConnection]:
        """Open the gate for a person; ask for the credential where no file is named.

        Raises:
            click.UsageError: The user would be asked, and no person is registered.
        """
        from saniwa.app.gate.configuration import locate_gate
        from saniwa.app.gate.gate_opening import open_people

        known = self.credential_file or os.environ.get("STATE_GATE_CREDENTIAL")
        people = not known and is_interactive() and open_people(locate_gate(self.place))
        if people and not people.list_people():
            raise click.UsageError(NO_PEOPLE_MESSAGE)
        return connect_gate(self.place, None, credential=get_credential(self.credential_file))

    def show(self, document: Any, lines: Iterable[str]) -> None:
        """Print the result: the document as JSON, else each of the lines as one row."""
        render.print_result(self.as_json, document, map(render.to_one_line, lines))


@contextmanager
def connect_gate(
    place: str | None,
    credential_file: str | None,
    *,
    credential: str | None = None,
    journal: "ToolJournal | None" = None,
) -> Iterator[GateConnection]:
    """Open the gate at a place and close it after the block.

    `journal` is that of the agent that visits.

    Repairs that opening or reading the log made are printed at the end. A
    `RUN_NOT_FOUND` error leaves the block with a hint for the command line.
    """
    from saniwa.app.gate.configuration import locate_gate
    from saniwa.app.gate.gate_opening import open_gate

    if credential_file is not None:
        credential = read_credential(credential_file)
    places = locate_gate(place)
    with suggest_name(place, credential):
        gate = open_gate(place, credential=credential, as_written=True, journal=journal)
    try:
        yield GateConnection(gate, places)
    except StoreError as problem:
        if problem.code == "RUN_NOT_FOUND":
            if not places.is_initialized:
                message = explain_missing_gate(places)
                problem.hint = message[0].lower() + message[1:]
            elif "did you mean" not in problem.hint:
                problem.hint = LIST_RUNS_HINT
        raise
    finally:
        gate.close()
        report_repairs(getattr(gate.log, "repairs", ()))


@contextmanager
def suggest_name(place: str | None, credential: str | None) -> Iterator[None]:
    """Suggest the registered name where a credential is refused for one like it.

    Only at the command line, whose user may list the names; over HTTP it would tell
    strangers who is registered.
    """
    try:
        yield
    except ProcessError as problem:
        if problem.code == "CREDENTIAL_REFUSED":
            from saniwa.app.gate.configuration import locate_gate
            from saniwa.app.gate.gate_opening import open_people
            from saniwa.core.suggestions import find_nearest

            known = open_people(locate_gate(place)).list_people()
            credential = credential or os.environ.get("STATE_GATE_CREDENTIAL", "")
            name, names = credential.partition(":")[0], [each.name for each in known]
            same = (each for each in names if each.casefold() == name.casefold())
            near = next(same, "") or find_nearest(name, names)
            if near and name not in names:
                problem.hint = f"did you mean {near!r}? {problem.hint}"
        raise


def report_repairs(findings: "Iterable[Finding]") -> None:
    """Print repairs of what a crash left unfinished, to standard error."""
    for finding in findings:
        render.show_problem(finding.severity, finding)


_MAX_CREDENTIAL_BYTES = 10_000
"""Maximum size of a credential file."""
_OTHERS_PERMISSIONS = 0o077
"""The permission bits of all users other than the owner."""


def read_credential(file: str) -> str:
    """Return the first line of a credential file; warn if other users can read it."""
    content = read_option_file(file, "--credential-file", _MAX_CREDENTIAL_BYTES)
    if HAS_PERMISSIONS and Path(file).stat().st_mode & _OTHERS_PERMISSIONS:
        render.show_labelled(
            "warning", f"other users can read {file!r}; restrict it: chmod 600 {file}", fg="yellow"
        )
    first, _, _ = content.partition(b"\n")
    return first.decode("utf-8", "surrogateescape").strip()


def get_credential(file: str | None, asking: str = "Your name") -> str | None:
    """Return the credential from the file, else prompt for it on a terminal.

    None if the environment has it or there is no terminal: the gate then reads
    $STATE_GATE_CREDENTIAL itself.
    """
    if file is not None:
        return read_credential(file)
    if os.environ.get("STATE_GATE_CREDENTIAL") or not is_interactive():
        return None
    name = click.prompt(asking, err=True)
    secret = click.prompt("Your secret", hide_input=True, err=True)
    return f"{name}:{secret}"


def is_interactive() -> bool:
    """Whether the user can be prompted: stdin and stderr are terminals."""
    return sys.stdin.isatty() and sys.stderr.isatty()


_MAX_VALUE_BYTES = 10_000_000


def parse_json_value(text: str, option: str) -> Any:
    """Parse JSON given as text, or as `@FILE`.

    Raises:
        click.BadParameter: It is not JSON, or the file cannot be read.
    """
    content = text.encode("utf-8", "surrogateescape")
    if text.startswith("@"):
        content = read_option_file(text[1:], option)
    try:
        return msgspec.json.decode(content)
    except (ValueError, RecursionError) as problem:
        raise click.BadParameter(f"{option} is no JSON: {problem}") from problem


def parse_json_object(text: str | None, option: str) -> dict[str, Any]:
    """Parse a JSON object given as text or `@FILE`; None gives an empty object.

    Raises:
        click.BadParameter: It is not a JSON object, or the file cannot be read.
    """
    if text is None:
        return {}
    value = parse_json_value(text, option)
    if not isinstance(value, dict):
        raise click.BadParameter(f'{option} must be a JSON object, such as {{"a": 1}}')
    return value


def parse_inline_artifact(text: str) -> "Claim":
    """Parse an artifact written `TYPE=JSON` or `TYPE=@FILE`."""
    from saniwa.process.artifact import Claim

    kind, value = _split_assignment(text, "--inline", "TYPE=JSON")
    try:
        return Claim(type=kind, content=parse_json_value(value, "--inline"))
    except click.BadParameter as problem:
        if value.startswith(("@", "{", "[", '"')):
            raise
        quoted = shlex.quote(f"{kind}={msgspec.json.encode(value[:60]).decode()}")
        raise click.BadParameter(f"{problem.message}; for text, write --inline {quoted}") from None


def parse_url_artifact(text: str) -> "Claim":
    """Parse an artifact written `TYPE=URL#sha256=HEX`."""
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
    """Read a small regular file; pipes and devices are rejected, so this never blocks.

    Raises:
        click.BadParameter: The file cannot be read, or is not a small regular file.
    """
    from saniwa.core.safe_open import UnfitFileError, read_small_file

    try:
        return read_small_file(file, largest)
    except UnfitFileError as problem:
        raise click.BadParameter(f"{option}: {file!r} {problem}") from problem
    except FileNotFoundError as problem:
        raise click.BadParameter(f"{option}: there is no file {file!r}") from problem
    except (OSError, ValueError) as problem:
        why = getattr(problem, "strerror", None) or problem
        message = f"{option}: {file!r} cannot be read: {why}"
        raise click.BadParameter(message) from problem
