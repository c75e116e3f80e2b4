"""Agents at work: their questions about tool calls, and their journals."""

import asyncio
from typing import Annotated, Literal

import msgspec

from saniwa.agent.journal_view import JournalIteration, JournalOverview
from saniwa.app.caller import make_sign_in_error
from saniwa.app.operations import operation
from saniwa.app.operations.operation import OperationCall, ResultPage, define
from saniwa.app.tool_call_questions import ToolQuestion, ToolQuestions, make_person_decision


@define("GET /agents/questions", tools=("list_tool_questions",))
async def list_tool_questions(call: OperationCall) -> ResultPage[ToolQuestion]:
    """List the tool calls that wait for a person's decision."""
    questions = ToolQuestions(call.workspace.places.store)
    return ResultPage(await asyncio.to_thread(questions.list_open))


class ToolAnswerRequest(operation.RequestRecord, frozen=True, kw_only=True):
    """A person's decision about a tool call."""

    answer: Literal["run", "skip"]
    """Whether to run the call. A call that was interrupted is run again, or counts as done."""
    reason: operation.ShortName = ""
    """The reason, passed on to the agent."""


@define(
    "POST /agents/questions/{question}",
    "SIGN_IN_NEEDED QUESTION_NOT_FOUND",
    tools=("answer_tool_question",),
    needs="play",
)
async def answer_tool_question(call: OperationCall, body: ToolAnswerRequest) -> None:
    """Decide about a waiting tool call; only for people who signed in."""
    if not call.caller.visitor.person:
        raise make_sign_in_error("only a person may decide about an agent's tool call")
    decision = make_person_decision(call.caller.visitor, body.answer, body.reason)
    questions = ToolQuestions(call.workspace.places.store)
    await asyncio.to_thread(questions.decide, call.path["question"], decision)


class JournalListQuery(operation.RequestRecord, frozen=True, kw_only=True):
    """Which journals to list; the newest first."""

    run: operation.ShortName = ""
    """Only those of agents that work at this run of a process."""
    limit: Annotated[int, msgspec.Meta(ge=1, le=100)] = 20
    """How many at most; a page may have fewer and still not be the last."""
    after: operation.ShortName = ""
    """The journal to go on behind."""


class JournalQuery(operation.RequestRecord, frozen=True, kw_only=True):
    """Which iterations to show; the newest first."""

    tool: operation.ShortName = ""
    """Only those that called this tool."""
    refused: bool = False
    """Only those in which a call was refused or failed, or an action was refused."""
    iteration: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 0
    """Only this one; 0 for all."""
    limit: Annotated[int, msgspec.Meta(ge=1, le=50)] = 20
    """How many at most; a page may have fewer and still not be the last."""
    after: operation.ShortName = ""
    """The part of the journal to go on behind."""


class JournalPage(msgspec.Struct, frozen=True, kw_only=True):
    """A journal: its totals, and some of its iterations."""

    journal: JournalOverview
    """The agent, its status and its totals."""
    items: list[JournalIteration]
    """The iterations."""
    next: str | None = None
    """The value of `after` for the next page; null on the last page."""


@define("GET /agents/journals")
def list_agent_journals(
    call: OperationCall, query: JournalListQuery
) -> ResultPage[JournalOverview]:
    """List the journals of the project's agents, newest first."""
    journals = call.workspace.journals
    found, rest = journals.list_journals(query.run, query.after, query.limit)
    return ResultPage(found, rest or None)


@define("GET /agents/journals/{journal}", "RUN_NOT_FOUND STORE_UNREADABLE")
def read_agent_journal(call: OperationCall, query: JournalQuery) -> JournalPage:
    """Read an agent's journal: prompts, answers, tool calls, rulings, totals."""
    filters = msgspec.structs.asdict(query)
    found = call.workspace.journals.read_iterations(call.path["journal"], **filters)
    journal, iterations, rest = found
    return JournalPage(journal=journal, items=iterations, next=rest or None)


@define(
    "GET /agents/journals/{journal}/live",
    "RUN_NOT_FOUND STORE_UNREADABLE",
    media="text/event-stream",
)
async def watch_agent_journal(call: OperationCall) -> operation.RevisionStream:
    """Stream new entries of an agent's journal, as server-sent events."""
    id = call.path["journal"]

    async def look() -> int:
        overview = await asyncio.to_thread(call.workspace.journals.read_overview, id)
        return overview.entries

    await look()
    return operation.RevisionStream(id, look)
