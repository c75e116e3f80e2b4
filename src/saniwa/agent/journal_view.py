"""A journal as people read it: what an agent did, iteration by iteration, and in total.

Each entry is read by itself: one that is damaged, or was written by another edition, is
shown as such and hides no other. `saniwa.agent.journal` restores agents, and is strict.
"""

from collections import Counter, deque
from collections.abc import Callable, Mapping
from typing import Any, Literal

import msgspec

from saniwa.agent.layer_contracts import WAITING_CODES, ActionResult, AgentProblem, QueryResult
from saniwa.core.decoder_warming import warm_decoders
from saniwa.core.text import quote_value, truncate
from saniwa.models.oracle import ToolCall, ToolOutput, Usage

LONGEST_TEXT = 20_000
"""The most characters of one text; a longer one ends with an ellipsis."""
DAMAGED = "damaged"
"""The event of an entry that could not be read."""

CallStanding = Literal["waiting", "running", "done", "failed", "refused"]
"""What became of a tool call. `waiting`: it has not run, and nothing was decided about it;
`running`: it has no result yet; `refused`: it was not allowed to run."""
AgentStanding = Literal["open", "waiting", "done", "stopped"]
"""What became of an agent. `open`: its journal has no end: it works, or was interrupted;
`waiting`: a person has to act first."""


_LARGEST_NUMBER = 2**53
_STANDINGS: dict[str, AgentStanding] = {
    "initialized": "open",
    "resumed": "open",
    "waiting": "waiting",
    "completed": "done",
    "error": "stopped",
}


class JournalUsage(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens, time and cost."""

    calls: int = 0
    """Requests to a model."""
    input_tokens: int = 0
    """Input tokens."""
    output_tokens: int = 0
    """Output tokens."""
    cost: int = 0
    """Millionths of a US dollar, as far as prices are known."""
    unpriced: int = 0
    """Requests whose price is unknown."""
    tool_calls: int = 0
    """Tool calls, refused ones included."""


class JournalAnswer(msgspec.Struct, kw_only=True, tag_field="kind", tag="answer"):
    """The model's answer."""

    at: int
    """When; milliseconds since 1970."""
    text: str
    """Its text."""
    finish: str
    """How it ended: `stop`, `length`, `refused`, `filtered`, `tool_call`, `other`."""
    reason: str
    """The reason for that, as the model or the provider states it."""
    model: str
    """The model."""
    usage: JournalUsage
    """What it cost."""


class JournalCall(msgspec.Struct, kw_only=True, tag_field="kind", tag="call"):
    """A tool call."""

    at: int
    """When it was decided about, or started; milliseconds since 1970."""
    call: str = ""
    """The id of the call, as evidence refers to it; empty if the call was only requested."""
    tool: str
    """The tool."""
    arguments: dict[str, Any] = {}
    """The arguments; secrets are redacted."""
    standing: CallStanding = "waiting"
    """The status of the call."""
    decision: Literal["", "run", "skip"] = ""
    """The decision about it; empty if none was needed."""
    decided_by: str = ""
    """The person; empty if the user agreed beforehand."""
    reason: str = ""
    """Why."""
    started: int = 0
    """When it was started; 0 if it was not."""
    milliseconds: int | None = None
    """How long it took; null until it is finished."""
    sandbox: str = ""
    """The restrictions that the system enforced while it ran; empty for a tool that runs no
    program."""
    command: list[str] = []
    """The program that it ran."""
    output: str = ""
    """Its result, or why there is none."""
    details: dict[str, Any] = {}
    """Facts about the result, such as `exitCode`."""


class JournalAction(msgspec.Struct, kw_only=True, tag_field="kind", tag="action"):
    """A requested action, and the decision of the gate or the rulebook."""

    at: int
    """When; milliseconds since 1970."""
    type: str
    """The action: `submit`, `speak`, or one with a handler of its own."""
    event: str = ""
    """The event that was submitted, if any."""
    results: list[ActionResult] = []
    """The rulings; none if it was interrupted."""


class JournalNote(msgspec.Struct, kw_only=True, tag_field="kind", tag="note"):
    """Any other entry of the journal."""

    at: int
    """When; milliseconds since 1970. 0 if that is not known."""
    event: str
    """The event's name in the journal; `damaged` for an entry that cannot be read."""
    text: str = ""
    """The text of the entry."""
    code: str = ""
    """The code of an error or a warning."""
    passed: bool | None = None
    """Whether a check passed; null if the entry is not a check."""


JournalMoment = JournalAnswer | JournalCall | JournalAction | JournalNote
"""Something that happened in an iteration."""


class JournalIteration(msgspec.Struct, kw_only=True):
    """One iteration. An iteration that was interrupted and resumed has several parts."""

    number: int
    """The position in the journal, from 0; 0 is the part before the first iteration."""
    iteration: int = 0
    """The number of the iteration; 0 for the part before the first."""
    step: str = ""
    """Its step."""
    begun: int = 0
    """When it began; milliseconds since 1970."""
    ended: int = 0
    """When it ended; 0 if it did not."""
    system: str = ""
    """The system prompt; empty if it has not changed."""
    prompt: str = ""
    """The prompt."""
    moments: list[JournalMoment] = []
    """What happened, in order."""
    usage: JournalUsage = JournalUsage()
    """What it cost; known when it has ended."""
    omitted: int = 0
    """Entries that are not shown, because there are too many of them."""


class JournalOverview(msgspec.Struct, kw_only=True):
    """A journal in a list: its agent, its result and its totals."""

    id: str
    """The id of the agent's run; it identifies the journal."""
    agent: str = ""
    """The agent's name."""
    run: str = ""
    """The gate run that the agent works on; empty if none."""
    standing: AgentStanding = "open"
    """The status of the agent."""
    code: str = ""
    """The code of the error that stopped it."""
    outcome: str = ""
    """The reason why it is done, waiting or stopped."""
    begun: int = 0
    """When it began; milliseconds since 1970."""
    updated: int = 0
    """When the last entry was written."""
    resumed: int = 0
    """How often it was resumed."""
    replayed: bool = False
    """Whether answers and results come from a recording."""
    iterations: int = 0
    """Iterations that have ended."""
    usage: JournalUsage = JournalUsage()
    """What it has cost so far."""
    limits: dict[str, float] = {}
    """The limits that stop it, by their names in the agent format; empty in older journals."""
    tools: dict[str, int] = {}
    """How often each tool was called."""
    refused_calls: int = 0
    """Tool calls that were not allowed to run."""
    failed_calls: int = 0
    """Tool calls that ran and failed."""
    accepted: int = 0
    """Actions that took effect."""
    refused: int = 0
    """Actions that were refused."""
    entries: int = 0
    """Entries that were read."""
    bytes: int = 0
    """Their bytes."""
    size: int = 0
    """The bytes of the journal; more than `bytes` while there is more to read."""
    problem: str = ""
    """What is wrong with the journal itself; empty if it is in order."""


class JournalPart(msgspec.Struct, kw_only=True):
    """What is known about a part of a journal without reading it again."""

    number: int
    """Its number."""
    start: int
    """Where it begins, in bytes."""
    size: int = 0
    """Its bytes."""
    entries: int = 0
    """Its entries."""
    iteration: int = 0
    """The iteration."""
    tools: set[str] = msgspec.field(default_factory=set)
    """The tools that were called."""
    refused: bool = False
    """Whether a call was refused or failed, or an action was refused."""


class IterationReader:
    """Builds one part of a journal for people, entry by entry."""

    def __init__(self, number: int) -> None:
        self.iteration = JournalIteration(number=number, moments=[])
        """What was read so far."""
        self._calls = dict[str, JournalCall]()
        self._asked = deque[ToolCall]()
        self._actions = dict[str, JournalAction]()
        self._readers: dict[str, Callable[[Mapping[str, Any], int], JournalMoment | None]] = {
            "iterationStart": self._read_start,
            "promptBuilt": self._read_prompt,
            "queryExecuted": self._read_answer,
            "toolDecided": self._read_call,
            "toolStarted": self._read_call,
            "toolFinished": self._read_call,
            "actionDetected": self._read_action,
            "actionExecuted": self._read_action,
            "iterationEnd": self._read_end,
            "initialized": self._read_beginning,
            "error": self._read_error,
        }

    def add_entry(self, entry: Mapping[str, Any]) -> JournalMoment | None:
        """Add an entry; return what it says something about, if that is shown.

        An entry that cannot be read becomes a note.
        """
        event, at = str(entry.get("event", "")), 0
        try:
            at = _read_number(entry.get("at", 0))
            return self._readers.get(event, self._read_note)(entry, at)
        except (LookupError, TypeError, ValueError, AttributeError) as problem:
            return self._add_note(at, DAMAGED, f"{event}: {problem}")

    def finish(self, omitted: int = 0) -> JournalIteration:
        """Return the part; `omitted` entries of it were not added.

        Calls that were asked for and have not run are at the end.
        """
        self.iteration.omitted = omitted
        for call in self._asked if not omitted else ():
            waiting = JournalCall(at=0, tool=call.name, arguments=_shorten(call.arguments))
            self.iteration.moments.append(waiting)
        return self.iteration

    def _read_start(self, entry: Mapping[str, Any], at: int) -> None:
        it = self.iteration
        it.iteration, it.step = _read_number(entry["iteration"]), str(entry["step"])
        it.begun = at

    def _read_prompt(self, entry: Mapping[str, Any], _: int) -> None:
        self.iteration.prompt = truncate(entry["prompt"], LONGEST_TEXT)
        self.iteration.system = truncate(entry.get("system", ""), LONGEST_TEXT)

    def _read_answer(self, entry: Mapping[str, Any], at: int) -> JournalAnswer:
        response = msgspec.convert(entry["response"], QueryResult)
        self._asked.extend(response.calls)
        answer = JournalAnswer(
            at=at,
            text=truncate(response.text, LONGEST_TEXT),
            finish=response.finish,
            reason=truncate(response.reason, LONGEST_TEXT),
            model=response.model,
            usage=_to_usage(response.usage),
        )
        self.iteration.moments.append(answer)
        return answer

    def _read_call(self, entry: Mapping[str, Any], at: int) -> JournalCall:
        call = self._calls.get(entry["attempt"]) or self._add_call(entry, at)
        if entry["event"] == "toolDecided":
            call.decision = "run" if entry["answer"] == "run" else "skip"
            call.reason, call.decided_by = str(entry["reason"]), str(entry.get("by", ""))
        elif entry["event"] == "toolStarted":
            call.standing, call.started = "running", at
            call.sandbox = str(entry["note"].get("sandbox", ""))
            call.command = [str(word) for word in entry["note"].get("command", ())]
        else:
            output = msgspec.convert(entry["output"], ToolOutput)
            call.output = truncate(output.text, LONGEST_TEXT)
            call.details = _shorten(output.details)
            call.standing = "done"
            if output.failed:
                call.standing = "failed" if call.started else "refused"
            if call.started:
                call.milliseconds = max(0, at - call.started)
        return call

    def _add_call(self, entry: Mapping[str, Any], at: int) -> JournalCall:
        arguments = entry.get("arguments", {})
        # The result of a refused call does not repeat its arguments.
        if self._asked and self._asked[0].name == entry["tool"]:
            arguments = arguments or self._asked[0].arguments
            self._asked.popleft()
        call = JournalCall(at=at, call=str(entry["attempt"]), tool=str(entry["tool"]))
        call.arguments = _shorten(arguments)
        self._calls[call.call] = call
        self.iteration.moments.append(call)
        return call

    def _read_action(self, entry: Mapping[str, Any], at: int) -> JournalAction:
        action = self._actions.get(entry["attempt"])
        if action is None:
            action = JournalAction(at=at, type=str(entry.get("type", "")))
            self._actions[entry["attempt"]] = action
            self.iteration.moments.append(action)
        if entry["event"] == "actionExecuted":
            action.results = msgspec.convert(entry["results"], list[ActionResult])
        return action

    def _read_end(self, entry: Mapping[str, Any], at: int) -> None:
        summary = entry["state"]["summary"]
        self.iteration.ended = at
        self.iteration.usage = _to_usage(msgspec.convert(summary.get("usage", {}), Usage))
        detected = summary.get("detectedActions", ())
        for action, found in zip(self._actions.values(), detected, strict=False):
            action.event = str(found.get("event", ""))

    def _read_note(self, entry: Mapping[str, Any], at: int) -> JournalNote | None:
        event = str(entry["event"])
        text = str(entry.get("reason") or entry.get("message") or "")
        if event == "completionChecked" and not text:
            return None
        if event == "escalated":
            text = f"{entry['step']} → {entry['to']} ({entry['how']}): {text}"
        note = self._add_note(at, event, text)
        note.code = str(entry.get("code", ""))
        if event == "stepChecked":
            note.passed = bool(entry["passed"])
        return note

    def _read_error(self, entry: Mapping[str, Any], at: int) -> JournalNote:
        problem = msgspec.convert(entry["error"], AgentProblem)
        note = self._add_note(at, "error", problem.message)
        note.code = problem.code
        return note

    def _read_beginning(self, entry: Mapping[str, Any], at: int) -> JournalNote:
        return self._add_note(at, "resumed" if entry.get("resumed") else "initialized")

    def _add_note(self, at: int, event: str, text: str = "") -> JournalNote:
        note = JournalNote(at=at, event=event, text=truncate(text, LONGEST_TEXT))
        self.iteration.moments.append(note)
        return note


class JournalTally:
    """Adds up a journal, entry by entry."""

    def __init__(self, id: str) -> None:
        self.overview = JournalOverview(id=id)
        """The totals so far."""
        self.parts = [JournalPart(number=0, start=0)]
        """The parts so far."""
        self._reader = IterationReader(0)
        self._spent = self._pending = Usage()
        self._tools = Counter[str]()

    def add_entry(self, entry: Mapping[str, Any], start: int, end: int) -> None:
        """Count an entry, which is written from one byte to another."""
        if entry.get("event") == "iterationStart":
            self.parts.append(JournalPart(number=len(self.parts), start=start))
            self._reader = IterationReader(len(self.parts))
        total, part = self.overview, self.parts[-1]
        total.entries, total.bytes = total.entries + 1, end
        part.entries, part.size = part.entries + 1, end - part.start
        found = self._reader.add_entry(entry)
        # Only the totals are kept.
        self._reader.iteration.moments.clear()
        part.iteration = self._reader.iteration.iteration
        try:
            self._count_entry(entry, total)
        except (LookupError, TypeError, ValueError, AttributeError) as problem:
            self._note_problem(str(problem))
        match found:
            case JournalNote():
                self._take_note(found, total)
            case JournalCall() if entry["event"] == "toolFinished":
                self._count_call(found, total, part)
            case JournalAction() if entry["event"] == "actionExecuted":
                accepted = sum(result.success for result in found.results)
                total.accepted += accepted
                total.refused += len(found.results) - accepted
                part.refused |= accepted < len(found.results)

    def _count_entry(self, entry: Mapping[str, Any], total: JournalOverview) -> None:
        total.updated = _read_number(entry.get("at", 0)) or total.updated
        if entry["event"] == "initialized":
            about = entry.get("about", {})
            total.agent, total.run = str(entry.get("agent", "")), str(about.get("run", ""))
            total.replayed = bool(about.get("model", {}).get("replay"))
            total.limits = msgspec.convert(about.get("limits", {}), dict[str, float])
            total.begun = total.begun or total.updated
            total.resumed += bool(entry.get("resumed"))
        elif entry["event"] == "queryExecuted":
            self._pending += msgspec.convert(entry["response"].get("usage", {}), Usage)
        elif entry["event"] == "toolFinished":
            self._pending += Usage(tool_calls=1)
        elif entry["event"] == "iterationEnd":
            self._spent, self._pending = msgspec.convert(entry["state"]["usage"], Usage), Usage()
            total.iterations = self._reader.iteration.iteration
        elif entry["event"] == "iterationStart":
            total.standing, total.code, total.outcome = "open", "", ""
        total.usage = _to_usage(self._spent + self._pending)

    def _take_note(self, note: JournalNote, total: JournalOverview) -> None:
        if note.event == DAMAGED:
            self._note_problem(note.text)
        elif note.event in _STANDINGS:
            waits = note.code in WAITING_CODES
            total.standing = "waiting" if waits else _STANDINGS[note.event]
            total.code, total.outcome = note.code, note.text

    def _note_problem(self, why: str) -> None:
        if not self.overview.problem:
            self.overview.problem = f"entry {self.overview.entries} cannot be read: {why}"

    def _count_call(self, call: JournalCall, total: JournalOverview, part: JournalPart) -> None:
        part.tools.add(call.tool)
        self._tools[call.tool] += 1
        total.tools = dict(sorted(self._tools.items()))
        part.refused |= call.standing != "done"
        total.failed_calls += call.standing == "failed"
        total.refused_calls += call.standing == "refused"


def _read_number(value: object) -> int:
    if not isinstance(value, int) or not 0 <= value < _LARGEST_NUMBER:
        raise ValueError(f"{quote_value(value)} is not a number")
    return value


def _to_usage(usage: Usage) -> JournalUsage:
    return msgspec.convert(usage, JournalUsage, from_attributes=True)


def _shorten(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values with long texts cut; others that are as long become text."""
    return {name: _shorten_value(value) for name, value in values.items()}


def _shorten_value(value: Any) -> Any:
    if isinstance(value, str):
        return truncate(value, LONGEST_TEXT)
    text = msgspec.json.encode(value)
    return value if len(text) <= LONGEST_TEXT else truncate(text.decode(), LONGEST_TEXT)


warm_decoders(
    QueryResult, Usage, JournalUsage, ToolOutput, AgentProblem, list[ActionResult], dict[str, float]
)
