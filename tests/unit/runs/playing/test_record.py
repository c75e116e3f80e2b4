import msgspec
import pytest

from saniwa.core.errors import StoreError
from saniwa.core.idempotency import IdempotencyKey
from saniwa.runs.playing import PlayState
from saniwa.runs.playing_record import (
    LARGEST_HISTORY,
    MOST_ANSWERS,
    MOST_MOVES,
    MOST_STEPS,
    VERSION,
    MoveLog,
    PlayingRecord,
    PlayOrigin,
    StoredAnswer,
    StoredMove,
    StoredStep,
    add_answer,
    add_state,
    add_steps,
    decode_playing_record,
    drop_steps,
    load_playing_record,
)
from saniwa.store.play_records import LARGEST_RECORD, MemoryPlayRecords
from saniwa.story.step_result import Next, Say, StepResult

EMPTY = PlayingRecord(origin=PlayOrigin(story="tale"), revision=0)


def _make_step(text: str, state: bytes = b"{}") -> StoredStep:
    step = StepResult(next=Next.WAIT_USER, directives=(Say.build("", text),))
    return StoredStep(step=step, state=msgspec.Raw(state))


def _list_texts(record: PlayingRecord) -> list[str]:
    said = [each.step.directives[0] for each in record.passed]
    return [each.args.text for each in said if isinstance(each, Say)]


def _make_moment(text: str, revision: int = 1) -> PlayState:
    return PlayState(run="run-1", revision=revision, step=_make_step(text).step, waiting="step")


def test_a_record_comes_back_as_it_was() -> None:
    """A record is equal after encoding and decoding."""
    asked = IdempotencyKey(key="k", digest="d")
    record = add_steps(EMPTY, [_make_step("one", b'{"a": [1, 2]}')])
    record = add_answer(record, asked, _make_moment("one"))
    again = decode_playing_record("run-1", record.to_bytes())

    assert record == again
    assert b'{"a": [1, 2]}' == bytes(again.passed[0].state)
    assert "tale" == again.origin.story


def test_the_last_steps_can_be_dropped() -> None:
    """Steps are stored in order, and dropped from the end."""
    record = add_steps(EMPTY, [_make_step(text) for text in "abc"])

    assert ["a", "b", "c"] == _list_texts(record)
    assert ["a"] == _list_texts(drop_steps(record, 2))


def test_so_many_steps_are_kept_and_no_more() -> None:
    """The number of stored steps is limited, and the oldest are dropped."""
    record = EMPTY
    for number in range(MOST_STEPS + 3):
        record = add_steps(record, [_make_step(str(number))])

    assert MOST_STEPS == len(record.passed)
    assert str(MOST_STEPS + 2) == _list_texts(record)[-1]


@pytest.mark.parametrize("large", ["text", "state"])
def test_large_steps_leave_room_for_fewer(large: str) -> None:
    """Large steps or states leave room for fewer of them."""
    record = EMPTY
    for number in range(10):
        filled = "x" * (LARGEST_HISTORY // 4)
        said = f"{number}{filled}" if large == "text" else str(number)
        state = f'"{filled}"'.encode() if large == "state" else b"{}"
        record = add_steps(record, [_make_step(said, state)])

    assert 3 == len(record.passed)
    assert _list_texts(record)[-1].startswith("9")


def test_what_is_shown_now_is_kept_however_large() -> None:
    """The current step and the last answer are stored, whatever their size."""
    asked = IdempotencyKey(key="k", digest="d")
    huge = "x" * (LARGEST_HISTORY * 2)
    record = add_steps(add_steps(EMPTY, [_make_step("a")]), [_make_step(huge)])
    record = add_answer(record, IdempotencyKey(key="old", digest="d"), _make_moment("a"))
    record = add_answer(record, asked, _make_moment(huge))

    assert [huge] == _list_texts(record)
    assert [asked] == [each.asked for each in record.answered]
    assert len(record.to_bytes()) < LARGEST_RECORD


def test_the_last_answers_are_remembered() -> None:
    """The last answers to requests with a key are stored."""
    record = add_answer(EMPTY, None, _make_moment("nobody"))
    for number in range(MOST_ANSWERS + 2):
        record = add_answer(record, IdempotencyKey(key=str(number), digest="d"), _make_moment("m"))

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
        b'{"version": 3, "origin": {}}',
    ],
)
def test_what_is_not_a_record_is_refused(content: bytes) -> None:
    """A malformed record is an error with the run's id."""
    with pytest.raises(StoreError, match="'run-1'") as caught:
        decode_playing_record("run-1", content)

    assert "STORE_UNREADABLE" == caught.value.code
    assert caught.value.hint


def _log(*moves: StoredMove) -> tuple[MemoryPlayRecords, MoveLog]:
    """A record of one step, and moves after it."""
    plays = MemoryPlayRecords()
    head = PlayingRecord(version=VERSION, origin=PlayOrigin(story="t"), passed=(_make_step("0"),))
    plays.create("run-1", head.to_bytes())
    log = MoveLog("run-1", plays)
    for number, made in enumerate(moves, 2):
        log.append(number, made)
    return plays, log


def _load_record(plays: MemoryPlayRecords) -> PlayingRecord:
    record = load_playing_record("run-1", plays)
    assert record is not None
    return record


def test_moves_are_appended_and_read_back() -> None:
    """Each move is one new record, and no stored record is changed."""
    plays, log = _log(*(StoredMove(passed=(_make_step(str(n)),)) for n in range(1, 5)))
    before = {id: plays.get(id) for id in plays.list_ids()}
    log.append(6, StoredMove(passed=(_make_step("5"), _make_step("6"))))

    assert before == {id: plays.get(id) for id in before}
    assert 1 == len(plays.list_ids()) - len(before)
    assert (6, [*"0123456"]) == (_load_record(plays).revision, _list_texts(_load_record(plays)))


def test_steps_that_were_gone_back_over_are_gone() -> None:
    """Steps that were undone are dropped, also those of several moves."""
    plays, log = _log(
        StoredMove(passed=(_make_step("1"), _make_step("2"))),
        StoredMove(passed=(_make_step("3"),)),
        StoredMove(dropped=2, passed=(_make_step("2b"),)),
    )
    assert ["0", "1", "2b"] == _list_texts(_load_record(plays))
    log.append(5, StoredMove(dropped=3, passed=(_make_step("0b"),)))

    assert ["0b"] == _list_texts(_load_record(plays))


def test_one_move_leads_to_a_revision() -> None:
    """A second move to the same revision is a conflict with the current one."""
    plays, log = _log(StoredMove(passed=(_make_step("1"),)), StoredMove(passed=(_make_step("2"),)))
    with pytest.raises(StoreError) as caught:
        log.append(2, StoredMove(passed=(_make_step("other"),)))

    assert "REVISION_CONFLICT" == caught.value.code
    assert {"run": "run-1", "expected": 1, "current": 3} == caught.value.details
    assert ["0", "1", "2"] == _list_texts(_load_record(plays))


@pytest.mark.parametrize("count", [0, 1, 2, 3, 62, 63, 64, 65, 130])
def test_the_last_move_is_found_among_any_number(count: int) -> None:
    """The last move is found with few reads, whatever their number."""
    asked = [IdempotencyKey(key=str(n), digest="d") for n in range(count)]
    moves = [
        StoredMove(
            passed=(_make_step(key.key),),
            answered=StoredAnswer(asked=key, moment=_make_moment("m")),
        )
        for key in asked
    ]
    plays, _ = _log(*moves)
    record = _load_record(plays)

    assert count + 1 == record.revision
    assert ["0", *(key.key for key in asked)][-MOST_STEPS:] == _list_texts(record)
    assert asked[-MOST_ANSWERS:] == [each.asked for each in record.answered]


def test_a_long_history_without_keys_is_not_read_to_its_beginning() -> None:
    """Looking for answers in a long history reads a limited number of moves."""
    step, key = _make_step("s"), IdempotencyKey(key="k", digest="d")
    answer = StoredAnswer(asked=key, moment=_make_moment("m"))
    before = [StoredMove(passed=(step,)), StoredMove(passed=(step,), answered=answer)]
    plays, log = _log(*before, *(StoredMove(passed=(step,)) for _ in range(MOST_MOVES)))
    assert [key] == [each.asked for each in _load_record(plays).answered]
    log.append(MOST_MOVES + 4, StoredMove(passed=(step,)))

    assert () == _load_record(plays).answered
    assert MOST_STEPS == len(_load_record(plays).passed)


def test_a_missing_move_is_reported() -> None:
    """A missing move is an error."""
    plays, _ = _log(*(StoredMove(passed=(_make_step(str(n)),)) for n in range(9)))
    plays.drop("step-run-1/000000000006")
    with pytest.raises(StoreError) as caught:
        load_playing_record("run-1", plays)

    assert "STORE_UNREADABLE" == caught.value.code


def test_a_record_of_an_earlier_version_is_appended_to() -> None:
    """A record of an earlier version keeps its steps and answers, and gets the new version."""
    plays = MemoryPlayRecords()
    old = add_answer(
        add_steps(EMPTY, [_make_step("old")]),
        IdempotencyKey(key="k", digest="d"),
        _make_moment("m"),
    )
    plays.create("run-1", old.to_bytes())
    add_state(plays, "run-1", old.origin, _make_step("new"))
    record = _load_record(plays)

    assert b'"version"' not in old.to_bytes()
    assert (VERSION, 1, ["old", "new"]) == (record.version, record.revision, _list_texts(record))
    assert ["k"] == [each.asked.key for each in record.answered]
