"""What everybody takes for granted: everyday names, and what cannot be carried about.

A stand-in that is not told what is here falls back on these, as a model falls back on
what it has read elsewhere.
"""

import re
from functools import lru_cache
from typing import Final

from saniwa.experiment.standin.deed import Tongue

EVERYDAY: Final[dict[Tongue, tuple[str, ...]]] = {
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
LURES: Final[dict[Tongue, tuple[tuple[str, str], ...]]] = {
    "en": (("coffee", "coffee beans"), ("lamp", "matchbox")),
    "ja": (("コーヒー", "コーヒー豆"), ("缶", "缶切り")),
}
"""What makes one think of a thing that ought to be there as well."""
SOMEWHERE: Final[dict[Tongue, tuple[str, ...]]] = {
    "en": ("balcony", "bathroom", "garage", "bakery", "library", "museum"),
    "ja": ("ベランダ", "風呂場", "車庫", "物干し場", "パン屋", "図書館"),
}
"""Places that every story has, and so perhaps not this one."""
_THINGS: Final[dict[Tongue, str]] = {
    "en": "key|letter|ring|book|cup|mug|map|coin|umbrella|knife|rope|cake|apple|bread"
    "|lantern|lamp|gloves|box|chest|gate|counter|door|hatch|drawer",
    "ja": "鍵|手紙|指輪|本|傘|地図|硬貨|缶詰|缶切り|楽譜|ランプ|パン|手袋|箱|門|扉"
    "|引き出し|マグカップ|皿",
}
_PLACES: Final[dict[Tongue, str]] = {
    "en": "kitchen|garden|orchard|shed|cellar|hall|study|tower|lighthouse|shop|attic"
    "|library|cottage|island|jetty",
    "ja": "キッチン|リビング|台所|庭|果樹園|物置|地下室|廊下|書斎|玄関|塔|灯台|音楽室|屋根裏"
    "|縁側|表(?=へ)",
}
_READ: Final = {
    "en": tuple(re.compile(rf"\b(?:{t['en']})\b") for t in (_THINGS, _PLACES)),
    "ja": tuple(re.compile(t["ja"]) for t in (_THINGS, _PLACES)),
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
def named_in(prose: str, tongue: Tongue) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Everyday things and places that a text speaks of, each once, in its order."""
    things, places = _READ[tongue]
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
