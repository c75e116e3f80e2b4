"""Rewrites a process file of state_gate's own form into ours.

Nothing is lost without a word: what has no equivalent is listed, and a condition that
cannot be expressed becomes one that never holds, because a gate must not open by being
rewritten. `reader` checks the result.
"""

import re
from collections.abc import Iterator
from copy import deepcopy
from pathlib import PurePosixPath
from typing import Any, Final

from saniwa.documents.migration_log import MigrationChange, MigrationLog
from saniwa.documents.record_reader import RecordForm, to_snake
from saniwa.process import format
from saniwa.process.definition import APPROVE, DECISIONS, REJECT, WILDCARD

_AGENT = "agent"
_REVIEWER = "reviewer"
_UNKNOWN_GUARD = "not_migrated"
_KEY_NAMES = {"is_terminal": "is_final", "terminal": "is_final", "final": "is_final"}
_HOOK_ACTIONS = {"notify": "notify", "log": "notify"}
_DEEPEST_REFERENCE = 16

Mapping = dict[str, Any]


def migrate_definition(plain: Any) -> tuple[Mapping, tuple[MigrationChange, ...]]:
    """Return the definition in our form, and what was changed.

    Total: what is no mapping gives an empty definition, which the reader reports.
    """
    migration = _DefinitionMigration(deepcopy(_to_mapping(plain)))
    return migration.run(), migration.log.list_changes()


def is_origin_form(plain: Any) -> bool:
    """Whether a definition is in state_gate's own form, which the reader does not take."""
    parts = _to_mapping(plain)

    def list_parts(name: str) -> list[Mapping]:
        return [each for each in _to_list(parts.get(name)) if isinstance(each, dict)]

    return (
        "schemas" in parts
        or any("guards" in way for way in list_parts("transitions"))
        or any(
            _KEY_NAMES.keys() & state.keys()
            or any(isinstance(each, dict) for each in _to_list(state.get("required_artifacts")))
            for state in list_parts("states")
        )
    )


class _DefinitionMigration:
    """One definition while it is rewritten."""

    def __init__(self, plain: Mapping) -> None:
        self.log = MigrationLog()
        self.result = {_name_key(key): value for key, value in plain.items()}
        self.guards: Mapping = dict(_to_mapping(self.result.get("guards")))
        self.kinds: list[str] = []
        """Kinds of evidence that only states and guards name."""

    def run(self) -> Mapping:
        """Rewrite everything, part by part."""
        self._migrate_schemas()
        result = self.result
        self._migrate_header()
        for name, form, migrate in (
            ("states", format.STATE_KEYS, self._migrate_state),
            ("events", format.EVENT_KEYS, self._migrate_event),
            ("transitions", format.TRANSITION_KEYS, self._migrate_transition),
            ("roles", format.ROLE_KEYS, lambda role, _: role),
        ):
            if isinstance(result.get(name), list):
                result[name] = [
                    self._drop_unknown(migrate(_rename_keys(each), place), form, place)
                    if isinstance(each, dict)
                    else each
                    for each, place in _enumerate_places(result[name], name)
                ]
        self._drop_final_exits()
        self._migrate_decisions()
        self._add_kinds()
        if self.guards:
            result["guards"] = self.guards
        return self._drop_unknown(result, format.PROCESS, "")

    def _migrate_schemas(self) -> None:
        """Write shared schemas out where they are used."""
        shared = self.result.pop("schemas", None)
        if isinstance(shared, dict):
            self.log.rewrite("schemas", "shared schemas are written out where they are used")
            self.result = _expand_schemas(self.result, shared, 0)

    def _migrate_header(self) -> None:
        written = self.result.get("process")
        header = written if isinstance(written, dict) else self.result
        for key in ("version", "name"):
            if key not in header:
                usual = "1.0.0" if key == "version" else header.get("id", "process")
                header[key] = usual
                self.log.rewrite(key, "a missing version or name is added")
            elif isinstance(header[key], int | float):
                header[key] = str(header[key])

    def _migrate_state(self, state: Mapping, place: str) -> Mapping:
        renamed: Mapping = {}
        for key, value in state.items():
            ours = _KEY_NAMES.get(key, key)
            if ours != key:
                self.log.rewrite(f"{place}.{key}", f"{key!r} is {ours!r}")
            renamed[ours] = renamed.get(ours) or value
        needed = renamed.get("required_artifacts")
        if isinstance(needed, list):
            renamed["required_artifacts"] = [
                self._migrate_required(each, f"{place}.required_artifacts") for each in needed
            ]
        for key in ("on_enter", "on_exit"):
            if isinstance(renamed.get(key), list):
                hooks = (self._migrate_hook(each, f"{place}.{key}") for each in renamed[key])
                renamed[key] = [hook for hook in hooks if hook is not None]
        return renamed

    def _migrate_required(self, item: Any, place: str) -> Any:
        if not isinstance(item, dict):
            return item
        self.log.rewrite(place, "required files are kinds of evidence, named after the file")
        return self._name_kind(item.get("path") or item.get("type") or "")

    def _migrate_hook(self, hook: Any, place: str) -> Any:
        if not isinstance(hook, dict) or "type" in hook:
            return hook
        kind = _HOOK_ACTIONS.get(str(hook.get("action")))
        if kind is None:
            self.log.drop(place, f"hooks with the action {hook.get('action')!r} are left out")
            return None
        self.log.rewrite(place, "hooks that notify write into the log of the run")
        return {"type": kind, "via": "log", "message": str(hook.get("message", ""))}

    def _migrate_event(self, event: Mapping, place: str) -> Mapping:
        if "allowed_roles" in event:
            return event
        decides = event.get("name") in DECISIONS
        self.log.rewrite(place, "an event without roles may be sent by every role")
        return event | {"allowed_roles": [_REVIEWER] if decides else [WILDCARD]}

    def _migrate_transition(self, way: Mapping, place: str) -> Mapping:
        inline = [key for key in ("guards", "guard") if isinstance(way.get(key), dict | list)]
        if not inline:
            return way
        written = [each for key in inline for each in _to_list(way[key])]
        names = [name for each in written for name in self._name_guards(each, way, place)]
        rest = {key: value for key, value in way.items() if key not in inline}
        names += [rest.pop("guard")] if isinstance(rest.get("guard"), str) else []
        if not names:
            return rest
        if len(names) > 1:
            names = [self._add_guard(_make_name(way), {"type": "all", "guards": names})]
        return rest | {"guard": names[0]}

    def _name_guards(self, written: Any, way: Mapping, place: str) -> Iterator[str]:
        """Give the guards of a transition names of their own."""
        if isinstance(written, str):
            yield written
            return
        kind = _to_mapping(written).get("type")
        if kind == "artifact_exists":
            self.log.rewrite(place, "guards inside transitions have names, under 'guards'")
            for path in _to_list(written.get("paths") or written.get("path") or []):
                found = self._name_kind(path)
                guard = {"type": "artifact", "artifact_type": found, "condition": "exists"}
                yield self._add_guard(f"has_{found}", guard)
        elif kind in format.GUARD_KEYS:
            self.log.rewrite(place, "guards inside transitions have names, under 'guards'")
            yield self._add_guard(_make_name(way), written)
        else:
            message = f"guards of type {kind!r} are not supported and never pass: rewrite them"
            self.log.drop(place, message)
            guard = {"type": "context", "variable": _UNKNOWN_GUARD, "condition": "exists"}
            yield self._add_guard(_UNKNOWN_GUARD, guard)

    def _add_guard(self, name: str, guard: Mapping) -> str:
        """Add a guard under a free name; an equal one is used again."""
        free, number = name, 1
        while free in self.guards and self.guards[free] != guard:
            number += 1
            free = f"{name}_{number}"
        self.guards[free] = guard
        return free

    def _name_kind(self, path: Any) -> str:
        kind = PurePosixPath(str(path)).stem
        if kind not in self.kinds:
            self.kinds.append(kind)
        return kind

    def _add_kinds(self) -> None:
        """Define the kinds that files had, so that guards may name them."""
        defined = self.result.get("artifacts")
        known = [_to_mapping(each).get("type", each) for each in _to_list(defined or [])]
        more = [{"type": kind} for kind in self.kinds if kind not in known]
        if more:
            self.result["artifacts"] = [*_to_list(defined or []), *more]

    def _drop_final_exits(self) -> None:
        """Leave out transitions that leave a final state: a run ends there."""
        states = _list_mappings(self.result.get("states"))
        finals = {each.get("name") for each in states if each.get("is_final") is True}
        kept = []
        for way, place in _enumerate_places(
            _to_list(self.result.get("transitions")), "transitions"
        ):
            if _to_mapping(way).get("from") in finals:
                message = "a final state has no transitions: start another run instead"
                self.log.drop(place, message)
            else:
                kept.append(way)
        if "transitions" in self.result:
            self.result["transitions"] = kept

    def _migrate_decisions(self) -> None:
        """Give decisions to people: the origin lets every role decide that is listed."""
        roles = _list_mappings(self.result.get("roles"))
        for event, place in _enumerate_places(_to_list(self.result.get("events")), "events"):
            name = _to_mapping(event).get("name")
            if name in (APPROVE, REJECT):
                self._migrate_decision(event, name, roles, place)

    def _migrate_decision(
        self, event: Mapping, name: str, roles: list[Mapping], place: str
    ) -> None:
        allowed = _to_list(event.get("allowed_roles"))
        people = [each for each in allowed if each not in (_AGENT, WILDCARD)]
        if people != allowed:
            self.log.drop(place, "agents do not decide: 'reviewer' does")
            event["allowed_roles"] = people = people or [_REVIEWER]
        for role in roles:
            sends = _to_list(role.get("allowed_events"))
            if role.get("name") == _AGENT and name in sends:
                role["allowed_events"] = [each for each in sends if each != name]
        if not roles or any(role.get(f"can_{name}") for role in roles):
            return
        if not any(role.get("name") in people for role in roles):
            added = {"name": people[0], "allowed_events": [name]}
            self.result["roles"].append(added)
            roles.append(added)
        for role in roles:
            if role.get("name") in people:
                role[f"can_{name}"] = True
                self.log.rewrite("roles", f"roles that send {name!r} have 'can_{name}'")

    def _drop_unknown(self, part: Mapping, form: RecordForm, place: str) -> Mapping:
        kept: Mapping = {}
        for key, value in part.items():
            if to_snake(key) in form or key in (*format.KEY_ALIASES, "$schema", "from"):
                kept[key] = value
            elif not key.startswith("_"):
                message = f"{form.owner} has no key {key!r}"
                self.log.drop(f"{place}.{key}".lstrip("."), message)
        return kept


def _expand_schemas(value: Any, shared: Mapping, depth: int) -> Any:
    if isinstance(value, list):
        return [_expand_schemas(each, shared, depth) for each in value]
    if not isinstance(value, dict):
        return value
    named = str(value.get("$ref", "")).removeprefix("#/schemas/")
    if named in shared and depth < _DEEPEST_REFERENCE:
        return _expand_schemas(shared[named], shared, depth + 1)
    return {key: _expand_schemas(each, shared, depth) for key, each in value.items()}


_WORDS: Final = re.compile(r"\w+").findall


def _make_name(way: Mapping) -> str:
    """Make the name of a transition's guard."""
    words = _WORDS(f"{way.get('from', '')} {way.get('event', '')}")
    return "_".join(words) or "guard"


def _name_key(key: str) -> str:
    return key if key.startswith(("_", "$")) else to_snake(key)


def _rename_keys(part: Mapping) -> Mapping:
    return {_name_key(key): value for key, value in part.items()}


def _to_mapping(value: Any) -> Mapping:
    return value if isinstance(value, dict) else {}


def _to_list(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def _list_mappings(value: Any) -> list[Mapping]:
    return [each for each in _to_list(value) if isinstance(each, dict)]


def _enumerate_places(parts: list[Any], name: str) -> Iterator[tuple[Any, str]]:
    for number, part in enumerate(parts):
        yield part, f"{name}[{number}]"
