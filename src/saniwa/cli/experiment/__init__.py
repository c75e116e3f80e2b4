"""`saniwa experiment`: does telling and refusing make a model truthful?"""

import click

from saniwa.cli.doors import Doors

_COMMANDS = {
    "run": "Carry out a plan, and write its results and report.",
    "resume": "Go on with an experiment that was stopped.",
    "report": "Write the report again, from what is kept.",
    "compare": "Compare two experiments, condition by condition.",
    "list": "List the experiments.",
    "show": "Show an experiment, a cell, or one turn of it as it passed.",
    "replay": "Play every cell again from its answers, and compare.",
    "export": "Write all turns as a table, for other programs.",
}
"""Every command and its one line of help; each lives in a module of its name."""


@click.command(
    cls=Doors,
    package="saniwa.cli.experiment",
    lines=_COMMANDS,
    epilog="""\b
Examples:
  saniwa experiment run --scenario coffee_trap --profile full
  saniwa experiment run plan.yaml --dry-run
  saniwa experiment resume
  saniwa experiment show last
""",
)
def experiment() -> None:
    """Experiments: conditions crossed, runs repeated, every turn judged by one book.

    Wherever EXPERIMENT is asked for, give its folder, the folder's name, its id, or
    `last` for the newest.
    """
