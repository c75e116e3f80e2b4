import re

import pytest
from msgspec.structs import replace

from saniwa.experiment.analysis_records import HEADLINE_METRICS
from saniwa.experiment.metrics import find_metric
from saniwa.experiment.report import report_blocks
from saniwa.experiment.report.render import render_markdown, render_plain_text
from saniwa.experiment.report.report_blocks import ExperimentReport
from saniwa.experiment.report_wording import (
    format_change,
    format_change_interval,
    format_estimate,
    format_probability,
)
from tests.fakes.reports import PlayedTrial, make_trial, measure_trial

ATTACK = "<b>|`x`|[a](http://e.x)\n# top\n\u202eevil\x1b[31m ![i](u) $m$ @you www.e.x"


def _render_trial(given: PlayedTrial) -> str:
    return render_markdown(given.report)


def _render_blocks(*shown: report_blocks.Block) -> str:
    return render_markdown(ExperimentReport("t", (), shown))


def test_headline_figures_are_those_of_the_analysis() -> None:
    """REPORT.md shows each estimate and interval as in the analysis."""
    analysis = make_trial().analysis
    table = _render_trial(make_trial()).partition('<a id="headline"></a>')[2]
    table = re.sub(r"\[([^\]]*)\]\(#sample-\d+\)", r"\1", table)
    rows = [row.strip("| ").split(" | ") for row in re.findall(r"^\| .*$", table, re.M)]
    expected = [
        [
            " ".join(format_estimate(analysis.estimates[c][name], find_metric(name))).strip()
            for c in "ABCD"
        ]
        for name in HEADLINE_METRICS
        if any(analysis.estimates[c][name].mean is not None for c in "ABCD")
    ]

    assert expected == [row[1:] for row in rows[2 : 2 + len(expected)]]


def test_effects_are_those_of_the_analysis() -> None:
    """The answer gives the change, its interval and its corrected p."""
    effect = next(e for e in make_trial().analysis.effects if e.factors == ("inject",))
    metric = find_metric(effect.metric)
    text = _render_trial(make_trial())

    assert "impossible_deed_rate" == effect.metric
    assert (
        f"{metric.label}: {format_change(effect.estimate, metric)} "
        f"{format_change_interval(effect.low, effect.high, metric)}, p "
        f"= {format_probability(effect.p_corrected)}"
    ) in text


@pytest.mark.parametrize("text", ["# a", "- a", "+ a", "> a", "1. a", "=== a", "12) a"])
def test_a_text_begins_nothing(text: str) -> None:
    """Text never becomes a heading, a list or a quotation."""
    mark = re.sub(r"^(\d*)", r"\1\\", text, count=1)

    assert f"\n\n{mark}\n" in _render_blocks(report_blocks.make_paragraph(text))
    assert f"\n\n- {mark}\n" in _render_blocks(report_blocks.make_bullets([text]))


def test_plain_text_has_aligned_tables_and_no_markup() -> None:
    """On a terminal, columns are aligned, and nothing is escaped or an anchor."""
    table = report_blocks.make_table(
        "t", "Totals", ("Name", "Count"), [("hidden_object", "7"), ("a", "12")], "Of all runs."
    )
    blocks = (report_blocks.make_heading("Head", "head"), table)
    text = render_plain_text(ExperimentReport("x_y", (), blocks))

    assert "Name           Count\nhidden_object      7\na                 12\nOf all runs." in text
    assert text.startswith("x_y\n")
    assert not set("<\\*|") & set(text)


def test_a_fence_is_longer_than_any_in_what_it_holds() -> None:
    """An answer that contains a fence does not close the report's fence."""
    assert "\n````text\n```\nx\n````\n" in _render_blocks(
        report_blocks.make_verbatim("Said", "```\nx")
    )


def test_a_name_with_odd_letters_is_no_code() -> None:
    """Only plain names are put in backticks; others are escaped."""
    named = (report_blocks.make_name("D+model=small"), " ", report_blocks.make_name("a`b|c"))

    assert r"`D+model=small` a\`b\|c" in _render_blocks(report_blocks.make_paragraph(*named))


def test_rows_of_a_table_have_as_many_cells_as_its_head() -> None:
    """No text in a cell can break the row."""
    table = report_blocks.make_table("t", "c", ("a|b", "c\nd"), [("x|y", "z\n|")])
    rows = [row for row in _render_blocks(table).split("\n") if row.startswith("|")]

    assert [3, 3, 3] == [len(re.findall(r"(?<!\\)\|", row)) for row in rows]


def test_no_word_from_outside_is_markup_in_a_whole_report() -> None:
    """Markup in names and answers leaves the structure of the report unchanged."""
    plain = _render_trial(make_trial(seeds=2).replace_words("words"))
    attacked = _render_trial(make_trial(seeds=2).replace_words(ATTACK))
    outside = re.sub(r"^(`{3,})text\n.*?\n\1$", "", attacked, flags=re.S | re.M)

    assert "\u202e" not in attacked
    assert "\x1b" not in attacked
    bare = re.sub(r'<a id="[a-z0-9-]+"></a>', "", outside)
    assert [] == re.findall(r"(?<!\\)<[A-Za-z/!?]", bare)
    assert [] == re.findall(r"http:|(?<![\\`])`x`|(?<!\\)!\[", outside)
    assert len(re.findall("^#", plain, re.M)) == len(re.findall("^#", outside, re.M))


def test_cards_and_headings_have_anchors() -> None:
    """Internal links find their target."""
    inner = report_blocks.make_paragraph(report_blocks.make_link("up", "#top"))
    title = report_blocks.make_line("A turn")
    card = report_blocks.CardBlock(anchor="here", title=title, blocks=(inner,))
    text = _render_blocks(report_blocks.make_heading("Top", "top"), card)

    assert '<a id="top"></a>\n\n## Top' in text
    assert '<a id="here"></a>\n\n### A turn\n\n[up](#top)' in text


def test_every_anchor_of_the_report_exists() -> None:
    """Every internal link of REPORT.md has a target."""
    text = _render_trial(make_trial())
    wanted = set(re.findall(r"\]\(#([^)]*)\)", text))

    assert wanted
    assert set() == wanted - set(re.findall(r'<a id="([^"]*)">', text))


def test_figures_lead_to_turns_they_are_made_of() -> None:
    """Means and counts link to the turns behind them."""
    text = _render_trial(make_trial())

    assert re.search(r"^\| Impossible actions left ↓ \| \[\S+ %\]\(#sample-", text, re.M)
    assert re.search(r"^\| all \| \[\d+ → \d+\]\(#sample-", text, re.M)


def test_tables_of_tests_say_what_was_corrected_together() -> None:
    """Each table names its families of tests, and those of the answer are their own."""
    trial = make_trial()
    text, found = _render_trial(trial), trial.analysis.families

    for name, about in (
        ("answer", "the effects on the metric of the answer"),
        ("effects", "the effects on all other metrics"),
        ("pairs", "the pairs on the metric of the answer"),
        ("other_pairs", "the pairs on all other metrics"),
    ):
        assert f"over {found[name].tests} tests ({about}" in text


def test_a_pair_that_cannot_be_tested_has_no_corrected_p() -> None:
    """With too few blocks, a pair is called not testable, and has no size in words."""
    text = _render_trial(make_trial())
    table = text.partition('<a id="comparisons"></a>')[2].partition("<a id=")[0]

    assert "“Not testable”: with so few blocks no corrected p could be below 0.05" in table
    assert "| not testable | d" in table
    assert not re.search(r"d \S+ (large|medium|small)", table)


def test_a_pair_of_the_answer_is_tested_with_the_pairs_of_its_metric_alone() -> None:
    """Eight blocks can show a pair in the answer's metric, however many metrics there are."""
    text = _render_trial(make_trial(seeds=8))
    table = text.partition('<a id="comparisons"></a>')[2].partition("<a id=")[0]
    rows = [line for line in table.splitlines() if "→" in line]

    assert {True, False} == {"not testable" in row for row in rows}
    assert not any("not testable" in row for row in rows if "| Impossible actions |" in row)


def test_an_unfinished_experiment_says_so_before_its_answers() -> None:
    """A report of some of the runs begins with how many are done, and only then answers."""
    whole = make_trial()
    head = _render_trial(measure_trial(whole.prepared, list(whole.outcomes[:10])))

    said = "**Not finished: 10 of 16 runs are done, so all answers are preliminary.**"
    assert said in head.partition("## The answer")[0]
    assert "Not finished" not in _render_trial(whole)


def test_the_answer_is_short_and_says_what_the_letters_mean() -> None:
    """The first section has at most 270 words; definitions come later."""
    text = _render_trial(make_trial(seeds=8))
    answer = text.partition("## The answer")[2].partition("<a id=")[0]

    assert len(answer.split()) <= 270
    assert "A: neither, B: told what is true, C: game master, D: both." in answer


def test_a_pair_without_a_difference_has_no_interval() -> None:
    """Where both conditions have the same value in every block, the table says that."""
    table = _render_trial(make_trial()).partition('<a id="comparisons"></a>')[2]

    assert "| 0.0 points (the same in every block) |" in table
    assert not re.search(r"\| 0\.0 points \(−", table.partition("<a id=")[0])


def test_a_headline_metric_with_nothing_to_count_has_no_row() -> None:
    """A scenario without milestones has no row of dashes among the headline metrics."""
    text = _render_trial(make_trial())
    headline = text.partition('<a id="headline"></a>')[2].partition("<a id=")[0]

    assert "Milestones passed" not in headline
    assert "| Milestones passed | Share of" in text


def test_a_report_of_stand_ins_begins_by_saying_so() -> None:
    """Before the answer, a simulation says that no language model was measured."""
    head = _render_trial(make_trial()).partition("## The answer")[0]

    assert "**Simulation: these numbers describe stand-ins, not a language model.**" in head


@pytest.mark.parametrize(
    ("models", "players", "notice"),
    [
        (("canned:a.yaml",), "canned answers", "Canned answers: "),
        (("fuzz:1",), "random answers", "Random answers: "),
        (("openai:gpt",), "models", ""),
        (("canned:a.yaml", "openai:gpt"), "canned answers and models", ""),
    ],
)
def test_a_report_says_who_answered(models: tuple[str, ...], players: str, notice: str) -> None:
    """Canned and random answers are never called models, and models are never disclaimed."""
    trial = make_trial()
    old = trial.prepared.plan
    conditions = tuple(
        replace(each, model=models[nth % len(models)]) for nth, each in enumerate(old.conditions)
    )
    plan = replace(old, mode="real", conditions=conditions)
    text = _render_trial(trial._replace(prepared=replace(trial.prepared, plan=plan)))

    assert f"played by {players}." in text
    assert bool(notice) == ("not a language model" in text)
    assert notice in text.partition("## The answer")[0]


def test_a_scenarios_own_book_is_called_what_a_plan_calls_it() -> None:
    """The rulebook's name in the report can be used in a plan."""
    assert "| Rulebooks | `scenario` |" in _render_trial(make_trial())
