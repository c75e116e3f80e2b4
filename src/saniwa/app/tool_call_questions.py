"""Questions of agents to a person about a tool call, kept until one decides.

Every question is asked here, once, and answered at any door: the agent's own terminal,
another one, the page, HTTP, MCP. Exactly one decision counts. An agent that has no
terminal waits, or stops and finds the answer when it is resumed.
"""

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from threading import Event
from typing import Any, Literal

import msgspec

from saniwa.agent.tools.tool import ApprovalDecision, ApprovalRequest
from saniwa.app import describe
from saniwa.app.gate.gate_opening import AGENT_ROLE
from saniwa.app.gate.report_verification import DEFAULT_STORE
from saniwa.app.run_stores import locate_beside
from saniwa.core.atomic_files import make_folder, open_pending_file, write_atomically
from saniwa.core.decoder_warming import warm_decoders
from saniwa.core.errors import ProcessError, StoreError
from saniwa.core.redaction import Redactor, find_environment_secrets
from saniwa.core.safe_open import read_small_file
from saniwa.core.text import escape_control_characters
from saniwa.process.submission import Visitor

QUESTIONS_FOLDER = "questions"
"""The folder of questions, next to the store."""
MOST_LISTED = 200
"""The most questions of one list."""
_LARGEST_QUESTION = 1_000_000
_QUESTION, _DECISION = ".question.json", ".decision.json"
_POLL_SECONDS = 0.5
_PRIVATE_MODE = 0o600


class ToolQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A tool call that waits for a person's decision."""

    id: str
    """The id of the question."""
    agent: str
    """The agent's name."""
    call: str
    """The call, as the agent's journal names it."""
    tool: str
    """The tool that it wants to use."""
    arguments: dict[str, Any]
    """The arguments; secrets are redacted."""
    reason: str
    """Why a person must decide."""
    may_have_run: bool
    """Whether the call was interrupted, so that it may have run already."""

    def describe(self) -> str:
        """Return the question in two lines, without control characters."""
        arguments = msgspec.json.encode(self.arguments, order="deterministic").decode()
        lines = f"{self.agent} wants to use {self.tool} {arguments}", self.reason
        return "\n".join(map(escape_control_characters, lines))


class ToolDecision(msgspec.Struct, frozen=True, kw_only=True):
    """What a person decides."""

    answer: Literal["run", "skip"]
    """Whether to run the call. A call that was interrupted is run again, or counts as done."""
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

    def ask(self, agent: str, request: ApprovalRequest) -> ToolQuestion:
        """Ask, durably; asked again, it is the same question.

        Raises:
            OSError: It cannot be written.
        """
        redaction = Redactor(find_environment_secrets(os.environ))
        question = ToolQuestion(
            id=identify_question(request.attempt, request.may_have_run),
            agent=agent,
            call=request.attempt,
            tool=request.call.name,
            arguments=redaction.redact_values(request.call.arguments),
            reason=redaction.redact_text(request.reason),
            may_have_run=request.may_have_run,
        )
        if self._folder is not None:
            make_folder(self._folder)
            content = msgspec.json.encode(question)
            write_atomically(self._folder, question.id + _QUESTION, content, _PRIVATE_MODE)
        return question

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
                if question.id == name and self.find_decision(name) is None:
                    found.append(question)
        return sorted(found, key=lambda each: each.call)

    def find_open(self, id: str) -> ToolQuestion:
        """Return a question that is not decided.

        Raises:
            StoreError: `QUESTION_NOT_FOUND`.
        """
        found = next((each for each in self.list_open() if each.id == id), None)
        if found is None:
            raise describe("QUESTION_NOT_FOUND", id=id).to_error(StoreError)
        return found

    def decide(self, id: str, decision: ToolDecision) -> None:
        """Answer a question, durably; the first answer counts.

        Raises:
            StoreError: `QUESTION_NOT_FOUND`: no such question is open.
            OSError: It cannot be written.
        """
        self.find_open(id)
        assert self._folder is not None, "there are no questions without a folder"
        try:
            with open_pending_file(self._folder, _PRIVATE_MODE) as file:
                file.write(msgspec.json.encode(decision))
                file.sync()
                file.link(id + _DECISION)
        except FileExistsError:
            raise describe("QUESTION_NOT_FOUND", id=id).to_error(StoreError) from None

    def find_decision(self, id: str) -> ToolDecision | None:
        """Return the decision about a question; None if there is none yet."""
        if self._folder is None:
            return None
        with suppress(OSError, msgspec.MsgspecError):
            content = read_small_file(self._folder / (id + _DECISION), _LARGEST_QUESTION)
            return msgspec.json.decode(content, type=ToolDecision)
        return None

    def withdraw(self, id: str) -> None:
        """Remove a question, with its decision."""
        if self._folder is not None:
            for ending in (_QUESTION, _DECISION):
                (self._folder / (id + ending)).unlink(missing_ok=True)


def identify_question(call: str, may_have_run: bool = False) -> str:
    """Return the id of the question about a call.

    Whether to run it, and what becomes of it after an interruption, are two questions: an
    answer to the first, given late, must not count for the second.
    """
    return sha256((f"{call}:interrupted" if may_have_run else call).encode()).hexdigest()[:32]


def may_decide(visitor: Visitor) -> bool:
    """Whether a visitor may answer questions: a person, and not an agent with a credential."""
    return visitor.person and visitor.role != AGENT_ROLE


def make_person_decision(
    visitor: Visitor, answer: Literal["run", "skip"], reason: str
) -> ToolDecision:
    """Return the decision of a visitor.

    Raises:
        ProcessError: `FORBIDDEN`: the visitor is no person.
    """
    if not may_decide(visitor):
        raise describe("FORBIDDEN/tool_question").to_error(ProcessError)
    return ToolDecision(answer=answer, reason=reason, by=visitor.name)


PersonPrompt = Callable[[ToolQuestion, Callable[[], bool]], ToolDecision | None]
"""Asks the person in front of the agent, in a thread.

Returns None as soon as the function that it is given says that an answer came from elsewhere.
"""


class QuestionApprover:
    """Asks a person, at every door at once; the first answer counts."""

    def __init__(
        self,
        agent: str,
        questions: ToolQuestions,
        *,
        wait: bool,
        prompt: PersonPrompt | None = None,
    ) -> None:
        """Ask for an agent.

        Args:
            agent: Its name.
            questions: Where other doors find the question.
            wait: Whether to wait until a person has decided.
            prompt: Asks the person in front of the agent, if there is one.
        """
        self._agent = agent
        self._questions = questions
        self._wait = wait
        self._prompt = prompt

    async def decide(self, request: ApprovalRequest) -> ApprovalDecision | None:
        """Return the decision; None if there is none yet and this approver does not wait."""
        id = identify_question(request.attempt, request.may_have_run)
        decision = self._questions.find_decision(id)
        if decision is None:
            question = self._questions.ask(self._agent, request)
            if self._prompt is not None:
                decision = await self._ask_here(question, self._prompt)
        while decision is None and self._wait:
            await asyncio.sleep(_POLL_SECONDS)
            decision = self._questions.find_decision(id)
        if decision is None:
            return None
        self._questions.withdraw(id)
        return ApprovalDecision(decision.answer, decision.reason, decision.by)

    def withdraw(self, request: ApprovalRequest) -> None:
        """Take back the question about a call that was decided in another way."""
        self._questions.withdraw(identify_question(request.attempt, request.may_have_run))

    async def _ask_here(self, question: ToolQuestion, prompt: PersonPrompt) -> ToolDecision | None:
        stopped = Event()

        def is_over() -> bool:
            return stopped.is_set() or self._questions.find_decision(question.id) is not None

        try:
            given = await asyncio.to_thread(prompt, question, is_over)
        finally:
            # A thread that waits for a key would keep an interrupted agent from ending.
            stopped.set()
        if given is not None:
            # Another person may have been first.
            with suppress(StoreError):
                self._questions.decide(question.id, given)
        return self._questions.find_decision(question.id) or given


warm_decoders(ToolQuestion, ToolDecision)
