"""Compares reports with what they are about: the registry of scenarios and the run store.

A report is never trusted. Guards of kind `check` are passed on to `check_runner`.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from saniwa.app import describe
from saniwa.app.gate.check_runner import ProjectChecks
from saniwa.app.gate.configuration import GatePlaces, locate_gate, read_check_commands
from saniwa.app.gate.port_adapters import make_signature_verifier
from saniwa.app.run_stores import is_address, is_memory, open_store, summarize_run
from saniwa.app.scenario_lookup import (
    PROJECT_REGISTRY,
    find_entry,
    inspect_scenario,
    load_book_layers,
    locate_registry,
)
from saniwa.core.errors import SaniwaError, StoreError
from saniwa.core.findings import Report
from saniwa.core.path_checks import does_path_exist
from saniwa.core.text import quote_value
from saniwa.process.definition import CheckGuard
from saniwa.process.ports import CheckOutcome, EvidenceError
from saniwa.rulebook.loader import build_rulebook
from saniwa.runs.ports import RunStore
from saniwa.runs.replay import replay_run
from saniwa.scenario.loader import load_scenario
from saniwa.scenario.registry import inspect_registry

DEFAULT_STORE = ".saniwa/saniwa.sqlite"
"""The run store, relative to the project, unless the environment names another."""
_WHOLE_REGISTRY = "registry"
"""The name of the whole registry in a report of `saniwa scenario check`."""
_MOST_NAMED = 3
StoreOpener = Callable[[], AbstractContextManager[RunStore]]
"""Opens the store of runs for reading."""


class SystemReportLookup:
    """Looks up scenarios and runs of this system, and runs checks."""

    def __init__(
        self,
        open_runs: StoreOpener,
        find_registry: Callable[[], Path],
        project: ProjectChecks | None = None,
    ) -> None:
        """Use this store and registry; both are opened when needed.

        Without `project`, checks of files and commands fail.
        """
        self._open_runs = open_runs
        self._find_registry = find_registry
        self._project = project

    def find_obstacle(self, check: CheckGuard) -> str:
        """Say why a check cannot be run here, without running it; empty if it can.

        Raises:
            StoreError: The gate's settings cannot be read.
        """
        if check.kind != "command" or self._project is None:
            return ""
        return self._project.find_obstacle(check)

    def run_check(self, check: CheckGuard, subject: str) -> CheckOutcome:
        """Run a check on its subject.

        Raises:
            EvidenceError: It failed, or could not be run.
            StoreError: The gate's settings cannot be read.
        """
        match check.kind:
            case "scenario_check":
                text, inspected, found = self._check_scenario({"scenario": subject})
                codes = [each.code for each in inspected.findings]
                warnings = len(inspected.warnings)
                report = {"scenario": subject, "scenarioHash": found, "errors": 0}
                report |= {"warnings": warnings, "codes": codes}
                return CheckOutcome(f"{text}; 0 errors", report)
            case "run_log":
                return self._read_run(subject)
            case "run_replay":
                return self._replay_run(subject)
            case _ if self._project is None:
                raise EvidenceError("this gate has no project to check in")
            case "command":
                return self._project.run_command(check)
            case "story_check":
                return self._project.check_story(subject)
            case "experiment_report":
                return self._project.check_experiment(check, subject)
            case "file_hash":
                return self._project.hash_files(check, subject)
            case _:
                raise EvidenceError(f"the gate cannot run {quote_value(check.kind)} here")

    def look_up(self, subject: str, report: object) -> str:
        """Compare a report with what it is about; return one sentence on the result.

        Raises:
            EvidenceError: The report names something that does not exist, or differs
                from what was found.
        """
        if not isinstance(report, Mapping):
            raise EvidenceError("it is not a JSON object")
        if subject == "scenario_check":
            return self._check_scenarios(report)
        checks = {"run_log": self._read_run, "run_replay": self._replay_run}
        if subject not in checks:
            raise EvidenceError(f"the gate cannot look up {quote_value(subject)}")
        run_id = _read_name(report, "run")
        found = checks[subject](run_id)
        _check_fields(report, found.report, f"run {quote_value(run_id)}")
        return found.summary

    def _check_scenarios(self, report: Mapping[str, Any]) -> str:
        listed = report.get("scenarios")
        if not isinstance(listed, list) or not listed:
            raise EvidenceError("it lists no scenario under 'scenarios'")
        found = [self._check_scenario(each) for each in listed]
        for each, (_, inspected, _) in zip(listed, found, strict=True):
            _check_codes(each, inspected)
        errors = sum(len(inspected.errors) for _, inspected, _ in found)
        warnings = sum(len(inspected.warnings) for _, inspected, _ in found)
        _check_fields(report, {"errors": errors, "warnings": warnings}, "the check")
        named = "; ".join(text for text, *_ in found[:_MOST_NAMED])
        more = f"; {len(found) - _MOST_NAMED} more" * (len(found) > _MOST_NAMED)
        return f"{named}{more}; 0 errors, {_format_count(warnings, 'warning')}"

    def _check_scenario(self, listed: object) -> tuple[str, Report, str]:
        """Check a scenario; return a sentence, the findings and the scenario's hash."""
        name = _read_name(listed, "scenario")
        subject = f"scenario {quote_value(name)}"
        if name == _WHOLE_REGISTRY:
            subject = "the registry"
            with _convert_errors("the registry could not be found"):
                inspected = inspect_registry(self._find_registry()).report
        else:
            with _convert_errors(f"{subject} was looked up in the registry"):
                entry = find_entry(name, self._find_registry())
                inspected = inspect_scenario(entry).report
        for finding in inspected.errors:
            raise EvidenceError(
                f"the gate checked {subject} and found "
                f"{_format_count(len(inspected.errors), 'error')}, first {finding.code}: "
                f"{finding.message}"
            )
        if name == _WHOLE_REGISTRY:
            return subject, inspected, ""
        with _convert_errors(f"{subject} was loaded from the registry"):
            found = load_scenario(entry).scenario_hash
        return f"{subject} with hash {found} was checked", inspected, found

    def _read_run(self, run_id: str) -> CheckOutcome:
        with self._open_run_store(run_id) as store:
            record = store.load_record(run_id)
            actual = summarize_run(record, store.read_turns(run_id))
            rules = {turn.book for turn in store.read_turns(run_id)}
        name = record.scenario_id
        subject = f"scenario {quote_value(name)} of run {quote_value(run_id)}"
        with _convert_errors(f"{subject} was looked up in the registry"):
            scenario = load_scenario(find_entry(name, self._find_registry()))
            own = build_rulebook(load_book_layers(scenario)).fingerprint
        if scenario.scenario_hash != record.scenario_hash:
            raise EvidenceError(
                f"{subject} has the hash {scenario.scenario_hash} in the registry; the run was "
                f"played with {record.scenario_hash}"
            )
        is_own = rules | {build_rulebook(record.books).fingerprint} == {own}
        turns = _format_count(actual["turns"], "turn")
        turns += "" if is_own else ", with rules other than the scenario's own"
        return CheckOutcome(
            f"run {run_id} of scenario {quote_value(name)} was read, {turns}",
            actual | {"ownRules": is_own},
        )

    def _replay_run(self, run_id: str) -> CheckOutcome:
        with self._open_run_store(run_id) as store:
            scenario = store.load_record(run_id).scenario_id
            result = replay_run(store, run_id)
        if result.first_difference is not None:
            raise EvidenceError(
                f"the gate replayed run {quote_value(run_id)}, and "
                f"{quote_value(result.first_difference.field)} of turn "
                f"{result.first_difference.turn} differs from the record"
            )
        turns = _format_count(result.turns_checked, "turn")
        report = msgspec.to_builtins(result)
        return CheckOutcome(
            f"run {run_id} was replayed, {turns}, no difference",
            report,
            report | {"scenario": scenario},
        )

    @contextmanager
    def _open_run_store(self, run_id: str) -> Iterator[RunStore]:
        with (
            _convert_errors(f"run {quote_value(run_id)} was looked up in the store of runs"),
            self._open_runs() as store,
        ):
            # A user may give part of an id; a report must name the run in full.
            if store.find_run(run_id) != run_id:
                raise EvidenceError(f"there is no run {quote_value(run_id)}")
            yield store


def make_project_lookup(
    project: Path,
    store: str | Path | None = None,
    registry: str | Path | None = None,
    gate: GatePlaces | None = None,
) -> SystemReportLookup:
    """Return the lookup of a project, with the store and registry of the commands.

    Both may be named; otherwise the environment names them; otherwise they are the
    project's own. `gate` has the settings of its owner; by default, that of the
    environment.
    """
    place = store or os.environ.get("SANIWA_STORE") or project / DEFAULT_STORE
    named = registry or os.environ.get("SANIWA_REGISTRY")
    own = project / PROJECT_REGISTRY

    def find_registry() -> Path:
        return locate_registry(named or (own if own.exists() else None))

    places = locate_gate() if gate is None else gate
    people = make_signature_verifier(places)
    checks = ProjectChecks(project, partial(read_check_commands, places), find_registry, people)
    return SystemReportLookup(lambda: _open_to_read(place), find_registry, checks)


def make_server_lookup(
    store: Callable[[], RunStore],
    place: str | Path,
    registry: str | Path | None,
    gate: GatePlaces | None = None,
) -> SystemReportLookup:
    """Return the lookup of a server, over its own store if that is in memory.

    Another store is opened a second time, for reading.
    """

    def open_runs() -> AbstractContextManager[RunStore]:
        return nullcontext(store()) if is_memory(place) else _open_to_read(place)

    def find_registry() -> Path:
        return locate_registry(registry)

    places = locate_gate() if gate is None else gate
    people = make_signature_verifier(places)
    programs = partial(read_check_commands, places)
    checks = ProjectChecks(places.project, programs, find_registry, people)
    return SystemReportLookup(open_runs, find_registry, checks)


def _open_to_read(place: str | Path) -> AbstractContextManager[RunStore]:
    if not is_address(place) and not does_path_exist(Path(place)):
        raise describe("RUN_NOT_FOUND/open_to_read").to_error(StoreError)
    return closing(open_store(place, mode="read"))


@contextmanager
def _convert_errors(looked_up: str) -> Iterator[None]:
    """Turn an error during a lookup into a refusal of the report."""
    try:
        yield
    except SaniwaError as problem:
        raise EvidenceError(f"{looked_up}: {problem.message}") from problem


def _check_fields(report: Mapping[str, Any], actual: Mapping[str, Any], what: str) -> None:
    """Require every field that a report shares with the actual values to be equal.

    Raises:
        EvidenceError: A field differs.
    """
    for name, value in actual.items():
        if name in report and report[name] != value:
            raise EvidenceError(
                f"it says {name} is {quote_value(report[name])}; the gate looked at {what} "
                f"and found {quote_value(value)}"
            )


def _check_codes(listed: object, inspected: Report) -> None:
    """Require a report to list the findings that the gate found."""
    claimed = sorted(_iterate_claimed_codes(listed))
    actual = sorted((each.code, each.severity) for each in inspected.findings)
    if claimed != actual:
        raise EvidenceError(
            f"the gate checked {quote_value(_read_name(listed, 'scenario'))} and found "
            f"{_format_codes(actual)}; the report lists {_format_codes(claimed)}"
        )


def _format_count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _read_name(report: object, name: str) -> str:
    value = report.get(name) if isinstance(report, Mapping) else None
    if not isinstance(value, str) or not value:
        raise EvidenceError(f"it does not name its {name}")
    return value


def _iterate_claimed_codes(listed: object) -> Iterator[tuple[str, str]]:
    found = listed.get("findings") if isinstance(listed, Mapping) else None
    for each in found if isinstance(found, list) else ():
        if isinstance(each, Mapping):
            yield str(each.get("code", "")), str(each.get("severity", ""))


def _format_codes(codes: Sequence[tuple[str, str]]) -> str:
    return quote_value([code for code, _ in codes]) if codes else "no findings"
