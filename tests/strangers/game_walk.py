"""One game walked on both sides at once, compared in every state."""

from collections.abc import Callable
from random import Random  # noqa: TID251 - seeded: the same seed walks the same way
from typing import Any, NamedTuple, Self

from saniwa.integrations.textworld.importer import import_game
from saniwa.rulebook.judge import find_admissible_actions, judge
from saniwa.rulebook.loader import build_rulebook, resolve_layers
from saniwa.runs.rehearsal import WorldTrial
from saniwa.scenario.loader import load_scenario
from saniwa.story.step_builder import WorldRequest
from saniwa.world import actions
from saniwa.world.queries import is_goal_reached
from tests.fakes.textworld import to_document
from tests.strangers.game import TextWorldGame
from tests.strangers.textworld_dialect import PLAYER, StrictDialect

_NONSENSE = 100
"""Actions of any verb with any ids, tried in every state."""


class ComparisonCounts(NamedTuple):
    """How much was compared."""

    states: int
    """States, each with its allowed commands, its facts and whether it is won."""
    listed: int
    """Commands that both allow."""
    refused: int
    """Commands that both refuse."""

    def put_to(self, tally: Callable[[str, int], None]) -> None:
        """Add the counts to the last line of the run."""
        tally("states", self.states)
        tally("commands allowed by both", self.listed)
        tally("commands refused by both", self.refused)

    def __add__(self, other: Any) -> Self:
        return type(self)(*(a + b for a, b in zip(self, other, strict=True)))


NOTHING = ComparisonCounts(0, 0, 0)


class GameWalk:
    """Both sides of one game, at the same moment."""

    def __init__(
        self,
        game: Any,
        tongue: StrictDialect,
        story: str,
        theirs: type[TextWorldGame] = TextWorldGame,
    ) -> None:
        """A game at its beginning; `story` says how to make it again."""
        imported = import_game(to_document(game), "game")
        assert imported.scenario is not None, f"{story}\n{imported.report.errors}"
        assert imported.scenario["rulebook"] == tongue.book, story
        self._book = build_rulebook(resolve_layers(tongue.book))
        self._ours = WorldTrial(load_scenario(imported.scenario).world, self._book, PLAYER)
        self._theirs = theirs(game)
        self._tongue, self._story = tongue, story
        self._lines: list[str] = []
        self.compared = NOTHING
        """How much was compared on this walk."""

    def go_on(self, lines: list[str], chance: Random) -> None:
        """Play the lines in order; compare before each one and at the end."""
        for line in lines:
            self._compare(chance)
            fits = [c for c, named in self._theirs.commands.items() if named == line]
            assert fits, self._render_story(f"TextWorld does not allow {line!r}")
            self._do(fits[0])
        self._compare(chance)

    def win_game(self, lines: list[str], chance: Random) -> None:
        """The same, with lines that win the game."""
        self.go_on(lines, chance)
        assert self._theirs.is_complete, self._render_story("the game is not won")

    def walk_randomly(self, steps: int, chance: Random) -> None:
        """Play `steps` random commands; compare before each one and at the end."""
        for _ in range(steps):
            self._compare(chance)
            by_verb: dict[str, list[str]] = {}
            for command in sorted(self._theirs.commands):
                if not command.startswith((*self._tongue.idle, *self._tongue.unspoken)):
                    by_verb.setdefault(command.split()[0], []).append(command)
            if not by_verb:
                return
            # Draw the verb first; otherwise a full room would give almost only `put`.
            self._do(chance.choice(by_verb[chance.choice(sorted(by_verb))]))
        self._compare(chance)

    def _do(self, command: str) -> None:
        line = self._theirs.commands[command]
        self._lines.append(line)
        outcome = self._ours.do(WorldRequest(line, spoken=True))
        assert outcome.allowed, self._render_story(f"refused with {outcome.reason!r}")
        self._theirs.do(command)

    def _compare(self, chance: Random) -> None:
        listed = self._list_allowed()
        refused = self._weigh(listed, chance)
        self._assert_same("is so", self._list_known_facts(), self._list_our_facts())
        if self._theirs.is_complete != is_goal_reached(self._ours.world):
            raise AssertionError(self._render_story("only one side is won"))
        self.compared += ComparisonCounts(1, len(listed), refused)

    def _list_allowed(self) -> set[str]:
        """What TextWorld allows; Saniwa must allow the same."""
        theirs = {
            command
            for command in self._theirs.commands
            if not command.startswith(self._tongue.unspoken)
        }
        world = self._ours.world
        ours = self._tongue.list_commands(find_admissible_actions(world, PLAYER, self._book), world)
        self._assert_same("is allowed", theirs, ours)
        return theirs

    def _weigh(self, allowed: set[str], chance: Random) -> int:
        """How many actions were refused, each correctly and by a check with a name."""
        world, types, refused = self._ours.world, self._theirs.types, 0
        asked = list(self._tongue.iterate_sayable(world, types))
        asked += (self._tongue.draw_nonsense(chance, types) for _ in range(_NONSENSE))
        for action in asked:
            said = self._tongue.render_action(action, world)
            verdict = judge(action, world, self._book)
            if verdict.success != (said in allowed):
                raise AssertionError(self._render_story(f"{_render_action(action)}: {verdict}"))
            if not verdict.success:
                refused += 1
                named = verdict.check and verdict.reason_code not in ("OK", "UNKNOWN")
                assert named, self._render_story(
                    f"no reason for {_render_action(action)}: {verdict}"
                )
        return refused

    def _list_known_facts(self) -> set[str]:
        unknown = self._tongue.unknown
        return {f for f in self._theirs.facts if f.partition("(")[0] not in unknown}

    def _list_our_facts(self) -> set[str]:
        return self._tongue.list_facts(self._ours.world, self._theirs.types)

    def _assert_same(self, what: str, theirs: set[str], ours: set[str]) -> None:
        assert theirs == ours, self._render_story(
            f"with TextWorld alone {what}: {sorted(theirs - ours)}\n"
            f"with us alone {what}: {sorted(ours - theirs)}"
        )

    def _render_story(self, difference: str) -> str:
        lines = "".join(f"\n> {line}" for line in self._lines)
        return f"{self._story}{lines}\n{difference}"


def _render_action(action: actions.Action) -> str:
    ids = (getattr(action, role) for role in action.roles)
    return " ".join((actions.get_action_type(action), *(str(id) for id in ids if id is not None)))


def explore_game(
    begin: Callable[[], GameWalk], lines: list[str], chance: Random, walks: int, steps: int
) -> ComparisonCounts:
    """Win the game, then walk it randomly as many times and steps as given."""
    whole = begin()
    whole.win_game(lines, chance)
    compared = whole.compared
    for _ in range(walks):
        walk = begin()
        # Start anywhere on the walkthrough, or the late parts of a game would rarely be reached.
        walk.go_on(lines[: chance.randint(0, len(lines))], chance)
        walk.walk_randomly(steps, chance)
        compared += walk.compared
    return compared
