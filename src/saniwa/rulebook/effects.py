"""The effects of a craft in a book: read from a document, then asked in a case.

Written like conditions, by roles: `{"set": {"role": "target", "facts": {"cut": true}}}`,
or short `{"remove": "target"}`, each with an optional `when`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from saniwa.core.quoted import quoted
from saniwa.rulebook.case import ROLES, Case
from saniwa.rulebook.condition import document_of, test_of
from saniwa.rulebook.notes import Notes, Path
from saniwa.rulebook.predicate import (
    REQUIRED,
    Param,
    Predicate,
    Test,
    attribute_in,
)
from saniwa.rulebook.reading import camel, checked, hashable, read_condition
from saniwa.world.effect import (
    FIXED,
    SETTABLE,
    Bring,
    Dismiss,
    Effect,
    Flag,
    Remove,
    Set,
)
from saniwa.world.effect_law import MOST_EFFECTS, fits
from saniwa.world.model import Id

Make = Callable[[Case], Iterable[Effect]]
_ROLE = Param("role", "role")
_LISTED = Param("attribute", "text", None)
_FLAG = (Param("name", "text"), Param("value", "truth", True))
_PARAMS: Final[dict[str, tuple[Param, ...]]] = {
    "set": (_ROLE, Param("facts", "value")),
    "remove": (_ROLE, _LISTED),
    "bring": (_ROLE, _LISTED),
    "dismiss": (_ROLE, _LISTED),
    "flag": _FLAG,
}
_ABOUT_ONE: Final[dict[str, type[Remove | Bring | Dismiss]]] = {
    "remove": Remove,
    "bring": Bring,
    "dismiss": Dismiss,
}

EFFECTS: Final = tuple(_PARAMS)
"""The closed list of effects, by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provision:
    """One effect of a craft, with its condition."""

    when: Test | None
    """What must hold before anything happens; None for always."""
    make: Make
    """The effect itself, about whoever plays its role; nothing where nobody does."""

    def effects(self, case: Case) -> Iterable[Effect]:
        """What it does in this case."""
        return self.make(case) if self.when is None or self.when(case) else ()


def read_effect(
    value: Any, path: Path, notes: Notes, vocabulary: Mapping[str, Predicate]
) -> dict[str, Any] | None:
    """The effect in its one full form, `{"op": …}`, or None after noting what is wrong."""
    named = _named(value)
    if named is None:
        hint = (
            'write {"set": {"role": "target", "facts": {…}}}, or {"remove": "target"}'
        )
        notes.bad(path, f"{quoted(value)} is not an effect", hint)
        return None
    word, argument, inside = named
    if word not in _PARAMS:
        notes.unknown("RULE_UNKNOWN_EFFECT", path, word, EFFECTS)
        return None
    before = len(notes.findings)
    effect = {"op": word, **_arguments(word, argument, path + inside, notes)}
    if "when" in value:
        when = read_condition(value["when"], (*path, "when"), notes, vocabulary)
        effect["when"] = document_of(when) if when is not None else None
    return effect if len(notes.findings) == before else None


def _named(value: Any) -> tuple[str, Any, Path] | None:
    """The word an effect opens with, what follows it, and the path to that."""
    if not isinstance(value, Mapping):
        return None
    rest = {k: v for k, v in value.items() if k != "when"}
    if isinstance(rest.get("op"), str):
        return rest["op"], {k: v for k, v in rest.items() if k != "op"}, ()
    if len(rest) != 1:
        return None
    word, argument = next(iter(rest.items()))
    return (word, argument, (word,)) if isinstance(word, str) else None


def _arguments(word: str, argument: Any, path: Path, notes: Notes) -> dict[str, Any]:
    params = {param.name: param for param in _PARAMS[word]}
    given = {next(iter(params)): (argument, path)}
    if isinstance(argument, Mapping):
        given = {camel(str(k)): (v, (*path, str(k))) for k, v in argument.items()}
    for name, (_, inside) in given.items():
        if name not in params:
            notes.unknown("RULE_UNKNOWN_FIELD", inside, name, {"op", "when", *params})
    read: dict[str, Any] = {}
    for name, param in params.items():
        if name in given:
            read[name] = checked(param, *given[name], notes)
        elif param.default is REQUIRED:
            notes.bad(path, f"{word!r} needs {name!r}")
        elif param.default is not None:
            read[name] = param.default
    if word == "set" and "facts" in given:
        _check_facts(*given["facts"], notes)
    return read


def _check_facts(facts: Any, path: Path, notes: Notes) -> None:
    if not isinstance(facts, Mapping) or not facts:
        notes.bad(path, f"'facts' is an object with a fact in it, not {quoted(facts)}")
        return
    for name, value in facts.items():
        inside = (*path, str(name))
        hashable(value, inside, notes)
        if not isinstance(name, str) or not name or name in FIXED:
            known = ", ".join(SETTABLE)
            hint = f"set one of {known}, or a fact of your own"
            notes.bad(inside, f"no effect can set {quoted(name)}", hint)
        elif name in SETTABLE and not fits(value, SETTABLE[name]):
            notes.bad(inside, f"{name!r} cannot be {quoted(value)}")


def provision_of(
    effect: Mapping[str, Any], vocabulary: Mapping[str, Predicate]
) -> Provision:
    """An effect that was read, ready to be asked."""
    when = None
    if effect.get("when") is not None:
        condition = read_condition(effect["when"], (), Notes(), vocabulary)
        assert condition is not None, "a condition was not what its reader made of it"
        when = test_of(condition)
    return Provision(when=when, make=_make(effect))


def _make(effect: Mapping[str, Any]) -> Make:
    if effect["op"] == "flag":
        flag = Flag(name=effect["name"], value=effect["value"])
        return lambda _case: (flag,)
    resolve = ROLES[effect["role"]].resolve
    if effect["op"] == "set":
        facts = dict(effect["facts"])
        return lambda case: (
            (Set(entity_id=found.id, facts=facts),) if (found := resolve(case)) else ()
        )
    one = _ABOUT_ONE[effect["op"]]
    ids = _ids(effect["role"], effect.get("attribute"))
    return lambda case: [one(entity_id=id) for id in ids(case)]


def _ids(role: str, attribute: str | None) -> Callable[[Case], Iterable[Id]]:
    """Whom an effect is about: the role, or every id that one of its facts lists."""
    resolve = ROLES[role].resolve
    if attribute is None:
        return lambda case: (found.id,) if (found := resolve(case)) else ()
    read = attribute_in(attribute)

    def listed(case: Case) -> Iterable[Id]:
        found = resolve(case)
        ids = read(found) if found is not None else None
        if isinstance(ids, str):
            ids = [ids]
        known = ids[: MOST_EFFECTS + 1] if isinstance(ids, list) else ()
        return dict.fromkeys(
            Id(id) for id in known if isinstance(id, str) and id in case.world.entities
        )

    return listed
