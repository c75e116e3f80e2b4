"""Reads the factors of a plan and crosses them into conditions.

The 2×2 of *inject* and *game master* is given as letters or switches; other factors
follow.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import PurePath
from typing import Any, Final, get_args

import msgspec

from saniwa.core.findings import SourceLocation
from saniwa.core.text import quote_value
from saniwa.documents.finding_collector import Located
from saniwa.documents.record_reader import LocatedFields
from saniwa.experiment.plan import (
    DEFAULT_FAULTS,
    LETTERS,
    Condition,
    FactorName,
    Level,
    PlanMode,
    PlanProfile,
    StandInFaults,
)
from saniwa.experiment.plan_fields import (
    FACTOR_FIELDS,
    MAX_CONDITIONS,
    SETTING_NAMES,
    is_rulebook_file,
    make_slug,
    read_levels,
    read_unique,
)

SWITCHES: Final = {letter: pair for pair, letter in LETTERS.items()}
"""The (inject, gm) pair of each letter of the 2×2."""

_SWITCH_NAMES: Final = ("inject", "gm")


def cross_factors(
    pairs: Sequence[tuple[bool, bool]], further: Mapping[str, Sequence[Level]]
) -> tuple[Condition, ...]:
    """Cross conditions of the 2×2 with further factors: by letter, then as in the plan.

    A factor with one level is a setting and does not appear in names.
    """
    made = (
        _make_condition(inject, gm, levels, further)
        for inject, gm in pairs
        for levels in product(*further.values())
    )
    return tuple(sorted(made, key=lambda condition: condition.letter))


def count_conditions(pairs: int, further: Mapping[str, Sequence[Level]]) -> int:
    """Return how many conditions crossing would give."""
    total = pairs
    for levels in further.values():
        total *= len(levels)
    return total


def list_levels(conditions: Sequence[Condition]) -> dict[str, tuple[Level, ...]]:
    """Return the factors that conditions differ in, with the two switches always."""
    levels = {
        name: tuple(sorted({getattr(each, name) for each in conditions}))
        for name in get_args(FactorName)
    }
    return {n: found for n, found in levels.items() if n in _SWITCH_NAMES or len(found) > 1}


def name_condition(condition: Condition, factors: Mapping[str, Sequence[Level]]) -> str:
    """Return the name of a condition in a plan with these factors."""
    further = {name: found for name, found in factors.items() if name not in _SWITCH_NAMES}
    settings = {name: getattr(condition, name) for name in further}
    return _join_name(condition, _list_name_parts(settings, further))


def _join_name(condition: Condition, parts: Iterator[str]) -> str:
    """Return a condition's name: an agent's has no letter."""
    if condition.agent:
        return "+".join(parts) or make_slug(condition.agent) or "agent"
    return "+".join((condition.letter, *parts))


def _make_condition(
    inject: bool, gm: bool, levels: Sequence[Level], further: Mapping[str, Sequence[Level]]
) -> Condition:
    settings: dict[str, Any] = dict(zip(further, levels, strict=True))
    made = Condition(name="", inject=inject, gm=gm, **settings)
    name = _join_name(made, _list_name_parts(settings, further))
    return msgspec.structs.replace(made, name=name)


def _list_name_parts(
    settings: Mapping[str, Level], further: Mapping[str, Sequence[Level]]
) -> Iterator[str]:
    for factor, level in settings.items():
        if len(further[factor]) > 1:
            yield f"{factor}={make_slug(level) or 'own'}"


_UNUSED_FACTORS: Final[dict[PlanMode, tuple[str, ...]]] = {
    "sim": ("model", "temperature", "agent"),
    "real": ("faults", "agent"),
    "work": ("rulebook", "prompt", "language", "faults"),
}
"""Factors that have no effect in each mode."""
_PLAYERS: Final[dict[PlanMode, str]] = {
    "sim": "stand-ins play",
    "real": "models play",
    "work": "agents work at a gate",
}
_LONGEST: Final = 20
_OWN_RULEBOOK: Final = "scenario"
"""The name that a factor uses for each scenario's own rulebook."""


class FactorReader:
    """Reads what the conditions of one plan differ in and what they have in common."""

    def __init__(self, found: LocatedFields, profile: PlanProfile | None, mode: PlanMode) -> None:
        """Read all levels; findings go to the plan's page."""
        self._found = found
        self._factors = found.read_part("factors")
        self.books: dict[str, str] = {}
        """The author's own rulebooks: the name that conditions use, and the file."""
        self.places: dict[str, SourceLocation] = {}
        """Where models, books and editions are named: `model.NAME`…"""
        self._mode = mode
        self._pairs = self._read_switches(profile)
        self._further = self._read_further()

    @property
    def levels(self) -> dict[str, tuple[Level, ...]]:
        """Every factor with its levels, including those with one level."""
        levels: dict[str, tuple[Level, ...]] = {}
        for nth, name in enumerate(_SWITCH_NAMES):
            levels[name] = tuple(sorted({pair[nth] for pair in self._pairs}))
        return levels | self._further

    def build_conditions(self) -> tuple[Condition, ...]:
        """Return the conditions; empty, with a finding, if there would be too many."""
        count = count_conditions(len(self._pairs), self._further)
        if count > MAX_CONDITIONS:
            message = f"{count} conditions are more than {MAX_CONDITIONS}"
            located = self._found.get_part("factors")
            located.add_error("PLAN_TOO_LARGE", message, hint="cross fewer levels")
            return ()
        return cross_factors(self._pairs, self._further)

    def check_faults(self, known: Mapping[str, StandInFaults]) -> None:
        """Check that every fault profile named exists, and that each one is used."""
        located = self._factors.get("faults")
        named = self._further.get("faults", (DEFAULT_FAULTS,))
        names = (*known, DEFAULT_FAULTS)
        for level in named:
            if located is not None and level not in names:
                message = f"there are no faults named {quote_value(level)}"
                near = located.page.suggest_nearest(str(level), names)
                hint = near or f"define it under 'faults', or use one of: {', '.join(names)}"
                located.add_error("UNKNOWN_VALUE", message, hint=hint)
        unused = [name for name in known if name not in named]
        table = self._found.get("faults")
        for name in unused:
            assert table is not None, "what is known stands somewhere"
            message = f"no condition has the faults {quote_value(name)}"
            hint = f"add {name!r} to 'factors.faults'"
            table.make_inner(name, None).add_warning("KEY_UNUSED", message, hint=hint, key=True)

    def _read_switches(self, profile: PlanProfile | None) -> tuple[tuple[bool, bool], ...]:
        """Return the letters to run, each as (inject, gm)."""
        letters = self._found.get("conditions")
        switches = [name for name in _SWITCH_NAMES if name in self._factors]
        if self._mode == "work":
            for name in switches:
                message = f"{name!r} has no effect when {_PLAYERS[self._mode]}"
                self._factors[name].add_error("UNKNOWN_VALUE", message, hint="drop it")
            return ((False, False),)
        if letters is None and not switches:
            known = profile.conditions if profile else tuple(SWITCHES)
            return tuple(SWITCHES[letter] for letter in known)
        if letters is None:
            return tuple(
                (i, g) for i in self._read_switch("inject") for g in self._read_switch("gm")
            )
        for name in switches:
            if letters.page is not self._factors[name].page:
                continue  # letters on the command line replace switches in the file
            message = f"'conditions' already determines {name!r}"
            self._factors[name].add_error("DUPLICATE_KEY", message, hint="keep one of the two")
        return tuple(SWITCHES[letter] for letter in _read_letters(letters))

    def _read_switch(self, name: str) -> tuple[bool, ...]:
        located = self._factors.get(name)
        if located is None:
            return (False, True)
        return tuple(level for level in read_levels(located, name) if isinstance(level, bool))

    def _read_further(self) -> dict[str, tuple[Level, ...]]:
        further: dict[str, tuple[Level, ...]] = {}
        for name in FACTOR_FIELDS:
            located = self._locate_factor(name) if name not in _SWITCH_NAMES else None
            if located is None:
                continue
            if name in SETTING_NAMES and located is self._found.get(name):
                levels = read_levels(located, name)[:1] if _check_single(located, name) else ()
            else:
                levels = read_levels(located, name)
            if levels and self._is_effective(name, levels, located):
                further[name] = self._name_levels(name, levels, located)
        return further

    def _is_effective(self, name: str, levels: tuple[Level, ...], located: Located) -> bool:
        """Return whether a factor has an effect in this mode; a finding if it has not."""
        if name == "prompt" and self._mode == "sim" and len(levels) > 1:
            message = "stand-ins use the facts in a prompt, not its wording"
            hint = "to test prompts, use models: set 'mode' to 'real'"
            located.add_warning("KEY_UNUSED", message, hint=hint)
        if name not in _UNUSED_FACTORS[self._mode]:
            return True
        message = f"{name!r} has no effect when {_PLAYERS[self._mode]}"
        others = [mode for mode, unused in _UNUSED_FACTORS.items() if name not in unused]
        hint = f"drop it, or set 'mode' to '{others[0]}'"
        if len(levels) > 1:
            located.add_error("UNKNOWN_VALUE", message, hint=hint)
        else:
            located.add_warning("KEY_UNUSED", message, hint=hint)
        return False

    def _locate_factor(self, name: str) -> Located | None:
        """Find a factor: under 'factors', or as a setting at the top level."""
        top = self._found.get(name) if name in SETTING_NAMES else None
        inner = self._factors.get(name)
        if top is not None and inner is not None:
            if top.page is not inner.page:
                return top  # a setting on the command line replaces levels in the file
            message = f"{name!r} is a setting here, and a factor under 'factors'"
            top.add_error("DUPLICATE_KEY", message, hint="keep one of the two")
        return inner if inner is not None else top

    def _name_levels(
        self, factor: str, levels: tuple[Level, ...], located: Located
    ) -> tuple[Level, ...]:
        where = located.page.document.locate(located.path)
        named = levels
        if factor == "rulebook":
            named = tuple(self._name_rulebook(level, located) for level in levels)
        for level in named:
            self.places[f"{factor}.{level}"] = where
        return named

    def _name_rulebook(self, level: Level, located: Located) -> str:
        """Return a book's name in a plan: for a file its name only, never its folder."""
        written = str(level)
        if not is_rulebook_file(written):
            return "" if written == _OWN_RULEBOOK else written
        name = PurePath(written).name
        if self.books.setdefault(name, written) != written:
            message = f"two rulebooks have the name {quote_value(name)}"
            located.add_error("DUPLICATE_KEY", message, hint="give one of the files another name")
        return name


def _check_single(located: Located, name: str) -> bool:
    if not isinstance(located.value, list):
        return True
    message = f"{name!r} is one setting for the whole plan, not a list"
    hint = f"to compare several, write them under 'factors.{name}'"
    located.add_error("WRONG_TYPE", message, hint=hint)
    return False


def _read_letters(located: Located) -> list[str]:
    if located.value == []:
        located.add_error("WRONG_TYPE", "'conditions' is empty", hint="name some: [A, B]")
    return [*read_unique(located, "condition", _check_letter)]


def _check_letter(item: Located) -> bool:
    value = item.value
    if isinstance(value, str) and value in SWITCHES:
        return True
    usual = "A: neither; B: facts injected; C: a game master; D: both"
    message = f"a condition is A, B, C or D, not {quote_value(value)}"
    item.add_error("UNKNOWN_VALUE", message, hint=_suggest_letters(value) or usual)
    return False


def _suggest_letters(value: object) -> str:
    """Return a hint for values such as `a` or `A,D`."""
    letters = [each.strip().upper() for each in str(value)[:_LONGEST].split(",")]
    known = bool(letters) and all(letter in SWITCHES for letter in letters)
    return f"did you mean {' '.join(letters)}?" if known else ""
