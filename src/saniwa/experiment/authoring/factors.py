"""The factors of a plan: letters of the 2×2, or switches, and everything further."""

from collections.abc import Mapping
from pathlib import PurePath
from typing import Final

from saniwa.core.paper.fields import Fields
from saniwa.core.paper.held import Held
from saniwa.core.quoted import quoted
from saniwa.core.where import Where
from saniwa.experiment.authoring.crossing import SWITCHES, count_crossed, crossed
from saniwa.experiment.authoring.form import FACTORS, MOST_CONDITIONS, SETTINGS, fields
from saniwa.experiment.authoring.level import is_book_file, levels_of
from saniwa.experiment.plan import (
    PLAIN_FAULTS,
    Condition,
    Faults,
    Level,
    Mode,
    Profile,
)

_SWITCHED: Final = ("inject", "gm")
_WITHOUT_USE: Final[dict[Mode, tuple[str, ...]]] = {
    "sim": ("model", "temperature"),
    "real": ("faults",),
}
"""What makes no difference to who plays."""
_LONGEST: Final = 20
_OWN: Final = "scenario"
"""The rulebook that each scenario brings, where a factor has to name it."""


class Factors:
    """What the conditions of one plan differ in, and what they have in common."""

    def __init__(self, found: Fields, profile: Profile | None, mode: Mode) -> None:
        """Read all levels; findings go to the plan's page."""
        self._found = found
        self._factors = fields(found.part("factors"), FACTORS, "'factors'")
        self.books: dict[str, str] = {}
        """The author's own books: the name a condition gives one, and its file."""
        self.places: dict[str, Where] = {}
        """Where models, books and editions are named: `model.NAME`…"""
        self._mode = mode
        self._pairs = self._switched(profile)
        self._further = self._read_further()

    @property
    def levels(self) -> dict[str, tuple[Level, ...]]:
        """Every factor with its levels, those of one level too."""
        told: dict[str, tuple[Level, ...]] = {}
        for nth, name in enumerate(_SWITCHED):
            told[name] = tuple(sorted({pair[nth] for pair in self._pairs}))
        return told | self._further

    def conditions(self) -> tuple[Condition, ...]:
        """The conditions; none where there would be too many, which is a finding."""
        count = count_crossed(len(self._pairs), self._further)
        if count > MOST_CONDITIONS:
            message = f"{count} conditions are more than {MOST_CONDITIONS}"
            held = self._found.part("factors")
            held.error("PLAN_TOO_LARGE", message, hint="cross fewer levels")
            return ()
        return crossed(self._pairs, self._further)

    def check_faults(self, known: Mapping[str, Faults]) -> None:
        """See that every way to err is there, and that somebody errs so."""
        held = self._factors.get("faults")
        named = self._further.get("faults", (PLAIN_FAULTS,))
        names = (*known, PLAIN_FAULTS)
        for level in named if held is not None else ():
            assert held is not None, "levels stand somewhere"
            if level not in names:
                message = f"no way to err is called {quoted(level)}"
                near = held.page.near(str(level), names)
                hint = near or f"write it under 'faults', or one of {', '.join(names)}"
                held.error("UNKNOWN_VALUE", message, hint=hint)
        unused = [name for name in known if name not in named]
        table = self._found.get("faults")
        for name in unused if table is not None else ():
            assert table is not None, "what is known stands somewhere"
            message = f"no condition errs like {quoted(name)}"
            path = (*table.path, name)
            hint = f"add {name!r} to 'factors.faults'"
            table.page.warn("KEY_UNUSED", message, path, key=True, hint=hint)

    def _switched(self, profile: Profile | None) -> tuple[tuple[bool, bool], ...]:
        """The letters that are run, each as (inject, gm)."""
        letters = self._found.get("conditions")
        said = [name for name in _SWITCHED if name in self._factors]
        if letters is None and not said:
            known = profile.conditions if profile else tuple(SWITCHES)
            return tuple(SWITCHES[letter] for letter in known)
        if letters is None:
            return tuple(
                (i, g) for i in self._switch("inject") for g in self._switch("gm")
            )
        for name in said:
            if letters.page is not self._factors[name].page:
                continue  # the command line's letters take the file's switches' place
            message = f"'conditions' says what {name!r} says again"
            self._factors[name].error(
                "DUPLICATE_KEY", message, hint="keep one of the two"
            )
        return tuple(SWITCHES[letter] for letter in _letters(letters))

    def _switch(self, name: str) -> tuple[bool, ...]:
        held = self._factors.get(name)
        if held is None:
            return (False, True)
        return tuple(
            level for level in levels_of(held, name) if isinstance(level, bool)
        )

    def _read_further(self) -> dict[str, tuple[Level, ...]]:
        further: dict[str, tuple[Level, ...]] = {}
        for name in FACTORS:
            held = self._held(name) if name not in _SWITCHED else None
            if held is None:
                continue
            if name in SETTINGS and held is self._found.get(name):
                levels = levels_of(held, name)[:1] if _is_one(held, name) else ()
            else:
                levels = levels_of(held, name)
            if levels and self._counts(name, levels, held):
                further[name] = self._named(name, levels, held)
        return further

    def _counts(self, name: str, levels: tuple[Level, ...], held: Held) -> bool:
        """Whether a factor does anything in this mode; told where it does not."""
        if name == "prompt" and self._mode == "sim" and len(levels) > 1:
            message = "stand-ins read what a prompt tells, and not how it is worded"
            hint = "whether 'prompt' matters, models show: set 'mode' to 'real'"
            held.warn("KEY_UNUSED", message, hint=hint)
        if name not in _WITHOUT_USE[self._mode]:
            return True
        who = "stand-ins play" if self._mode == "sim" else "models play"
        message = f"{name!r} changes nothing where {who}"
        other = "real" if self._mode == "sim" else "sim"
        hint = f"drop it, or set 'mode' to '{other}'"
        if len(levels) > 1:
            held.error("UNKNOWN_VALUE", message, hint=hint)
        else:
            held.page.warn("KEY_UNUSED", message, held.path, hint=hint)
        return False

    def _held(self, name: str) -> Held | None:
        """Where a factor stands: among the factors, or as a setting at the top."""
        top = self._found.get(name) if name in SETTINGS else None
        inner = self._factors.get(name)
        if top is not None and inner is not None:
            if top.page is not inner.page:
                return top  # the command line's setting takes the file's levels' place
            message = f"{name!r} is a setting here, and a factor under 'factors'"
            top.error("DUPLICATE_KEY", message, hint="keep one of the two")
        return inner if inner is not None else top

    def _named(
        self, factor: str, levels: tuple[Level, ...], held: Held
    ) -> tuple[Level, ...]:
        where = held.page.document.where(held.path)
        named = levels
        if factor == "rulebook":
            named = tuple(self._book(level, held) for level in levels)
        for level in named:
            self.places[f"{factor}.{level}"] = where
        return named

    def _book(self, level: Level, held: Held) -> str:
        """The name of a book in a plan: of a file its name alone, never its place."""
        written = str(level)
        if not is_book_file(written):
            return "" if written == _OWN else written
        name = PurePath(written).name
        if self.books.setdefault(name, written) != written:
            message = f"two books are called {quoted(name)}"
            held.error(
                "DUPLICATE_KEY", message, hint="give one of the files another name"
            )
        return name


def _is_one(held: Held, name: str) -> bool:
    if not isinstance(held.value, list):
        return True
    message = f"{name!r} is one setting for the whole plan, not a list"
    hint = f"to compare several, write them under 'factors.{name}'"
    held.error("WRONG_TYPE", message, hint=hint)
    return False


def _letters(held: Held) -> list[str]:
    listed = held.value if isinstance(held.value, list) else [held.value]
    found: list[str] = []
    for nth, value in enumerate(listed):
        item = held.inner(nth, value) if isinstance(held.value, list) else held
        if not isinstance(value, str) or value not in SWITCHES:
            usual = "A tells nothing, B injects, C has a game master, D both"
            hint = _meant(value) or usual
            message = f"a condition is A, B, C or D, not {quoted(value)}"
            item.error("UNKNOWN_VALUE", message, hint=hint)
        elif value in found:
            message = f"the condition {value} stands here a second time"
            item.error("DUPLICATE_KEY", message, hint="keep one of the two")
        else:
            found.append(value)
    if not listed:
        held.error("WRONG_TYPE", "'conditions' names none", hint="name some: [A, B]")
    return found


def _meant(value: object) -> str:
    """What somebody means who writes `a` or `A,D`."""
    letters = [each.strip().upper() for each in str(value)[:_LONGEST].split(",")]
    known = bool(letters) and all(letter in SWITCHES for letter in letters)
    return f"did you mean {' '.join(letters)}?" if known else ""
