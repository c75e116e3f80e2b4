"""Words the effects of factors, and the notes on how to read the answer.

The notes say what was corrected, what is missing, and what the answer is about.
"""

from collections.abc import Iterator
from typing import Final

from saniwa.experiment.metrics.analysis_records import HEADLINE_METRICS, FactorEffect
from saniwa.experiment.plan import count_cells
from saniwa.experiment.report.blocks import Block, ReportParagraph, make_line
from saniwa.experiment.report.figures import (
    SIGNIFICANT_P,
    count_missing_runs,
    describe_missing_runs,
    find_metric,
    format_change,
    format_change_interval,
    format_count,
    format_probability,
    pluralize_count,
)
from saniwa.experiment.report.material import ReportMaterial
from saniwa.experiment.statistics.sign_permutation import has_enough_blocks
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
