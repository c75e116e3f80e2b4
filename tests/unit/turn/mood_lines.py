"""Labelled lines and the two small worlds in which they are tried."""

from pathlib import Path
from typing import Any, NamedTuple

import yaml

from saniwa.language.parse import parse
from saniwa.rulebook.loader import load_shipped_book, read_rulebook
from saniwa.scenario.loader import load_scenario
from saniwa.turn.play import play_turn
from saniwa.turn.record import SpokenWords, Turn
from saniwa.world.actions import get_action_type
from saniwa.world.model import Id, World

FOLDER = Path(__file__).parent / "moods"
BOOK = read_rulebook(load_shipped_book("default"))
NAMES = {
    "en": ("kitchen", "garden", "keeper", "brass key", "bun", "lamp", "shoe", "iron key",
           "table", "chest", "coin", "window", "cat", "north", "south"),
    "ja": ("台所", "庭", "庭師", "真鍮の鍵", "パン", "ランプ", "靴", "鉄の鍵",
           "机", "箱", "コイン", "窓", "猫", "北", "南"),
}  # fmt: skip


class MoodLine(NamedTuple):
    """One line with its label."""

    language: str
    """`en` or `ja`."""
    label: str
    """Its class, such as `question` or `courtesy`."""
    text: str
    """The words."""
    deeds: tuple[str, ...]
    """The types of the actions it applies; none for a line that asks for nothing."""


def read_lines() -> list[MoodLine]:
    """All labelled lines of both languages."""
    return [line for language in NAMES for line in _read_language(language)]


def _read_language(language: str) -> list[MoodLine]:
    path = FOLDER / f"{language}.yaml"
    document: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    lines = [
        MoodLine(language, label, text, ())
        for label, texts in document["none"].items()
        for text in texts
    ]
    for label, entries in document["deeds"].items():
        for entry in entries:
            ((text, deeds),) = entry.items()
            lines.append(MoodLine(language, label, text, tuple(deeds)))
    return lines


def build_room(language: str) -> World:
    """A kitchen in which every action of the lines is possible."""
    (kitchen, garden, keeper, brass, bun, lamp, shoe, iron, table, chest, coin, window,
     cat, north, south) = NAMES[language]  # fmt: skip
    return load_scenario(
        {
            "name": "moods",
            "language": language,
            "locations": {
                kitchen: {"name": kitchen, "exits": {north: garden}},
                garden: {"name": garden, "exits": {south: kitchen}},
            },
            "characters": {
                "you": {"location": kitchen},
                keeper: {"name": keeper, "location": kitchen},
            },
            "props": {
                brass: {"name": brass, "location": "you"},
                bun: {"name": bun, "location": "you", "edible": True},
                table: {"name": table, "kind": "supporter", "location": kitchen},
                lamp: {"name": lamp, "location": table},
                shoe: {"name": shoe, "location": table},
                iron: {"name": iron, "location": kitchen},
                chest: {"name": chest, "kind": "container", "location": kitchen,
                        "openable": True, "open": False},
                coin: {"name": coin, "location": chest},
                window: {"name": window, "kind": "fixture", "location": kitchen},
                cat: {"name": cat, "kind": "fixture", "location": kitchen},
            },
        }
    ).world  # fmt: skip


def play_line(text: str, world: World) -> tuple[Turn, World]:
    """The turn that the words make, and the world after it."""
    actor = world.protagonist or Id("you")
    claims = parse(text, actor, world)
    return play_turn(SpokenWords(actor_id=actor, text=text), claims, world, BOOK)


def list_deeds(turn: Turn) -> tuple[str, ...]:
    """The types of the actions that were applied, without gestures."""
    kinds = (get_action_type(action) for action in turn.applied_actions)
    return tuple(kind for kind in kinds if kind != "emote")
