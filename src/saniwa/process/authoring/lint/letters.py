"""Letters as a hasty reader sees them: which Latin letter one of another script looks like."""

import re
import unicodedata

# Capitals, by script: Cyrillic, Greek.
_CAPITALS = str.maketrans(
    "АВЕЅІЈКМНОРСТУХԌԜѴ" + "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "abesijkmhopctyxgwv" + "abezhikmnoptyx"
)
# Small ones, and those of scripts without them: Cyrillic, Greek, Armenian, Coptic,
# Cherokee, Lisu, then what Unicode names in a way of its own, and digits.
_SMALL = str.maketrans(
    "аеѕіјорсухԁһԛԝѵгпи"
    "вкмнтєҽԑѡшԍӏ"
    "αεγικνορτυχωϲϳη"
    "օհոսցյ"
    "ⲁⲉⲏⲓⲕⲙⲛⲟⲣⲥⲧⲩ"
    "ᎠᎡᎢᎥᎩᎪᎫᎬᎳᎷᎻᎽᏀᏂᏃᏒᏔᏕᏙᏚᏞᏟᏢᏦᏧᏴ"
    "ꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ"
    "ıɑɛɡɩƿȷ01",
    "aesijopcyxdhqwvrnu"
    "bkmhteeewwgi"
    "aeyikvoptuxwcjn"
    "ohnugj"
    "aehikmnopcty"
    "drtiyajewmhyghzrwsvslcpkdb"
    "bpdtgkjczfmnlsrvhwxyaeiou"
    "iaegipjol",
)
# `ᴠ` is "LATIN LETTER SMALL CAPITAL V", `ƥ` is "LATIN SMALL LETTER P WITH HOOK".
_NAMED = re.compile(
    r"(?:LATIN (?:SMALL LETTER|CAPITAL LETTER|LETTER SMALL CAPITAL)|INDICATOR SYMBOL LETTER)"
    r"(?: (?:BLACKLETTER|DOTLESS|INSULAR|SCRIPT|SMALL CAPITAL|TAILLESS))* ([A-Z])(?: WITH .*)?$"
).search
# Not marks or formats to Unicode, and yet nobody sees them.
_UNSEEN = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0_-")
_UNSEEN_KINDS = frozenset({"Cf", "Cc", "Mn", "Me", "Zs", "Pd", "Pc"})


def shape_of(name: str) -> str:
    """The name as a hasty reader sees it; two with one shape are easily mistaken."""
    parted = unicodedata.normalize("NFKD", name).translate(_CAPITALS)
    folded = unicodedata.normalize("NFKD", parted.casefold()).translate(_SMALL)
    return "".join(map(_seen, folded))


def _seen(letter: str) -> str:
    """What is seen of a letter: the Latin one it is made of, itself, or nothing."""
    if letter in _UNSEEN or unicodedata.category(letter) in _UNSEEN_KINDS:
        return ""
    if letter.isascii():
        return letter
    found = _NAMED(unicodedata.name(letter, ""))
    return found[1].lower() if found else letter
