"""What cannot be true together, and what cannot be hashed.

References are `settle`'s and `door`'s business; this looks at each thing and at the
document as a whole.
"""

from typing import Any

from saniwa.scenario.code import Code
from saniwa.scenario.draft import Draft, Mention, Thing, value_of
from saniwa.scenario.form import HOURS
from saniwa.scenario.page import Page, Path
from saniwa.scenario.read import mentions

LARGEST_NUMBER = 2**53
"""Beyond it a number has no single text in JSON."""
LANGUAGES = ("en", "ja")
"""The languages a story can be told in."""


def check(page: Page, draft: Draft, scenario_id: str | None) -> None:
    """Note every contradiction; `scenario_id` is what the registry calls it."""
    _check_id(page, draft, scenario_id)
    for thing in draft.things.values():
        _check_state(page, thing)
        _check_needs(page, draft, thing)
    _check_cast(page, draft)
    _check_language(page, draft)
    _check_hour(page, draft)
    _check_hashable(page)


def _check_id(page: Page, draft: Draft, scenario_id: str | None) -> None:
    held = draft.fields.get("name")
    if scenario_id is None or held is None or held.value == scenario_id:
        return
    page.error(
        Code.SCENARIO_ID_MISMATCH,
        f"The registry's id {scenario_id!r} is not the name {held.value!r}",
        held.path,
        hint=f"write name: {scenario_id}, or change the id in the registry",
        details={"scenario_id": scenario_id, "name": held.value},
    )


def _check_state(page: Page, thing: Thing) -> None:
    said = thing.fact
    if said("locked") and said("open"):
        _contradiction(page, thing, "locked", "is locked and open", Code.LOCKED_OPEN)
    if said("lockable") is False and (said("locked") or thing.key):
        _contradiction(page, thing, "lockable", "has a lock and is not lockable")
    if said("openable") is False and (said("locked") or said("open") is False):
        _contradiction(page, thing, "openable", "is closed and cannot be opened")
    if thing.kind == "door" and said("takeable"):
        _contradiction(page, thing, "takeable", "is a door and cannot be taken")
    if thing.kind == "door" and thing.fact("contains") is not None:
        _contradiction(page, thing, "contains", "is a door and holds nothing")


def _check_needs(page: Page, draft: Draft, thing: Thing) -> None:
    """What using a thing needs must be there to be held."""
    held = thing.fields.get("attributes")
    use = held.value.get("use") if held is not None else None
    needed = use.get("needs") if isinstance(use, dict) else None
    if held is not None and isinstance(needed, str) and needed not in draft.things:
        mention = Mention(needed, (*held.path, "use", "needs"))
        known = [(t.id, t.name) for t in draft.things.values()]
        unknown(page, mention, "a thing", page.near_id(needed, known))


def _contradiction(
    page: Page,
    thing: Thing,
    field: str,
    what: str,
    code: Code = Code.STATE_CONTRADICTION,
) -> None:
    held = thing.fields.get(field)
    path = held.path if held is not None else thing.path
    page.error(code, f"{thing.id!r} {what}", path, hint="drop one of the two")


def _check_cast(page: Page, draft: Draft) -> None:
    named = mentions(draft.fields.get("turn_order"))
    held = draft.fields.get("protagonist")
    if held is not None:
        named.append(Mention(held.value, held.path))
    for mention in named:
        if mention.name not in draft.people:
            known = [(p.id, p.name) for p in draft.people.values()]
            unknown(page, mention, "a character", page.near_id(mention.name, known))
    allowed = draft.fields.get("lint_allow")
    if allowed is not None:
        _check_allowed(page, draft)


def _check_allowed(page: Page, draft: Draft) -> None:
    for mention in allowed_one_way(draft):
        if mention.name not in draft.rooms:
            near = page.near_id(mention.name, draft.known_rooms())
            unknown(page, mention, "a location", near)


def allowed_one_way(draft: Draft) -> list[Mention]:
    """The rooms whose exits need no way back."""
    held = draft.fields.get("lint_allow")
    if held is None:
        return []
    for key, names in held.value.items():
        if key in ("unidirectional_exits", "unidirectionalExits"):
            items = names if isinstance(names, list) else []
            return [
                Mention(name, (*held.path, key, index))
                for index, name in enumerate(items)
                if isinstance(name, str)
            ]
    return []


def unknown(page: Page, mention: Mention, what: str, hint: str) -> None:
    """Note a name that nothing bears."""
    message = f"{mention.name!r} is the id of no {what.removeprefix('a ')}"
    hint = hint or "name one that is there by its id, or add one of this id"
    page.error(Code.NAME_UNKNOWN, message, mention.path, hint=hint)


def _check_language(page: Page, draft: Draft) -> None:
    language = value_of(draft.fields, "language")
    if language is not None and language not in LANGUAGES:
        page.warn(
            Code.UNKNOWN_VALUE,
            f"no story can be told in {language!r} yet; it is told in English",
            draft.fields["language"].path,
            hint=f"one of {', '.join(LANGUAGES)}",
        )


def _check_hour(page: Page, draft: Draft) -> None:
    held = draft.fields.get("time_of_day")
    if held is None or held.value in {*HOURS, *HOURS.values()}:
        return
    page.warn(
        Code.UNKNOWN_VALUE,
        f"{held.value!r} is no known time of day; it is shown as it is",
        held.path,
        hint=page.near(held.value, HOURS) or f"one of {', '.join(HOURS)}",
    )


def _check_hashable(page: Page) -> None:
    """The same limits as `core.fingerprint.canonical`, with the place of the culprit."""
    if _hashable(page.document.plain):
        return
    waiting: list[tuple[Any, Path]] = [(page.document.plain, ())]
    while waiting:
        value, path = waiting.pop()
        if isinstance(value, dict):
            for key, inner in value.items():
                if not key.isascii() and any(ord(letter) > 0xFFFF for letter in key):
                    _no_hash(
                        page,
                        f"the key {key!r} has letters outside the BMP",
                        (*path, key),
                    )
                waiting.append((inner, (*path, key)))
        elif isinstance(value, list):
            waiting.extend((inner, (*path, i)) for i, inner in enumerate(value))
        elif isinstance(value, float):
            _no_hash(page, f"{value!r} is a fraction, which has no single text", path)
        elif isinstance(value, int) and abs(value) > LARGEST_NUMBER:
            _no_hash(page, "the number is beyond ±2^53", path)


def _hashable(document: Any) -> bool:
    """Whether nothing is to be found; quick, for it does not ask where."""
    waiting = [document]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if any(not key.isascii() and max(key) > "\uffff" for key in value):
                return False
            waiting.extend(v for v in value.values() if not isinstance(v, str))
        elif isinstance(value, list):
            waiting.extend(v for v in value if not isinstance(v, str))
        elif isinstance(value, int | float) and not _counts(value):
            return False
    return True


def _counts(number: float) -> bool:
    return isinstance(number, int) and abs(number) <= LARGEST_NUMBER


def _no_hash(page: Page, why: str, path: Path) -> None:
    page.error(
        Code.HASH_COMPUTATION_ERROR,
        f"cannot compute a hash: {why}",
        path,
        hint="use text, whole numbers within ±2^53, true, false, null",
    )
