"""A run in one line, for lists of many."""

import msgspec

from saniwa.process.record import timestamp
from saniwa.process.standing import Standing


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """A run in one line, under the published names."""

    run_id: str
    """The run."""
    process_id: str
    """Its process."""
    current_state: str
    """Where it stands."""
    revision: int
    """How many events there were."""
    created_at: str
    """When it began."""
    updated_at: str
    """When the last event was."""


def summary_of(standing: Standing) -> Summary:
    """The line of a run as it stands."""
    return Summary(
        run_id=standing.run_id,
        process_id=standing.opening.process_id,
        current_state=standing.state,
        revision=standing.revision,
        created_at=timestamp(standing.created),
        updated_at=timestamp(standing.updated),
    )
