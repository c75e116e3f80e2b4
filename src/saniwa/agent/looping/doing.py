"""What an agent does with its words: speaks on its floor, or hands in evidence.

Blocks in an answer are read with a closed list of types; one that cannot be read is told
and left, for no text a model writes stops its agent.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from itertools import islice
from typing import Any, NamedTuple

import msgspec

from saniwa.agent.definition import Actions
from saniwa.agent.floor import Floor, Handed
from saniwa.agent.progress import ActionResult
from saniwa.agent.spoken import blocks, said_object
from saniwa.agent.spoken import read as read_json
from saniwa.core.quoted import cut, quoted
from saniwa.core.ready import ready
from saniwa.process.artifact import Claim
from saniwa.process.ruling import Accepted, Ruling
from saniwa.turn.trace import Turn
from saniwa.world.action import type_of

MOST_BLOCKS = 20
"""Blocks of one answer that are read."""
MOST_ARTIFACTS = 50
"""Artifacts that come with one event."""
MOST_REPEATED = 5
"""How often the same submission may be refused before the agent is stopped."""
LONGEST_TOLD = 300
"""Letters of an action's texts that its summary holds."""


class Detected(NamedTuple):
    """What an answer asks to be done, and what in it could not be read."""

    actions: tuple[dict[str, Any], ...]
    """The actions, in order."""
    errors: tuple[str, ...] = ()
    """Why blocks were left."""

    @property
    def summed(self) -> tuple[dict[str, Any], ...]:
        """The actions for a summary: long texts are in the answer, and only there."""
        return tuple(_summed(action) for action in self.actions)


class SubmissionCounter:
    """Counts how often the same submission was refused while its run stood still.

    The same is the same event, payload and evidence, refused with the same code at the same
    revision. An accepted event, or one of somebody else, begins the count anew.
    """

    def __init__(self, refused: Mapping[str, int] | None = None) -> None:
        self.refused = dict(refused or {})
        """How often, by a digest of the submission."""

    def count(
        self, action: dict[str, Any], result: ActionResult, revision: object
    ) -> int:
        """Count a result; gives how often this very submission was refused so far."""
        if result.success:
            self.refused.clear()
            return 0
        told = (action, result.code, revision)
        content = msgspec.json.encode(told, order="deterministic")
        digest = sha256(content).hexdigest()[:16]
        self.refused[digest] = self.refused.get(digest, 0) + 1
        return self.refused[digest]


class _Submit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    type: str
    event: str
    payload: dict[str, Any] = {}
    artifacts: tuple[Claim, ...] = ()


def detect(text: str, actions: Actions, *, speaks: bool) -> Detected:
    """The actions in an answer; all of it is speech where the agent is a character."""
    if speaks:
        return Detected(({"type": "speak", "content": text},))
    if not actions.enabled:
        return Detected(())
    # A model that was given a schema answers with the object alone.
    whole = _fitting(said_object(text), actions.types)
    if isinstance(whole, dict):
        return Detected((whole,))
    return _in_blocks(text, actions)


def _in_blocks(text: str, actions: Actions) -> Detected:
    found: list[dict[str, Any]] = []
    errors: list[str] = []
    written = blocks(text, actions.output_format)
    for number, block in enumerate(islice(written, MOST_BLOCKS + 1)):
        if number == MOST_BLOCKS:
            errors.append(f"only the first {MOST_BLOCKS} action blocks were read")
            break
        read = _fitting(_object(block), actions.types)
        if isinstance(read, str):
            errors.append(f"action block {number + 1}: {read}")
        else:
            found.append(read)
    if not found and not errors:
        errors.append(f"no block of {actions.output_format!r} was found")
    return Detected(tuple(found), tuple(errors))


def _object(block: str) -> dict[str, Any] | None:
    said = read_json(block)
    return said.value if said is not None and isinstance(said.value, dict) else None


def _fitting(said: dict[str, Any] | None, types: Sequence[str]) -> dict[str, Any] | str:
    if said is None:
        return "it is no JSON object"
    if said.get("type") not in types:
        return f"its type {quoted(said.get('type'))} is none of {', '.join(types)}"
    return said


def _summed(action: dict[str, Any]) -> dict[str, Any]:
    return {
        key: cut(value, LONGEST_TOLD) if isinstance(value, str) else _short(value)
        for key, value in action.items()
    }


def _short(value: Any) -> Any:
    return (
        value if len(msgspec.json.encode(value)) < 4 * LONGEST_TOLD else quoted(value)
    )


async def perform(
    action: dict[str, Any], floor: Floor, attempt: str, *, calls: int = 1
) -> tuple[ActionResult, ...]:
    """Do it, and say what came of it: one result for each verdict, or one for a ruling.

    `calls` are the questions to a model that the turn costs besides those it leads to.

    Raises:
        LoopError: `FLOOR_UNFIT` where the floor has no room for it.
        StoreError: It could not be kept.
    """
    if action["type"] == "speak":
        words = action.get("content")
        if not isinstance(words, str):
            return (_unfit("speak", "its 'content' is no text"),)
        return results_of(await floor.speak(words, attempt, calls=calls))
    try:
        sent = msgspec.convert(action, _Submit)
    except msgspec.ValidationError as problem:
        return (_unfit("submit", str(problem)),)
    if len(sent.artifacts) > MOST_ARTIFACTS:
        return (_unfit("submit", f"it has more than {MOST_ARTIFACTS} artifacts"),)
    handed = Handed(event=sent.event, payload=sent.payload, artifacts=sent.artifacts)
    return (ruled(await floor.submit(handed, attempt)),)


def results_of(turn: Turn) -> tuple[ActionResult, ...]:
    """A turn as results: what was allowed, what was refused, what nobody understood."""
    details = {"turn": turn.number}
    results = [
        ActionResult(
            type=type_of(action),
            success=verdict.success,
            code="" if verdict.success else str(verdict.reason_code),
            message="" if verdict.success else verdict.message,
            details=details,
        )
        for action, verdict in zip(
            turn.normalized_actions, turn.validation_results, strict=True
        )
    ]
    results += [
        ActionResult(
            type="speak", success=False, code=r.code, message=r.message, details=details
        )
        for r in turn.rejections
    ]
    if turn.clarification is not None:
        asked = turn.clarification
        results.append(
            ActionResult(
                type="speak",
                success=False,
                code=asked.code,
                message=asked.question,
                details=details,
            )
        )
    return tuple(results)


def ruled(ruling: Ruling) -> ActionResult:
    """A ruling as a result."""
    if isinstance(ruling, Accepted):
        return ActionResult(
            type="submit",
            success=True,
            message=f"the run stands in {ruling.to_state!r} now",
            details={"event_id": ruling.event_id, "revision": ruling.new_revision},
        )
    every = [lack.current_status for lack in ruling.missing_guards]
    every += [f"{each.path}: {each.message}" for each in ruling.validation_errors]
    lacks = [each for each in every if each not in ruling.message]
    return ActionResult(
        type="submit",
        success=False,
        code=ruling.code,
        message="; ".join([ruling.message, *lacks]),
        details={"hint": ruling.hint} if ruling.hint else {},
    )


def _unfit(type: str, why: str) -> ActionResult:
    return ActionResult(type=type, success=False, code="unreadable", message=why)


ready(_Submit)
