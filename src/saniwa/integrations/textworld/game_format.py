"""The dialects of games that can be imported: their types, predicates and rules.

A game's rules are compared by fingerprint with those that a shipped book implements. A
dialect is a book, and everything that games for it may contain.
"""

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from saniwa.core.text import quote_value
from saniwa.documents.finding_collector import Findings, KeyPath, Located
from saniwa.documents.reader import ANYTHING, MAPPING, RecordForm, ValueKind
from saniwa.scenario.findings import ScenarioCode
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

    def widen_types(self, types: set[str]) -> set[str]:
        """Return the types, and those that they count as."""
        return types | {wide for wide, kin in self.kindred.items() if kin & types}


_MOVING: Rules = {
    "close/c": ("05ef84dff427", "cr"),
    "close/d": ("bca581be36eb", "dr"),
    "examine/c": ("5f9398791824", "cor"),
    "examine/s": ("34b70bd3e7ce", "ors"),
    "examine/t": ("6915187ebc99", "r"),
    "go/east": ("665c35e64754", "r"),
    "go/north": ("f6274d2a17bb", "r"),
    "go/south": ("518f4218f823", "r"),
    "go/west": ("c8d4f8302ccd", "r"),
    "inventory": ("80db4f810571", "r"),
    "lock/c": ("fd1bf38a3dc0", "ckr"),
    "lock/d": ("1e34be604cde", "dkr"),
    "look": ("80db4f810571", "r"),
    "open/c": ("bfc228ff96b6", "cr"),
    "open/d": ("e4f11fffab18", "dr"),
    "unlock/c": ("106724384ffa", "ckr"),
    "unlock/d": ("cbe4d245f20f", "dkr"),
}
_CARRYING: Rules = {
    "drop": ("86b58c87b4de", "or"),
    "insert": ("23f6045ddd5f", "cor"),
    "put": ("e750c996470e", "ors"),
    "take": ("144d3fe2e4c1", "or"),
    "take/c": ("f371075eebcf", "cor"),
    "take/s": ("a3bc2a2c762c", "ors"),
}
_COUNTED: Rules = {
    "drop": ("8d44fe59e2f2", "or"),
    "insert": ("bca1a2ccfada", "cor"),
    "put": ("5b9363c678c1", "ors"),
    "take": ("6487c4fc60f0", "or"),
    "take/c": ("8d4832418016", "cor"),
    "take/s": ("f1621bdc2f83", "ors"),
}
_KITCHEN: Rules = {
    "chop": ("7ecda8dee57c", "fo"),
    "cook/oven/burned": ("14496cbf15b5", "fr"),
    "cook/oven/cooked/needs_cooking": ("6ae16f6700a3", "fr"),
    "cook/oven/cooked/raw": ("3d4e4903aea1", "fr"),
    "cook/stove/burned": ("cf5d1794801b", "fr"),
    "cook/stove/cooked/needs_cooking": ("f55f678de9bc", "fr"),
    "cook/stove/cooked/raw": ("e7e118413892", "fr"),
    "cook/toaster/burned": ("6bb202f97a11", "fr"),
    "cook/toaster/cooked/needs_cooking": ("5a1bef80ec74", "fr"),
    "cook/toaster/cooked/raw": ("7f2c9a7660b7", "fr"),
    "dice": ("c2ff8e7a3928", "fo"),
    "examine/I": ("8bde0a1a3179", "o"),
    "make/recipe/1": ("671ae6bea8db", "fr"),
    "slice": ("a03ff797c01a", "fo"),
}
_FREE_HANDS: Rules = {
    "drink": ("1909904f77b8", "f"),
    "eat": ("f3abe4bdcb09", "f"),
    "make/recipe/2": ("3690c2b0ee37", "fr"),
    "make/recipe/3": ("d327b4a0126d", "fr"),
    "make/recipe/4": ("225f60126501", "fr"),
    "make/recipe/5": ("a5b9518cd9b4", "fr"),
}
_COUNTED_HANDS: Rules = {
    "drink": ("a461d51867b7", "f"),
    "eat": ("f231d0dd7947", "f"),
    "make/recipe/2": ("3883fcf894ba", "fr"),
    "make/recipe/3": ("fa0fe49773a3", "fr"),
    "make/recipe/4": ("1f827df6c45d", "fr"),
    "make/recipe/5": ("f0fd18f60773", "fr"),
}

STRICT = GameDialect(
    book="strict",
    kinds={"c": "container", "s": "supporter", "d": "door", "o": "item", "k": "item", "f": "item"},
    kindred={"o": frozenset("okf"), "t": frozenset("okfcs")},
    notions=frozenset(),
    signatures=SIGNATURES,
    rules={
        **_MOVING,
        **_CARRYING,
        "eat": ("29a1504e9408", "f"),
        "examine/I": ("a68cb9ccecd2", "o"),
        "examine/d": ("c1979908299d", "dr"),
    },
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
    rules={**_MOVING, **_CARRYING, **_KITCHEN, **_FREE_HANDS},
)
"""The cooking games."""

COUNTED = COOKING._replace(
    notions=COOKING.notions | {"slot"},
    signatures={
        **COOKING.signatures,
        "free": (("r", "r"), ("slot",)),
        "used": (*_OF_FOOD, ("slot",)),
    },
    rules={**_MOVING, **_COUNTED, **_KITCHEN, **_COUNTED_HANDS},
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
        page.add_error(ScenarioCode.FIELD_MISSING, "'KB' needs 'logic', a text", path)
        return
    given = dict(_parse_rules(held.value))
    unsupported = [name for name in given if _get_known_hash(name, dialect) != given[name]]
    if unsupported:
        page.add_error(
            ScenarioCode.GAME_UNSUPPORTED,
            f"the game has rules that the {dialect.book!r} book has not: "
            f"{_join_names(unsupported)}",
            held.path,
            hint="make the game with 'tw-make custom', or another challenge",
            details={"rules": unsupported},
        )
    wide = dialect.widen_types({*types})
    missing = [
        name for name, (_, about) in dialect.rules.items() if name not in given and wide >= {*about}
    ]
    if missing:
        page.add_warning(
            ScenarioCode.GAME_UNSUPPORTED,
            f"the {dialect.book!r} book has rules that the game has not: {_join_names(missing)}",
            held.path,
            details={"rules": missing},
        )


def _get_known_hash(name: str, dialect: GameDialect) -> str:
    return dialect.rules[name][0] if name in dialect.rules else ""


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
                yield name.strip(), _hash_rule(text)


def _hash_rule(text: str) -> str:
    return hashlib.sha256(_SPACE.sub("", text).encode()).hexdigest()[:12]
