"""Find the words of a Japanese clause that its verb cannot use; then nothing is done."""

from saniwa.language.ja.clause_roles import (
    JapaneseClause,
    JapanesePart,
    is_speaker,
    means_held,
    strip_hand,
)
from saniwa.language.ja.nouns import (
    COMMAS,
    LOOKING,
    is_object_name,
    is_person,
    is_place,
    is_room,
    read_noun,
    split_count,
    split_location,
    strip_end,
    strip_inside,
)
from saniwa.language.lexicon import ja
from saniwa.language.parser_context import list_use_states

OF_ALL = frozenset({"take", "bring", "drop", "lay", "put", "give", "hang"})
"""Verbs that can be done to everything at once."""
_TOOLED = frozenset({"open", "close", "lock", "unlock", "use", "take"})
_LISTED = ("と", "や", "を", "は", "も", "が", "", "、", ",")
_TOOLS = ja.HANDS | ja.THINGS | ja.WORDS.adverbs | ja.HERE


def find_unexplained(clause: JapaneseClause) -> str:
    """The words of the clause that its verb cannot use; empty if it can use all."""
    if clause.find_beside():
        return clause.find_first("を")
    odd = [p.words for p in clause.parts if _is_abstract(clause, p)]
    odd += [p.words for p in clause.parts if _is_done_elsewhere(clause, p)]
    if odd:
        return odd[0]
    objects = [p for p in clause.parts if p.particle == "を" and p.words]
    if clause.verb.asks in LOOKING:
        lost = [p.words for p in objects if not _explains_noun(clause, *p)]
        return lost[0] if lost and clause.verb.asks not in ("introduce", "stand") else ""
    misused = _find_misused_place(clause, objects) or _find_misused_object(clause, objects)
    if misused:
        return misused
    seen: set[JapanesePart] = set()
    for number, part in enumerate(clause.parts):
        listed = part.particle in ("、", ",") and part in seen
        seen.add(part)
        if part.words and not listed and not _explains_part(clause, number, bool(objects)):
            return (part.words + part.particle).strip(COMMAS)
    return ""


def _is_abstract(clause: JapaneseClause, part: JapanesePart) -> bool:
    """Whether nothing can be done to it: 相手の要求を飲む, 自分のことを棚に上げる."""
    if clause.verb.asks in LOOKING or clause.verb.goes or part.particle not in "をはがも":
        return False
    head = part.words.rpartition("の")[2]
    unreal = head in ja.WORDS.abstract or part.words.endswith("のこと")
    return unreal and not clause.lexicon.is_known(head)


def _is_done_elsewhere(clause: JapaneseClause, part: JapanesePart) -> bool:
    """Whether the part says that it is done in another place: 書斎でランプをつける."""
    if part.particle != "で" or clause.verb.goes or clause.lexicon.is_here(part.words):
        return False
    return is_room(clause.lexicon, part.words)


def _find_misused_place(clause: JapaneseClause, objects: list[JapanesePart]) -> str:
    """The place that is named, but where the verb cannot be done."""
    verb, where = clause.verb, clause.find_first("に", "へ")
    via = clause.find_first("から") if verb.goes else ""
    if clause.lexicon.is_near(via) and clause.lexicon.is_near(where):
        rooms = clause.lexicon.world.locations
        passed = [rooms[r] for r in clause.lexicon.find_bearers(via) if r in rooms]
        goals = clause.lexicon.find_bearers(where)
        if not any(way.to in goals for room in passed for way in room.exits):
            return f"{via}から"  # 玄関から庭へ行く, where both are next to this place
    if verb.asks == "approach":
        return where or verb.word
    worn = verb.asks in ("hang", "put", "lay") and where in ja.WORDS.body - ja.FLOOR
    if worn and not clause.lexicon.find_matches(where):
        return where  # 手ぬぐいを肩にかける
    climbed = () if is_place(clause.lexicon, where) else clause.lexicon.find_matches(where)
    if verb.word in ja.PAIRS.up_and_down and climbed:
        return where
    if where in ja.LISTS.keyholes and verb.asks in ("put", "use", "lay"):
        return where
    if verb.word in ("入れる", "いれる") and not objects and is_place(clause.lexicon, where):
        return verb.word  # 入れる is also "can enter", which asks for nothing.
    return ""


def _find_misused_object(clause: JapaneseClause, objects: list[JapanesePart]) -> str:
    """The words that name something, but nothing that the verb can be done to."""
    verb, lexicon = clause.verb, clause.lexicon
    if clause.left_out and verb.asks not in OF_ALL:
        return f"{clause.left_out}以外"
    named = {p.words for p in clause.parts if p.words and p.particle in _LISTED}
    if named and named <= ja.WORDS.quantities:
        return min(named)
    listed = clause.list_targets()
    unknown = [w for w in listed if not is_object_name(lexicon, verb.asks, split_count(w)[0])]
    if unknown and len(listed) > 1:
        return unknown[0]
    if _is_off(clause, listed) or _is_eaten_or_taken(clause, listed):
        return verb.word
    topics = [p.words for p in clause.parts if p.particle == "は"]
    if len(topics) > 1:
        return topics[0]
    between = [p for p in clause.parts if p.particle in ("、", ",") and not p.words]
    many = not verb.goes and 0 < len(objects) - 1 > len(between)
    return objects[0].words if many else ""


def _is_off(clause: JapaneseClause, names: list[str]) -> bool:
    """Whether it switches off what is off already, or what using it switches on."""
    word, lexicon = clause.verb.word, clause.lexicon
    wholes = [name.rpartition("の")[0] or name for name in names]
    if word not in ja.WORDS.switching_off or clause.verb.asks != "use":
        return False
    things = [e for whole in wholes for e in lexicon.find_matches(whole)]
    if any(state.startswith(ja.LISTS.off) for e in things for state in e.state):
        return True
    cut = word in ja.WORDS.cutting and not any(map(list_use_states, things))  # ロープを切る
    return bool(things) and not cut and not all(map(lexicon.is_left_off, wholes))


def _is_eaten_or_taken(clause: JapaneseClause, names: list[str]) -> bool:
    """Whether it may mean eating as well as taking: パンを頂戴する."""
    return clause.verb.word == "頂戴する" and any(
        e.edible for name in names for e in clause.lexicon.find_matches(name)
    )


def _explains_noun(clause: JapaneseClause, words: str, particle: str) -> bool:
    """Whether the words can name a thing here: not a part of it, nor one elsewhere."""
    asks, lexicon = clause.verb.asks, clause.lexicon
    if asks == "wait" and particle == "を" and words.rpartition("の")[2] in ja.WORDS.awaited:
        return True
    others = words.startswith(ja.LISTS.others) and not means_held(words)
    if others or words in ("二回", "三回"):
        return False
    name, number = split_count(words)
    if number:
        listed = [name] if name else clause.list_objects("を", "は", "も", "が", "")
        things = [split_location(lexicon, each)[0] for each in listed]
        return any(len(lexicon.find_matches(each)) == number for each in things)
    if particle in ("に", "へ") and asks in ("lay", "put", "bring", "hang"):
        holder = strip_inside(words)
        if is_person(lexicon, strip_hand(words)):
            return strip_hand(words) != words  # 千代さんの差し出した手に
        beside = words.endswith(ja.LISTS.beside) and not lexicon.find_in_scope(words)
        if beside or (holder != words and lexicon.is_person(holder)):
            return False
        if is_room(lexicon, words):
            return lexicon.is_here(words)
    holder = strip_end(words, ja.LISTS.beside) if particle == "で" else words
    if holder != words and lexicon.find_matches(holder):
        return True
    if particle == "で" and asks in _TOOLED and clause.find_first("を", "は", ""):
        return _is_instrument(clause, words)
    return read_noun(lexicon, asks, words) is not None


def _is_instrument(clause: JapaneseClause, words: str) -> bool:
    if words in _TOOLS or clause.verb.manner:
        return True
    meant = clause.lexicon.find_matches(words)
    if clause.verb.asks != "open" or not meant:
        return bool(meant or clause.lexicon.find_bearers(words))
    keys = {e.required_key for e in clause.lexicon.find_matches(clause.find_first("を", ""))}
    return any(e.id in keys or e.name.endswith(("鍵", "カギ", "キー")) for e in meant)


def _explains_part(clause: JapaneseClause, number: int, has_object: bool) -> bool:
    """Whether the verb can use the words with their particle."""
    (words, particle), verb, lexicon = clause.parts[number], clause.verb, clause.lexicon
    if not _explains_noun(clause, words, particle):
        return False
    if particle in ("、", ","):
        return is_object_name(lexicon, verb.asks, words) or not (has_object or verb.goes)
    own = is_speaker(lexicon, particle, words)
    if particle == "を" or own or ja.is_in(words, ja.WORDS.adverbs, ja.WORDS.topics):
        return True
    if particle in ("", "は", "が", "も"):
        return _explains_bare(clause, words, particle, has_object)
    if particle in ("と", "や"):
        return _explains_listed(clause, number, has_object)
    if particle == "で":
        fits = words in ja.HANDS or lexicon.is_here(words) or words.endswith(ja.LISTS.beside)
    else:
        held = verb.asks == "take" and particle == "に" and words in ja.WORDS.body
        fits = (
            held
            or words in ja.WORDS.in_hand
            or (particle == "に" and verb.word in ja.WORDS.taking_ni)
        )
    return fits or _fits_frame(clause, words, particle)


def _explains_bare(clause: JapaneseClause, words: str, particle: str, has_object: bool) -> bool:
    """Whether words without a particle, or a topic, may be what it is done to."""
    if clause.verb.goes:
        return particle == "" and not clause.find_first("へ", "に", "まで")
    counted = ja.is_in(words, ja.ALL, ja.WORDS.quantities) or split_count(words)[1] > 0
    return not has_object or (particle == "" and (counted or clause.verb.asks == "wait"))


def _explains_listed(clause: JapaneseClause, number: int, has_object: bool) -> bool:
    """Whether words before と or や belong to a list of things."""
    follows = [p.particle for p in clause.parts[number + 1 : number + 2]]
    listed = follows[0] in _LISTED if follows else not has_object
    with_person = follows in ([], ["を"]) and is_person(clause.lexicon, clause.parts[number].words)
    return listed and not with_person and not clause.verb.goes and clause.verb.asks != "wait"


def _fits_frame(clause: JapaneseClause, words: str, particle: str) -> bool:
    """Whether the verb has a role for the particle."""
    asks = clause.verb.asks
    if particle in ("に", "へ", "まで") and words == clause.find_carried_to():
        return True
    if asks == "drop" and particle in ("に", "へ"):
        return words in ja.FLOOR
    if asks == "take" and particle == "に":
        return clause.verb.word in ("もらう", "貰う")
    if asks in ("open", "close") and particle in ("に", "へ"):
        return clause.find_first("を") in ja.WORDS.keys
    return particle in ja.GROUPS.frames.get(asks, ("に", "へ", "で"))
