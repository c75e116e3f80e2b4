"""The languages a world can be narrated in, and how to render a sentence."""

from saniwa.language.en import phrases
from saniwa.language.grammar import Grammar, Phrasebook
from saniwa.language.ja import phrases as language_phrases

_PHRASEBOOKS: dict[str, Phrasebook] = {"en": phrases.ENGLISH, "ja": language_phrases.JAPANESE}
_VERBS = {"en": phrases.VERBS, "ja": language_phrases.VERBS}


def find_phrasebook(language: str) -> Phrasebook:
    """The tables of the language; English for an unknown one."""
    return _PHRASEBOOKS.get(language, phrases.ENGLISH)


def find_grammar(language: str) -> Grammar:
    """The grammar of the language."""
    return find_phrasebook(language).grammar


def render_sentence(language: str, line: str, **fields: object) -> str:
    """One sentence of the language, with its fields filled in.

    It begins with a capital, unless it is a hint or a label, which become part of
    others.
    """
    sentence = find_phrasebook(language).lines[line].format(**fields)
    if line.startswith(("hint", "at.")):
        return sentence
    return sentence[:1].upper() + sentence[1:]


def render_plan(language: str, action: str, **fields: object) -> str:
    """The phrase for a planned action, to be part of another sentence."""
    return find_phrasebook(language).plans[action].format(**fields)


def find_plain_verb(language: str, action: str) -> str:
    """The plain verb for an action."""
    return _VERBS.get(language, phrases.VERBS)[action]
