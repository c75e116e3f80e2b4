"""The effects of a craft: read from a document, then computed for a case.

Written like conditions, by roles: `{"set": {"role": "target", "facts": {"cut":
true}}}`, or short `{"remove": "target"}`, each with an optional `when`. They change
nothing themselves; `saniwa.world.apply` does.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from saniwa.core.text import quote_value
from saniwa.rulebook.conditions import (
    build_test,
    check_hashable,
    read_arguments,
    read_condition,
    render_condition,
    split_operation,
)
from saniwa.rulebook.finding_collector import Path, RulebookFindings
from saniwa.rulebook.predicates import (
    ROLES,
    ActionCase,
    Predicate,
    PredicateParam,
    Test,
    make_attribute_reader,
)
from saniwa.world.effects import (
    FIXED,
    SETTABLE,
    BringEffect,
    DismissEffect,
    Effect,
    FlagEffect,
    RemoveEffect,
    SetEffect,
)
from saniwa.world.model import Id
from saniwa.world.well_formedness_laws import MOST_EFFECTS, fits_field

EffectMaker = Callable[[ActionCase], Iterable[Effect]]
_ROLE = PredicateParam("role", "role")
_LISTED = PredicateParam("attribute", "text", None)
_FLAG = (PredicateParam("name", "text"), PredicateParam("value", "truth", True))
_PARAMS: Final[dict[str, tuple[PredicateParam, ...]]] = {
    "set": (_ROLE, PredicateParam("facts", "value")),
    "remove": (_ROLE, _LISTED),
    "bring": (_ROLE, _LISTED),
    "dismiss": (_ROLE, _LISTED),
    "flag": _FLAG,
}
_ABOUT_ONE: Final[dict[str, type[RemoveEffect | BringEffect | DismissEffect]]] = {
    "remove": RemoveEffect,
    "bring": BringEffect,
    "dismiss": DismissEffect,
}

EFFECTS: Final = tuple(_PARAMS)
"""The closed list of effects, by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionalEffect:
    """One effect of a craft, with its condition."""

    when: Test | None
    """What must hold before the action; None for always."""
    make: EffectMaker
    """Builds the effect on the entity in its role; empty if there is none."""

    def compute_effects(self, case: ActionCase) -> Iterable[Effect]:
        """Return its effects in this case."""
        return self.make(case) if self.when is None or self.when(case) else ()


def read_effect(
    value: Any, path: Path, notes: RulebookFindings, vocabulary: Mapping[str, Predicate]
) -> dict[str, Any] | None:
    """Return the effect in its full form, `{"op": …}`, or None with a finding."""
    named = None
    if isinstance(value, Mapping):
        named = split_operation({k: v for k, v in value.items() if k != "when"})
    if named is None:
        hint = 'write {"set": {"role": "target", "facts": {…}}}, or {"remove": "target"}'
        notes.add_malformed(path, f"{quote_value(value)} is not an effect", hint)
        return None
    word, argument, inside = named
    if word not in _PARAMS:
        notes.add_unknown("RULE_UNKNOWN_EFFECT", path, word, EFFECTS)
        return None
    before = notes.errors
    path_inside = path + inside
    args = read_arguments(word, _PARAMS[word], argument, path_inside, notes, ("op", "when"))
    if word == "set" and isinstance(argument, Mapping) and "facts" in argument:
        _check_facts(argument["facts"], (*path_inside, "facts"), notes)
    effect = {"op": word, **{name: value for name, value in args.items() if value is not None}}
    if "when" in value:
        when = read_condition(value["when"], (*path, "when"), notes, vocabulary)
        effect["when"] = render_condition(when) if when is not None else None
    return effect if notes.errors == before else None


def _check_facts(facts: Any, path: Path, notes: RulebookFindings) -> None:
    if not isinstance(facts, Mapping) or not facts:
        notes.add_malformed(
            path, f"'facts' is an object with a fact in it, not {quote_value(facts)}"
        )
        return
    for name, value in facts.items():
        inside = (*path, str(name))
        check_hashable(value, inside, notes)
        if not isinstance(name, str) or not name or name in FIXED:
            known = ", ".join(SETTABLE)
            hint = f"set one of {known}, or a fact of your own"
            notes.add_malformed(inside, f"no effect can set {quote_value(name)}", hint)
        elif name in SETTABLE and not fits_field(value, SETTABLE[name]):
            notes.add_malformed(inside, f"{name!r} cannot be {quote_value(value)}")


def build_conditional_effect(
    effect: Mapping[str, Any], vocabulary: Mapping[str, Predicate]
) -> ConditionalEffect:
    """Compile an effect that was read."""
    when = None
    if effect.get("when") is not None:
        condition = read_condition(effect["when"], (), RulebookFindings(), vocabulary)
        assert condition is not None, "a condition was not what its reader made of it"
        when = build_test(condition)
    return ConditionalEffect(when=when, make=_make_effects(effect))


def _make_effects(effect: Mapping[str, Any]) -> EffectMaker:
    if effect["op"] == "flag":
        flag = FlagEffect(name=effect["name"], value=effect["value"])
        return lambda _case: (flag,)
    resolve = ROLES[effect["role"]].resolve
    if effect["op"] == "set":
        facts = dict(effect["facts"])
        return lambda case: (
            (SetEffect(entity_id=found.id, facts=facts),) if (found := resolve(case)) else ()
        )
    one = _ABOUT_ONE[effect["op"]]
    ids = _make_id_finder(effect["role"], effect.get("attribute"))
    return lambda case: [one(entity_id=id) for id in ids(case)]


def _make_id_finder(role: str, attribute: str | None) -> Callable[[ActionCase], Iterable[Id]]:
    """Return who an effect is about: the role, or every id in one of its attributes."""
    resolve = ROLES[role].resolve
    if attribute is None:
        return lambda case: (found.id,) if (found := resolve(case)) else ()
    read = make_attribute_reader(attribute)

    def list_ids(case: ActionCase) -> Iterable[Id]:
        found = resolve(case)
        ids = read(found) if found is not None else None
        if isinstance(ids, str):
            ids = [ids]
        known = ids[: MOST_EFFECTS + 1] if isinstance(ids, list) else ()
        return dict.fromkeys(
            Id(id) for id in known if isinstance(id, str) and id in case.world.entities
        )

    return list_ids
