"""A definition indexed for deciding: every question is one table lookup.

An index only answers questions; `event_decision` makes the decisions.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence

import orjson

from saniwa.process.definition import (
    APPROVE,
    DECISIONS,
    OVERRIDE,
    REJECT,
    WILDCARD,
    ArtifactDefinition,
    ArtifactGuard,
    ChildDefinition,
    Guard,
    Hook,
    LaneDefinition,
    Process,
    Schema,
    StateDefinition,
    TransitionDefinition,
    VariableGuard,
    hash_process,
    is_person_role,
    list_placeholders,
    list_roles,
)
from saniwa.process.ports import GateLog
from saniwa.process.run_state import ProcessRun
from saniwa.process.schema_checker import SchemaChecker
from saniwa.process.submission import Visitor

_UNKNOWN_STATE = StateDefinition(name="")
_UNKNOWN_KIND = ArtifactDefinition(type="")
_SORTED = orjson.OPT_SORT_KEYS


class ProcessIndex:
    """One definition, indexed for lookups."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.hash = hash_process(process)
        self.states = {state.name: state for state in process.states}
        self.events = {event.name: event for event in process.events}
        self.roles = {role.name: role for role in list_roles(process)}
        self.kinds = {kind.type: kind for kind in reversed(process.artifacts)}
        self.has_hooks = any(
            s.on_enter or s.on_exit or s.children or s.lanes for s in process.states
        )
        self._transitions: dict[tuple[str, str], list[TransitionDefinition]] = {}
        self._automatic: dict[str, list[TransitionDefinition]] = {}
        self._open_transitions: dict[
            tuple[str, str, Visitor], tuple[TransitionDefinition, ...]
        ] = {}
        self._required_kinds: dict[TransitionDefinition, tuple[str, ...]] = {}
        self._schema_digests: dict[str, str] = {}
        self._checkers: dict[int, SchemaChecker] = {}
        for way in process.transitions:
            if way.is_automatic:
                self._automatic.setdefault(way.source, []).append(way)
            else:
                self._transitions.setdefault((way.source, way.event), []).append(way)
        for automatic in self._automatic.values():
            automatic.sort(key=lambda each: each.after)
        for ways in self._transitions.values():
            # Guarded transitions first, in the author's order; then those without a
            # guard.
            ways.sort(key=lambda each: not each.guard)
        self.guarded_variables = frozenset(
            name for guard in process.guards.values() for name in _list_variables(guard)
        )

    def get_state(self, name: str) -> StateDefinition:
        """Return the state of that name; an empty state for an unknown name."""
        return self.states.get(name, _UNKNOWN_STATE)

    def map_state(self, state: str) -> str:
        """Return the state that a run of an earlier version has in this one."""
        return state if state in self.states else self.process.state_map.get(state, state)

    def get_kind(self, name: str) -> ArtifactDefinition:
        """Return the kind of evidence of that name; an empty one for an unknown name."""
        return self.kinds.get(name, _UNKNOWN_KIND)

    def find_transitions(self, state: str, event: str) -> Sequence[TransitionDefinition]:
        """Return the transitions an event could take, in order of preference."""
        return self._transitions.get((state, event), ())

    def list_outgoing(self, state: str) -> Iterator[TransitionDefinition]:
        """Yield every transition out of a state that an event can trigger."""
        for (source, _), ways in self._transitions.items():
            if source == state:
                yield from ways

    def list_automatic(self, state: str) -> Sequence[TransitionDefinition]:
        """Return the transitions out of a state that the gate takes by itself.

        Those with the shortest delay come first.
        """
        return self._automatic.get(state, ())

    def find_open_transitions(
        self, state: str, event: str, visitor: Visitor
    ) -> tuple[TransitionDefinition, ...]:
        """Return the transitions the visitor may take; empty if it may not send."""
        cache_key = (state, event, visitor)
        found = self._open_transitions.get(cache_key)
        if found is None:
            ways = self.find_transitions(state, event) if self.can_send(event, visitor) else ()
            found = tuple(
                way
                for way in ways
                if way.allowed_roles is None or _includes(way.allowed_roles, visitor.role)
            )
            self._open_transitions[cache_key] = found
        return found

    def can_send(self, event: str, visitor: Visitor) -> bool:
        """Whether event and role definitions both let the visitor send an event."""
        role = self.roles.get(visitor.role)
        defined = self.events.get(event)
        if role is None or defined is None:
            return False
        if not visitor.person and (event in DECISIONS or is_person_role(role)):
            return False
        if (event == APPROVE and not role.can_approve) or (event == REJECT and not role.can_reject):
            return False
        return _includes(defined.allowed_roles, role.name) and _includes(role.allowed_events, event)

    def list_allowed_roles(self, event: str, state: str = "") -> tuple[str, ...]:
        """List the roles that could send an event, in the author's order."""
        found = []
        for role in self.roles.values():
            visitor = Visitor(role.name, person=is_person_role(role) or event in DECISIONS)
            if event in DECISIONS and not is_person_role(role):
                continue
            ways = self.find_open_transitions(state, event, visitor) if state else (None,)
            if self.can_send(event, visitor) and (ways or event == OVERRIDE):
                found.append(role.name)
        return tuple(found)

    def list_required_kinds(self, way: TransitionDefinition) -> tuple[str, ...]:
        """List the kinds of evidence that must exist before a transition is taken.

        These are the kinds its state requires, if the transition leaves the state, and
        the kinds that are required for this transition.
        """
        found = self._required_kinds.get(way)
        if found is None:
            found = self._required_kinds[way] = self._compute_required_kinds(way)
        return found

    def _compute_required_kinds(self, way: TransitionDefinition) -> tuple[str, ...]:
        named = {way.event, f"{way.source}->{way.to}", f"{way.source} -> {way.to}"}
        leaves = way.source != way.to and way.event not in (REJECT, OVERRIDE)
        kinds = (
            set(self.list_kinds_for_state(way.source)) if leaves and not way.is_automatic else set()
        )
        for kind in self.process.artifacts:
            if not named.isdisjoint(kind.required_for_transitions):
                kinds.add(kind.type)
        return tuple(sorted(kinds))

    def list_kinds_for_state(self, state: str) -> tuple[str, ...]:
        """List the kinds needed before a run leaves a state, in the author's order."""
        kinds = dict.fromkeys(self.get_state(state).required_artifacts)
        for kind in self.process.artifacts:
            if state in kind.required_in_states:
                kinds[kind.type] = None
        return tuple(kinds)

    def list_hooks(
        self, source: str, state: str
    ) -> tuple[Hook | ChildDefinition | LaneDefinition, ...]:
        """List what is done between two states; empty if they are the same.

        Hooks, then child runs and lanes that begin.
        """
        if not self.has_hooks or source == state:
            return ()
        entered = self.get_state(state)
        own = (*self.get_state(source).on_exit, *entered.on_enter)
        return (*own, *entered.children, *entered.lanes)

    def get_checker(self, schema: Schema | None) -> SchemaChecker | None:
        """Return the checker for one of the definition's schemas; None for no schema."""
        if schema is None:
            return None
        if id(schema) not in self._checkers:
            self._checkers[id(schema)] = SchemaChecker(schema)
        return self._checkers[id(schema)]

    def digest_schema(self, kind: str) -> str:
        """Digest a kind's schema, to detect changes; empty if it has none."""
        mark = self._schema_digests.get(kind)
        if mark is None:
            schema = self.get_kind(kind).schema
            encoded = b"" if schema is None else orjson.dumps(schema, option=_SORTED)
            mark = hashlib.sha256(encoded).hexdigest()[:16] if encoded else ""
            self._schema_digests[kind] = mark
        return mark

    def list_required_fields(self, kind: str) -> tuple[str, ...]:
        """List the fields that guards require of artifacts of a kind, sorted."""
        names = {
            name
            for guard in self.process.guards.values()
            if isinstance(guard, ArtifactGuard)
            and guard.artifact_type == kind
            and guard.condition == "has_fields"
            for name in guard.required_fields
        }
        return tuple(sorted(names))


def _list_variables(guard: Guard) -> tuple[str, ...]:
    """List the variables that a guard reads."""
    if isinstance(guard, VariableGuard):
        return (guard.variable,)
    return tuple(name for source, name, _ in list_placeholders(guard) if source == "context")


def _includes(names: tuple[str, ...], name: str) -> bool:
    return name in names or WILDCARD in names


_PLACEHOLDER = re.compile(r"\{context\.([^{}\s]{1,100})\}")


def render_prompt(state: StateDefinition, variables: dict[str, object]) -> str:
    """Fill in `{context.name}` in the state's prompt; unknown names stay."""
    if "{" not in state.prompt:
        return state.prompt

    def fill(found: re.Match[str]) -> str:
        value = variables.get(found[1], found[0])
        return value if isinstance(value, str) else orjson.dumps(value).decode()

    return _PLACEHOLDER.sub(fill, state.prompt)


class ProcessIndexCache:
    """Plans by the hash of their definition; entries never expire.

    A definition never changes, so neither does its index.
    """

    def __init__(self, log: GateLog) -> None:
        """Create a cache for the runs in a log."""
        self._log = log
        self._indexes: dict[str, ProcessIndex] = {}
        self.any_hooks = False
        """Whether any run loaded so far has hooks or a parent."""

    def load_index(self, hash: str) -> ProcessIndex:
        """Return the index of the definition with that hash.

        Raises:
            StoreError: `DEFINITION_MISSING`.
        """
        index = self._indexes.get(hash)
        return index or self.add_index(ProcessIndex(self._log.load_definition(hash)))

    def load_index_for(self, run: ProcessRun) -> ProcessIndex:
        """Return the index of the definition a run is on.

        Raises:
            StoreError: `DEFINITION_MISSING`.
        """
        self.any_hooks = self.any_hooks or run.opening.parent is not None
        return self.load_index(run.opening.definition)

    def add_index(self, index: ProcessIndex) -> ProcessIndex:
        """Add an index that was made elsewhere."""
        self._indexes[index.hash] = index
        self.any_hooks = self.any_hooks or index.has_hooks
        return index
