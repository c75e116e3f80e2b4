"""The state of a story while it is played: everything but its current address."""

from collections.abc import Mapping
from typing import Protocol

import msgspec
from immutables import Map

from saniwa.core.errors import ScriptError
from saniwa.core.findings import SourceLocation
from saniwa.core.random import derive_state, draw_between
from saniwa.story.elements import AssignElement, ClearElement, PictureElement, SoundElement
from saniwa.story.finding_collector import make_story_error
from saniwa.story.program import EnterOp
from saniwa.story.step_result import Directive
from saniwa.story.value_operations import Value, assign_value

LONGEST_HISTORY = 200_000
"""The most choices, and characters of answers, that are stored."""


class StoryFacts(Protocol):
    """What conditions can ask about a world; implemented by the owner of that world."""

    def look_up_fact(self, name: str, given: tuple[Value, ...]) -> Value:
        """Return the value of `flag`, `place`, `holds`, `here` or `state`."""


class MemorySnapshot(msgspec.Struct, frozen=True, gc=False):
    """The memory at one moment. Parts are shared, so storing one costs little."""

    variables: Map[str, Value]
    """The author's variables."""
    visits: Map[str, int]
    """How often each label was passed, by key."""
    chosen: Map[str, int]
    """How often each option was chosen, by id."""
    varied: Map[str, int]
    """How often each variation was shown, by line id and number."""
    calls: tuple[int, ...]
    """Return addresses, innermost last."""
    chance: int
    """The state of the random generator."""
    choices: int
    """How many choices were made, including those no longer stored."""
    layers: tuple[tuple[str, str], ...]
    """The pictures shown, by layer, in the order they were shown."""
    music: str
    """The music that is playing; empty for none."""
    prelude: tuple[Directive, ...]
    """Shown before the next step: the world's lines, or what was shown already."""


class StoryMemory:
    """A story's memory: expressions and texts read it, operations change it."""

    def __init__(
        self,
        variables: Mapping[str, Value],
        aliases: Mapping[str, str],
        seed: int,
        facts: StoryFacts | None,
    ) -> None:
        """Start with the initial values only."""
        self.seed = seed
        self.variables: Map[str, Value] = Map(variables)
        self.calls: tuple[int, ...] = ()
        self.layers: tuple[tuple[str, str], ...] = ()
        self.music = ""
        self.prelude: tuple[Directive, ...] = ()
        self.choices: list[int | str] = []
        self.forgotten = 0
        self._weight = 0
        self._aliases = aliases
        self._facts = facts
        self._visits: Map[str, int] = Map()
        self._chosen: Map[str, int] = Map()
        self._varied: Map[str, int] = Map()
        self._chance = derive_state(seed, "")
        self.kept: MemorySnapshot | None = None
        """The snapshot of the present state; None after a change until one is taken."""

    def take_snapshot(self) -> MemorySnapshot:
        """Return a snapshot of the present state."""
        if self.kept is None:
            self.kept = MemorySnapshot(
                self.variables,
                self._visits,
                self._chosen,
                self._varied,
                self.calls,
                self._chance,
                self.forgotten + len(self.choices),
                self.layers,
                self.music,
                self.prelude,
            )
        return self.kept

    def restore_snapshot(self, moment: MemorySnapshot) -> None:
        """Return to the state of a snapshot."""
        self.variables = moment.variables
        self._visits = moment.visits
        self._chosen = moment.chosen
        self._varied = moment.varied
        self.calls = moment.calls
        self._chance = moment.chance
        self.layers = moment.layers
        self.music = moment.music
        self.prelude = moment.prelude
        del self.choices[max(0, moment.choices - self.forgotten) :]
        self.kept = moment

    # What an expression or a text can read.

    def count_visits(self, label: str) -> int:
        """How often a label was passed."""
        return self._visits.get(self._aliases.get(label, label), 0)

    def count_choices(self, option: str) -> int:
        """How often an option was chosen, by its id."""
        return self._chosen.get(option, 0)

    def roll(self, low: int, high: int) -> int:
        """Draw a whole number between the two from the story's own generator."""
        self._chance, rolled = draw_between(self._chance, low, high)
        self.kept = None
        return rolled

    def look_up_fact(self, name: str, given: tuple[Value, ...]) -> Value:
        """Look up a fact of the story's world.

        Raises:
            ScriptError: `WORLD_MISSING` if there is no world.
        """
        if self._facts is None:
            raise make_story_error("WORLD_MISSING/asked", name=name)
        return self._facts.look_up_fact(name, given)

    def count_showing(self, key: str) -> int:
        """Return how often a variation was shown before, and count this showing."""
        count = self._varied.get(key, 0)
        self._varied = self._varied.set(key, count + 1)
        self.kept = None
        return count

    # What operations change.

    def record_visit(self, op: EnterOp) -> None:
        """Count a visit."""
        label, visits = op.label, self._visits
        self._visits = visits.set(label, visits.get(label, 0) + 1)
        self.kept = None

    def assign_op(self, op: AssignElement) -> None:
        """Assign a value to a variable.

        Raises:
            ScriptError: `EXPRESSION_FAILED`, with its place.
        """
        name, variables = op.name, self.variables
        try:
            worth = assign_value(variables.get(name), op.operator, op.worth.worth(self))
        except ScriptError as problem:
            problem.where = problem.where or SourceLocation(line=op.line, column=op.column)
            raise
        # The expression may have drawn or counted, but it cannot have set a variable.
        self.variables = variables.set(name, worth)
        self.kept = None

    def set_variable(self, name: str, worth: Value) -> None:
        """Set a variable."""
        self.variables = self.variables.set(name, worth)
        self.kept = None

    def push_call(self, to: int) -> None:
        """Push a return address."""
        self.calls = (*self.calls, to)
        self.kept = None

    def pop_call(self) -> int:
        """Pop the innermost call, and return its return address."""
        *outer, to = self.calls
        self.calls = tuple(outer)
        self.kept = None
        return to

    def record_option(self, option: str) -> None:
        """Count a choice of an option."""
        chosen = self._chosen
        self._chosen = chosen.set(option, chosen.get(option, 0) + 1)
        self.kept = None

    def record_choice(self, choice: int | str) -> None:
        """Add a choice to the history; beyond the limit its older half is dropped."""
        self.choices.append(choice)
        self._weight += len(choice) if isinstance(choice, str) else 1
        if self._weight > LONGEST_HISTORY:
            half = (len(self.choices) + 1) // 2
            del self.choices[:half]
            self.forgotten += half
            self._weight = sum(len(str(stored)) for stored in self.choices)
        self.kept = None

    def apply_scenery(self, op: PictureElement | ClearElement | SoundElement) -> None:
        """Show a picture on its layer, clear a layer, or play music."""
        if isinstance(op, SoundElement):
            self.music = op.name
        else:
            others = tuple(pair for pair in self.layers if pair[0] != op.layer)
            name = op.name if isinstance(op, PictureElement) else ""
            self.layers = (*others, (op.layer, name)) if name else others
        self.kept = None

    def set_prelude(self, prelude: tuple[Directive, ...]) -> None:
        """Set the directives that are shown before the next step."""
        self.prelude = prelude
        self.kept = None
