"""The deeds of stand-ins: written between asterisks, read back, and chosen at random.

The wording is that of the transcript, so that a stand-in recognises its own and others'
deeds whether a game master rewrote the line or not. Random choices are deterministic.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeVar, get_args

import msgspec

from saniwa.core import random
from saniwa.core.decoder_warming import warm_decoders

DeedKind = Literal["take", "go", "open", "unlock", "give", "search", "study", "look"]
"""The kinds of deeds a stand-in can do."""
StandInLanguage = Literal["en", "ja"]
"""The languages a stand-in can speak."""

_ENGLISH: Final = re.compile(
    r"(?P<verb>take|go to|open|unlock|search|look closely at) (?:the )?(?P<target>.+?)"
    r"(?: from .+| with (?:the )?(?P<other>.+))?"
).fullmatch
_JAPANESE: Final = (
    re.compile(
        r"(?=.*の鍵を開ける\Z)(?:(?P<other>.+?)で)?(?P<target>.+?)(?P<verb>の鍵を開ける)"
    ).fullmatch,
    re.compile(r"(?=.*を取る\Z)(?:.+?から)?(?P<target>.+?)(?P<verb>を取る)(?P<other>)").fullmatch,
    re.compile(
        r"(?P<target>.+?)(?P<verb>へ行く|を開ける|を調べる|をよく見る)(?P<other>)"
    ).fullmatch,
)
_KINDS: Final[dict[str, DeedKind]] = {
    "take": "take",
    "go to": "go",
    "open": "open",
    "unlock": "unlock",
    "search": "search",
    "look closely at": "study",
    "を取る": "take",
    "へ行く": "go",
    "を開ける": "open",
    "の鍵を開ける": "unlock",
    "を調べる": "search",
    "をよく見る": "study",
}
_LONGEST: Final = 150
_UNSPEAKABLE: Final = re.compile("[*＊\"＂“”„‟「」『』｢｣…\n]|^'|'$|^$")


class StandInDeed(NamedTuple):
    """One deed of a character."""

    kind: DeedKind
    """The kind of deed."""
    target: str = ""
    """The name of its target."""
    other: str = ""
    """The tool, or the recipient."""


def render_deed(deed: StandInDeed, language: StandInLanguage) -> str:
    """Return the text of a deed, as written between asterisks."""
    phrase = WORDS[language].deeds[deed.kind]
    return phrase.format(add_article(deed.target, language), add_article(deed.other, language))


def find_deeds(text: str) -> Iterator[StandInDeed]:
    """Find the deeds in a line of the transcript that a stand-in could do."""
    for number, words in enumerate(text.split("*")):
        if number % 2 and (deed := read_deed(words)) is not None:
            yield deed


@lru_cache(maxsize=4096)
def read_deed(words: str) -> StandInDeed | None:
    """Parse a deed; None if it is not one that a stand-in does to something."""
    if len(words) > _LONGEST:
        return None
    for form in (_ENGLISH, *_JAPANESE):
        if found := form(words):
            return StandInDeed(_KINDS[found["verb"]], found["target"], found["other"] or "")
    return None


@lru_cache(maxsize=4096)
def is_sayable(name: str) -> bool:
    """Return whether a name can be written between asterisks without being changed."""
    return len(name) <= _LONGEST and not _UNSPEAKABLE.search(name)


def add_article(name: str, language: StandInLanguage) -> str:
    """Add an article to a name in a sentence, unless it needs none."""
    return f"the {name}" if language == "en" and name[:1].islower() else name


def strip_article(name: str) -> str:
    """Return a name without its article."""
    return name.removeprefix("the ")


IntentionReason = Literal[
    "told",
    "force",
    "talk",
    "invent",
    "misplace",
    "stray",
    "try",
    "careful",
    "ask",
    "repeat",
    "heed",
    "quiet",
    "insist",
]
"""The reason for an intention:

- `told`: follows the facts in the prompt; `force`: tries something shut anyway.
- `talk`: only talks; `ask`: looks what is here; `repeat`: repeats its last line.
- `invent`: acts on an invented thing; `misplace`: on something read of elsewhere.
- `stray`: goes to a place never mentioned; `try`: tries a door it read of.
- `careful`: follows what others did.
- `heed`: follows a card; `quiet`: only speaks after a card; `insist`: ignores a card.
"""


class StandInWords(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The words of one language: `words.en.json`, `words.ja.json`."""

    deeds: dict[DeedKind, str]
    """How deeds are written between asterisks."""
    thoughts: dict[IntentionReason, str]
    """The thought for each reason."""
    uninformed: str
    """The beginning of a thought without facts."""
    doubting: str
    """The beginning of a thought that ignores the facts."""
    deed_speeches: dict[DeedKind, tuple[str, ...]]
    """What is said with a deed."""
    talk_speeches: tuple[str, ...]
    """What is said without a deed."""
    apologies: tuple[str, ...]
    """Apologies for a mistake."""
    call: str
    """The address at the beginning of a speech."""
    everyday_items: tuple[str, ...]
    """Common things, which may not exist in the scenario."""
    everyday_places: tuple[str, ...]
    """Common places, which may not exist in the scenario."""
    lures: tuple[tuple[str, str], ...]
    """Words that suggest another thing which may not exist."""
    preamble: str
    """What some models write before the requested format."""
    next_speaker: str
    """What some models write after it."""
    known_items: tuple[str, ...]
    """Patterns of things that a story may mention."""
    known_places: tuple[str, ...]
    """Patterns of places that a story may mention."""
    furniture: tuple[str, ...]
    """Patterns of the last word of what cannot be carried."""


warm_decoders(StandInWords)
WORDS: Final[dict[StandInLanguage, StandInWords]] = {
    language: msgspec.json.decode(
        Path(__file__).with_name(f"words.{language}.json").read_bytes(), type=StandInWords
    )
    for language in get_args(StandInLanguage)
}
"""The words of stand-ins, by language."""


class StandInIntention(NamedTuple):
    """What a stand-in intends to do."""

    why: IntentionReason
    """The reason."""
    deed: StandInDeed | None = None
    """The deed; None if it only speaks."""
    again: str = ""
    """The line it repeats word for word; replaces everything else."""

    @property
    def target_name(self) -> str:
        """The name of the target."""
        return self.deed.target if self.deed else ""


_Thing = TypeVar("_Thing")


class StandInChance(NamedTuple):
    """Random choices by name: one choice does not influence another."""

    seed: int
    """The seed."""
    key: str
    """The character and the turn the choices belong to."""

    def decide(self, what: str, hundredths: int) -> bool:
        """Decide whether something happens; never for 0, always for 100."""
        return self.draw_number(what) * 100 >> 32 < hundredths

    def pick_one(self, what: str, among: Sequence[_Thing]) -> _Thing:
        """Pick one, all with the same probability."""
        return among[self.draw_number(what) * len(among) >> 32]

    def draw_number(self, what: str) -> int:
        """Return a number from 0 to 2³²-1, always the same for the same name."""
        return random.derive_state(self.seed, f"{self.key} {what}")


_NAME_PATTERNS: Final = {
    "en": tuple(
        re.compile(rf"\b(?:{'|'.join(names)})\b")
        for names in (WORDS["en"].known_items, WORDS["en"].known_places)
    ),
    "ja": tuple(
        re.compile("|".join(names)) for names in (WORDS["ja"].known_items, WORDS["ja"].known_places)
    ),
}
_FIXED: Final = re.compile(
    rf"(?:\b(?:{'|'.join(WORDS['en'].furniture)})|{'|'.join(WORDS['ja'].furniture)})$", re.I
)
_KEY: Final = re.compile(r"\bkey\b|鍵|カギ", re.I)
_SHUTTING: Final = re.compile(r"\b(?:door|gate|hatch|chest|box)$|扉|門|戸$|箱$|ドア", re.I)


@lru_cache(maxsize=256)
def find_everyday_names(
    prose: str, language: StandInLanguage
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Find common things and places in a text, in order, without duplicates."""
    things, places = _NAME_PATTERNS[language]
    return (
        tuple(dict.fromkeys(things.findall(prose))),
        tuple(dict.fromkeys(places.findall(prose))),
    )


@lru_cache(maxsize=4096)
def is_fixed(name: str) -> bool:
    """Return whether a name is of something that is obviously not carried."""
    return _FIXED.search(name) is not None


@lru_cache(maxsize=4096)
def is_key(name: str) -> bool:
    """Return whether a name is of a key."""
    return _KEY.search(name) is not None


@lru_cache(maxsize=4096)
def is_shutting(name: str) -> bool:
    """Return whether a name is of something that can be shut."""
    return _SHUTTING.search(name) is not None
