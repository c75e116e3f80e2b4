"""The journal of an agent: writes entries, notifies listeners, and reads them again.

`JournalWriter` writes, `read_journal` restores an agent's state from the entries,
`render_entry` shows them. Where entries are stored is up to the `AgentJournal`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, Literal

import msgspec

from saniwa.agent import describe
from saniwa.agent.flow_navigator import Count, FlowMove, FlowPosition
from saniwa.agent.layer_contracts import (
    AgentProblem,
    IterationCarry,
    IterationSummary,
    Progress,
    QueryResult,
)
from saniwa.agent.prompt_quoting import read_prompt
from saniwa.core.clock import Clock
from saniwa.core.decoder_warming import warm_decoders
from saniwa.core.errors import StoreError
from saniwa.core.text import escape_control_characters, truncate
from saniwa.models.oracle import AnswerHistory, OracleMessage, ToolOutput, Usage, identify_answer
from saniwa.models.recording import AgentJournal

_REST = read_prompt(__file__, "rest_of_answer.en.md")
EntryListener = Callable[[Mapping[str, Any]], None]


class EventEmitter:
    """Listeners by event; `*` gets all of them."""

    def __init__(self) -> None:
        self._listeners: dict[object, tuple[str, EntryListener, bool]] = {}

    def on(self, event: str, listener: EntryListener, *, once: bool = False) -> Callable[[], None]:
        """Add a listener; the returned function removes it."""
        key = object()
        self._listeners[key] = (event, listener, once)

        def remove() -> None:
            self._listeners.pop(key, None)

        return remove

    def once(self, event: str, listener: EntryListener) -> Callable[[], None]:
        """Add a listener for the next event only."""
        return self.on(event, listener, once=True)

    @property
    def has_listeners(self) -> bool:
        """Whether there are listeners."""
        return bool(self._listeners)

    def emit(self, entry: Mapping[str, Any]) -> list[Exception]:
        """Notify the listeners of an entry, in the order in which they were added.

        A listener that raises is removed and its error returned: an agent does not end
        because a program that watches it fails.
        """
        problems: list[Exception] = []
        for key, (event, listener, once) in tuple(self._listeners.items()):
            if event not in ("*", entry["event"]) or key not in self._listeners:
                continue
            if once:
                del self._listeners[key]
            try:
                listener(entry)
            except Exception as problem:  # noqa: BLE001 - a host's own code; reported by the caller
                self._listeners.pop(key, None)
                problems.append(problem)
        return problems


class MemoryJournal:
    """A journal in memory; it ends with the process."""

    def __init__(self, entries: Iterable[Mapping[str, Any]] = ()) -> None:
        self._entries = [dict(entry) for entry in entries]

    def append(self, entry: Mapping[str, Any], *, lasting: bool = False) -> None:  # noqa: ARG002 - nothing here survives
        """Append an entry."""
        self._entries.append(dict(entry))

    def read_entries(self) -> Iterator[dict[str, Any]]:
        """Iterate over all entries."""
        return iter(list(self._entries))

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


class IterationCheckpoint(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True
):
    """The complete state after an iteration."""

    summary: IterationSummary
    """The iteration's summary."""
    position: FlowPosition
    """The position in the flow."""
    conversation_id: str | None = msgspec.field(default=None, name="sessionId")
    """The conversation."""
    carry: IterationCarry = IterationCarry()
    """What the next iteration is given."""
    checks: Count = 0
    """Step checks done so far."""
    completion: dict[str, Any] = {}
    """The state of the completion check."""
    usage: Usage = Usage()
    """What everything has cost so far."""
    undelivered: FlowMove | None = None
    """An escalation that could not be delivered yet."""
    refused: dict[str, Count] = {}
    """How often the same submission was refused, by its digest."""


class CallRecord(msgspec.Struct, frozen=True):
    """What a journal says about the tool calls of an unfinished iteration."""

    started: dict[str, dict[str, Any]] = {}
    """The notes of calls that were started, by attempt."""
    outputs: dict[str, ToolOutput] = {}
    """The results of calls that are finished, by attempt, in order."""


class PendingIteration(msgspec.Struct, frozen=True, kw_only=True):
    """An iteration that was interrupted."""

    iteration: int
    """Its number."""
    turn: int | None = None
    """The turn of the world when it began."""
    response: QueryResult | None = None
    """The answer, if it had arrived."""
    prompt: str = ""
    """The prompt, if tools were called since."""
    system: str = ""
    """The system prompt, if tools were called since."""
    rounds: tuple[QueryResult, ...] = ()
    """The answers so far that called tools, or were cut off and go on."""
    tool_calls: CallRecord = CallRecord()
    """The tool calls so far."""

    @property
    def answer(self) -> QueryResult | None:
        """The whole answer, if it had arrived."""
        return None if self.response is None else join_rest(self.rounds, self.response)

    @property
    def usage(self) -> Usage:
        """What its answers and tool calls have cost so far."""
        spent = Usage(tool_calls=len(self.tool_calls.outputs))
        for response in (*self.rounds, *filter(None, (self.response,))):
            spent += response.usage
        return spent

    @property
    def exchange(self) -> tuple[OracleMessage, ...]:
        """The tool calls and their results, as the model receives them."""
        return build_exchange(self.rounds, tuple(self.tool_calls.outputs.values()))


def build_exchange(
    rounds: Sequence[QueryResult], outputs: Sequence[ToolOutput]
) -> tuple[OracleMessage, ...]:
    """Build the messages that follow a prompt: calls of tools, and their results.

    `outputs` are in the order of the calls. Calls without a result are left out.
    """
    messages, results = list[OracleMessage](), iter(outputs)
    for response in rounds:
        messages.append(OracleMessage(role="assistant", text=response.text, calls=response.calls))
        messages += [
            OracleMessage(role="tool", text=output.text, call_id=call.id, tool=call.name)
            for call, output in zip(response.calls, results, strict=False)
        ]
        if response.goes_on:
            messages.append(OracleMessage(role="user", text=_REST))
    return tuple(messages)


def list_cut_answers(rounds: Sequence[QueryResult]) -> list[QueryResult]:
    """List the answers at the end that were cut off and go on."""
    return list(takewhile(lambda each: each.goes_on, reversed(rounds)))[::-1]


def join_rest(rounds: Sequence[QueryResult], response: QueryResult) -> QueryResult:
    """Return an answer together with what came of it before it was cut off."""
    cut = list_cut_answers(rounds)
    whole = "".join(each.text for each in (*cut, response))
    return msgspec.structs.replace(response, messages=(whole,)) if cut else response


class JournalSummary(msgspec.Struct, kw_only=True):
    """The contents of a journal."""

    name: str = ""
    """The name of this run of the agent."""
    definition: str = ""
    """The hash of the definition it was started with."""
    about: dict[str, Any] = {}
    """What was recorded about it at the start: where it acts, which model it asks."""
    arguments: dict[str, str] = {}
    """The user's arguments at the start."""
    last: IterationCheckpoint | None = None
    """The last checkpoint; None if no iteration ended."""
    progress: Progress = Progress()
    """The same, for the loop."""
    response: QueryResult | None = None
    """The model's answer in the last iteration."""
    pending: PendingIteration | None = None
    """An iteration that was interrupted."""
    past: AnswerHistory = AnswerHistory()
    """Every question that was asked and every answer that was used."""
    conversation_id: str | None = None
    """The conversation it was in."""
    talk: tuple[OracleMessage, ...] = ()
    """The messages of that conversation."""
    ended: bool = False
    """Whether the agent had ended."""
    became: str = "cut off"
    """Its outcome: `done`, an error's code, or `cut off`."""
    problem: AgentProblem | None = None
    """The error that stopped it, if any."""

    @property
    def total_usage(self) -> Usage:
        """What it has cost so far, including an answer that was not used yet."""
        spent = self.last.usage if self.last is not None else Usage()
        return spent + self.pending.usage if self.pending is not None else spent


def read_journal(entries: Iterable[Mapping[str, Any]]) -> JournalSummary:
    """Read a journal.

    Raises:
        StoreError: `TRACE_CORRUPT` for entries that no agent wrote.
    """
    reader = _JournalReader()
    for number, entry in enumerate(entries):
        try:
            reader.read_entry(entry)
        except (KeyError, TypeError, ValueError, RecursionError) as problem:
            raise describe("TRACE_CORRUPT/journal", number=number + 1, problem=problem).to_error(
                StoreError
            ) from problem
    return reader.build_summary()


class _JournalReader:
    """Reads entries one by one."""

    def __init__(self) -> None:
        self._journal = JournalSummary()
        self._summaries: list[IterationSummary] = []
        self._answered = 0
        self._asked: list[tuple[str, str]] = []
        """The key of each question, and the answer that was used."""
        self._checked: list[tuple[str, str]] = []
        self._talk: list[OracleMessage] = []
        self._calls: list[str] = []
        self._prompt = ""
        self._system = ""
        self._begun = False

    def read_entry(self, entry: Mapping[str, Any]) -> None:
        if not self._begun and entry["event"] != "initialized":
            raise TypeError("its first entry is not the start of a run")
        journal = self._journal
        match msgspec.convert(entry["event"], str):
            case "initialized":
                self._read_beginning(entry)
            case "iterationStart":
                self._read_start(entry)
            case "promptBuilt":
                self._prompt = msgspec.convert(entry["prompt"], str)
                self._system = msgspec.convert(entry.get("system", self._system), str)
            case "queryExecuted" if journal.pending is not None:
                response = msgspec.convert(entry["response"], QueryResult)
                self._read_answer(journal.pending, response)
            case "toolStarted" | "toolFinished" if journal.pending is not None:
                self._read_tool_call(journal.pending, entry)
            case "stepChecked" if entry.get("key"):
                exchange = (entry["key"], entry["answer"])
                self._checked.append(msgspec.convert(exchange, tuple[str, str]))
            case "iterationEnd":
                self._read_checkpoint(msgspec.convert(entry["state"], IterationCheckpoint))
            case "completed":
                journal.ended, journal.became = True, "done"
            case "error":
                problem = msgspec.convert(entry["error"], AgentProblem)
                journal.problem, journal.became = problem, problem.code
                journal.ended = not problem.recoverable

    def _read_beginning(self, entry: Mapping[str, Any]) -> None:
        journal = self._journal
        journal.name = msgspec.convert(entry["agentRun"], str)
        journal.definition = msgspec.convert(entry["definition"], str)
        journal.about = msgspec.convert(entry.get("about", {}), dict[str, Any])
        journal.arguments = msgspec.convert(entry.get("arguments", {}), dict[str, str])
        journal.ended, journal.became, journal.problem = False, "cut off", None
        self._begun = True

    def _read_start(self, entry: Mapping[str, Any]) -> None:
        started = {"iteration": entry["iteration"], "turn": entry.get("turn")}
        new, old = msgspec.convert(started, PendingIteration), self._journal.pending
        goes_on = old is not None and old.iteration == new.iteration
        if old is None or not goes_on or not (old.rounds or old.response):
            # An answer that had arrived, and the tools that ran, still count when the
            # iteration goes on.
            self._journal.pending = new
        self._checked.clear()

    def _read_tool_call(self, pending: PendingIteration, entry: Mapping[str, Any]) -> None:
        attempt, past = msgspec.convert(entry["attempt"], str), pending.tool_calls
        if entry["event"] == "toolStarted":
            note = msgspec.convert(entry["note"], dict[str, Any])
            past = msgspec.structs.replace(past, started=past.started | {attempt: note})
        else:
            output = msgspec.convert(entry["output"], ToolOutput)
            past = msgspec.structs.replace(past, outputs=past.outputs | {attempt: output})
            self._calls.append(msgspec.convert(entry["key"], str))
        self._journal.pending = msgspec.structs.replace(pending, tool_calls=past)

    def _read_answer(self, pending: PendingIteration, response: QueryResult) -> None:
        if response.calls or response.goes_on:
            self._asked.append((response.key, identify_answer(response.text, response.calls)))
            self._journal.pending = msgspec.structs.replace(
                pending,
                rounds=(*pending.rounds, response),
                prompt=self._prompt,
                system=self._system,
            )
            return
        if pending.iteration > self._answered:
            # Counted once, even if the answer was written again after a crash.
            self._answered = pending.iteration
            self._asked.append((response.key, response.text))
        self._journal.pending = msgspec.structs.replace(pending, response=response)

    def _read_checkpoint(self, state: IterationCheckpoint) -> None:
        journal = self._journal
        if journal.pending is None or journal.pending.response is None:
            raise TypeError("an iteration ends that had no answer")
        # Checks of an interrupted iteration are asked again; those of a finished one
        # are not.
        self._asked += self._checked
        self._checked.clear()
        journal.response = journal.pending.answer
        last = journal.pending.response.text
        self._add_exchange(state.conversation_id, journal.pending, last)
        journal.last, journal.pending, self._prompt = state, None, ""
        self._summaries.append(state.summary)

    def _add_exchange(
        self, conversation_id: str | None, pending: PendingIteration, answer: str
    ) -> None:
        if conversation_id != self._journal.conversation_id:
            self._talk.clear()
        self._journal.conversation_id = conversation_id
        if conversation_id is not None and self._prompt:
            self._talk.append(OracleMessage(role="user", text=self._prompt))
            self._talk += pending.exchange
            self._talk.append(OracleMessage(role="assistant", text=answer))

    def build_summary(self) -> JournalSummary:
        """Return what was read."""
        journal = self._journal
        if journal.pending is not None and journal.pending.response is not None:
            # The answer had arrived, so it belongs to the conversation.
            response = journal.pending.response
            self._add_exchange(response.conversation_id, journal.pending, response.text)
        if journal.last is not None:
            journal.progress = Progress(
                conversation_id=journal.last.conversation_id,
                iteration=journal.last.summary.iteration,
                summaries=tuple(self._summaries),
                carry=journal.last.carry,
            )
        journal.past = AnswerHistory(
            keys=tuple(key for key, _ in self._asked if key),
            texts=tuple(text for _, text in self._asked),
            calls=tuple(self._calls),
        )
        journal.talk = tuple(self._talk)
        return journal


warm_decoders(IterationCheckpoint, PendingIteration, AgentProblem, QueryResult, ToolOutput)


class JournalWriter:
    """Writes the entries of one loop."""

    def __init__(self, journal: AgentJournal, events: EventEmitter, clock: Clock) -> None:
        self._journal = journal
        self._emitter = events
        self._clock = clock
        self._system = ""

    def write_entry(self, event: str, *, lasting: bool = False, **fields: Any) -> None:
        """Store an entry and notify listeners.

        A listener that fails is reported and removed.
        """
        entry = {"event": event, "at": self._clock.now(), **fields}
        self._journal.append(entry, lasting=lasting)
        for problem in self._emitter.emit(entry):
            message = f"a listener failed: {type(problem).__name__}: {problem}"
            self._journal.append({"event": "warning", "message": message})

    def write_prompt(self, prompt: str, system: str) -> None:
        """Write the prompt; the system prompt only if it has changed."""
        fields: dict[str, Any] = {"prompt": prompt}
        if system != self._system:
            self._system = fields["system"] = system
        self.write_entry("promptBuilt", **fields)

    def emit_piece(self, piece: str) -> None:
        """Send a piece of an answer to listeners; it is not stored."""
        self._emitter.emit({"event": "piece", "text": piece})


LineKind = Literal["step", "yes", "no"]
LinePainter = Callable[[str, LineKind], str]
"""Colors a piece of a line."""
LONGEST_LINE = 300
"""The most characters of one text in a line."""


def render_entry(entry: Mapping[str, Any], paint: LinePainter = lambda text, _: text) -> list[str]:
    """Render an entry as lines to show; none for entries that only programs need."""
    match entry["event"]:
        case "iterationStart":
            return [paint(_flatten_line(f"{entry['iteration']} {entry['step']}"), "step")]
        case "toolFinished":
            word = paint("failed", "no") if entry["output"].get("failed") else paint("done", "yes")
            text = _flatten_line(entry["output"]["text"])
            return [f"  {_flatten_line(entry['tool']) or 'a tool call'}: {word}: {text}"]
        case "toolDecided" if entry.get("by"):
            refused = "says it counts as done" if entry.get("interrupted") else "refused"
            word = paint("agreed", "yes") if entry["answer"] == "run" else paint(refused, "no")
            why = f": {_flatten_line(entry['reason'])}" if entry["reason"] else ""
            return [f"  {_flatten_line(entry['tool'])}: {_flatten_line(entry['by'])} {word}{why}"]
        case "actionExecuted":
            return [_render_result(result, paint) for result in entry["results"]]
        case "stepChecked":
            return [_render_note("check passed" if entry["passed"] else "check failed", entry)]
        case "waiting":
            return [_render_note("waiting", entry)]
        case "escalated":
            route = _flatten_line(f"{entry['step']} → {entry['to']} ({entry['how']})")
            return [_render_note(f"escalated: {route}", entry)]
        case "warning":
            return [f"  warning: {_flatten_line(entry['message'])}"]
        case "completed":
            return [_render_note("done", entry)]
        case "error":
            code, message = (_flatten_line(entry["error"][part]) for part in ("code", "message"))
            return [f"  error[{code}]: {message}"]
    return []


def _render_note(what: str, entry: Mapping[str, Any]) -> str:
    return f"  {what}: {_flatten_line(entry['reason'])}"


def _render_result(result: Mapping[str, Any], paint: LinePainter) -> str:
    if result["success"]:
        word = paint("done", "yes")
    else:
        word = paint(_flatten_line(f"refused ({result.get('code', '')})"), "no")
    message = _flatten_line(result.get("message", ""))
    return f"  {_flatten_line(result['type'])}: {word}" + (f": {message}" if message else "")


def _flatten_line(text: str) -> str:
    return truncate(escape_control_characters(" ".join(text.split())), LONGEST_LINE)
