"""Records to store, made without playing."""

from typing import Any

import msgspec

from saniwa.rulebook.verdict import Verdict
from saniwa.store.run_records import RunRecord
from saniwa.turn.record import (
    Clarification,
    ClarificationOption,
    Rejection,
    RulebookEdit,
    RunReturn,
    Turn,
)
from saniwa.world.actions import Move, Take
from saniwa.world.changes import FieldChange, MoveChange, TurnChange
from saniwa.world.model import Id


def make_record(run_id: str = "run-1", created: int = 7) -> RunRecord:
    """A small record with something in every field."""
    return RunRecord(
        run_id=run_id,
        scenario_id="庭",
        scenario={"name": "庭", "locations": {"門": {"exits": []}}},
        scenario_hash="0123456789abcdef",
        world_hash="fedcba9876543210",
        books=({"id": "default", "rules": []}, {"id": "庭の掟"}),
        actor_id="player",
        language="ja",
        seed=3,
        created=created,
        version="0.1.0",
    )


def make_turn(number: int = 0, text: str = "take the key") -> Turn:
    """An ordinary turn: one allowed action."""
    taken = Take(actor_id=Id("player"), target_id=Id("key"))
    return Turn(
        id=f"turn-{number}",
        number=number,
        actor_id=Id("player"),
        raw_text=text,
        parsed_actions=({"type": "take", "target": "the key"},),
        normalized_actions=(taken,),
        validation_results=(
            Verdict(success=True, reason_code="OK", message="", check="default.take"),
        ),
        applied_actions=(taken,),
        timestamp=1000 + number,
        changes=(
            MoveChange(entity_id=Id("key"), before=Id("bench"), after=Id("player")),
            FieldChange(entity_id=Id("key"), field="hidden", before=True, after=False),
            TurnChange(before=number, after=number + 1),
        ),
        world_before="0" * 16,
        world_after="1" * 16,
        book="2" * 16,
    )


def make_odd_turns() -> list[Turn]:
    """Turns with every rarer field set, and unusual texts."""
    quiet = {"validation_results": (), "applied_actions": (), "changes": ()}
    asked = Clarification(
        code="AMBIGUOUS_REFERENCE",
        question="Which key?",
        words="key",
        field="targetId",
        options=(ClarificationOption(id=Id("key"), label="brass key"),),
    )
    moved = Move(actor_id=Id("player"), target_id=Id("庭"))
    return [
        replace(make_turn(0), clarification=asked, normalized_actions=(), **quiet),
        replace(make_turn(1, "鍵\x00\u2028\u0085\r\n\ufeff🗝️ \"'\\"), normalized_actions=(moved,)),
        replace(
            make_turn(2),
            rejections=(Rejection(index=0, code="UNKNOWN_TYPE", message="no 'fly'"),),
            parsed_actions=({"type": "fly", "a": [1, 2.5, None, {"b": "ü"}]}, 3, "x"),
        ),
        replace(make_turn(3), aside=RunReturn(to=-1), normalized_actions=(), **quiet),
        replace(make_turn(4), aside=RulebookEdit(book={"id": "edit", "rules": [{"a": 1}]})),
        replace(make_turn(5), reply={"raw_output": "Output: x", "break_type": "NONE"}),
        replace(make_turn(6, ""), normalized_actions=(), parsed_actions=(), **quiet),
    ]


def replace(turn: Turn, **fields: Any) -> Turn:
    """The turn with some fields changed."""
    return msgspec.structs.replace(turn, **fields)
