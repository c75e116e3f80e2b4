"""`saniwa gate people`: add, list and remove people, and change their secrets."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from saniwa.cli.command_definition import define_command
from saniwa.cli.gate.options import GateOptions, get_credential, is_interactive, suggest_name
from saniwa.cli.gate.processes import open_library
from saniwa.cli.render import print_json, print_result, show_labelled, show_text, show_warning
from saniwa.core import system_calls
from saniwa.core.errors import ProcessError
from saniwa.store.gate.people import (
    LONGEST_SECRET,
    SHORTEST_SECRET,
    GatePerson,
    People,
    check_secret,
)


@contextmanager
def _write_token_file(file: str | None, credential: str) -> Iterator[None]:
    """Write a credential to a new file that only its owner can read; None writes none.

    If the block fails, the file is removed again.

    Raises:
        click.BadParameter: The file name is empty, or the file exists.
    """
    if file == "":
        raise click.BadParameter("--token-file: the name of a file is empty")
    if file is None:
        yield
        return
    # Before the person is added: a secret that cannot be saved is of no use.
    try:
        handle = system_calls.open_file(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as problem:
        message = f"--token-file: the file {str(Path(file))!r} already"
        raise click.BadParameter(message) from problem
    with os.fdopen(handle, "w", encoding="utf-8", errors="surrogateescape") as stream:
        stream.write(f"{credential}\n")
    try:
        yield
    except BaseException:
        Path(file).unlink(missing_ok=True)
        raise
    folder = Path(file).resolve().parent
    # Returns False for what may not be read; the person is already stored.
    if any(os.path.exists(above / ".git") for above in (folder, *folder.parents)):  # noqa: PTH110 - see above
        show_warning(
            f"{file!r} contains a secret, and its folder is in a Git repository: "
            "do not commit it; make sure that .gitignore lists it"
        )


def _open_people(place: str | None) -> People:
    from saniwa.app.gate.configuration import locate_gate
    from saniwa.app.gate.gate_opening import open_people

    return open_people(locate_gate(place))


def _get_voucher(known: People, credential_file: str | None) -> str | None:
    """Return the credential of the person who vouches; None for the first person."""
    if not known.list_people():
        return None
    asking = "Your name (of a registered person)"
    return get_credential(credential_file, asking) or os.environ.get("STATE_GATE_CREDENTIAL")


@define_command("gate people add")
def add(name: str, role: str, token: bool, token_file: str | None, options: GateOptions) -> None:
    """Add a person; asks for a secret, and for the same again.

    \b
    Example:
      saniwa gate people add ann --role reviewer
    """
    from saniwa.core.clock import SystemClock, format_timestamp

    known = _open_people(options.place)
    voucher = _get_voucher(known, options.credential_file)
    with suggest_name(options.place, voucher):
        known.check_addition(name, role, by=voucher)
    made = token or token_file is not None
    secret = known.make_token() if made else _ask_secret()
    now = format_timestamp(SystemClock().now())
    credential = f"{name}:{secret}"
    with _write_token_file(token_file, credential):
        person = known.add(name, role, secret, at=now, by=voucher)
    _warn_unknown_role(name, role, options.place)
    text, printed = f"{person.name}  {person.role}", credential if token else ""
    _report_person(person, text, token_file, printed, as_json=options.as_json)


def _report_person(
    person: GatePerson,
    text: str,
    token_file: str | None,
    printed: str,
    *,
    as_json: bool,
    **more: Any,
) -> None:
    """Print a person's change, and the credential `printed` unless it is empty."""
    if as_json:
        more |= {"token_file": token_file} if token_file else {}
        more |= {"credential": printed} if printed else {}
        print_json({"name": person.name, "role": person.role} | more)
        return
    show_text(text, err=bool(printed))
    if printed:
        # The only line on standard output, so that it can be redirected to a file.
        click.echo(printed)


def _warn_unknown_role(name: str, role: str, place: str | None) -> None:
    """Warn about a role that no process uses: most likely a typing error."""
    from saniwa.core.suggestions import suggest_nearest
    from saniwa.process.reader import read_process

    if role == "agent":
        show_warning("'agent' is the role of every caller without a credential")
        return
    library = open_library(place)
    read = [read_process(library.find_file(name)).process for name in library.list_ids()]
    names = {each.name for found in read if found for each in found.roles}
    if role not in names:
        cure = suggest_nearest(role, names) or f"there are: {', '.join(sorted(names))}"
        again = f"to change it, remove the person {name!r} and add them again"
        show_warning(f"no process here has the role {role!r}; {cure} ({again})")


def _ask_secret(asking: str = "Secret for the new person", current: str = "") -> str:
    """Ask for a secret until it is accepted, and only then for it again."""
    if not is_interactive():
        raise click.UsageError(
            "There is no terminal to ask for a secret: add --token-file FILE, or --token."
        )
    asking = f"{asking} ({SHORTEST_SECRET} to {LONGEST_SECRET:,} characters)"
    while True:
        secret: str = click.prompt(asking, hide_input=True, err=True)
        try:
            check_secret(secret, current)
        except ProcessError as problem:
            _show_error(f"{problem.message}; {problem.hint}")
            continue
        if secret == click.prompt("The same secret again", hide_input=True, err=True):
            return secret
        _show_error("the two secrets differ")


def _show_error(text: str) -> None:
    show_labelled("error", text, fg="red")


@define_command("gate people change-secret")
def change_secret(token: bool, token_file: str | None, options: GateOptions) -> None:
    """Change your own secret; asks for the current one, and twice for the new one.

    Sessions signed in with the old secret are signed out. Earlier decisions remain valid.

    \b
    Example:
      saniwa gate people change-secret
    """
    known = _open_people(options.place)
    credential = get_credential(options.credential_file, "Your name")
    credential = credential or os.environ.get("STATE_GATE_CREDENTIAL") or ""
    if not credential:
        raise click.UsageError(
            "There is no terminal to ask for a secret: add --credential-file, "
            "and --token-file FILE or --token."
        )
    name, _, secret = credential.partition(":")
    with suggest_name(options.place, credential):
        known.authenticate(credential)
    made = token or token_file is not None
    new = known.make_token() if made else _ask_secret("New secret", secret)
    with _write_token_file(token_file, f"{name}:{new}"):
        person = known.change_secret(name, secret, new)
    text, printed = f"{person.name} has a new secret", f"{name}:{new}" if token else ""
    _report_person(person, text, token_file, printed, as_json=options.as_json, changed=True)


@define_command("gate people list")
def list_people(place: str | None, as_json: bool) -> None:
    """List the registered people: name, role and date.

    \b
    Example:
      saniwa gate people list
    """
    found = _open_people(place).list_people()
    rows = [{"name": p.name, "role": p.role, "added_at": p.added_at} for p in found]
    lines = ["  ".join(row.values()) for row in rows]
    print_result(as_json, {"people": rows}, lines or ["No people are registered."])


@define_command("gate people remove")
def remove(name: str, options: GateOptions) -> None:
    """Remove a person; their decisions remain valid.

    \b
    Example:
      saniwa gate people remove ann
    """
    known = _open_people(options.place)
    voucher = _get_voucher(known, options.credential_file)
    with suggest_name(options.place, voucher):
        gone = known.remove(name, by=voucher)
    document = {"name": gone.name, "role": gone.role, "removed": True}
    print_result(options.as_json, document, [f"{gone.name} was removed"])
