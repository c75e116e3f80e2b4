"""`saniwa gate people`: who may come as a person."""

import click

from saniwa.cli.gate.deciding import credential_of, is_terminal
from saniwa.cli.gate.door import dir_option, door_options
from saniwa.cli.options import json_option
from saniwa.cli.render import answer, printable
from saniwa.store.gate_people import People


@click.group(
    epilog="""\b
Examples:
  saniwa gate people add ann --role reviewer
  saniwa gate people add robot-owner --role human --token
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
    return credential_of(credential_file) or os.environ.get("STATE_GATE_CREDENTIAL")


@people.command()
@click.argument("name")
@click.option("--role", required=True, help="The role this person has.")
@click.option(
    "--token", is_flag=True, help="Make a secret and print it once, without asking."
)
@door_options
def add(
    name: str,
    role: str,
    token: bool,
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
    secret = known.token() if token else _passphrase()
    now = timestamp(SystemClock().now())
    person = known.add(name, role, secret, at=now, by=voucher)
    credential = {"credential": f"{name}:{secret}"} if token else {}
    if as_json:
        answer({"name": person.name, "role": person.role} | credential)
        return
    click.echo(printable(f"{person.name}  {person.role}"), err=token)
    if token:
        # Alone on standard output, so that it can go into a file.
        click.echo(credential["credential"])


def _passphrase() -> str:
    if not is_terminal():
        raise click.UsageError("Nobody can be asked here: give --token.")
    secret: str = click.prompt(
        "Passphrase for the new person",
        hide_input=True,
        confirmation_prompt=True,
        err=True,
    )
    return secret


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
