import re

import msgspec
import pytest

from saniwa.core.random import derive_state
from saniwa.experiment.analysis_records import CellNumbers
from saniwa.experiment.comparison_report import (
    build_comparison,
    build_comparison_report,
    render_comparison_json,
)
from saniwa.experiment.experiment_comparison import (
    ComparisonSide,
    ExperimentComparison,
    MetricChange,
)
from saniwa.experiment.metrics import find_metric
from saniwa.experiment.report.render import render_html_page, render_markdown
from saniwa.experiment.report_wording import format_change
from tests.fakes.reports import PlayedTrial, make_trial, measure_trial


def _render_markdown(compared: ExperimentComparison) -> str:
    return render_markdown(build_comparison_report(compared))


def _render_page(compared: ExperimentComparison) -> str:
    return render_html_page(build_comparison_report(compared))


def _make_side(given: PlayedTrial, **changes: object) -> ComparisonSide:
    """Return the experiment with other counts in its cells."""
    numbers = tuple(msgspec.structs.replace(n, **changes) for n in given.numbers)
    return msgspec.structs.replace(given.side, numbers=numbers)


def _find_move(compared: ExperimentComparison, metric: str, condition: str = "A") -> MetricChange:
    return next(
        each for each in compared.moves if (each.metric, each.condition) == (metric, condition)
    )


def test_an_experiment_is_no_different_from_itself() -> None:
    """Compared with itself, an experiment shows no difference and no undecided metric."""
    found = build_comparison(make_trial().side, make_trial().side)

    assert () == found.differences
    assert {"the same", "nothing to count"} == {each.change for each in found.moves}
    assert {"nothing to count"} == {each.change for each in found.moves if each.difference is None}
    assert {0.0} == {each.difference for each in found.moves if each.first.n}


def test_what_differs_in_the_plan_is_named_with_both_values() -> None:
    """Each difference in plan, conditions, scenarios, prompts and version is listed once."""
    first = make_trial("ABCD").prepared
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
    other = msgspec.structs.replace(make_trial().side, prepared=second)

    found = build_comparison(make_trial().side, other)

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
        each.what for each in found.differences if each.what.startswith(("condition", "prompt"))
    ]


def test_the_order_of_keys_is_no_difference() -> None:
    """A plan read from its file equals the plan that was written."""
    first = make_trial().prepared
    turned = dict(reversed(first.plan.factors.items()))
    plan = msgspec.structs.replace(first.plan, factors=turned)
    again = msgspec.structs.replace(first, plan=plan)
    other = msgspec.structs.replace(make_trial().side, prepared=again)

    assert list(turned) != list(first.plan.factors)
    assert () == build_comparison(make_trial().side, other).differences


def test_less_of_what_should_be_less_is_better() -> None:
    """A significant difference is called better or worse by the metric's direction."""
    calm, stalled = _make_two_sides()

    better, worse = build_comparison(stalled, calm), build_comparison(calm, stalled)

    assert ("better", -0.5) == (
        _find_move(better, "stall_mean").change,
        _find_move(better, "stall_mean").difference,
    )
    assert ("worse", 0.5) == (
        _find_move(worse, "stall_mean").change,
        _find_move(worse, "stall_mean").difference,
    )


def _make_two_sides() -> tuple[ComparisonSide, ComparisonSide]:
    """Make enough blocks for a difference to be shown."""
    whole = make_trial("AC", 10)
    return _make_side(whole, stall_mean=0.1), _make_side(whole, stall_mean=0.6)


def test_few_blocks_decide_nothing_and_that_is_said() -> None:
    """With three blocks p cannot be below 0.25, so the result is not called better."""
    calm, stalled = (_make_side(make_trial("A", 3), stall_mean=n) for n in (0.1, 0.6))
    found = build_comparison(stalled, calm)
    move = _find_move(found, "stall_mean")

    assert ("undecided", 0.25, 3) == (move.change, move.p, move.blocks)
    assert (-0.853799, -0.146201) == (move.low, move.high)
    assert (
        "With 3 blocks and 1 test, no corrected p could have been below 0.250"
        in _render_markdown(found)
    )


def test_tests_are_corrected_in_two_families() -> None:
    """Headline metrics form their own family; the many others are corrected together."""
    calm, stalled = _make_two_sides()
    other = _make_side(make_trial("AC", 10), stall_mean=0.6, unread=3)
    first, second = build_comparison(calm, stalled), build_comparison(calm, other)
    move = _find_move(first, "stall_mean")

    assert move.p is not None
    assert 2 * move.p == pytest.approx(move.p_corrected, rel=1e-4)
    assert move == _find_move(second, "stall_mean")
    assert "worse" == _find_move(second, "unread_rate").change


def _make_random_side(given: PlayedTrial, salt: int, seeds: int = 0) -> ComparisonSide:
    """Return the experiment with random stall scores, shifting its seeds if asked."""
    numbers = tuple(
        msgspec.structs.replace(
            n,
            stall_mean=derive_state(salt, n.key) % 1000 / 1000,
            seed=n.seed + seeds,
            answers=f"{salt} {n.key}",
        )
        for n in given.numbers
    )
    return msgspec.structs.replace(given.side, numbers=numbers)


def test_values_without_partners_are_dealt_again() -> None:
    """With three against three, two of the twenty permutations are as far apart."""
    whole = make_trial("A", 3)
    first, second = _make_random_side(whole, 1), _make_random_side(whole, 2, 100)
    far = tuple(msgspec.structs.replace(n, stall_mean=n.stall_mean + 5) for n in second.numbers)
    found = build_comparison(first, msgspec.structs.replace(second, numbers=far))
    move = _find_move(found, "stall_mean")

    assert (False, 0.1, 0.1) == (move.paired, move.p, move.least_p)


def test_copies_of_a_block_count_once() -> None:
    """Ten seeds of a model that ignores the seed count as one observation."""
    whole = make_trial("A", 10)
    same = [_make_side(whole, stall_mean=n, answers="same") for n in (0.1, 0.6)]
    found = build_comparison(*same)

    assert (9, 1) == (found.folded, _find_move(found, "stall_mean").blocks)
    assert "undecided" == _find_move(found, "stall_mean").change
    assert "up to 9 blocks had exactly the same answers" in _render_markdown(found)


def test_more_of_what_should_be_more_is_better() -> None:
    """Which direction is better depends on the metric."""
    poor, good = (_make_side(make_trial("A", 10), first_try_valid=n) for n in (0, 3))

    assert "better" == _find_move(build_comparison(poor, good), "first_try_validity").change
    assert "worse" == _find_move(build_comparison(good, poor), "first_try_validity").change


def test_every_further_test_makes_it_harder_to_show_anything() -> None:
    """The smallest possible p is the one after correction."""
    calm, stalled = (_make_side(make_trial("AC", 3), stall_mean=n) for n in (0.1, 0.6))

    assert (
        "With 3 blocks and 2 tests, no corrected p could have been below 0.500"
        in _render_markdown(build_comparison(stalled, calm))
    )


def test_both_means_are_of_the_blocks_of_the_difference() -> None:
    """Blocks that only one experiment has are left out of both means, and the page says so."""
    said = "First, Second and the difference use only blocks that both experiments have"
    found = build_comparison(make_trial().side, make_trial("ABCD", 3).side)
    moved = [each for each in found.moves if each.difference is not None]

    assert 1 == found.alone
    assert "up to 1 run had no counterpart and was excluded" in _render_markdown(found)
    assert said in _render_markdown(found)
    assert said not in _render_markdown(build_comparison(make_trial().side, make_trial().side))
    for each in moved:
        assert each.blocks == each.first.n == each.second.n
        assert (each.second.mean or 0) - (each.first.mean or 0) == pytest.approx(
            each.difference, rel=1e-4, abs=1e-6
        )


def test_missing_runs_are_named() -> None:
    """The verdicts name the conditions with missing runs and their numbers."""
    whole = make_trial()
    gone = {("A", 0), ("D", 0), ("D", 1)}
    known = [o for o in whole.outcomes if (o.condition, o.seed) not in gone]
    found = build_comparison(whole.side, measure_trial(whole.prepared, known).side)
    name = whole.prepared.plan.experiment_id
    text = _render_markdown(found)

    assert ({}, {"A": 1, "D": 2}) == (found.missing_first, found.missing_second)
    assert f"Of the planned runs of {name} 3 are missing (A 1, D 2)." in text
    assert "are missing" not in _render_markdown(build_comparison(whole.side, whole.side))


def test_what_would_help_is_what_lacks() -> None:
    """More seeds are not recommended if runs are missing or seeds change nothing."""
    calm, stalled = (_make_side(make_trial("A", 3), stall_mean=n) for n in (0.1, 0.6))
    short = msgspec.structs.replace(stalled, numbers=stalled.numbers[:2])
    texts = [_render_markdown(build_comparison(calm, each)) for each in (stalled, short)]

    assert ["More seeds would help", "Finish the missing runs first"] == [
        text.partition("could have been shown. ")[2].partition(".")[0] for text in texts
    ]


def test_another_name_is_no_other_experiment() -> None:
    """The experiment's name is not listed as a difference."""
    first = make_trial("A", 2)
    plan = msgspec.structs.replace(first.prepared.plan, experiment_id="b", question="?")
    made = msgspec.structs.replace(first.prepared, plan=plan)
    found = build_comparison(first.side, msgspec.structs.replace(first.side, prepared=made))

    assert 2 == len(found.differences)
    assert "The two setups differ" not in _render_markdown(found)


def test_runs_of_other_lengths_are_warned_of() -> None:
    """A difference in the number of turns is noted next to the verdicts."""
    first = make_trial("A", 2)
    plan = msgspec.structs.replace(first.prepared.plan, max_turns=9)
    made = msgspec.structs.replace(first.prepared, plan=plan)
    other = msgspec.structs.replace(first.side, prepared=made)
    text = _render_markdown(build_comparison(first.side, other))
    answer = text.partition('<a id="outset">')[0]

    assert "setups differ in max\\_turns: any of these" in answer
    assert "Their runs differ in length" in answer


def test_what_is_nought_by_definition_is_not_compared() -> None:
    """Without a game master there are no retries, so there is no row for them."""
    found = build_comparison(make_trial("AC", 2).side, make_trial("AC", 2).side)

    assert ["C"] == [e.condition for e in found.moves if e.metric == "give_up_rate"]


def test_blocks_are_paired_where_they_are_the_same() -> None:
    """With other seeds the blocks differ, so the experiments are compared unpaired."""
    whole = make_trial()

    def shift_seed(cell: CellNumbers) -> CellNumbers:
        return msgspec.structs.replace(cell, seed=cell.seed + 100)

    moved = msgspec.structs.replace(whole.side, numbers=tuple(map(shift_seed, whole.numbers)))
    same, other = (build_comparison(whole.side, e) for e in (whole.side, moved))
    paired, apart = _find_move(same, "impossible_rate"), _find_move(other, "impossible_rate")

    assert (True, False) == (paired.paired, apart.paired)
    assert paired.difference == apart.difference == 0.0
    assert apart.low is not None
    assert apart.high is not None
    assert apart.low < 0 < apart.high


def test_conditions_of_one_only_are_named_and_not_compared() -> None:
    """Conditions of only one experiment are listed but are not in any row."""
    found = build_comparison(make_trial("AB", 2).side, make_trial("BD", 2).side)

    assert (("A",), ("D",)) == (found.only_first, found.only_second)
    assert {"B"} == {each.condition for each in found.moves}


def test_one_block_moves_but_decides_nothing() -> None:
    """Without an interval nothing is called better or worse."""
    found = build_comparison(
        _make_side(make_trial("D", 1), stall_mean=0.0), make_trial("D", 1).side
    )
    move = _find_move(found, "stall_mean", "D")

    assert (None, None, None, "undecided") == (move.low, move.high, move.p, move.change)


def test_all_three_forms_tell_the_same() -> None:
    """JSON, Markdown and HTML show the same differences."""
    calm, stalled = _make_two_sides()
    found = build_comparison(stalled, calm)
    shown = format_change(_find_move(found, "stall_mean").difference, find_metric("stall_mean"))

    assert found == msgspec.json.decode(render_comparison_json(found), type=ExperimentComparison)
    assert f"| {shown} (−0.654 to −0.346) | 0.004 | **better** |" in _render_markdown(found)
    assert shown in _render_page(found)


def test_the_same_two_compare_to_the_same_bytes() -> None:
    """The output does not depend on the clock or on chance."""
    first, second = make_trial("ABCD").side, make_trial("ABCD", 3).side

    assert render_comparison_json(build_comparison(first, second)) == render_comparison_json(
        build_comparison(first, second)
    )


@pytest.mark.parametrize("attack", ["<script>|`x`[a](http://b)\u202e\x1b[0m"])
def test_no_word_from_outside_is_markup(attack: str) -> None:
    """Ids and condition names are shown literally."""
    found = build_comparison(
        make_trial(seeds=2).replace_words(attack).side,
        make_trial(seeds=2).replace_words(f"{attack}2").side,
    )
    page, text = _render_page(found), _render_markdown(found)

    assert [] == re.findall(r"<script|\u202e|\x1b|<a href=\"http", page)
    assert [] == re.findall(r"(?<!\\)<script|\u202e|\x1b|http:", text)


def test_two_without_a_shared_condition_say_so() -> None:
    """Without a shared condition there is a message and no empty table."""
    found = build_comparison(make_trial("A", 1).side, make_trial("D", 1).side)

    assert () == found.moves
    assert "The two have no condition in common." in _render_markdown(found)


def test_a_trial_is_measured_again_to_the_same_numbers() -> None:
    """Measuring the same trial twice gives the same numbers."""
    whole = make_trial()

    assert whole == measure_trial(whole.prepared, list(whole.outcomes))
