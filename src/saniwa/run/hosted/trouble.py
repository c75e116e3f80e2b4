"""What goes wrong between a host and its run, told with its cure."""

from saniwa.core.errors import RunError, StoreError
from saniwa.core.quoted import quoted
from saniwa.store.row import conflict


def stale(run: str, seen: int, current: int) -> StoreError:
    """The error for a request that has seen another revision."""
    return conflict(run, seen, current)


def under_way(run: str) -> StoreError:
    """The error for a request that another process is doing, and has not done."""
    return StoreError(
        "STORE_BUSY",
        f"another process is doing this very request to run {quoted(run)}",
        hint="send the same again, under the same key: it is done once",
        recoverable=True,
        details={"run": run},
    )


def another_request(key: str) -> StoreError:
    """The error for a key that stands for something else."""
    # As its sender knows it: doors that know who sends put a name before it.
    own = key.rpartition("/")[2]
    return StoreError(
        "IDEMPOTENCY_CONFLICT",
        f"the key {quoted(own)} was used for another request",
        hint="send another request under a key of its own",
        details={"key": own},
    )


def no_world(run: str) -> RunError:
    """The error for what needs a world, asked of a story that stands on none."""
    return RunError(
        "WORLD_MISSING",
        f"the run {quoted(run)} tells a story that stands on no world",
        hint="watch a run of a scenario, or of a story with a world",
        details={"run": run},
    )


def kept_by_the_trace(name: str) -> RunError:
    """The error for a save that belongs to a run's own trace."""
    return RunError(
        "SAVE_KEPT",
        f"the save {quoted(name)} stands in the run's own trace, which loses nothing",
        hint="save under the same name again to move it",
        details={"save": name},
    )
