"""The record of one turn: everything needed to understand it and to replay it."""

from collections.abc import Mapping
from typing import Any, Final, Literal, get_args

import msgspec

from saniwa.core.idempotency import IdempotencyKey
from saniwa.rulebook.verdict import Verdict
from saniwa.world.actions import Action
from saniwa.world.changes import Change
from saniwa.world.model import Id

SeatOrder = Literal["order", "round_robin", "initiative"]
"""By the scenario's turn order, in rounds, or by a die roll in each round."""
SEAT_ORDERS: Final[tuple[SeatOrder, ...]] = get_args(SeatOrder)
"""All of them, the default first."""


RejectionCode = Literal[
    "NOT_AN_OBJECT",
    "UNKNOWN_TYPE",
    "BAD_FIELD",
    "UNRECOGNISED_WORDS",
    "TOO_MANY_CLAIMS",
    "TEXT_TOO_LONG",
]
ClarificationCode = Literal["AMBIGUOUS_REFERENCE", "EMPTY_INPUT", "MISSING_REFERENCE"]


class _Record(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Stored in camelCase; fields with default values are left out."""


class SpokenWords(_Record, frozen=True):
    """What an actor said, and when."""

    actor_id: Id
    """Who speaks."""
    text: str
    """The words as they came, untouched."""
    number: int = 0
    """The number of the turn they open; from 0."""
    id: str = ""
    """The id of that turn."""
    timestamp: int = 0
    """Milliseconds since 1970, from the clock port."""
    mentioned: tuple[Id, ...] = ()
    """What was last spoken of, latest first: what "it" and "him" can mean."""
    came_from: Mapping[Id, Id] = {}
    """For everyone who has moved, and everything that was taken, the place left last: what
    "back" means."""
    asked: IdempotencyKey | None = None
    """The request they came with, where a host named it."""
    played: tuple[Id, ...] = ()
    """The characters whom people or agents play; all others may answer as written."""


class Rejection(_Record, frozen=True):
    """A claim that did not become an action."""

    index: int
    """Its position among the parsed claims, from 0."""
    code: RejectionCode
    """The reason, as a code."""
    message: str
    """The reason in one sentence."""
    hint: str = ""
    """The most similar words that would be understood."""


class ClarificationOption(_Record, frozen=True):
    """One meaning of an ambiguous word."""

    id: Id
    """The id of the thing that it would mean."""
    label: str
    """The label shown to people."""


class QuestionAnswer(_Record, frozen=True):
    """The answer to a question, or to a command for the host."""

    index: int
    """The position of the question among the parsed claims, from 0."""
    kind: str
    """The kind of question, such as `where_am_i`, or `host.` and the name of a host command."""
    lines: tuple[str, ...] = ()
    """The answer, in the world's language."""


class Clarification(_Record, frozen=True):
    """A question to the player. Nothing happens until it is answered."""

    code: ClarificationCode
    """The reason for the question."""
    question: str
    """The question, in the world's language."""
    words: str = ""
    """The words that were unclear."""
    field: str = ""
    """The wire field they would have filled, such as `targetId`."""
    options: tuple[ClarificationOption, ...] = ()
    """What they could mean, in order of id."""


class RunReturn(_Record, frozen=True, tag="return", tag_field="kind"):
    """The run returned to its state after an earlier turn."""

    to: int
    """The turn to return to; -1 for the initial world."""
    why: Literal["undo", "load"] = "undo"
    """Whether it was an undo or the loading of a save."""


class RulebookEdit(_Record, frozen=True, tag="edit", tag_field="kind"):
    """The run's rulebook was edited. The next turn is judged by it."""

    book: dict[str, Any]
    """The added layer, as a document."""


class Seating(_Record, frozen=True, tag="seating", tag_field="kind"):
    """Who plays which character from now on."""

    order: SeatOrder = "order"
    """The order of play."""
    seats: dict[str, str] = {}
    """For each character with a player: `person`, or the name of an agent."""


TurnAside = RunReturn | RulebookEdit | Seating
"""An operation on a run itself; recorded like any turn."""


class NarrationFlag(_Record, frozen=True):
    """A statement of the narration that is not true."""

    kind: Literal["absent", "unknown", "contradiction", "empty", "too long"]
    """A name that is not present, a name of something that does not exist, or an action that did
    not happen."""
    words: str
    """The words of the narration."""
    message: str
    """What is wrong with them, in a sentence."""


class Narration(_Record, frozen=True):
    """A model's narration of a turn, and the problems found in it."""

    by: Literal["model", "plain"]
    """Whose words were shown: the model's, or those of the plain narrator."""
    text: str = ""
    """The model's words, if they were shown."""
    flags: tuple[NarrationFlag, ...] = ()
    """The problems found in all attempts."""
    attempts: int = 1
    """How often the model was called."""
    model: str = ""
    """The name of the model."""
    viewer: Id = Id("")
    """The viewer it was narrated for; empty for the actor."""
    error: str = ""
    """The code of the error, if the model could not be called."""


class Turn(_Record, frozen=True):
    """One turn, from the words to the changes they made. A stored turn is never edited."""

    id: str
    """The id, unique over all runs."""
    number: int
    """Its position in the run, from 0."""
    actor_id: Id
    """The speaker."""
    raw_text: str
    """The words, unchanged."""
    parsed_actions: tuple[Any, ...]
    """The parser's claims; not trusted."""
    normalized_actions: tuple[Action, ...]
    """The claims that became actions."""
    validation_results: tuple[Verdict, ...]
    """One verdict for each of these actions."""
    applied_actions: tuple[Action, ...]
    """The actions that were allowed and took effect."""
    timestamp: int
    """Milliseconds since 1970."""
    rejections: tuple[Rejection, ...] = ()
    """The claims that did not become actions."""
    claimed: tuple[int, ...] = ()
    """For each action, the position of its claim; set only if one claim ("all") became several
    actions."""
    answers: tuple[QuestionAnswer, ...] = ()
    """The answers to the speaker's questions, which changed nothing."""
    clarification: Clarification | None = None
    """The question to the player, if one is needed; nothing happened then."""
    changes: tuple[Change, ...] = ()
    """What happened in the world."""
    world_before: str = ""
    """The world's fingerprint before."""
    world_after: str = ""
    """The world's fingerprint after."""
    book: str = ""
    """The fingerprint of the rulebook that judged."""
    reply: dict[str, Any] | None = None
    """For a model's `Thought:`/`Output:` reply: both texts and how it was repaired."""
    narration: Narration | None = None
    """A model's narration; null if the plain narrator was used."""
    aside: TurnAside | None = None
    """Set if this was an operation on the run itself instead of words."""
    asked: IdempotencyKey | None = None
    """The key of the host's request, if it named one; never judged or hashed."""
    played: tuple[Id, ...] = ()
    """The addressed characters that a person or an agent plays; they give no written answer."""


def list_claim_indexes(turn: Turn) -> tuple[int, ...]:
    """For each action of the turn, the index of the claim it came from."""
    if turn.claimed:
        return turn.claimed
    apart = {each.index for each in turn.rejections} | {each.index for each in turn.answers}
    places = (n for n in range(len(turn.parsed_actions)) if n not in apart)
    return tuple(n for n, _ in zip(places, turn.normalized_actions, strict=False))


def list_action_claims(turn: Turn) -> tuple[object, ...]:
    """For each action of the turn, the claim it came from."""
    return tuple(turn.parsed_actions[place] for place in list_claim_indexes(turn))


def redact_turn(turn: Turn, viewer: Id) -> Turn:
    """The turn as a viewer may know it: all of it for the actor, else what was done."""
    if viewer == turn.actor_id:
        return turn
    judged = zip(
        turn.normalized_actions, turn.validation_results, list_claim_indexes(turn), strict=True
    )
    done = [each for each in judged if each[1].success]
    return msgspec.structs.replace(
        turn,
        normalized_actions=tuple(action for action, _, _ in done),
        validation_results=tuple(verdict for _, verdict, _ in done),
        claimed=tuple(claim for _, _, claim in done),
        rejections=(),
        answers=(),
        clarification=None,
    )


def render_public_words(turn: Turn) -> str:
    """The words without a model's thoughts, as others may read them."""
    if turn.reply is None:
        return turn.raw_text
    return " ".join(
        f"*{part['text']}*" if part["kind"] == "action" else part["text"]
        for part in turn.reply.get("parts", ())
    )
