"""What the laws of the world say in languages other than their own English."""

from typing import Final

from saniwa.world.law import Broken

JAPANESE: Final[dict[str, str]] = {
    "actor": "そのような人はいない。",
    "exists": "そのようなものは、どこにもない。",
    "destination": "それは行ける場所ではない。",
    "somewhere": "どこにもいない者には、それはできない。",
    "portable": "それは持ち運べるものではない。",
    "no_cycles": "物をそれ自身の中に入れることはできない。",
    "holder": "そこには何も置けない。",
    "recipient": "それは物を持つことができない。",
    "openable": "それは開け閉めできるものではない。",
    "lockable": "それには鍵穴がない。",
    "closed_first": "まず閉めなければならない。",
    "consumable": "それは使い切れるものではない。",
    "empty": "中か上に、まだ何かある。",
    "entity": "場所に対して、それはできない。",
    "length": "言葉が長すぎる。",
    "named": "新しいものには名前が要る。",
    "known_facts": "新しいものについて、それは決められない。",
    "legible": "名前や説明は、目に見える文字だけで書く。",
    "kind": "そのような種類のものはない。",
    "craft": "それでは、何も起こりえない。",
    "changeable": "それを変えることはできない。",
    "settable": "それは、そのようには変えられない。",
}
"""One sentence for each law, by its name."""


def spoken(law: Broken, language: str) -> str:
    """The law's sentence in the language, else as the law itself puts it."""
    if language[:2] == "ja":
        return JAPANESE.get(law.law, law.message)
    return law.message
