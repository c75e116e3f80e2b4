"""Run the checks that guards declare, and keep what they show as evidence.

Runs while the run is not locked. Nothing is stored here: a check that passes becomes an
artifact of the event, one that fails becomes the reason of a refusal.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice, product
from typing import Any, Literal

import msgspec

from saniwa.core.canonical_json import is_same_json
from saniwa.core.findings import Finding, SourceLocation
from saniwa.core.text import quote_value
from saniwa.process.artifact import Artifact, Author, Claim, encode_content
from saniwa.process.child_groups import report_children
from saniwa.process.definition import CheckGuard, ChildrenGuard, parse_value
from saniwa.process.definition_index import ProcessIndex
from saniwa.process.evidence_intake import SubmissionContext, list_fields
from saniwa.process.guards import CheckResults
from saniwa.process.ports import (
    CheckOutcome,
    CheckRunner,
    EvidenceError,
    EvidenceInspection,
    EvidenceReader,
)
from saniwa.process.run_state import ProcessRun

CHECK_AUTHOR = Author("system", "check")
"""The author of what a check shows."""
MOST_SUBJECTS = 20
"""Most things that one check is done to."""
LONGEST_SUBJECT = 1_000
"""Most characters that a subject may have once it is filled in."""
_split_placeholders = re.compile(r"(\{(?:context|artifact)\.[^{}]{1,200}\})").split
_find_words = re.compile(r"[\w.-]+").findall
_find_control_character = re.compile("[\x00-\x1f\x7f]").search


class CheckSession:
    """The checks of one event: run when they are needed, each at most once."""

    def __init__(
        self,
        runner: CheckRunner | None,
        evidence: EvidenceReader,
        make_stamp: Callable[[], SubmissionContext],
        brought: Sequence[Artifact],
    ) -> None:
        """Use a runner; without one, every check fails that needs it.

        `make_stamp` says where, when and by whom the event is sent, if a check is run.
        """
        self._runner = runner
        self._evidence = evidence
        self._make_stamp = make_stamp
        self._brought = brought
        self._reasons: dict[str, str] = {}
        self._found: dict[str, list[tuple[str, CheckOutcome]]] = {}
        self.artifacts: list[Artifact] = []
        """What the checks that passed have shown."""

    def make_results(self) -> CheckResults:
        """Return the results so far; checks not yet run are assumed to pass."""
        obstacle = partial(find_check_obstacle, self._runner)
        return CheckResults(self._reasons, assume_passed=True, find_obstacle=obstacle)

    def run(self, index: ProcessIndex, run: ProcessRun, names: Sequence[str]) -> None:
        """Run the checks of these guards and keep their results.

        Raises:
            StoreError: The settings of the gate cannot be read.
        """
        for name in names:
            with suppress(EvidenceError):
                self._run_once(index, run, name)

    def _run_once(
        self, index: ProcessIndex, run: ProcessRun, name: str
    ) -> list[tuple[str, CheckOutcome]]:
        """Run a check, unless it was run before, and keep its result.

        Raises:
            EvidenceError: It failed.
        """
        if name not in self._reasons:
            guard = index.process.guards[name]
            assert isinstance(guard, CheckGuard), "only a check can be pending"
            if obstacle := find_check_obstacle(self._runner, guard):
                self._reasons[name] = f"the check {quote_value(name)} was not run: {obstacle}"
                raise EvidenceError(self._reasons[name])
            try:
                self._found[name] = self._run_check(index, run, guard)
                self._keep(index, name, guard, self._found[name])
                self._reasons[name] = ""
            except EvidenceError as problem:
                self._reasons[name] = f"the check {quote_value(name)} failed: {problem}"
        if self._reasons[name]:
            raise EvidenceError(self._reasons[name])
        return self._found[name]

    def _run_check(
        self, index: ProcessIndex, run: ProcessRun, guard: CheckGuard
    ) -> list[tuple[str, CheckOutcome]]:
        """Run a check for each of its subjects.

        Raises:
            EvidenceError: It failed for one of them.
        """
        if guard.kind == "json_schema":
            return self._check_documents(index, run, guard)
        if guard.kind == "same_subject":
            return [("", self._compare_values(index, run, guard))]
        assert self._runner is not None, "without a runner the check has an obstacle"
        outcomes = []
        for subject in self._list_subjects(run, guard):
            outcome = self._runner.run_check(guard, subject)
            if guard.schema is not None:
                _check_fit(index, guard, outcome.report, f"{outcome.summary}, but the report")
            if guard.artifact_type:
                self._compare_documents(run, guard.artifact_type, outcome)
            outcomes.append((subject, outcome))
        return outcomes

    def _check_documents(
        self, index: ProcessIndex, run: ProcessRun, guard: CheckGuard
    ) -> list[tuple[str, CheckOutcome]]:
        outcomes = []
        for place, plain in self._read_documents(run, guard.artifact_type):
            _check_fit(index, guard, plain, quote_value(place))
            outcomes.append((place, CheckOutcome(f"{quote_value(place)} fits the schema")))
        return outcomes

    def _compare_values(
        self, index: ProcessIndex, run: ProcessRun, guard: CheckGuard
    ) -> CheckOutcome:
        """Require that everything a check refers to has one value.

        Raises:
            EvidenceError: Something differs, or has no value.
        """
        named: list[tuple[str, Any]] = []
        texts: list[tuple[str, str]] = []
        for written in guard.values:
            source, name, field = parse_value(written) or ("", "", "")
            if source == "context":
                named.append((written, run.variables.get(name)))
            elif source == "check":
                outcomes = self._run_named(index, run, name)
                known = [each.known or each.report for _, each in outcomes]
                named += ((written, value) for each in known for value in _list_at(each, field))
            elif field:
                read = self._read_documents(run, name)
                named += ((written, value) for _, plain in read for value in _list_at(plain, field))
            else:
                texts += ((p, sight.text) for p, sight in self._inspect_newest(run, name))
        return _require_agreement(named, texts)

    def _run_named(
        self, index: ProcessIndex, run: ProcessRun, name: str
    ) -> list[tuple[str, CheckOutcome]]:
        """Run a check for another one; its own reason is in the refusal already.

        Raises:
            EvidenceError: It failed.
        """
        try:
            return self._run_once(index, run, name)
        except EvidenceError as problem:
            raise EvidenceError(f"it needs {quote_value(name)}") from problem

    def _compare_documents(self, run: ProcessRun, kind: str, outcome: CheckOutcome) -> None:
        for place, plain in self._read_documents(run, kind):
            where = _find_contradiction(plain, outcome.known)
            if where:
                raise EvidenceError(
                    f"{quote_value(place)} says something else under {quote_value(where)} than "
                    f"the gate found: {outcome.summary}"
                )

    def _list_subjects(self, run: ProcessRun, guard: CheckGuard) -> list[str]:
        """Fill in the subject; several if evidence of one kind names several."""
        if guard.kind == "experiment_report" and not guard.subject:
            if not run.opening.folder:
                raise EvidenceError("the run has no folder in the project with an experiment")
            return [run.opening.folder]
        parts = [
            self._list_values(run, part) if nth % 2 else [part]
            for nth, part in enumerate(_split_placeholders(guard.subject))
        ]
        found = list(dict.fromkeys("".join(each) for each in islice(product(*parts), 1_000)))
        if len(found) > MOST_SUBJECTS:
            raise EvidenceError(f"it has more than {MOST_SUBJECTS} subjects")
        for subject in found:
            if len(subject) > LONGEST_SUBJECT or _find_control_character(subject):
                raise EvidenceError(f"{quote_value(subject)} cannot be looked up")
        return found

    def _list_values(self, run: ProcessRun, placeholder: str) -> list[str]:
        source, _, name = placeholder[1:-1].partition(".")
        if source == "context":
            return [_read_text(run.variables.get(name), f"the variable {quote_value(name)}")]
        kind, _, field = name.partition(".")
        return [
            _read_text(value, f"{quote_value(place)} under {quote_value(field)}")
            for place, plain in self._read_documents(run, kind)
            for value in _list_at(plain, field)
        ]

    def _read_documents(self, run: ProcessRun, kind: str) -> list[tuple[str, Any]]:
        """Read the newest evidence of a kind as JSON values."""
        return [(place, sight.plain) for place, sight in self._inspect_newest(run, kind)]

    def _inspect_newest(self, run: ProcessRun, kind: str) -> list[tuple[str, EvidenceInspection]]:
        """Read the newest evidence of a kind: what came with the event, else before it."""
        pieces = [each for each in self._brought if each.type == kind]
        pieces = pieces or _list_newest(run, kind)
        if not pieces:
            raise EvidenceError(f"there is no artifact of kind {quote_value(kind)}")
        return [(each.place, self._read_document(run, each)) for each in pieces]

    def _read_document(self, run: ProcessRun, piece: Artifact) -> EvidenceInspection:
        if piece.url:
            raise EvidenceError(
                f"{quote_value(piece.place)} is a URL, which the gate does not fetch"
            )
        claim = Claim(path=piece.path, content=piece.content)
        sight = self._evidence.inspect(run.home, run.opening.folder, claim, read=True)
        if sight.hash != piece.hash:
            raise EvidenceError(f"{quote_value(piece.place)} has changed since it was submitted")
        return sight

    def _keep(
        self,
        index: ProcessIndex,
        name: str,
        guard: CheckGuard,
        found: Sequence[tuple[str, CheckOutcome]],
    ) -> None:
        for subject, outcome in found:
            number = len(self.artifacts)
            self.artifacts.append(
                _build_artifact(index, name, guard, subject, outcome, self._make_stamp(), number)
            )


def find_check_obstacle(runner: CheckRunner | None, guard: CheckGuard) -> str:
    """Say why a gate with this runner cannot run a check; empty if it can."""
    if guard.kind in ("json_schema", "same_subject"):
        return ""  # The gate compares evidence itself.
    return "this gate runs no checks" if runner is None else runner.find_obstacle(guard)


def _build_artifact(
    index: ProcessIndex,
    name: str,
    guard: CheckGuard,
    subject: str,
    outcome: CheckOutcome,
    stamp: SubmissionContext,
    number: int,
) -> Artifact:
    content: dict[str, Any] = {"check": name, "kind": guard.kind, "found": outcome.summary}
    content |= {"subject": subject} if subject else {}
    content |= {} if outcome.report is None else {"report": outcome.report}
    kind = guard.keep_as or name
    return _make_artifact(index, name, kind, content, stamp, number, claimed=outcome.claimed)


def _make_artifact(
    index: ProcessIndex,
    name: str,
    kind: str,
    content: dict[str, Any],
    stamp: SubmissionContext,
    number: int,
    *,
    claimed: bool = False,
) -> Artifact:
    written, required = encode_content(content), index.list_required_fields(kind)
    return Artifact(
        artifact_id=f"{stamp.event_id}-check-{number}",
        run_id=stamp.run_id,
        type=kind,
        content=content,
        hash=hashlib.sha256(written).hexdigest(),
        size=len(written),
        fields=list_fields(content, required) if required else (),
        checked=content["found"],
        check=name,
        claimed=claimed,
        maker="gate",
        created_at=stamp.at,
        created_by=CHECK_AUTHOR,
    )


def build_join_artifacts(
    index: ProcessIndex,
    run: ProcessRun,
    joins: Mapping[str, ChildrenGuard],
    stamp: SubmissionContext,
    first: int,
) -> tuple[Artifact, ...]:
    """Build the evidence of guards on child runs that hold: what the gate found there."""
    return tuple(
        _build_join_artifact(index, name, guard, report_children(run, guard), stamp, number)
        for number, (name, guard) in enumerate(joins.items(), first)
    )


def _build_join_artifact(
    index: ProcessIndex,
    name: str,
    guard: ChildrenGuard,
    report: dict[str, Any],
    stamp: SubmissionContext,
    number: int,
) -> Artifact:
    content = {"check": name, "kind": "children", **report}
    return _make_artifact(index, name, guard.keep_as or name, content, stamp, number)


def _check_fit(index: ProcessIndex, guard: CheckGuard, plain: Any, what: str) -> None:
    """Check that a value fits the guard's schema.

    Raises:
        EvidenceError: It does not fit.
    """
    checker = index.get_checker(guard.schema)
    assert checker is not None, "a guard without a schema is not checked against one"
    if plain is msgspec.UNSET:
        raise EvidenceError(f"{what} is neither JSON, YAML nor Markdown with front matter")
    for problem in checker.find_problems(plain):
        raise EvidenceError(f"{what} does not fit: {problem.path or '/'}: {problem.message}")


def repeat_checks(
    run: ProcessRun, index: ProcessIndex, runner: CheckRunner, evidence: EvidenceReader
) -> Iterator[Finding]:
    """Run again the checks behind a run's evidence; yield what comes out differently.

    A check that fails now is an error. One that passes with another report is a note:
    a command may print a time.

    Raises:
        StoreError: The settings of the gate cannot be read.
    """
    for piece in run.list_artifacts():
        try:
            found = _repeat_check(run, index, piece, runner, evidence)
        except EvidenceError as problem:
            yield _make_difference(run, piece, str(problem), "error")
        else:
            if found not in ("", piece.checked):
                yield _make_difference(run, piece, found, "note")


def _repeat_check(
    run: ProcessRun,
    index: ProcessIndex,
    piece: Artifact,
    runner: CheckRunner,
    evidence: EvidenceReader,
) -> str:
    """Return what a check finds now; the old sentence if nothing differs."""
    guard, lookup = index.process.guards.get(piece.check), index.get_kind(piece.type).lookup
    if isinstance(guard, CheckGuard) and guard.kind not in ("json_schema", "same_subject"):
        outcome = runner.run_check(guard, str(piece.content.get("subject", "")))
        # An earlier version may have kept less in its report.
        same = not _find_contradiction(piece.content.get("report"), outcome.report)
        return piece.checked if same else f"{outcome.summary}; the report differs"
    if lookup and piece.checked and not piece.check:
        claim = Claim(path=piece.path, content=piece.content)
        sight = evidence.inspect(run.home, run.opening.folder, claim, read=True)
        return runner.look_up(lookup, sight.plain)
    return ""


def _make_difference(
    run: ProcessRun, piece: Artifact, found: str, severity: Literal["error", "note"]
) -> Finding:
    return Finding(
        code="CHECK_DIFFERS",
        severity=severity,
        message=f"{quote_value(piece.place)} was {piece.checked} when it was checked; now: {found}",
        where=SourceLocation(path=run.run_id),
        hint="find out what has changed since; the record itself is unchanged",
        details={"type": piece.type, "check": piece.check, "then": piece.checked, "now": found},
    )


def _list_newest(run: ProcessRun, kind: str) -> list[Artifact]:
    """List the evidence of a kind that came with the last event that brought any."""
    pieces = run.artifacts.get(kind, {}).values()
    handed = [(run.handed.get(f"{kind}:{each.identity}", 0), each) for each in pieces]
    last = max((revision for revision, _ in handed), default=0)
    return [each for revision, each in handed if revision == last]


def _read_text(plain: Any, what: str) -> str:
    if not isinstance(plain, str) or not plain.strip():
        raise EvidenceError(f"{what} has no reference that can be checked")
    return plain


def _list_at(plain: Any, field: str) -> list[Any]:
    """List the values of a field; several where `*` is every item of a list."""
    found = [plain]
    for step in field.split("."):
        if step == "*":
            found = [item for each in found if isinstance(each, list) for item in each]
        else:
            found = [each.get(step) if isinstance(each, dict) else None for each in found]
    return found or [None]


def _require_agreement(
    named: Sequence[tuple[str, Any]], texts: Sequence[tuple[str, str]]
) -> CheckOutcome:
    """Require that all values are equal, and that every text names the value.

    Raises:
        EvidenceError: They are not.
    """
    first, value = named[0] if named else ("", None)
    for written, each in named:
        if each in (None, "", [], {}):
            raise EvidenceError(f"{written} names nothing")
        if not is_same_json(each, value):
            raise EvidenceError(
                f"{first} is {quote_value(value)}, and {written} is {quote_value(each)}; they "
                "must be about the same"
            )
    for place, text in texts:
        # Markdown may have a backslash before a character of a name.
        words = {word.strip(".-") for word in _find_words(text.replace("\\", ""))}
        if not isinstance(value, str) or value not in words:
            raise EvidenceError(f"{quote_value(place)} does not name {quote_value(value)}")
    listed = ", ".join(dict.fromkeys([*(written for written, _ in named), *(p for p, _ in texts)]))
    return CheckOutcome(f"{listed} agree on {quote_value(value)}", {"value": value})


def _find_contradiction(told: Any, known: Any, path: str = "") -> str:
    """Return where a document says something else than is known; empty if nowhere."""
    if not isinstance(told, dict) or not isinstance(known, dict):
        return "" if is_same_json(told, known) else path or "/"
    for key, value in told.items():
        where = f"{path}/{key}"
        found = _find_contradiction(value, known[key], where) if key in known else where
        if found:
            return found
    return ""
