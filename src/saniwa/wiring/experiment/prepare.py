"""From a plan to all it needs: everything is looked at before the first call.

Nothing is written here, nobody is asked, and a plan with any mistake is refused whole.
"""

from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import msgspec

from saniwa.core.finding import Finding
from saniwa.core.fingerprint import canonical
from saniwa.core.quoted import quoted
from saniwa.experiment.authoring.authored import Authored
from saniwa.experiment.authoring.scenarios import TAG
from saniwa.experiment.cell import key_of
from saniwa.experiment.plan import Prepared, Setting
from saniwa.experiment.playing.opening import Stages
from saniwa.rulebook.load import layers_of
from saniwa.scenario.entry import ScenarioEntry
from saniwa.scenario.load import Scenario, load
from saniwa.scenario.registry import Registry
from saniwa.scenario.summary import shown_path
from saniwa.wiring.experiment.editions import Editions, editions_of
from saniwa.wiring.experiment.oracles import open_model, unsent_to
from saniwa.wiring.experiment.problems import Problems
from saniwa.wiring.scenario import (
    book_document,
    book_layers,
    find_entry,
    is_file,
    registry_place,
)
from saniwa.world.canonical import world_document

LONGEST_KEY: Final = 200
"""Bytes the name of a cell may have: it names a folder, and files beside it."""

SMALLEST: Final = "dev"
"""The profile where nothing recommends another."""

Books = dict[str, tuple[dict[str, Any], ...]]
"""The layers that judge, by the name a condition gives them."""


def prepare(
    authored: Authored,
    *,
    registry: str | Path | None = None,
    replayed: bool = False,
    environment: Mapping[str, str] | None = None,
) -> Prepared:
    """The plan with everything it names, read and found good.

    Args:
        authored: The plan as it was read.
        registry: Where scenario ids are found; else as everywhere.
        replayed: Whether a recording answers: then no model has to be there.
        environment: Where keys are found; else the program's own.

    Raises:
        SaniwaError: What is wrong, such as `REGISTRY_MISSING`; of several mistakes the
            first, and all of them in `details["findings"]`.
    """
    problems = Problems()
    found = _found(authored, registry, problems)
    if not replayed:
        _check_models(authored, problems, environment)
    problems.check()
    prepared = _prepared(authored, *found)
    _check_keys(prepared, problems)
    _check_tables(prepared, problems)
    problems.check()
    return prepared


def misnamed(
    draft: Authored,
    *,
    registry: str | Path | None = None,
    replayed: bool = False,
    environment: Mapping[str, str] | None = None,
) -> tuple[Finding, ...]:
    """What a plan names that is not there, also where the plan has mistakes of its own."""
    problems = Problems()
    _found(draft, registry, problems)
    if not replayed:
        _check_models(draft, problems, environment)
    return problems.findings


def recommended_profile(
    named: Iterable[str], registry: str | Path | None = None
) -> str:
    """The profile that the registry recommends for all of some scenarios.

    Empty where it recommends none: they differ, one is a file, or is not there. What is
    wrong with it is told when the plan is prepared.
    """
    problems, found = Problems(), set[str]()
    for name in named:
        with problems.collected():
            for source in _sources(name, "", registry, problems):
                entry = source if isinstance(source, ScenarioEntry) else None
                found.add(entry.recommended_profile if entry is not None else "")
    return found.pop() if len(found) == 1 and not problems.findings else ""


def twins(prepared: Prepared, registry: str | Path | None = None) -> Iterator[str]:
    """Where a scenario is told in another language than its own, and has a twin in it.

    Instructions then come in the one language and names in the other.
    """
    known = {
        each.scenario_id for each in Registry.open(registry_place(registry)).entries
    }
    told = sorted({each.language for each in prepared.plan.conditions} - {""})
    for name in prepared.plan.scenarios:
        own = load(prepared.settings[name].document).world.language
        plain = name.removesuffix(f"_{own}")
        for language in told:
            twin = next((t for t in (f"{plain}_{language}", plain) if t in known), "")
            if language != own and twin not in ("", name):
                yield (
                    f"{name!r} has its names in {own!r} and is told in {language!r}; "
                    f"{twin!r} is the same in {language!r}"
                )


def _found(
    authored: Authored, registry: str | Path | None, problems: Problems
) -> tuple[dict[str, Scenario], dict[str, Books], Editions]:
    """Everything a plan names, as far as it is there."""
    prompts = editions_of(authored, problems)
    scenarios = _scenarios(authored, registry, problems)
    readable = _readable_books(authored, problems)
    books = {
        name: _books(authored, scenario, readable, problems)
        for name, scenario in scenarios.items()
    }
    return scenarios, books, prompts


def _prepared(
    authored: Authored,
    scenarios: Mapping[str, Scenario],
    books: Mapping[str, Books],
    prompts: Editions,
) -> Prepared:
    return Prepared(
        plan=msgspec.structs.replace(authored.plan, scenarios=tuple(scenarios)),
        settings={name: setting_of(name, each) for name, each in scenarios.items()},
        books=dict(books),
        prompts=prompts,
        version=version("saniwa"),
    )


def setting_of(name: str, scenario: Scenario) -> Setting:
    """A scenario as a prepared plan holds it."""
    entry = scenario.entry
    about = scenario.document.get("description", "")
    meta = {
        **scenario.as_meta(),
        "tags": list(entry.tags) if entry is not None else [],
        "description": (entry.description if entry is not None else "") or about,
    }
    world = msgspec.json.decode(canonical(world_document(scenario.world)))
    return Setting(
        scenario_id=name, document=scenario.document, meta=meta, canonical=world
    )


def _scenarios(
    authored: Authored, registry: str | Path | None, problems: Problems
) -> dict[str, Scenario]:
    """The scenarios by id, in the plan's order; one that a tag names again counts once."""
    found: dict[str, Scenario] = {}
    for named in authored.plan.scenarios:
        where = authored.where("scenarios", named)
        with problems.collected(where):
            for source in _sources(named, authored.folder, registry, problems):
                scenario = load(source)
                same = found.setdefault(scenario.id, scenario)
                if same.scenario_hash != scenario.scenario_hash:
                    message = f"two scenarios are called {quoted(scenario.id)}"
                    hint = "give one of them another name"
                    problems.add("DUPLICATE_KEY", message, where=where, hint=hint)
    return found


def _sources(
    named: str, folder: str, registry: str | Path | None, problems: Problems
) -> Iterator[Path | ScenarioEntry]:
    if is_file(named):
        yield Path(folder) / named
        return
    if not named.startswith(TAG):
        yield find_entry(named, registry)
        return
    known = Registry.open(registry_place(registry))
    tag = named.removeprefix(TAG)
    tagged = [entry for entry in known.entries if tag in entry.tags]
    if not tagged:
        tags = sorted({each for entry in known.entries for each in entry.tags})
        message = f"no scenario of {shown_path(known.path)} has the tag {quoted(tag)}"
        problems.add("REGISTRY_MISSING", message, hint=f"there is: {', '.join(tags)}")
    yield from tagged


def _readable_books(authored: Authored, problems: Problems) -> list[str]:
    """The books that can be read, by name; of each that cannot it is told once."""
    found = []
    for name in dict.fromkeys(each.rulebook for each in authored.plan.conditions):
        with problems.collected(authored.where("rulebook", name)):
            named = _book_named(authored, name)
            if named is not None and is_file(named):
                book_document(Path(named))
            elif named is not None:
                layers_of(named)
            found.append(name)
    return found


def _books(
    authored: Authored, scenario: Scenario, names: Iterable[str], problems: Problems
) -> Books:
    found: Books = {}
    for name in names:
        with problems.collected(authored.where("rulebook", name)):
            found[name] = book_layers(scenario, _book_named(authored, name))
    return found


def _book_named(authored: Authored, name: str) -> str | None:
    """A book as the registry of books or a file has it; None for the scenario's own."""
    file = authored.books.get(name)
    return str(Path(authored.folder) / file) if file else name or None


def _check_models(
    authored: Authored, problems: Problems, environment: Mapping[str, str] | None
) -> None:
    plan = authored.plan
    if plan.mode == "sim":
        return
    named = dict.fromkeys(each.model for each in plan.conditions)
    # A plan that names none says so itself.
    for model in named if plan.llm_url else filter(None, named):
        with problems.collected(authored.where("model", model)):
            # Opened and let go: nobody is reached before the first question.
            open_model(plan, model, environment=environment)
            _check_temperatures(authored, model, problems, environment)


def _check_temperatures(
    authored: Authored,
    model: str,
    problems: Problems,
    environment: Mapping[str, str] | None,
) -> None:
    """See that a model which is to be played at several temperatures is given them."""
    plan = authored.plan
    asked = {each.temperature for each in plan.conditions if each.model == model}
    if len(asked) < 2 or "temperature" not in unsent_to(plan, model, environment):
        return
    problems.add(
        "UNKNOWN_VALUE",
        f"{quoted(model)} is not given a temperature, so its conditions would not differ",
        where=authored.where("model", model),
        hint="drop 'temperature' from the factors, or name a model that takes one",
    )


def _check_keys(prepared: Prepared, problems: Problems) -> None:
    """See that every cell can have a folder of its own."""
    plan = prepared.plan
    for scenario in plan.scenarios:
        safe = scenario.isprintable() and not set(scenario) & set("/\\\0")
        if not safe:
            message = f"{quoted(scenario)} cannot be part of a folder's name"
            hint = "rename the scenario: no '/', no '\\', nothing invisible"
            problems.add("NAME_UNUSABLE", message, hint=hint)
    longest = max(plan.conditions, key=lambda each: len(each.name.encode()))
    name = max(plan.scenarios, key=lambda each: len(each.encode()))
    key = key_of(plan, longest, name, max(plan.seeds))
    if len(key.encode()) > LONGEST_KEY:
        message = f"the cell {quoted(key)} has a name of more than {LONGEST_KEY} bytes"
        hint = "shorten the experiment's id, or the names of levels"
        problems.add("NAME_UNUSABLE", message, hint=hint)


def _check_tables(prepared: Prepared, problems: Problems) -> None:
    """See that every cell could begin: cast, language and book fit together."""
    stages, plan = Stages(prepared), prepared.plan
    ways = {
        (each.rulebook, each.language, each.prompt): each for each in plan.conditions
    }
    for scenario in plan.scenarios:
        for condition in ways.values():
            with problems.collected():
                record = stages.record(scenario, condition, 0)
                _check_tongue(prepared, condition.prompt, record.language, problems)


def _check_tongue(
    prepared: Prepared, prompt: str, language: str, problems: Problems
) -> None:
    if language not in prepared.prompts[prompt]:
        message = f"the edition {quoted(prompt)} has no text for {language!r}"
        hint = f"name a file for it: {{{language}: FILE}}"
        problems.add("FIELD_MISSING", message, hint=hint)
