"""The languages a world can be told in, and how to ask for a sentence."""

from saniwa.language.en import narrator
from saniwa.language.grammar import Grammar, Phrasebook
from saniwa.language.ja import narrator as language_narrator

_PHRASEBOOKS: dict[str, Phrasebook] = {
    "en": narrator.ENGLISH,
    "ja": language_narrator.JAPANESE,
}
_VERBS = {"en": narrator.VERBS, "ja": language_narrator.VERBS}


def find_phrasebook(language: str) -> Phrasebook:
    """The tables of the language; English for one we do not speak."""
    return _PHRASEBOOKS.get(language, narrator.ENGLISH)


def find_grammar(language: str) -> Grammar:
    """How the language joins names."""
    return find_phrasebook(language).grammar


def render_sentence(language: str, line: str, **fields: object) -> str:
    """One sentence of the language, its fields filled.

    It begins with a capital, unless it is a hint or a label, which go into others.
    """
    sentence = find_phrasebook(language).lines[line].format(**fields)
    if line.startswith(("hint", "at.")):
        return sentence
    return sentence[:1].upper() + sentence[1:]


def render_plan(language: str, action: str, **fields: object) -> str:
    """What an action would be, to go into another sentence."""
    return find_phrasebook(language).plans[action].format(**fields)


def find_plain_verb(language: str, action: str) -> str:
    """The plain verb for an action."""
    return _VERBS.get(language, narrator.VERBS)[action]
