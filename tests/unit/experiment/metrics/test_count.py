import asyncio

import msgspec
import pytest

from saniwa.core.errors import SdkBridgeError
from saniwa.experiment.answer_intents import DENY_CODES
from saniwa.experiment.cell_outcome import CellOutcome
from saniwa.experiment.cell_player import play_cell
from saniwa.experiment.metrics import compute_metric, count_outcome
from saniwa.experiment.run_template import RunTemplates
from saniwa.models.oracle import OracleAnswer, Usage
from tests.fakes.experiments import (
    HOUSE,
    ScriptedOracle,
    make_plan,
    pick_cell,
    play_cell_of,
    prepare_plan,
    render_answer,
)

LAMP = render_answer("*take lamp* Hello there.")
SWORD = render_answer("*take the sword* Hello there.")
CUP = render_answer("*take cup* There it is.")


def test_a_first_answer_that_may_happen_is_counted_as_valid() -> None:
    """A turn with a valid first attempt has no refusal and no retry."""
    found = count_outcome(play_cell_of("D", CUP))

    assert (1, 1, 1, 0, 0) == (
        found.turns,
        found.generation_calls,
        found.first_try_valid,
        found.impossible_first,
        found.retries,
    )
    assert (1, 0) == (found.actions, found.retry_successes)


def test_refusals_are_counted_first_and_last_by_code() -> None:
    """Refusals of first attempts and of final answers are counted apart, by code."""
    found = count_outcome(play_cell_of("D", LAMP, CUP))

    assert (1, 0) == (found.impossible_first, found.impossible)
    assert 1 == found.impossible_first_by_code["WRONG_LOCATION"]
    assert DENY_CODES == tuple(found.impossible_by_code)
    assert {0} == set(found.impossible_by_code.values())


def test_without_a_game_master_refused_deeds_remain() -> None:
    """In a condition without a game master the first answer is the final one."""
    found = count_outcome(play_cell_of("A", LAMP))

    assert (1, 1, 0) == (found.impossible_first, found.impossible, found.retries)
    assert 0 == found.give_ups


def test_a_retry_that_helps_is_a_success_and_a_silent_correction() -> None:
    """A different action after a refusal, without an apology, is a silent correction."""
    found = count_outcome(play_cell_of("D", LAMP, CUP))

    assert (1, 1, 1, 1) == (
        found.retries,
        found.retried_turns,
        found.retry_successes,
        found.silent_corrections,
    )
    assert {} == found.fail_reasons


def test_every_give_up_is_counted() -> None:
    """Each turn that is given up counts."""
    found = count_outcome(play_cell_of("D", LAMP, made=make_plan(max_turns=5)))

    assert (5, 5, 15, 10) == (found.turns, found.give_ups, found.generation_calls, found.retries)


def test_a_give_up_without_a_single_retry_is_counted() -> None:
    """If no retry is allowed, a refused answer is given up at once and counted."""
    found = count_outcome(play_cell_of("D", LAMP, made=make_plan(max_turns=1, max_retries=0)))

    assert (1, 0) == (found.give_ups, found.retries)


def test_each_retry_that_did_not_help_has_its_reason() -> None:
    """Of two failed retries, the last is the give-up and the first has its own reason."""
    found = count_outcome(play_cell_of("D", LAMP, SWORD, LAMP))

    assert {"FAIL_GIVE_UP": 1, "FAIL_NEW_ERROR_INTRODUCED": 1} == found.fail_reasons


def test_inventions_of_all_attempts_are_counted_and_named_once() -> None:
    """Objects that do not exist are counted in every attempt, and listed once."""
    found = count_outcome(play_cell_of("D", SWORD))

    assert (3, 1) == (found.invented, found.invented_first)
    assert ("sword",) == tuple(name.removeprefix("the ") for name in found.invented_names)


def test_a_turn_lost_with_its_speech_is_hard_denied() -> None:
    """A turn counts if its speech was lost; a refused or unclear action alone does not count."""
    unclear = _play_two_cups(render_answer("*take cup* Hello there."))
    (passage,) = unclear.passages
    silent = msgspec.structs.replace(passage.turn, applied_actions=())
    lost = msgspec.structs.replace(
        unclear, passages=(msgspec.structs.replace(passage, turn=silent),)
    )

    assert 0 == count_outcome(play_cell_of("D", LAMP)).hard_denied
    assert (0, 1) == (count_outcome(unclear).hard_denied, count_outcome(lost).hard_denied)
    assert 0 == count_outcome(_play_two_cups(render_answer("*take cup*"))).hard_denied


def _play_two_cups(answer: str) -> CellOutcome:
    cups = {f"{c}-cup": {"name": f"{c} cup", "location": "kitchen"} for c in ("red", "blue")}
    document = HOUSE | {"props": cups}
    made = make_plan(max_turns=1)
    stages = RunTemplates(prepare_plan(made, {"house": document}))
    return asyncio.run(play_cell(stages, pick_cell(made), ScriptedOracle([answer])))


def test_latency_tokens_and_cost_of_a_turn_are_those_of_all_its_attempts() -> None:
    """A turn's latency, tokens and cost are the sums over all its attempts."""
    used = Usage(calls=1, input_tokens=10, output_tokens=5, cost=7)
    answers = [
        OracleAnswer(text=text, usage=used, model="scripted", took_ms=ms)
        for text, ms in ((LAMP, 30), (CUP, 12))
    ]

    found = count_outcome(play_cell_of("D", *answers))

    assert ((42,), 20, 10, 14, 0) == (
        found.latency_ms,
        found.input_tokens,
        found.output_tokens,
        found.cost,
        found.unpriced,
    )


def test_answers_without_a_price_are_counted() -> None:
    """An answer with an unknown price is counted."""
    used = Usage(calls=1, unpriced=1)

    found = count_outcome(play_cell_of("A", OracleAnswer(text=CUP, usage=used, model="x")))

    assert 1 == found.unpriced


def test_format_breaks_count_in_first_answers_and_by_type_in_all() -> None:
    """Broken formats are counted for the first answer, and by type for every answer."""
    found = count_outcome(play_cell_of("D", "*take lamp* Oh", "*take lamp* Oh", CUP))

    assert 1 == found.format_breaks
    assert {"MISSING_OUTPUT_TAGS": 2} == found.breaks_by_type
    assert 2 == sum(found.repairs_by_method.values())


def test_standstills_and_recoveries_are_counted() -> None:
    """A stall counts as recovered if a turn without a stall follows."""
    circling = "I do wonder what we should do about all of this now."
    again = [render_answer(circling)] * 3
    lively = render_answer("*take cup* Look, a most peculiar porcelain vessel stands here!")

    stuck = count_outcome(play_cell_of("D", *again, made=make_plan(max_turns=3)))
    freed = count_outcome(play_cell_of("D", *again, lively, made=make_plan(max_turns=4)))

    assert (1, 0) == (stuck.stall_events, stuck.stall_recoveries)
    assert (1, 1) == (freed.stall_events, freed.stall_recoveries)
    assert stuck.stall_mean == pytest.approx((0 + 0.9 + 0.9) / 3, abs=1e-6)


def test_interventions_are_counted_by_trigger() -> None:
    """Game master remarks are counted by trigger; turns without one are not."""
    found = count_outcome(
        play_cell_of("D", CUP, render_answer("Well."), made=make_plan(max_turns=2))
    )

    assert {"world_delta": 1} == found.interventions


def test_a_crashed_cell_counts_as_far_as_it_came() -> None:
    """A cell that ended in an error is not a success but keeps the turns it played."""
    broken = SdkBridgeError("BRIDGE_REFUSED", "no")

    found = count_outcome(play_cell_of("D", CUP, broken, made=make_plan(max_turns=3)))

    assert (False, 1) == (found.success, found.turns)


def test_answers_of_a_lost_turn_are_paid_for() -> None:
    """The answers of a turn that ended in an error count only as calls, tokens and cost."""
    whole = play_cell_of("D", LAMP, CUP)
    answer = msgspec.structs.replace(
        whole.passages[0].final, input_tokens=7, output_tokens=2, cost=5, unpriced=True
    )
    lost = msgspec.structs.replace(whole, dropped=(answer, answer))
    before, found = count_outcome(whole), count_outcome(lost)

    assert (2, 14, 4, 10, 2) == (
        found.generation_calls - before.generation_calls,
        found.input_tokens - before.input_tokens,
        found.output_tokens - before.output_tokens,
        found.cost - before.cost,
        found.unpriced - before.unpriced,
    )
    assert (before.turns, before.retries, before.latency_ms) == (
        found.turns,
        found.retries,
        found.latency_ms,
    )


def test_the_same_answers_have_the_same_mark() -> None:
    """The fingerprint of a cell's answers depends on their text and on nothing else."""
    one, same = (
        count_outcome(play_cell_of("D", LAMP, CUP)),
        count_outcome(play_cell_of("A", LAMP, CUP)),
    )
    again = count_outcome(play_cell_of("D", LAMP, CUP))
    shifted = count_outcome(play_cell_of("D", LAMP, CUP.replace("There", "Where")))

    assert one.answers == again.answers
    assert one.answers not in {same.answers, shifted.answers, ""}


def test_the_first_turn_is_counted_by_itself() -> None:
    """The first turn's validity is counted apart from later turns."""
    found = count_outcome(play_cell_of("D", LAMP, CUP, CUP, made=make_plan(max_turns=2)))

    assert (1, 0) == (found.first_turns, found.first_turn_valid)


def test_a_first_turn_without_a_deed_is_not_counted() -> None:
    """Speech alone cannot be impossible, so it does not count as a valid action either."""
    found = count_outcome(play_cell_of("D", render_answer("Hm."), CUP, made=make_plan(max_turns=2)))

    assert (1, 0) == (found.first_turns, found.acting_first_turns)
    assert compute_metric("first_turn_validity", found) is None


def test_deeds_are_counted_by_what_became_of_them() -> None:
    """Actions and refusals are counted for first attempts and for final answers."""
    found = count_outcome(
        play_cell_of("D", LAMP, CUP, render_answer("Hm."), made=make_plan(max_turns=2))
    )

    assert (1, 1, 1, 0) == (
        found.actions,
        found.refused_actions,
        found.kept_actions,
        found.refused_kept_actions,
    )


def test_a_cell_without_turns_has_nothing_to_count() -> None:
    """An outcome without turns gives zeros."""
    empty = CellOutcome(key="k", condition="A", scenario="house", seed=3, error="X")

    found = count_outcome(empty)

    assert (0, 0, 0.0, (), False) == (
        found.turns,
        found.generation_calls,
        found.stall_mean,
        found.latency_ms,
        found.success,
    )
