"""The table of operations: everything that a workspace can be asked, at any door.

HTTP routes, the OpenAPI document, the TypeScript client, the JSON lines of a host and
the tools of MCP are made from it. An operation names the doors that offer it.
"""

from types import ModuleType

from saniwa.app.operations import (
    agent_oversight,
    authoring,
    experiment_cells,
    experiment_results,
    game_tables,
    gate_events,
    gate_runs,
    library,
    playing,
    rulebooks,
    run_inspection,
    runs,
)
from saniwa.app.operations.operation import Operation


def list_operations(*modules: ModuleType) -> tuple[Operation, ...]:
    """Return the operations that modules define, in their order."""
    found = (each for module in modules for each in vars(module).values())
    return tuple(each for each in found if isinstance(each, Operation))


OPERATIONS = list_operations(
    library, runs, playing, experiment_results, experiment_cells,
    run_inspection, rulebooks, agent_oversight, game_tables, gate_runs, gate_events, authoring,
)  # fmt: skip
"""The table; its order is the order of the OpenAPI document."""
