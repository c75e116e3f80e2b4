import re

import msgspec
import pytest

from saniwa.experiment.measure.model import Numbers
from saniwa.experiment.report.compare import (
    compare,
    compared_json,
    compared_markdown,
    compared_page,
)
from saniwa.experiment.report.comparing.record import Compared, Experiment, Move
from saniwa.experiment.report.figures import change, metric_named
from tests.fakes.reports import Trial, trial, trial_of


def _with(given: Trial, **changes: object) -> Experiment:
    """The experiment with cells that counted something else."""
    numbers = tuple(msgspec.structs.replace(n, **changes) for n in given.numbers)
    return msgspec.structs.replace(given.experiment, numbers=numbers)


def _move(compared: Compared, metric: str, condition: str = "A") -> Move:
    return next(
        each
        for each in compared.moves
        if (each.metric, each.condition) == (metric, condition)
    )


def test_an_experiment_is_no_different_from_itself() -> None:
    """The same twice: nothing differs, nothing moved, all of it paired."""
    found = compare(trial().experiment, trial().experiment)

    assert () == found.differences
    assert {"undecided"} == {each.change for each in found.moves}
    assert {0.0} == {each.difference for each in found.moves if each.first.n}


def test_what_differs_in_the_plan_is_named_with_both_values() -> None:
    """Plan, conditions, scenarios, prompts and version: each difference is told once."""
    first = trial("ABCD").prepared
    plan = msgspec.structs.replace(first.plan, max_turns=9)
    condition = msgspec.structs.replace(plan.conditions[0], temperature=0.1)
    plan = msgspec.structs.replace(plan, conditions=(condition, *plan.conditions[1:]))
    house = first.settings["house"]
    meta = {**house.meta, "world_hash": "other"}
    second = msgspec.structs.replace(
        first,
        plan=plan,
        settings={"house": msgspec.structs.replace(house, meta=meta)},
        prompts={**first.prompts, "plain": {"en": "?"}},
        version="9",
    )
    other = msgspec.structs.replace(trial().experiment, prepared=second)

    found = compare(trial().experiment, other)

    assert [
        ("max_turns", "3", "9"),
        ("world_hash of house", house.meta["world_hash"], "other"),
        ("saniwa", "0.0.0", "9"),
    ] == [
        (each.what, each.first, each.second)
        for each in found.differences
        if not each.what.startswith(("condition", "prompt"))
    ]
    assert ["condition A", "prompt plain"] == [
        each.what
        for each in found.differences
        if each.what.startswith(("condition", "prompt"))
    ]


def test_the_order_of_keys_is_no_difference() -> None:
    """A plan that was read from its file is the plan that was written."""
    first = trial().prepared
    turned = dict(reversed(first.plan.factors.items()))
    plan = msgspec.structs.replace(first.plan, factors=turned)
    again = msgspec.structs.replace(first, plan=plan)
    other = msgspec.structs.replace(trial().experiment, prepared=again)

    assert list(turned) != list(first.plan.factors)
    assert () == compare(trial().experiment, other).differences


def test_less_of_what_should_be_less_is_better() -> None:
    """A difference whose interval lies on one side of nothing is better, or worse."""
    calm, stalled = _with(trial(), stall_mean=0.1), _with(trial(), stall_mean=0.6)

    better, worse = compare(stalled, calm), compare(calm, stalled)

    assert ("better", -0.5) == (
        _move(better, "stall_mean").change,
        _move(better, "stall_mean").difference,
    )
    assert ("worse", 0.5) == (
        _move(worse, "stall_mean").change,
        _move(worse, "stall_mean").difference,
    )


def test_blocks_are_paired_where_they_are_the_same() -> None:
    """Other seeds make other blocks: then each side is resampled by itself."""
    whole = trial()

    def later(cell: Numbers) -> Numbers:
        return msgspec.structs.replace(cell, seed=cell.seed + 100)

    moved = msgspec.structs.replace(
        whole.experiment, numbers=tuple(map(later, whole.numbers))
    )
    same, other = (compare(whole.experiment, e) for e in (whole.experiment, moved))
    paired, apart = _move(same, "impossible_rate"), _move(other, "impossible_rate")

    assert (True, False) == (paired.paired, apart.paired)
    assert paired.difference == apart.difference == 0.0
    assert apart.low is not None
    assert apart.high is not None
    assert apart.low < 0 < apart.high


def test_conditions_of_one_only_are_named_and_not_compared() -> None:
    """What has no partner is told of, and is in no row."""
    found = compare(trial("AB", 2).experiment, trial("BD", 2).experiment)

    assert (("A",), ("D",)) == (found.only_first, found.only_second)
    assert {"B"} == {each.condition for each in found.moves}


def test_one_block_moves_but_decides_nothing() -> None:
    """Without an interval nothing is better or worse."""
    found = compare(_with(trial("D", 1), stall_mean=0.0), trial("D", 1).experiment)
    move = _move(found, "stall_mean", "D")

    assert (None, None, "undecided") == (move.low, move.high, move.change)


def test_all_three_forms_tell_the_same() -> None:
    """JSON, Markdown and page have the same differences."""
    calm, stalled = _with(trial(), stall_mean=0.1), _with(trial(), stall_mean=0.6)
    found = compare(stalled, calm)
    shown = change(_move(found, "stall_mean").difference, metric_named("stall_mean"))

    assert found == msgspec.json.decode(compared_json(found), type=Compared)
    assert f"| {shown} (−0.500 to −0.500) | **better** |" in compared_markdown(found)
    assert shown in compared_page(found)


def test_the_same_two_compare_to_the_same_bytes() -> None:
    """Nothing comes from a clock or from chance."""
    first, second = trial("ABCD").experiment, trial("ABCD", 3).experiment

    assert compared_json(compare(first, second)) == compared_json(
        compare(first, second)
    )


@pytest.mark.parametrize("attack", ["<script>|`x`[a](http://b)\u202e\x1b[0m"])
def test_no_word_from_outside_is_markup(attack: str) -> None:
    """Ids and names of conditions are shown letter for letter."""
    found = compare(
        trial(seeds=2).with_words(attack).experiment,
        trial(seeds=2).with_words(f"{attack}2").experiment,
    )
    page, text = compared_page(found), compared_markdown(found)

    assert [] == re.findall(r"<script|\u202e|\x1b|<a href=\"http", page)
    assert [] == re.findall(r"(?<!\\)<script|\u202e|\x1b|http:", text)


def test_two_without_a_condition_in_common_say_so() -> None:
    """There is nothing to compare, and no table without rows."""
    found = compare(trial("A", 1).experiment, trial("D", 1).experiment)

    assert () == found.moves
    assert "The two have no condition in common." in compared_markdown(found)


def test_a_trial_is_measured_again_to_the_same_numbers() -> None:
    """What the comparisons above rest on does not change between calls."""
    whole = trial()

    assert whole == trial_of(whole.prepared, list(whole.outcomes))
