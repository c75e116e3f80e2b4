"""The child runs of a run, as its own log has them: their ids, and whether they let it on.

Reads no log: the ends of child runs have been recorded in the run that waits for them.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import msgspec

from saniwa.core.text import quote_value
from saniwa.process.artifact import encode_content
from saniwa.process.definition import ChildrenGuard
from saniwa.process.event_record import ChildEnd, LogEntry, LogNote, ParentLink
from saniwa.process.run_state import ChildGroup, ProcessRun

DEEPEST_CHILD = 8
"""How many runs may be above a run: it bounds processes that begin themselves."""
MOST_REPORTED = 1_000
"""Most child runs that the report of a join names one by one."""
ANY_CHILDREN = ChildrenGuard()
"""The guard of a transition that waits for child runs and names no guard."""


def derive_child_id(run_id: str, group: ChildGroup, number: int) -> str:
    """Return the id of a child run: the same whenever it is asked for.

    It has the form of a UUIDv7: when the group was begun, the number, and a hash of run,
    revision, name and number.
    """
    name = f"{run_id}:{group.revision}:{group.batch.name}:{number}"
    rest = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") >> 2
    value = (group.at & 0xFFFFFFFFFFFF) << 80 | 7 << 76 | (number & 0xFFF) << 64 | 2 << 62 | rest
    text = f"{value:032x}"
    return f"run-{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def make_link(run: ProcessRun, group: ChildGroup, number: int) -> ParentLink:
    """Return what a child run's first record says of the run that began it."""
    above = run.opening.parent
    return ParentLink(
        run_id=run.run_id,
        revision=group.revision,
        name=group.batch.name,
        number=number,
        depth=above.depth + 1 if above else 1,
    )


def list_child_ids(run_id: str, entries: Iterable[LogEntry]) -> Iterator[str]:
    """Yield the ids of all child runs that a run has begun, from its log."""
    for entry in entries:
        if isinstance(entry, LogNote) and entry.children is not None:
            group = ChildGroup(batch=entry.children, revision=entry.revision, at=entry.at)
            for number in range(group.batch.count):
                yield derive_child_id(run_id, group, number)


def list_open_children(run: ProcessRun) -> Iterator[tuple[ChildGroup, int, str]]:
    """Yield the child runs of the current state whose end is not recorded."""
    for group in run.list_current_children().values():
        for number in range(group.batch.count):
            if number not in group.ended:
                yield group, number, derive_child_id(run.run_id, group, number)


class ChildGroupState(msgspec.Struct, frozen=True, kw_only=True):
    """The child runs that one state started under one name."""

    name: str
    """Their name, as guards use it."""
    process_id: str
    """Their process."""
    is_lane: bool
    """Whether it is a lane of the process itself."""
    total: int
    """How many were started."""
    ended: int
    """How many have ended."""
    ended_in: dict[str, int]
    """How many ended in each state."""
    open_runs: tuple[str, ...]
    """The first twenty runs that have not ended."""
    problem: str = ""
    """Why they could not be started."""


_MOST_OPEN = 20


def list_child_groups(run: ProcessRun) -> tuple[ChildGroupState, ...]:
    """List the child runs that were begun last under each name."""
    return tuple(
        ChildGroupState(
            name=name,
            process_id=group.batch.process_id,
            is_lane=group.batch.is_lane,
            total=group.batch.count,
            ended=len(group.ended),
            ended_in=dict(Counter(each.state for each in group.ended.values())),
            open_runs=tuple(
                islice(
                    (
                        derive_child_id(run.run_id, group, number)
                        for number in range(group.batch.count)
                        if number not in group.ended
                    ),
                    _MOST_OPEN,
                )
            ),
            problem=group.problem,
        )
        for name, group in run.children.items()
    )


def _find_groups(
    run: ProcessRun, guard: ChildrenGuard, declared: Iterable[str] = ()
) -> dict[str, ChildGroup | None]:
    if not guard.names:
        return dict.fromkeys(declared) | run.list_current_children()
    return {name: run.children.get(name) for name in guard.names}


def explain_open_children(run: ProcessRun, guard: ChildrenGuard, declared: Iterable[str]) -> str:
    """Say which child runs a guard still waits for; empty if it holds.

    `declared` are the names of the child runs that the current state begins: those that a
    guard without names waits for, whether or not they have been begun.
    """
    total = fit = 0
    told: list[str] = []
    for name, group in _find_groups(run, guard, declared).items():
        if group is None:
            return f"needs child runs {quote_value(name)}, but none were started"
        if group.problem:
            return f"the child runs {quote_value(name)} could not be started: {group.problem}"
        total += group.batch.count
        fit += _count_fitting(group.ended.values(), guard)
        told.append(_describe_group(name, group))
    wanted = {"all": total, "any": 1}.get(guard.condition, guard.min_count)
    if fit >= wanted:
        return ""
    where = f" in {' or '.join(map(quote_value, guard.ended_in))}" if guard.ended_in else ""
    runs = "child run" if wanted == 1 else "child runs"
    return f"needs {wanted} {runs} that ended{where}, but has {fit}: {', '.join(told)}"


def _count_fitting(ended: Iterable[ChildEnd], guard: ChildrenGuard) -> int:
    return sum(not guard.ended_in or each.state in guard.ended_in for each in ended)


def _describe_group(name: str, group: ChildGroup) -> str:
    states = Counter(each.state for each in group.ended.values())
    ends = ", ".join(f"{count} in {quote_value(state)}" for state, count in sorted(states.items()))
    ended = f"{len(group.ended)} of {group.batch.count} {quote_value(name)} ended"
    return f"{ended} ({ends})" if ends else ended


def report_children(run: ProcessRun, guard: ChildrenGuard) -> dict[str, Any]:
    """Return what the gate found out about the child runs of a guard that holds."""
    groups = {name: each for name, each in _find_groups(run, guard).items() if each}
    runs = [
        {
            "run_id": derive_child_id(run.run_id, group, end.number),
            "name": name,
            "state": end.state,
            "revision": end.revision,
            "digest": end.digest,
        }
        for name, group in groups.items()
        for _, end in sorted(group.ended.items())
    ]
    found = "; ".join(_describe_group(name, group) for name, group in groups.items())
    digest = hashlib.sha256(encode_content(runs)).hexdigest()
    return {
        "found": found or "no child runs were started",
        "runs": runs[:MOST_REPORTED],
        "runs_digest": digest,
    }
