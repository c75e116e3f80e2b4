"""Make the claims that a Japanese clause asks for."""

import re

from saniwa.language.ja.clause_roles import JapaneseClause, means_held, strip_hand
from saniwa.language.ja.nouns import (
    LOOKING,
    find_described,
    is_everything,
    is_person,
    means_whole,
    read_noun,
    split_count,
    split_location,
    split_part,
    strip_end,
    strip_inside,
    strip_lock,
)
from saniwa.language.ja.unused_words import OF_ALL
from saniwa.language.lexicon import ja
from saniwa.language.parser_context import Claim, ParserContext
from saniwa.language.text import fold_text
from saniwa.world.model import Id
from saniwa.world.queries import is_closed

_WITHOUT_SOURCE = frozenset({"put", "lay", "give", "eat", "use", "open", "close", "drop"})
"""Verbs that do not ask where the thing was."""
_MOVING = frozenset({"put", "lay", "give", "drop", "hang"})
"""Verbs for what is held, that may be done to all things of a holder as well."""
_INSIDES = frozenset(words for words in ja.WORDS.contents if words.startswith("中"))
"""Words for everything in a container that was named before."""
_KEYHOLES = tuple("の" + keyhole for keyhole in ja.LISTS.keyholes)
_NAMED = re.compile(
    "(?:(?P<name>.+?)という(?:名の|名前の)?|名前[がは](?P<called>.+?)(?:で、?|の))(?P<what>.+)"
    "|(?P<who>.*[猫犬鳥馬男女人子師者屋士娘童婆爺君鼠兎狐狼])の?(?P<last>[ァ-ヺー]+)"
)
"""A name and what is said of its bearer."""


def make_claims(clause: JapaneseClause) -> list[Claim]:
    """The claims of the clause."""
    asks = clause.verb.asks
    if asks in ("wait", "look"):
        return [{"type": asks}]
    beside = clause.find_beside()
    if beside:
        return [{"type": "inspect", "target": beside}]
    if clause.verb.goes:
        via, goal = clause.find_first("から"), clause.find_first("へ", "に", "まで")
        crossed = [{"type": "move", "target": via}] if goal and clause.lexicon.is_near(via) else []
        return [*crossed, _move(clause)]  # 廊下から帳場に行く
    carried = _carry_away(clause)
    if carried:
        return carried
    targets = [f"{clause.left_out}以外全部"] if clause.left_out else clause.list_targets()
    if not targets and clause.verb.word in ja.WORDS.taking_ni:
        targets = clause.list_objects("に", "へ")
    seen = clause.find_first("から") if asks in LOOKING else ""
    if clause.lexicon.find_matches(seen) and not any(map(clause.lexicon.find_matches, targets)):
        targets = [seen]  # 窓から外を眺める, 戸棚から調べる
    named = [t for t in targets if not ja.is_in(t, ja.ALL, ja.WORDS.quantities)]
    if asks == "take":  # 机→海図: one lies on the other.
        places = {e.place for t in targets for e in clause.lexicon.find_matches(t)}
        named = [t for t in named if not _is_place_of(clause, t, places)] or named
    if asks in ("lock", "unlock"):  # 扉 鍵開けて: the lock is that of the door.
        named = [t for t in named if t not in ja.WORDS.keys] or named
    names = [name for t in named or targets for name in _expand_object(clause, t)]
    return [claim for name in names or [""] for claim in _make_claim(clause, name)]


def _carry_away(clause: JapaneseClause) -> list[Claim]:
    """The claims of 白い旗を甲板に持っていく, which takes a thing to a place; else none."""
    where = clause.find_carried_to()
    held = clause.lexicon.world.list_contents(clause.lexicon.actor)
    things = clause.list_objects("を", "は", "も") if where else []
    found = (t for t in things if all(e.id not in held for e in clause.lexicon.find_matches(t)))
    taken = [claim for thing in found for claim in _make_claim(clause, thing)]
    return [*taken, {"type": "move", "target": where}] if where else []


def _is_place_of(clause: JapaneseClause, words: str, places: set[Id | None]) -> bool:
    """Whether the words name a fixed thing in one of the places."""
    meant = clause.lexicon.find_matches(words)
    return bool(meant) and all(e.id in places and not e.takeable for e in meant)


def make_state_claims(clause: JapaneseClause) -> list[Claim] | None:
    """The inspections that answer a question about the state of a thing.

    None if the clause is no such question.
    """
    if clause.verb.word in ("持つ", "もつ"):
        return [clause.lexicon.make_inventory_claim()]
    targets = clause.list_objects("は", "が", "も", "を", "")
    targets = [t for t in targets if t not in ja.WORDS.keys]  # 鍵がかかってる？ names no door.
    shown = clause.verb.asks in ("open", "close", "stand", "lock", "unlock")
    return [{"type": "inspect", "target": t} for t in targets] if shown and targets else None


def _expand_object(clause: JapaneseClause, target: str) -> list[str]:
    """The words for each thing: 持ち物, 両方のカップ; a part that is the whole here."""
    verb, lexicon = clause.verb, clause.lexicon
    if verb.asks in OF_ALL and means_held(target):
        return ["全部"]
    if verb.asks in _MOVING and is_everything(target):
        holders = {e.id for e in lexicon.find_matches(strip_inside(split_part(target)[0]))}
        lying = [e.name for e in lexicon.scope if e.place in holders]
        return lying or [target]  # 棚のものを籠に入れる
    spoken = {p.words for p in clause.parts if p.particle in ("", "、")}
    pairs = (*ja.WORDS.quantities, "どっち", "どちら")
    both = next((w for w in pairs if target.startswith(w + "の")), "")
    name, number = split_count(target.removeprefix(both + "の") if both else target)
    counts = {number, *(split_count(w)[1] for w in spoken)} - {0}
    listed = [t for t in clause.list_targets() if t not in ja.WORDS.quantities]
    if both or (spoken & ja.WORDS.quantities and len(listed) < 2):
        counts.add(2)
    found = lexicon.find_matches(split_location(lexicon, name or target)[0])
    if len(found) in counts:
        return [e.name for e in found]
    every = next((w + "の" for w in sorted(ja.ALL) if target.startswith(w + "の")), "")
    named = lexicon.find_matches(target.removeprefix(every)) if every else ()
    if named and not is_everything(target):
        return [e.name for e in named]  # 全ての扉
    target = read_noun(lexicon, verb.asks, target) or target
    owner, part = split_part(target)
    whole = means_whole(verb.asks, part) and verb.asks != "put"
    if owner and whole and lexicon.find_matches(owner):
        return [target] if lexicon.find_in_scope(target) else [owner]
    if verb.asks in LOOKING:
        target = _find_described_whole(lexicon, target) or target
    taken = verb.word in ja.WORDS.accepting and is_everything(target)
    if verb.asks in _WITHOUT_SOURCE and not taken:
        return [split_location(lexicon, target)[0]]
    if verb.asks in LOOKING and not is_everything(target):
        thing, holder = split_location(lexicon, target)
        return [thing if holder and lexicon.is_known(thing) else target]
    return [target]


def _find_described_whole(lexicon: ParserContext, target: str) -> str:
    """茶碗 for 茶碗の底の印 where its description tells of both; empty for any other part."""
    pieces = target.split("の") if not lexicon.find_in_scope(target) else []
    for number in range(1, len(pieces)):
        name = "の".join(pieces[:number])
        found = lexicon.find_in_scope(name)
        if len(found) == 1 and all(p and p in found[0].description for p in pieces[number:]):
            return name
    return ""


def _make_claim(clause: JapaneseClause, target: str) -> list[Claim]:
    plain: Claim = {"type": clause.verb.asks, "target": target}
    make = _MAKERS.get(clause.verb.asks)
    claim = make(clause, target) if make else plain
    return clause.lexicon.settle_destination({k: v for k, v in claim.items() if v})


def _take(clause: JapaneseClause, target: str) -> Claim:
    given = clause.verb.word in ("もらう", "貰う")
    source = clause.find_first("から") or (clause.find_first("に") if given else "")
    if not source and target in _INSIDES:
        return {"type": "take", "target": "全部", "source": "それ"}
    if not source:
        target, source = split_location(clause.lexicon, target)
    return {"type": "take", "target": target, "source": strip_inside(source)}


def _lay(clause: JapaneseClause, target: str) -> Claim:
    where = clause.find_first("に", "へ")
    if not where or clause.lexicon.is_here(where):
        return {"type": "drop", "target": target}
    return _put_there(clause, target, where)


def _bring(clause: JapaneseClause, target: str) -> Claim:
    """箱から出す takes it out, 机に出す puts it there."""
    return (_put if clause.find_first("に", "へ") else _take)(clause, target)


def _put(clause: JapaneseClause, target: str) -> Claim:
    where, matches = clause.find_first("に", "へ"), clause.lexicon.find_matches
    if target in ja.WORDS.switches and where and matches(where):
        return {"type": "use", "target": where}
    started = not where and target.endswith(ja.LISTS.started)
    if started and clause.verb.word in ("入れる", "いれる"):
        owner, _, part = target.rpartition("の")
        known = part in ja.WORDS.switches and matches(owner)
        return _use_with(clause, owner if known else target)
    back = clause.verb.word in ("戻す", "もどす", "返す", "かえす")
    return _put_there(clause, target, where or ("元" if back else ""))


def _put_there(clause: JapaneseClause, target: str, where: str) -> Claim:
    verb, matches = clause.verb, clause.lexicon.find_matches
    where = read_noun(clause.lexicon, verb.asks, where) or where
    if where.removesuffix("の中").rpartition("の")[2] in ja.WORDS.pockets and not matches(where):
        return {"type": "take", "target": target}
    whose = strip_hand(where)
    if whose != where and is_person(clause.lexicon, whose):
        return {"type": "give", "target": target, "recipient": whose}
    lock = strip_end(where, _KEYHOLES)
    stuck = verb.word in ja.WORDS.sticking and where
    if lock != where or (stuck and any(e.required_key for e in matches(where))):
        return {"type": "unlock", "target": lock, "tool": target or "それ"}
    relation = ""
    if where.endswith(ja.LISTS.interiors) or verb.word in ja.WORDS.putting_in:
        relation = "in"
    elif where.endswith(ja.LISTS.tops) or verb.word in ja.WORDS.putting_on:
        relation = "on"
    there = strip_inside(where)
    return {"type": "put", "target": target, "destination": there, "relation": relation}


def _give(clause: JapaneseClause, target: str) -> Claim:
    whom = clause.find_first("に", "へ")
    if whom in ja.WORDS.anyone:
        whom = ""
    whom = read_noun(clause.lexicon, clause.verb.asks, whom) or whom
    meant = clause.lexicon.find_matches(strip_inside(whom))
    people = (clause.lexicon.is_person(e.name) or e.kind == "character" for e in meant)
    if meant and not any(people):
        return _put_there(clause, target, whom)
    return {"type": "give", "target": target, "recipient": whom}


def _use_with(clause: JapaneseClause, target: str, asks: str = "use") -> Claim:
    by = clause.find_first("で")
    tool = clause.tool or ("" if by in ja.HANDS else by)
    return {"type": asks, "target": target, "tool": tool}


def _open(clause: JapaneseClause, target: str) -> Claim:
    return _use_with(clause, target, "open")


def _lock(clause: JapaneseClause, target: str) -> Claim:
    """扉の鍵を開ける, 扉に鍵をかける: the lock belongs to the door."""
    named = "" if target in ja.WORDS.keys else find_described(clause.lexicon, strip_lock(target))
    return _use_with(clause, named or clause.find_first("に", "へ"), clause.verb.asks)


def _use(clause: JapaneseClause, target: str) -> Claim:
    if clause.verb.manner:
        return _use_with(clause, target) | {"manner": clause.verb.manner}
    on = clause.find_first("に", "へ")
    if target in ja.WORDS.switches:
        whole = split_location(clause.lexicon, on)[0]
        lit = [("use" in e.attributes) for e in clause.lexicon.find_matches(whole)]
        if (lit and all(lit)) or not clause.lexicon.is_known(target):
            return _use_with(clause, whole)  # 石灯籠に灯をともす, where 提灯 is in hand
    if on and clause.verb.word in ja.WORDS.tool_verbs:
        return {"type": "use", "target": strip_inside(on), "tool": target or "それ"}
    return _use_with(clause, target)


def _see(clause: JapaneseClause, target: str) -> Claim:
    target = clause.find_faced() or target
    if clause.find_first("を") == "様子" and clause.verb.word in ("見る", "みる"):
        return {"type": "wait"}
    if not target or target in ja.HERE or target in ("様子", "状況"):
        return {"type": "look"}
    known = clause.lexicon.find_in_scope(target)
    if target in ja.WORDS.its_inside or (strip_inside(target) != target and not known):
        return _search_in(clause, target)
    return {"type": "inspect", "target": target}


def _search_in(clause: JapaneseClause, target: str) -> Claim:
    known = clause.lexicon.find_in_scope(target)
    where = target if known else strip_inside(target)
    return {"type": "search", "target": "それ" if target in ja.WORDS.its_inside else where}


def _search(clause: JapaneseClause, target: str) -> Claim:
    lexicon = clause.lexicon
    shut = (e.kind == "door" or is_closed(e) for e in lexicon.find_matches(target))
    person = fold_text(target) in lexicon.people or ja.is_in(target, ja.PEOPLE, ja.SELF)
    # 調べる means both searching and inspecting; a closed thing can only be inspected.
    if person or (clause.verb.word in ja.WORDS.looking_closely and any(shut)):
        return {"type": "inspect", "target": target}
    if target in ja.FLOOR and not lexicon.find_in_scope(target):
        return {"type": "search", "target": "ここ"}
    return _search_in(clause, target)


def _hunt(clause: JapaneseClause, target: str) -> Claim:
    where = clause.find_first("で", "から")
    named = strip_inside(target) != target or clause.lexicon.find_in_scope(target)
    if target and named:
        return _search_in(clause, target)
    if where and where not in ja.HERE:
        return {"type": "search", "target": strip_inside(where)}
    return {"type": "search", "target": target if target in ja.HERE else "ここ"}


def _move(clause: JapaneseClause) -> Claim:
    verb, lexicon = clause.verb, clause.lexicon
    through = clause.find_first("を", "から", "で")
    target = clause.find_first("へ", "に", "まで") or clause.find_first("")
    if not target and verb.asks == "leave":
        # Xを出る leaves a place, or goes through a door.
        doors = any(e.kind == "door" for e in lexicon.find_in_scope(through))
        side = strip_end(through, ja.LISTS.sides)
        sided = side != through and lexicon.is_way(side)
        target = side if sided else through if through and doors else "外"
    target = target or through
    target = ja.PAIRS.spoken_ways.get(target, target.rpartition("にある")[2]) or target
    upward = ja.PAIRS.up_and_down.get(verb.word, "")
    climbed = not target or target in ja.WORDS.stairs or lexicon.find_matches(target)
    climbs = climbed and upward in ("上", "下") and not lexicon.is_destination(strip_inside(target))
    if not target or climbs:
        target = upward or target
    target = target if lexicon.is_way(target) else strip_inside(target)
    side = strip_end(target, ja.LISTS.sides)
    target = side if lexicon.is_way(side) else target
    return {"type": "move"} | ({"target": target} if target else {})


def _introduce(clause: JapaneseClause, target: str) -> Claim:
    """トムという赤い猫: a new one gets its name and what is said of it."""
    if clause.verb.word == "呼び出す" and is_person(clause.lexicon, target):
        return {"type": "speak", "to": target}
    if not target or clause.lexicon.find_bearers(target):
        return {"type": "introduce", "target": target}
    found = _NAMED.fullmatch(target)
    parts = found.groupdict() if found else {}
    name = parts.get("name") or parts.get("called") or parts.get("last") or target
    look = parts.get("what") or parts.get("who") or ""
    # 赤い猫 and 猫 are トム as well.
    facts = {"name": name} | ({"description": look, "aliases": [look]} if look else {})
    return {"type": "introduce", "target": name, "metadata": facts}


def _eat(clause: JapaneseClause, target: str) -> Claim:
    """いただく eats food, and takes anything else."""
    meant = clause.lexicon.list_bearers(target)
    food = any(e.edible for e in meant) if meant else not is_everything(target)
    if clause.verb.word in ja.WORDS.accepting and not food:
        return _take(clause, target)
    return {"type": "eat", "target": target}


_MAKERS = {
    "take": _take,
    "lay": _lay,
    "bring": _bring,
    "put": _put,
    "hang": _put,
    "give": _give,
    "open": _open,
    "lock": _lock,
    "unlock": _lock,
    "use": _use,
    "inspect": _see,
    "see": _see,
    "search": _search,
    "hunt": _hunt,
    "introduce": _introduce,
    "eat": _eat,
}
"""The function that makes the claim of each verb; others name only their target."""
