"""Check child runs: their names, their processes, and joins that cannot be met."""

from collections.abc import Callable, Iterator

from saniwa.core.text import quote_value
from saniwa.documents.finding_collector import Findings, KeyPath
from saniwa.process.definition import ChildDefinition, ChildrenGuard, LaneDefinition, Process
from saniwa.process.draft import LaneDraft, PlacedPart, ProcessDraft, enumerate_names
from saniwa.process.lint.guards import list_inner_guards
from saniwa.process.lint.names import check_reference

ChildFinder = Callable[[str], "Process | tuple[str, ...] | None"]
"""Finds a process; None if it has errors, all known ids if there is none of that id."""
PlacedChild = PlacedPart[ChildDefinition] | PlacedPart[LaneDefinition]


def _list_groups(draft: ProcessDraft) -> Iterator[tuple[str, PlacedChild]]:
    """Yield every child and lane, with the state that begins it."""
    for state in draft.every_state:
        for part in state.inner:
            yield state.part.name, part.lane if isinstance(part, LaneDraft) else part


def check_children(page: Findings, draft: ProcessDraft) -> None:
    """Report names that clash or are unknown, joins that cannot be met, and idle children."""
    groups: dict[str, PlacedChild] = {}
    for _, placed in _list_groups(draft):
        if groups.setdefault(placed.part.name, placed) is not placed:
            page.report("DUPLICATE_CHILD_NAME", placed.find_path("name"), name=placed.part.name)
    if draft.partial.isdisjoint(("states",)):
        for guard in draft.guards.values():
            if isinstance(guard.part, ChildrenGuard):
                _check_guard(page, guard, guard.part, groups)
        _check_waiting(page, draft)


def _check_guard(
    page: Findings, placed: PlacedPart[object], guard: ChildrenGuard, groups: dict[str, PlacedChild]
) -> None:
    for nth, name in enumerate_names(guard.names):
        path = placed.find_path("names", nth)
        check_reference(page, "INVALID_CHILD_REFERENCE", "child or lane", name, groups, path)
    parts = [groups[name].part for name in guard.names if name in groups]
    counts = [_count_runs(part) for part in parts]
    most = sum(count for count in counts if count is not None)
    known = bool(parts) and None not in counts and len(parts) == len(guard.names)
    if guard.condition == "count" and known and guard.min_count > most:
        page.report(
            "JOIN_UNMEETABLE/count", placed.find_path("min_count"), least=guard.min_count, most=most
        )
    lanes = [part for part in parts if isinstance(part, LaneDefinition)]
    if known and len(lanes) == len(parts):
        ends = {state.name for lane in lanes for state in lane.states if state.is_final}
        _check_ends(page, placed, guard, ends)


def _count_runs(part: ChildDefinition | LaneDefinition) -> int | None:
    """Return how many runs are begun; None if a variable says it."""
    if isinstance(part, LaneDefinition):
        return 1
    return None if part.each else part.count


def _check_ends(
    page: Findings, placed: PlacedPart[object], guard: ChildrenGuard, ends: set[str]
) -> None:
    for nth, name in enumerate_names(guard.ended_in):
        if name not in ends:
            page.report(
                "JOIN_UNMEETABLE/state",
                placed.find_path("ended_in", nth),
                hint=page.suggest_nearest(name, ends),
                name=name,
                ends=", ".join(sorted(ends)),
            )


def _check_waiting(page: Findings, draft: ProcessDraft) -> None:
    """Report states that wait for child runs they do not begin, or begin idle ones."""
    begun: dict[str, list[PlacedChild]] = {}
    for state, placed in _list_groups(draft):
        begun.setdefault(state, []).append(placed)
    for level in (draft, *draft.lanes):
        for way in level.transitions:
            source = way.part.source
            if way.part.when and source not in begun and not _names_children(draft, way.part.guard):
                page.report("JOIN_UNMEETABLE/none", way.find_path("when"), source=source)
    if "transitions" in draft.partial or set(draft.guards) != draft.guard_names:
        return
    waited = {way.part.source for way in draft.every_transition if way.part.when}
    named = {
        name
        for guard in draft.guards.values()
        if isinstance(guard.part, ChildrenGuard)
        for name in guard.part.names
    }
    finals = {state.part.name for state in draft.every_state if state.part.is_final}
    for state, parts in begun.items():
        for placed in parts if state not in waited | finals else ():
            if placed.part.name not in named:
                path, name = placed.find_path("name"), placed.part.name
                page.report("CHILDREN_UNUSABLE/unawaited", path, name=name, state=state)


def _names_children(draft: ProcessDraft, name: str, depth: int = 20) -> bool:
    """Whether a guard names child runs of an earlier state."""
    placed = draft.guards.get(name)
    if placed is None or depth <= 0:
        return name != "" and placed is None
    if isinstance(placed.part, ChildrenGuard):
        return placed.part.names != ()
    inner = list_inner_guards(placed.part)
    return any(_names_children(draft, each, depth - 1) for each in inner)


def check_child_processes(page: Findings, draft: ProcessDraft, find: ChildFinder) -> None:
    """Report processes that do not exist, begin themselves, or never end as awaited."""
    own = str(draft.header.get("process_id", ""))
    ends: dict[str, set[str]] = {}
    for _, placed in _list_groups(draft):
        part = placed.part
        if isinstance(part, LaneDefinition):
            ends[part.name] = {state.name for state in part.states if state.is_final}
            continue
        path = placed.find_path("process")
        found = find(part.process) if part.process != own else None
        if part.process == own or (isinstance(found, Process) and _begins(found, own, find)):
            page.report("CHILD_CYCLE", path, process=part.process, own=own)
        elif isinstance(found, Process):
            ends[part.name] = {state.name for state in found.states if state.is_final}
        else:
            _report_unknown(page, part.process, found, path)
    for guard in draft.guards.values():
        names = guard.part.names if isinstance(guard.part, ChildrenGuard) else ()
        if isinstance(guard.part, ChildrenGuard) and names and ends.keys() >= {*names}:
            states = set[str]().union(*(ends[name] for name in names))
            _check_ends(page, guard, guard.part, states)


def _report_unknown(
    page: Findings, process: str, known: tuple[str, ...] | None, path: KeyPath
) -> None:
    if known is None:
        page.report("INVALID_CHILD_PROCESS/errors", path, process=process)
        return
    hint = page.suggest_nearest(process, known)
    hint = hint or f"there are: {', '.join(map(quote_value, known[:20]))}"
    page.report("INVALID_CHILD_PROCESS", path, hint=hint, process=process)


def _begins(process: Process, wanted: str, find: ChildFinder) -> bool:
    """Whether a process begins another, at any depth."""
    seen: set[str] = set()
    waiting = [process]
    while waiting:
        states = list(waiting.pop().states)
        states += [inner for state in states for lane in state.lanes for inner in lane.states]
        for child in {each.process for state in states for each in state.children} - seen:
            seen.add(child)
            found = find(child)
            waiting += [found] if isinstance(found, Process) else []
    return wanted in seen
