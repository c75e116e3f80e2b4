import msgspec
import pytest

from saniwa.experiment.analysis_records import Analysis, ConditionComparison, Estimate, FactorEffect
from saniwa.experiment.report.question_and_answer import build_answer, list_answer_lines
from saniwa.experiment.report.report_blocks import BulletsBlock
from tests.fakes.reports import PlayedTrial, make_trial, measure_trial


def _make_effect(*factors: str, estimate: float | None, p: float | None) -> FactorEffect:
    return FactorEffect(
        metric="impossible_deed_rate",
        factors=factors,
        estimate=estimate,
        low=None if estimate is None else estimate - 0.1,
        high=None if estimate is None else estimate + 0.1,
        f=4.0,
        p=p,
        p_corrected=p,
        eta_squared=0.5,
        note="" if p is not None else "too few cells to tell it from chance",
    )


def _render_answer(given: PlayedTrial, *effects: FactorEffect) -> list[str]:
    analysis: Analysis = msgspec.structs.replace(given.analysis, effects=effects)
    lines = list_answer_lines(given._replace(analysis=analysis).material)
    return ["".join(piece.text for piece in line) for line in lines]


@pytest.mark.parametrize(
    ("estimate", "p", "expected"),
    [
        (-0.4, 0.0001, "Yes. Impossible actions: −40.0 points (−50.0 to −30.0 points), p < 0.001."),
        (0.4, 0.01, "No, it makes things worse. Impossible actions: +40.0 points "
         "(+30.0 to +50.0 points), p = 0.010."),
        (-0.4, 0.2, "It was not shown. Impossible actions: "
         "−40.0 points (−50.0 to −30.0 points), p = 0.200: not distinguishable from chance."),
        (-0.4, None, "Unknown. Impossible actions: "
         "−40.0 points (−50.0 to −30.0 points), but that cannot be tested: too few cells to tell it "
         "from chance."),
        (None, None, "Unknown. It cannot be compared: too few cells "
         "to tell it from chance."),
    ],
)  # fmt: skip
def test_the_answer_says_no_more_than_the_figures_bear(
    estimate: float | None, p: float | None, expected: str
) -> None:
    """Yes is said only if it was shown, with the change, the interval and p."""
    told = _render_answer(make_trial(), _make_effect("inject", estimate=estimate, p=p))

    assert f"Does telling help? {expected}" == told[0]


@pytest.mark.parametrize(
    ("inject", "gm", "both", "p", "expected"),
    [
        (-0.4, -0.3, 0.2, 0.01, "They overlap."),
        (-0.4, -0.3, -0.2, 0.01, "They strengthen each other."),
        (-0.4, 0.3, -0.2, 0.01, "The effect of one depends on the other."),
        (-0.4, -0.3, 0.2, 0.5, "It was not shown that one changes what the other does."),
        (-0.4, -0.3, 0.2, None, "Unknown."),
    ],
)
def test_both_together_are_reported_by_their_interaction(
    inject: float, gm: float, both: float, p: float | None, expected: str
) -> None:
    """The answer on both switches follows the interaction, if it was tested."""
    told = _render_answer(
        make_trial(),
        _make_effect("inject", estimate=inject, p=0.01),
        _make_effect("gm", estimate=gm, p=0.01),
        _make_effect("inject", "gm", estimate=both, p=p),
    )

    assert told[2].startswith(f"And both together? {expected} With telling, the game master helps ")


def test_what_a_plan_does_not_vary_was_not_asked() -> None:
    """A plan with one condition has no answer, and the report says why."""
    told = _render_answer(make_trial("D", 1))

    assert [
        "Not tested: telling, the game master, both together. This plan does not vary them."
    ] == told


def test_untested_factors_are_gathered_after_the_tested_ones() -> None:
    """A plan that varies only gm answers on gm first and has one line for the other factors."""
    told = _render_answer(make_trial("BD"), _make_effect("gm", estimate=-0.4, p=0.01))

    assert told[0].startswith("Does the game master help? ")
    assert told[-1] == "Not tested: telling, both together. This plan does not vary them."


def _add_factor(name: str, *levels: str) -> PlayedTrial:
    """Add a factor in which the conditions of the trial differ."""
    whole = make_trial()
    old = whole.prepared.plan
    plan = msgspec.structs.replace(
        old,
        factors={**old.factors, name: levels},
        conditions=tuple(
            msgspec.structs.replace(each, **{name: levels[n % len(levels)]})
            for n, each in enumerate(old.conditions)
        ),
    )
    return whole._replace(prepared=msgspec.structs.replace(whole.prepared, plan=plan))


def test_further_factors_are_reported_after_the_three() -> None:
    """Each further factor has a sentence that says what changes."""
    given = _add_factor("model", "a", "b", "c")
    told = _render_answer(given, _make_effect("model", estimate=None, p=0.01))

    assert (
        "Does the factor model matter? Yes. “Impossible actions” differs between its levels "
        "with p = 0.010, partial η² 0.500."
    ) == told[3]


def test_a_factor_of_two_levels_is_compared_from_one_to_the_other() -> None:
    """The sentence says from which level to which it changes."""
    given = _add_factor("prompt", "plain", "strict")
    told = _render_answer(given, _make_effect("prompt", estimate=-0.4, p=0.2))

    assert (
        "Does the factor prompt matter? It was not shown. “Impossible actions” changes from "
        "plain to strict by −40.0 points (−50.0 to −30.0 points), p = 0.200, partial η² 0.500."
    ) == told[3]


def _make_constant_effect(*factors: str, blocks: int) -> FactorEffect:
    return msgspec.structs.replace(
        _make_effect(*factors, estimate=0.0, p=None), low=-0.3, high=0.3, blocks=blocks
    )


def _render_constants(blocks: int) -> list[str]:
    crossed = (("prompt",), ("gm",), ("inject", "gm"), ("gm", "prompt"))
    return _render_answer(
        _add_factor("prompt", "plain", "strict"),
        *(_make_constant_effect(*factors, blocks=blocks) for factors in crossed),
    )


def test_what_changes_in_no_block_is_reported_with_what_may_still_be_true() -> None:
    """If no block differs, the report says so with an interval and claims nothing more."""
    told = _render_constants(10)

    assert (
        "Does the game master help? No difference was observed. Impossible actions did not "
        "change in any of 10 blocks (−30.0 to +30.0 points)."
    ) == told[1]
    assert told[2].startswith(
        "And both together? Each has the same effect with and without the other. "
    )
    assert (
        "Does the factor prompt matter? No difference was observed. Impossible "
        "actions did not change in any of 10 blocks (−30.0 to +30.0 points)."
    ) == told[3]
    assert told[4].startswith("Does the effect of gm depend on prompt? No. ")


def test_too_few_blocks_do_not_show_that_nothing_changes() -> None:
    """If the blocks are too few to show a difference, its absence is not a result."""
    told = _render_constants(4)

    assert (
        "Does the game master help? It could not have been shown. Impossible actions did not "
        "change in any of 4 blocks (−30.0 to +30.0 points), but 4 blocks are too few to show that there is no effect."
    ) == told[1]
    assert told[2].startswith("And both together? It could not have been shown. ")
    assert told[3].startswith("Does the factor prompt matter? It could not have been shown. ")
    assert told[4].startswith(
        "Does the effect of gm depend on prompt? It could not have been shown. "
    )


def _render_unable(scenarios: int, seeds: int, gone: int = 0, **analysed: int) -> str:
    """Return the text on an effect in too few blocks to show anything."""
    whole, names = make_trial(), ("house", "b", "c")[:scenarios]
    plan = msgspec.structs.replace(whole.prepared.plan, scenarios=names, seeds=tuple(range(seeds)))
    numbers = [
        msgspec.structs.replace(each, scenario=name)
        for name in names
        for each in whole.numbers
        if each.seed < seeds
    ]
    given = whole._replace(
        prepared=msgspec.structs.replace(whole.prepared, plan=plan),
        numbers=tuple(numbers[gone:]),
        analysis=msgspec.structs.replace(whole.analysis, **analysed),
    )
    effect = _make_effect("inject", estimate=-0.4, p=0.5)
    few = msgspec.structs.replace(effect, family="answer", blocks=4, least_p=0.125)
    others = [msgspec.structs.replace(few, factors=(name,)) for name in ("gm", "x")]
    return _render_answer(given, few, *others)[0]


@pytest.mark.parametrize(("scenarios", "played", "seeds"), [(1, 4, 7), (3, 2, 3)])
def test_what_could_not_have_been_shown_is_reported_with_the_seeds_it_needs(
    scenarios: int, played: int, seeds: int
) -> None:
    """Too few blocks are not evidence against an effect; the seeds needed are named."""
    assert (
        "Does telling help? It could not have been shown. Impossible actions: "
        "−40.0 points (−50.0 to −30.0 points), p = 0.500: with 4 blocks its p could "
        f"not have been below 0.375; at least {seeds} seeds would be needed."
    ) == _render_unable(scenarios, played)


def test_seeds_are_asked_for_only_where_seeds_are_what_lacks() -> None:
    """More seeds are not recommended for copies, missing runs or blocks without a value."""
    told = {
        "missing": _render_unable(1, 4, gone=3),
        "deaf": _render_unable(3, 4, folded=11, blocks=1),
        "partly deaf": _render_unable(3, 4, folded=3, blocks=9),
        "enough": _render_unable(3, 4),
    }

    assert {
        "missing": "; finish the missing runs first.",
        "deaf": "; seeds make no difference here, so more of them would not help.",
        "partly deaf": "; some seeds or scenarios make no difference.",
        "enough": ".",
    } == {case: text.partition("below 0.375")[2] for case, text in told.items()}


def test_an_effect_in_some_blocks_says_in_which_share() -> None:
    """If cells are missing, the number of blocks used is shown."""
    effect = msgspec.structs.replace(_make_effect("inject", estimate=-0.4, p=0.01), blocks=2)

    assert _render_answer(make_trial(), effect)[0].endswith("p = 0.010, in 2 of 4 blocks.")


def test_an_interaction_that_was_not_tested_says_why() -> None:
    """The reason follows the figure."""
    told = _render_answer(make_trial(), _make_effect("inject", "gm", estimate=0.2, p=None))

    assert ": too few cells to tell it from chance." in told[2]


def test_the_answer_names_what_is_left_in_final_answers() -> None:
    """Each factor's answer also gives its change of the actions refused in final answers."""
    left = msgspec.structs.replace(
        _make_effect("gm", estimate=-0.5, p=0.01), metric="final_impossible_deed_rate"
    )
    told = _render_answer(make_trial(), _make_effect("gm", estimate=-0.2, p=0.01), left)

    assert "Impossible actions: −20.0 points" in told[1]
    assert "In final answers: −50.0 points, p = 0.010." in told[1]


def test_a_change_in_final_answers_that_was_not_tested_says_so() -> None:
    """A figure without p is called not testable, so that it is not read as shown."""
    left = msgspec.structs.replace(
        _make_effect("gm", estimate=-0.5, p=None), metric="final_impossible_deed_rate"
    )
    told = _render_answer(make_trial(), _make_effect("gm", estimate=-0.2, p=0.01), left)

    assert told[1].endswith("In final answers: −50.0 points, not testable.")


def test_any_two_factors_of_the_answer_are_reported() -> None:
    """Every interaction corrected together with the answer has a line in it."""
    given = _add_factor("model", "a", "b", "c")
    told = _render_answer(
        given,
        _make_effect("model", estimate=None, p=0.01),
        _make_effect("gm", "model", estimate=None, p=0.2),
        _make_effect("inject", "model", estimate=None, p=None),
    )

    assert [
        "Does the effect of gm depend on model? It was not shown. The interaction has "
        "p = 0.200, partial η² 0.500.",
        "Does the effect of inject depend on model? Unknown. Too few cells to tell it from chance.",
    ] == told[4:6]


def _make_pair(
    first: str, second: str, p: float | None, metric: str = "impossible_deed_rate"
) -> ConditionComparison:
    return ConditionComparison(
        metric=metric,
        first=first,
        second=second,
        difference=-0.025,
        low=None,
        high=None,
        p=p,
        p_corrected=p,
        effect=None,
        size="",
        blocks=8,
        least_p=None if p is None else 0.0078,
        factor="inject" if (first, second) in (("A", "B"), ("C", "D")) else "gm",
        family="pairs" if metric == "impossible_deed_rate" else "other_pairs",
    )


def _render_with_pairs(
    means: dict[str, float], *pairs: ConditionComparison, metric: str = "impossible_deed_rate"
) -> list[str]:
    """Return the answers for conditions with these means of one metric, and these pairs."""
    whole = make_trial()
    estimates = {
        name: {metric: Estimate(mean=mean, low=None, high=None, n=8)}
        for name, mean in means.items()
    }
    analysis = msgspec.structs.replace(whole.analysis, estimates=estimates, comparisons=pairs)
    return _render_answer(
        whole._replace(analysis=analysis), _make_effect("gm", estimate=-0.2, p=0.01)
    )


def test_a_yes_on_average_names_the_pair_that_does_not_show_it() -> None:
    """If the game master helps on average, but not those told, the answer says so."""
    pairs = (_make_pair("A", "C", 0.01), _make_pair("B", "D", 1.0))
    part = _render_with_pairs({}, *pairs)[1]
    whole = _render_with_pairs({}, pairs[0])[1]

    assert part.startswith("Does the game master help? On average, yes. ")
    assert part.endswith(" But not shown when told (B → D): −2.5 points, p = 1.000.")
    assert whole.startswith("Does the game master help? Yes. ")
    assert "But" not in whole


def test_a_pair_that_could_not_be_tested_takes_nothing_from_an_answer() -> None:
    """With too few blocks for a pair, its silence says nothing about the factor."""
    few = msgspec.structs.replace(_make_pair("B", "D", 0.06), least_p=0.06)

    assert "Does the game master help? Yes. " in _render_with_pairs({}, few)[1]


@pytest.mark.parametrize(
    ("means", "pairs", "expected"),
    [
        (
            {"A": 0.8, "B": 0.1, "C": 0.5, "D": 0.05},
            (_make_pair("B", "D", 1.0), _make_pair("C", "D", 0.01)),
            "D in impossible actions (5.0 %), not shown better than B. "
            "Not compared: D with A (two or more differences).",
        ),
        (
            {"A": 0.8, "B": 0.8, "C": 0.0, "D": 0.0},
            (_make_pair("A", "C", 0.01), _make_pair("B", "D", 0.01)),
            "C, D in impossible actions (0.0 %).",
        ),
        ({"A": 0.8, "B": 0.8}, (), "none in impossible actions (80.0 % in all conditions)."),
        (
            {"A": 0.8, "C": 0.1},
            (msgspec.structs.replace(_make_pair("A", "C", 0.06), least_p=0.06),),
            "C in impossible actions (10.0 %), too few blocks to tell it from A.",
        ),
    ],
)
def test_the_best_condition_is_named_with_its_equals(
    means: dict[str, float], pairs: tuple[ConditionComparison, ...], expected: str
) -> None:
    """The answer says which condition was best, and which were not shown to be worse."""
    told = _render_with_pairs(means, *pairs)

    assert f"Best: {expected}" in told


@pytest.mark.parametrize(
    ("estimate", "expected"),
    [
        (0.252, "25.2 points less than without (15.2 to 35.2 points), p = 0.023."),
        (-0.252, "25.2 points more than without (15.2 to 35.2 points), p = 0.023."),
        (0.0, "as much as without (−10.0 to 10.0 points), p = 0.023."),
    ],
)
def test_an_interaction_is_how_much_less_or_more_the_game_master_helps(
    estimate: float, expected: str
) -> None:
    """The direction of an interaction is written in words, not as a sign."""
    told = _render_answer(make_trial(), _make_effect("inject", "gm", estimate=estimate, p=0.023))

    assert told[2].endswith(f" With telling, the game master helps {expected}")


def _render_progress(given: PlayedTrial) -> str:
    blocks = build_answer(given.material)
    bullets = next(each for each in blocks if isinstance(each, BulletsBlock))
    return "".join(piece.text for piece in bullets.lines[-1])


def test_the_answer_ends_with_how_far_each_condition_came() -> None:
    """Goals and milestones are listed, with actions per turn."""
    whole = make_trial()
    goals = measure_trial(
        whole.prepared,
        [
            msgspec.structs.replace(
                each, goal_reached=each.seed < 2, milestones=2, milestones_passed=1
            )
            for each in whole.outcomes
        ],
    )

    found, aimless = _render_progress(goals), _render_progress(whole)

    assert found.startswith(
        "How far did the runs get? Goal reached: A 50.0 %, B 50.0 %, C 50.0 %, D 50.0 %; "
        "Milestones passed: A 50.0 %, B 50.0 %, C 50.0 %, D 50.0 %; Actions per turn: A "
    )
    assert aimless.startswith(
        "How far did the runs get? No scenario of this plan has a goal; Actions per turn: A "
    )
