"""The table of all operations of the API."""

import msgspec

from saniwa.core.errors import ProtocolError
from saniwa.core.extras import require_packages
from saniwa.http.contract import Operation
from saniwa.http.routes import (
    drafts,
    experiment_cells,
    experiment_measures,
    experiment_report,
    experiment_turns,
    experiments,
    gate_events,
    gate_runs,
    inspection,
    playing,
    processes,
    rulebooks,
    runs,
    scenarios,
    session,
    stories,
    tables,
)

EXPERIMENT_OPERATIONS = (
    *experiments.EXPERIMENT_LIST_OPERATIONS,
    *experiment_measures.MEASURE_OPERATIONS,
    *experiment_report.REPORT_OPERATIONS,
    *experiment_cells.CELL_OPERATIONS,
    *experiment_turns.CELL_TURN_OPERATIONS,
    *experiment_report.COMPARISON_OPERATIONS,
)
"""All operations on experiments."""


GATE_OPERATIONS: tuple[Operation, ...] = (
    *gate_runs.GATE_LIST_OPERATIONS,
    *gate_runs.GATE_RUN_OPERATIONS,
    *gate_events.GATE_EVENT_OPERATIONS,
    *gate_events.GATE_HISTORY_OPERATIONS,
    *gate_events.GATE_EVIDENCE_OPERATIONS,
)
"""All operations of the gate."""


AUTHORING_OPERATIONS = (
    *drafts.DRAFT_OPERATIONS,
    *stories.STORY_TEXT_OPERATIONS,
    *scenarios.SCENARIO_TEXT_OPERATIONS,
)


OPERATIONS: tuple[Operation, ...] = (
    *session.SESSION_OPERATIONS,
    *scenarios.SCENARIO_OPERATIONS,
    *stories.STORY_OPERATIONS,
    *runs.RUN_OPERATIONS,
    *playing.PLAYING_OPERATIONS,
    *playing.SAVE_OPERATIONS,
    *EXPERIMENT_OPERATIONS,
    *inspection.INSPECTION_OPERATIONS,
    *rulebooks.RULEBOOK_OPERATIONS,
    *tables.TABLE_OPERATIONS,
    *processes.PROCESS_OPERATIONS,
    *GATE_OPERATIONS,
    *AUTHORING_OPERATIONS,
)
"""The table; its order is the order of the OpenAPI document."""


def render_openapi() -> str:
    """Render the OpenAPI document, indented.

    Raises:
        ProtocolError: `EXTRA_MISSING`.
    """
    require_packages("starlette", extra="serve", what="the HTTP door needs", kind=ProtocolError)
    from saniwa.http.openapi import build_document
    from saniwa.http.operations import OPERATIONS

    content = msgspec.json.encode(build_document(OPERATIONS), order="sorted")
    return msgspec.json.format(content, indent=2).decode()
