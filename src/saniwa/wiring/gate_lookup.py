"""What a gate looks up itself: scenarios in the registry, runs in the store.

A report about them is compared with what is there. It is never believed.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import msgspec

from saniwa.core.errors import SaniwaError, StoreError
from saniwa.core.finding import Report
from saniwa.core.quoted import quoted
from saniwa.core.there import is_there
from saniwa.process.ports import EvidenceError
from saniwa.run.ports import Store
from saniwa.run.replay import replay
from saniwa.scenario.load import load
from saniwa.scenario.registry import inspect_registry
from saniwa.wiring.run_overview import summarize_run
from saniwa.wiring.scenario import (
    PROJECT_REGISTRY,
    find_entry,
    inspect_scenario,
    registry_place,
)
from saniwa.wiring.store import is_address, is_memory, open_store

DEFAULT_STORE = ".saniwa/saniwa.sqlite"
"""Where runs are kept, seen from the project, unless the environment says otherwise."""
_WHOLE_REGISTRY = "registry"
"""What `saniwa scenario check` without a name calls the registry in its report."""
_MOST_NAMED = 3

OpenStore = Callable[[], AbstractContextManager[Store]]
"""Opens the store of runs for reading."""


class SystemLookup:
    """Looks up scenarios and runs of this system."""

    def __init__(self, open_runs: OpenStore, find_registry: Callable[[], Path]) -> None:
        """Over a store and a registry; both are opened when they are needed."""
        self._open_runs = open_runs
        self._find_registry = find_registry

    def look_up(self, subject: str, report: object) -> str:
        """Compare a report with what it is about; what was found, in one sentence.

        Raises:
            EvidenceError: The report names something that does not exist, or says
                something else than what was found.
        """
        if not isinstance(report, Mapping):
            raise EvidenceError("it is no JSON object, so it reports nothing")
        checks: dict[str, Callable[[Mapping[str, Any]], str]] = {
            "scenario_check": self._check_scenarios,
            "run_log": self._read_run,
            "run_replay": self._replay_run,
        }
        if subject not in checks:
            raise EvidenceError(f"the gate cannot look up {quoted(subject)}")
        return checks[subject](report)

    def _check_scenarios(self, report: Mapping[str, Any]) -> str:
        listed = report.get("scenarios")
        if not isinstance(listed, list) or not listed:
            raise EvidenceError("it names no scenario under 'scenarios'")
        found = [self._check_scenario(each) for each in listed]
        errors = sum(len(inspected.errors) for _, inspected in found)
        warnings = sum(len(inspected.warnings) for _, inspected in found)
        _compare(report, {"errors": errors, "warnings": warnings}, "the check")
        named = "; ".join(told for told, _ in found[:_MOST_NAMED])
        more = f"; {len(found) - _MOST_NAMED} more" * (len(found) > _MOST_NAMED)
        return f"{named}{more}; 0 errors, {_count(warnings, 'warning')}"

    def _check_scenario(self, listed: object) -> tuple[str, Report]:
        name = _text_of(listed, "scenario")
        said = f"scenario {quoted(name)}"
        if name == _WHOLE_REGISTRY:
            said, inspected = "the registry", self._inspect_registry()
        else:
            with _refusals(f"{said} was looked up in the registry"):
                entry = find_entry(name, self._find_registry())
                inspected = inspect_scenario(entry).report
        for finding in inspected.errors:
            raise EvidenceError(
                f"the gate checked {said} and found "
                f"{_count(len(inspected.errors), 'error')}, first {finding.code}: "
                f"{finding.message}"
            )
        claimed = sorted(_codes_in(listed))
        actual = sorted((each.code, each.severity) for each in inspected.findings)
        if claimed != actual:
            raise EvidenceError(
                f"the gate checked {said} and found {_list_codes(actual)}; the report "
                f"lists {_list_codes(claimed)}"
            )
        if name == _WHOLE_REGISTRY:
            return said, inspected
        with _refusals(f"{said} was loaded from the registry"):
            told = f"{said} with hash {load(entry).scenario_hash} was checked"
        return told, inspected

    def _inspect_registry(self) -> Report:
        with _refusals("the registry was looked for"):
            return inspect_registry(self._find_registry()).report

    def _read_run(self, report: Mapping[str, Any]) -> str:
        run_id = _text_of(report, "run")
        with self._opened(run_id) as store:
            record = store.record(run_id)
            actual = summarize_run(record, store.turns(run_id))
        _compare(report, actual, f"run {quoted(run_id)}")
        name = record.scenario_id
        said = f"scenario {quoted(name)} of run {quoted(run_id)}"
        with _refusals(f"{said} was looked up in the registry"):
            current = load(find_entry(name, self._find_registry())).scenario_hash
        if current != record.scenario_hash:
            raise EvidenceError(
                f"{said} has the hash {current} in the registry; the run was played "
                f"with {record.scenario_hash}"
            )
        turns = _count(actual["turns"], "turn")
        return f"run {run_id} of scenario {quoted(name)} was read, {turns}"

    def _replay_run(self, report: Mapping[str, Any]) -> str:
        run_id = _text_of(report, "run")
        with self._opened(run_id) as store:
            result = replay(store, run_id)
        if result.first_difference is not None:
            raise EvidenceError(
                f"the gate replayed run {quoted(run_id)}, and "
                f"{quoted(result.first_difference.field)} of turn "
                f"{result.first_difference.turn} is not as it was recorded"
            )
        _compare(report, msgspec.to_builtins(result), f"run {quoted(run_id)}")
        turns = _count(result.turns_checked, "turn")
        return f"run {run_id} was replayed, {turns}, no difference"

    @contextmanager
    def _opened(self, run_id: str) -> Iterator[Store]:
        with (
            _refusals(f"run {quoted(run_id)} was looked up in the store of runs"),
            self._open_runs() as store,
        ):
            # A part of an id would do for a person; a report names a run in full.
            if store.find(run_id) != run_id:
                raise EvidenceError(f"there is no run {quoted(run_id)}")
            yield store


def lookup_at(
    project: Path,
    store: str | Path | None = None,
    registry: str | Path | None = None,
) -> SystemLookup:
    """The lookup of a project: its store and registry, as the commands find them.

    Both may be named; else the environment names them; else they are the project's own.
    """
    place = store or os.environ.get("SANIWA_STORE") or project / DEFAULT_STORE
    named = registry or os.environ.get("SANIWA_REGISTRY")
    own = project / PROJECT_REGISTRY

    def find_registry() -> Path:
        return registry_place(named or (own if own.exists() else None))

    return SystemLookup(lambda: _open_to_read(place), find_registry)


def lookup_in(
    store: Callable[[], Store], place: str | Path, registry: str | Path | None
) -> SystemLookup:
    """The lookup of a server: over its own store where that is memory, else beside it."""

    def open_runs() -> AbstractContextManager[Store]:
        return nullcontext(store()) if is_memory(place) else _open_to_read(place)

    return SystemLookup(open_runs, lambda: registry_place(registry))


def _open_to_read(place: str | Path) -> AbstractContextManager[Store]:
    if not is_address(place) and not is_there(Path(place)):
        raise StoreError("RUN_NOT_FOUND", "no run is kept here yet")
    return closing(open_store(place, mode="read"))


@contextmanager
def _refusals(looked_up: str) -> Iterator[None]:
    """Turns an error while looking something up into the refusal of the report."""
    try:
        yield
    except SaniwaError as problem:
        raise EvidenceError(f"{looked_up}: {problem.message}") from problem


def _compare(report: Mapping[str, Any], actual: Mapping[str, Any], what: str) -> None:
    """Every field that a report has in common with what was found must say the same.

    Raises:
        EvidenceError: One does not.
    """
    for name, value in actual.items():
        if name in report and report[name] != value:
            raise EvidenceError(
                f"it says {name} is {quoted(report[name])}; the gate looked at {what} "
                f"and found {quoted(value)}"
            )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _text_of(report: object, name: str) -> str:
    value = report.get(name) if isinstance(report, Mapping) else None
    if not isinstance(value, str) or not value:
        raise EvidenceError(f"it does not say which {name} it is about")
    return value


def _codes_in(listed: object) -> Iterator[tuple[str, str]]:
    found = listed.get("findings") if isinstance(listed, Mapping) else None
    for each in found if isinstance(found, list) else ():
        if isinstance(each, Mapping):
            yield str(each.get("code", "")), str(each.get("severity", ""))


def _list_codes(codes: Sequence[tuple[str, str]]) -> str:
    return quoted([code for code, _ in codes]) if codes else "no findings"
