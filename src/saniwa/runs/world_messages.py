"""The messages of the headless world interface, and the decoding of received lines.

`saniwa schema world` publishes them as JSON Schema. Fields may be added; none changes
its meaning or goes away within a protocol number.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Generic, Literal, TypeVar, get_args

import msgspec
from msgspec import UNSET, UnsetType

from saniwa.core.errors import ProtocolError, SaniwaError
from saniwa.core.findings import SourceLocation
from saniwa.core.suggestions import suggest_nearest
from saniwa.core.text import quote_value
from saniwa.rulebook.verdict import Verdict
from saniwa.turn.description import NarrationLine
from saniwa.turn.record import Clarification, Rejection
from saniwa.world.actions import Action
from saniwa.world.change_records import Change
from saniwa.world.model import Id
from saniwa.world.perceived_scene import Scene

WORLD_PROTOCOL = 1
"""Raised when an old client could misread an answer; additions do not raise it."""
DEEPEST_NESTING: Final = 200
"""The most levels a line may nest; rulebooks, scenarios and snapshots may nest less."""


class _Request(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    tag_field="op",
    forbid_unknown_fields=True,
    omit_defaults=True,
):
    """Every request names its `op`; an `id` comes back with the answer."""

    id: str | int | None = None
    """Anything the client wants back with the answer."""


class WorldLoadRequest(_Request, frozen=True, tag="load"):
    """Begin with a scenario; whatever was loaded before is let go."""

    scenario: str | dict[str, Any]
    """A registry id, a path, or the scenario document itself."""
    book: str | dict[str, Any] | None = None
    """A shipped book's name or a layer over the scenario's own; None for its own."""
    language: str | None = None
    """`en` or `ja`; None for the scenario's own."""


class WorldActRequest(_Request, frozen=True, tag="act"):
    """Try one action."""

    action: dict[str, Any]
    """The action in its wire form."""


class WorldSayRequest(_Request, frozen=True, tag="say"):
    """Say something as a character."""

    text: str
    """The words."""
    actor: str | None = None
    """Who speaks; None for the protagonist."""


class WorldPreviewRequest(_Request, frozen=True, tag="preview"):
    """How words or an action would fare, without acting."""

    text: str | None = None
    """The words."""
    action: dict[str, Any] | None = None
    """Or the action."""
    actor: str | None = None
    """Who speaks; None for the protagonist."""


class WorldAdmissibleRequest(_Request, frozen=True, tag="admissible"):
    """Every action the actor is allowed now."""

    actor: str | None = None
    """Who; None for the protagonist."""


class WorldViewRequest(_Request, frozen=True, tag="view"):
    """What the actor perceives now."""

    actor: str | None = None
    """Who; None for the protagonist."""


class WorldFingerprintRequest(_Request, frozen=True, tag="fingerprint"):
    """The world's fingerprint and published hash."""


class WorldSnapshotRequest(_Request, frozen=True, tag="snapshot"):
    """The whole world as a document."""


class WorldRestoreRequest(_Request, frozen=True, tag="restore"):
    """Put a snapshot in the world's place; the book stays."""

    snapshot: dict[str, Any]
    """A document that `snapshot` gave."""


class WorldEditRequest(_Request, frozen=True, tag="edit"):
    """Lay a layer over the rulebook; the next action is judged by it."""

    book: dict[str, Any]
    """The layer."""


WorldMessage = (
    WorldLoadRequest
    | WorldActRequest
    | WorldSayRequest
    | WorldPreviewRequest
    | WorldAdmissibleRequest
    | WorldViewRequest
    | WorldFingerprintRequest
    | WorldSnapshotRequest
    | WorldRestoreRequest
    | WorldEditRequest
)

WORLD_REQUESTS: dict[str, type[WorldMessage]] = {
    str(cls.__struct_config__.tag): cls for cls in get_args(WorldMessage)
}
"""Every request, by the name of its operation."""


class _Answer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Every good answer says so."""

    ok: Literal[True] = True
    """The line was understood and answered; a refusal by the rulebook is an answer too."""
    id: str | int | UnsetType = UNSET
    """The request's own `id`, if it had one."""


class WorldLoadAnswer(_Answer, frozen=True):
    """Answer to `load`."""

    protocol: int
    """The protocol spoken here."""
    scenario: str
    """The scenario's name."""
    scenario_hash: str
    """Its published hash."""
    world_hash: str
    """The published hash of its world."""
    fingerprint: str
    """The world's fingerprint."""
    book: str
    """The rulebook's fingerprint."""
    language: str
    """The language verdicts and narration speak."""
    actors: list[Id]
    """Every character, in order of id."""
    protagonist: Id | None
    """Who acts if no actor is named."""
    warnings: list[dict[str, Any]]
    """What the scenario's author should know."""


class WorldTurnAnswer(_Answer, frozen=True):
    """Answer to `act`, `say` and `preview`."""

    turn: int
    """The number of the turn, from 0; restoring does not turn it back."""
    parsed: list[Any]
    """What the parser made of the words; not trusted."""
    actions: list[Action]
    """The claims that became actions."""
    verdicts: list[Verdict]
    """One for each of those."""
    applied: list[Action]
    """Those that were allowed; in a preview, those that would be."""
    changes: list[Change]
    """What changed in the world, or would."""
    rejections: list[Rejection]
    """The claims that never became actions."""
    clarification: Clarification | None
    """The question back, if there is one; then nothing happened."""
    narration: list[NarrationLine]
    """The same for people."""
    fingerprint: str
    """The world's fingerprint after; in a preview, as it would be."""
    goal_reached: bool
    """Whether the story has ended well, or would."""
    reply: dict[str, Any] | None = None
    """For a model's `Thought:`/`Output:` reply: both texts and how it was repaired."""


class WorldAdmissibleAnswer(_Answer, frozen=True):
    """Answer to `admissible`."""

    actor: Id
    """Who may."""
    actions: list[Action]
    """Everything they may do now, sorted; what needs free text is not listed."""


class WorldViewAnswer(_Answer, frozen=True):
    """Answer to `view`."""

    view: Scene
    """What the actor perceives."""


class WorldFingerprintAnswer(_Answer, frozen=True):
    """Answer to `fingerprint`."""

    fingerprint: str
    """The world's fingerprint."""
    world_hash: str
    """The published hash of the world as it is now."""


class WorldSnapshotAnswer(_Answer, frozen=True):
    """Answer to `snapshot`."""

    snapshot: dict[str, Any]
    """The whole world."""


class WorldRestoreAnswer(_Answer, frozen=True):
    """Answer to `restore`."""

    fingerprint: str
    """The world's fingerprint."""


class WorldEditAnswer(_Answer, frozen=True):
    """Answer to `edit`."""

    book: str
    """The fingerprint of the rulebook from now on."""


class LineProblem(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong, where, and what to do."""

    code: str
    """Upper-case words, explained in the documentation."""
    message: str
    """What is wrong."""
    where: str
    """The place in the line or file; empty if there is none."""
    hint: str
    """What to do."""
    recoverable: bool
    """Whether the same line could succeed later."""
    details: dict[str, Any]
    """The values involved."""


class ErrorAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Answer to a line that is not understood or cannot be done; nothing changed."""

    ok: Literal[False] = False
    """It is not."""
    id: str | int | UnsetType = UNSET
    """The request's own `id`, if it had one that could be read."""
    error: LineProblem
    """Why."""


WorldAnswer = (
    WorldLoadAnswer
    | WorldTurnAnswer
    | WorldAdmissibleAnswer
    | WorldViewAnswer
    | WorldFingerprintAnswer
    | WorldSnapshotAnswer
    | WorldRestoreAnswer
    | WorldEditAnswer
)

WORLD_ANSWERS = (
    WorldLoadAnswer,
    WorldTurnAnswer,
    WorldAdmissibleAnswer,
    WorldViewAnswer,
    WorldFingerprintAnswer,
    WorldSnapshotAnswer,
    WorldRestoreAnswer,
    WorldEditAnswer,
    ErrorAnswer,
)
"""Every answer there is."""


R = TypeVar("R", bound=msgspec.Struct)


class ReceivedLine(Generic[R]):
    """A line as the client sent it, decoded."""

    def __init__(self, line: bytes, requests: Mapping[str, type[R]]) -> None:
        """Decode a line as one of these requests; never raises."""
        self.mark: str | int | UnsetType = UNSET
        """The request's `id`, to be returned with the answer."""
        self._read: R | SaniwaError
        try:
            document = _decode_line(line)
            self.mark = _find_id(document)
            _check_depth(document, line)
            self._read = _convert_request(document, requests)
        except SaniwaError as problem:
            self._read = problem
        except RecursionError:
            self._read = make_nesting_error()

    def read_request(self) -> R:
        """The decoded request.

        Raises:
            ProtocolError: `PROTOCOL_SYNTAX`, `PROTOCOL_UNKNOWN_OP`,
                `PROTOCOL_BAD_FIELD`.
        """
        if isinstance(self._read, SaniwaError):
            raise self._read
        return self._read


def make_error_answer(problem: SaniwaError) -> ErrorAnswer:
    """The answer to a line that raised an error."""
    return ErrorAnswer(error=LineProblem(**problem.to_document()))


def suggest_name(word: str, names: Sequence[str]) -> str:
    """The nearest name to a misspelt one, else a list of all names."""
    return suggest_nearest(word, names) or f"there is: {', '.join(names)}"


def make_nesting_error() -> ProtocolError:
    """The error for a line that nests too deep."""
    return ProtocolError(
        "PROTOCOL_SYNTAX",
        f"the line nests deeper than {DEEPEST_NESTING} levels",
        hint="send what is meant with fewer brackets inside brackets",
    )


def _decode_line(line: bytes) -> Any:
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise ProtocolError(
            "PROTOCOL_SYNTAX",
            f"the line is not JSON: {problem}",
            hint="send one JSON object a line",
        ) from problem


def _check_depth(document: Any, line: bytes) -> None:
    # Most lines have too few brackets to be deep.
    if line.count(b"[") + line.count(b"{") <= DEEPEST_NESTING:
        return
    level = [document]
    for _ in range(DEEPEST_NESTING + 1):
        level = [part for value in level for part in _list_children(value)]
    if level:
        raise make_nesting_error()


def _list_children(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _find_id(document: Any) -> str | int | UnsetType:
    mark: Any = document.get("id") if isinstance(document, dict) else None
    # A bool is an int in Python, but not an id.
    return mark if type(mark) in (str, int) else UNSET


def _convert_request(document: Any, requests: Mapping[str, type[R]]) -> R:
    op = document.get("op") if isinstance(document, dict) else None
    if not isinstance(op, str) or op not in requests:
        raise ProtocolError(
            "PROTOCOL_UNKNOWN_OP",
            f"{quote_value(op)} is no operation" if op is not None else "the line names no 'op'",
            hint=suggest_name(op if isinstance(op, str) else "", sorted(requests)),
        )
    try:
        return msgspec.convert(document, requests[op])
    except msgspec.ValidationError as problem:
        said, _, place = str(problem).partition(" - at `$")
        raise ProtocolError(
            "PROTOCOL_BAD_FIELD",
            f"{op}: {said}",
            where=SourceLocation(path=place.strip(".`") or op),
            hint=f"{op} takes: {', '.join(requests[op].__struct_fields__)}",
        ) from problem
