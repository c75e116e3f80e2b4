"""`saniwa gate allow-command`: the programs that checks may run."""

import click

from saniwa.cli.command_definition import Utf8Text, define_command
from saniwa.cli.gate.options import GateOptions


@define_command("gate allow-command")
def allow_command(programs: tuple[Utf8Text, ...], options: GateOptions) -> None:
    """Let the checks of this gate run PROGRAM (people only).

    PROGRAM is the first item of a check's `command`, such as pytest; it may then run with
    any arguments. The gate's state-gate.json keeps the list.

    \b
    Example:
      saniwa gate allow-command pytest --credential-file ann.key
    """
    from saniwa.app.gate.configuration import allow_check_commands

    for program in programs:
        if not program or any(map(str.isspace, program)):
            raise click.BadParameter(
                f"{program!r} is not one program: name it without its arguments",
                param_hint="PROGRAM",
            )
    with options.connect_person() as connection:
        allowed = allow_check_commands(connection.places, programs, connection.gate.visitor)
    options.show(
        {"check_commands": allowed, "path": str(connection.places.config)},
        [f"{connection.places.config}: checks may run {', '.join(allowed)}"],
    )
