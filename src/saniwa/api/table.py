"""Everything that can be asked, in one table."""

from saniwa.api.operation import Operation
from saniwa.api.rooms import (
    about,
    experiments,
    gate,
    playing,
    processes,
    rulebooks,
    runs,
    saves,
    scenarios,
    stories,
    tables,
    watching,
    writing,
)

OPERATIONS: tuple[Operation, ...] = (
    *about.OPERATIONS,
    *scenarios.OPERATIONS,
    *stories.OPERATIONS,
    *runs.OPERATIONS,
    *playing.OPERATIONS,
    *saves.OPERATIONS,
    *experiments.OPERATIONS,
    *watching.OPERATIONS,
    *rulebooks.OPERATIONS,
    *tables.OPERATIONS,
    *processes.OPERATIONS,
    *gate.OPERATIONS,
    *writing.OPERATIONS,
)
"""The table; its order is the order of the OpenAPI document."""
