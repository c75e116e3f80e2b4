"""The words that narration may use, in English and Japanese: `words.json`, typed.

Free words may be used in any turn, all others only with a ground. In the file, `@name`
stands for the words of another entry.
"""

from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec

_ENDINGS: Final = (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""))
_SHORTEST: Final = 3
_SPELLED: Final = frozenset({"breaks", "ends", "it", "you", "your", "they", "articles"})
"""Entries that are compared with the text as it is written; others with its lemmas."""
_Words = frozenset[str]


class NarrationWords(msgspec.Struct, frozen=True, kw_only=True):
    """The words of one language."""

    perception: _Words
    """Verbs of perception; they have no effect."""
    verbs: _Words
    """Verbs that need no ground."""
    free: _Words
    """Words that say nothing about where things are, their qualities, or what happened."""
    breaks: _Words
    """Where one statement ends and the next begins."""
    ends: _Words
    """Where a sentence ends."""
    it: _Words
    """Words for the thing named last."""
    you: _Words
    """Words for the viewer."""
    your: _Words = frozenset()
    """Words for what the viewer owns."""
    they: _Words
    """Words for another person."""
    articles: _Words = frozenset()
    """Words before "lock" as a noun, not a verb."""
    denials: _Words
    """Words that say that something is not so, or was only tried; a ground says how many
    may occur."""
    doubts: _Words
    """Stronger words; allowed only if the plain narrator uses the same."""
    attempts: _Words
    """Denials that by themselves say that it failed."""
    with_a_mark: _Words
    """Words that may accompany a denial."""
    held: _Words
    """Words for what a person holds."""
    owned: _Words
    """Words for what the viewer holds."""
    inside: _Words
    """Words for what is inside something."""
    on: _Words
    """Words for "on", unless they are free."""
    closed: _Words
    """The states of a door or a container, like the next three."""
    open: _Words
    locked: _Words
    unlocked: _Words
    here: _Words
    """Other words for where a thing in view may be."""
    way: _Words
    """Words for exits."""
    person: _Words
    """What any person who is here does."""
    reaching: _Words
    """Words for what comes before an action with the hands."""
    reaches: _Words
    """One of these must be used for it."""
    received: _Words
    """Verbs for receiving something."""
    receiving: _Words
    """Other words that may accompany them."""
    trying: _Words
    """Words for handling a thing without success."""
    holding_fast: _Words
    """Words for a thing that resists."""
    moving: _Words
    """Words for what such a thing does not do."""
    deeds: dict[str, tuple[_Words, _Words]]
    """For each type of action its verbs, and other words that may accompany them."""


@cache
def _read_file() -> dict[str, dict[str, Any]]:
    content = Path(__file__).with_name("words.json").read_bytes()
    return msgspec.json.decode(content, type=dict[str, dict[str, Any]])


@cache
def load_words(language: str) -> NarrationWords:
    """Load the words of a language: `en` or `ja`."""
    entries = _read_file()[language]
    fields = [name for name in NarrationWords.__struct_fields__ if name in entries]
    words: dict[str, Any] = {
        name: _split(entries, entries[name], language, name) for name in fields if name != "deeds"
    }
    words["deeds"] = {
        deed: tuple(_split(entries, text, language, "deeds") for text in texts)
        for deed, texts in entries["deeds"].items()
    }
    return NarrationWords(**words)


def _split(entries: dict[str, Any], text: str, language: str, name: str) -> _Words:
    """Split the text of an entry into words, with those of the entries that it names."""
    found: set[str] = set()
    for word in text.split(" "):
        if word.startswith("@"):
            found |= _split(entries, entries[word[1:]], language, name)
        elif word:
            is_lemma = language == "en" and name not in _SPELLED
            found.add(find_lemma(word) if is_lemma else word)
    return frozenset(found)


def find_lemma(word: str) -> str:
    """Return the English word without its ending; the same for every form of most words."""
    low, forms = word.replace("’", "'"), _read_file()["en"]["forms"]
    low = forms[low] if low in forms else _strip_ending(low.removesuffix("'s"))
    return low.removesuffix("e") if len(low) >= _SHORTEST else low


def _strip_ending(low: str) -> str:
    for ending, instead in _ENDINGS:
        long = len(low) - len(ending) >= (_SHORTEST if ending == "ing" else 2)
        if long and low.endswith(ending) and not low.endswith("ss"):
            low = low.removesuffix(ending) + instead
            break
    twice = len(low) > _SHORTEST and low[-1] == low[-2] and low[-1] not in "sle"
    return low[:-1] if twice else low
