"""`saniwa gate`: runs of processes, moved by evidence alone."""

import click

from saniwa.cli.doors import Doors

_COMMANDS = {
    "create-run": "Begin a run of a process.",
    "state": "Show where a run stands, and what is missing.",
    "events": "List what can be sent now.",
    "emit": "Send an event, with its evidence.",
    "review": "Show what a decision is made on.",
    "approve": "Approve what was reviewed; for people.",
    "reject": "Send it back; for people.",
    "override": "Put a guard aside, with a reason; for people.",
    "runs": "List the runs.",
    "history": "Tell who did what, when and on which evidence.",
    "verify": "Read runs again from the first byte, evidence included.",
    "watch": "Follow a run.",
    "tick": "Take the transitions whose time has come.",
    "migrate": "Move a run to its process as it is now; for people.",
    "export": "Write a run as the published CSV.",
    "processes": "List the processes.",
    "new": "Write a process of your own, to begin from.",
    "check": "Check definitions and tell every mistake.",
    "graph": "Draw a process.",
    "people": "Say who may come as a person.",
    "hook": "Answer a tool's hook from the state's permissions.",
}
"""Every command and its one line of help; each lives in a module of its name."""


@click.command(
    cls=Doors,
    package="saniwa.cli.gate",
    lines=_COMMANDS,
    epilog="""\b
Examples:
  saniwa gate create-run --process exploration --write-config
  saniwa gate state
  saniwa gate emit submit_hypothesis --expected-revision 1 --key hyp-001 \\
      --artifact hypothesis.md
  saniwa gate history last
""",
)
def gate() -> None:
    """Processes that nobody can talk their way past.

    A run stands in a state, and only events with their evidence move it. Wherever RUN
    is asked for, give its id, the beginning or end of it, or `last`; it may be left out
    where `create-run --write-config` has named one.
    """
