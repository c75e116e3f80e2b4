"""English input: the words of `en.yaml`, which says what each table is for."""

import re
from pathlib import Path

from saniwa.language.lexicon.tables import read_lexicon

LISTS, WORDS, SEQUENCES, GROUPS, PAIRS = read_lexicon(Path(__file__).with_name("en.yaml"))
ARTICLES, MINE = LISTS.articles, LISTS.mine
DETERMINERS = frozenset((*ARTICLES, *MINE))
THINGS, PEOPLE, SELF = WORDS.things, WORDS.people, WORDS.self
VERBS = GROUPS.verbs
DIRECTIONS = PAIRS.directions
ORDINALS = {word: int(number) for word, number in PAIRS.ordinals.items()}
LINKS = WORDS.joining | WORDS.following

_WITH = dict.fromkeys(WORDS.means, "tool")
ROLES: dict[str, dict[str, str]] = {
    "take": dict.fromkeys(WORDS.out_of | WORDS.into | WORDS.onto, "source"),
    "put": dict.fromkeys(WORDS.into | WORDS.onto, "destination"),
    "give": dict.fromkeys(("to", "on to", "along to"), "recipient"),
    "open": _WITH,
    "lock": _WITH,
    "unlock": _WITH,
    "use": _WITH,
    "search": {"for": "", "with": ""},
    "inspect": {"with": "", "for": ""},
}
"""The role that a preposition opens; an empty role is accepted and ignored."""
_END = (r"done|did|do|finish(?:ed)?|complete[d]?|accomplish(?:ed)?|manage[d]?|got|get|through|over"
        r"|handled|settled|sorted|pulled|taken care of|out of the way")  # fmt: skip
SEQUENCE = re.compile(
    r"(?:once|when|after|as soon as|if(?= you c)|now that) (?:you|i|we|that|this|it|you're|we're|i'm|you've|i've"
    r"|we've|that's|it's|this is)(?: (?:have|has been|can|are|is|was|could|get|were able to|all)){0,2}"
    rf" (?:{_END})(?: (?:with )?(?:that|this|it|so|them)(?: off)?)?(?= |$)"
    r"|(?:once|when|after) (?:you|i|we) get (?:around|round) to (?:doing )?(?:that|this|it)(?= |$)"
)
"""“Once you have done that”: what was asked before comes first, and nothing else."""


def to_third_person(word: str) -> str:
    """The third-person form: takes, carries, pushes."""
    if word.endswith(("s", "sh", "ch", "x", "z", "o")):
        return word + "es"
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    return word + "s"


def to_gerund(word: str) -> str:
    """The form in -ing: taking, putting, opening."""
    if word.endswith("e") and not word.endswith("ee"):
        return word[:-1] + "ing"
    one_vowel = sum(letter in "aeiou" for letter in word) == 1
    doubled = one_vowel and len(word) < 6 and word[-1] in "tpbgdnm" and word[-2] in "aeiou"
    return word + (word[-1] if doubled else "") + "ing"
