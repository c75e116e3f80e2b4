"""`saniwa gate people`: who may come as a person."""

import click

from saniwa.cli.gate.credential import credential_of, is_terminal
from saniwa.cli.gate.door import dir_option, door_options
from saniwa.cli.gate.lines import warn
from saniwa.cli.gate.named import library_at
from saniwa.cli.gate.tokens import TokenFile
from saniwa.cli.options import json_option
from saniwa.cli.render import answer
from saniwa.core.quoted import printable
from saniwa.store.gate.people.people import People


@click.group(
    epilog="""\b
Examples:
  saniwa gate people add ann --role reviewer
  saniwa gate people add robot-owner --role human --token-file owner.key
  saniwa gate people list
"""
)
def people() -> None:
    """Say who may come as a person, and in which role.

    The first may be added by anybody who can write the folder; after that, adding and
    removing needs the credential of somebody who is known.
    """


def _people(place: str | None) -> People:
    from saniwa.wiring.gate import gate_folders, people_at

    return people_at(gate_folders(place))


def _voucher(known: People, credential_file: str | None) -> str | None:
    """The credential of whoever vouches; nobody needs to for the first."""
    import os

    if not known.all():
        return None
    asking = "Your name (somebody already known)"
    return credential_of(credential_file, asking) or os.environ.get(
        "STATE_GATE_CREDENTIAL"
    )


@people.command()
@click.argument("name")
@click.option("--role", required=True, help="The role this person has.")
@click.option(
    "--token", is_flag=True, help="Make a secret and print it once, without asking."
)
@click.option(
    "--token-file",
    metavar="FILE",
    help="Make a secret, and write the credential into a new file of your own.",
)
@door_options
def add(
    name: str,
    role: str,
    token: bool,
    token_file: str | None,
    place: str | None,
    credential_file: str | None,
    as_json: bool,
) -> None:
    """Let somebody in from now on; asks for a passphrase, twice.

    \b
    Example:
      saniwa gate people add ann --role reviewer
    """
    from saniwa.core.clock import SystemClock
    from saniwa.process.record import timestamp

    known = _people(place)
    voucher = _voucher(known, credential_file)
    known.check_voucher(voucher)
    made = token or token_file is not None
    secret = known.token() if made else _passphrase()
    now = timestamp(SystemClock().now())
    credential = f"{name}:{secret}"
    with TokenFile(token_file, credential):
        person = known.add(name, role, secret, at=now, by=voucher)
    _warn_of(role, place)
    if as_json:
        told = {"token_file": token_file} if token_file else {}
        told |= {"credential": credential} if token else {}
        answer({"name": person.name, "role": person.role} | told)
        return
    click.echo(printable(f"{person.name}  {person.role}"), err=token)
    if token:
        # Alone on standard output, so that it can go into a file.
        click.echo(credential)


def _warn_of(role: str, place: str | None) -> None:
    """A role that lets nobody do anything is most likely a slip of the hand."""
    from saniwa.core.near import did_you_mean
    from saniwa.process.authoring.reading import read_process

    if role == "agent":
        warn("'agent' is the role of every door without a credential")
        return
    library = library_at(place)
    read = [read_process(library.file_of(name)).process for name in library.names()]
    names = {each.name for found in read if found for each in found.roles}
    if role not in names:
        cure = did_you_mean(role, names) or f"there are: {', '.join(sorted(names))}"
        warn(f"no process here has the role {role!r}; {cure}")


def _passphrase(asking: str = "Passphrase for the new person") -> str:
    if not is_terminal():
        raise click.UsageError("Nobody can be asked here: give --token.")
    secret: str = click.prompt(
        asking,
        hide_input=True,
        confirmation_prompt=True,
        err=True,
    )
    return secret


@people.command("change-secret")
@click.option(
    "--token", is_flag=True, help="Make a secret and print it once, without asking."
)
@click.option(
    "--token-file",
    metavar="FILE",
    help="Make a secret, and write the credential into a new file of your own.",
)
@door_options
def change_secret(
    token: bool,
    token_file: str | None,
    place: str | None,
    credential_file: str | None,
    as_json: bool,
) -> None:
    """Change your own secret; asks for the one of now and for a new one, twice.

    Whoever is signed in with the old one is signed out. Decisions that were made stay.

    \b
    Example:
      saniwa gate people change-secret
    """
    import os

    known = _people(place)
    credential = credential_of(credential_file, "Your name")
    credential = credential or os.environ.get("STATE_GATE_CREDENTIAL") or ""
    if not credential:
        raise click.UsageError(
            "Nobody can be asked here: give --credential-file, and --token."
        )
    name, _, secret = credential.partition(":")
    known.known(credential)
    made = token or token_file is not None
    new = known.token() if made else _passphrase("New passphrase")
    with TokenFile(token_file, f"{name}:{new}"):
        person = known.change_secret(name, secret, new)
    if as_json:
        told = {"token_file": token_file} if token_file else {}
        told |= {"credential": f"{name}:{new}"} if token else {}
        answer({"name": person.name, "role": person.role, "changed": True} | told)
        return
    click.echo(printable(f"{person.name} has another secret"), err=token)
    if token:
        click.echo(f"{name}:{new}")


@people.command("list")
@dir_option
@json_option
def list_people(place: str | None, as_json: bool) -> None:
    """List who is known: names, roles, since when.

    \b
    Example:
      saniwa gate people list
    """
    found = _people(place).all()
    if as_json:
        told = [{"name": p.name, "role": p.role, "added_at": p.added_at} for p in found]
        answer({"people": told})
        return
    for person in found:
        click.echo(printable(f"{person.name}  {person.role}  {person.added_at}"))
    if not found:
        click.echo("Nobody is known here yet.")


@people.command()
@click.argument("name")
@door_options
def remove(
    name: str, place: str | None, credential_file: str | None, as_json: bool
) -> None:
    """Let somebody in no longer; decisions that were made stay.

    \b
    Example:
      saniwa gate people remove ann
    """
    known = _people(place)
    gone = known.remove(name, by=_voucher(known, credential_file))
    if as_json:
        answer({"name": gone.name, "role": gone.role, "removed": True})
        return
    click.echo(printable(f"{gone.name} is known no longer"))
