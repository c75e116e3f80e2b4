"""What came of a cell: every attempt of every turn, ready to be measured and replayed.

An outcome holds no clock and no path: played again from the same answers it is the same
bytes.
"""

from typing import Any, Literal

import msgspec

from saniwa.core.warm_decoders import warm_decoders
from saniwa.turn.record import Turn

Severity = Literal["active", "warning", "stalled", "critical"]
"""How far a conversation has come to a standstill."""
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
"""Why a retry did not help; empty where it did, or none was made."""
Trigger = Literal["world_delta", "deny", "stall", "format_break", "none"]
"""What made a game master speak up after a turn."""


class _Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Records are written in snake_case, as the published results are."""


class Intent(_Record, frozen=True, kw_only=True):
    """One thing a speaker meant to do, and what the rulebook said to it."""

    intent: str
    """Its kind in the game master's words: `SAY ASK ANSWER EMOTE MOVE GET PUT USE
    EAT_DRINK`."""
    type: str
    """The action's own type, such as `take`."""
    target: str = ""
    """What it is done to, as the speaker said it."""
    target_id: str = ""
    """What that was taken for; empty where it names nothing there is."""
    detail: str = ""
    """The words that were said, or the rest of the action."""
    allowed: bool = True
    """Whether it may happen."""
    reason_code: str = "OK"
    """`OK`, or one of the eight."""
    deny_code: str = ""
    """The same in the game master's words, such as `MISSING_OBJECT`."""
    check: str = ""
    """The check that decided."""
    message: str = ""
    """The refusal in one sentence."""
    invented: bool = False
    """Whether its target is nowhere in the world."""

    @property
    def is_deed(self) -> bool:
        """Whether it is more than words."""
        return self.type != "speak"

    @property
    def summary(self) -> str:
        """Its kind and its target, such as `GET cup`."""
        return f"{self.intent} {self.target}".rstrip()


class AnswerAttempt(_Record, frozen=True, kw_only=True):
    """One answer of a model, and what it would have come to."""

    number: int
    """0 for the first try, then 1 and 2."""
    seed: int
    """The seed it was asked with."""
    raw_output: str
    """The answer, letter for letter."""
    repaired_output: str | None = None
    """The text after repair; None where nothing was repaired."""
    thought: str = ""
    """What it thought."""
    speech: str = ""
    """What it said aloud."""
    break_type: str = "NONE"
    """How it broke the format."""
    repair_method: str = "NONE"
    """How that was mended."""
    repair_steps: int = 0
    """In how many steps."""
    parser_error: str = ""
    """What was wrong with the form, in a sentence."""
    intents: tuple[Intent, ...] = ()
    """What it meant to do, in order."""
    unread: tuple[str, ...] = ()
    """Deeds nobody understood, such as a smile; they are neither refused nor done."""
    question: str = ""
    """What had to be asked back, where it could mean two things."""
    card: str = ""
    """The guidance card it was answered with; empty where it was let through."""
    finish: str = "stop"
    """How the answer ended."""
    input_tokens: int = 0
    """Tokens the model was told."""
    output_tokens: int = 0
    """Tokens it said."""
    cost: int = 0
    """Millionths of a US dollar."""
    unpriced: bool = False
    """Whether nobody knows the price."""
    unsent: tuple[str, ...] = ()
    """Settings that the model was not given, such as `temperature`."""
    latency_ms: int = 0
    """Milliseconds it took; in simulation, simulated ones."""

    @property
    def refused_intents(self) -> tuple[Intent, ...]:
        """Those of its intents that may not happen."""
        return tuple(each for each in self.intents if not each.allowed)

    @property
    def is_valid(self) -> bool:
        """Whether everything it meant to do may happen; what is unclear may not."""
        return not self.refused_intents


class CellTurn(_Record, frozen=True, kw_only=True):
    """One turn of a cell: its attempts, and what was kept in the end."""

    number: int
    """From 0."""
    speaker: str
    """Who spoke: an id."""
    speaker_name: str
    """What they are called."""
    attempts: tuple[AnswerAttempt, ...]
    """All answers, the one that stands last."""
    give_up: bool = False
    """Whether the last answer was refused like those before it, and its speech alone
    stands."""
    fail_reason: FailReason = ""
    """Why the retries did not help."""
    silent_correction: bool = False
    """Whether another deed came after a refusal, without an apology."""
    trigger: Trigger = "none"
    """What the game master had to say afterwards."""
    fact_cards: tuple[str, ...] = ()
    """What it said: told to whoever speaks next, where there is a game master."""
    stall_score: float = 0.0
    """0 lively to 1 at a standstill, to three digits."""
    severity: Severity = "active"
    """The same as a word."""
    stall_event: bool = False
    """Whether a standstill was announced here."""
    addressing: str = ""
    """Whom the speaker spoke to who cannot hear it; empty for nobody."""
    turn: Turn
    """The turn as it was kept."""

    @property
    def first(self) -> AnswerAttempt:
        """The answer before anybody said anything to it."""
        return self.attempts[0]

    @property
    def final(self) -> AnswerAttempt:
        """The answer that stands."""
        return self.attempts[-1]


class CellOutcome(_Record, frozen=True, kw_only=True):
    """A finished cell."""

    key: str
    """The cell."""
    plan: str = ""
    """The fingerprint of the prepared plan it belongs to."""
    condition: str
    """Its condition, by name."""
    scenario: str
    """What was played."""
    seed: int
    """Where its chance started."""
    passages: tuple[CellTurn, ...] = ()
    """Its turns."""
    goal_reached: bool | None = None
    """Whether the story ended well; None where it has no goal."""
    milestones: int = 0
    """Milestones of the goal that can be passed; those that spoil it do not count."""
    milestones_passed: int = 0
    """Of those, how many were passed."""
    stopped: str = ""
    """Why it ended before its last turn; empty where it did not."""
    error: str = ""
    """The code of what stopped it for good: a crash; empty where it ran."""
    error_message: str = ""
    """The same in a sentence."""
    dropped: tuple[AnswerAttempt, ...] = ()
    """The answers of the turn that an error ended; they were paid for, and no more."""
    calls: tuple[dict[str, Any], ...] = ()
    """Every question with its answer, as a tape keeps them; only where models played."""


def encode_outcome(outcome: CellOutcome) -> bytes:
    """An outcome as the bytes that are kept."""
    return msgspec.json.encode(outcome, order="deterministic")


def decode_outcome(kept: bytes) -> CellOutcome:
    """An outcome from kept bytes.

    Raises:
        msgspec.MsgspecError: They are none.
    """
    return msgspec.json.decode(kept, type=CellOutcome)


warm_decoders(CellOutcome)
