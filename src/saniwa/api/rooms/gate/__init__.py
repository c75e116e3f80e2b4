"""The gate: runs of processes, what is missing, evidence, decisions, history."""

from saniwa.api.operation import Operation
from saniwa.api.rooms.gate import board, evidence, history, looking, sending

OPERATIONS: tuple[Operation, ...] = (
    *board.OPERATIONS,
    *looking.OPERATIONS,
    *sending.OPERATIONS,
    *history.OPERATIONS,
    *evidence.OPERATIONS,
)
"""Everything that can be asked of the gate."""
