"""The levels of one factor, read with their places."""

from collections.abc import Callable, Iterator
from pathlib import PurePath, PureWindowsPath
from typing import Final

from saniwa.core.document import FORMATS
from saniwa.core.paper.held import Held
from saniwa.core.paper.kinds import is_number
from saniwa.core.quoted import quoted
from saniwa.experiment.authoring.form import MOST_CONDITIONS
from saniwa.experiment.authoring.slug import slug
from saniwa.experiment.plan import Level
from saniwa.run.opening import LANGUAGES

HOTTEST: Final = 2.0
"""The highest temperature."""
_SWITCH: Final = {"on": True, "true": True, "off": False, "false": False}
_OF_FILES: Final = ("canned", "replay", "local")
_LONGEST: Final = 200


def levels_of(held: Held, factor: str) -> tuple[Level, ...]:
    """The levels that stand there: a list of them, or one; findings for the rest."""
    items = [held]
    if isinstance(held.value, list) and len(held.value) > MOST_CONDITIONS:
        message = f"{factor!r} has {len(held.value)} levels; {MOST_CONDITIONS} may be"
        held.error("PLAN_TOO_LARGE", message, hint="cross fewer levels")
        return ()
    if isinstance(held.value, list):
        items = [held.inner(nth, value) for nth, value in enumerate(held.value)]
        if not items:
            held.error("WRONG_TYPE", f"{factor!r} has no level", hint="name one")
    found: dict[str, Level] = {}
    for item in items:
        for level in _READERS.get(factor, _word)(item, factor):
            _add(found, item, factor, level)
    return tuple(found.values())


def is_book_file(level: object) -> bool:
    """Whether a rulebook is one of the author's own, by how its name ends."""
    return PurePath(str(level)).suffix.lower() in FORMATS


def _add(found: dict[str, Level], item: Held, factor: str, level: Level) -> None:
    name = slug(level)
    if level != "" and not name:
        message = f"{quoted(level)} has no letter that a condition could be named after"
        item.error("NAME_UNUSABLE", message)
    elif name in found:
        message = f"two levels of {factor!r} would go by {quoted(name)}"
        item.error("DUPLICATE_KEY", message, hint="keep one, or name them apart")
    else:
        found[name] = level


def _switch(item: Held, factor: str) -> Iterator[bool]:
    # YAML 1.2 reads a bare `on` as text.
    value = item.value
    known = _SWITCH.get(value.lower()) if isinstance(value, str) else value
    if isinstance(known, bool):
        yield known
    else:
        item.error("WRONG_TYPE", f"{factor!r} must be on or off, not {quoted(value)}")


def _warmth(item: Held, factor: str) -> Iterator[float]:
    if is_number(item.value) and 0 <= item.value <= HOTTEST:
        yield float(item.value)
    else:
        message = f"{factor!r} must be a number from 0 to 2, not {quoted(item.value)}"
        item.error("WRONG_TYPE", message)


def _word(item: Held, factor: str) -> Iterator[str]:
    value = item.value
    if isinstance(value, str) and 0 < len(value) <= _LONGEST and value.isprintable():
        yield value
    else:
        message = f"{factor!r} must be a short text, not {quoted(value)}"
        item.error("WRONG_TYPE", message)


def _language(item: Held, factor: str) -> Iterator[str]:
    for word in _word(item, factor):
        if word in LANGUAGES:
            yield word
        else:
            message = f"no story can be told in {quoted(word)}"
            hint = f"there is: {', '.join(LANGUAGES)}"
            item.error("UNKNOWN_VALUE", message, hint=hint)


def _model(item: Held, factor: str) -> Iterator[str]:
    for word in _word(item, factor):
        kind, _, name = word.partition(":")
        rooted = PurePath(name).is_absolute() or PureWindowsPath(name).is_absolute()
        if kind in _OF_FILES and rooted:
            message = f"{quoted(word)} names a file by its place on this machine"
            hint = "results hold no such place: name it as seen from this folder"
            item.error("FILE_OUTSIDE", message, hint=hint)
        else:
            yield word


_READERS: Final[dict[str, Callable[[Held, str], Iterator[Level]]]] = {
    "inject": _switch,
    "gm": _switch,
    "temperature": _warmth,
    "language": _language,
    "model": _model,
}
