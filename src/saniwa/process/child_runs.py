"""Begins child runs, and records their ends in the runs that wait for them.

Every step can be repeated: ids are derived, a run is created once, an end is recorded
once. So a crash between two steps neither loses nor doubles a child run.
"""

from collections.abc import Mapping
from typing import Any

from saniwa.core.clock import Clock
from saniwa.core.errors import ProcessError, StoreError
from saniwa.core.ids import Ids
from saniwa.core.text import quote_value
from saniwa.process.artifact import Author
from saniwa.process.child_groups import (
    DEEPEST_CHILD,
    derive_child_id,
    list_open_children,
    make_link,
)
from saniwa.process.definition import (
    CREATED,
    MOST_CHILDREN,
    ChildDefinition,
    LaneDefinition,
    Process,
    build_lane_process,
)
from saniwa.process.definition_index import ProcessIndex, ProcessIndexCache
from saniwa.process.event_record import ChildBatch, ChildEnd, EventRecord, LogNote, RunOpening
from saniwa.process.ports import GateLog, ProcessLibrary
from saniwa.process.review import digest_review
from saniwa.process.run_state import ChildGroup, ProcessRun
from saniwa.process.variable_checks import build_first_variables

GATE_AUTHOR = Author("system", "gate")
"""The author of the first record of a child run."""


class UnfitChildrenError(Exception):
    """Why child runs cannot be begun; becomes a failed note, never an error."""


class ChildRuns:
    """The child runs of a log's runs."""

    def __init__(
        self,
        log: GateLog,
        library: ProcessLibrary,
        indexes: ProcessIndexCache,
        clock: Clock,
        ids: Ids,
    ) -> None:
        self._log = log
        self._library = library
        self._indexes = indexes
        self._clock = clock
        self._ids = ids

    def begin(
        self, run: ProcessRun, index: ProcessIndex, part: ChildDefinition | LaneDefinition
    ) -> tuple[str, bool]:
        """Begin the child runs that a state asks for; return what happened, and if it failed.

        The definition and the number of runs are recorded before the first run is
        created. If a crash comes in between, the next call creates what is missing.

        Raises:
            StoreError: It could not be written; the next caller goes on.
        """
        group = run.children.get(part.name)
        if group is not None and group.revision == run.revision and group.problem:
            return f"children {part.name}: {group.problem}", True
        try:
            batch, process, values = self._plan(run, index, part)
            if group is None or group.revision != run.revision:
                group = self._record_batch(run, batch, process)
            for number, variables in enumerate(values[: group.batch.count]):
                self._create(run, group, number, variables)
        except UnfitChildrenError as problem:
            batch = ChildBatch(name=part.name, process_id=getattr(part, "process", ""))
            self._append_note(run, children=batch, message=str(problem), failed=True)
            return f"children {part.name}: {problem}", True
        runs = f"{group.batch.count} run{'s' * (group.batch.count != 1)}"
        return f"children {part.name}: began {runs} of {group.batch.process_id}", False

    def _plan(
        self, run: ProcessRun, index: ProcessIndex, part: ChildDefinition | LaneDefinition
    ) -> tuple[ChildBatch, ProcessIndex, list[dict[str, Any]]]:
        """Return what is to be begun, with the first variables of each run."""
        above = run.opening.parent
        if above is not None and above.depth >= DEEPEST_CHILD:
            raise UnfitChildrenError(f"child runs are already nested {DEEPEST_CHILD} deep")
        if isinstance(part, LaneDefinition):
            # The run's own variables, which its own schema has allowed.
            lane = self._find_index(run, part.name, build_lane_process(index.process, part))
            return _make_batch(part, lane, 1), lane, [dict(run.variables)]
        try:
            known = self._find_index(run, part.name, part.process)
            values = [build_first_variables(known, each) for each in list_first_values(part, run)]
        except ProcessError as problem:
            raise UnfitChildrenError(f"{problem.code}: {problem.message}") from problem
        return _make_batch(part, known, len(values)), known, values

    def _find_index(self, run: ProcessRun, name: str, process: str | Process) -> ProcessIndex:
        """Return the definition on which the runs are begun: after a crash, the same."""
        group = run.children.get(name)
        if group is not None and group.revision == run.revision and group.batch.definition:
            return self._indexes.load_index(group.batch.definition)
        found = self._library.find(process) if isinstance(process, str) else process
        return self._indexes.add_index(ProcessIndex(found))

    def _record_batch(self, run: ProcessRun, batch: ChildBatch, index: ProcessIndex) -> ChildGroup:
        self._log.store_definition(index.process)
        self._append_note(run, children=batch, message=f"{batch.count} of {batch.process_id} begin")
        group = self._log.load_run(run.run_id).children.get(batch.name)
        if group is None or group.revision != run.revision:
            raise UnfitChildrenError("the run changed in the meantime")
        return group

    def _append_note(self, run: ProcessRun, **fields: Any) -> None:
        note = LogNote(revision=run.revision, at=self._clock.now(), about="children", **fields)
        with self._log.lock_run(run.run_id) as passage:
            known = passage.run.children.get(fields["children"].name)
            # Another caller may have recorded it in the meantime.
            if passage.run.revision == run.revision and (
                known is None or known.revision != run.revision
            ):
                passage.append_note(note)

    def _create(
        self, run: ProcessRun, group: ChildGroup, number: int, variables: Mapping[str, Any]
    ) -> None:
        index = self._indexes.load_index(group.batch.definition)
        process, above = index.process, run.opening
        lane = group.batch.is_lane
        opening = RunOpening(
            process_id=process.process_id,
            process_version=process.version,
            definition=index.hash,
            folder=above.folder if lane else "",
            home=run.home if lane else "",
            parent=make_link(run, group, number),
        )
        record = EventRecord(
            revision=1,
            at=self._clock.now(),
            state=process.initial_state,
            event=CREATED,
            event_id=self._ids.create_id("evt"),
            role=GATE_AUTHOR.id,
            author=GATE_AUTHOR,
            variables=dict(variables),
            opening=opening,
        )
        run_id = derive_child_id(run.run_id, group, number)
        try:
            self._log.create(run_id, record, process)
        except StoreError as problem:
            if problem.code != "RUN_EXISTS":
                raise
            self._check_own(run_id, run, group, number)

    def _check_own(
        self, run_id: str, run: ProcessRun, group: ChildGroup, number: int
    ) -> ProcessRun:
        """Return a child run, if it is the one that was begun here.

        Raises:
            UnfitChildrenError: Another run has its id.
        """
        found = self._log.load_run(run_id)
        if found.opening.parent != make_link(run, group, number):
            raise UnfitChildrenError(f"{run_id} is another run")
        return found

    def record_ends(self, run_id: str) -> None:
        """Look at the child runs of a run whose end is not recorded; record it.

        Raises:
            StoreError: A log cannot be read or written.
        """
        run = self._log.load_run(run_id)
        for group, number, child_id in list_open_children(run):
            try:
                child = self._check_own(child_id, run, group, number)
            except UnfitChildrenError:
                continue  # `verify` names it
            except StoreError as problem:
                if problem.code != "RUN_NOT_FOUND":
                    raise
                continue
            end = self._find_end(child)
            if end is not None:
                self._record_end(run_id, run.entered_at, end)

    def _find_end(self, child: ProcessRun) -> ChildEnd | None:
        link = child.opening.parent
        if link is None or not self._indexes.load_index_for(child).get_state(child.state).is_final:
            return None
        return ChildEnd(
            name=link.name,
            number=link.number,
            state=child.state,
            revision=child.revision,
            digest=digest_review(child),
        )

    def report_end(self, child: ProcessRun) -> str:
        """Record the end of a child run in its parent; return the parent that waits.

        Empty if the run has no parent, has not ended, or its parent does not wait.

        Raises:
            StoreError: A log cannot be read or written.
        """
        link = child.opening.parent
        if link is None or (end := self._find_end(child)) is None:
            return ""
        return link.run_id if self._record_end(link.run_id, link.revision, end) else ""

    def _record_end(self, run_id: str, revision: int, end: ChildEnd) -> bool:
        """Record an end once; whether it was recorded now."""
        with self._log.lock_run(run_id) as passage:
            run = passage.run
            group = run.list_current_children().get(end.name)
            if group is None or group.revision != revision or end.number in group.ended:
                return False
            child_id = derive_child_id(run_id, group, end.number)
            note = LogNote(
                revision=run.revision,
                at=self._clock.now(),
                about="child",
                message=f"{end.name} {end.number + 1}: {child_id} ended in {end.state}",
                ended=end,
            )
            passage.append_note(note)
            return True

    def explain_closed(self, run: ProcessRun) -> str:
        """Say why a child run cannot go on: a run above it went on; empty if it can.

        Raises:
            StoreError: The log of a run above it cannot be read.
        """
        link = run.opening.parent
        while link is not None:
            try:
                above = self._log.load_run(link.run_id)
            except StoreError as problem:
                if problem.code != "RUN_NOT_FOUND":
                    raise
                return f"its parent {link.run_id} no longer exists"
            if above.entered_at != link.revision:
                return f"its parent {link.run_id} has left the state that started it"
            link = above.opening.parent
        return ""


def _make_batch(
    part: ChildDefinition | LaneDefinition, index: ProcessIndex, count: int
) -> ChildBatch:
    return ChildBatch(
        name=part.name,
        process_id=index.process.process_id,
        definition=index.hash,
        count=count,
        is_lane=isinstance(part, LaneDefinition),
    )


def list_first_values(part: ChildDefinition, run: ProcessRun) -> list[dict[str, Any]]:
    """List the variables that each child run is given.

    Raises:
        UnfitChildrenError: `each` names no list, or one that is too long.
    """
    variables = run.variables
    given = {name: variables[name] for name in part.copied if name in variables} | part.variables
    if not part.each:
        return [given] * part.count
    items = variables.get(part.each)
    if not isinstance(items, list):
        raise UnfitChildrenError(f"the variable {quote_value(part.each)} is not a list")
    if len(items) > MOST_CHILDREN:
        raise UnfitChildrenError(f"{len(items)} runs are more than {MOST_CHILDREN}")
    return [given | {part.item_variable: item} for item in items]
