"""Reads a plan from a file and options, and fills in its profile and the defaults.

Mistakes become findings with positions. What a plan names is not opened here.
"""

import os
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any, Final, NamedTuple, get_args

import msgspec
from msgspec.structs import replace

from saniwa.core.findings import Report, SourceLocation
from saniwa.core.text import quote_value
from saniwa.documents.document import Document, load_document, make_document
from saniwa.documents.finding_collector import Findings, Located
from saniwa.experiment.plan import (
    DEFAULT_FAULTS,
    PROFILES,
    Condition,
    ExperimentPlan,
    FactorName,
    Level,
    PlanMode,
    PlanProfile,
    PreparedPlan,
    count_cells,
)
from saniwa.experiment.plan_factors import FactorReader, cross_factors, list_levels, name_condition
from saniwa.experiment.plan_fields import (
    LARGEST_SEED,
    MAX_CELLS,
    MAX_CONDITIONS,
    MAX_SEEDS,
    MAX_TEMPERATURE,
    PLAN,
    RANGES,
    derive_experiment_name,
    is_experiment_id,
    is_project_path,
    make_experiment_id,
    read_subjects,
)
from saniwa.runs.timeline import LANGUAGES

WORK_ITERATIONS: Final = 40
"""Iterations of an agent, if a plan says nothing."""
_WORK_KEYS: Final = ("accepted", "allow_tools", "arguments", "files")
_PLAY_KEYS: Final = (
    *("conditions", "profile", "faults", "prompts"),
    *("max_retries", "max_tokens", "stop_after_give_ups"),
)
_SCENARIO_HINT: Final = "name one, such as 'default'"


class AuthoredPlan(msgspec.Struct, frozen=True, kw_only=True):
    """A plan without mistakes of its own; what it names has not been checked yet."""

    plan: ExperimentPlan
    """The plan; its scenarios are still as written: ids, files, `tag:…`."""
    folder: str = ""
    """The folder that its file names are relative to."""
    prompts: dict[str, dict[str, str]] = {}
    """Files of the author's own editions: by name, then by language, or ''."""
    books: dict[str, str] = {}
    """Files of the author's own rulebooks, by the name that conditions use."""
    places: dict[str, SourceLocation] = {}
    """Where each thing is named: `scenarios.NAME`, `prompts.NAME`, `rulebook.NAME`…"""

    def find_position(self, kind: str, name: str) -> SourceLocation | None:
        """Return where something is named; None for defaults."""
        return self.places.get(f"{kind}.{name}")


def complete_plan(plan: ExperimentPlan) -> ExperimentPlan:
    """Fill in what follows from the rest of a plan that a program has made.

    Without conditions, the factors are crossed, and *inject* and *game master* are both
    switched on and off. Without factors, their levels are those of the conditions.
    """
    if plan.conditions:
        conditions = tuple(sorted(plan.conditions, key=lambda each: each.name))
        factors = plan.factors or list_levels(conditions)
        return replace(plan, conditions=conditions, factors=factors)
    ways: tuple[Level, ...] = (False,) if plan.mode == "work" else (False, True)
    factors = {"inject": ways, "gm": ways} | plan.factors
    known = {name: levels for name, levels in factors.items() if name in get_args(FactorName)}
    pairs = [*product(map(bool, known.pop("inject")), map(bool, known.pop("gm")))]
    return replace(plan, conditions=cross_factors(pairs, known), factors=factors)


def find_violations(prepared: PreparedPlan) -> Iterator[str]:
    """Yield a sentence for everything that prevents a prepared plan from running."""
    yield from find_plan_violations(prepared.plan)
    yield from _check_references(prepared)
    for condition in prepared.plan.conditions:
        yield from _check_condition(prepared, condition)


def find_plan_violations(plan: ExperimentPlan) -> Iterator[str]:
    """Yield a sentence for everything that prevents a plan from being prepared."""
    if not is_experiment_id(plan.experiment_id):
        yield f"{quote_value(plan.experiment_id)} cannot be the id of an experiment"
    yield from _check_numbers(plan)
    yield from _check_sizes(plan)
    yield from _check_factors(plan)


def _check_numbers(plan: ExperimentPlan) -> Iterator[str]:
    for name, (least, most) in RANGES.items():
        value = getattr(plan, name)
        if not least <= value <= most:
            yield f"{name!r} is from {least} to {most}, not {value}"
    if not all(0 <= seed <= LARGEST_SEED for seed in plan.seeds):
        yield f"a seed is from 0 to {LARGEST_SEED}"


def _check_sizes(plan: ExperimentPlan) -> Iterator[str]:
    names = tuple(condition.name for condition in plan.conditions)
    for what, found, most in (
        ("scenarios", plan.scenarios, MAX_CELLS),
        ("conditions", names, MAX_CONDITIONS),
        ("seeds", plan.seeds, MAX_SEEDS),
    ):
        if not 1 <= len(found) <= most:
            yield f"{what!r} are from 1 to {most}, not {len(found)}"
        elif len(set(found)) < len(found):
            yield f"one of {what!r} is listed twice"
    if count_cells(plan) > MAX_CELLS:
        yield f"{count_cells(plan)} cells are more than {MAX_CELLS}"


def _check_references(prepared: PreparedPlan) -> Iterator[str]:
    for path in prepared.files:
        if not is_project_path(path):
            yield f"the file {quote_value(path)} is outside of the project"
    for scenario in prepared.plan.scenarios:
        if scenario not in prepared.settings:
            yield f"the scenario {quote_value(scenario)} is not in it"
            continue
        if prepared.plan.mode == "work":
            if "/" in scenario or not is_project_path(scenario):
                yield f"{quote_value(scenario)} is not the id of a process"
            continue
        books = prepared.books.get(scenario, {})
        for name in sorted({each.rulebook for each in prepared.plan.conditions}):
            if not books.get(name):
                yield f"the rulebook {quote_value(name)} of {quote_value(scenario)} is not in it"


def _check_factors(plan: ExperimentPlan) -> Iterator[str]:
    unknown = sorted(set(plan.factors) - set(get_args(FactorName)))
    if unknown:
        yield f"conditions cannot differ in {quote_value(unknown[0])}"
        return
    for name, levels in plan.factors.items():
        if {getattr(each, name) for each in plan.conditions} != set(levels):
            yield f"the levels of {name!r} are not those of the conditions"
    for condition in plan.conditions:
        called = name_condition(condition, plan.factors)
        if condition.name != called:
            yield f"the condition {quote_value(condition.name)} is {quote_value(called)}"


def _check_condition(prepared: PreparedPlan, condition: Condition) -> Iterator[str]:
    name = quote_value(condition.name)
    if not 0 <= condition.temperature <= MAX_TEMPERATURE:
        yield f"{name} has a temperature of {condition.temperature}"
    if prepared.plan.mode == "work":
        if not is_project_path(condition.agent):
            yield f"{name} names no agent of its project: {quote_value(condition.agent)}"
        return
    if condition.faults not in (*prepared.plan.faults, DEFAULT_FAULTS):
        yield f"{name} errs like {quote_value(condition.faults)}, which is not in it"
    editions = prepared.prompts.get(condition.prompt, {})
    if not editions or (condition.language or next(iter(editions))) not in editions:
        yield f"the edition {quote_value(condition.prompt)} of {name} is not in it"
    if condition.language and condition.language not in LANGUAGES:
        yield f"{name} uses the language {quote_value(condition.language)}"


class PlanBuilder:
    """Builds an `ExperimentPlan` from the keys of a document."""

    def __init__(self, located: Located, otherwise: str = "") -> None:
        """Read every key; `otherwise` is the plan's id if it has none."""
        self._located = located
        self._found = PLAN.read(located)
        self._otherwise = otherwise
        named = self._found.get_value("profile", "")
        self._profile: PlanProfile | None = PROFILES.get(named)

    def build_authored_plan(self, folder: str) -> AuthoredPlan:
        """Build the plan; mistakes are reported as findings."""
        found = self._found
        read = found.to_arguments(
            *("question", "profile", "llm_url", "seeds", "prompts", "faults", "prices"),
            *(*RANGES, *_WORK_KEYS),
        )
        prompts = read.pop("prompts", {})
        mode = self._read_mode()
        scenarios = self._read_subjects(mode)
        factors = FactorReader(found, self._profile, mode)
        plan = ExperimentPlan(
            experiment_id=self._read_id(scenarios),
            mode=mode,
            scenarios=tuple(scenarios),
            conditions=factors.build_conditions(),
            factors=factors.levels,
            **{**self._list_defaults(), **read},
        )
        self._check_plan(plan, factors)
        return AuthoredPlan(
            plan=plan,
            folder=folder,
            prompts=prompts,
            books=factors.books,
            places=self._collect_positions(scenarios, factors.places),
        )

    def _list_defaults(self) -> dict[str, Any]:
        profile = self._profile
        if profile is None:
            turns = {"max_turns": WORK_ITERATIONS} if "process" in self._found else {}
            return {"seeds": (0,), **turns}
        seeds = tuple(range(profile.seeds))
        return {"seeds": seeds, "max_turns": profile.max_turns, "max_tokens": profile.max_tokens}

    def _read_mode(self) -> PlanMode:
        """Return the mode as written; by default `work` if a process is named.

        Without a process, `real` if a model is named.
        """
        asked = {"model", "llm_url"} & self._found.keys()
        factors = self._found.get_value("factors", {})
        usual = "real" if asked or "model" in factors else "sim"
        usual = "work" if "process" in self._found else usual
        named: str = self._found.get_value("mode", usual)
        return next((mode for mode in get_args(PlanMode) if mode == named), "sim")

    def _read_subjects(self, mode: PlanMode) -> dict[str, SourceLocation]:
        """Read the scenarios or processes; findings for keys that do not go with the mode."""
        own, others = ("process", _PLAY_KEYS) if mode == "work" else ("scenarios", _WORK_KEYS)
        for name in (*others, "scenarios" if mode == "work" else "process"):
            if name in self._found:
                message = f"{name!r} has no effect in mode {mode!r}"
                hint = f"drop it, or set 'mode' to '{'real' if mode == 'work' else 'work'}'"
                self._found[name].add_error("UNKNOWN_VALUE", message, hint=hint, key=True)
        hints = {"process": "name one, such as survey.yaml", "scenarios": _SCENARIO_HINT}
        self._found.check_required({own: hints[own]}, "a plan")
        what = own.removesuffix("s")
        return read_subjects(self._found[own], what) if own in self._found else {}

    def _check_plan(self, plan: ExperimentPlan, factors: FactorReader) -> None:
        factors.check_faults(plan.faults)
        if plan.mode == "work" and "agent" not in self._found.get_value("factors", {}):
            self._found.check_required({"agent": "name the folder of an agent"}, "a plan")
        if plan.mode != "sim" and not any(c.model for c in plan.conditions):
            self._report_missing_model(plan)
        cells = count_cells(plan)
        if cells > MAX_CELLS:
            message = f"{cells} cells are more than the {MAX_CELLS} a plan may have"
            self._located.add_error("PLAN_TOO_LARGE", message, hint="fewer seeds or levels")

    def _report_missing_model(self, plan: ExperimentPlan) -> None:
        factors = self._found.get_value("factors", {})
        if plan.llm_url or "model" in (*self._found, *self._found.malformed, *factors):
            return  # a model is named, and its mistake is already reported
        hint = "add 'model', such as ollama:gemma3, or an address in 'llm_url'"
        message = f"in mode {plan.mode!r} a plan needs 'model'"
        self._located.bottom.add_error("FIELD_MISSING", message, hint=hint)

    def _read_id(self, scenarios: Mapping[str, SourceLocation]) -> str:
        located = self._found.get("experiment_id")
        if located is None:
            derived = derive_experiment_name(next(iter(scenarios))) if len(scenarios) == 1 else ""
            return self._otherwise or make_experiment_id(derived)
        if not is_experiment_id(located.value):
            message = f"{quote_value(located.value)} cannot be the id of an experiment"
            hint = "letters, digits, '.', '_' and '-', beginning with a letter or digit: "
            located.add_error(
                "NAME_UNUSABLE", message, hint=hint + repr(make_experiment_id(located.value))
            )
        return str(located.value)

    def _collect_positions(
        self, scenarios: Mapping[str, SourceLocation], more: Mapping[str, SourceLocation]
    ) -> dict[str, SourceLocation]:
        places = {f"scenarios.{name}": where for name, where in scenarios.items()}
        located = self._found.get("prompts")
        if located is not None:
            document = located.page.document
            for name in located.value:
                places[f"prompts.{name}"] = document.locate((*located.path, name))
        return {**places, **more}


class PlanReadResult(NamedTuple):
    """The result of reading a plan."""

    authored: AuthoredPlan | None
    """The plan; None if any mistake prevents its use."""
    report: Report
    """All findings, in reading order."""
    texts: Mapping[str, str]
    """The text of every file with findings, to quote from."""
    draft: AuthoredPlan
    """The plan as far as it can be read, without its mistakes."""


def read_plan(
    source: str | os.PathLike[str] | Document | None = None,
    options: Mapping[str, Any] | None = None,
    *,
    said_by: str = "the command line",
) -> PlanReadResult:
    """Read the plan in a file, overridden by options; either may be missing.

    Options have the names and shapes of a plan's keys. Mistakes in a plan never raise.

    Raises:
        DocumentError: The file is not JSON or YAML.
    """
    pages: list[Findings] = []
    located: Located | None = None
    folder, name = "", ""
    if source is not None:
        document = source if isinstance(source, Document) else load_document(source)
        located = _open_document(document, pages)
        folder, name = str(Path(document.file).parent), Path(document.file).stem
    if options or located is None:
        over = _open_document(make_document(dict(options or {}), said_by), pages)
        located = over if located is None else over._replace(below=located)
    authored = PlanBuilder(
        located, otherwise=make_experiment_id(name) if name else ""
    ).build_authored_plan(folder)
    found = tuple(each for page in pages for each in page.build_report().findings)
    texts = {page.document.file: page.document.text for page in pages}
    passed = all(page.passed for page in pages)
    return PlanReadResult(authored if passed else None, Report(found), texts, authored)


def _open_document(document: Document, pages: list[Findings]) -> Located:
    page = Findings(document)
    pages.append(page)
    if not _is_scenario(document.plain):
        return Located(document.plain, (), page)
    # Reported once: otherwise every key of the scenario would be a mistake.
    page.add_error(
        "WRONG_TYPE",
        "this is a scenario, not a plan",
        (),
        hint=f"play it under conditions: --scenario {document.file}",
    )
    return Located({"scenarios": [document.file]}, (), page)


def _is_scenario(plain: Any) -> bool:
    return isinstance(plain, dict) and {"locations", "characters"} <= plain.keys()
