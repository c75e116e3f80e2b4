"""Builds the first part of a report: the question, and its answer in plain words.

It claims no more than the tests support. The notes below it say what was corrected,
what is missing, and what the answer is about.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from saniwa.experiment import report_wording
from saniwa.experiment.analysis_records import (
    BestConditions,
    ConditionComparison,
    FactorEffect,
    Metric,
)
from saniwa.experiment.metrics import ALPHA, find_metric
from saniwa.experiment.plan import ExperimentPlan, count_cells, count_missing_runs
from saniwa.experiment.report import report_blocks
from saniwa.experiment.report.outcome_summary import ReportMaterial
from saniwa.experiment.report_wording import count_more, find_sentence, write_sentence
from saniwa.experiment.statistics import significance
from saniwa.experiment.statistics.design import count_blocks_needed, find_factors
from saniwa.experiment.statistics.permutation import has_enough_blocks

_SWITCHES: Final = ("inject", "gm")
_MAX_SENTENCES: Final = 6
_MAX_PAIRS: Final = 3
_LEFT_METRIC: Final = "final_impossible_deed_rate"


def build_answer(material: ReportMaterial) -> tuple[report_blocks.Block, ...]:
    """Build the question and its answer."""
    works = material.plan.mode == "work"
    default = find_sentence("answer.work question" if works else "answer.question")
    question = material.plan.question or default
    return (
        report_blocks.make_heading(find_sentence("answer.heading"), "answer"),
        report_blocks.make_paragraph(question, lead=True),
        report_blocks.make_bullets(
            (*list_answer_lines(material), _describe_progress(material)), lead=True
        ),
        report_blocks.make_paragraph(
            report_wording.join_sentences(
                (*(() if works else (describe_letters(material.plan),)), *_describe_runs(material))
            )
        ),
    )


def list_answer_lines(material: ReportMaterial) -> tuple[report_blocks.ReportLine, ...]:
    """List the answers, one line for each question."""
    works = material.plan.mode == "work"
    lines = (
        *(() if works else _list_switch_lines(material)),
        *_describe_further_factors(material),
        *_describe_further_pairs(material),
        *_describe_best(material),
        *(() if works else _list_untested_lines(material)),
    )
    return tuple(map(report_blocks.make_line, lines))


def describe_letters(plan: ExperimentPlan) -> str:
    """Say what the letters of the plan's conditions mean, as one sentence."""
    letters = sorted({each.letter for each in plan.conditions})
    meanings = [find_sentence(f"letters.{letter}") for letter in letters]
    return write_sentence("letters.listed", letters=find_sentence("answer.comma").join(meanings))


def _list_switch_lines(material: ReportMaterial) -> Iterator[report_blocks.ReportLine]:
    """Yield the answers about inject and gm, and about both together, if they vary."""
    varied = [factor for factor in _SWITCHES if _is_varied(material, factor)]
    yield from (_describe_main_effect(material, factor) for factor in varied)
    if len(varied) == len(_SWITCHES):
        yield _describe_both(material)


def _list_untested_lines(material: ReportMaterial) -> Iterator[report_blocks.ReportLine]:
    """Yield one line with everything about inject and gm that the plan does not vary."""
    missing = [each for each in _SWITCHES if not _is_varied(material, each)]
    if missing:
        named = [find_sentence(f"answer.{each}") for each in (*missing, "both together")]
        asked = write_sentence(
            "answer.unasked", questions=find_sentence("answer.comma").join(named)
        )
        yield report_blocks.make_line(
            report_blocks.make_strong(asked), find_sentence("answer.unasked why")
        )


def _make_answer(sentence: str, word: str, text: str, **values: str) -> report_blocks.ReportLine:
    """Return a question with the word that answers it, and what explains it."""
    asked = write_sentence(f"answer.{sentence}", word=word, **values)
    return report_blocks.make_line(report_blocks.make_strong(asked), text)


def _conclude(material: ReportMaterial, effect: FactorEffect | None) -> significance.Conclusion:
    if effect is None:
        return "unknown"
    return significance.conclude_effect(effect, material.analysis.effects, _find_reach(material))


def _find_reach(material: ReportMaterial) -> significance.AttainableP:
    return significance.find_attainable_p(material.analysis)


def _find_word(conclusion: str) -> str:
    return find_sentence(f"word.{conclusion}")


def _is_varied(material: ReportMaterial, factor: str) -> bool:
    return len({getattr(each, factor) for each in material.plan.conditions}) > 1


def _describe_main_effect(material: ReportMaterial, factor: str) -> report_blocks.ReportLine:
    doing = find_sentence(f"answer.{factor}")
    effect = material.get_effect(material.answer_metric.name, factor)
    conclusion = _conclude(material, effect)
    unlike = _list_unlike_pairs(material, factor, conclusion)
    text = _describe_change(material, effect)
    text += _describe_unlike_pairs(material, unlike) + _describe_left(material, factor)
    word = _find_word(f"{conclusion} in part" if unlike else conclusion)
    return _make_answer("main", word, text, doing=doing)


def _list_unlike_pairs(
    material: ReportMaterial, factor: str, conclusion: str
) -> list[tuple[ConditionComparison, significance.Conclusion]]:
    """List the pairs of conditions that could have shown what the factor does, and did not."""
    if conclusion not in ("better", "worse"):
        return []
    return [
        (each, found)
        for each in material.list_comparisons(material.answer_metric.name)
        if each.factor == factor
        and (found := significance.conclude_comparison(each, _find_reach(material)))
        not in (conclusion, "could not be shown")
    ]


def _describe_unlike_pairs(
    material: ReportMaterial, unlike: list[tuple[ConditionComparison, significance.Conclusion]]
) -> str:
    """Say where a factor did not show what it shows on average; empty if everywhere."""
    texts = [_describe_unlike_pair(material, *each) for each in unlike[:_MAX_PAIRS]]
    more = count_more(len(unlike), _MAX_PAIRS)
    return write_sentence("pairs.unlike", pairs="; ".join(texts), more=more) if texts else ""


def _describe_unlike_pair(
    material: ReportMaterial, pair: ConditionComparison, conclusion: significance.Conclusion
) -> str:
    letters = {each.name: each.letter for each in material.plan.conditions}
    where = f"pairs.{pair.factor} {letters[pair.first]}"
    figures = report_wording.format_change(pair.difference, material.answer_metric)
    if pair.p_corrected is not None:
        figures += f", p {_format_p(pair.p_corrected)}"
    return write_sentence(
        f"pairs.{conclusion}",
        where=find_sentence(where),
        pair=f"{pair.first} → {pair.second}",
        figures=figures,
    )


def _describe_left(material: ReportMaterial, factor: str) -> str:
    """Describe the effect on what was refused in final answers; empty if there is none."""
    effect = material.get_effect(_LEFT_METRIC, factor)
    if effect is None or effect.estimate is None:
        return ""
    figures = report_wording.format_change(effect.estimate, find_metric(_LEFT_METRIC))
    if effect.p_corrected is not None:
        figures += f", p {_format_p(effect.p_corrected)}"
    if effect.p_corrected is None or _describe_lacking_power(material, effect):
        figures += find_sentence("answer.left untested")
    return write_sentence("answer.left", figures=figures)


def _describe_change(material: ReportMaterial, effect: FactorEffect | None) -> str:
    """Describe an effect on the answer metric, and how certain it is."""
    what = material.answer_metric.label
    if effect is None or effect.estimate is None:
        return write_sentence("change.nothing", reason=_describe_reason(effect))
    if _has_no_change(effect):
        interval = report_wording.format_change_interval(
            effect.low, effect.high, material.answer_metric
        )
        count = effect.blocks
        few = "" if has_enough_blocks(count) else write_sentence("change.too few", blocks=count)
        return write_sentence(
            "change.none",
            what=what,
            blocks=count,
            interval=f" {interval}" if interval else "",
            too_few=few,
        )
    rest = ""
    if effect.p_corrected is None:
        rest = write_sentence("change.untested", reason=_describe_reason(effect))
    elif effect.p_corrected >= ALPHA:
        rest = _describe_lacking_power(material, effect) or find_sentence("change.by chance")
    figures = _format_effect(material, effect)
    return write_sentence("change.some", what=what, figures=figures, rest=rest)


def _has_no_change(effect: FactorEffect) -> bool:
    return effect.estimate == 0 and effect.p is None and effect.blocks > 1


def _describe_reason(effect: FactorEffect | None) -> str:
    """Return why it could not be tested; empty if there is no note."""
    return f": {effect.note}" if effect is not None and effect.note else ""


def _format_effect(material: ReportMaterial, effect: FactorEffect) -> str:
    """Format change, interval and p, and the number of blocks if not all."""
    metric = find_metric(effect.metric)
    interval = report_wording.format_change_interval(effect.low, effect.high, metric)
    tested = "" if effect.p_corrected is None else f", p {_format_p(effect.p_corrected)}"
    shown = f"{report_wording.format_change(effect.estimate, metric)} {interval}".strip()
    return f"{shown}{tested}{_describe_part(material, effect)}"


def _describe_part(material: ReportMaterial, effect: FactorEffect) -> str:
    """Say in how many blocks an effect was measured; empty if in all."""
    total = material.analysis.blocks
    if 0 < effect.blocks < total:
        return write_sentence("change.some blocks", blocks=effect.blocks, total=total)
    return ""


def _format_p(p: float | None) -> str:
    """Format a probability to follow the letter p."""
    shown = report_wording.format_probability(p)
    return shown if shown.startswith("<") else f"= {shown}"


def _describe_lacking_power(material: ReportMaterial, effect: FactorEffect) -> str:
    """Explain why an effect could not have been shown; empty if it could have been."""
    if effect.least_p is None or effect.blocks < 1:
        return ""
    reach = _find_reach(material)[effect.family]
    least = reach.get(effect.least_p, 0.0)
    if least < ALPHA:
        return ""
    cure = _describe_cure(material, effect)
    shown = report_wording.format_probability(least)
    return write_sentence("power.lacking", blocks=effect.blocks, least=shown, cure=cure)


def _describe_cure(material: ReportMaterial, effect: FactorEffect) -> str:
    """Say how many seeds would be needed, if too few seeds are the cause."""
    if material.analysis.folded:
        some = material.analysis.blocks > 1
        return find_sentence("power.some seeds" if some else "power.no seeds")
    if count_missing_runs(material.plan, material.runs):
        return find_sentence("power.missing runs")
    needed = count_blocks_needed(effect, material.analysis.effects, material.plan)
    seeds = -(-(needed or 0) // max(len(material.plan.scenarios), 1))
    if seeds <= len(material.plan.seeds):
        return ""
    return write_sentence("power.seeds", seeds=seeds)


def _describe_both(material: ReportMaterial) -> report_blocks.ReportLine:
    effect = material.get_effect(material.answer_metric.name, *_SWITCHES)
    conclusion = _conclude(material, effect)
    tested = effect is not None and effect.p_corrected is not None
    of_both = () if conclusion == "could not be shown" and not tested else (f"both.{conclusion}",)
    word = find_sentence(*of_both, f"word.{conclusion}")
    reason = "" if tested else _describe_reason(effect)
    if effect is None or effect.estimate is None:
        return _make_answer("both", word, write_sentence("both.nothing left", reason=reason))
    figures = _format_second_effect(material, effect)
    return _make_answer(
        "both", word, write_sentence("both.figures", figures=figures, reason=reason)
    )


def _format_second_effect(material: ReportMaterial, effect: FactorEffect) -> str:
    """Format an interaction as how much less, or more, one helps where the other is."""
    metric, estimate = material.answer_metric, effect.estimate or 0.0
    sign = -1 if estimate < 0 else 1
    helps = "more" if (estimate < 0) == (metric.better == "less") else "less"
    figures = write_sentence(
        f"both.{helps}" if estimate else "both.equal", change=_format_size(abs(estimate), metric)
    )
    interval = ""
    if effect.low is not None and effect.high is not None:
        low, high = sorted((sign * effect.low, sign * effect.high))
        interval = f" {report_wording.format_interval(low, high, metric, _format_size)}"
    tested = "" if effect.p_corrected is None else f", p {_format_p(effect.p_corrected)}"
    return f"{figures}{interval}{tested}{_describe_part(material, effect)}"


def _format_size(value: float, metric: Metric) -> str:
    """Format how large a change is, without a plus sign."""
    return report_wording.format_change(value, metric).lstrip("+")


def _describe_best(material: ReportMaterial) -> Iterator[report_blocks.ReportLine]:
    """Yield a line that names the best condition for each main metric, and its equals."""
    metrics = significance.list_main_metrics(material.plan.mode)
    names = [each.name for each in material.plan.conditions]
    found = [
        best
        for metric in metrics
        if (best := significance.find_best_conditions(material.analysis, names, metric))
    ]
    found = [each for each in found if not each.are_all] or found
    if found:
        asked = report_blocks.make_strong(find_sentence("answer.best"))
        yield report_blocks.make_line(
            asked,
            write_sentence(
                "answer.list",
                texts="; ".join(map(_describe_best_condition, found)),
                more=_describe_uncompared(found),
            ),
        )


def _describe_uncompared(found: Sequence[BestConditions]) -> str:
    """Say which conditions were not compared with the best ones, and why; empty if none."""
    pairs = dict.fromkeys(
        write_sentence(
            "best.pair", best=_list_names(each.conditions), names=_list_names(each.uncompared)
        )
        for each in found
        if each.uncompared
    )
    if not pairs:
        return ""
    return write_sentence("best.uncompared", pairs=find_sentence("answer.comma").join(pairs))


def _describe_best_condition(best: BestConditions) -> str:
    """Name the best conditions in a metric, and those they were not shown to differ from."""
    metric = find_metric(best.metric)
    what = f"{metric.label[:1].lower()}{metric.label[1:]}"
    value = report_wording.format_figure(best.mean, metric)
    if best.are_all:
        return write_sentence("best.alike", what=what, value=value)
    others = {"unshown": best.unshown, "untestable": best.untestable}
    rest = "".join(
        write_sentence(f"best.{kind}", names=_list_names(conditions))
        for kind, conditions in others.items()
        if conditions
    )
    return write_sentence(
        "best.metric", what=what, best=_list_names(best.conditions), value=value, rest=rest
    )


def _list_names(names: Sequence[str]) -> str:
    shown = find_sentence("answer.comma").join(names[:_MAX_CONDITIONS])
    return shown + count_more(len(names), _MAX_CONDITIONS)


def _describe_further_factors(material: ReportMaterial) -> Iterator[report_blocks.Content]:
    """Yield a sentence about each factor other than inject and gm."""
    named = material.further_factors
    for factor in named[:_MAX_SENTENCES]:
        yield _describe_factor(material, factor)
    if len(named) > _MAX_SENTENCES:
        yield write_sentence("answer.more factors", more=len(named) - _MAX_SENTENCES)


def _describe_factor(material: ReportMaterial, factor: str) -> report_blocks.ReportLine:
    effect = material.get_effect(material.answer_metric.name, factor)
    if effect is not None and _has_no_change(effect):
        text = _describe_change(material, effect)
        return _make_answer("factor", _find_word(_conclude(material, effect)), text, factor=factor)
    return _make_answer("factor", *_describe_decision(material, effect), factor=factor)


def _describe_further_pairs(material: ReportMaterial) -> Iterator[report_blocks.Content]:
    """Yield a sentence about each pair of factors except inject with gm."""
    found = [
        each
        for each in material.analysis.effects
        if each.metric == material.answer_metric.name
        and len(each.factors) == 2
        and set(each.factors) != {*_SWITCHES}
    ]
    for effect in found[:_MAX_SENTENCES]:
        yield _describe_pair(material, effect)
    if len(found) > _MAX_SENTENCES:
        yield write_sentence("answer.more pairs", more=len(found) - _MAX_SENTENCES)


def _describe_pair(material: ReportMaterial, effect: FactorEffect) -> report_blocks.ReportLine:
    first, second = effect.factors
    word, text = _describe_decision(material, effect)
    if _has_no_change(effect):
        conclusion = _conclude(material, effect)
        word = find_sentence(f"pair.{conclusion}", f"word.{conclusion}")
        text = write_sentence("change.same in all", blocks=effect.blocks)
    return _make_answer("pair", word, text, first=first, second=second)


def _describe_decision(material: ReportMaterial, effect: FactorEffect | None) -> tuple[str, str]:
    """Return the word that answers whether there is an effect, and what explains it."""
    if effect is None or effect.p_corrected is None:
        reason = _describe_reason(effect)[2:] or find_sentence("change.no reason")
        return _find_word("unknown"), write_sentence(
            "answer.end", text=f"{reason[:1].upper()}{reason[1:]}"
        )
    conclusion = _conclude(material, effect)
    if effect.p_corrected < ALPHA:
        text = _describe_tested(material, effect)
        return _find_word("better"), write_sentence("answer.end", text=text)
    unable = _describe_lacking_power(material, effect)
    text = f"{_describe_tested(material, effect)}{unable}"
    return _find_word(conclusion), write_sentence("answer.end", text=text)


def _describe_tested(material: ReportMaterial, effect: FactorEffect) -> str:
    """Describe what was tested; for a factor of two levels with their names."""
    single, estimated = len(effect.factors) == 1, effect.estimate is not None
    levels = next(
        (f.levels for f in find_factors(material.plan) if f.name == effect.factors[0]), ()
    )
    sentence = (
        ("change.levels" if estimated else "change.levels differ")
        if single
        else ("change.interaction" if estimated else "change.interaction p")
    )
    return write_sentence(
        sentence,
        what=material.answer_metric.label,
        way=write_sentence("change.way", levels=levels) if len(levels) == 2 else "",
        figures=_format_effect(material, effect),
        p=_format_p(effect.p_corrected),
        share=write_sentence(
            "change.share", share=report_wording.format_number(effect.eta_squared, 3)
        ),
    )


_PROGRESS_METRICS: Final = ("goal_reached", "milestone_rate", "deeds_per_turn")
_WORK_PROGRESS_METRICS: Final = ("pass_rate", "fabrication_rate", "submission_refusal_rate")
_MAX_CONDITIONS: Final = 8


def _describe_progress(material: ReportMaterial) -> report_blocks.ReportLine:
    """Summarise goals, milestones and actions of each condition in one line."""
    listed = material.listed_conditions
    names = [each.name for each in listed[:_MAX_CONDITIONS]]
    works = material.plan.mode == "work"
    metrics = _WORK_PROGRESS_METRICS if works else _PROGRESS_METRICS
    texts = [_describe_metric(material, metric, names) for metric in metrics]
    if all(each.goal_reached is None for each in material.numbers):
        texts.insert(0, find_sentence("answer.no goal"))
    more = find_sentence("answer.more conditions") if len(listed) > _MAX_CONDITIONS else ""
    asked = report_blocks.make_strong(find_sentence("answer.progress"))
    listed_texts = "; ".join(filter(None, texts))
    return report_blocks.make_line(
        asked, write_sentence("answer.list", texts=listed_texts, more=more)
    )


def _describe_metric(material: ReportMaterial, name: str, conditions: list[str]) -> str:
    """Return a metric of each condition; empty if no condition has it."""
    metric = find_metric(name)
    found = {each: material.get_estimate(each, name) for each in conditions}
    means = {each: estimate.mean if estimate else None for each, estimate in found.items()}
    if all(mean is None for mean in means.values()):
        return ""
    shown = (f"{each} {report_wording.format_figure(mean, metric)}" for each, mean in means.items())
    return f"{metric.label}: {', '.join(shown)}"


def describe_figures(material: ReportMaterial) -> str:
    """Say what the metric of the answer is, and when a change counts as shown."""
    about = material.answer_metric.about.rstrip(".。")
    return write_sentence(
        "notes.figures",
        label=material.answer_metric.label,
        about=f"{about[:1].lower()}{about[1:]}",
        family=_describe_family(material),
        better=material.answer_metric.better,
        alpha=ALPHA,
    )


def _describe_family(material: ReportMaterial) -> str:
    family = material.analysis.families.get("answer")
    if family is None or not family.tests:
        return find_sentence("notes.no family")
    return write_sentence(
        "notes.one test" if family.tests == 1 else "notes.family", tests=family.tests
    )


def _describe_runs(material: ReportMaterial) -> Iterator[str]:
    """Describe what was played; means of conditions with missing runs do not compare."""
    plan, numbers = material.plan, material.numbers
    works = plan.mode == "work"
    yield write_sentence(
        "notes.work runs" if works else "notes.runs",
        runs=len(numbers),
        blocks=len({(each.scenario, each.seed) for each in numbers}),
        who=report_wording.describe_players(plan),
    )
    if folded := material.analysis.folded:
        yield write_sentence("notes.folded", folded=folded)
    if missing := count_missing_runs(plan, material.runs):
        yield write_sentence(
            "notes.missing",
            planned=count_cells(plan),
            many=sum(missing.values()),
            missing=report_wording.describe_missing_runs(missing),
        )
    count, what = len(plan.scenarios), "process" if works else "scenario"
    many = "processes" if works else "scenarios"
    yield write_sentence(f"notes.one {what}" if count == 1 else f"notes.{many}", count=count)
