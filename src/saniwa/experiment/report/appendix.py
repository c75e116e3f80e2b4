"""Builds the end of a report: sample turns, and what is needed to repeat it all."""

from collections.abc import Iterable, Iterator

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
from saniwa.experiment.outcome import Intent
from saniwa.experiment.plan import PreparedScenario, count_cells
from saniwa.experiment.prompts import GIVE_UP
from saniwa.experiment.report.blocks import (
    Block,
    CodeText,
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
from saniwa.experiment.report.figures import NOTHING, format_count, pluralize_count
from saniwa.experiment.report.material import ReportMaterial
from saniwa.experiment.report.samples import (
    LONGEST_ANSWER,
    MAX_SAMPLES,
    SAMPLE_KINDS,
    SampleAttempt,
    TurnSample,
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
