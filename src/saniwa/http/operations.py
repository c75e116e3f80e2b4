"""The table of all operations of the API."""

import msgspec

from saniwa.core.errors import ProtocolError
from saniwa.core.extras import require_packages
from saniwa.http.contract import Operation
from saniwa.http.routes import (
    authoring,
    experiment_cells,
    experiment_results,
    experiments,
    gate_events,
    gate_runs,
    inspection,
    library,
    playing,
    processes,
    rulebooks,
    runs,
    session,
    tables,
)

_ROUTES = (
    session, library, runs, playing, experiments, experiment_results, experiment_cells,
    inspection, rulebooks, tables, processes, gate_runs, gate_events, authoring,
)  # fmt: skip
OPERATIONS: tuple[Operation, ...] = tuple(
    each for module in _ROUTES for each in vars(module).values() if isinstance(each, Operation)
)
"""The table; its order is the order of the OpenAPI document."""


def render_openapi() -> str:
    """Render the OpenAPI document, indented.

    Raises:
        ProtocolError: `EXTRA_MISSING`.
    """
    require_packages("starlette", extra="serve", what="the HTTP door needs", kind=ProtocolError)
    from saniwa.http.openapi import build_document

    content = msgspec.json.encode(build_document(OPERATIONS), order="sorted")
    return msgspec.json.format(content, indent=2).decode()
