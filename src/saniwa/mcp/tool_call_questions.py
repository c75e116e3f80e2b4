"""The tools of a person's server for questions of agents about their tool calls.

An agent's server does not have them.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Annotated, Any, Literal

import msgspec
from msgspec.structs import replace

from saniwa.app.operations import agent_oversight
from saniwa.app.tool_call_questions import ToolQuestion, ToolQuestions, make_person_decision
from saniwa.core.decoder_warming import warm_decoders
from saniwa.core.errors import ProtocolError
from saniwa.mcp.confirmation import Confirmation, make_reason_field
from saniwa.mcp.tool import ToolArguments, ToolReply, declare_tool
from saniwa.process.submission import Visitor

_LONGEST_WAIT = 60
_LONGEST_REASON = 200


class ListQuestionsArguments(ToolArguments, frozen=True, kw_only=True):
    """How long to wait for a question."""

    seconds: Annotated[float, msgspec.Meta(ge=0, le=_LONGEST_WAIT)] = 0


class AnswerQuestionArguments(ToolArguments, frozen=True, kw_only=True):
    """A question, and its answer where the client cannot ask for it."""

    question: str
    answer: Literal["run", "skip"] | msgspec.UnsetType = msgspec.UNSET
    reason: Annotated[str, msgspec.Meta(max_length=_LONGEST_REASON)] = ""


class ToolQuestionsAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The open questions."""

    questions: tuple[ToolQuestion, ...]
    """In the order of their calls."""


class DecidedQuestionAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A question that is decided."""

    question: str
    """Its id."""
    answer: Literal["run", "skip"]
    """Whether the call runs."""
    reason: str
    """Why."""
    by: str
    """The person."""


class QuestionTools:
    """The questions of agents, for the person whose server this is."""

    def __init__(self, questions: ToolQuestions, visitor: Visitor) -> None:
        """Use the questions next to a store; `visitor` is the server's."""
        self._questions = questions
        self._visitor = visitor

    @declare_tool(agent_oversight.list_tool_questions, ToolQuestionsAnswer)
    def list_tool_questions(self, arguments: ListQuestionsArguments) -> ToolReply:
        """List the open questions; the server asks again until there is one."""
        found = tuple(self._questions.list_open())
        lines = [f"{each.id}: {each.describe()}" for each in found]
        text = "\n".join(lines) or "No tool call is waiting for a decision."
        again = None if found else arguments
        return ToolReply(ToolQuestionsAnswer(questions=found), text, again=again)

    @declare_tool(agent_oversight.answer_tool_question, DecidedQuestionAnswer)
    def answer_tool_question(self, arguments: AnswerQuestionArguments) -> ToolReply:
        """Answer a question."""
        if arguments.answer is msgspec.UNSET:
            raise ProtocolError(
                "INVALID_PAYLOAD",
                "this client cannot ask its user, and no answer was given",
                hint="ask the person, and send what they say: answer run or skip",
            )
        decision = make_person_decision(self._visitor, arguments.answer, arguments.reason)
        self._questions.decide(arguments.question, decision)
        answer = DecidedQuestionAnswer(
            question=arguments.question, **msgspec.structs.asdict(decision)
        )
        return ToolReply(answer, f"Decided: {decision.answer}, by {decision.by}.")

    def find_confirmation(self, arguments: object) -> Confirmation | None:
        """Return what a person is asked before an answer; None if it is none.

        Raises:
            StoreError: `QUESTION_NOT_FOUND`.
        """
        if not isinstance(arguments, AnswerQuestionArguments):
            return None
        question = self._questions.find_open(arguments.question)
        shown = question.describe()
        digest = sha256(shown.encode()).hexdigest()

        def make_arguments(seen: str, sent: Mapping[str, Any]) -> AnswerQuestionArguments | None:
            if seen != digest or sent.get("answer") not in ("run", "skip"):
                return None
            reason = str(sent.get("reason") or "")[:_LONGEST_REASON]
            return replace(arguments, answer=sent["answer"], reason=reason)

        skipped = "counts as done" if question.may_have_run else "does not run"
        again = " again" if question.may_have_run else ""
        choice = {
            "type": "string",
            "title": "Answer",
            "description": f"run: the call runs{again}; skip: it {skipped}.",
            "enum": ["run", "skip"],
        }
        form = {
            "answer": choice,
            "reason": make_reason_field("The reason, passed on to the agent."),
        }
        return Confirmation(shown, form, digest, make_arguments)


warm_decoders(ListQuestionsArguments, AnswerQuestionArguments)
