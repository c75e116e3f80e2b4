"""A run in a few numbers, as `saniwa log RUN --json` prints them.

The gate compares reports of runs with the same numbers, so both come from here.
"""

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from saniwa.store.layout import RunRecord
    from saniwa.turn.trace import Turn


def summarize_run(record: "RunRecord", turns: "Iterable[Turn]") -> dict[str, Any]:
    """What a run is of, how long it is, what was refused, and where it ends."""
    refusals: Counter[str] = Counter()
    count, applied, fingerprint = 0, 0, ""
    for turn in turns:
        count += 1
        applied += len(turn.applied_actions)
        refusals.update(v.reason_code for v in turn.validation_results if not v.success)
        fingerprint = turn.world_after
    return {
        "run": record.run_id,
        "scenario": record.scenario_id,
        "scenarioHash": record.scenario_hash,
        "worldHash": record.world_hash,
        "language": record.language,
        "seed": record.seed,
        "created": format_moment(record.created),
        "turns": count,
        "applied": applied,
        "refused": dict(sorted(refusals.items())),
        "fingerprint": fingerprint,
    }


def format_moment(milliseconds: int) -> str:
    """A moment as ISO 8601 in UTC; one that no calendar has, as milliseconds."""
    try:
        moment = datetime.fromtimestamp(milliseconds / 1000, tz=UTC)
    except (OverflowError, ValueError, OSError):
        return f"{milliseconds} ms"
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
