"""The format of games that can be imported: their propositions, types, predicates and rules.

A game's rules are compared by fingerprint with those that a shipped book implements. A
dialect is a book, and everything that games for it may contain.
"""

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from saniwa.core.text import quote_value
from saniwa.documents.finding_collector import Findings, KeyPath, Located
from saniwa.documents.record_reader import ANYTHING, MAPPING, RecordForm, ValueKind
from saniwa.scenario.format import LISTED, NAME, NAMES, NOTATION, SWITCH, TEXT, TEXTS

VERSION = 1
"""The only version of game files."""


def _make_form(owner: str, fields: Mapping[str, ValueKind]) -> RecordForm:
    return RecordForm(owner, fields, notation=NOTATION)


GAME = _make_form(
    "a TextWorld game",
    {
        "version grammar": ANYTHING,
        "world quests infos": LISTED,
        "KB metadata": MAPPING,
        "objective": TEXT,
    },
)
KNOWLEDGE = _make_form("'KB'", {"logic text_grammars_path": ANYTHING})
PROPOSITION = _make_form("a proposition", {"name": NAME, "arguments": LISTED})
ARGUMENT = _make_form("an argument", {"name type": NAME})
ENTITY = _make_form(
    "an entity",
    {
        "id type": NAME,
        "name noun adj room_type definite indefinite": ANYTHING,
        "desc": TEXT,
        "synonyms": NAMES,
    },
)
QUEST = _make_form(
    "a quest",
    {
        "desc reward": ANYTHING,
        "commands": TEXTS,
        "win_events fail_events": LISTED,
        "optional repeatable": SWITCH,
    },
)
EVENT = _make_form("an event", {"commands": TEXTS, "actions": ANYTHING, "condition": MAPPING})
CONDITION = _make_form(
    "a condition",
    {
        "name postconditions command_template": ANYTHING,
        "reverse_name reverse_command_template": ANYTHING,
        "preconditions": LISTED,
    },
)

PLAYER, HANDS = "P", "I"
"""The ids, and types, of the player and of the player's inventory."""
OPPOSITE = {"north": "south", "south": "north", "east": "west", "west": "east"}
"""The directions of a map, and their opposites."""
_WAYS = tuple(f"{direction}_of" for direction in OPPOSITE)
STATES = ("open", "closed", "locked")
"""The states of a container or door."""
SIGNATURES: dict[str, tuple[tuple[str, ...], ...]] = {
    "at": (("P", "r"), ("t", "r")),
    "in": (("o", "I"), ("o", "c")),
    "on": (("o", "s"),),
    **dict.fromkeys(STATES, (("c",), ("d",))),
    "match": (("k", "c"), ("k", "d")),
    "link": (("r", "d", "r"),),
    "free": (("r", "r"),),
    **dict.fromkeys(_WAYS, (("r", "r"),)),
    **dict.fromkeys((f"{way}/d" for way in _WAYS), (("r", "d", "r"),)),
    "edible": (("f",),),
    "eaten": (("f",),),
}
"""Every known predicate, with the types of its arguments."""


Rules = Mapping[str, tuple[str, str]]
"""For each rule its fingerprint, and the types it is about."""


class GameDialect(NamedTuple):
    """One sort of games."""

    book: str
    """The shipped book that implements their rules."""
    kinds: Mapping[str, str]
    """The types of things, and the kind of each."""
    kindred: Mapping[str, frozenset[str]]
    """The types that count as another one."""
    notions: frozenset[str]
    """Types that are neither things nor places, and are expressed differently in a
    scenario."""
    signatures: Mapping[str, tuple[tuple[str, ...], ...]]
    """Every predicate, with the types of its arguments."""
    rules: Rules
    """Every rule."""

    @property
    def types(self) -> frozenset[str]:
        """Every known type of entity."""
        return frozenset({PLAYER, HANDS, "r", *self.kinds, *self.notions})


_RULES = msgspec.json.decode(
    Path(__file__).with_name("rules.json").read_bytes(), type=dict[str, dict[str, tuple[str, str]]]
)


def _join_rules(*groups: str) -> Rules:
    return {name: rule for group in groups for name, rule in _RULES[group].items()}


STRICT = GameDialect(
    book="strict",
    kinds={"c": "container", "s": "supporter", "d": "door", "o": "item", "k": "item", "f": "item"},
    kindred={"o": frozenset("okf"), "t": frozenset("okfcs")},
    notions=frozenset(),
    signatures=SIGNATURES,
    rules=_join_rules("moving", "carrying", "strict"),
)
"""The games of TextWorld's own logic."""

COOKED = ("raw", "needs_cooking", "cooked", "burned", "roasted", "fried", "grilled")
"""The degrees of cooking; attributes of food in a scenario."""
CUT = ("uncut", "chopped", "sliced", "diced")
"""The ways food is cut."""
FITNESS = ("sharp", "cuttable", "cookable", "drinkable")
"""What a thing can be used for."""
OWN = (*COOKED, *CUT, *FITNESS)
"""The predicates that become attributes of a thing, under the same name."""
HEAT = {"stove": "fried", "oven": "roasted", "toaster": "grilled"}
"""The result of cooking food on each source of heat."""
MOST_INGREDIENTS = 5

_OF_FOOD = (("f",),)
_OF_INGREDIENT = ("raw", "roasted", "fried", "grilled", *CUT)
COOKING = GameDialect(
    book="cooking",
    kinds={
        **STRICT.kinds,
        "meal": "item",
        "oven": "container",
        "toaster": "container",
        "stove": "supporter",
    },
    kindred={
        "o": frozenset({*"okf", "meal"}),
        "f": frozenset({"f", "meal"}),
        "c": frozenset({"c", "oven", "toaster"}),
        "s": frozenset({"s", "stove"}),
        "t": frozenset({*"okfcs", "meal", "oven", "toaster", "stove"}),
    },
    notions=frozenset({"ingredient", "RECIPE"}),
    signatures={
        **{name: told for name, told in SIGNATURES.items() if name != "eaten"},
        **dict.fromkeys((*COOKED, *CUT), _OF_FOOD),
        **dict.fromkeys(FITNESS, (("t",),)),
        **dict.fromkeys(("edible", "inedible", "consumed", "used"), _OF_FOOD),
        **dict.fromkeys(_OF_INGREDIENT, (*_OF_FOOD, ("ingredient",))),
        **{f"ingredient_{n}": _OF_FOOD for n in range(1, MOST_INGREDIENTS + 1)},
        "in": (("o", "I"), ("o", "c"), ("ingredient", "RECIPE")),
        "base": (("f", "ingredient"),),
        "out": (("meal", "RECIPE"),),
        "cooking_location": (("r", "RECIPE"),),
    },
    rules=_join_rules("moving", "carrying", "kitchen", "free_hands"),
)
"""The cooking games."""

COUNTED = COOKING._replace(
    notions=COOKING.notions | {"slot"},
    signatures={
        **COOKING.signatures,
        "free": (("r", "r"), ("slot",)),
        "used": (*_OF_FOOD, ("slot",)),
    },
    rules=_join_rules("moving", "counted", "kitchen", "counted_hands"),
)
"""The cooking games in which the player can hold a limited number of things."""


def detect_dialect(entities: Any) -> GameDialect:
    """Detect the dialect of a game by its entity types; the value may be anything."""
    types = {
        pair[1].get("type")
        for pair in (entities if isinstance(entities, list) else ())
        if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[1], dict)
        if isinstance(pair[1].get("type"), str)
    }
    if not types & (COOKING.types - STRICT.types | {"slot"}):
        return STRICT
    return COUNTED if "slot" in types else COOKING


_BLOCK = re.compile(r"(?<!\w)rules\s*\{([^{}]*)\}")
_COMMENT = re.compile(r"#[^\n]*")
_SPACE = re.compile(r"\s+")
_MOST_LISTED = 10


def check_rules(
    page: Findings, value: Any, path: KeyPath, types: Collection[str], dialect: GameDialect = STRICT
) -> None:
    """Add a finding for rules of the game that the dialect's book does not implement.

    Also for rules of the book that the game lacks, if the game has the types they are
    about.
    """
    found = KNOWLEDGE.read(Located(value, path, page))
    held = found.get("logic")
    if held is None or not isinstance(held.value, str):
        page.add_error("FIELD_MISSING", "'KB' needs 'logic', a text", path)
        return
    given = dict(_parse_rules(held.value))
    unsupported = [name for name in given if dialect.rules.get(name, ("",))[0] != given[name]]
    if unsupported:
        page.add_error(
            "GAME_UNSUPPORTED",
            f"the game has rules that the {dialect.book!r} book has not: "
            f"{_join_names(unsupported)}",
            held.path,
            hint="make the game with 'tw-make custom', or another challenge",
            details={"rules": unsupported},
        )
    wide = {*types} | {wide for wide, kin in dialect.kindred.items() if kin & {*types}}
    missing = [
        name for name, (_, about) in dialect.rules.items() if name not in given and wide >= {*about}
    ]
    if missing:
        page.add_warning(
            "GAME_UNSUPPORTED",
            f"the {dialect.book!r} book has rules that the game has not: {_join_names(missing)}",
            held.path,
            details={"rules": missing},
        )


def _join_names(names: list[str]) -> str:
    shown = ", ".join(quote_value(name) for name in names[:_MOST_LISTED])
    more = len(names) - _MOST_LISTED
    return shown + (f" and {more} more" if more > 0 else "")


def _parse_rules(logic: str) -> Iterator[tuple[str, str]]:
    """Yield name and fingerprint of every rule in the text."""
    for body in _BLOCK.findall(_COMMENT.sub("", logic)):
        for rule in body.split(";"):
            name, _, text = rule.partition("::")
            if name.strip():
                bare = _SPACE.sub("", text).encode()
                yield name.strip(), hashlib.sha256(bare).hexdigest()[:12]


class Proposition(NamedTuple):
    """A fact that is true, or must become true."""

    name: str
    """The predicate."""
    about: tuple[str, ...]
    """The ids it is about, in order."""
    path: KeyPath
    """Its path in the game file."""

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.about)})"


class PropositionReader:
    """Reads propositions; records the types of ids, and what is not supported."""

    def __init__(self, page: Findings, dialect: GameDialect = STRICT) -> None:
        self._page = page
        self._dialect = dialect
        self.types: dict[str, str] = {}
        """The type of every id, as first stated."""
        self._strange: dict[str, tuple[KeyPath, int]] = {}

    def read(self, value: Any, path: KeyPath) -> list[Proposition]:
        """Return the supported ones of a list; `report_unknown` reports the others."""
        found = (self._read_proposition(item, (*path, i)) for i, item in enumerate(value))
        return [one for one in found if one is not None]

    def add_type(self, id: str, type: str, path: KeyPath) -> None:
        """Record the type of an id; a finding if it had another one."""
        before = self.types.setdefault(id, type)
        if before != type:
            message = f"{id!r} is of type {type!r} here and of type {before!r} elsewhere"
            self._page.add_error("STATE_CONTRADICTION", message, path)

    def report_unknown(self) -> None:
        """Add a finding for every predicate and type that no scenario can express."""
        for shown, (path, count) in self._strange.items():
            times = f", {count} times" if count > 1 else ""
            self._page.add_error(
                "GAME_UNSUPPORTED",
                f"the game mentions {quote_value(shown)}{times}; the "
                f"{self._dialect.book!r} book has no rule about it",
                path,
                hint="make a game without it; docs/guide/textworld.md lists what can be",
            )

    def add_unknown(self, shown: str, path: KeyPath) -> None:
        """Record something that is not supported."""
        first, count = self._strange.get(shown, (path, 0))
        self._strange[shown] = (first, count + 1)

    def _read_proposition(self, value: Any, path: KeyPath) -> Proposition | None:
        page = self._page
        found = PROPOSITION.read(Located(value, path, page))
        if not {"name", "arguments"} <= found.keys():
            page.add_error("FIELD_MISSING", "a proposition needs name, arguments", path)
            return None
        held = found["arguments"]
        read = [self._read_argument(v, (*held.path, i)) for i, v in enumerate(held.value)]
        about = [pair for pair in read if pair is not None]
        if len(about) < len(read):
            return None
        ids, types = tuple(id for id, _ in about), tuple(type for _, type in about)
        name = str(found["name"].value)
        known = self._dialect.signatures.get(name, ())
        if any(_matches_types(types, wanted, self._dialect) for wanted in known):
            return Proposition(name, ids, path)
        self.add_unknown(f"{name}({', '.join(types)})", path)
        return None

    def _read_argument(self, value: Any, path: KeyPath) -> tuple[str, str] | None:
        found = ARGUMENT.read(Located(value, path, self._page))
        if not {"name", "type"} <= found.keys():
            message = "an argument needs name and type"
            self._page.add_error("FIELD_MISSING", message, path)
            return None
        id, type = str(found["name"].value), str(found["type"].value)
        self.add_type(id, type, path)
        return id, type


def _matches_types(types: tuple[str, ...], wanted: tuple[str, ...], dialect: GameDialect) -> bool:
    return len(types) == len(wanted) and all(
        type == want or type in dialect.kindred.get(want, ())
        for type, want in zip(types, wanted, strict=True)
    )
