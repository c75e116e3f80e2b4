"""Assembles the whole report as blocks, from top to bottom."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from saniwa.experiment.layout import (
    ANALYSIS,
    ARTIFACTS,
    CONVERSATION,
    EXAMPLES,
    PREPARED,
    RESULTS,
    TIMES,
    TURNS_LOG,
    make_folder_name,
    name_attempt_file,
    name_parsed_file,
    name_raw_file,
    name_repaired_file,
)
from saniwa.experiment.metrics.analysis_records import Analysis, CellNumbers
from saniwa.experiment.metrics.definitions import METRICS
from saniwa.experiment.outcome import CellOutcome, Intent
from saniwa.experiment.plan import PreparedPlan, PreparedScenario, count_cells
from saniwa.experiment.prompts import GIVE_UP
from saniwa.experiment.report.answer import build_answer
from saniwa.experiment.report.blocks import (
    Block,
    CodeText,
    ExperimentReport,
    Line,
    PlainText,
    ReportBullets,
    ReportCard,
    ReportHeading,
    ReportLabel,
    ReportLink,
    ReportParagraph,
    ReportTable,
    ReportVerbatim,
    SideText,
    Tone,
    make_line,
)
from saniwa.experiment.report.charts import (
    build_code_pictures,
    build_dot_pictures,
    build_interaction_pictures,
    build_latency_picture,
    build_stall_picture,
    build_turn_pictures,
)
from saniwa.experiment.report.comparison_tables import build_comparisons
from saniwa.experiment.report.condition_tables import (
    build_condition_table,
    build_cost,
    build_filter_table,
    build_format,
    build_gates,
    build_headline,
    build_refusals,
    build_scenario_tables,
    format_estimate_line,
    label_metric,
)
from saniwa.experiment.report.figures import NOTHING, format_count, pluralize_count
from saniwa.experiment.report.material import (
    LONGEST_ANSWER,
    MAX_SAMPLES,
    SAMPLE_KINDS,
    ReportMaterial,
    SampleAttempt,
    TurnSample,
    build_material,
    summarize_outcomes,
)

_FILES = (RESULTS, ANALYSIS, CONVERSATION, TURNS_LOG, EXAMPLES, PREPARED, TIMES)
_MAX_LISTED = 20


def build_provenance(material: ReportMaterial) -> tuple[Block, ...]:
    """Build the tables of plan, seeds, versions, hashes, method and files."""
    return (
        ReportHeading("How it was made", "making"),
        ReportTable(
            "plan", "The plan", ("What", "Value"), tuple(_list_plan_rows(material)), texts=2
        ),
        _build_scenario_table(material),
        ReportParagraph(make_line(material.analysis.method)),
        *_list_crashes(material),
        ReportParagraph(_link_files()),
    )


def _list_plan_rows(material: ReportMaterial) -> list[tuple[Line, ...]]:
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
        "Settings that models were not given": _join_some(_list_unsent(material)),
        "Runs": f"{format_count(len(material.numbers))} of {format_count(count_cells(plan))} planned",
        "Saniwa": prepared.version,
        "Fingerprint of all of it": prepared.fingerprint,
    }
    return [(make_line(name), (CodeText(value),)) for name, value in facts.items()]


def _list_unsent(material: ReportMaterial) -> list[str]:
    return sorted({name for each in material.numbers for name in each.unsent})


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


def _build_scenario_table(material: ReportMaterial) -> ReportTable:
    settings = sorted(material.prepared.settings.items())
    more = len(settings) - _MAX_LISTED
    return ReportTable(
        "scenarios",
        "The scenarios",
        ("Scenario", "scenario_hash", "world_hash", "Description"),
        tuple(_build_scenario_row(each) for _, each in settings[:_MAX_LISTED]),
        f"{more} more are in {PREPARED}." if more > 0 else "",
        texts=4,
    )


def _build_scenario_row(setting: PreparedScenario) -> tuple[Line, ...]:
    values = [
        str(setting.meta.get(key) or NOTHING)[:200]
        for key in ("scenario_hash", "world_hash", "description")
    ]
    return (
        (CodeText(setting.scenario_id),),
        (CodeText(values[0]),),
        (CodeText(values[1]),),
        make_line(values[2]),
    )


def _list_crashes(material: ReportMaterial) -> tuple[Block, ...]:
    crashes = sorted(material.gathered.crashes.items())
    if not crashes:
        return ()
    lines = [
        (CodeText(code), PlainText(f": {pluralize_count(n, 'run')} ended so"))
        for code, n in crashes
    ]
    return (ReportBullets(tuple(lines[:_MAX_LISTED])),)


def _link_files() -> Line:
    links: list[ReportLink | PlainText] = [PlainText("Beside this report: ")]
    for name in _FILES:
        links += [ReportLink(name, name), PlainText(", ")]
    links[-1] = PlainText(".")
    return tuple(links)


_BAD_KINDS = ("stands", "given_up", "invented")
_GOOD_KINDS = ("mended", "sorry", "repaired", "kept")


def build_samples(material: ReportMaterial) -> tuple[Block, ...]:
    """Build one card for each sample turn."""
    cards = (_build_card(nth, each) for nth, each in enumerate(material.gathered.samples, 1))
    about = (
        f"At most {MAX_SAMPLES}, chosen without chance: the first of each kind, of each code and "
        f"of each condition. Answers are cut at {LONGEST_ANSWER} letters; the files have all."
    )
    return (ReportHeading("Turns as they were", "turns"), ReportParagraph(make_line(about)), *cards)


def _build_card(nth: int, sample: TurnSample) -> ReportCard:
    title: Line = (
        CodeText(sample.condition),
        PlainText(f" · {sample.scenario} · seed {sample.seed} · turn {sample.turn + 1} · "),
        PlainText(f"{sample.speaker} "),
        *(ReportLabel(SAMPLE_KINDS[kind], _find_tone(kind)) for kind in sample.kinds),
    )
    tries = [block for n, each in enumerate(sample.tried) for block in _build_attempt(n, each)]
    return ReportCard(f"sample-{nth}", title, (*tries, *_build_conclusion(sample)))


def _find_tone(kind: str) -> Tone:
    return "bad" if kind in _BAD_KINDS else "good" if kind in _GOOD_KINDS else "plain"


def _build_attempt(number: int, tried: SampleAttempt) -> Iterator[Block]:
    label = "Said" if number == 0 else f"Said at retry {number}"
    yield ReportVerbatim(label, tried.raw)
    if tried.repaired:
        yield ReportVerbatim(f"Repaired ({tried.method})", tried.repaired)
    if tried.intents:
        yield ReportBullets(tuple(_list_verdicts(tried)))
    if tried.question:
        yield ReportParagraph((ReportLabel("unclear"), PlainText(f" {tried.question}")))
    if tried.card and not tried.card.startswith(GIVE_UP):
        yield ReportVerbatim("Guided: the card that came back", tried.card, folded=True)


def _list_verdicts(tried: SampleAttempt) -> Iterator[Line]:
    yield from map(_format_intent, tried.intents)
    if tried.more_intents:
        yield make_line(f"and {tried.more_intents} more")


def _format_intent(each: Intent) -> Line:
    text = " ".join(part for part in (each.intent, each.target or each.detail) if part)
    if each.allowed:
        return ReportLabel("allowed", "good"), PlainText(f" {text}")
    return (
        ReportLabel("refused", "bad"),
        PlainText(f" {text}: "),
        CodeText(each.deny_code),
        SideText(f" {each.message}"),
    )


def _build_conclusion(sample: TurnSample) -> Iterator[Block]:
    what = "Given up; the speech alone stands" if sample.give_up else "Kept"
    heard = f"; {sample.addressing} cannot hear it" if sample.addressing else ""
    yield ReportParagraph(
        (
            ReportLabel(what, "bad" if sample.give_up else "plain"),
            PlainText(f" “{sample.speech}”"),
            SideText(f" stall score {sample.stall:.3f}{heard}"),
        )
    )
    folder = f"{ARTIFACTS}/{make_folder_name(sample.key)}"
    links: list[ReportLink | PlainText] = [PlainText("Files: ")]
    for name in _list_files(sample):
        links += [ReportLink(name, f"{folder}/{name}"), PlainText(" ")]
    yield ReportParagraph(tuple(links[:-1]))


def _list_files(sample: TurnSample) -> Iterator[str]:
    for attempt in range(len(sample.tried) - 1):
        yield name_attempt_file(sample.turn, attempt)
    yield name_raw_file(sample.turn)
    if sample.repaired:
        yield name_repaired_file(sample.turn)
    yield name_parsed_file(sample.turn)


_COST_UNITS: Final = ("ms", "tokens", "usd")


def build_report(
    prepared: PreparedPlan,
    outcomes: Iterable[CellOutcome],
    numbers: Sequence[CellNumbers],
    analysis: Analysis,
) -> ExperimentReport:
    """Build the report; reads the outcomes once, in cell order, and holds few of them."""
    gathered = summarize_outcomes(prepared.plan, outcomes)
    return assemble_report(build_material(prepared, gathered, numbers, analysis))


def assemble_report(material: ReportMaterial) -> ExperimentReport:
    """Build the report from material that was collected before."""
    prepared, plan = material.prepared, material.plan
    played = f"{pluralize_count(len(material.numbers), 'run')} of {', '.join(plan.scenarios[:5])}"
    more = f" and {len(plan.scenarios) - 5} more" if len(plan.scenarios) > 5 else ""
    return ExperimentReport(
        title=plan.experiment_id,
        subtitle=(
            PlainText(
                f"{played}{more} · {pluralize_count(len(plan.conditions), 'condition')} · fingerprint "
            ),
            CodeText(prepared.fingerprint),
        ),
        blocks=_build_blocks(material),
    )


def _build_blocks(material: ReportMaterial) -> tuple[Block, ...]:
    return (
        *build_answer(material),
        *build_headline(material),
        *build_dot_pictures(material),
        *build_scenario_tables(material),
        *build_refusals(material),
        *build_code_pictures(material),
        *build_turn_pictures(material),
        *build_comparisons(material),
        *build_interaction_pictures(material),
        *build_gates(material),
        *build_format(material),
        ReportHeading("Standstill", "standstill"),
        *build_stall_picture(material),
        *build_cost(material),
        *build_latency_picture(material),
        *build_samples(material),
        ReportHeading("All numbers", "numbers"),
        _build_all_metrics_table(material),
        build_filter_table(material),
        *build_provenance(material),
    )


def _build_all_metrics_table(material: ReportMaterial) -> ReportTable:
    """Build the table of all metrics; costs have their own table."""
    return build_condition_table(
        material,
        [each.name for each in METRICS if each.unit not in _COST_UNITS],
        label_metric,
        lambda name, metric: format_estimate_line(material.get_estimate(name, metric), metric),
        anchor="all-numbers",
        caption="All numbers: means over runs, with 95 % intervals",
        corner="Number",
    )
