"""Deeds in the words between asterisks, and those words read back as deeds.

The words are those a turn is told in, so that a stand-in recognises what it and others
have done whether a game master rewrote the line or not.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple, TypeVar

from saniwa.core import random

DeedKind = Literal["take", "go", "open", "unlock", "give", "search", "study", "look"]
"""What a stand-in knows to do."""
StandInLanguage = Literal["en", "ja"]
"""What it speaks."""

_PHRASES: Final[dict[StandInLanguage, dict[DeedKind, str]]] = {
    "en": {
        "take": "take {0}",
        "go": "go to {0}",
        "open": "open {0}",
        "unlock": "unlock {0} with {1}",
        "give": "give {0} to {1}",
        "search": "search {0}",
        "study": "look closely at {0}",
        "look": "look around",
    },
    "ja": {
        "take": "{0}を取る",
        "go": "{0}へ行く",
        "open": "{0}を開ける",
        "unlock": "{1}で{0}の鍵を開ける",
        "give": "{0}を{1}に渡す",
        "search": "{0}を調べる",
        "study": "{0}をよく見る",
        "look": "辺りを見回す",
    },
}
_ENGLISH: Final = re.compile(
    r"(?P<verb>take|go to|open|unlock|search|look closely at) (?:the )?(?P<target>.+?)"
    r"(?: from .+| with (?:the )?(?P<other>.+))?"
).fullmatch
_JAPANESE: Final = (
    re.compile(
        r"(?=.*の鍵を開ける\Z)(?:(?P<other>.+?)で)?(?P<target>.+?)(?P<verb>の鍵を開ける)"
    ).fullmatch,
    re.compile(
        r"(?=.*を取る\Z)(?:.+?から)?(?P<target>.+?)(?P<verb>を取る)(?P<other>)"
    ).fullmatch,
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
    """One thing that somebody does."""

    kind: DeedKind
    """What is done."""
    target: str = ""
    """To what, by name."""
    other: str = ""
    """With what, or to whom."""


def render_deed(deed: StandInDeed, tongue: StandInLanguage) -> str:
    """The deed in the words that stand between asterisks."""
    phrase = _PHRASES[tongue][deed.kind]
    return phrase.format(
        add_article(deed.target, tongue), add_article(deed.other, tongue)
    )


def find_deeds(text: str) -> Iterator[StandInDeed]:
    """What was done in a line of the talk, as far as a stand-in does such things."""
    for number, words in enumerate(text.split("*")):
        if number % 2 and (deed := read_deed(words)) is not None:
            yield deed


@lru_cache(maxsize=4096)
def read_deed(words: str) -> StandInDeed | None:
    """The deed that the words tell; None for what no stand-in does to anything."""
    if len(words) > _LONGEST:
        return None
    for form in (_ENGLISH, *_JAPANESE):
        if found := form(words):
            return StandInDeed(
                _KINDS[found["verb"]], found["target"], found["other"] or ""
            )
    return None


@lru_cache(maxsize=4096)
def is_sayable(name: str) -> bool:
    """Whether a name can stand between asterisks and still be understood as it is."""
    return len(name) <= _LONGEST and not _UNSPEAKABLE.search(name)


def add_article(name: str, tongue: StandInLanguage) -> str:
    """A name as it stands in a sentence: what has none of its own gets an article."""
    return f"the {name}" if tongue == "en" and name[:1].islower() else name


def strip_article(name: str) -> str:
    """A name without its article."""
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
"""Reasons: kept to what it was told; tried what is shut; only talks; invented; went by
what it read of elsewhere; went to a place nobody spoke of; tried a door it read of; went
by what others did; asks what is here; says the same again; did what a card offers; only speaks after a card; does not
believe a card."""


class StandInIntention(NamedTuple):
    """What it means to do."""

    why: IntentionReason
    """The reason."""
    deed: StandInDeed | None = None
    """The deed; None where it only speaks."""
    again: str = ""
    """What it says again, word for word, in place of anything else."""

    @property
    def target_name(self) -> str:
        """What it is about, by name."""
        return self.deed.target if self.deed else ""


_Thing = TypeVar("_Thing")


class StandInChance(NamedTuple):
    """Chance that is asked by name: no question moves the answer to another."""

    seed: int
    """Where it starts."""
    key: str
    """Whose luck it is, and in which turn."""

    def decide(self, what: str, hundredths: int) -> bool:
        """Whether this happens now; never for 0, always for 100."""
        return self.draw_number(what) * 100 >> 32 < hundredths

    def pick_one(self, what: str, among: Sequence[_Thing]) -> _Thing:
        """One of them, none likelier than another."""
        return among[self.draw_number(what) * len(among) >> 32]

    def draw_number(self, what: str) -> int:
        """A number from 0 to 2³²-1, always the same for these words."""
        return random.derive_state(self.seed, f"{self.key} {what}")


EVERYDAY_ITEMS: Final[dict[StandInLanguage, tuple[str, ...]]] = {
    "en": (
        "coffee beans", "sandwich", "newspaper", "corkscrew", "umbrella", "candle",
        "wallet", "screwdriver", "banana", "matchbox", "sugar bowl", "hammer",
        "phone", "camera",
    ),
    "ja": (
        "コーヒー豆", "サンドイッチ", "新聞", "缶切り", "ろうそく", "財布", "ドライバー",
        "バナナ", "マッチ", "砂糖", "金槌", "電話", "カメラ", "花瓶",
    ),
}  # fmt: skip
"""Things that are in every house, and so perhaps not in this one."""
LURES: Final[dict[StandInLanguage, tuple[tuple[str, str], ...]]] = {
    "en": (("coffee", "coffee beans"), ("lamp", "matchbox")),
    "ja": (("コーヒー", "コーヒー豆"), ("缶", "缶切り")),
}
"""What makes one think of a thing that ought to be there as well."""
EVERYDAY_PLACES: Final[dict[StandInLanguage, tuple[str, ...]]] = {
    "en": ("balcony", "bathroom", "garage", "bakery", "library", "museum"),
    "ja": ("ベランダ", "風呂場", "車庫", "物干し場", "パン屋", "図書館"),
}
"""Places that every story has, and so perhaps not this one."""
_ITEM_PATTERNS: Final[dict[StandInLanguage, str]] = {
    "en": "key|letter|ring|book|cup|mug|map|coin|umbrella|knife|rope|cake|apple|bread"
    "|lantern|lamp|gloves|box|chest|gate|counter|door|hatch|drawer",
    "ja": "鍵|手紙|指輪|本|傘|地図|硬貨|缶詰|缶切り|楽譜|ランプ|パン|手袋|箱|門|扉"
    "|引き出し|マグカップ|皿",
}
_PLACE_PATTERNS: Final[dict[StandInLanguage, str]] = {
    "en": "kitchen|garden|orchard|shed|cellar|hall|study|tower|lighthouse|shop|attic"
    "|library|cottage|island|jetty",
    "ja": "キッチン|リビング|台所|庭|果樹園|物置|地下室|廊下|書斎|玄関|塔|灯台|音楽室|屋根裏"
    "|縁側|表(?=へ)",
}
_NAME_PATTERNS: Final = {
    "en": tuple(
        re.compile(rf"\b(?:{t['en']})\b") for t in (_ITEM_PATTERNS, _PLACE_PATTERNS)
    ),
    "ja": tuple(re.compile(t["ja"]) for t in (_ITEM_PATTERNS, _PLACE_PATTERNS)),
}
_FIXED: Final = re.compile(
    r"\b(?:table|bench|workbench|counter|stove|oven|bed|sofa|couch|chair|stool|board|door"
    r"|gate|hatch|trapdoor|mirror|curtain|bush|tree|shel(?:f|ves)|cupboard|wardrobe|chest"
    r"|box|toolbox|crate|desk|boat|barrel|great lamp|telescope|scarecrow|form|rug|carpet"
    r"|fountain|statue|stone \w+|piano|clock|window|wall|floor|fridge|flowerpot|pot"
    r"|television|safe|drawer|altar|well)$"
    r"|台$|卓$|机$|棚$|箱$|箪笥$|扉$|戸$|門$|窓$|鏡$|壁$|床$|木$|舟$|船$|樽$|かまど$"
    r"|ストーブ$|ピアノ$|時計$|掲示板$|ベンチ$|ソファ$|テレビ$|冷蔵庫$|望遠鏡$|案山子$"
    r"|敷物$|鉢$|立て$|石の.$|ラベンダー$|大灯火$|風鈴$|引き出し$|カーテン$|噴水$|ドア$"
    r"|メーカー$|トースター$|椅子$|ベッド$",
    re.I,
)
_KEY: Final = re.compile(r"\bkey\b|鍵|カギ", re.I)
_SHUTTING: Final = re.compile(
    r"\b(?:door|gate|hatch|chest|box)$|扉|門|戸$|箱$|ドア", re.I
)


@lru_cache(maxsize=256)
def find_everyday_names(
    prose: str, tongue: StandInLanguage
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Everyday things and places that a text speaks of, each once, in its order."""
    things, places = _NAME_PATTERNS[tongue]
    return (
        tuple(dict.fromkeys(things.findall(prose))),
        tuple(dict.fromkeys(places.findall(prose))),
    )


@lru_cache(maxsize=4096)
def is_fixed(name: str) -> bool:
    """Whether anybody would know that it is not carried about."""
    return _FIXED.search(name) is not None


@lru_cache(maxsize=4096)
def is_key(name: str) -> bool:
    """Whether it is called a key."""
    return _KEY.search(name) is not None


@lru_cache(maxsize=4096)
def is_shutting(name: str) -> bool:
    """Whether it is called something that can be shut."""
    return _SHUTTING.search(name) is not None
