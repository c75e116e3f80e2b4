"""Questions of agents to a person about a tool call, kept until one decides.

An agent without a terminal asks here and waits, or stops and finds the answer when it is
resumed. Any door may list the questions and decide; exactly one decision counts.
"""

import asyncio
import os
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import msgspec

from saniwa.agent.tools.tool import ApprovalDecision, ApprovalRequest
from saniwa.app import describe
from saniwa.app.gate.lookup import DEFAULT_STORE
from saniwa.app.store import locate_beside
from saniwa.core.atomic_files import make_folder, open_pending_file, write_atomically
from saniwa.core.errors import StoreError
from saniwa.core.json_values import warm_decoders
from saniwa.core.redaction import Redactor, find_environment_secrets
from saniwa.core.safe_open import read_small_file

QUESTIONS_FOLDER = "questions"
"""The folder of questions, next to the store."""
MOST_LISTED = 200
"""The most questions of one list."""
_LARGEST_QUESTION = 1_000_000
_QUESTION, _DECISION = ".question.json", ".decision.json"
_POLL_SECONDS = 0.5
_PRIVATE_MODE = 0o600


class ToolQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent asks."""

    id: str
    """The question."""
    agent: str
    """The agent's name."""
    call: str
    """The call, as the agent's journal names it."""
    tool: str
    """The tool that it wants to use."""
    arguments: dict[str, Any]
    """With what; secrets are replaced by a mark."""
    reason: str
    """Why a person is asked."""
    may_have_run: bool
    """Whether the call was interrupted, so that it may have run already."""


class ToolDecision(msgspec.Struct, frozen=True, kw_only=True):
    """What a person decides."""

    answer: Literal["run", "skip"]
    """Whether to run the call; one that may have run is run again, or counts as done."""
    reason: str = ""
    """Why."""
    by: str = ""
    """The person."""


class ToolQuestions:
    """The open questions of all agents that use one store."""

    def __init__(self, store: str | Path | None = None) -> None:
        """Use the folder next to a store; for a store in memory there are no questions."""
        place = store or os.environ.get("SANIWA_STORE") or DEFAULT_STORE
        self._folder = locate_beside(place, QUESTIONS_FOLDER)

    def ask(self, agent: str, request: ApprovalRequest) -> None:
        """Ask, durably; asked again, it is the same question.

        Raises:
            OSError: It cannot be written.
        """
        redaction = Redactor(find_environment_secrets(os.environ))
        question = ToolQuestion(
            id=identify_question(request.attempt),
            agent=agent,
            call=request.attempt,
            tool=request.call.name,
            arguments=redaction.redact_values(request.call.arguments),
            reason=request.reason,
            may_have_run=request.may_have_run,
        )
        if self._folder is not None:
            make_folder(self._folder)
            content = msgspec.json.encode(question)
            write_atomically(self._folder, question.id + _QUESTION, content, _PRIVATE_MODE)

    def list_open(self) -> list[ToolQuestion]:
        """List the questions that are not decided, sorted by their calls."""
        if self._folder is None or not self._folder.is_dir():
            return []
        found = list[ToolQuestion]()
        for path in sorted(self._folder.glob(f"*{_QUESTION}"))[:MOST_LISTED]:
            name = path.name.removesuffix(_QUESTION)
            # One that is removed, or was not written by us, is no question.
            with suppress(OSError, msgspec.MsgspecError):
                content = read_small_file(path, _LARGEST_QUESTION)
                question = msgspec.json.decode(content, type=ToolQuestion)
                if question.id == name and self.find_decision(question.call) is None:
                    found.append(question)
        return sorted(found, key=lambda each: each.call)

    def decide(self, id: str, decision: ToolDecision) -> None:
        """Answer a question, durably; the first answer counts.

        Raises:
            StoreError: `QUESTION_NOT_FOUND`: no such question is open.
            OSError: It cannot be written.
        """
        if self._folder is None or id not in {each.id for each in self.list_open()}:
            raise describe("QUESTION_NOT_FOUND", id=id).to_error(StoreError)
        try:
            with open_pending_file(self._folder, _PRIVATE_MODE) as file:
                file.write(msgspec.json.encode(decision))
                file.sync()
                file.link(id + _DECISION)
        except FileExistsError:
            raise describe("QUESTION_NOT_FOUND", id=id).to_error(StoreError) from None

    def find_decision(self, call: str) -> ToolDecision | None:
        """Return the decision about a call; None if there is none yet."""
        if self._folder is None:
            return None
        path = self._folder / (identify_question(call) + _DECISION)
        with suppress(OSError, msgspec.MsgspecError):
            return msgspec.json.decode(read_small_file(path, _LARGEST_QUESTION), type=ToolDecision)
        return None

    def withdraw(self, call: str) -> None:
        """Remove the question about a call, with its decision."""
        if self._folder is not None:
            for ending in (_QUESTION, _DECISION):
                (self._folder / (identify_question(call) + ending)).unlink(missing_ok=True)


def identify_question(call: str) -> str:
    """Return the id of the question about a call."""
    return sha256(call.encode()).hexdigest()[:32]


class QuestionApprover:
    """Asks a person at another door: the page, or a client of the server."""

    def __init__(self, agent: str, questions: ToolQuestions, *, wait: bool) -> None:
        """Ask for an agent; with `wait`, until a person has decided."""
        self._agent = agent
        self._questions = questions
        self._wait = wait

    async def decide(self, request: ApprovalRequest) -> ApprovalDecision | None:
        """Return the decision; None if there is none yet and this approver does not wait."""
        decision = self._questions.find_decision(request.attempt)
        if decision is None:
            self._questions.ask(self._agent, request)
        while decision is None and self._wait:
            await asyncio.sleep(_POLL_SECONDS)
            decision = self._questions.find_decision(request.attempt)
        if decision is None:
            return None
        self._questions.withdraw(request.attempt)
        return ApprovalDecision(decision.answer, decision.reason, decision.by)


warm_decoders(ToolQuestion, ToolDecision)
