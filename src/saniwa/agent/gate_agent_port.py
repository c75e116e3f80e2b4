"""The port of a worker: one run at a gate. The worker submits; the gate decides.

It renders the run's state for the worker's prompt, and writes submitted files.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

import msgspec

from saniwa.agent import describe
from saniwa.agent.port import AgentSubmission, AgentView, make_port_error
from saniwa.agent.prompt_quoting import quote_lines
from saniwa.agent.tools.tool import CallResults
from saniwa.core.clock import Pause
from saniwa.core.errors import StoreError
from saniwa.core.text import replace_surrogates, truncate
from saniwa.process.artifact import Artifact, Claim
from saniwa.process.gate import Gate
from saniwa.process.ports import EvidenceError, GateRunWriter, LockedLog, LogLocker
from saniwa.process.ruling import Ruling, refuse_payload
from saniwa.process.run_view import RunState, SendableEvent
from saniwa.process.submission import Submission
from saniwa.process.tool_permissions import CallArguments, ToolPermission
from saniwa.turn.record import Turn

LONGEST_LINE = 2_000
"""The most characters of one text from another author."""
MOST_LINES = 50
"""The most lines of one list."""


class EvidenceText(NamedTuple):
    """A piece of evidence that was accepted."""

    place: str
    """Its name in the log."""
    text: str | None
    """Its text; None if it is not shown."""


def render_variables(
    state: RunState, events: tuple[SendableEvent, ...], evidence: tuple[EvidenceText, ...] = ()
) -> dict[str, str]:
    """Render the variables for a worker's prompt."""
    return {
        "process": state.process_id,
        "state": state.current_state,
        "state_prompt": truncate(state.current_state_prompt, 4 * LONGEST_LINE),
        "missing": _render_lines(
            f"{lack.guard_name or 'evidence'}: {lack.description} ({lack.current_status})"
            for lack in state.missing_guards
        ),
        "required": _render_lines(
            f"{each.type}: {each.status}" for each in state.required_artifacts
        ),
        "events": _render_lines(_render_event(event) for event in events if event.is_allowed),
        "handed_in": _render_evidence(evidence),
        "variables": shorten_line(_render_json(state.context)),
        "last_decision": _render_decision(state),
    }


def collect_facts(state: RunState) -> dict[str, Any]:
    """Collect the facts that an external-state completion may look at."""
    return {
        "state": state.current_state,
        "is_final": state.is_final,
        "revision": state.revision,
        "process": state.process_id,
        "variables": state.context,
    }


def explain_waiting(state: RunState, events: tuple[SendableEvent, ...]) -> str:
    """Say why the worker has to wait for another role; empty if it can act.

    A worker waits if none of its events leaves the state, and the events of other roles
    lack nothing that it could provide.
    """
    if state.is_final:
        return f"the run has ended in {state.current_state!r}"
    others = [event for event in events if _leaves_state(event, state.current_state)]
    if any(event.is_allowed for event in others):
        return ""
    mine = any(event.is_allowed for event in events)
    lacking = any(way.guard_status == "unsatisfied" for each in others for way in each.transitions)
    if mine and (lacking or not others):
        return ""
    who = sorted({role for event in others for role in event.who_may})
    names = ", ".join(sorted(event.event_name for event in others))
    if not others:
        return f"no event that this agent may send leaves {state.current_state!r}"
    return f"{' or '.join(who) or 'a person'} must act in {state.current_state!r}: {names}"


def shorten_line(text: str) -> str:
    """The text as one line; a long one is cut, and the cut is marked."""
    return truncate(" ".join(text.split()), LONGEST_LINE)


def _leaves_state(event: SendableEvent, state: str) -> bool:
    return any(way.to_state != state for way in event.transitions)


def _render_event(event: SendableEvent) -> str:
    parts = [event.event_name]
    if event.description:
        parts.append(f"— {shorten_line(event.description)}")
    if event.payload_schema is not None:
        parts.append(f"payload schema: {shorten_line(_render_json(event.payload_schema))}")
    if event.blocked_reason:
        parts.append(f"(still missing: {shorten_line(event.blocked_reason)})")
    return " ".join(parts)


def _render_decision(state: RunState) -> str:
    decision = state.last_decision
    if decision is None:
        return ""
    reason = f": {shorten_line(decision.reason)!r}" if decision.reason else ""
    return f"{decision.event} by a {decision.role}{reason}"


def _render_evidence(evidence: tuple[EvidenceText, ...]) -> str:
    """Render the list of evidence, each piece with its text as a quotation."""
    return _join_items(
        f"- {shorten_line(piece.place)}"
        + (f"\n{quote_lines(piece.text, LONGEST_LINE)}" if piece.text else "")
        for piece in evidence
    )


def _render_lines(items: Iterable[str]) -> str:
    return _join_items(f"- {shorten_line(item)}" for item in items)


def _join_items(items: Iterable[str]) -> str:
    every = list(items)
    rest = len(every) - MOST_LINES
    shown = every[:MOST_LINES] + ([f"- and {rest} more"] if rest > 0 else [])
    return "\n".join(shown) or "- nothing"


def _render_json(value: Any) -> str:
    return msgspec.json.encode(value, order="deterministic").decode()


POLL_MS = 500
"""Milliseconds between two looks of a waiting worker."""
LONGEST_EVIDENCE = 8_000
"""Characters of all evidence together that a prompt shows, the newest first."""
MOST_BYTES_READ = 100_000
"""The most bytes read from one file."""


class SubmissionFolder(Protocol):
    """Where a worker's files are written: the run's own folder and nowhere else."""

    def hand_in(
        self,
        files: Mapping[str, bytes],
        attempt: str,
        submit: Callable[[], Ruling],
        holding: LogLocker,
    ) -> Ruling:
        """Write the files and send the event; if it is refused, no file remains.

        Raises:
            EvidenceError: A file cannot be written; then none of them is.
            StoreError: The log could not be read or written.
        """

    def settle(self, holding: LogLocker) -> None:
        """Finish or undo a submission that a crash interrupted.

        Raises:
            EvidenceError: It cannot be read.
        """

    def read(self, path: str, most: int) -> bytes | None:
        """Return the first `most` bytes of a file in the run's folder, or None.

        Raises:
            EvidenceError: It cannot be read.
        """


class GateAgentPort:
    """Connects a worker to the gate of one run."""

    def __init__(
        self,
        gate: Gate,
        run_id: str,
        bench: SubmissionFolder,
        *,
        pause: Pause | None = None,
        results: CallResults | None = None,
    ) -> None:
        """Open the port.

        With a pause the worker waits for people, without one it stops. `results` are
        those of the worker's tools, which it may submit unchanged.

        A submission that a crash interrupted is settled first.

        Raises:
            StoreError: It cannot be settled, or the log cannot be read.
        """
        self._gate = gate
        self.run_id = run_id
        self._folder = bench
        self._pause = pause
        self._results = results or CallResults()
        self._seen_revision = 0
        try:
            bench.settle(self.lock_log)
        except EvidenceError as problem:
            raise describe("STORE_UNREADABLE", problem=problem).to_error(StoreError) from problem

    def view(self) -> AgentView:
        """Return the run's state, what is missing, and what may be sent.

        Raises:
            StoreError: The log cannot be read.
        """
        self._gate.tick(self.run_id)
        state = self._gate.get_state(self.run_id)
        events = self._gate.list_events(self.run_id, include_blocked=True)
        self._seen_revision = state.revision
        return AgentView(
            variables=render_variables(state, events, self._collect_evidence()),
            facts=collect_facts(state),
            waits=explain_waiting(state, events),
        )

    def check_tool_permission(self, tool: str, arguments: Mapping[str, Any]) -> ToolPermission:
        """Whether the run's current state allows a tool, with these arguments.

        Raises:
            StoreError: The log cannot be read.
        """
        return self._gate.check_tool_permission(self.run_id, tool, CallArguments(arguments))

    def read_history(self) -> list[dict[str, Any]]:
        """Return the run's records and notes, oldest first.

        Raises:
            StoreError: The log cannot be read.
        """
        return [msgspec.to_builtins(each) for each in self._gate.read_history(self.run_id)]

    def list_evidence(self) -> list[str]:
        """Return the names of all evidence."""
        run = self._gate.log.load_run(self.run_id)
        return sorted({artifact.place for artifact in run.list_artifacts()})

    def read_evidence(self, place: str) -> str | None:
        """Return the newest evidence of a name as text; None if there is none."""
        run = self._gate.log.load_run(self.run_id)
        named = [artifact for artifact in run.list_artifacts() if artifact.place == place]
        newest = max(named, key=lambda artifact: artifact.created_at, default=None)
        return self._read_text(newest) if newest is not None else None

    def _collect_evidence(self) -> tuple[EvidenceText, ...]:
        """Collect the run's evidence.

        Texts only of the newest pieces that fit into a prompt.
        """
        every = list(self._gate.log.load_run(self.run_id).list_artifacts())
        every.sort(key=lambda artifact: artifact.created_at, reverse=True)
        remaining, shown = LONGEST_EVIDENCE, dict[str, EvidenceText]()
        for artifact in every:
            if artifact.place in shown:
                continue
            text = self._read_text(artifact) if remaining > 0 else None
            if text is not None:
                remaining -= min(len(text), LONGEST_LINE)
            shown[artifact.place] = EvidenceText(artifact.place, text)
        return tuple(shown[place] for place in sorted(shown))

    def _read_text(self, artifact: Artifact) -> str | None:
        """Return a piece of evidence as text, or None if it is binary or elsewhere."""
        if artifact.content is not msgspec.UNSET:
            return _encode_content(artifact.content).decode()
        if not artifact.path:
            return None
        try:
            content = self._folder.read(artifact.path, MOST_BYTES_READ)
        except EvidenceError:
            return None
        if content is None or b"\0" in content:
            return None
        return content.decode(errors="replace")

    async def speak(self, words: str, attempt: str, *, calls: int = 1) -> Turn:  # noqa: ARG002 - a gate takes no words
        """Refuse: a gate takes evidence, not words.

        Raises:
            LoopError: `FLOOR_UNFIT`, always.
        """
        raise make_port_error("speak", "no world")

    async def submit(self, handed: AgentSubmission, attempt: str) -> Ruling:
        """Write the submitted files, then send the event.

        Raises:
            StoreError: The log could not be read or written.
        """
        artifacts = [self._fill_in_result(claim) for claim in handed.artifacts]
        files = {
            claim.path: _encode_content(claim.content)
            for claim in artifacts
            if claim.path and claim.content is not msgspec.UNSET
        }
        claims = tuple(_strip_content(claim) for claim in artifacts)

        def send() -> Ruling:
            run = self._gate.log.load_run(self.run_id)
            return self._gate.submit(
                Submission(
                    run_id=self.run_id,
                    event_name=handed.event,
                    expected_revision=run.revision,
                    idempotency_key=attempt,
                    payload=handed.payload,
                    artifacts=claims,
                )
            )

        try:
            return self._folder.hand_in(files, attempt, send, self.lock_log)
        except EvidenceError as problem:
            return refuse_payload("/artifacts", str(problem))

    def _fill_in_result(self, claim: Claim) -> Claim:
        """Fill in what a tool made; the gate looks it up, and refuses what is not there."""
        made = self._results.find_result(claim.call) if claim.made_by == "tool" else None
        if made is None:
            return claim
        content = made.text if claim.content is msgspec.UNSET else claim.content
        return msgspec.structs.replace(claim, call=made.call, content=content)

    async def wait(self) -> bool:
        """Poll until the run has moved.

        False if this port does not wait, or the run has ended.

        Raises:
            StoreError: The log cannot be read.
        """
        if self._pause is None or self._gate.get_state(self.run_id).is_final:
            return False
        while self._gate.log.load_run(self.run_id).revision == self._seen_revision:
            await self._pause.sleep(POLL_MS)
            self._gate.tick(self.run_id)
        return True

    @contextmanager
    def lock_log(self) -> Iterator[LockedLog]:
        """Lock the run's log for exclusive use."""
        with self._gate.log.lock_run(self.run_id) as writer:
            yield _LockedLog(writer)


class _LockedLog:
    """A run's log, locked for exclusive use."""

    def __init__(self, writer: GateRunWriter) -> None:
        self._writer = writer

    def has_event(self, key: str) -> bool:
        """Whether the log has an event with this key."""
        return self._writer.find_by_key(key) is not None

    def has_evidence(self, path: str, hash: str) -> bool:
        """Whether the log has this file, with this content, as evidence."""
        return any(
            artifact.identity == path and artifact.hash == hash
            for artifact in self._writer.run.list_artifacts()
        )


def _strip_content(claim: Claim) -> Claim:
    """Return the claim on a file without the content that is written to it."""
    if claim.path and claim.content is not msgspec.UNSET:
        return msgspec.structs.replace(claim, content=msgspec.UNSET)
    return claim


def _encode_content(content: object) -> bytes:
    if isinstance(content, str):
        return replace_surrogates(content).encode()
    return msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n"
