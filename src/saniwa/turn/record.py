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
    """A claim that never became an action."""

    index: int
    """Its place among the parsed claims; from 0."""
    code: RejectionCode
    """What is wrong with it."""
    message: str
    """The same in one sentence."""
    hint: str = ""
    """The nearest thing that would be understood."""


class ClarificationOption(_Record, frozen=True):
    """One way to understand an unclear word."""

    id: Id
    """What it would mean."""
    label: str
    """What to call it in front of people."""


class QuestionAnswer(_Record, frozen=True):
    """The answer to a question, or to a word for the host."""

    index: int
    """The place of the question among the parsed claims; from 0."""
    kind: str
    """What was asked, such as `where_am_i`; `host.` and the word for the host."""
    lines: tuple[str, ...] = ()
    """The answer, in the world's language."""


class Clarification(_Record, frozen=True):
    """A question back: nothing happens until it is answered."""

    code: ClarificationCode
    """Why we ask."""
    question: str
    """The question, in the world's language."""
    words: str = ""
    """The words that were unclear."""
    field: str = ""
    """The wire field they would have filled, such as `targetId`."""
    options: tuple[ClarificationOption, ...] = ()
    """What they could mean, in order of id."""


class RunReturn(_Record, frozen=True, tag="return", tag_field="kind"):
    """The run went back to how it stood after an earlier turn."""

    to: int
    """The turn whose world counts again; -1 for the very beginning."""
    why: Literal["undo", "load"] = "undo"
    """Whether it was an undo or the loading of a save."""


class RulebookEdit(_Record, frozen=True, tag="edit", tag_field="kind"):
    """The run's rulebook was edited; the next turn is judged by it."""

    book: dict[str, Any]
    """The layer that was laid over the book, as a document."""


class Seating(_Record, frozen=True, tag="seating", tag_field="kind"):
    """Who plays whom from now on."""

    order: SeatOrder = "order"
    """Who comes after whom."""
    seats: dict[str, str] = {}
    """For each character with a seat who plays them: `person`, or an agent's name."""


TurnAside = RunReturn | RulebookEdit | Seating
"""What is done to a run beside its story; recorded like any turn."""


class NarrationFlag(_Record, frozen=True):
    """Something a narration says that is not so."""

    kind: Literal["absent", "unknown", "contradiction", "empty", "too long"]
    """A name that is not here, a name of nothing there is, or a deed that was none."""
    words: str
    """What it says."""
    message: str
    """What is wrong with that, in a sentence."""


class Narration(_Record, frozen=True):
    """How a turn was told by a model, and what was found in its words."""

    by: Literal["model", "plain"]
    """Whose words were told: the model's, or the plain narrator's in their place."""
    text: str = ""
    """The model's words, where they were told."""
    flags: tuple[NarrationFlag, ...] = ()
    """What was found wrong, in all attempts."""
    attempts: int = 1
    """How often the model was asked."""
    model: str = ""
    """Who was asked."""
    viewer: Id = Id("")
    """The viewer it was narrated for; empty for the actor."""
    error: str = ""
    """The code of the error, where the model could not be called."""


class Turn(_Record, frozen=True):
    """One passage from words to consequences. Never edited once written."""

    id: str
    """Unique over all runs."""
    number: int
    """Its place in the run; from 0."""
    actor_id: Id
    """Who spoke."""
    raw_text: str
    """The words as they came."""
    parsed_actions: tuple[Any, ...]
    """What the parser made of them; not trusted."""
    normalized_actions: tuple[Action, ...]
    """The claims that became actions."""
    validation_results: tuple[Verdict, ...]
    """One verdict for each of those."""
    applied_actions: tuple[Action, ...]
    """Those that were allowed, and so happened."""
    timestamp: int
    """Milliseconds since 1970."""
    rejections: tuple[Rejection, ...] = ()
    """The claims that never became actions."""
    claimed: tuple[int, ...] = ()
    """For each action the place of its claim; only where one claim ("all") became several."""
    answers: tuple[QuestionAnswer, ...] = ()
    """The answers to the speaker's questions, which changed nothing."""
    clarification: Clarification | None = None
    """Set when we had to ask back; then nothing happened."""
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
    """How a model told it; None where the plain narrator does."""
    aside: TurnAside | None = None
    """Set when this was no speech but something done to the run itself."""
    asked: IdempotencyKey | None = None
    """The request that brought it, where a host named it; never judged, never hashed."""
    played: tuple[Id, ...] = ()
    """The characters spoken to whom a person or an agent plays: they give no written
    answer."""


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
