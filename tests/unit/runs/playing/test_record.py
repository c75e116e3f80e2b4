import msgspec
import pytest

from saniwa.core.errors import StoreError
from saniwa.core.idempotency import IdempotencyKey
from saniwa.runs.playing import PlayState
from saniwa.runs.playing_record import (
    LARGEST_HISTORY,
    MOST_ANSWERS,
    MOST_STEPS,
    PlayingRecord,
    PlayOrigin,
    StoredStep,
    add_answer,
    add_step,
    add_steps,
    decode_playing_record,
    drop_steps,
)
from saniwa.store.play_records import LARGEST_RECORD
from saniwa.story.step_result import Next, Say, StepResult

EMPTY = PlayingRecord(origin=PlayOrigin(story="tale"), revision=0)


def _passed(text: str, state: bytes = b"{}") -> StoredStep:
    step = StepResult(next=Next.WAIT_USER, directives=(Say.build("", text),))
    return StoredStep(step=step, state=msgspec.Raw(state))


def _texts(record: PlayingRecord) -> list[str]:
    said = [each.step.directives[0] for each in record.passed]
    return [each.args.text for each in said if isinstance(each, Say)]


def _moment(text: str, revision: int = 1) -> PlayState:
    return PlayState(run="run-1", revision=revision, step=_passed(text).step, waiting="step")


def test_a_record_comes_back_as_it_was() -> None:
    """Every field survives being kept."""
    asked = IdempotencyKey(key="k", digest="d")
    record = add_step(EMPTY, _passed("one", b'{"a": [1, 2]}'))
    record = add_answer(record, asked, _moment("one"))
    again = decode_playing_record("run-1", record.to_bytes())

    assert record == again
    assert b'{"a": [1, 2]}' == bytes(again.passed[0].state)
    assert "tale" == again.origin.story


def test_a_step_is_one_revision() -> None:
    """Steps that are only passed are none."""
    record = add_step(add_steps(EMPTY, [_passed("a"), _passed("b")]), _passed("c"))

    assert 1 == record.revision
    assert ["a", "b", "c"] == _texts(record)
    assert ["a"] == _texts(drop_steps(record, 2))


def test_so_many_steps_are_kept_and_no_more() -> None:
    """The oldest go first."""
    record = EMPTY
    for number in range(MOST_STEPS + 3):
        record = add_step(record, _passed(str(number)))

    assert MOST_STEPS == len(record.passed)
    assert str(MOST_STEPS + 2) == _texts(record)[-1]
    assert MOST_STEPS + 3 == record.revision


@pytest.mark.parametrize("large", ["text", "state"])
def test_large_steps_leave_room_for_fewer(large: str) -> None:
    """Whether what was said is long, or what is remembered."""
    record = EMPTY
    for number in range(10):
        filled = "x" * (LARGEST_HISTORY // 4)
        said = f"{number}{filled}" if large == "text" else str(number)
        state = f'"{filled}"'.encode() if large == "state" else b"{}"
        record = add_step(record, _passed(said, state))

    assert 3 == len(record.passed)
    assert _texts(record)[-1].startswith("9")


def test_what_is_shown_now_is_kept_however_large() -> None:
    """There is always one step, and one answer."""
    asked = IdempotencyKey(key="k", digest="d")
    huge = "x" * (LARGEST_HISTORY * 2)
    record = add_step(add_step(EMPTY, _passed("a")), _passed(huge))
    record = add_answer(record, IdempotencyKey(key="old", digest="d"), _moment("a"))
    record = add_answer(record, asked, _moment(huge))

    assert [huge] == _texts(record)
    assert [asked] == [each.asked for each in record.answered]
    assert len(record.to_bytes()) < LARGEST_RECORD


def test_the_last_answers_are_remembered() -> None:
    """Those of requests that had a name."""
    record = add_answer(EMPTY, None, _moment("nobody"))
    for number in range(MOST_ANSWERS + 2):
        record = add_answer(record, IdempotencyKey(key=str(number), digest="d"), _moment("m"))

    keys = [each.asked.key for each in record.answered]
    assert [str(number) for number in range(2, MOST_ANSWERS + 2)] == keys


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff",
        b"[]",
        b"{}",
        b'{"origin": {"story": "\xff"}}',
        b'{"origin": 3}',
        b"[" * 100_000,
        b'{"version": 2, "origin": {}}',
    ],
)
def test_what_is_no_record_is_refused(content: bytes) -> None:
    """It is named, and nothing is guessed."""
    with pytest.raises(StoreError, match="'run-1'") as caught:
        decode_playing_record("run-1", content)

    assert "STORE_UNREADABLE" == caught.value.code
    assert caught.value.hint
