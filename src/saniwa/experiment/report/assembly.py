"""Assembles the whole report as blocks, from top to bottom.

Also builds the tables that compare conditions, and the end: sample turns, and what is
needed to repeat it all.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeVar

from saniwa.core.text import truncate
from saniwa.experiment import report_wording
from saniwa.experiment.analysis_records import ConditionComparison, FactorEffect
from saniwa.experiment.cell_outcome import AnswerAttempt, Intent
from saniwa.experiment.metrics import ALPHA, find_metric, list_metrics
from saniwa.experiment.output import output_folder
from saniwa.experiment.plan import PlanMode, PreparedScenario, count_cells
from saniwa.experiment.prompts import GIVE_UP
from saniwa.experiment.report import captioned_plots, condition_tables, report_blocks
from saniwa.experiment.report.outcome_summary import (
    LONGEST_ANSWER,
    MAX_SAMPLES,
    SAMPLE_KINDS,
    ReportMaterial,
    TurnSample,
)
from saniwa.experiment.report.question_and_answer import build_answer, describe_figures
from saniwa.experiment.report_wording import (
    NOTHING,
    count_more,
    find_sentence,
    format_change,
    format_change_interval,
    format_number,
    format_probability,
    join_sentences,
    translate_label,
    write_sentence,
)
from saniwa.experiment.statistics.significance import conclude_comparison, find_attainable_p

MAX_ROWS: Final = 60
"""The most rows of a table; the rest is in analysis.json."""
_UNTESTED: Final = 2.0
_Tested = TypeVar("_Tested", ConditionComparison, FactorEffect)


def build_comparisons(material: ReportMaterial) -> tuple[report_blocks.Block, ...]:
    """Build the tables of pairs and of factors, for the headline metrics."""
    found = material.analysis
    pairs = [c for c in found.comparisons if c.metric in material.headline_metrics and c.blocks]
    effects = [
        e
        for e in found.effects
        if e.metric in material.headline_metrics and (e.estimate is not None or e.p is not None)
    ]
    return (
        report_blocks.make_heading(find_sentence("differences.heading"), "differences"),
        report_blocks.make_paragraph(describe_figures(material)),
        _build_effect_table(effects, _describe_families(material, "answer", "effects")),
        _build_pair_table(material, pairs),
    )


def _describe_families(material: ReportMaterial, *names: str) -> str:
    """Describe what was corrected together, and the smallest p possible."""
    known = material.analysis.families
    parts = [
        write_sentence(
            "differences.family",
            tests=known[name].tests,
            family=find_sentence(f"family.{name}"),
            least=format_probability(known[name].least_corrected),
        )
        for name in names
        if name in known and known[name].tests
    ]
    families = find_sentence("differences.and").join(parts)
    return write_sentence("differences.families", families=families) if parts else ""


def _build_pair_table(
    material: ReportMaterial, pairs: Sequence[ConditionComparison]
) -> report_blocks.Block:
    if not pairs:
        return report_blocks.make_paragraph(find_sentence("differences.no pairs"))
    shown, cap = _select_rows(pairs)
    reach = find_attainable_p(material.analysis)
    conclusions = [conclude_comparison(each, reach) for each in shown]
    untestable = "could not be shown" in conclusions
    return report_blocks.make_table(
        "comparisons",
        find_sentence("differences.pairs"),
        ("Pair", "Metric", "Difference", "p", "p corrected", "Effect", "Blocks"),
        (
            _build_pair_row(each, testable=conclusion != "could not be shown")
            for each, conclusion in zip(shown, conclusions, strict=True)
        ),
        join_sentences(
            (
                find_sentence("differences.pairs note"),
                _describe_families(material, "pairs", "other_pairs"),
                find_sentence("differences.untestable") if untestable else "",
                cap,
            )
        ),
        texts=2,
    )


def _select_rows(rows: Sequence[_Tested]) -> tuple[Sequence[_Tested], str]:
    """Return the rows to show, and a note if those are not all."""
    if len(rows) <= MAX_ROWS:
        return rows, ""
    ranked = sorted(rows, key=lambda e: _UNTESTED if e.p_corrected is None else e.p_corrected)
    return ranked[:MAX_ROWS], write_sentence("differences.rows", most=MAX_ROWS, rows=len(rows))


def _build_pair_row(
    each: ConditionComparison, *, testable: bool
) -> tuple[report_blocks.Content, ...]:
    metric = find_metric(each.metric)
    # A size in words would claim a difference that the test did not show.
    shown = each.p_corrected is not None and each.p_corrected < ALPHA
    size = f"d {format_number(each.effect)} {translate_label(each.size) if shown else ''}".rstrip()
    interval = format_change_interval(each.low, each.high, metric)
    if each.difference == 0 and each.p is None:
        interval = find_sentence("differences.same")
    decision = _format_decision(each.p_corrected, each.difference, each.metric)
    return (
        report_blocks.make_line(
            report_blocks.make_name(each.first), " → ", report_blocks.make_name(each.second)
        ),
        metric.label,
        report_blocks.make_interval_line(format_change(each.difference, metric), interval),
        format_probability(each.p),
        decision if testable else "not testable",
        NOTHING if each.effect is None else size,
        str(each.blocks),
    )


def _format_decision(p: float | None, value: float | None, name: str) -> report_blocks.Content:
    """Format a probability; coloured if it is significant."""
    if p is None or p >= ALPHA:
        return format_probability(p)
    better = find_metric(name).better
    tone: report_blocks.Tone = "plain"
    if better and value:
        tone = "good" if (value < 0) == (better == "less") else "bad"
    return report_blocks.make_label(format_probability(p), tone)


def _build_effect_table(effects: Sequence[FactorEffect], families: str) -> report_blocks.Block:
    if not effects:
        return report_blocks.make_paragraph(find_sentence("differences.no effects"))
    shown, cap = _select_rows(effects)
    return report_blocks.make_table(
        "effects",
        find_sentence("differences.effects"),
        ("Factor", "Metric", "Change", "F", "p", "p corrected", "partial η²", "Blocks"),
        map(_build_effect_row, shown),
        join_sentences((find_sentence("differences.effects note"), families, cap)),
        texts=2,
    )


def _build_effect_row(each: FactorEffect) -> tuple[report_blocks.Content, ...]:
    metric = find_metric(each.metric)
    interval = format_change_interval(each.low, each.high, metric)
    # An interaction is neither good nor bad.
    change = each.estimate if len(each.factors) == 1 else None
    return (
        " × ".join(each.factors),
        metric.label,
        report_blocks.make_interval_line(format_change(each.estimate, metric), interval),
        format_number(each.f),
        format_probability(each.p),
        _format_decision(each.p_corrected, change, each.metric),
        format_number(each.eta_squared, 3),
        str(each.blocks),
    )


_FILES = (
    output_folder.RESULTS,
    output_folder.ANALYSIS,
    output_folder.CONVERSATION,
    output_folder.TURNS_LOG,
    output_folder.EXAMPLES,
    output_folder.PREPARED,
    output_folder.TIMES,
)
_MAX_LISTED = 20
_MODE_NAMES: Final[dict[PlanMode, str]] = {
    "sim": "stand-ins (sim)",
    "real": "models (real)",
    "work": "agents at a gate (work)",
}


def build_provenance(material: ReportMaterial) -> tuple[report_blocks.Block, ...]:
    """Build the tables of plan, seeds, versions, hashes, method and files."""
    crashes = [
        report_blocks.make_line(
            report_blocks.make_name(code), write_sentence("plan.crashes", runs=n)
        )
        for code, n in sorted(material.gathered.crashes.items())[:_MAX_LISTED]
    ]
    rows = ((name, report_blocks.make_name(value)) for name, value in _list_facts(material).items())
    return (
        report_blocks.make_heading(find_sentence("plan.heading"), "making"),
        report_blocks.make_table("plan", "The plan", ("What", "Value"), rows, texts=2),
        _build_scenario_table(material),
        report_blocks.make_paragraph(material.analysis.method),
        *([report_blocks.make_bullets(crashes)] if crashes else []),
        report_blocks.make_paragraph("Files of this report: ", *_link_files("", _FILES, ", "), "."),
    )


def _link_files(
    folder: str, names: Iterable[str], separator: str
) -> Iterator[report_blocks.Content]:
    for nth, name in enumerate(names):
        yield from (separator,) if nth else ()
        yield report_blocks.make_link(name, f"{folder}{name}")


def _list_facts(material: ReportMaterial) -> dict[str, str]:
    plan, prepared, numbers = material.plan, material.prepared, material.numbers
    runs, planned = len(numbers), count_cells(plan)
    played: dict[str, str] = {
        "Profile": plan.profile or NOTHING,
        "Prompt editions": _join_levels(c.prompt for c in plan.conditions),
        "Rulebooks": _join_levels(c.rulebook or "scenario" for c in plan.conditions),
        "Turns, retries, tokens": write_sentence("plan.limits", plan=plan),
    }
    worked: dict[str, str] = {
        "Agents": _join_levels(c.agent for c in plan.conditions),
        "Accepted states": _join_some(plan.accepted) if plan.accepted else "all final states",
        "Tools allowed beforehand": _join_some(plan.allow_tools),
        "Iterations": f"at most {plan.max_turns}",
    }
    return {
        "Experiment": plan.experiment_id,
        "Mode": _MODE_NAMES[plan.mode],
        **(worked if plan.mode == "work" else played),
        "Models": _join_levels(c.model for c in plan.conditions if c.model),
        "Temperatures": _format_temperatures(material),
        "Seeds": _join_some(plan.seeds),
        "Order seed": str(plan.order_seed),
        "Settings that models were not given": _join_some(
            sorted({name for n in numbers for name in n.unsent})
        ),
        "Runs": write_sentence("plan.runs", runs=runs, planned=planned),
        "Saniwa": prepared.version,
        "Fingerprint of all of it": prepared.fingerprint,
    }


def _format_temperatures(material: ReportMaterial) -> str:
    """List the temperatures that were sent; stand-ins get none."""
    plan = material.plan
    without = {n.condition for n in material.numbers if "temperature" in n.unsent}
    own = plan.mode == "work" and "temperature" not in plan.factors
    if plan.mode == "sim" or own:
        return NOTHING
    return _join_levels(c.temperature for c in plan.conditions if c.name not in without)


def _join_levels(levels: Iterable[object]) -> str:
    """List each level once, in the order of the plan."""
    return _join_some(dict.fromkeys(levels))


def _join_some(values: Iterable[object]) -> str:
    listed = [str(each) for each in values]
    return ", ".join(listed[:_MAX_LISTED]) + count_more(len(listed), _MAX_LISTED) or NOTHING


def _build_scenario_table(material: ReportMaterial) -> report_blocks.Block:
    settings = sorted(material.prepared.settings.items())
    more = len(settings) - _MAX_LISTED
    works = material.plan.mode == "work"
    return report_blocks.make_table(
        "scenarios",
        "The processes" if works else "The scenarios",
        ("Process", "process_hash", "Version", "Description")
        if works
        else ("Scenario", "scenario_hash", "world_hash", "Description"),
        (_build_scenario_row(each) for _, each in settings[:_MAX_LISTED]),
        write_sentence("plan.scenarios", more=more) if more > 0 else "",
        texts=4,
    )


def _build_scenario_row(setting: PreparedScenario) -> tuple[report_blocks.Content, ...]:
    keys = ("scenario_hash", "world_hash", "description")
    if "process_hash" in setting.meta:
        keys = ("process_hash", "process_version", "description")
    *hashes, about = (str(setting.meta.get(key) or NOTHING)[:200] for key in keys)
    return *map(report_blocks.make_name, (setting.scenario_id, *hashes)), about


_KIND_TONES: dict[str, report_blocks.Tone] = {
    **dict.fromkeys(("stands", "given_up", "invented"), "bad"),
    **dict.fromkeys(("mended", "sorry", "repaired", "kept"), "good"),
}
_LONGEST_WORD: Final = 120
_MOST_INTENTS: Final = 8


def build_samples(material: ReportMaterial) -> tuple[report_blocks.Block, ...]:
    """Build one card for each sample turn."""
    cards = (_build_card(nth, each) for nth, each in enumerate(material.gathered.samples, 1))
    about = write_sentence("samples.about", most=MAX_SAMPLES, longest=LONGEST_ANSWER)
    heading = report_blocks.make_heading(find_sentence("samples.heading"), "turns")
    return heading, report_blocks.make_paragraph(about), *cards


def _build_card(nth: int, sample: TurnSample) -> report_blocks.CardBlock:
    turn, speaker = sample.passage.number + 1, truncate(sample.passage.speaker_name, _LONGEST_WORD)
    title = report_blocks.make_line(
        report_blocks.make_name(sample.condition),
        write_sentence("samples.title", sample=sample.outcome, turn=turn),
        f"{speaker} ",
        *(
            report_blocks.make_label(SAMPLE_KINDS[k], _KIND_TONES.get(k, "plain"))
            for k in sample.kinds
        ),
    )
    tries = [block for each in sample.passage.attempts for block in _build_attempt(each)]
    inner = (*tries, *_build_conclusion(sample))
    return report_blocks.CardBlock(anchor=f"sample-{nth}", title=title, blocks=inner)


def _build_attempt(tried: AnswerAttempt) -> Iterator[report_blocks.PlainBlock]:
    label = write_sentence("samples.retried", number=tried.number) if tried.number else "Answer"
    yield report_blocks.make_verbatim(label, tried.raw_output)
    if tried.repaired_output:
        label = write_sentence("samples.repaired", method=tried.repair_method)
        yield report_blocks.make_verbatim(label, tried.repaired_output)
    if tried.intents:
        more = count_more(len(tried.intents), _MOST_INTENTS).lstrip(" 、")
        lines = [*map(_format_intent, tried.intents[:_MOST_INTENTS])]
        yield report_blocks.make_bullets([*lines, more] if more else lines)
    if tried.question:
        yield report_blocks.make_paragraph(
            report_blocks.make_label("unclear"), f" {tried.question}"
        )
    if tried.card and not tried.card.startswith(GIVE_UP):
        yield report_blocks.make_verbatim(find_sentence("samples.card"), tried.card, folded=True)


def _format_intent(each: Intent) -> report_blocks.ReportLine:
    about = truncate(each.target or each.detail, _LONGEST_WORD)
    text = " ".join(part for part in (each.intent, about) if part)
    if each.allowed:
        return report_blocks.make_line(report_blocks.make_label("allowed", "good"), f" {text}")
    message = truncate(each.message, _LONGEST_WORD * 2)
    return report_blocks.make_line(
        report_blocks.make_label("refused", "bad"),
        f" {text}: ",
        report_blocks.make_name(each.deny_code),
        report_blocks.ReportPiece(kind="aside", text=f" {message}"),
    )


def _build_conclusion(sample: TurnSample) -> Iterator[report_blocks.PlainBlock]:
    passage, unheard = sample.passage, ""
    if passage.addressing:
        unheard = write_sentence("samples.unheard", who=truncate(passage.addressing, _LONGEST_WORD))
    stall = write_sentence("samples.stall", stall=passage.stall_score, unheard=unheard)
    yield report_blocks.make_paragraph(
        report_blocks.make_label(find_sentence("samples.given up"), "bad")
        if passage.give_up
        else report_blocks.make_label("Result"),
        f" “{passage.final.speech}”",
        report_blocks.ReportPiece(kind="aside", text=stall),
    )
    folder = f"{output_folder.ARTIFACTS}/{output_folder.make_folder_name(sample.outcome.key)}/"
    yield report_blocks.make_paragraph("Files: ", *_link_files(folder, _list_files(sample), " "))


def _list_files(sample: TurnSample) -> Iterator[str]:
    passage = sample.passage
    for attempt in range(len(passage.attempts) - 1):
        yield output_folder.name_attempt_file(passage.number, attempt)
    yield output_folder.name_raw_file(passage.number)
    if passage.final.repaired_output is not None:
        yield output_folder.name_repaired_file(passage.number)
    yield output_folder.name_parsed_file(passage.number)


def assemble_report(material: ReportMaterial) -> report_blocks.ExperimentReport:
    """Build the report from material that was collected before."""
    prepared, plan = material.prepared, material.plan
    subtitle = write_sentence(
        "report.subtitle",
        runs=len(material.numbers),
        scenarios=", ".join(plan.scenarios[:5]),
        more=count_more(len(plan.scenarios), 5),
        conditions=len(plan.conditions),
    )
    build_body = _build_work_body if plan.mode == "work" else _build_play_body
    return report_blocks.ExperimentReport(
        title=plan.experiment_id,
        subtitle=report_blocks.make_line(subtitle, report_blocks.make_name(prepared.fingerprint)),
        blocks=(
            *_build_notices(material),
            *build_answer(material),
            *condition_tables.build_headline(material),
            *captioned_plots.build_dot_pictures(material),
            *condition_tables.build_scenario_tables(material),
            *build_body(material),
            *build_provenance(material),
        ),
    )


def _build_notices(material: ReportMaterial) -> tuple[report_blocks.Block, ...]:
    """Build the lines that say that runs are missing, and that no language model answered."""
    notices = (
        report_wording.describe_unfinished(material.plan, len(material.numbers)),
        report_wording.describe_simulation(material.plan),
    )
    strong = map(report_blocks.make_strong, filter(None, notices))
    return tuple(map(report_blocks.make_paragraph, strong))


def _build_work_body(material: ReportMaterial) -> tuple[report_blocks.Block, ...]:
    """Build the middle of a report on agents at a gate."""
    return (
        *condition_tables.build_submissions(material),
        *build_comparisons(material),
        *condition_tables.build_cost(material),
        report_blocks.make_heading("All numbers", "numbers"),
        _build_all_metrics_table(material),
        _build_other_meanings(material),
    )


def _build_play_body(material: ReportMaterial) -> tuple[report_blocks.Block, ...]:
    """Build the middle of a report on characters that are played."""
    return (
        *condition_tables.build_refusals(material),
        *captioned_plots.build_code_pictures(material),
        *captioned_plots.build_turn_pictures(material),
        *build_comparisons(material),
        *captioned_plots.build_interaction_pictures(material),
        *condition_tables.build_gates(material),
        *condition_tables.build_format(material),
        report_blocks.make_heading("Standstill", "standstill"),
        *captioned_plots.build_stall_picture(material),
        *condition_tables.build_cost(material),
        *captioned_plots.build_latency_picture(material),
        *build_samples(material),
        report_blocks.make_heading("All numbers", "numbers"),
        _build_all_metrics_table(material),
        _build_other_meanings(material),
        condition_tables.build_filter_table(material),
    )


def _build_other_meanings(material: ReportMaterial) -> report_blocks.Block:
    """Build the table that says what the metrics mean that are not explained above."""
    shown = condition_tables.list_counted_headline(material)
    others = (each for each in list_metrics(material.plan.mode) if each.name not in shown)
    return condition_tables.build_meanings("rest", others)


def _build_all_metrics_table(material: ReportMaterial) -> report_blocks.Block:
    """Build the table of all metrics; costs have their own table."""
    return condition_tables.build_condition_table(
        material,
        [
            each.name
            for each in list_metrics(material.plan.mode)
            if each.unit not in condition_tables.COST_UNITS
        ],
        condition_tables.label_metric,
        lambda name, metric: condition_tables.format_estimate_line(
            material.get_estimate(name, metric), metric
        ),
        anchor="all-numbers",
        caption=find_sentence("report.all"),
        corner="Metric",
    )
