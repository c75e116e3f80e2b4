"""The languages a world can be told in, and how to ask for a sentence."""

from saniwa.turn.languages import en_told, ja_told
from saniwa.turn.languages.told import Grammar, Tongue

_TONGUES: dict[str, Tongue] = {"en": en_told.ENGLISH, "ja": ja_told.JAPANESE}
_VERBS = {"en": en_told.VERBS, "ja": ja_told.VERBS}


def tongue(language: str) -> Tongue:
    """The tables of the language; English for one we do not speak."""
    return _TONGUES.get(language, en_told.ENGLISH)


def grammar(language: str) -> Grammar:
    """How the language joins names."""
    return tongue(language).grammar


def told(language: str, line: str, **fields: object) -> str:
    """One sentence of the language, its fields filled.

    It begins with a capital, unless it is a hint or a label, which go into others.
    """
    sentence = tongue(language).lines[line].format(**fields)
    if line.startswith(("hint", "at.")):
        return sentence
    return sentence[:1].upper() + sentence[1:]


def plan(language: str, action: str, **fields: object) -> str:
    """What an action would be, to go into another sentence."""
    return tongue(language).plans[action].format(**fields)


def verb(language: str, action: str) -> str:
    """The plain verb for an action."""
    return _VERBS.get(language, en_told.VERBS)[action]
