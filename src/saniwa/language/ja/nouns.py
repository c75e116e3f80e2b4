"""Read the words of a Japanese noun: where it is, a part of it, how many, all of it."""

import re
from collections.abc import Collection, Iterable, Iterator

from saniwa.language.lexicon import ja
from saniwa.language.name_match import strip_honorific
from saniwa.language.parser_context import ParserContext, list_folded_names
from saniwa.language.text import fold_text
from saniwa.world.model import Entity, Id

COMMAS = "、, "
"""Characters around a noun that are no part of it."""
LOOKING = frozenset({"inspect", "see", "look", "search", "hunt", "stand", "introduce"})
"""Verbs that change nothing, whatever is said besides their object."""
_OWNING = re.compile("にある|の")
_BETWEEN = tuple(between for between in ja.WITHIN[1:] if between != "にある")
_LOOSE = ja.THINGS | ja.WORDS.quantities | ja.WORDS.keys
_POINTING = _LOOSE | ja.FLOOR | ja.WORDS.origin | ja.HERE | ja.OUT | ja.BACK | ja.PEOPLE | ja.SELF
_LISTED = _LOOSE | ja.WORDS.adverbs | ja.WORDS.topics
_SEEN_PARTS = ja.WORDS.texts | ja.WORDS.lids | {"外", "向こう", ""}
_USED_PARTS = ja.WORDS.switches.union(ja.LISTS.keyholes)
_CONTENTS = tuple("の" + part for part in sorted(ja.WORDS.contents, key=len, reverse=True))
_ALL = "|".join(sorted(ja.ALL))
_EVERYTHING = re.compile(rf"(?:(?:{'|'.join(ja.LISTS.rest)}|{_ALL})の?)?(?P<what>.*?)(?:{_ALL})?")
_NUMBER = "(?P<number>[二三四五六七八九2-9]|ふた|みっ|よっ)(?:つ|個|本|枚|冊|通|匹|杯|皿|束)"
_COUNTED = re.compile(f"(?P<name>.*?){_NUMBER}(?:とも)?")
_COUNTED_BEFORE = re.compile(f"{_NUMBER}の(?P<name>.{{1,40}})")
_NUMBERS = {"ふた": 2, "みっ": 3, "よっ": 4} | {n: i for i, n in enumerate("二三四五六七八九", 2)}


def strip_end(words: str, ends: Iterable[str]) -> str:
    """The words without the first of these endings that they have, unless that is all."""
    return next((words.removesuffix(e) for e in ends if words.endswith(e) and words != e), words)


def strip_inside(words: str) -> str:
    """箱 for 箱の中, 机 for 机の上."""
    return words if words in ja.WORDS.its_inside else strip_end(words, ja.LISTS.inside)


def strip_lock(words: str) -> str:
    """扉 for 扉の鍵."""
    return strip_end(words, ja.LISTS.locks)


def split_part(words: str) -> tuple[str, str]:
    """The thing and the part that is named of it; もの has no の in it."""
    words = words.replace("にある", "の")
    if words in ja.WORDS.contents:
        return "", words
    part = next(
        (part for part in _CONTENTS if words.endswith(part)), "の" + words.rpartition("の")[2]
    )
    return words.removesuffix(part) if part != "の" + words else "", part[1:]


def split_owners(words: str) -> Iterator[tuple[str, str]]:
    """Each reading of the words as a place and a thing in it."""
    for found in _OWNING.finditer(words):
        if found.start() and found.end() < len(words):
            yield words[: found.start()], words[found.end() :]


def split_count(words: str) -> tuple[str, int]:
    """カップ二つ or 二つのカップ as the name and the number; 0 if there is none."""
    found = _COUNTED.fullmatch(words) or _COUNTED_BEFORE.fullmatch(words)
    if not found:
        return words, 0
    return found["name"], _NUMBERS.get(found["number"]) or int(found["number"])


def is_everything(words: str) -> bool:
    """Whether the words mean all things, or all of a holder: 全部, 持ち物, 棚のもの."""
    found = _EVERYTHING.fullmatch(words) if words else None
    what = found["what"] if found else words
    owner, part = split_part(what)
    return (
        not what
        or ja.is_in(what, ja.WORDS.held, ja.WORDS.contents)
        or (bool(owner) and part in ja.WORDS.contents)
    )


def is_person(lexicon: ParserContext, words: str) -> bool:
    """Whether the words are the name of another person."""
    bare = fold_text(words)
    called = (bare, strip_honorific(bare), bare.replace("ー", ""))
    return any(each in lexicon.people for each in called)


def is_room(lexicon: ParserContext, words: str) -> bool:
    """Whether the words name a place, near or far."""
    return any(bearer in lexicon.world.locations for bearer in lexicon.find_bearers(words))


def is_place(lexicon: ParserContext, words: str) -> bool:
    """Whether one can go there: a way, a place or a door."""
    doors = (e.kind == "door" for e in lexicon.find_matches(words))
    return lexicon.is_way(words) or is_room(lexicon, words) or any(doors)


def is_noun_known(lexicon: ParserContext, words: str) -> bool:
    """Whether the words mean something in the world, or point to something."""
    if words in _POINTING or "以外" in words or is_everything(words):
        return True
    return lexicon.is_known(words) or lexicon.is_known(strip_inside(words))


def is_item_seen(lexicon: ParserContext, words: str) -> bool:
    """Whether the words name a thing in reach, or where it is: 窓の外."""
    owner, part = split_part(words)
    bare = owner if part in _SEEN_PARTS else words
    meant = lexicon.find_matches(bare)
    return bool(meant) and all(e.kind != "character" for e in meant)


def is_object_name(lexicon: ParserContext, asks: str, words: str) -> bool:
    """Whether the words before a comma name a thing, and address no person."""
    bare = fold_text(words)
    if lexicon.is_person(bare) or lexicon.is_person(strip_honorific(bare)):
        return False
    whole = read_noun(lexicon, asks, words) or words
    part = split_part(whole)[1]
    if words in _LISTED or is_everything(words) or ja.is_in(part, ja.WORDS.switches, ja.WORDS.lids):
        return True
    return any(map(lexicon.is_known, (words, whole, split_location(lexicon, whole)[0])))


def means_whole(asks: str, part: str) -> bool:
    """Whether an action on the part is one on the whole: a lid that is opened."""
    if asks in ("open", "close"):
        return part in ja.WORDS.lids or part in ja.WORDS.panels
    if asks in ("use", "put", "hang", "lay"):
        return part in _USED_PARTS
    return asks in LOOKING and part.strip() in _SEEN_PARTS


def read_noun(lexicon: ParserContext, asks: str, words: str) -> str | None:
    """The words without the place they are said to be in; None for a part of a thing.

    A part that is looked at is the thing: 傘の骨を調べる.
    """
    plain = not _OWNING.search(words) or "以外" in words or strip_lock(words) != words
    if plain or ja.is_in(words, ja.HERE, ja.WORDS.its_inside) or lexicon.find_matches(words):
        return words
    owners = [*split_owners(words)]
    here = any(lexicon.is_here(owner) for owner, _ in owners)
    if not here and any(between in words for between in _BETWEEN):
        return words
    # 地下室の扉の鍵穴 is of 地下室の扉, and of no room.
    whole = next((w for w, _ in reversed(owners) if lexicon.find_matches(w)), "")
    for owner, rest in owners:
        if whole != owner and whole.startswith(owner):
            continue
        if lexicon.is_here(owner):
            inside = f"の{rest}" in ja.LISTS.inside
            return words if inside else read_noun(lexicon, asks, rest)
        if is_room(lexicon, owner):
            return words if lexicon.find_bearers(words) else None
    owner, part = split_part(words)
    if f"の{part}" in ja.LISTS.inside or part in ja.WORDS.contents or means_whole(asks, part):
        return words
    lid = owner.removeprefix(f"{whole}の")
    if asks in LOOKING and lid in ja.WORDS.lids and _is_part(lexicon, whole, part):
        return whole  # 木箱のふたの彫刻
    if not _is_part(lexicon, fold_text(strip_inside(owner)), part):
        return words
    return owner if asks in LOOKING else None


def _is_part(lexicon: ParserContext, whole: str, part: str) -> bool:
    """Whether the whole is a thing, and the part nothing that is in it.

    真鍮 is the material of 真鍮の鍵, and no thing that could have a part.
    """
    holders = {
        e.id
        for e in lexicon.find_matches(whole)
        if any(name.endswith(whole) for name in list_folded_names(e))
    }
    return bool(holders) and not any(e.place in holders for e in lexicon.find_matches(part))


def split_location(lexicon: ParserContext, target: str) -> tuple[str, str]:
    """箱の中のコイン as the coin and the box; a name that contains の中の is not split."""
    if lexicon.find_in_scope(target):
        return target, ""
    owner, part = split_part(target)
    if owner and part in ja.WORDS.contents and lexicon.is_known(strip_inside(owner)):
        return "全部", strip_inside(owner)
    if target.startswith(("中の", "上の")) and len(target) > 2:
        return target[2:], ""
    for between in ja.WITHIN:
        where, _, thing = target.partition(between)
        if where and thing:
            return ("全部" if thing in ja.WORDS.contents else thing), where
    for holder, thing in () if lexicon.find_matches(target) else split_owners(target):
        holders = {e.id for e in lexicon.find_matches(holder)}
        if any(e.place in holders for e in lexicon.find_matches(thing)):
            return thing, holder
        far, entities = set(lexicon.find_bearers(holder)), lexicon.world.entities
        if any(e in entities and entities[e].place in far for e in lexicon.find_bearers(thing)):
            return thing, holder  # 庭へ行ってベンチのスコップを取る
    return target, ""


_WITHOUT = re.compile("(?:く|で|て|てい|でい)?(?:ない|なかった)(?:方|ほう|やつ)?の?$")
_DENIAL = re.compile("[^。、]{0,4}ない")
_STEMS = re.compile("[一-鿿々]+|[ァ-ヺー]{2,}")
_WHICH = re.compile("(?:[いなたるの]|ほう|方|やつ)$")


def find_described(lexicon: ParserContext, words: str) -> str:
    """The name of the one thing that is described: 黒くて重い鍵, 青くない方のカップ, カップの赤いやつ."""
    if lexicon.is_known(words) or len(words) > _LONGEST_DESCRIBED:
        return words
    of, _, called = words.rpartition("の")
    if of and set(lexicon.find_bearers(of)) & set(lexicon.find_bearers(called)):
        return called  # 料理人の千代さん
    doors = [e for e in lexicon.find_matches(called) if e.kind == "door"] if of else []
    if len(doors) == 1 and lexicon.find_door(fold_text(of)) == doors[0].name:
        return doors[0].name  # 納戸の引き戸
    pocketed = of in ja.WORDS.pockets and not lexicon.is_known(of)
    bare = called if pocketed else words.removeprefix("持っている")
    held = lexicon.world.list_contents(lexicon.actor) if bare != words else None
    mine = _find_owned(lexicon, of, called) or _find_held(lexicon, bare, held or ())
    if mine:
        return mine
    chosen = strip_end(_AMONG.sub(r"\1", bare), ja.LISTS.one)
    by_kind = strip_end(words, ("のほう", "の方", "のやつ")) == chosen != words
    kind = _find_turned(lexicon, chosen) if chosen != bare else ""
    kind = kind or (_find_begun(lexicon, chosen) if by_kind else "")
    if kind:
        return kind
    for place in range(1, len(bare)):
        said, noun = bare[:place], bare[place:]
        if not _WHICH.search(said) or (said[-1] == "な" and noun[0] in "いくかけ"):
            continue
        alike = [e for e in lexicon.find_matches(noun) if held is None or e.id in held]
        found = _find_meant(lexicon, said, alike)
        if found or (not alike and said.rstrip("のな") in ja.WORDS.praise):
            return found.name if found else noun
    return words


def _find_turned(lexicon: ParserContext, chosen: str) -> str:
    """赤いカップ for カップの赤い, which is left of カップの赤いやつ."""
    for place in range(1, len(chosen)):
        which = chosen[place:].removeprefix("の")
        if which.endswith(("い", "な")) and lexicon.find_matches(which + chosen[:place]):
            return which + chosen[:place]
    return ""


def _find_begun(lexicon: ParserContext, begin: str) -> str:
    """フルーツ牛乳 for フルーツのほう, where there is コーヒー牛乳 too."""
    begun = [e.name for e in lexicon.scope if e.name.startswith(begin)]
    rest = begun[0].removeprefix(begin) if len(begun) == 1 else ""
    return begun[0] if rest and sum(e.name.endswith(rest) for e in lexicon.scope) > 1 else ""


def _find_held(lexicon: ParserContext, words: str, held: Collection[Id]) -> str:
    """The name of the one thing in hand that the words mean: 持っている鍵."""
    mine = [e for e in lexicon.find_matches(words) if e.id in held] if held else []
    return mine[0].name if len(mine) == 1 else ""


def _find_owned(lexicon: ParserContext, owner: str, called: str) -> str:
    """紹介状 for 師匠の紹介状, if it is the only thing of that name and the world has no 師匠."""
    if owner not in ja.WORDS.owners or lexicon.is_known(owner):
        return ""
    found = lexicon.find_in_scope(called)
    only = len(found) == 1 and len(lexicon.find_bearers(called)) == 1
    return called if only and found[0].takeable else ""


def _find_meant(lexicon: ParserContext, said: str, alike: list[Entity]) -> Entity | None:
    """The one of several things that is described, or the only one that is praised."""
    stems = _STEMS.findall(_WITHOUT.sub("", said))
    owned = said.endswith("の") and lexicon.is_known(said[:-1])  # ロッカーの鍵 is its lock.
    has = [e for e in alike if all(_has_word(e, stem) for stem in stems)] if stems else []
    has = [e for e in alike if e not in has] if stems and _WITHOUT.search(said) else has
    if len(has) == 1 and not owned:
        return has[0]
    praised = said.rstrip("のな") in ja.WORDS.praise or _is_standing(said, alike)
    return alike[0] if len(alike) == 1 and praised else None


def _is_standing(said: str, alike: list[Entity]) -> bool:
    """Whether it says where a person is: 湯気の向こうの千代さん."""
    return bool(_STANDING.search(said)) and any(e.kind == "character" for e in alike)


_AMONG = re.compile("^(?:.*の)?([^の]+?)の(?:うち|中)(?:の|で|では)?、?(?=.)")
_LONGEST_DESCRIBED = 40
_STANDING = re.compile(
    "(?:前|そば|隣|横|脇|後ろ|向こう|陰|奥|手前)側?(?:の|に(?:いる|立つ|座る|立っている|座っている))$"
)


def _has_word(entity: Entity, word: str) -> bool:
    """Whether its name or description says so, and does not deny it."""
    text = f"{entity.name}。{entity.description}"
    ends = [at + len(word) for at in range(len(text)) if text.startswith(word, at)]
    return any(not _DENIAL.match(text, end) for end in ends)
