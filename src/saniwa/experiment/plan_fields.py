"""The fields of a plan: their names and limits, and the readers of their values.

Readers report mistakes as findings with positions; they never raise for a wrong value.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import PurePath, PurePosixPath, PureWindowsPath
from typing import Any, Final, get_args

from saniwa.core.findings import SourceLocation
from saniwa.core.text import quote_value
from saniwa.documents.document import FORMATS
from saniwa.documents.finding_collector import Located
from saniwa.documents.record_reader import (
    MAPPING,
    PLAIN,
    TEXT,
    TEXTS,
    WHOLE,
    WORDS,
    RecordForm,
    ValueKind,
    is_number,
    is_whole,
    make_choice,
    make_form,
    make_named,
    make_record,
)
from saniwa.experiment.plan import LETTERS, PROFILES, FactorName, Level, PlanMode, StandInFaults
from saniwa.process.format import ADDRESS
from saniwa.runs.timeline import LANGUAGES

RANGES: Final = {
    "max_turns": (1, 10_000),
    "max_retries": (0, 10),
    "max_tokens": (1, 1_000_000),
    "stop_after_give_ups": (0, 10_000),
    "order_seed": (0, 2**31 - 1),
}
"""The smallest and largest value of each number."""
MAX_SEEDS: Final = 100_000
"""The most seeds of a plan."""
LARGEST_SEED: Final = 2**31 - 1
"""The largest seed that the models' generators accept."""
MAX_CONDITIONS: Final = 1_000
"""The most conditions of a plan."""
MAX_CELLS: Final = 1_000_000
"""The most cells of a plan."""


def _describe(*schemas: Any) -> ValueKind:
    """Return the kind of a value that has a reader of its own below."""
    return ValueKind(schema=schemas[0] if len(schemas) == 1 else {"anyOf": [*schemas]})


def _describe_levels(one: Any) -> ValueKind:
    return _describe(one, {"type": "array", "items": one, "minItems": 1})


def _make_range(least: int, most: int) -> ValueKind:
    def check_range(held: Located) -> bool:
        inside: bool = least <= held.value <= most
        if not inside:
            shown = quote_value(held.value)
            message = f"{held.path[-1]!r} is from {least} to {most}, not {shown}"
            held.add_error("WRONG_TYPE", message)
        return inside

    schema = {"type": "integer", "minimum": least, "maximum": most}
    return replace(WHOLE, schema=schema, inside=check_range)


def _make_table(form: Any, read: Callable[[Located], dict[str, Any]]) -> ValueKind:
    """Return the kind of a mapping whose layers are merged, the file's below the options."""

    def read_layers(held: Located) -> dict[str, Any]:
        return {**(read_layers(held.below) if held.below else {}), **read(held)}

    return replace(make_named(form), build=read_layers)


_SHORT: Final = {"type": "string", "minLength": 1, "maxLength": 200}
_SWITCH: Final = {"anyOf": [{"type": "boolean"}, {"enum": ["on", "off", "true", "false"]}]}
_SETTINGS: Final = {
    "model": _SHORT,
    "temperature": {"type": "number", "minimum": 0, "maximum": 2},
    "rulebook": _SHORT,
    "prompt": _SHORT,
    "language": {"enum": [*LANGUAGES]},
    "agent": _SHORT,
}
SETTING_NAMES: Final = tuple(_SETTINGS)
"""Factors that may also be one setting for the whole plan, at the top level."""
FACTOR_FIELDS: Final = RecordForm(
    "'factors'",
    {
        name: _describe_levels({**_SETTINGS, "inject": _SWITCH, "gm": _SWITCH}.get(name, _SHORT))
        for name in get_args(FactorName)
    },
    notation=PLAIN,
)
"""What conditions can differ in, in the order used in condition names."""
FAULT_FIELDS: Final = make_form(
    "a set of faults",
    StandInFaults,
    {"pace_ms": _make_range(0, 60_000)},
    kinds={int: _make_range(0, 100)},
    notation=PLAIN,
)
"""The fields of a fault profile, those of `StandInFaults`."""
EDITION_FIELDS: Final = RecordForm("an edition", dict.fromkeys(LANGUAGES, WORDS), notation=PLAIN)
"""The files of a prompt edition, by language."""
_HIGHEST_PRICE: Final = 1_000_000
_PRICE: Final = {"type": "number", "minimum": 0, "maximum": _HIGHEST_PRICE}
_SEED: Final = {"type": "integer", "minimum": 0, "maximum": LARGEST_SEED}

TAG_PREFIX: Final = "tag:"
"""The prefix of a tag in a list of scenarios."""


def list_levels(located: Located) -> list[Located]:
    """Return the items of a list; a value that is no list is its only item."""
    return located.list_items() if isinstance(located.value, list) else [located]


def read_unique(
    located: Located, what: str, check: Callable[[Located], bool]
) -> dict[Any, SourceLocation]:
    """Read one value or a list of different ones, each with its position.

    `check` says whether an item is good, and reports what is wrong with it.
    """
    found = dict[Any, SourceLocation]()
    for item in list_levels(located):
        if not check(item):
            continue
        if item.value in found:
            message = f"the {what} {quote_value(item.value)} is listed twice"
            item.add_error("DUPLICATE_KEY", message, hint="keep one of the two")
        else:
            found[item.value] = item.page.document.locate(item.path)
    return found


def read_subjects(located: Located, what: str = "scenario") -> dict[str, SourceLocation]:
    """Read the names of scenarios or processes in order, each with its position."""
    if located.value == []:
        key, usual = ("scenarios", "'default'") if what == "scenario" else (what, "survey.yaml")
        located.add_error("WRONG_TYPE", f"{key!r} names none", hint=f"name one: {usual}")
    return read_unique(located, what, partial(_check_subject, what))


def _check_subject(what: str, item: Located) -> bool:
    name = item.value
    if not isinstance(name, str) or not name or not name.isprintable():
        item.add_error("WRONG_TYPE", f"a {what} is an id or a file, not {quote_value(name)}")
    elif "," in name:
        # An earlier runner accepted a comma-separated list; here each id is its own item.
        ids = [each.strip() for each in name.split(",") if each.strip()]
        message = f"{quote_value(name)} is no {what}: separate ids with spaces, not commas"
        item.add_error("NAME_UNUSABLE", message, hint=f"write: {' '.join(ids)}")
    else:
        return True
    return False


def derive_experiment_name(name: str) -> str:
    """Return a default name for an experiment on one scenario."""
    path = PurePath(name)
    known = path.stem if path.suffix.lower() in FORMATS else name
    return known.removeprefix(TAG_PREFIX)


def read_seeds(located: Located) -> tuple[int, ...]:
    """Read seeds: from 0 for a count, or those listed; findings for mistakes."""
    value = located.value
    if is_whole(value) and 1 <= value <= MAX_SEEDS:
        return tuple(range(value))
    if not isinstance(value, list) or not 1 <= len(value) <= MAX_SEEDS:
        message = f"'seeds' must be a count from 1 to {MAX_SEEDS}, or a list of seeds"
        located.add_error("WRONG_TYPE", f"{message}, not {quote_value(value)}")
        return ()
    return tuple(read_unique(located, "seed", _check_seed))


def _check_seed(item: Located) -> bool:
    if is_whole(item.value) and 0 <= item.value <= LARGEST_SEED:
        return True
    wanted = f"a whole number from 0 to {LARGEST_SEED}"
    item.add_error("WRONG_TYPE", f"a seed must be {wanted}, not {quote_value(item.value)}")
    return False


LONGEST_ID: Final = 60
"""The most characters of an id or a slug."""
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*").fullmatch
_OTHER: Final = re.compile(r"(?:[^\w.]|_)+")
_UNFIT: Final = re.compile(r"[^A-Za-z0-9._-]+")


def is_experiment_id(text: str) -> bool:
    """Return whether a text can be an experiment id and the prefix of cell keys."""
    return len(text) <= LONGEST_ID and _ID(text) is not None


def make_experiment_id(text: str) -> str:
    """Return a valid id that is close to this text."""
    made = _UNFIT.sub("-", text).strip("-._")[:LONGEST_ID].rstrip("-._")
    return made if is_experiment_id(made) else "experiment"


def is_project_path(path: str) -> bool:
    """Return whether a path leads to a place inside a project, on any system."""
    parts = PurePosixPath(path).parts
    rooted = PurePosixPath(path).is_absolute() or PureWindowsPath(path).is_absolute()
    return bool(parts) and not rooted and ".." not in parts and not set(path) & set("\\\0:")


def make_slug(level: object) -> str:
    """Return a level as part of a condition name: letters, digits, `.` and `-`.

    Empty if no such character is left. No `_`, which separates the parts of a cell key,
    and no `/`.
    """
    if isinstance(level, bool):
        return "on" if level else "off"
    if isinstance(level, float):
        return f"{level:g}".replace("+", "")
    return _OTHER.sub("-", str(level)).strip("-.")[:LONGEST_ID].rstrip("-.")


MAX_TEMPERATURE: Final = 2.0
"""The highest temperature."""
_SWITCH_WORDS: Final = {"on": True, "true": True, "off": False, "false": False}
_FILE_MODELS: Final = ("canned", "replay", "local")
_LONGEST_WORD: Final = 200


def read_levels(located: Located, factor: str) -> tuple[Level, ...]:
    """Read one level or a list of levels; findings for mistakes."""
    items = list_levels(located)
    if isinstance(located.value, list) and len(located.value) > MAX_CONDITIONS:
        message = f"{factor!r} has {len(located.value)} levels; {MAX_CONDITIONS} may be"
        located.add_error("PLAN_TOO_LARGE", message, hint="cross fewer levels")
        return ()
    if not items:
        located.add_error("WRONG_TYPE", f"{factor!r} has no level", hint="name one")
    found: dict[str, Level] = {}
    for item in items:
        for level in _READERS.get(factor, _read_word)(item, factor):
            _add_level(found, item, factor, level)
    return tuple(found.values())


def is_rulebook_file(level: object) -> bool:
    """Return whether a rulebook is the author's own file, by its suffix."""
    return PurePath(str(level)).suffix.lower() in FORMATS


def _add_level(found: dict[str, Level], item: Located, factor: str, level: Level) -> None:
    name = make_slug(level)
    if level != "" and not name:
        message = f"{quote_value(level)} has no letter to name a condition after"
        item.add_error("NAME_UNUSABLE", message)
    elif name in found:
        message = f"two levels of {factor!r} would both be named {quote_value(name)}"
        item.add_error("DUPLICATE_KEY", message, hint="keep one, or give them different names")
    else:
        found[name] = level


def _read_switch(item: Located, factor: str) -> Iterator[bool]:
    # YAML 1.2 reads a bare `on` as text.
    value = item.value
    known = _SWITCH_WORDS.get(value.lower()) if isinstance(value, str) else value
    if isinstance(known, bool):
        yield known
    else:
        item.add_error("WRONG_TYPE", f"{factor!r} must be on or off, not {quote_value(value)}")


def _read_temperature(item: Located, factor: str) -> Iterator[float]:
    if is_number(item.value) and 0 <= item.value <= MAX_TEMPERATURE:
        yield float(item.value)
    else:
        message = f"{factor!r} must be a number from 0 to 2, not {quote_value(item.value)}"
        item.add_error("WRONG_TYPE", message)


def _read_word(item: Located, factor: str) -> Iterator[str]:
    value = item.value
    if isinstance(value, str) and 0 < len(value) <= _LONGEST_WORD and value.isprintable():
        yield value
    else:
        message = f"{factor!r} must be a short text, not {quote_value(value)}"
        item.add_error("WRONG_TYPE", message)


def _read_language(item: Located, factor: str) -> Iterator[str]:
    for word in _read_word(item, factor):
        if word in LANGUAGES:
            yield word
        else:
            message = f"the language is not supported: {quote_value(word)}"
            hint = f"there is: {', '.join(LANGUAGES)}"
            item.add_error("UNKNOWN_VALUE", message, hint=hint)


def _read_model(item: Located, factor: str) -> Iterator[str]:
    for word in _read_word(item, factor):
        kind, _, name = word.partition(":")
        rooted = PurePath(name).is_absolute() or PureWindowsPath(name).is_absolute()
        if kind in _FILE_MODELS and rooted:
            message = f"{quote_value(word)} is an absolute path"
            hint = "results must not depend on this machine: write the path relative to this folder"
            item.add_error("FILE_OUTSIDE", message, hint=hint)
        else:
            yield word


_READERS: Final[dict[str, Callable[[Located, str], Iterator[Level]]]] = {
    "inject": _read_switch,
    "gm": _read_switch,
    "temperature": _read_temperature,
    "language": _read_language,
    "model": _read_model,
}


ANY_LANGUAGE: Final = ""
"""The key of an edition that has one text for every language."""
_PAIR: Final = 2


def read_faults(located: Located) -> dict[str, StandInFaults]:
    """Read the fault profiles of stand-ins, by name."""
    return {
        name: FAULT_FIELDS.build(inner)
        for name, inner in _iterate_named(located, "a set of faults")
    }


def read_prices(located: Located) -> dict[str, tuple[float, float]]:
    """Read the prices per million input and output tokens, by model."""
    found = {}
    for item in located.list_items():
        if _is_price_pair(item.value):
            found[str(item.path[-1])] = (float(item.value[0]), float(item.value[1]))
        else:
            message = f"a price is two numbers, for input and for output tokens, not {quote_value(item.value)}"
            hint = "write [0.25, 2.00]: US dollars per million tokens"
            item.add_error("WRONG_TYPE", message, hint=hint)
    return found


def read_prompts(located: Located) -> dict[str, dict[str, str]]:
    """Read the files of the author's own editions: by name, then by language."""
    return {
        name: _read_edition_files(inner) for name, inner in _iterate_named(located, "an edition")
    }


def _iterate_named(located: Located, what: str) -> Iterator[tuple[str, Located]]:
    for name, value in located.value.items():
        inner = located.make_inner(name, value)
        if make_slug(name) == name:
            yield name, inner
            continue
        message = f"{quote_value(name)} cannot be the name of {what}"
        near = make_slug(name) or "careless"
        hint = f"letters, digits, '.' and '-' alone: {near!r}"
        inner.add_error("NAME_UNUSABLE", message, hint=hint, key=True)


def _is_price_pair(value: object) -> bool:
    return (
        isinstance(value, list)
        and len(value) == _PAIR
        and all(is_number(each) and 0 <= each <= _HIGHEST_PRICE for each in value)
    )


def _read_edition_files(located: Located) -> dict[str, str]:
    if isinstance(located.value, str) and located.value:
        return {ANY_LANGUAGE: located.value}
    return {language: inner.value for language, inner in EDITION_FIELDS.read(located).items()}


PLAN: Final = RecordForm(
    "a plan",
    {
        "experiment_id": TEXT,
        "question": TEXT,
        "profile": make_choice(*PROFILES),
        "scenarios": _describe_levels({"type": "string", "minLength": 1}),
        "process": _describe_levels({"type": "string", "minLength": 1}),
        "seeds": replace(
            _describe(
                {"type": "integer", "minimum": 1, "maximum": MAX_SEEDS},
                {"type": "array", "items": _SEED, "minItems": 1, "uniqueItems": True},
            ),
            build=read_seeds,
        ),
        "conditions": _describe_levels({"enum": [*LETTERS.values()]}),
        "factors": make_record(FACTOR_FIELDS),
        "mode": make_choice(*get_args(PlanMode)),
        **{name: _describe(schema) for name, schema in _SETTINGS.items()},
        **{name: _make_range(*limits) for name, limits in RANGES.items()},
        "llm_url": ADDRESS,
        "faults": _make_table(FAULT_FIELDS, read_faults),
        "prompts": _make_table(
            {"anyOf": [{"type": "string", "minLength": 1}, EDITION_FIELDS]}, read_prompts
        ),
        "prices": _make_table(
            {"type": "array", "items": _PRICE, "minItems": 2, "maxItems": 2}, read_prices
        ),
        **dict.fromkeys(("accepted", "allow_tools", "files"), TEXTS),
        "arguments": MAPPING,
    },
    notation=PLAIN,
    schema={"anyOf": [{"required": ["scenarios"]}, {"required": ["process"]}]},
)
"""The keys of a plan."""
