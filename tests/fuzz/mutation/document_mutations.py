"""Mutations of single parts of a document, so that the result is still a document."""

import copy
import json
from collections.abc import Sequence
from random import Random  # noqa: TID251 - seeded by the caller
from typing import Any

import yaml

from tests.fuzz.mutation.word_lists import VALUES

_LARGEST_YAML = 8_000


def find_document(text: str) -> Any:
    """The JSON or YAML in a text; None if there is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    if len(text) > _LARGEST_YAML or text.count("*") > 20:
        return None
    try:
        found = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError, TypeError, OverflowError):
        return None
    return found if isinstance(found, dict | list) else None


def spoil_document(document: Any, chance: Random, others: Sequence[Any]) -> Any:
    """Replace, remove, move or repeat one part of the document."""
    document = copy.deepcopy(document)
    places = _list_places(document)
    if not places:
        return chance.choice(VALUES)
    holder, key = chance.choice(places)
    match chance.randrange(8):
        case 0 | 1:
            holder[key] = copy.deepcopy(chance.choice(VALUES))
        case 2:
            del holder[key]
        case 3:
            from_holder, from_key = chance.choice(_list_places(chance.choice(others)) or places)
            holder[key] = copy.deepcopy(from_holder[from_key])
        case 4:
            holder[key] = _wrap_value(holder[key], chance)
        case 5 if isinstance(holder, dict):
            holder[_choose_key(chance, places)] = copy.deepcopy(holder[key])
        case 6 if isinstance(holder, dict):
            holder[_choose_key(chance, places)] = holder.pop(key)
        case 7 if isinstance(holder[key], list):
            holder[key] *= chance.choice((2, 50))
        case _:
            holder[key] = _change_slightly(holder[key], chance)
    return document


def write_document(document: Any, chance: Random) -> str:
    """Write the document as JSON or YAML."""
    if chance.random() < 0.15:
        try:
            text: str = yaml.safe_dump(document, allow_unicode=True, sort_keys=False)
        except (yaml.YAMLError, ValueError, RecursionError):
            return ""
        return text
    return json.dumps(document, ensure_ascii=chance.random() < 0.5)


def _list_places(value: Any) -> list[tuple[Any, Any]]:
    found, waiting = list[tuple[Any, Any]](), [value]
    while waiting and len(found) < 5_000:
        here = waiting.pop()
        keys = here if isinstance(here, dict) else range(len(here)) if isinstance(here, list) else ()  # fmt: skip
        for key in keys:
            found.append((here, key))
            waiting.append(here[key])
    return found


def _choose_key(chance: Random, places: Sequence[tuple[Any, Any]]) -> str:
    names = [key for _, key in places if isinstance(key, str)]
    words = [each for each in VALUES if isinstance(each, str)]
    return chance.choice(names if names and chance.random() < 0.7 else words)


def _wrap_value(value: Any, chance: Random) -> Any:
    for _ in range(chance.choice((1, 1, 1, 30, 300))):
        value = [value] if chance.random() < 0.5 else {"x": value}
    return value


def _change_slightly(value: Any, chance: Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return chance.choice((-value, value + 1, value - 1, value * 1000, str(value)))
    if isinstance(value, str):
        other = chance.choice([each for each in VALUES if isinstance(each, str)])
        at = chance.randint(0, len(value))
        return chance.choice((value[:at], value[:at] + other + value[at:], value.upper()))
    return chance.choice(VALUES)
