"""Cooking games: how TextWorld plays them, and how its commands map to Saniwa's actions.

What differs from TextWorld's own list is described in docs/decisions/rulebook-cooking.md.
"""

from collections.abc import Iterable, Iterator
from itertools import product
from random import Random  # noqa: TID251 - seeded: the same seed asks the same
from typing import Any, Final

from saniwa.integrations.textworld.game_format import HEAT, OWN
from saniwa.world import actions as world_actions
from saniwa.world.model import Id, World
from tests.fakes.textworld import make_challenge_game, render_command
from tests.strangers.game import TextWorldGame
from tests.strangers.game_makers import MOST_TRIES, MadeGame
from tests.strangers.textworld_dialect import PLAYER, StrictDialect, Types

_PREPARE = "prepare meal"
_CUTS: Final = ("slice", "chop", "dice")
_ALIKE = {"meal": "f", "oven": "c", "toaster": "c", "stove": "s"}
_NOTIONS = ("slot", "ingredient", "RECIPE")
ROOMS = (1, 6, 9, 12)
"""The numbers of rooms a cooking game can have."""


def make_cooking_game(seed: int) -> MadeGame:
    """The cooking game of a seed: its settings and everything in it."""
    chance = Random(seed)
    for _ in range(MOST_TRIES):
        settings = _draw_settings(chance, ROOMS[seed % len(ROOMS)])
        try:
            game = make_challenge_game("tw-cooking", chance.randrange(65536), **settings)
        except ValueError:
            # TextWorld raises for some foods where there is no grill to prepare them with.
            continue
        if _fits_hands(game):
            return MadeGame(game, ", ".join(f"{k}={v!r}" for k, v in settings.items()))
    raise AssertionError(f"TextWorld makes no kitchen for seed {seed}")


def _draw_settings(chance: Random, rooms: int) -> dict[str, Any]:
    recipe = chance.randint(1, 5)
    return {
        "recipe": recipe,
        "take": chance.randint(0, recipe),
        "go": rooms,
        **{name: chance.random() < 0.7 for name in ("open", "cook", "cut")},
        # TextWorld is off by one in the number of hands for a meal of four ingredients.
        "drop": chance.random() < 0.5 and recipe != 4,
        "split": chance.choice(("train", "valid", "test", None)),
        "recipe_seed": 0,
    }


def _fits_hands(game: Any) -> bool:
    """Whether the things held at first fill exactly the used slots; otherwise try another game."""
    facts = [*game.world.state.facts]
    held = sum(f.name == "in" and f.arguments[1].name == "I" for f in facts)
    slots = [f for f in facts if f.arguments and f.arguments[0].type == "slot"]
    return not slots or held == sum(f.name == "used" for f in slots)


class CookingGame(TextWorldGame):
    """A cooking game at one moment."""

    @property
    def facts(self) -> set[str]:
        """Every true fact that a scenario says too."""
        told = super().facts
        gone = {f.split("(")[1][:-1] for f in told if f.startswith("consumed(")}
        hands = sum(self._is("slot", f) for f in told if f.startswith("used("))
        counted = {f"hands({hands})"} if "slot" in self.types.values() else set()
        # The cookbook and the quests say how an ingredient should be prepared.
        plain = {
            f
            for f in told
            if not (f.startswith("base(") or self._is("slot", f))
            and not (self._is("ingredient", f))
        }
        return {f for f in plain if _is_lasting(f, gone)} | counted

    def _is(self, type: str, fact: str) -> bool:
        return self.types.get(_read_first(fact)) == type

    def _list(self) -> None:
        super()._list()
        # What can only be drunk may be eaten: both are one action in Saniwa.
        for command in [c for c in self._actions if c.startswith("drink ")]:
            action = self._actions.pop(command)
            self._actions.setdefault(command.replace("drink", "eat", 1), action)
        # Food may be raw and cooked at once, so two rules may share a command: it burns.
        for action in self._list_rule_actions("/burned"):
            self._actions[render_command(action, self.made)] = action
        whole = next(self._list_meal_actions(), None)
        self._actions.pop(_PREPARE, None)
        if whole is not None:
            self._actions[_PREPARE] = whole

    def _list_meal_actions(self) -> Iterator[Any]:
        """The ways to make the meal from all its ingredients, not from some of them."""
        count = sum(type == "ingredient" for type in self.types.values())
        return self._list_rule_actions(f"make/recipe/{count}")

    def _list_rule_actions(self, ending: str) -> Iterator[Any]:
        """What may be done by the rules whose names have this ending."""
        knowledge = self.made.kb
        rules = [r for name, r in knowledge.rules.items() if name.endswith(ending)]
        found: Iterator[Any] = self._state.all_applicable_actions(
            rules, knowledge.types.constants_mapping
        )
        return found


def _read_first(fact: str) -> str:
    return fact.split("(")[1].rstrip(")").split(", ")[0]


def _is_lasting(fact: str, gone: set[str]) -> bool:
    """Whether a fact is about something that exists, or says that it no longer exists.

    In Saniwa the recipe is a fact of the meal, and disappears with it.
    """
    if fact.startswith(("ingredient_", "cooking_location(", "out(")):
        return not any(id.startswith("meal") for id in gone)
    return _read_first(fact) not in gone or fact.startswith("consumed(")


class CookingDialect(StrictDialect):
    """The words of the cooking games, for the `cooking` book."""

    book = "cooking"
    unknown = ()

    def render_action(self, action: world_actions.Action, world: World) -> str:
        """The command for an action; one that no game uses if TextWorld has none for it."""
        if isinstance(action, world_actions.Introduce):
            return f"bring in {action.target_id}"
        if not isinstance(action, world_actions.Use):
            return super().render_action(action, world)
        if action.manner != "prepare":
            with_it = f" with {action.tool_id}" if action.tool_id else ""
            return f"{action.manner} {action.target_id}{with_it}" if action.manner else ""
        thing = world.entities.get(action.target_id)
        made = thing is not None and "ingredients" in thing.attributes
        return _PREPARE if made and not action.tool_id else f"prepare {action.target_id}"

    def list_commands(self, actions: Iterable[world_actions.Action], world: World) -> set[str]:
        """The commands for actions, without those that TextWorld has no word for."""
        return super().list_commands(actions, world) - self._list_unseen(world)

    def _list_unseen(self, world: World) -> set[str]:
        """Examining held things and doors: TextWorld has no rule for it."""
        doors = (e.id for e in world.entities.values() if e.kind == "door")
        return {f"examine {id}" for id in (*world.list_contents(PLAYER), *doors)}

    def iterate_sayable(self, world: World, types: Types) -> Iterator[world_actions.Action]:
        """Every action over the vocabulary of the game: each verb with each id that fits it."""
        alike = {id: _ALIKE.get(type, type) for id, type in types.items()}
        for action in super().iterate_sayable(world, alike):
            if self.render_action(action, world) not in self._list_unseen(world):
                yield action
        things = [Id(id) for id, type in alike.items() if type in tuple("okfcs")]
        foods = [Id(id) for id, type in alike.items() if type == "f"]
        tools = [Id(id) for id, type in types.items() if type in ("o", "k", *HEAT)]
        for food, tool in product(foods, (None, *tools)):
            for manner in ("cook", *_CUTS):
                yield _make_use(manner, food, tool)
        for thing in things:
            yield _make_use("prepare", thing, None)
            yield _make_use("boil", thing, None)

    def draw_nonsense(self, chance: Random, types: Types) -> world_actions.Action:
        """An action with any verb and any ids, of any type."""
        things = {id: type for id, type in types.items() if type not in _NOTIONS}
        if chance.random() < 0.5:
            return super().draw_nonsense(chance, things)
        ids = [Id(id) for id in things]
        manner = chance.choice(("cook", *_CUTS, "prepare", "boil"))
        return _make_use(manner, chance.choice(ids), chance.choice((None, *ids)))

    def list_facts(self, world: World, types: Types) -> set[str]:
        """Every true fact, as TextWorld writes it."""
        plain = {f for f in super().list_facts(world, types) if not f.startswith("eaten(")}
        foods = [Id(id) for id, type in types.items() if type in ("f", "meal")]
        gone = {f"consumed({food})" for food in foods if food not in world.entities}
        found = plain | gone | self._count_hands(world)
        for food in (world.entities[id] for id in foods if id in world.entities):
            found.add(f"{'edible' if food.edible else 'inedible'}({food.id})")
            if food.place is None and types[food.id] == "f":
                found.add(f"used({food.id})")
        for thing in world.entities.values():
            known = (name for name in OWN if thing.attributes.get(name) is True)
            found |= {f"{name}({thing.id})" for name in known}
            found |= self._list_recipe_facts(thing.id, thing.attributes)
        return found

    def _count_hands(self, world: World) -> set[str]:
        most = world.entities[PLAYER].attributes.get("hands")
        return set() if most is None else {f"hands({len(world.list_contents(PLAYER))})"}

    def _list_recipe_facts(self, meal: Id, own: dict[str, Any]) -> set[str]:
        parts = own.get("ingredients", [])
        if not parts:
            return set()
        numbered = {f"ingredient_{n}({id})" for n, id in enumerate(parts, start=1)}
        made_in = {f"cooking_location({own['made_in']}, RECIPE)"}
        return numbered | made_in | {f"out({meal}, RECIPE)"}


def _make_use(manner: str, target: Id, tool: Id | None) -> world_actions.Use:
    return world_actions.Use(actor_id=PLAYER, target_id=target, tool_id=tool, manner=manner)
