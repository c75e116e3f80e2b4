"""A worker's floor: one run at a gate. The gate decides; the worker hands in and reads."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol

import msgspec

from saniwa.agent.floor import Handed, View, unfit
from saniwa.agent.ports import Pause
from saniwa.agent.worker.telling import (
    LONGEST,
    EvidenceText,
    facts_of,
    told,
    waits,
)
from saniwa.core.errors import StoreError
from saniwa.core.sound import sound
from saniwa.process.artifact import Artifact, Claim
from saniwa.process.gate import Gate
from saniwa.process.ports import EvidenceError, Held, Holding, Passage
from saniwa.process.ruling import Problem, Refused, Ruling, Submission
from saniwa.turn.trace import Turn

BETWEEN_LOOKS = 500
"""Milliseconds between two looks of a worker that waits."""
LONGEST_EVIDENCE = 8_000
"""Letters of all evidence together that a prompt shows; the newest comes first."""
MOST_READ = 100_000
"""Bytes of a file that are looked at."""


class Bench(Protocol):
    """Where a worker's files are written: the run's own folder and nowhere else."""

    def hand_in(
        self,
        files: Mapping[str, bytes],
        attempt: str,
        submit: Callable[[], Ruling],
        holding: Holding,
    ) -> Ruling:
        """Write the files and send the event; if it is refused, nothing was written.

        Raises:
            EvidenceError: A file cannot be written; then none of them is.
            StoreError: The log could not be read or written.
        """
        ...

    def settle(self, holding: Holding) -> None:
        """Settle what a crash has left open.

        Raises:
            EvidenceError: It cannot be read.
        """
        ...

    def read(self, path: str, most: int) -> bytes | None:
        """The first `most` bytes of a file in the run's folder; None where there is none.

        Raises:
            EvidenceError: It cannot be read.
        """
        ...


class GateFloor:
    """Where a worker stands: at the gate of one run."""

    def __init__(
        self, gate: Gate, run_id: str, bench: Bench, *, pause: Pause | None = None
    ) -> None:
        """A floor; with a pause the worker waits for people, without one it stops.

        What a crash has left open is settled first.

        Raises:
            StoreError: It cannot be, or the log cannot be read.
        """
        self._gate = gate
        self.run_id = run_id
        self._bench = bench
        self._pause = pause
        self._seen = 0
        try:
            bench.settle(self.held)
        except EvidenceError as problem:
            raise StoreError(
                "STORE_UNREADABLE",
                f"what was being handed in cannot be settled: {problem}",
                hint="look at the folder '.handing' beside the run's evidence",
            ) from problem

    def view(self) -> View:
        """Where the run stands, what is missing, what may be sent.

        Raises:
            StoreError: The log cannot be read.
        """
        self._gate.tick(self.run_id)
        state = self._gate.state(self.run_id)
        events = self._gate.events(self.run_id, include_blocked=True)
        self._seen = state.revision
        return View(
            variables=told(state, events, self._handed_in()),
            facts=facts_of(state),
            waits=waits(state, events),
        )

    def _handed_in(self) -> tuple[EvidenceText, ...]:
        """The run's evidence; of the newest pieces, as much as a prompt may hold."""
        every = list(self._gate.log.standing(self.run_id).evidence())
        every.sort(key=lambda artifact: artifact.created_at, reverse=True)
        left, shown = LONGEST_EVIDENCE, dict[str, EvidenceText]()
        for artifact in every:
            if artifact.place in shown:
                continue
            text = self._text(artifact) if left > 0 else None
            if text is not None:
                left -= min(len(text), LONGEST)
            shown[artifact.place] = EvidenceText(artifact.place, text)
        return tuple(shown[place] for place in sorted(shown))

    def _text(self, artifact: Artifact) -> str | None:
        """What a piece of evidence says; None where it is no text, or elsewhere."""
        if artifact.content is not msgspec.UNSET:
            return _bytes(artifact.content).decode()
        if not artifact.path:
            return None
        try:
            content = self._bench.read(artifact.path, MOST_READ)
        except EvidenceError:
            return None
        if content is None or b"\0" in content:
            return None
        return content.decode(errors="replace")

    async def speak(self, words: str, attempt: str, *, calls: int = 1) -> Turn:  # noqa: ARG002 - nowhere to say them
        """Refuse: a gate hears evidence, not words.

        Raises:
            LoopError: `FLOOR_UNFIT`, always.
        """
        raise unfit("speak", "no world")

    async def submit(self, handed: Handed, attempt: str) -> Ruling:
        """Write the files that came with it, then send the event.

        Raises:
            StoreError: The log could not be read or written.
        """
        files = {
            claim.path: _bytes(claim.content)
            for claim in handed.artifacts
            if claim.path and claim.content is not msgspec.UNSET
        }
        claims = tuple(_claim(claim) for claim in handed.artifacts)

        def send() -> Ruling:
            standing = self._gate.log.standing(self.run_id)
            return self._gate.submit(
                Submission(
                    run_id=self.run_id,
                    event_name=handed.event,
                    expected_revision=standing.revision,
                    idempotency_key=attempt,
                    payload=handed.payload,
                    artifacts=claims,
                )
            )

        try:
            return self._bench.hand_in(files, attempt, send, self.held)
        except EvidenceError as problem:
            return _refused("/artifacts", str(problem))

    async def wait(self) -> bool:
        """Look now and then until the run has moved; False where nobody waits, or it ended.

        Raises:
            StoreError: The log cannot be read.
        """
        if self._pause is None or self._gate.state(self.run_id).is_final:
            return False
        while self._gate.log.standing(self.run_id).revision == self._seen:
            await self._pause.sleep(BETWEEN_LOOKS)
            self._gate.tick(self.run_id)
        return True

    @contextmanager
    def held(self) -> Iterator[Held]:
        """The run's log, held alone."""
        with self._gate.log.passage(self.run_id) as passage:
            yield _Passage(passage)


class _Passage:
    """A run's log, held alone."""

    def __init__(self, passage: Passage) -> None:
        self._passage = passage

    def kept(self, key: str) -> bool:
        """Whether the log has an event under a key."""
        return self._passage.kept(key) is not None

    def stands(self, path: str, hash: str) -> bool:
        """Whether the log has this file, with this content, as evidence."""
        return any(
            artifact.identity == path and artifact.hash == hash
            for artifact in self._passage.standing.evidence()
        )


def _claim(claim: Claim) -> Claim:
    """The claim on a file, without the content it is written with."""
    if claim.path and claim.content is not msgspec.UNSET:
        return msgspec.structs.replace(claim, content=msgspec.UNSET)
    return claim


def _bytes(content: object) -> bytes:
    if isinstance(content, str):
        return sound(content).encode()
    return msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n"


def _refused(path: str, why: str) -> Refused:
    return Refused(
        code="INVALID_PAYLOAD",
        message=f"what was sent cannot be taken: {path}: {why}",
        hint="mend what is named and send it again",
        validation_errors=(Problem(path, why),),
    )
