"""Builds the first part of a report: the question, and its answer in plain words.

It claims no more than the tests support. The notes below it say what was corrected,
what is missing, and what the answer is about.
"""

from collections.abc import Iterator
from statistics import fmean
from typing import Final

from saniwa.experiment import report_wording
from saniwa.experiment.analysis_records import FactorEffect
from saniwa.experiment.metrics import ALPHA, compute_metric, find_metric
from saniwa.experiment.plan import count_cells, count_missing_runs
from saniwa.experiment.report import report_blocks
from saniwa.experiment.report.outcome_summary import ReportMaterial
from saniwa.experiment.report_wording import find_sentence, write_sentence
from saniwa.experiment.statistics import significance
from saniwa.experiment.statistics.design import count_blocks_needed, find_factors
from saniwa.experiment.statistics.permutation import has_enough_blocks

_SWITCHES: Final = ("inject", "gm")
_MAX_SENTENCES: Final = 6
_LEFT_METRIC: Final = "final_impossible_deed_rate"


def build_answer(material: ReportMaterial) -> tuple[report_blocks.Block, ...]:
    """Build the question and its answer."""
    works = material.plan.mode == "work"
    default = find_sentence("answer.work question" if works else "answer.question")
    question = material.plan.question or default
    lines = (
        *(() if works else _list_switch_lines(material)),
        *_describe_further_factors(material),
        *_describe_further_pairs(material),
        *(() if works else _list_untested_lines(material)),
        _describe_progress(material),
    )
    return (
        report_blocks.make_heading(find_sentence("answer.heading"), "answer"),
        report_blocks.make_paragraph(question, lead=True),
        report_blocks.make_bullets(lines, lead=True),
        *build_reading_notes(material),
    )


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
    reach = significance.find_attainable_p(material.analysis)
    return significance.conclude_effect(effect, material.analysis.effects, reach)


def _find_word(conclusion: str) -> str:
    return find_sentence(f"word.{conclusion}")


def _is_varied(material: ReportMaterial, factor: str) -> bool:
    return len({getattr(each, factor) for each in material.plan.conditions}) > 1


def _describe_main_effect(material: ReportMaterial, factor: str) -> report_blocks.ReportLine:
    doing = find_sentence(f"answer.{factor}")
    effect = material.get_effect(material.answer_metric.name, factor)
    change = _describe_change(material, effect)
    text = write_sentence("answer.does", doing=doing.capitalize(), change=change)
    text += _describe_left(material, factor)
    return _make_answer("main", _find_word(_conclude(material, effect)), text, doing=doing)


def _describe_left(material: ReportMaterial, factor: str) -> str:
    """Describe the effect on what was refused in final answers; empty if there is none."""
    effect = material.get_effect(_LEFT_METRIC, factor)
    if effect is None or effect.estimate is None:
        return ""
    metric = find_metric(_LEFT_METRIC)
    interval = report_wording.format_change_interval(effect.low, effect.high, metric)
    figures = f"{report_wording.format_change(effect.estimate, metric)} {interval}".strip()
    return write_sentence("answer.left", what=metric.label.lower(), figures=figures)


def _describe_change(material: ReportMaterial, effect: FactorEffect | None) -> str:
    """Describe an effect on the answer metric, and how certain it is."""
    what = material.answer_metric.label.lower()
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
    total, some = material.analysis.blocks, ""
    if 0 < effect.blocks < total:
        some = write_sentence("change.some blocks", blocks=effect.blocks, total=total)
    return f"{shown}{tested}{some}"


def _format_p(p: float | None) -> str:
    """Format a probability to follow the letter p."""
    shown = report_wording.format_probability(p)
    return shown if shown.startswith("<") else f"= {shown}"


def _describe_lacking_power(material: ReportMaterial, effect: FactorEffect) -> str:
    """Explain why an effect could not have been shown; empty if it could have been."""
    if effect.least_p is None or effect.blocks < 1:
        return ""
    reach = significance.find_attainable_p(material.analysis)[effect.family]
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
        figures = write_sentence("both.nothing left", reason=reason)
    else:
        shown = _format_effect(material, effect)
        figures = write_sentence("both.figures", figures=shown, reason=reason)
    text = f"{_describe_extremes(material)}{figures}{_list_left_means(material)}"
    return _make_answer("both", word, text)


def _list_left_means(material: ReportMaterial) -> str:
    """List what was refused in final answers, for each condition; empty if nothing counts."""
    names = [each.name for each in material.listed_conditions[:_MAX_CONDITIONS]]
    means = _describe_metric(material, _LEFT_METRIC, names)
    return write_sentence("answer.left means", means=means) if means else ""


_BlockValues = dict[tuple[str, int], float]


def _describe_extremes(material: ReportMaterial) -> str:
    """Compare neither with both over the same blocks, if each is one condition."""
    conditions = material.plan.conditions
    named = [[each.name for each in conditions if each.letter == letter] for letter in "AD"]
    if any(len(names) != 1 for names in named):
        return find_sentence("both.over all")
    sides = [_collect_block_values(material, names[0]) for names in named]
    if sides[0].keys() == sides[1].keys():
        neither, both = (
            report_wording.format_estimate(
                material.get_estimate(names[0], material.answer_metric.name), material.answer_metric
            )
            for names in named
        )
        return write_sentence(
            "both.extremes", neither=" ".join(neither).rstrip(), both=" ".join(both).rstrip()
        )
    # Means over other than the shared blocks would not be comparable.
    shared = sorted(sides[0].keys() & sides[1].keys())
    if not shared:
        return find_sentence("both.no shared")
    means = (fmean(side[block] for block in shared) for side in sides)
    first, second = (report_wording.format_figure(mean, material.answer_metric) for mean in means)
    return write_sentence("both.shared", blocks=len(shared), neither=first, both=second)


def _collect_block_values(material: ReportMaterial, condition: str) -> _BlockValues:
    own = (each for each in material.numbers if each.condition == condition)
    values = (
        ((each.scenario, each.seed), compute_metric(material.answer_metric.name, each))
        for each in own
    )
    return {block: found for block, found in values if found is not None}


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
        text = write_sentence("answer.change", change=_describe_change(material, effect))
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


def build_reading_notes(material: ReportMaterial) -> tuple[report_blocks.Block, ...]:
    """Build the paragraphs below the answer."""
    about = material.answer_metric.about.rstrip(".。")
    figures = write_sentence(
        "notes.figures",
        label=material.answer_metric.label,
        about=f"{about[:1].lower()}{about[1:]}",
        family=_describe_family(material),
        better=material.answer_metric.better,
        alpha=ALPHA,
    )
    meaning = write_sentence("notes.meaning", retries=material.plan.max_retries)
    if material.plan.mode == "work":
        accepted = ", ".join(material.plan.accepted) or find_sentence("notes.final states")
        meaning = write_sentence("notes.work meaning", accepted=accepted)
    texts = (figures, report_wording.join_sentences(_describe_runs(material)), meaning)
    return tuple(map(report_blocks.make_paragraph, texts))


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
