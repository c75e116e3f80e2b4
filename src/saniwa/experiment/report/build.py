"""Assembles the whole report as blocks, from top to bottom.

Also builds the tables that compare conditions, and the end: sample turns, and what is
needed to repeat it all.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeVar

from saniwa.experiment import layout
from saniwa.experiment.metrics.analysis_records import (
    HEADLINE_METRICS,
    ConditionComparison,
    FactorEffect,
)
from saniwa.experiment.metrics.definitions import METRICS, find_metric
from saniwa.experiment.outcome import Intent
from saniwa.experiment.plan import PreparedScenario, count_cells
from saniwa.experiment.prompts import GIVE_UP
from saniwa.experiment.report import blocks, charts, condition_tables, figures
from saniwa.experiment.report.answer import build_answer
from saniwa.experiment.report.figures import NOTHING, format_count, pluralize_count
from saniwa.experiment.report.material import (
    LONGEST_ANSWER,
    MAX_SAMPLES,
    SAMPLE_KINDS,
    ReportMaterial,
    SampleAttempt,
    TurnSample,
)

MAX_ROWS: Final = 60
"""The most rows of a table; the rest is in analysis.json."""
_UNTESTED: Final = 2.0
_Tested = TypeVar("_Tested", ConditionComparison, FactorEffect)
_FAMILIES: Final = {
    "answer": "those of the answer",
    "effects": "those on all other numbers",
    "pairs": "all pairs on all numbers",
}
_PAIRED: Final = (
    "The difference is the second less the first; d is Cohen's d of the differences. "
    "Numbers that only one of the two has are left out."
)
_CROSSED: Final = (
    "× marks an interaction. Each block gives one value; F and partial η² describe and "
    "are not tested. What cannot be told apart from others is left out."
)


def build_comparisons(material: ReportMaterial) -> tuple[blocks.Block, ...]:
    """Build the tables of pairs and of factors, for the headline metrics."""
    found = material.analysis
    pairs = [c for c in found.comparisons if c.metric in HEADLINE_METRICS and c.blocks]
    effects = [
        e
        for e in found.effects
        if e.metric in HEADLINE_METRICS and (e.estimate is not None or e.p is not None)
    ]
    return (
        blocks.ReportHeading("What makes the difference", "differences"),
        _build_pair_table(pairs, _describe_families(material, "pairs")),
        _build_effect_table(effects, _describe_families(material, "answer", "effects")),
    )


def _describe_families(material: ReportMaterial, *names: str) -> str:
    """Describe what was corrected together, and the smallest p possible."""
    known = material.analysis.families
    parts = [
        f"{figures.pluralize_count(known[name].tests, 'test')} ({_FAMILIES[name]}; no p could be below "
        f"{figures.format_probability(known[name].least_corrected)})"
        for name in names
        if name in known and known[name].tests
    ]
    if not parts:
        return ""
    return f"p is corrected by Holm over {', and over '.join(parts)}; intervals are not."


def _build_pair_table(pairs: Sequence[ConditionComparison], families: str) -> blocks.Block:
    if not pairs:
        return blocks.ReportParagraph(
            blocks.make_line("This plan has not got two conditions to compare.")
        )
    shown, cap = _select_rows(pairs)
    return blocks.ReportTable(
        "comparisons",
        "Pairs of conditions that differ in one factor, block by block",
        ("Pair", "Number", "Difference", "p", "p corrected", "Effect", "Blocks"),
        tuple(map(_build_pair_row, shown)),
        " ".join(filter(None, (_PAIRED, families, cap))),
        texts=2,
    )


def _select_rows(rows: Sequence[_Tested]) -> tuple[Sequence[_Tested], str]:
    """Return the rows to show, and a note if those are not all."""
    if len(rows) <= MAX_ROWS:
        return rows, ""
    ranked = sorted(rows, key=lambda e: _UNTESTED if e.p_corrected is None else e.p_corrected)
    return ranked[:MAX_ROWS], (
        f"Shown are the {MAX_ROWS} of {len(rows):,} with the smallest corrected p; "
        "all are in analysis.json."
    )


def _build_pair_row(each: ConditionComparison) -> tuple[blocks.Line, ...]:
    metric = find_metric(each.metric)
    size = f"d {figures.format_number(each.effect)} {each.size}".rstrip()
    interval = figures.format_change_interval(each.low, each.high, metric)
    return (
        (blocks.CodeText(each.first), blocks.PlainText(" → "), blocks.CodeText(each.second)),
        blocks.make_line(metric.label),
        blocks.make_interval_line(figures.format_change(each.difference, metric), interval),
        blocks.make_line(figures.format_probability(each.p)),
        _format_decision(each.p_corrected, each.difference, each.metric),
        blocks.make_line(figures.NOTHING if each.effect is None else size),
        blocks.make_line(str(each.blocks)),
    )


def _format_decision(p: float | None, value: float | None, name: str) -> blocks.Line:
    """Format a probability; coloured if it is significant."""
    if p is None or p >= figures.SIGNIFICANT_P:
        return blocks.make_line(figures.format_probability(p))
    better = find_metric(name).better
    tone: blocks.Tone = "plain"
    if better and value:
        tone = "good" if (value < 0) == (better == "less") else "bad"
    return (blocks.ReportLabel(figures.format_probability(p), tone),)


def _build_effect_table(effects: Sequence[FactorEffect], families: str) -> blocks.Block:
    if not effects:
        return blocks.ReportParagraph(
            blocks.make_line("This plan has not got a factor that varies.")
        )
    shown, cap = _select_rows(effects)
    return blocks.ReportTable(
        "effects",
        "Main effects and interactions",
        ("Factor", "Number", "Change", "F", "p", "p corrected", "partial η²", "Blocks"),
        tuple(map(_build_effect_row, shown)),
        " ".join(filter(None, (_CROSSED, families, cap))),
        texts=2,
    )


def _build_effect_row(each: FactorEffect) -> tuple[blocks.Line, ...]:
    metric = find_metric(each.metric)
    return (
        blocks.make_line(" × ".join(each.factors)),
        blocks.make_line(metric.label),
        blocks.make_interval_line(
            figures.format_change(each.estimate, metric),
            figures.format_change_interval(each.low, each.high, metric),
        ),
        blocks.make_line(figures.format_number(each.f)),
        blocks.make_line(figures.format_probability(each.p)),
        _format_effect_decision(each),
        blocks.make_line(figures.format_number(each.eta_squared, 3)),
        blocks.make_line(str(each.blocks)),
    )


def _format_effect_decision(each: FactorEffect) -> blocks.Line:
    """Format the decision on an effect; an interaction is neither good nor bad."""
    change = each.estimate if len(each.factors) == 1 else None
    return _format_decision(each.p_corrected, change, each.metric)


_FILES = (
    layout.RESULTS,
    layout.ANALYSIS,
    layout.CONVERSATION,
    layout.TURNS_LOG,
    layout.EXAMPLES,
    layout.PREPARED,
    layout.TIMES,
)
_MAX_LISTED = 20


def build_provenance(material: ReportMaterial) -> tuple[blocks.Block, ...]:
    """Build the tables of plan, seeds, versions, hashes, method and files."""
    crashes = [
        (blocks.CodeText(code), blocks.PlainText(f": {pluralize_count(n, 'run')} ended so"))
        for code, n in sorted(material.gathered.crashes.items())[:_MAX_LISTED]
    ]
    links: list[blocks.ReportLink | blocks.PlainText] = [blocks.PlainText("Beside this report: ")]
    for name in _FILES:
        links += [blocks.ReportLink(name, name), blocks.PlainText(", ")]
    return (
        blocks.ReportHeading("How it was made", "making"),
        blocks.ReportTable(
            "plan", "The plan", ("What", "Value"), tuple(_list_plan_rows(material)), texts=2
        ),
        _build_scenario_table(material),
        blocks.ReportParagraph(blocks.make_line(material.analysis.method)),
        *([blocks.ReportBullets(tuple(crashes))] if crashes else []),
        blocks.ReportParagraph((*links[:-1], blocks.PlainText("."))),
    )


def _list_plan_rows(material: ReportMaterial) -> list[tuple[blocks.Line, ...]]:
    plan, prepared = material.plan, material.prepared
    facts = {
        "Experiment": plan.experiment_id,
        "Mode": "stand-ins (sim)" if plan.mode == "sim" else "models (real)",
        "Profile": plan.profile or NOTHING,
        "Models": _join_some(sorted({c.model for c in plan.conditions if c.model})),
        "Temperatures": _format_temperatures(material),
        "Prompt editions": _join_some(sorted({c.prompt for c in plan.conditions})),
        "Rulebooks": _join_some(sorted({c.rulebook or "scenario" for c in plan.conditions})),
        "Seeds": _join_some(plan.seeds),
        "Order seed": str(plan.order_seed),
        "Turns, retries, tokens": (
            f"{plan.max_turns}, {plan.max_retries}, {plan.max_tokens} at most"
        ),
        "Settings that models were not given": _join_some(
            sorted({name for n in material.numbers for name in n.unsent})
        ),
        "Runs": f"{format_count(len(material.numbers))} of {format_count(count_cells(plan))} planned",
        "Saniwa": prepared.version,
        "Fingerprint of all of it": prepared.fingerprint,
    }
    return [(blocks.make_line(name), (blocks.CodeText(value),)) for name, value in facts.items()]


def _format_temperatures(material: ReportMaterial) -> str:
    """List the temperatures that were sent; stand-ins get none."""
    plan = material.plan
    without = {n.condition for n in material.numbers if "temperature" in n.unsent}
    if plan.mode == "sim":
        return NOTHING
    return _join_some(sorted({c.temperature for c in plan.conditions if c.name not in without}))


def _join_some(values: Iterable[object]) -> str:
    listed = [str(each) for each in values]
    if len(listed) > _MAX_LISTED:
        return f"{', '.join(listed[:_MAX_LISTED])} and {len(listed) - _MAX_LISTED} more"
    return ", ".join(listed) or NOTHING


def _build_scenario_table(material: ReportMaterial) -> blocks.ReportTable:
    settings = sorted(material.prepared.settings.items())
    more = len(settings) - _MAX_LISTED
    return blocks.ReportTable(
        "scenarios",
        "The scenarios",
        ("Scenario", "scenario_hash", "world_hash", "Description"),
        tuple(_build_scenario_row(each) for _, each in settings[:_MAX_LISTED]),
        f"{more} more are in {layout.PREPARED}." if more > 0 else "",
        texts=4,
    )


def _build_scenario_row(setting: PreparedScenario) -> tuple[blocks.Line, ...]:
    *hashes, about = (
        str(setting.meta.get(key) or NOTHING)[:200]
        for key in ("scenario_hash", "world_hash", "description")
    )
    return (
        *((blocks.CodeText(each),) for each in (setting.scenario_id, *hashes)),
        blocks.make_line(about),
    )


_KIND_TONES: dict[str, blocks.Tone] = {
    **dict.fromkeys(("stands", "given_up", "invented"), "bad"),
    **dict.fromkeys(("mended", "sorry", "repaired", "kept"), "good"),
}


def build_samples(material: ReportMaterial) -> tuple[blocks.Block, ...]:
    """Build one card for each sample turn."""
    cards = (_build_card(nth, each) for nth, each in enumerate(material.gathered.samples, 1))
    about = (
        f"At most {MAX_SAMPLES}, chosen without chance: the first of each kind, of each code and "
        f"of each condition. Answers are cut at {LONGEST_ANSWER} letters; the files have all."
    )
    return (
        blocks.ReportHeading("Turns as they were", "turns"),
        blocks.ReportParagraph(blocks.make_line(about)),
        *cards,
    )


def _build_card(nth: int, sample: TurnSample) -> blocks.ReportCard:
    title: blocks.Line = (
        blocks.CodeText(sample.condition),
        blocks.PlainText(f" · {sample.scenario} · seed {sample.seed} · turn {sample.turn + 1} · "),
        blocks.PlainText(f"{sample.speaker} "),
        *(
            blocks.ReportLabel(SAMPLE_KINDS[kind], _KIND_TONES.get(kind, "plain"))
            for kind in sample.kinds
        ),
    )
    tries = [block for n, each in enumerate(sample.tried) for block in _build_attempt(n, each)]
    return blocks.ReportCard(f"sample-{nth}", title, (*tries, *_build_conclusion(sample)))


def _build_attempt(number: int, tried: SampleAttempt) -> Iterator[blocks.Block]:
    label = "Said" if number == 0 else f"Said at retry {number}"
    yield blocks.ReportVerbatim(label, tried.raw)
    if tried.repaired:
        yield blocks.ReportVerbatim(f"Repaired ({tried.method})", tried.repaired)
    if tried.intents:
        more = [blocks.make_line(f"and {tried.more_intents} more")] if tried.more_intents else []
        yield blocks.ReportBullets((*map(_format_intent, tried.intents), *more))
    if tried.question:
        yield blocks.ReportParagraph(
            (blocks.ReportLabel("unclear"), blocks.PlainText(f" {tried.question}"))
        )
    if tried.card and not tried.card.startswith(GIVE_UP):
        yield blocks.ReportVerbatim("Guided: the card that came back", tried.card, folded=True)


def _format_intent(each: Intent) -> blocks.Line:
    text = " ".join(part for part in (each.intent, each.target or each.detail) if part)
    if each.allowed:
        return blocks.ReportLabel("allowed", "good"), blocks.PlainText(f" {text}")
    return (
        blocks.ReportLabel("refused", "bad"),
        blocks.PlainText(f" {text}: "),
        blocks.CodeText(each.deny_code),
        blocks.SideText(f" {each.message}"),
    )


def _build_conclusion(sample: TurnSample) -> Iterator[blocks.Block]:
    what = "Given up; the speech alone stands" if sample.give_up else "Kept"
    heard = f"; {sample.addressing} cannot hear it" if sample.addressing else ""
    yield blocks.ReportParagraph(
        (
            blocks.ReportLabel(what, "bad" if sample.give_up else "plain"),
            blocks.PlainText(f" “{sample.speech}”"),
            blocks.SideText(f" stall score {sample.stall:.3f}{heard}"),
        )
    )
    folder = f"{layout.ARTIFACTS}/{layout.make_folder_name(sample.key)}"
    links: list[blocks.ReportLink | blocks.PlainText] = [blocks.PlainText("Files: ")]
    for name in _list_files(sample):
        links += [blocks.ReportLink(name, f"{folder}/{name}"), blocks.PlainText(" ")]
    yield blocks.ReportParagraph(tuple(links[:-1]))


def _list_files(sample: TurnSample) -> Iterator[str]:
    for attempt in range(len(sample.tried) - 1):
        yield layout.name_attempt_file(sample.turn, attempt)
    yield layout.name_raw_file(sample.turn)
    if sample.repaired:
        yield layout.name_repaired_file(sample.turn)
    yield layout.name_parsed_file(sample.turn)


_COST_UNITS: Final = ("ms", "tokens", "usd")


def assemble_report(material: ReportMaterial) -> blocks.ExperimentReport:
    """Build the report from material that was collected before."""
    prepared, plan = material.prepared, material.plan
    played = f"{pluralize_count(len(material.numbers), 'run')} of {', '.join(plan.scenarios[:5])}"
    more = f" and {len(plan.scenarios) - 5} more" if len(plan.scenarios) > 5 else ""
    return blocks.ExperimentReport(
        title=plan.experiment_id,
        subtitle=(
            blocks.PlainText(
                f"{played}{more} · {pluralize_count(len(plan.conditions), 'condition')} · fingerprint "
            ),
            blocks.CodeText(prepared.fingerprint),
        ),
        blocks=(
            *build_answer(material),
            *condition_tables.build_headline(material),
            *charts.build_dot_pictures(material),
            *condition_tables.build_scenario_tables(material),
            *condition_tables.build_refusals(material),
            *charts.build_code_pictures(material),
            *charts.build_turn_pictures(material),
            *build_comparisons(material),
            *charts.build_interaction_pictures(material),
            *condition_tables.build_gates(material),
            *condition_tables.build_format(material),
            blocks.ReportHeading("Standstill", "standstill"),
            *charts.build_stall_picture(material),
            *condition_tables.build_cost(material),
            *charts.build_latency_picture(material),
            *build_samples(material),
            blocks.ReportHeading("All numbers", "numbers"),
            _build_all_metrics_table(material),
            condition_tables.build_filter_table(material),
            *build_provenance(material),
        ),
    )


def _build_all_metrics_table(material: ReportMaterial) -> blocks.ReportTable:
    """Build the table of all metrics; costs have their own table."""
    return condition_tables.build_condition_table(
        material,
        [each.name for each in METRICS if each.unit not in _COST_UNITS],
        condition_tables.label_metric,
        lambda name, metric: condition_tables.format_estimate_line(
            material.get_estimate(name, metric), metric
        ),
        anchor="all-numbers",
        caption="All numbers: means over runs, with 95 % intervals",
        corner="Number",
    )
