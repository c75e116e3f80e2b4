"""Parse one English clause: a verb, and the roles of the words after it."""

from collections.abc import Mapping

from saniwa.language.en.words import (
    SPEECH,
    EnglishPhrase,
    EnglishVerb,
    build_craft_phrases,
    find_leading_verb,
    list_words,
)
from saniwa.language.lexicon import en
from saniwa.language.mood import make_leftover_claim
from saniwa.language.parser_context import (
    Claim,
    ParserContext,
    make_emote_claim,
    make_unrecognised_claim,
)
from saniwa.language.text import PreparedText

_WHEREABOUTS = frozenset({"in", "inside", "under", "behind", "on", "from", "at", "here"})
_NEARING = frozenset({"to", "over", "up", "toward", "towards"})
_ONTO = frozenset({"on", "onto", "upon", "on top of", "on to", "atop", "back on"})
_PLACE_PREPOSITIONS = {tuple(p.split()) for p in en.TO_PLACE}


def make_clause_claims(
    heard: PreparedText, lexicon: ParserContext, verb: EnglishVerb, rest: EnglishPhrase
) -> list[Claim]:
    """The claims of a verb and the words after it."""
    if verb.manner:
        return [_claim_craft(heard, verb, rest)]
    if _is_gesture(heard, lexicon, verb, rest):
        return [make_emote_claim(_render_phrase(heard, verb, rest))]
    split = _find_split_kind(verb, rest)
    kind = split or verb.kind
    if kind == "deed" or _is_deed(kind, verb, rest):
        return [make_impossible_claim(heard, verb, rest)]
    rest = rest[:-1] if split else rest
    lost = _find_lost_part(kind, rest)
    if lost is not None:
        return [_claim_leftover(heard, verb, rest, lost)]
    if kind == "inventory":
        return [lexicon.make_inventory_claim()]
    if kind == "wait":
        return [_claim_wait(heard, verb, rest)]
    if kind == "move" or _is_going(lexicon, heard, verb, rest):
        return [_claim_move(heard, lexicon, verb, rest)]
    if kind == "look":
        return [_claim_look(heard, rest)]
    if kind == "use":
        return [_promote_tool(c) for c in _claim_use(heard, lexicon, verb, rest)]
    if kind == "search" and (
        not rest or rest[0].low == "for" or verb.phrase.endswith((" for", "find"))
    ):
        return [_claim_search(heard, verb, rest)]
    claim = _claim_roles(heard, kind, rest)
    if kind == "give" and "recipient" not in claim:
        claim = _claim_give(heard, lexicon, rest)
    return lexicon.settle_destination(claim)


def make_impossible_claim(heard: PreparedText, verb: EnglishVerb, rest: EnglishPhrase) -> Claim:
    """The claim for something people do, but that is impossible here."""
    return make_unrecognised_claim(_render_phrase(heard, verb, rest), "no way")


def _render_phrase(heard: PreparedText, verb: EnglishVerb, rest: EnglishPhrase) -> str:
    return f"{verb.phrase} {_extract_text(heard, rest)}" if rest else verb.phrase


def _claim_leftover(
    heard: PreparedText, verb: EnglishVerb, rest: EnglishPhrase, lost: int
) -> Claim:
    """A claim for a clause that is understood only up to a position."""
    return make_leftover_claim(
        _render_phrase(heard, verb, rest),
        _extract_text(heard, rest[lost:]),
        _render_phrase(heard, verb, rest[:lost]),
    )


def _find_lost_part(kind: str, rest: EnglishPhrase) -> int | None:
    """Where the words begin that the verb cannot use; None if it can use all."""
    if kind == "inventory":
        return 0 if rest else None
    roles = en.ROLES.get(kind, {})
    openers = {tuple(p.split()) for p, role in roles.items() if role == "lost"}
    cut = _find_preposition(rest, openers)
    if cut is not None:
        return cut[0]
    # "Take the coin from" and "hang on" miss a name; "pick on the cat" takes nothing.
    if kind == "take" and rest and rest[0].low in ("on", "in", "under", "behind", "at"):
        return 0
    lacking = (kind == "take" and len(rest) > 1) or (kind == "put" and len(rest) == 1)
    return len(rest) - 1 if lacking and rest[-1].low in roles else None


def _claim_wait(heard: PreparedText, verb: EnglishVerb, rest: EnglishPhrase) -> Claim:
    """“Wait a moment” waits; “rest the shoe on the table” puts it there."""
    if not rest or rest[0].low in en.WAITING_FOR:
        return {"type": "wait"}
    claim = _claim_roles(heard, "put", rest)
    if verb.word == "rest" and "target" in claim and "destination" in claim:
        return claim
    return _claim_leftover(heard, verb, rest, 0)


def _is_going(
    lexicon: ParserContext, heard: PreparedText, verb: EnglishVerb, rest: EnglishPhrase
) -> bool:
    """“Move north”, “move to the exit”: the speaker moves, and no thing is used."""
    if verb.phrase != "move" or not rest:
        return False
    words = _extract_text(heard, rest)
    towards = list_words(rest[:1]) in _PLACE_PREPOSITIONS
    return towards or lexicon.is_way(words) or lexicon.is_near(words)


def _is_gesture(
    heard: PreparedText, lexicon: ParserContext, verb: EnglishVerb, rest: EnglishPhrase
) -> bool:
    """“Nod”, “take a breath”, “give Pim a smile”: words that only express something."""
    if verb.kind == "gesture" or _moves_body(heard, lexicon, verb, rest):
        return True
    if not lexicon.narrated:
        return False
    if verb.phrase in en.GAZING:
        seen = _extract_text(heard, rest)
        return lexicon.is_person(seen) or not lexicon.can_see(seen)
    said = " ".join((*verb.phrase.split(), *list_words(rest)))
    return any(said.startswith((g + " ", g + "\0")) or said == g for g in _NARRATED)


_NARRATED = tuple(sorted(en.NARRATED_GESTURES))


def _moves_body(
    heard: PreparedText, lexicon: ParserContext, verb: EnglishVerb, rest: EnglishPhrase
) -> bool:
    """Whether the object is a body part or a smile, and not the name of a thing."""
    looks = verb.kind in ("inspect", "look", "move", "search") and not lexicon.narrated
    if looks or verb.kind in ("wait", *SPEECH):
        return False
    start = lexicon.count_person_words([t.low for t in rest]) if verb.kind == "give" else 0
    if start and rest[start - 1].low == "her":  # "give her smile": whose, not whom
        start = start if len(rest) > start and rest[start].low in _OWNERS else 0
    place = start
    while place < len(rest) and rest[place].low in _OWNERS:
        place += 1
    if place == start or place == len(rest) or rest[place].low not in en.BODY:
        return False
    follows = rest[place + 1 : place + 2]
    parted = not follows or follows[0].low in _AFTER_BODY
    return parted and not lexicon.can_see(_extract_text(heard, rest[start : place + 1]))


_OWNERS = en.BODY_OWNERS
_AFTER_BODY = frozenset(
    {"on", "in", "into", "at", "to", "toward", "towards", "with", "up", "down", "back",
     "over", "from", "slightly", "slowly", "gently", "open", "together", "against",
     "through", "away", "around", "out", "off", "forward", "for", "of", "before"}
)  # fmt: skip


def _is_deed(kind: str, verb: EnglishVerb, rest: EnglishPhrase) -> bool:
    """“Dig”, “hide in the crate”: a known verb without an object to act on."""
    if verb.word == "hide":
        return not rest or rest[0].low in _WHEREABOUTS
    if verb.phrase == "smell":
        return not rest
    return kind == "use" and not rest and verb.phrase not in en.ASKED_ABOUT


def _find_split_kind(verb: EnglishVerb, rest: EnglishPhrase) -> str:
    if verb.length == 1 and rest and rest[-1].kind == "word":
        return en.SPLIT_VERBS.get((verb.word, rest[-1].low), "")
    return ""


def _find_preposition(
    phrase: EnglishPhrase, openers: set[tuple[str, ...]]
) -> tuple[int, int] | None:
    """The position and length of the first of these prepositions."""
    words = list_words(phrase)
    for start in range(len(words)):
        for length in (4, 3, 2, 1):
            if words[start : start + length] in openers and start + length <= len(words):
                return start, length
    return None


def _extract_text(heard: PreparedText, phrase: EnglishPhrase) -> str:
    return heard.extract_span(phrase[0].start, phrase[-1].end) if phrase else ""


def _claim_roles(
    heard: PreparedText, kind: str, rest: EnglishPhrase, more: Mapping[str, str] | None = None
) -> Claim:
    roles = en.ROLES.get(kind, {}) | dict(more or {})
    openers = {tuple(p.split()) for p in roles}
    claim: Claim = {"type": kind}
    cut = _find_preposition(rest, openers)
    head = rest if cut is None else rest[: cut[0]]
    if head:
        claim["target"] = _extract_text(heard, head)
    while cut is not None:
        opener = " ".join(list_words(rest[cut[0] : cut[0] + cut[1]]))
        rest = rest[cut[0] + cut[1] :]
        role = roles[opener]
        others = {tuple(p.split()) for p, r in roles.items() if r != role}
        cut = _find_preposition(rest, others)
        named = rest if cut is None else rest[: cut[0]]
        if role and named:
            claim[role] = _extract_text(heard, named)
            if role == "destination":
                claim["relation"] = "on" if opener in _ONTO else "in"
    return claim


def _claim_give(heard: PreparedText, lexicon: ParserContext, rest: EnglishPhrase) -> Claim:
    """“Give the keeper the coin”: the recipient comes first."""
    cut = lexicon.count_person_words([t.low for t in rest])
    if cut == 0 or cut == len(rest):
        articles = [i for i, t in enumerate(rest) if t.low in (*en.ARTICLES, *en.MINE)]
        cut = articles[-1] if articles else 0
    if cut == 0:
        return {"type": "give"} | ({"target": _extract_text(heard, rest)} if rest else {})
    whom, what = _extract_text(heard, rest[:cut]), _extract_text(heard, rest[cut:])
    return {"type": "give", "target": what, "recipient": whom}


def _claim_move(
    heard: PreparedText, lexicon: ParserContext, verb: EnglishVerb, rest: EnglishPhrase
) -> Claim:
    upward = en.UP_AND_DOWN.get(verb.phrase, "")
    if not rest:
        way = {"exit": "out", "leave": "out", "get out": "out", "enter": "in",
               "get in": "in"}.get(verb.phrase, upward)  # fmt: skip
        way = "back" if verb.phrase.endswith(" back") else way
        return {"type": "move", "target": way} if way else {"type": "move"}
    words = _extract_text(heard, rest)
    if verb.word in ("leave", "exit") and rest[0].low not in ("through", "by", "via", "to"):
        if lexicon.is_here(words):
            return {"type": "move", "target": "out"}
        if verb.word == "leave" and not lexicon.is_way(words):
            return {"type": "drop", "target": words}
    if lexicon.is_way(words):
        return {"type": "move", "target": words}
    if _takes_along(lexicon, heard, rest) or _steps_on(lexicon, heard, verb, rest):
        return _claim_leftover(heard, verb, rest, 0)
    target = _extract_text(heard, _skip_preposition(_find_last_destination(rest))) or words
    nearing = rest[0].low in _NEARING or verb.word == "approach"
    if nearing and not lexicon.is_near(target) and lexicon.can_see(target):
        return {"type": "inspect", "target": target}
    climbed = rest[-1].low in (*en.CLIMBED, *en.DIRECTIONS) or lexicon.can_see(target)
    if upward and climbed and not lexicon.is_destination(target):
        target = upward
    return {"type": "move", "target": target}


def _steps_on(
    lexicon: ParserContext, heard: PreparedText, verb: EnglishVerb, rest: EnglishPhrase
) -> bool:
    """“Step on the bun”, “run the lamp”: a verb of motion that goes nowhere."""
    on = verb.word == "step" and rest[0].low in ("on", "onto", "upon")
    along = verb.word in _WALKING and rest[0].low in (*en.ARTICLES, *en.MINE)
    place = _extract_text(heard, rest[1:] if on else rest)
    return (on or along) and not (lexicon.is_near(place) or lexicon.is_way(place))


_WALKING = frozenset({"run", "walk", "step", "head", "hurry", "rush", "sneak", "crawl"})


def _takes_along(lexicon: ParserContext, heard: PreparedText, rest: EnglishPhrase) -> bool:
    """“Walk the dog to the shed”: the words before "to" are no part of the way."""
    to = _find_last_destination(rest)
    before = rest[: len(rest) - len(to)]
    if not before or list_words(before[:1]) in _PLACE_PREPOSITIONS:
        return False
    return (
        not lexicon.is_destination(_extract_text(heard, before)) and before[0].low not in _ON_FOOT
    )


_ON_FOOT = frozenset({"back", "straight", "right", "all", "directly", "over", "on", "out", "up", "down", "away", "home", "along", "quietly", "quickly", "slowly", "carefully"})  # fmt: skip


def _find_last_destination(rest: EnglishPhrase) -> EnglishPhrase:
    """“through the gate to the orchard”: the last place is the destination."""
    for number in range(len(rest) - 1, 0, -1):
        if rest[number].kind == "word" and rest[number].low in ("to", "into"):
            return rest[number:]
    return rest


def _skip_preposition(rest: EnglishPhrase) -> EnglishPhrase:
    words = list_words(rest)
    for length in (2, 1):
        if len(rest) > length and words[:length] in _PLACE_PREPOSITIONS:
            return rest[length:]
    return rest


def _claim_look(heard: PreparedText, rest: EnglishPhrase) -> Claim:
    words = _extract_text(heard, rest).lower()
    for article in en.ARTICLES:
        words = words.removeprefix(article + " ")
    if not words or words in en.HERE or words in en.DIRECTIONS:
        return {"type": "look"}
    return {"type": "inspect", "target": _extract_text(heard, rest)}


def _claim_search(heard: PreparedText, verb: EnglishVerb, rest: EnglishPhrase) -> Claim:
    if not rest and verb.phrase.endswith((" in", " inside", " under", " behind")):
        return {"type": "search", "target": "it"}
    cut = _find_preposition(rest, {("in",), ("inside",), ("under",), ("behind",), ("on",)})
    if cut is not None and rest[cut[0] + cut[1] :]:
        return {"type": "search", "target": _extract_text(heard, rest[cut[0] + cut[1] :])}
    return {"type": "search", "target": "here"}


def _claim_use(
    heard: PreparedText, lexicon: ParserContext, verb: EnglishVerb, rest: EnglishPhrase
) -> list[Claim]:
    if verb.phrase not in en.TOOL_VERBS:
        return [_claim_roles(heard, "use", rest)]
    to = _find_preposition(rest, {("to",)})
    if to is not None:
        doing = find_leading_verb(
            rest[to[0] + 1 :], build_craft_phrases(lexicon.list_craft_verbs("en"))
        )
        others = ("use", "unknown", "deed", *SPEECH)
        if doing is not None and (doing.manner or doing.kind not in others):
            inner = make_clause_claims(heard, lexicon, doing, rest[to[0] + 1 + doing.length :])
            means = _extract_text(heard, rest[: to[0]])
            return [_add_tool(claim, means) for claim in inner]
    cut = _find_preposition(rest, {(p,) for p in en.USE_ON})
    if cut is None or not rest[cut[0] + cut[1] :] or not cut[0]:
        return [_claim_roles(heard, "use", rest)]
    tool, on = rest[: cut[0]], rest[cut[0] + cut[1] :]
    return [{"type": "use", "target": _extract_text(heard, on), "tool": _extract_text(heard, tool)}]


def _claim_craft(heard: PreparedText, verb: EnglishVerb, rest: EnglishPhrase) -> Claim:
    """“Slice the carrot with the knife”, “cook it on the stove”."""
    spoken = {t.low for t in rest if t.kind == "word"}
    plain = not spoken.isdisjoint(en.ROLES["use"])
    claim = _claim_roles(heard, "use", rest, {} if plain else en.CRAFTED_WITH)
    return claim | {"manner": verb.manner}


def _promote_tool(claim: Claim) -> Claim:
    """“Dig with the spade”: without a target, the tool becomes what is used."""
    if claim["type"] == "use" and "tool" in claim and "target" not in claim:
        return {"type": "use", "target": claim["tool"]}
    return claim


def _add_tool(claim: Claim, tool: str) -> Claim:
    if claim["type"] in ("open", "lock", "unlock", "use"):
        return claim | {"tool": tool}
    return claim
