"""Find runs by process, state, variables, time and person."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from saniwa.core.clock import parse_timestamp
from saniwa.core.errors import ProcessError, StoreError
from saniwa.process import describe
from saniwa.process.event_record import EventRecord
from saniwa.process.ports import GateLog
from saniwa.process.run_state import ProcessRun


class RunFilter(msgspec.Struct, frozen=True, kw_only=True):
    """What a run must be like; empty fields ask for nothing."""

    process_id: str = ""
    """Its process."""
    state: str = ""
    """Its state."""
    variables: Mapping[str, Any] = {}
    """Values that its variables have."""
    since: int | None = None
    """Its last event was then or later, in milliseconds since 1970."""
    until: int | None = None
    """Its last event was before."""
    person: str = ""
    """Who sent at least one of its events: a person's name, or an agent's."""
    parent: str = ""
    """The run that began it."""

    @property
    def is_empty(self) -> bool:
        """Whether every run fits."""
        return self == RunFilter()

    def fits(self, run: ProcessRun, log: GateLog) -> bool:
        """Whether a run is as asked; its log is read only for the question by whom.

        Raises:
            StoreError: The log cannot be trusted.
        """
        missing = object()
        return (
            self.process_id in ("", run.opening.process_id)
            and self.state in ("", run.state)
            and (self.since is None or run.updated >= self.since)
            and (self.until is None or run.updated < self.until)
            and all(run.variables.get(k, missing) == v for k, v in self.variables.items())
            and (not self.parent or _is_child_of(run, self.parent))
            and (not self.person or self._has_author(run.run_id, log))
        )

    def _has_author(self, run_id: str, log: GateLog) -> bool:
        return any(
            entry.author.id == self.person
            for entry in log.read_entries(run_id)
            if isinstance(entry, EventRecord)
        )


def build_run_filter(
    *,
    now: int,
    process_id: str = "",
    state: str = "",
    variables: Iterable[str] = (),
    since: str = "",
    until: str = "",
    person: str = "",
    parent: str = "",
) -> RunFilter:
    """Build a filter from texts: `NAME=VALUE`, and times such as `2026-01-31` or `48h` ago.

    Raises:
        ProcessError: `SEARCH_UNUSABLE`: one of them cannot be read.
    """
    return RunFilter(
        process_id=process_id,
        state=state,
        variables=dict(map(_parse_variable, variables)),
        since=_parse_moment(since, now),
        until=_parse_moment(until, now),
        person=person,
        parent=parent,
    )


def _is_child_of(run: ProcessRun, parent: str) -> bool:
    link = run.opening.parent
    return link is not None and link.run_id == parent


def find_last_run(log: GateLog) -> str:
    """Return the id of the newest run that a caller began; empty if there is none.

    A run that cannot be read counts, so that it is noticed.
    """
    for run_id in sorted(log.list_runs(), reverse=True):
        try:
            if log.load_run(run_id).opening.parent is None:
                return run_id
        except StoreError:
            return run_id
    return ""


def _parse_variable(text: str) -> tuple[str, Any]:
    """Split a question for a variable; what is no JSON value is a text."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise describe("SEARCH_UNUSABLE/variable", text=text).to_error(ProcessError)
    try:
        return name, msgspec.json.decode(value)
    except msgspec.DecodeError:
        return name, value


def _parse_moment(text: str, now: int) -> int | None:
    if not text:
        return None
    # Imported late: only searches for a time need the readers of process files.
    from saniwa.process.definition_part_readers import parse_duration

    ago = parse_duration(text)
    if ago is not None:
        return now - ago
    try:
        return parse_timestamp(text)
    except ValueError as problem:
        raise describe("SEARCH_UNUSABLE/time", text=text).to_error(ProcessError) from problem
