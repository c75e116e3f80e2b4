"""Prepares an authored plan: reads and checks everything it names.

Nothing is written and no model is called; a plan with any mistake is refused as a
whole, and all its mistakes are reported together.
"""

from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import msgspec

from saniwa.app import describe
from saniwa.app.experiments.agent_plan_inputs import WorkInputs, read_work_inputs
from saniwa.app.experiments.cell_models import list_unsent_settings, make_model_name
from saniwa.app.experiments.plan_problems import PlanProblems
from saniwa.app.scenario_lookup import (
    find_entry,
    is_document_file,
    load_book_layers,
    locate_registry,
    read_book,
)
from saniwa.core.canonical_json import encode_canonical_json
from saniwa.core.findings import Finding, SourceLocation
from saniwa.core.redaction import to_public_path
from saniwa.core.safe_open import read_small_file
from saniwa.core.suggestions import suggest_nearest
from saniwa.documents.document import Document
from saniwa.experiment.plan import (
    Condition,
    ExperimentPlan,
    PreparedPlan,
    PreparedScenario,
    make_cell_key,
)
from saniwa.experiment.plan_fields import ANY_LANGUAGE, TAG_PREFIX
from saniwa.experiment.plan_reader import AuthoredPlan
from saniwa.experiment.prompts import PART_SEPARATOR, PLACEHOLDERS, find_unknown_names
from saniwa.experiment.run_template import RunTemplates
from saniwa.models.providers import find_missing_extra
from saniwa.runs.timeline import LANGUAGES
from saniwa.scenario.loader import Scenario, load_scenario
from saniwa.scenario.registry import Registry, ScenarioEntry
from saniwa.world.fingerprint import build_world_document

SHIPPED_EDITIONS: Final = ("plain", "strict")
"""The prompt editions included in Saniwa."""
LARGEST_EDITION: Final = 256 * 1024
"""The largest size of an edition, in bytes."""

Editions = dict[str, dict[str, str]]
"""Prompt texts by edition name, then by language."""


def read_editions(authored: AuthoredPlan, problems: PlanProblems) -> Editions:
    """Read every edition that a condition names; mistakes are collected in `problems`."""
    conditions = authored.plan.conditions
    found: Editions = {}
    for name in dict.fromkeys(each.prompt for each in conditions):
        matching = [each for each in conditions if each.prompt == name]
        where = authored.find_position("prompt", name)
        if name in authored.prompts:
            own = authored.prompts[name]
            found[name] = _read_own_edition(authored, name, own, matching, problems)
        elif name in SHIPPED_EDITIONS:
            found[name] = read_shipped_edition(name)
        else:
            known = (*SHIPPED_EDITIONS, *authored.prompts)
            near, names = suggest_nearest(name, known), ", ".join(known)
            problems.add(
                describe("UNKNOWN_VALUE/edition", hint=near, name=name, known=names), where
            )
    return found


def read_shipped_edition(name: str) -> dict[str, str]:
    """Return the text of an edition included in Saniwa, by language."""
    folder = Path(__file__).parents[2] / "experiment" / "editions"
    return {
        language: (folder / f"{name}.{language}.txt").read_text(encoding="utf-8")
        for language in LANGUAGES
    }


def _read_own_edition(
    authored: AuthoredPlan,
    name: str,
    written: Mapping[str, str],
    conditions: Iterable[Condition],
    problems: PlanProblems,
) -> dict[str, str]:
    found = {}
    for language, file in written.items():
        path = Path(authored.folder) / file
        text = _read_edition_file(path, authored.find_position("prompts", name), problems)
        if text is None:
            continue
        _check_edition(text, str(path), name, conditions, problems)
        for covered in LANGUAGES if language == ANY_LANGUAGE else (language,):
            found[covered] = text
    return found


def _read_edition_file(
    path: Path, where: SourceLocation | None, problems: PlanProblems
) -> str | None:
    try:
        content = read_small_file(path, LARGEST_EDITION).decode("utf-8-sig")
    except (OSError, ValueError) as problem:
        why = (problem.strerror if isinstance(problem, OSError) else "") or "no UTF-8"
        problems.add(describe("FILE_MISSING/edition", path=str(path), why=why), where)
        return None
    return content.replace("\r\n", "\n")


def _check_edition(
    text: str, file: str, name: str, conditions: Iterable[Condition], problems: PlanProblems
) -> None:
    page = Document(plain=None, file=file, text=text)
    if PART_SEPARATOR not in text:
        problems.add(describe("PROMPT_PARSE/separator", name=name), SourceLocation(file=file))
    for unknown in find_unknown_names(text):
        line, column = page.find_position(text.index("{" + unknown + "}"))
        said = describe(
            "VARIABLE_UNDEFINED/edition",
            hint=suggest_nearest(unknown, PLACEHOLDERS),
            placeholder="{" + unknown + "}",
            known=", ".join("{" + each + "}" for each in PLACEHOLDERS),
        )
        problems.add(said, SourceLocation(file=file, line=line, column=column))
    for placeholder, switch in (("facts", "inject"), ("guidance", "gm")):
        used = any(getattr(each, switch) for each in conditions)
        if used and "{" + placeholder + "}" not in text:
            said = describe("FIELD_MISSING/placeholder", switch=switch, placeholder=placeholder)
            problems.add(said, SourceLocation(file=file))


LONGEST_KEY: Final = 200
"""The longest cell key in bytes: it names a folder and files."""

SMALLEST_PROFILE: Final = "dev"
"""The profile to use if the registry recommends none."""

Books = dict[str, tuple[dict[str, Any], ...]]
"""The layers of each rulebook, by the name that conditions use."""


def prepare_plan(
    authored: AuthoredPlan,
    *,
    registry: str | Path | None = None,
    replayed: bool = False,
    asked: bool = True,
    environment: Mapping[str, str] | None = None,
) -> PreparedPlan:
    """Read and check everything that a plan names.

    Args:
        authored: The plan as it was read.
        registry: Where scenario ids are found; the usual registry by default.
        replayed: Whether a recording answers, so that no model is needed.
        asked: Whether models will be asked, so that their libraries are needed.
        environment: Where keys are found; the process's own by default.

    Raises:
        SaniwaError: A mistake, such as `REGISTRY_MISSING`; of several the first, with
            all of them in `details["findings"]`.
    """
    problems = PlanProblems()
    works = authored.plan.mode == "work"
    found = None if works else _read_inputs(authored, registry, problems)
    work = read_work_inputs(authored, problems) if works else None
    if not replayed:
        _check_models(authored, problems, environment, asked=asked)
    problems.check()
    prepared = _make_prepared_plan(authored.plan, found, work)
    _check_keys(prepared, problems)
    if not works:
        _check_tables(prepared, problems)
    problems.check()
    return prepared


def _make_prepared_plan(
    plan: ExperimentPlan,
    found: tuple[dict[str, Scenario], dict[str, Books], Editions] | None,
    work: WorkInputs | None,
) -> PreparedPlan:
    scenarios, books, prompts = found or ({}, {}, {})
    settings = {name: make_setting(name, each) for name, each in scenarios.items()}
    if work is not None:
        settings = work.settings
    return PreparedPlan(
        plan=msgspec.structs.replace(plan, scenarios=tuple(settings)),
        settings=settings,
        books=books,
        prompts=prompts,
        version=version("saniwa"),
        files=work.files if work is not None else {},
    )


def find_misnamed(
    draft: AuthoredPlan,
    *,
    registry: str | Path | None = None,
    replayed: bool = False,
    asked: bool = True,
    environment: Mapping[str, str] | None = None,
) -> tuple[Finding, ...]:
    """List what a plan names that does not exist, even if the plan has other mistakes."""
    problems = PlanProblems()
    if draft.plan.mode == "work":
        read_work_inputs(draft, problems)
    else:
        _read_inputs(draft, registry, problems)
    if not replayed:
        _check_models(draft, problems, environment, asked=asked)
    return problems.findings


def find_recommended_profile(named: Iterable[str], registry: str | Path | None = None) -> str:
    """Return the profile that the registry recommends for all of these scenarios.

    Empty if there is none: recommendations differ, or a scenario is a file or is
    missing. Mistakes in the names are reported when the plan is prepared.
    """
    problems, found = PlanProblems(), set[str]()
    for name in named:
        with problems.collect():
            for source in _find_sources(name, "", registry, problems):
                entry = source if isinstance(source, ScenarioEntry) else None
                found.add(entry.recommended_profile if entry is not None else "")
    return found.pop() if len(found) == 1 and not problems.findings else ""


def find_translations(prepared: PreparedPlan, registry: str | Path | None = None) -> Iterator[str]:
    """Yield a remark for each scenario that has a translation in the language of narration.

    Narrated in a language other than its own, a scenario mixes two: the instructions are in
    one, the names in the other.
    """
    languages = sorted({each.language for each in prepared.plan.conditions} - {""})
    if not languages:
        return
    known = {each.scenario_id for each in Registry.open(locate_registry(registry)).entries}
    for name in prepared.plan.scenarios:
        own = load_scenario(prepared.settings[name].document).world.language
        plain = name.removesuffix(f"_{own}")
        for language in languages:
            twin = next((t for t in (f"{plain}_{language}", plain) if t in known), "")
            if language != own and twin not in ("", name):
                yield (
                    f"{name!r} has its names in {own!r}, but its text is in {language!r}; "
                    f"{twin!r} is the same in {language!r}"
                )


def _read_inputs(
    authored: AuthoredPlan, registry: str | Path | None, problems: PlanProblems
) -> tuple[dict[str, Scenario], dict[str, Books], Editions]:
    """Read everything a plan names, as far as it exists."""
    prompts = read_editions(authored, problems)
    scenarios = _read_scenarios(authored, registry, problems)
    readable = _find_readable_books(authored, registry, problems)
    books = {
        name: _read_books(authored, scenario, registry, readable, problems)
        for name, scenario in scenarios.items()
    }
    return scenarios, books, prompts


def make_setting(name: str, scenario: Scenario) -> PreparedScenario:
    """Return a scenario as a prepared plan stores it."""
    entry = scenario.entry
    about = scenario.document.get("description", "")
    meta = {
        **scenario.to_meta(),
        "tags": list(entry.tags) if entry is not None else [],
        "description": (entry.description if entry is not None else "") or about,
    }
    world = msgspec.json.decode(encode_canonical_json(build_world_document(scenario.world)))
    return PreparedScenario(
        scenario_id=name, document=scenario.document, meta=meta, canonical=world
    )


def _read_scenarios(
    authored: AuthoredPlan, registry: str | Path | None, problems: PlanProblems
) -> dict[str, Scenario]:
    """Read the scenarios by id, in the plan's order; duplicates from tags count once."""
    found: dict[str, Scenario] = {}
    for named in authored.plan.scenarios:
        where = authored.find_position("scenarios", named)
        with problems.collect(where):
            for source in _find_sources(named, authored.folder, registry, problems):
                scenario = load_scenario(source)
                same = found.setdefault(scenario.id, scenario)
                if same.scenario_hash != scenario.scenario_hash:
                    problems.add(describe("DUPLICATE_KEY/scenarios", name=scenario.id), where)
    return found


def _find_sources(
    named: str, folder: str, registry: str | Path | None, problems: PlanProblems
) -> Iterator[Path | ScenarioEntry]:
    if is_document_file(named):
        yield Path(folder) / named
        return
    if not named.startswith(TAG_PREFIX):
        yield find_entry(named, registry)
        return
    known = Registry.open(locate_registry(registry))
    tag = named.removeprefix(TAG_PREFIX)
    tagged = [entry for entry in known.entries if tag in entry.tags]
    if not tagged:
        tags = sorted({each for entry in known.entries for each in entry.tags})
        place, names = to_public_path(known.path), ", ".join(tags)
        problems.add(describe("REGISTRY_MISSING/tag", registry=place, tag=tag, tags=names))
    yield from tagged


def _find_readable_books(
    authored: AuthoredPlan, registry: str | Path | None, problems: PlanProblems
) -> list[str]:
    """List the books that can be read; each unreadable one is reported once."""
    found = []
    for name in dict.fromkeys(each.rulebook for each in authored.plan.conditions):
        with problems.collect(authored.find_position("rulebook", name)):
            named = _resolve_book(authored, name)
            if named is not None:
                read_book(named, registry)
            found.append(name)
    return found


def _read_books(
    authored: AuthoredPlan,
    scenario: Scenario,
    registry: str | Path | None,
    names: Iterable[str],
    problems: PlanProblems,
) -> Books:
    found: Books = {}
    for name in names:
        with problems.collect(authored.find_position("rulebook", name)):
            found[name] = load_book_layers(scenario, _resolve_book(authored, name), registry)
    return found


def _resolve_book(authored: AuthoredPlan, name: str) -> str | None:
    """Return a book's name in the registry or its file; None for the scenario's own."""
    file = authored.books.get(name)
    return str(Path(authored.folder) / file) if file else name or None


def _check_models(
    authored: AuthoredPlan,
    problems: PlanProblems,
    environment: Mapping[str, str] | None,
    *,
    asked: bool,
) -> None:
    plan = authored.plan
    if plan.mode == "sim":
        return
    named = dict.fromkeys(each.model for each in plan.conditions)
    # A plan without a model is reported elsewhere.
    for model in named if plan.llm_url else filter(None, named):
        # Opened only to check it: no provider is contacted before the first request.
        found = make_model_name(plan, model, environment)
        missing = find_missing_extra() if found.is_provided else None
        # The missing extra is reported together with a missing key.
        with problems.collect(authored.find_position("model", model)):
            if missing is not None and asked:
                raise missing
        with problems.collect(authored.find_position("model", model)):
            found.open(asked=False)
            if missing is None:
                _check_temperatures(authored, model, problems, environment)


def _check_temperatures(
    authored: AuthoredPlan,
    model: str,
    problems: PlanProblems,
    environment: Mapping[str, str] | None,
) -> None:
    """Check that a model which needs several temperatures can be sent them."""
    plan = authored.plan
    asked = {each.temperature for each in plan.conditions if each.model == model}
    if len(asked) < 2 or "temperature" not in list_unsent_settings(plan, model, environment):
        return
    said = describe("UNKNOWN_VALUE/temperature", model=model)
    problems.add(said, authored.find_position("model", model))


def _check_keys(prepared: PreparedPlan, problems: PlanProblems) -> None:
    """Check that every cell can have its own folder."""
    plan = prepared.plan
    for scenario in plan.scenarios:
        safe = scenario.isprintable() and not set(scenario) & set("/\\\0")
        if not safe:
            problems.add(describe("NAME_UNUSABLE/scenario", scenario=scenario))
    longest = max(plan.conditions, key=lambda each: len(each.name.encode()))
    name = max(plan.scenarios, key=lambda each: len(each.encode()))
    key = make_cell_key(plan, longest, name, max(plan.seeds))
    if len(key.encode()) > LONGEST_KEY:
        problems.add(describe("NAME_UNUSABLE/cell", cell=key, most=LONGEST_KEY))


def _check_tables(prepared: PreparedPlan, problems: PlanProblems) -> None:
    """Check that every cell could start: cast, language and book fit together."""
    templates, plan = RunTemplates(prepared), prepared.plan
    ways = {(each.rulebook, each.language, each.prompt): each for each in plan.conditions}
    for scenario in plan.scenarios:
        for condition in ways.values():
            with problems.collect():
                prompt = condition.prompt
                language = templates.make_record(scenario, condition, 0).language
                if language not in prepared.prompts[prompt]:
                    problems.add(
                        describe("FIELD_MISSING/edition_language", prompt=prompt, language=language)
                    )
