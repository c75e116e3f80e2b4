"""An agent's journal: what is written down as it goes, and how it is carried on.

The last `iterationEnd` holds where everything stood. What follows it belongs to an
iteration that was cut off: an answer that had come is used and not asked for again, and
what was done is done under the same name, so that nothing happens twice.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from saniwa.agent.bridges.past import Past
from saniwa.agent.contract import QueryResult
from saniwa.agent.oracle import Message, Usage
from saniwa.agent.progress import Carry, IterationSummary, Problem, Progress
from saniwa.agent.walking.position import Count, Position, Walked
from saniwa.core.errors import StoreError
from saniwa.core.ready import ready


class MemoryJournal:
    """A journal that lasts as long as the program."""

    def __init__(self, entries: Iterable[Mapping[str, Any]] = ()) -> None:
        self._entries = [dict(entry) for entry in entries]

    def append(self, entry: Mapping[str, Any], *, lasting: bool = False) -> None:  # noqa: ARG002 - nothing here survives
        """Keep an entry."""
        self._entries.append(dict(entry))

    def entries(self) -> Iterator[dict[str, Any]]:
        """Everything kept so far."""
        return iter(list(self._entries))

    def close(self) -> None:
        """There is nothing to let go of."""


class Checkpoint(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True
):
    """Where everything stood after an iteration."""

    summary: IterationSummary
    """The iteration."""
    position: Position
    """Where the flow stands."""
    conversation_id: str | None = msgspec.field(default=None, name="sessionId")
    """The conversation."""
    carry: Carry = Carry()
    """What the next iteration is handed."""
    checks: Count = 0
    """Step checks asked so far."""
    completion: dict[str, Any] = {}
    """What the completion remembers."""
    usage: Usage = Usage()
    """What everything has cost."""
    undelivered: Walked | None = None
    """An escalation that could not be told yet."""
    refused: dict[str, Count] = {}
    """How often the same submission was refused, by its digest."""


class Pending(msgspec.Struct, frozen=True, kw_only=True):
    """An iteration that was cut off."""

    iteration: int
    """Its number."""
    turn: int | None = None
    """Where the floor's world stood when it began."""
    response: QueryResult | None = None
    """The answer, if it had come."""


class _Asked(NamedTuple):
    """A question and the answer that was used."""

    key: str
    text: str


class Story(msgspec.Struct, frozen=True, kw_only=True):
    """A journal, read."""

    name: str = ""
    """What the agent calls this playing of itself."""
    definition: str = ""
    """The hash of the definition it was begun with."""
    about: dict[str, Any] = {}
    """What was said of it when it was begun: where it stands, whom it asks."""
    arguments: dict[str, str] = {}
    """What its user said when it was begun."""
    last: Checkpoint | None = None
    """Where it stood; None if no iteration ended."""
    progress: Progress = Progress()
    """The same, for the loop."""
    response: QueryResult | None = None
    """What the model said in the last iteration."""
    pending: Pending | None = None
    """An iteration that was cut off."""
    past: Past = Past()
    """Every question that was asked and every answer that was used."""
    conversation_id: str | None = None
    """The conversation it was in."""
    talk: tuple[Message, ...] = ()
    """What was said in it."""
    ended: bool = False
    """Whether it had come to its end."""
    became: str = "cut off"
    """What became of it: `done`, an error's code, or `cut off`."""
    problem: Problem | None = None
    """What had stopped it, where something had."""

    @property
    def spent(self) -> Usage:
        """What it has cost so far, an answer that had come included."""
        spent = self.last.usage if self.last is not None else Usage()
        if self.pending is not None and self.pending.response is not None:
            spent += self.pending.response.usage
        return spent


def read_story(entries: Iterable[Mapping[str, Any]]) -> Story:
    """What a journal tells.

    Raises:
        StoreError: `TRACE_CORRUPT` for entries no agent wrote.
    """
    reader = _Reader()
    for number, entry in enumerate(entries):
        try:
            reader.read(entry)
        except (KeyError, TypeError, ValueError, RecursionError) as problem:
            raise StoreError(
                "TRACE_CORRUPT",
                f"entry {number + 1} of the journal cannot be read: {problem}",
                hint="bring the journal back from a copy, or begin anew",
            ) from problem
    return reader.story()


class _Reader:
    """Reads entries one by one."""

    def __init__(self) -> None:
        self._name = self._definition = ""
        self._about = dict[str, Any]()
        self._arguments = dict[str, str]()
        self._last: Checkpoint | None = None
        self._response: QueryResult | None = None
        self._summaries: list[IterationSummary] = []
        self._pending: Pending | None = None
        self._answered = 0
        self._asked: list[_Asked] = []
        self._checked: list[_Asked] = []
        self._conversation_id: str | None = None
        self._talk: list[Message] = []
        self._prompt = ""
        self._ended = False
        self._became = "cut off"
        self._problem: Problem | None = None
        self._begun = False

    def read(self, entry: Mapping[str, Any]) -> None:
        if not self._begun and entry["event"] != "initialized":
            raise TypeError("it does not begin with its beginning")
        match entry["event"]:
            case "initialized":
                self._begin(entry)
            case "iterationStart":
                self._pending = msgspec.convert(
                    {"iteration": entry["iteration"], "turn": entry.get("turn")},
                    Pending,
                )
                self._checked.clear()
            case "promptBuilt":
                self._prompt = msgspec.convert(entry["prompt"], str)
            case "queryExecuted" if self._pending is not None:
                self._answer(msgspec.convert(entry["response"], QueryResult))
            case "stepChecked" if entry.get("key"):
                asked = (entry["key"], entry["answer"])
                self._checked.append(_Asked(*msgspec.convert(asked, tuple[str, str])))
            case "iterationEnd":
                self._close(msgspec.convert(entry["state"], Checkpoint))
            case "completed":
                self._ended, self._became = True, "done"
            case "error":
                self._problem = msgspec.convert(entry["error"], Problem)
                self._ended = not self._problem.recoverable
                self._became = self._problem.code
            case str():
                pass
            case unknown:
                raise TypeError(f"{unknown!r} is no event")

    def _begin(self, entry: Mapping[str, Any]) -> None:
        self._name = msgspec.convert(entry["agentRun"], str)
        self._definition = msgspec.convert(entry["definition"], str)
        self._about = msgspec.convert(entry.get("about", {}), dict[str, Any])
        self._arguments = msgspec.convert(entry.get("arguments", {}), dict[str, str])
        self._ended, self._became, self._problem = False, "cut off", None
        self._begun = True

    def _answer(self, response: QueryResult) -> None:
        assert self._pending is not None, "an answer belongs to an iteration"
        if self._pending.iteration > self._answered:
            # Not again for an answer that was carried over a crash.
            self._answered = self._pending.iteration
            self._asked.append(_Asked(response.key, response.text))
        self._pending = msgspec.structs.replace(self._pending, response=response)

    def _close(self, state: Checkpoint) -> None:
        if self._pending is None or self._pending.response is None:
            raise TypeError("an iteration ends that had no answer")
        # Checks of an iteration that was cut off are asked again; those that ended not.
        self._asked += self._checked
        self._checked.clear()
        self._response = self._pending.response
        self._say(state.conversation_id, self._response.text)
        self._last, self._pending, self._prompt = state, None, ""
        self._summaries.append(state.summary)

    def _say(self, conversation_id: str | None, answer: str) -> None:
        if conversation_id != self._conversation_id:
            self._talk.clear()
        self._conversation_id = conversation_id
        if conversation_id is not None and self._prompt:
            self._talk.append(Message(role="user", text=self._prompt))
            self._talk.append(Message(role="assistant", text=answer))

    def story(self) -> Story:
        """All of it."""
        if self._pending is not None and self._pending.response is not None:
            # The answer had come, so the model has said it: it belongs to the talk.
            response = self._pending.response
            self._say(response.conversation_id, response.text)
        progress = Progress()
        if self._last is not None:
            progress = Progress(
                conversation_id=self._last.conversation_id,
                iteration=self._last.summary.iteration,
                summaries=tuple(self._summaries),
                carry=self._last.carry,
            )
        return Story(
            name=self._name,
            definition=self._definition,
            about=self._about,
            arguments=self._arguments,
            last=self._last,
            response=self._response,
            past=Past(
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


ready(Checkpoint, Pending, Problem, QueryResult)
