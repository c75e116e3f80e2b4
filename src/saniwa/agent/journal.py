"""What an agent writes down as it goes, who hears of it, and how it is read again."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

import msgspec

from saniwa.agent.contract import QueryResult
from saniwa.agent.flow import Count, FlowMove, FlowPosition
from saniwa.agent.progress import (
    AgentProblem,
    IterationCarry,
    IterationSummary,
    Progress,
)
from saniwa.core.clock import Clock
from saniwa.core.errors import StoreError
from saniwa.core.text import escape_control_characters, truncate
from saniwa.core.warm_decoders import warm_decoders
from saniwa.models.oracle import AnswerHistory, OracleMessage, Usage
from saniwa.models.ports import AgentJournal

EntryListener = Callable[[Mapping[str, Any]], None]


class EventEmitter:
    """Listeners by event; `*` hears all of them."""

    def __init__(self) -> None:
        self._listeners: list[tuple[str, EntryListener, bool]] = []

    def on(self, event: str, listener: EntryListener) -> Callable[[], None]:
        """Listen from now on; what comes back ends this listening and no other."""
        return self._add_listener(event, listener, once=False)

    def once(self, event: str, listener: EntryListener) -> Callable[[], None]:
        """Listen for the next one only."""
        return self._add_listener(event, listener, once=True)

    @property
    def has_listeners(self) -> bool:
        """Whether anybody listens."""
        return bool(self._listeners)

    def emit(self, entry: Mapping[str, Any]) -> list[Exception]:
        """Tell everybody who listens for it, in the order in which they began to.

        A listener that raises hears nothing more; what it raised comes back, for an agent
        does not end because somebody who watches it does.
        """
        problems: list[Exception] = []
        for one in tuple(self._listeners):
            event, listener, once = one
            if event not in ("*", entry["event"]) or not self._is_registered(one):
                continue
            if once:
                self._drop_listener(one)
            try:
                listener(entry)
            except Exception as problem:  # noqa: BLE001 - a host's own code; told by the caller
                self._drop_listener(one)
                problems.append(problem)
        return problems

    def _is_registered(self, one: tuple[str, EntryListener, bool]) -> bool:
        return any(one is each for each in self._listeners)

    def _add_listener(
        self, event: str, listener: EntryListener, *, once: bool
    ) -> Callable[[], None]:
        one = (event, listener, once)
        self._listeners.append(one)
        return lambda: self._drop_listener(one)

    def _drop_listener(self, one: tuple[str, EntryListener, bool]) -> None:
        self._listeners = [each for each in self._listeners if each is not one]


class MemoryJournal:
    """A journal that lasts as long as the program."""

    def __init__(self, entries: Iterable[Mapping[str, Any]] = ()) -> None:
        self._entries = [dict(entry) for entry in entries]

    def append(self, entry: Mapping[str, Any], *, lasting: bool = False) -> None:  # noqa: ARG002 - nothing here survives
        """Keep an entry."""
        self._entries.append(dict(entry))

    def read_entries(self) -> Iterator[dict[str, Any]]:
        """Everything kept so far."""
        return iter(list(self._entries))

    def close(self) -> None:
        """There is nothing to let go of."""


class IterationCheckpoint(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True
):
    """Where everything stood after an iteration."""

    summary: IterationSummary
    """The iteration."""
    position: FlowPosition
    """Where the flow stands."""
    conversation_id: str | None = msgspec.field(default=None, name="sessionId")
    """The conversation."""
    carry: IterationCarry = IterationCarry()
    """What the next iteration is handed."""
    checks: Count = 0
    """Step checks asked so far."""
    completion: dict[str, Any] = {}
    """What the completion remembers."""
    usage: Usage = Usage()
    """What everything has cost."""
    undelivered: FlowMove | None = None
    """An escalation that could not be told yet."""
    refused: dict[str, Count] = {}
    """How often the same submission was refused, by its digest."""


class PendingIteration(msgspec.Struct, frozen=True, kw_only=True):
    """An iteration that was cut off."""

    iteration: int
    """Its number."""
    turn: int | None = None
    """Where the floor's world stood when it began."""
    response: QueryResult | None = None
    """The answer, if it had come."""


class _AskedQuestion(NamedTuple):
    """A question and the answer that was used."""

    key: str
    text: str


class JournalSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A journal, read."""

    name: str = ""
    """What the agent calls this playing of itself."""
    definition: str = ""
    """The hash of the definition it was begun with."""
    about: dict[str, Any] = {}
    """What was said of it when it was begun: where it stands, whom it asks."""
    arguments: dict[str, str] = {}
    """What its user said when it was begun."""
    last: IterationCheckpoint | None = None
    """Where it stood; None if no iteration ended."""
    progress: Progress = Progress()
    """The same, for the loop."""
    response: QueryResult | None = None
    """What the model said in the last iteration."""
    pending: PendingIteration | None = None
    """An iteration that was cut off."""
    past: AnswerHistory = AnswerHistory()
    """Every question that was asked and every answer that was used."""
    conversation_id: str | None = None
    """The conversation it was in."""
    talk: tuple[OracleMessage, ...] = ()
    """What was said in it."""
    ended: bool = False
    """Whether it had come to its end."""
    became: str = "cut off"
    """What became of it: `done`, an error's code, or `cut off`."""
    problem: AgentProblem | None = None
    """What had stopped it, where something had."""

    @property
    def total_usage(self) -> Usage:
        """What it has cost so far, an answer that had come included."""
        spent = self.last.usage if self.last is not None else Usage()
        if self.pending is not None and self.pending.response is not None:
            spent += self.pending.response.usage
        return spent


def read_journal(entries: Iterable[Mapping[str, Any]]) -> JournalSummary:
    """What a journal tells.

    Raises:
        StoreError: `TRACE_CORRUPT` for entries no agent wrote.
    """
    reader = _JournalReader()
    for number, entry in enumerate(entries):
        try:
            reader.read_entry(entry)
        except (KeyError, TypeError, ValueError, RecursionError) as problem:
            raise StoreError(
                "TRACE_CORRUPT",
                f"entry {number + 1} of the journal cannot be read: {problem}",
                hint="bring the journal back from a copy, or begin anew",
            ) from problem
    return reader.build_summary()


class _JournalReader:
    """Reads entries one by one."""

    def __init__(self) -> None:
        self._name = self._definition = ""
        self._about = dict[str, Any]()
        self._arguments = dict[str, str]()
        self._last: IterationCheckpoint | None = None
        self._response: QueryResult | None = None
        self._summaries: list[IterationSummary] = []
        self._pending: PendingIteration | None = None
        self._answered = 0
        self._asked: list[_AskedQuestion] = []
        self._checked: list[_AskedQuestion] = []
        self._conversation_id: str | None = None
        self._talk: list[OracleMessage] = []
        self._prompt = ""
        self._ended = False
        self._became = "cut off"
        self._problem: AgentProblem | None = None
        self._begun = False

    def read_entry(self, entry: Mapping[str, Any]) -> None:
        if not self._begun and entry["event"] != "initialized":
            raise TypeError("it does not begin with its beginning")
        match entry["event"]:
            case "initialized":
                self._read_beginning(entry)
            case "iterationStart":
                self._pending = msgspec.convert(
                    {"iteration": entry["iteration"], "turn": entry.get("turn")},
                    PendingIteration,
                )
                self._checked.clear()
            case "promptBuilt":
                self._prompt = msgspec.convert(entry["prompt"], str)
            case "queryExecuted" if self._pending is not None:
                self._read_answer(msgspec.convert(entry["response"], QueryResult))
            case "stepChecked" if entry.get("key"):
                asked = (entry["key"], entry["answer"])
                self._checked.append(
                    _AskedQuestion(*msgspec.convert(asked, tuple[str, str]))
                )
            case "iterationEnd":
                self._read_checkpoint(
                    msgspec.convert(entry["state"], IterationCheckpoint)
                )
            case "completed":
                self._ended, self._became = True, "done"
            case "error":
                self._problem = msgspec.convert(entry["error"], AgentProblem)
                self._ended = not self._problem.recoverable
                self._became = self._problem.code
            case str():
                pass
            case unknown:
                raise TypeError(f"{unknown!r} is no event")

    def _read_beginning(self, entry: Mapping[str, Any]) -> None:
        self._name = msgspec.convert(entry["agentRun"], str)
        self._definition = msgspec.convert(entry["definition"], str)
        self._about = msgspec.convert(entry.get("about", {}), dict[str, Any])
        self._arguments = msgspec.convert(entry.get("arguments", {}), dict[str, str])
        self._ended, self._became, self._problem = False, "cut off", None
        self._begun = True

    def _read_answer(self, response: QueryResult) -> None:
        assert self._pending is not None, "an answer belongs to an iteration"
        if self._pending.iteration > self._answered:
            # Not again for an answer that was carried over a crash.
            self._answered = self._pending.iteration
            self._asked.append(_AskedQuestion(response.key, response.text))
        self._pending = msgspec.structs.replace(self._pending, response=response)

    def _read_checkpoint(self, state: IterationCheckpoint) -> None:
        if self._pending is None or self._pending.response is None:
            raise TypeError("an iteration ends that had no answer")
        # Checks of an iteration that was cut off are asked again; those that ended not.
        self._asked += self._checked
        self._checked.clear()
        self._response = self._pending.response
        self._add_exchange(state.conversation_id, self._response.text)
        self._last, self._pending, self._prompt = state, None, ""
        self._summaries.append(state.summary)

    def _add_exchange(self, conversation_id: str | None, answer: str) -> None:
        if conversation_id != self._conversation_id:
            self._talk.clear()
        self._conversation_id = conversation_id
        if conversation_id is not None and self._prompt:
            self._talk.append(OracleMessage(role="user", text=self._prompt))
            self._talk.append(OracleMessage(role="assistant", text=answer))

    def build_summary(self) -> JournalSummary:
        """All of it."""
        if self._pending is not None and self._pending.response is not None:
            # The answer had come, so the model has said it: it belongs to the talk.
            response = self._pending.response
            self._add_exchange(response.conversation_id, response.text)
        progress = Progress()
        if self._last is not None:
            progress = Progress(
                conversation_id=self._last.conversation_id,
                iteration=self._last.summary.iteration,
                summaries=tuple(self._summaries),
                carry=self._last.carry,
            )
        return JournalSummary(
            name=self._name,
            definition=self._definition,
            about=self._about,
            arguments=self._arguments,
            last=self._last,
            response=self._response,
            past=AnswerHistory(
                keys=tuple(each.key for each in self._asked if each.key),
                texts=tuple(each.text for each in self._asked),
            ),
            progress=progress,
            pending=self._pending,
            conversation_id=self._conversation_id,
            talk=tuple(self._talk),
            ended=self._ended,
            became=self._became,
            problem=self._problem,
        )


warm_decoders(IterationCheckpoint, PendingIteration, AgentProblem, QueryResult)


class JournalWriter:
    """One loop's entries."""

    def __init__(self, journal: AgentJournal, bell: EventEmitter, clock: Clock) -> None:
        self._journal = journal
        self._bell = bell
        self._clock = clock
        self._system = ""

    def write_entry(self, event: str, *, lasting: bool = False, **fields: Any) -> None:
        """Keep an entry and tell it; a listener that fails is told of, and is no longer."""
        entry = {"event": event, "at": self._clock.now(), **fields}
        self._journal.append(entry, lasting=lasting)
        for problem in self._bell.emit(entry):
            message = f"a listener failed: {type(problem).__name__}: {problem}"
            self._journal.append({"event": "warning", "message": message})

    def write_prompt(self, prompt: str, system: str) -> None:
        """The prompt; the system prompt only where it is another than before."""
        told: dict[str, Any] = {"prompt": prompt}
        if system != self._system:
            self._system = told["system"] = system
        self.write_entry("promptBuilt", **told)

    def write_answer(self, response: QueryResult) -> None:
        """The answer, kept before anything is done with it: it is not asked for again."""
        self.write_entry(
            "queryExecuted", lasting=True, response=msgspec.to_builtins(response)
        )

    def write_checkpoint(self, state: IterationCheckpoint) -> None:
        """The end of an iteration, which counts from here on.

        What the model said stands in the journal already, and is not written again.
        """
        self.write_entry("iterationEnd", lasting=True, state=msgspec.to_builtins(state))

    def emit_piece(self, piece: str) -> None:
        """A piece of an answer that is coming; told, and not kept."""
        self._bell.emit({"event": "piece", "text": piece})

    @property
    def has_listeners(self) -> bool:
        """Whether anybody listens."""
        return self._bell.has_listeners


LineKind = Literal["step", "yes", "no"]
LinePainter = Callable[[str, LineKind], str]
"""Gives a piece of a line its colour."""
LONGEST_LINE = 300
"""Letters of one text in a line."""


def render_entry(
    entry: Mapping[str, Any], paint: LinePainter = lambda text, _: text
) -> list[str]:
    """The lines for an entry, fit to be shown; none for what only machines want to know."""
    match entry["event"]:
        case "iterationStart":
            return [
                paint(_flatten_line(f"{entry['iteration']} {entry['step']}"), "step")
            ]
        case "actionExecuted":
            return [_render_result(result, paint) for result in entry["results"]]
        case "stepChecked":
            word = "passed" if entry["passed"] else "failed"
            return [f"  check {word}: {_flatten_line(entry['reason'])}"]
        case "waiting":
            return [f"  waiting: {_flatten_line(entry['reason'])}"]
        case "escalated":
            told = f"{entry['step']} → {entry['to']} ({entry['how']})"
            return [
                f"  escalated: {_flatten_line(told)}: {_flatten_line(entry['reason'])}"
            ]
        case "warning":
            return [f"  warning: {_flatten_line(entry['message'])}"]
        case "completed":
            return [f"  done: {_flatten_line(entry['reason'])}"]
        case "error":
            problem = entry["error"]
            return [
                f"  error: [{_flatten_line(problem['code'])}] {_flatten_line(problem['message'])}"
            ]
    return []


def _render_result(result: Mapping[str, Any], paint: LinePainter) -> str:
    if result["success"]:
        word = paint("done", "yes")
    else:
        word = paint(_flatten_line(f"refused ({result.get('code', '')})"), "no")
    said = _flatten_line(result.get("message", ""))
    return f"  {_flatten_line(result['type'])}: {word}" + (f": {said}" if said else "")


def _flatten_line(text: str) -> str:
    return truncate(escape_control_characters(" ".join(text.split())), LONGEST_LINE)
