"""Builds the first part of a report: the question, and its answer in plain words.

It claims no more than the tests support. The notes below it say what was corrected,
what is missing, and what the answer is about.
"""

from collections.abc import Iterator
from statistics import fmean
from typing import Final

from saniwa.experiment.metrics.analysis_records import HEADLINE_METRICS, FactorEffect
from saniwa.experiment.metrics.definitions import compute_metric, find_metric
from saniwa.experiment.plan import count_cells
from saniwa.experiment.report.blocks import (
    Block,
    Line,
    PlainText,
    ReportBullets,
    ReportHeading,
    ReportParagraph,
    StrongText,
    make_line,
)
from saniwa.experiment.report.figures import (
    SIGNIFICANT_P,
    count_missing_runs,
    describe_missing_runs,
    format_change,
    format_change_interval,
    format_count,
    format_estimate,
    format_figure,
    format_number,
    format_probability,
    pluralize_count,
)
from saniwa.experiment.report.material import ReportMaterial
from saniwa.experiment.statistics.design import find_factors
from saniwa.experiment.statistics.permutation import has_enough_blocks
from saniwa.experiment.statistics.significance import count_blocks_needed, find_attainable_p


def build_reading_notes(material: ReportMaterial) -> tuple[Block, ...]:
    """Build the paragraphs below the answer."""
    texts = (_describe_figures(material), _describe_runs(material), _describe_meaning(material))
    return tuple(ReportParagraph(make_line(text)) for text in texts)


def describe_lacking_power(material: ReportMaterial, effect: FactorEffect) -> str:
    """Explain why an effect could not have been shown; empty if it could have been."""
    if effect.least_p is None or effect.blocks < 1:
        return ""
    least = find_attainable_p(material.analysis)[effect.family].get(effect.least_p, 0.0)
    if least < SIGNIFICANT_P:
        return ""
    needed = count_blocks_needed(effect, material.analysis.effects, material.plan)
    return (
        f": with {pluralize_count(effect.blocks, 'block')} its p could not have been below "
        f"{format_probability(least)}{_describe_needed_seeds(material, needed)}"
    )


def _describe_needed_seeds(material: ReportMaterial, blocks: int | None) -> str:
    """Say how many seeds would be needed, if too few seeds are the cause."""
    if material.analysis.folded:
        return _describe_ineffective_seeds(material)
    if count_missing_runs(material.plan, material.runs):
        return "; the missing runs are to be finished first"
    seeds = -(-(blocks or 0) // max(len(material.plan.scenarios), 1))
    if seeds <= len(material.plan.seeds):
        return ""
    return f"; at least {pluralize_count(seeds, 'seed')} would be needed"


def _describe_ineffective_seeds(material: ReportMaterial) -> str:
    if material.analysis.blocks > 1:
        return "; some seeds or scenarios change nothing"
    return "; seeds change nothing here, and more of them would not help"


def _describe_figures(material: ReportMaterial) -> str:
    metric = find_metric(HEADLINE_METRICS[0])
    about = metric.about.rstrip(".")
    return (
        f"“{metric.label}” counts {about[:1].lower()}{about[1:]}; less is better. In "
        f"brackets are 95 % intervals, each for itself. p is corrected{_describe_family(material)}, "
        "so an interval may lie on one side of nothing where p does not decide. A change "
        f"counts as shown where p < {SIGNIFICANT_P}."
    )


def _describe_family(material: ReportMaterial) -> str:
    family = material.analysis.families.get("answer")
    if family is None or not family.tests:
        return " by Holm"
    if family.tests == 1:
        return " by Holm, though there is one test only"
    return f" by Holm over the {pluralize_count(family.tests, 'test')} of this answer"


def _describe_runs(material: ReportMaterial) -> str:
    return " ".join(_list_run_sentences(material))


def _list_run_sentences(material: ReportMaterial) -> Iterator[str]:
    blocks = len({(each.scenario, each.seed) for each in material.numbers})
    who = "stand-ins" if material.plan.mode == "sim" else "models"
    yield (
        f"{pluralize_count(len(material.numbers), 'run')} in {pluralize_count(blocks, 'block')} of scenario "
        f"and seed, played by {who}."
    )
    if folded := material.analysis.folded:
        yield (
            f"{pluralize_count(folded, 'block')} had the very same answers as another and "
            f"{'counts' if folded == 1 else 'count'} in no test: a copy is no further "
            "evidence."
        )
    yield from _describe_missing(material)
    yield _describe_scope(material)


def _describe_missing(material: ReportMaterial) -> Iterator[str]:
    """Name missing runs; the means of conditions are then over different blocks."""
    missing = count_missing_runs(material.plan, material.runs)
    if not missing:
        return
    many = sum(missing.values())
    yield (
        f"Of {pluralize_count(count_cells(material.plan), 'planned run')} {format_count(many)} "
        f"{'is' if many == 1 else 'are'} missing ({describe_missing_runs(missing)}): means of "
        "conditions are not over the same blocks, and effects are reckoned in those that "
        "are whole."
    )


def _describe_scope(material: ReportMaterial) -> str:
    scenarios = material.plan.scenarios
    if len(scenarios) == 1:
        return "It is about this scenario; of others it says nothing."
    return (
        f"It is about these {len(scenarios)} scenarios together, each with its seeds; of "
        "others it says nothing."
    )


def _describe_meaning(material: ReportMaterial) -> str:
    """Explain the two words of the question."""
    retries = material.plan.max_retries
    return (
        "Telling is putting into the prompt what is true where the speaker stands. "
        "Refusing is a game master's work as a whole: a refused answer comes back with a "
        f"card and is asked for again, up to {pluralize_count(retries, 'time')} and with other "
        "seeds; what happened is told to the next speaker; and the talk goes on with what "
        "came true. Asking again alone would mend some answers too."
    )


ANSWER_METRIC: Final = HEADLINE_METRICS[0]
"""The metric that answers the question."""


UNSEEN_TEXT: Final = "No difference was seen."
"""The answer if no block differs and there are enough blocks."""
UNABLE_TEXT: Final = "It could not have been shown."
"""The answer if there are too few blocks for any."""


def has_no_change(effect: FactorEffect) -> bool:
    """Return whether no block differs."""
    return effect.estimate == 0 and effect.p is None and effect.blocks > 1


def describe_unseen(effect: FactorEffect) -> str:
    """Return the answer for an effect without any difference."""
    return UNSEEN_TEXT if has_enough_blocks(effect.blocks) else UNABLE_TEXT


def describe_unshown(material: ReportMaterial, effect: FactorEffect) -> str:
    """Say that it was not shown, or could not have been."""
    if describe_lacking_power(material, effect):
        return UNABLE_TEXT
    return "It was not shown."


def describe_change(material: ReportMaterial, effect: FactorEffect | None) -> str:
    """Describe an effect on the answer metric, and how certain it is."""
    what = f"“{find_metric(ANSWER_METRIC).label.lower()}”"
    if effect is None or effect.estimate is None:
        return f"left nothing to compare{describe_reason(effect)}."
    if has_no_change(effect):
        interval = format_change_interval(effect.low, effect.high, find_metric(ANSWER_METRIC))
        return (
            f"left {what} as it is in all {pluralize_count(effect.blocks, 'block')}"
            f"{f' {interval}' if interval else ''}{_describe_too_few(effect)}."
        )
    change = f"changes {what} by {format_effect_figures(material, effect)}"
    if effect.p_corrected is None:
        return f"{change}, but that cannot be tested{describe_reason(effect)}."
    if effect.p_corrected >= SIGNIFICANT_P:
        return f"{change}{describe_lacking_power(material, effect) or ': this cannot be told from chance'}."
    return f"{change}."


def _describe_too_few(effect: FactorEffect) -> str:
    """Say that so few blocks could not show a difference; empty if they could."""
    if has_enough_blocks(effect.blocks):
        return ""
    return f", but {pluralize_count(effect.blocks, 'block')} cannot show that nothing changes"


def describe_reason(effect: FactorEffect | None) -> str:
    """Return why it could not be tested; empty if there is no note."""
    return f": {effect.note}" if effect is not None and effect.note else ""


def format_effect_figures(material: ReportMaterial, effect: FactorEffect) -> str:
    """Format change, interval and p, and the number of blocks if not all."""
    metric = find_metric(effect.metric)
    interval = format_change_interval(effect.low, effect.high, metric)
    tested = "" if effect.p_corrected is None else f", p {format_p(effect.p_corrected)}"
    shown = " ".join(each for each in (format_change(effect.estimate, metric), interval) if each)
    total = material.analysis.blocks
    part = 0 < effect.blocks < total
    some = f", in {effect.blocks} of {total} blocks" if part else ""
    return f"{shown}{tested}{some}"


def format_p(p: float) -> str:
    """Format a probability to follow the letter p."""
    shown = format_probability(p)
    return shown if shown.startswith("<") else f"= {shown}"


_BlockValues = dict[tuple[str, int], float]


def describe_extremes(material: ReportMaterial, metric: str) -> str:
    """Compare neither with both over the same blocks, if each is one condition."""
    named = [
        [each.name for each in material.plan.conditions if each.letter == letter]
        for letter in ("A", "D")
    ]
    if any(len(names) != 1 for names in named):
        return "Over all conditions, "
    (neither,), (both,) = named
    first, second = (_collect_block_values(material, name, metric) for name in (neither, both))
    if first.keys() == second.keys():
        shown = (_format_extreme(material, name, metric) for name in (neither, both))
        return "With neither it is {}, with both {}; ".format(*shown)
    return _describe_shared_blocks(first, second, metric)


def _collect_block_values(material: ReportMaterial, condition: str, metric: str) -> _BlockValues:
    own = (each for each in material.numbers if each.condition == condition)
    values = (((each.scenario, each.seed), compute_metric(metric, each)) for each in own)
    return {block: found for block, found in values if found is not None}


def _format_extreme(material: ReportMaterial, condition: str, metric: str) -> str:
    shown = format_estimate(material.get_estimate(condition, metric), find_metric(metric))
    return " ".join(shown).rstrip()


def _describe_shared_blocks(first: _BlockValues, second: _BlockValues, metric: str) -> str:
    """Return means over the shared blocks: others would not be comparable."""
    shared = sorted(first.keys() & second.keys())
    if not shared:
        return "No block has both a run with neither and one with both; "
    definition = find_metric(metric)
    neither, both = (
        format_figure(fmean(side[block] for block in shared), definition)
        for side in (first, second)
    )
    return (
        f"In the {pluralize_count(len(shared), 'block')} that have a run of each it is {neither} "
        f"with neither and {both} with both; "
    )


_MAX_SENTENCES: Final = 6


def describe_further_factors(material: ReportMaterial) -> list[Line]:
    """Return a sentence about each factor other than inject and gm."""
    named = [
        name
        for name, levels in sorted(material.plan.factors.items())
        if name not in ("inject", "gm") and len(levels) > 1
    ]
    lines = [_describe_factor(material, name) for name in named[:_MAX_SENTENCES]]
    if len(named) > _MAX_SENTENCES:
        more = len(named) - _MAX_SENTENCES
        lines.append(make_line(f"{pluralize_count(more, 'further factor')} told of below."))
    return lines


def _describe_factor(material: ReportMaterial, factor: str) -> Line:
    effect = material.get_effect(ANSWER_METRIC, factor)
    asked = f"Does {factor} matter?"
    if effect is not None and has_no_change(effect):
        change = describe_change(material, effect)
        return StrongText(f"{asked} {describe_unseen(effect)} "), PlainText(f"It {change}")
    if effect is None or effect.p_corrected is None:
        return _describe_unknown(asked, effect)
    return _describe_decision(material, asked, effect, _describe_factor_effect(material, effect))


def _describe_factor_effect(material: ReportMaterial, effect: FactorEffect) -> str:
    """Describe a further factor's effect, with its levels if it has two."""
    what = f"“{find_metric(ANSWER_METRIC).label}”"
    share = f"partial η² {format_number(effect.eta_squared, 3)}"
    if effect.estimate is None:
        assert effect.p_corrected is not None, "only what was tested is told"
        return f"{what} differs between its levels with p {format_p(effect.p_corrected)}, {share}"
    names = {each.name: each.levels for each in find_factors(material.plan)}
    levels = names.get(effect.factors[0], ())
    way = f" from {levels[0]} to {levels[1]}" if len(levels) == 2 else ""
    return f"{what} changes{way} by {format_effect_figures(material, effect)}, {share}"


def describe_further_pairs(material: ReportMaterial) -> list[Line]:
    """Return a sentence about each pair of factors except inject with gm."""
    found = [
        each
        for each in material.analysis.effects
        if each.metric == ANSWER_METRIC
        and len(each.factors) == 2
        and set(each.factors) != {"inject", "gm"}
    ]
    lines = [_describe_pair(material, each) for each in found[:_MAX_SENTENCES]]
    if len(found) > _MAX_SENTENCES:
        more = len(found) - _MAX_SENTENCES
        lines.append(
            make_line(f"{pluralize_count(more, 'further pair')} of factors told of below.")
        )
    return lines


def _describe_pair(material: ReportMaterial, effect: FactorEffect) -> Line:
    first, second = effect.factors
    asked = f"Does what {first} does depend on {second}?"
    if has_no_change(effect):
        return (
            StrongText(f"{asked} {'No.' if has_enough_blocks(effect.blocks) else UNABLE_TEXT} "),
            PlainText(f"It does the same in all {pluralize_count(effect.blocks, 'block')}."),
        )
    if effect.p_corrected is None:
        return _describe_unknown(asked, effect)
    return _describe_decision(material, asked, effect, _describe_pair_interaction(material, effect))


def _describe_pair_interaction(material: ReportMaterial, effect: FactorEffect) -> str:
    if effect.estimate is not None:
        return f"The interaction is {format_effect_figures(material, effect)}"
    assert effect.p_corrected is not None, "only what was tested is told"
    share = f"partial η² {format_number(effect.eta_squared, 3)}"
    return f"The interaction has p {format_p(effect.p_corrected)}, {share}"


def _describe_unknown(asked: str, effect: FactorEffect | None) -> Line:
    reason = describe_reason(effect)[2:] or "nothing is left to compare"
    return (
        StrongText(f"{asked} It cannot be said. "),
        PlainText(f"{reason[:1].upper()}{reason[1:]}."),
    )


def _describe_decision(
    material: ReportMaterial, asked: str, effect: FactorEffect, text: str
) -> Line:
    assert effect.p_corrected is not None, "only what was tested is decided"
    shown = effect.p_corrected < SIGNIFICANT_P
    word = "Yes." if shown else describe_unshown(material, effect)
    unable = "" if shown else describe_lacking_power(material, effect)
    return StrongText(f"{asked} {word} "), PlainText(f"{text}{unable}.")


_PROGRESS_METRICS: Final = ("goal_reached", "milestone_rate", "deeds_per_turn")
_MAX_CONDITIONS: Final = 8


def describe_progress(material: ReportMaterial) -> Line:
    """Summarise goals, milestones and actions of each condition in one line."""
    names = [each.name for each in material.listed_conditions[:_MAX_CONDITIONS]]
    sentences = [
        text for metric in _PROGRESS_METRICS if (text := _describe_metric(material, metric, names))
    ]
    has_goal = any(each.goal_reached is not None for each in material.numbers)
    begin = () if has_goal else ("No scenario of this plan has a goal",)
    more = (
        " More conditions are listed below."
        if len(material.listed_conditions) > _MAX_CONDITIONS
        else ""
    )
    return (
        StrongText("How far did it come? "),
        PlainText(f"{'; '.join((*begin, *sentences))}.{more}"),
    )


def _describe_metric(material: ReportMaterial, name: str, conditions: list[str]) -> str:
    """Return a metric of each condition; empty if no condition has it."""
    metric = find_metric(name)
    found = [(each, material.get_estimate(each, name)) for each in conditions]
    if all(estimate is None or estimate.mean is None for _, estimate in found):
        return ""
    shown = ", ".join(
        f"{each} {format_figure(estimate.mean if estimate else None, metric)}"
        for each, estimate in found
    )
    return f"{metric.label}: {shown}"


DEFAULT_QUESTION: Final = "Does telling a model what is true, and refusing what is not, help it?"
"""The question if a plan has none."""
_REFUSING: Final = "refusing and asking again"
_QUESTIONS: Final = (("inject", "telling"), ("gm", _REFUSING))


def build_answer(material: ReportMaterial) -> tuple[Block, ...]:
    """Build the question and its answer."""
    lines = [_describe_main_effect(material, *names) for names in _QUESTIONS]
    lines.append(_describe_both(material))
    lines += describe_further_factors(material) + describe_further_pairs(material)
    lines.append(describe_progress(material))
    return (
        ReportHeading("The answer", "answer"),
        ReportParagraph(make_line(material.plan.question or DEFAULT_QUESTION), lead=True),
        ReportBullets(tuple(lines), lead=True),
        *build_reading_notes(material),
    )


def _is_varied(material: ReportMaterial, factor: str) -> bool:
    return len({getattr(each, factor) for each in material.plan.conditions}) > 1


def _describe_main_effect(material: ReportMaterial, factor: str, doing: str) -> Line:
    if not _is_varied(material, factor):
        return (
            StrongText(f"Does {doing} help? Not asked. "),
            PlainText(f"Every condition of this plan has {factor} the same."),
        )
    effect = material.get_effect(ANSWER_METRIC, factor)
    return (
        StrongText(f"Does {doing} help? {_choose_answer(material, effect)} "),
        PlainText(f"{doing.capitalize()} {describe_change(material, effect)}"),
    )


def _choose_answer(material: ReportMaterial, effect: FactorEffect | None) -> str:
    if effect is None or effect.estimate is None:
        return "It cannot be said."
    if has_no_change(effect):
        return describe_unseen(effect)
    if effect.p_corrected is None:
        return "It cannot be said."
    if effect.p_corrected >= SIGNIFICANT_P:
        return describe_unshown(material, effect)
    return "Yes." if effect.estimate < 0 else "No, it makes things worse."


def _describe_both(material: ReportMaterial) -> Line:
    if not all(_is_varied(material, factor) for factor, _ in _QUESTIONS):
        return (
            StrongText("And both together? Not asked. "),
            PlainText("The plan does not vary both."),
        )
    effect = material.get_effect(ANSWER_METRIC, "inject", "gm")
    return (
        StrongText(f"And both together? {_describe_interaction(material, effect)} "),
        PlainText(
            f"{describe_extremes(material, ANSWER_METRIC)}{_describe_interaction_figures(material, effect)}"
        ),
    )


def _describe_interaction(material: ReportMaterial, effect: FactorEffect | None) -> str:
    if effect is None or effect.estimate is None:
        return "It cannot be said."
    if has_no_change(effect):
        same = "Each does the same with the other and without."
        return same if has_enough_blocks(effect.blocks) else UNABLE_TEXT
    if effect.p_corrected is None:
        return "It cannot be said."
    if effect.p_corrected >= SIGNIFICANT_P:
        could = "could not have been" if describe_lacking_power(material, effect) else "was not"
        return f"That one changes what the other does {could} shown."
    mains = [material.get_effect(ANSWER_METRIC, factor) for factor, _ in _QUESTIONS]
    if not all(each and each.estimate and each.estimate < 0 for each in mains):
        return "What one does depends on the other."
    if effect.estimate > 0:
        return "They overlap: each does part of the other's work."
    return "They strengthen each other."


def _describe_interaction_figures(material: ReportMaterial, effect: FactorEffect | None) -> str:
    if effect is None or effect.estimate is None:
        return f"nothing is left to compare{describe_reason(effect)}."
    untested = describe_reason(effect) if effect.p_corrected is None else ""
    return f"the interaction is {format_effect_figures(material, effect)}{untested}."
