"""A definition made ready to decide with: every question is one look into a table."""

import hashlib
import re
from collections.abc import Iterator, Sequence

import orjson

from saniwa.process.definition import (
    APPROVE,
    DECISIONS,
    EVERYBODY,
    OVERRIDE,
    REJECT,
    ArtifactGuard,
    EventDefinition,
    Hook,
    Process,
    Schema,
    State,
    Transition,
    VariableGuard,
    hash_of,
    is_persons,
    roles_of,
)
from saniwa.process.visitor import Visitor
from saniwa.process.weighing.schema import Checker

_UNKNOWN = State(name="")
_SORTED = orjson.OPT_SORT_KEYS


class Plan:
    """One definition, ready to be asked."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.hash = hash_of(process)
        self.states = {state.name: state for state in process.states}
        self.events = {event.name: event for event in process.events}
        self.roles = {role.name: role for role in roles_of(process)}
        self.kinds = frozenset(kind.type for kind in process.artifacts)
        self.has_hooks = any(s.on_enter or s.on_exit for s in process.states)
        self._ways: dict[tuple[str, str], list[Transition]] = {}
        self._timers: dict[str, list[Transition]] = {}
        self._open: dict[tuple[str, str, Visitor], tuple[Transition, ...]] = {}
        self._needs: dict[Transition, tuple[str, ...]] = {}
        self._marks: dict[str, str] = {}
        self._checkers: dict[str, Checker | None] = {}
        for way in process.transitions:
            if way.after:
                self._timers.setdefault(way.source, []).append(way)
            else:
                self._ways.setdefault((way.source, way.event), []).append(way)
        for timers in self._timers.values():
            timers.sort(key=lambda each: each.after)
        for ways in self._ways.values():
            # Those with a guard first, in the author's order; then those without.
            ways.sort(key=lambda each: not each.guard)
        self.guarded_variables = frozenset(
            guard.variable
            for guard in process.guards.values()
            if isinstance(guard, VariableGuard)
        )

    def state(self, name: str) -> State:
        """The state of that name; an empty one for a name the definition has not."""
        return self.states.get(name, _UNKNOWN)

    def ways(self, state: str, event: str) -> Sequence[Transition]:
        """The transitions an event could take from a state, in order of preference."""
        return self._ways.get((state, event), ())

    def leaving(self, state: str) -> Iterator[Transition]:
        """Every transition out of a state that somebody can set off."""
        for (source, _), ways in self._ways.items():
            if source == state:
                yield from ways

    def timers(self, state: str) -> Sequence[Transition]:
        """The transitions time takes out of a state, the soonest first."""
        return self._timers.get(state, ())

    def open_to(
        self, state: str, event: str, visitor: Visitor
    ) -> tuple[Transition, ...]:
        """Those of the ways that the visitor may take; none if it may not send it."""
        asked = (state, event, visitor)
        found = self._open.get(asked)
        if found is None:
            ways = self.ways(state, event)
            may = self.may_send(event, visitor)
            found = tuple(w for w in ways if may and _allows(w, visitor.role))
            self._open[asked] = found
        return found

    def may_send(self, event: str, visitor: Visitor) -> bool:
        """Whether event and role definitions both let the visitor send an event."""
        role = self.roles.get(visitor.role)
        defined = self.events.get(event)
        if role is None or defined is None:
            return False
        if is_persons(role) and not visitor.person:
            return False
        if event in DECISIONS and not visitor.person:
            return False
        if event == APPROVE and not role.can_approve:
            return False
        if event == REJECT and not role.can_reject:
            return False
        return _names(defined.allowed_roles, role.name) and _grants(
            role.allowed_events, event
        )

    def who_may(self, event: str, state: str = "") -> tuple[str, ...]:
        """The roles that could send an event, in the author's order."""
        found = []
        for role in self.roles.values():
            visitor = Visitor(role.name, person=is_persons(role) or event in DECISIONS)
            if event in DECISIONS and not is_persons(role):
                continue
            ways = self.open_to(state, event, visitor) if state else (None,)
            if self.may_send(event, visitor) and (ways or event == OVERRIDE):
                found.append(role.name)
        return tuple(found)

    def needs(self, way: Transition) -> tuple[str, ...]:
        """The kinds of evidence that must be there before a transition is taken.

        What its state requires, if the state is left; and what asks to be there for it.
        """
        found = self._needs.get(way)
        if found is None:
            found = self._needs[way] = self._needed(way)
        return found

    def _needed(self, way: Transition) -> tuple[str, ...]:
        named = {way.event, f"{way.source}->{way.to}", f"{way.source} -> {way.to}"}
        leaves = way.source != way.to and way.event not in (REJECT, OVERRIDE)
        kinds = set(self.required_in(way.source)) if leaves and not way.after else set()
        for kind in self.process.artifacts:
            if not named.isdisjoint(kind.required_for_transitions):
                kinds.add(kind.type)
        return tuple(sorted(kinds))

    def required_in(self, state: str) -> tuple[str, ...]:
        """The kinds of evidence a state is not left without, in the author's order."""
        kinds = dict.fromkeys(self.state(state).required_artifacts)
        for kind in self.process.artifacts:
            if state in kind.required_in_states:
                kinds[kind.type] = None
        return tuple(kinds)

    def hooks(self, source: str, state: str) -> tuple[Hook, ...]:
        """What happens on coming from one state to another; nothing on staying."""
        if not self.has_hooks or source == state:
            return ()
        return (*self.state(source).on_exit, *self.state(state).on_enter)

    def payload_checker(self, event: EventDefinition) -> Checker | None:
        """What an event's payload is held to."""
        return self._checker(f"event {event.name}", event.payload_schema)

    def artifact_checker(self, kind: str) -> Checker | None:
        """What an artifact of a kind is held to."""
        return self._checker(f"artifact {kind}", self._schema(kind))

    def schema_mark(self, kind: str) -> str:
        """What tells one schema of a kind from another; empty if it has none."""
        mark = self._marks.get(kind)
        if mark is None:
            schema = self._schema(kind)
            told = b"" if schema is None else orjson.dumps(schema, option=_SORTED)
            mark = hashlib.sha256(told).hexdigest()[:16] if told else ""
            self._marks[kind] = mark
        return mark

    def _schema(self, kind: str) -> Schema | None:
        return next((k.schema for k in self.process.artifacts if k.type == kind), None)

    def forms(self, kind: str) -> tuple[str, ...]:
        """How a kind may be handed in; none where it may be in every way."""
        return next((k.forms for k in self.process.artifacts if k.type == kind), ())

    def lookup(self, kind: str) -> str:
        """What is looked up before an artifact of a kind is accepted; empty for nothing."""
        return next((k.lookup for k in self.process.artifacts if k.type == kind), "")

    def asks_fields(self, kind: str) -> bool:
        """Whether some guard asks what artifacts of a kind say."""
        return any(
            isinstance(guard, ArtifactGuard)
            and guard.artifact_type == kind
            and guard.condition == "has_fields"
            for guard in self.process.guards.values()
        )

    def variables_checker(self) -> Checker | None:
        """What the run's variables are held to."""
        return self._checker("variables", self.process.variables_schema)

    def _checker(self, name: str, schema: object) -> Checker | None:
        if name not in self._checkers:
            self._checkers[name] = None if schema is None else Checker(schema)  # type: ignore[arg-type]
        return self._checkers[name]


def _names(roles: tuple[str, ...], role: str) -> bool:
    return role in roles or EVERYBODY in roles


def _grants(events: tuple[str, ...], event: str) -> bool:
    return event in events or EVERYBODY in events


def _allows(way: Transition, role: str) -> bool:
    return way.allowed_roles is None or _names(way.allowed_roles, role)


_PLACEHOLDER = re.compile(r"\{context\.([^{}\s]{1,100})\}")


def prompt_of(state: State, variables: dict[str, object]) -> str:
    """The state's prompt with `{context.name}` filled in; unknown names stay as they are."""

    def fill(found: re.Match[str]) -> str:
        value = variables.get(found[1], found[0])
        return value if isinstance(value, str) else orjson.dumps(value).decode()

    return _PLACEHOLDER.sub(fill, state.prompt) if "{" in state.prompt else state.prompt
