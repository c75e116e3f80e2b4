"""How every operation asks the gate: as its caller, and as nobody else."""

from collections.abc import Callable
from typing import Final, TypeVar

from saniwa.api.operation import Call
from saniwa.process.gate import Gate

Given = TypeVar("Given")

RUN: Final = {"run": "run-019471a2-7c8d-7000-8000-000000000001"}
"""What could stand in a path."""
UNREAD: Final = ("RUN_NOT_FOUND", "LOCK_TIMEOUT")
"""What keeps a run from being looked at."""


async def asked(call: Call, ask: Callable[[Gate], Given]) -> Given:
    """What the gate says to whoever calls.

    Raises:
        SaniwaError: Whatever the gate raises.
    """
    caller = call.caller
    return await call.garden.gates.ask(caller.visitor, caller.person, ask)
