"""The outcome of a cell: every attempt of every turn, to be measured and replayed.

An outcome contains no time and no path: replayed from the same answers it has the same
bytes.
"""

from typing import Any, Literal

import msgspec

from saniwa.core.decoder_warming import warm_decoders
from saniwa.turn.record import Turn

Severity = Literal["active", "warning", "stalled", "critical"]
"""How far a conversation has stalled."""
FailReason = Literal[
    "",
    "FAIL_GIVE_UP",
    "FAIL_NO_ACTION_CHANGE",
    "FAIL_FORMAT_BREAK",
    "FAIL_STILL_MISSING_OBJECT",
    "FAIL_STILL_NOT_OWNED",
    "FAIL_STILL_WRONG_LOCATION",
    "FAIL_STILL_NAV_ERROR",
    "FAIL_NEW_ERROR_INTRODUCED",
    "FAIL_OTHER",
]
"""Why a retry failed; empty if it helped, or none was made."""
Trigger = Literal["world_delta", "deny", "stall", "format_break", "none"]
"""Why a game master intervened after a turn."""


class _Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Records are encoded in snake_case, as the published results are."""


class Intent(_Record, frozen=True, kw_only=True):
    """One action that a speaker intended, and the rulebook's decision about it."""

    intent: str
    """Its kind in the game master's vocabulary: `SAY ASK ANSWER EMOTE MOVE GET PUT USE
    EAT_DRINK`.
    """
    type: str
    """The action's own type, such as `take`."""
    target: str = ""
    """The target, in the speaker's words."""
    target_id: str = ""
    """The id of the target; empty if it names nothing that exists."""
    detail: str = ""
    """The words spoken, or the rest of the action."""
    allowed: bool = True
    """Whether it is allowed."""
    reason_code: str = "OK"
    """`OK`, or one of the eight."""
    deny_code: str = ""
    """The game master's code for it, such as `MISSING_OBJECT`."""
    check: str = ""
    """The check that decided."""
    message: str = ""
    """The refusal in one sentence."""
    invented: bool = False
    """Whether its target does not exist in the world."""

    @property
    def is_deed(self) -> bool:
        """Whether it is an action, not only speech or a gesture."""
        return self.type not in ("speak", "emote")

    @property
    def summary(self) -> str:
        """Its kind and its target, such as `GET cup`."""
        return f"{self.intent} {self.target}".rstrip()


class AnswerAttempt(_Record, frozen=True, kw_only=True):
    """One answer of a model, and the result it would have had."""

    number: int
    """0 for the first attempt, then 1 and 2."""
    seed: int
    """The seed of the request."""
    raw_output: str
    """The answer, unchanged."""
    repaired_output: str | None = None
    """The text after repair; None if nothing was repaired."""
    thought: str = ""
    """The thought part of the answer."""
    speech: str = ""
    """The spoken part of the answer."""
    break_type: str = "NONE"
    """How it broke the format."""
    repair_method: str = "NONE"
    """How that was repaired."""
    repair_steps: int = 0
    """The number of repair steps."""
    parser_error: str = ""
    """What was wrong with the format, in a sentence."""
    intents: tuple[Intent, ...] = ()
    """What it intended to do, in order."""
    unread: tuple[str, ...] = ()
    """Actions that were not understood, such as a smile; neither refused nor done."""
    question: str = ""
    """The question asked back, if an action was ambiguous."""
    card: str = ""
    """The guidance card sent in return; empty if the answer was accepted."""
    finish: str = "stop"
    """Why the answer ended."""
    input_tokens: int = 0
    """Input tokens."""
    output_tokens: int = 0
    """Output tokens."""
    cost: int = 0
    """Cost in millionths of a US dollar."""
    unpriced: bool = False
    """Whether the price is unknown."""
    unsent: tuple[str, ...] = ()
    """Settings that were not sent to the model, such as `temperature`."""
    latency_ms: int = 0
    """Milliseconds it took; in simulation, simulated ones."""

    @property
    def refused_intents(self) -> tuple[Intent, ...]:
        """The intents that are not allowed."""
        return tuple(each for each in self.intents if not each.allowed)

    @property
    def is_valid(self) -> bool:
        """Whether everything it intended is allowed; ambiguous intents are not."""
        return not self.refused_intents


class CellTurn(_Record, frozen=True, kw_only=True):
    """One turn of a cell: its attempts, and the turn that was recorded."""

    number: int
    """From 0."""
    speaker: str
    """The speaker's id."""
    speaker_name: str
    """The speaker's name."""
    attempts: tuple[AnswerAttempt, ...]
    """All answers; the last one is final."""
    give_up: bool = False
    """Whether the last answer was refused like those before it, so that only its speech
    was played.
    """
    fail_reason: FailReason = ""
    """Why the retries failed."""
    silent_correction: bool = False
    """Whether a different action followed a refusal, without an apology."""
    trigger: Trigger = "none"
    """Why the game master intervened afterwards."""
    fact_cards: tuple[str, ...] = ()
    """The game master's facts, which the next speaker is given."""
    stall_score: float = 0.0
    """From 0 (active) to 1 (stalled), to three digits."""
    severity: Severity = "active"
    """The severity of the score."""
    stall_event: bool = False
    """Whether a stall was reported at this turn."""
    addressing: str = ""
    """The name of a character who is addressed but cannot hear; empty for none."""
    turn: Turn
    """The recorded turn."""

    @property
    def first(self) -> AnswerAttempt:
        """The first answer, before any guidance."""
        return self.attempts[0]

    @property
    def final(self) -> AnswerAttempt:
        """The final answer."""
        return self.attempts[-1]


FabricationKind = Literal["typed", "unmade", "contradicted"]
"""How the gate has found that evidence is not what it is said to be.

`typed`: a guard wants what a tool or the gate has made, and the agent has written it.
`unmade`: it is said to be a tool's work, and no call of the agent has made it.
`contradicted`: the gate has looked up or checked what it says, and found otherwise.
"""


class SubmissionAttempt(_Record, frozen=True, kw_only=True):
    """One event that an agent has sent to the gate, and the gate's answer."""

    event: str
    """The event."""
    evidence: tuple[str, ...] = ()
    """The names of the evidence that came with it."""
    state: str = ""
    """The state that it has led to; empty if it was refused."""
    code: str = ""
    """The code of the refusal; empty if it was accepted."""
    message: str = ""
    """What the gate said about the refusal."""
    fabricated: tuple[FabricationKind, ...] = ()
    """What the gate found about its evidence; empty if it found nothing of the kind."""


class WorkRecord(_Record, frozen=True, kw_only=True):
    """What an agent has done at a gate, from its start to its end."""

    state: str
    """The state of the run at the end."""
    iterations: int
    """The iterations of the agent."""
    submissions: tuple[SubmissionAttempt, ...] = ()
    """The events that it has sent, in order."""
    tools: dict[str, int] = {}
    """How often each tool was called."""
    failed_tools: int = 0
    """Calls that were refused or failed."""
    calls: int = 0
    """Questions to its model that were answered."""
    input_tokens: int = 0
    """Input tokens."""
    output_tokens: int = 0
    """Output tokens."""
    cost: int = 0
    """Cost in millionths of a US dollar."""
    unpriced: int = 0
    """Answers whose price is unknown."""
    latency_ms: tuple[int, ...] = ()
    """Milliseconds that each answer took."""
    unsent: tuple[str, ...] = ()
    """Settings that were not sent to the model, such as `temperature`."""
    answers: str = ""
    """16 hex digits of a hash over all answers; empty if there was none."""


class CellOutcome(_Record, frozen=True, kw_only=True):
    """A finished cell."""

    key: str
    """The key of the cell."""
    plan: str = ""
    """The fingerprint of the prepared plan it belongs to."""
    condition: str
    """The name of its condition."""
    scenario: str
    """The id of its scenario."""
    seed: int
    """The seed of its random numbers."""
    passages: tuple[CellTurn, ...] = ()
    """Its turns."""
    goal_reached: bool | None = None
    """Whether the story ended well, or an agent's run passed; None if there is no goal."""
    milestones: int = 0
    """Milestones of the goal that can be passed; those that spoil it do not count."""
    milestones_passed: int = 0
    """How many of those milestones were passed."""
    stopped: str = ""
    """Why it ended before its last turn; empty if it did not."""
    error: str = ""
    """The code of the error that ended it; empty if there was none."""
    error_message: str = ""
    """The message of that error."""
    dropped: tuple[AnswerAttempt, ...] = ()
    """The answers of a turn that ended with an error; they were paid for but not used.
    """
    calls: tuple[dict[str, Any], ...] = ()
    """Every request with its answer, as recorded; only if models played."""
    work: WorkRecord | None = None
    """What the agent did at a gate; None if characters were played."""


def encode_outcome(outcome: CellOutcome) -> bytes:
    """Encode an outcome as the bytes that are stored."""
    return msgspec.json.encode(outcome, order="deterministic")


def decode_outcome(content: bytes) -> CellOutcome:
    """Decode an outcome from stored bytes.

    Raises:
        msgspec.MsgspecError: The bytes are not an outcome.
    """
    return msgspec.json.decode(content, type=CellOutcome)


warm_decoders(CellOutcome)
