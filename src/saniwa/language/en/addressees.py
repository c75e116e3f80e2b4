"""Whom a sentence calls, and who is to do what it orders: another person than the player.

“Pim, I need help. Take it.” asks nothing of the player, and neither does "you take that".
"""

from saniwa.language.en.request_wording import count_filler
from saniwa.language.en.words import FIRST_PERSON, VERB_FORMS, EnglishPhrase, classify_link
from saniwa.language.lexicon.en import SEQUENCES, WORDS
from saniwa.language.parser_context import ParserContext

_THANKING = frozenset({"thank", "thanks", "sorry", "don't", "no"}) | WORDS.greetings


def find_called(said: EnglishPhrase, lexicon: ParserContext, *, ordered: bool = False) -> str:
    """Who is called in a sentence after a deed: "please, Pim", "Pim?", "you do it, Pim".

    After an order ("open it"), any sentence that ends with a name calls.
    """
    words = [t.low for t in said if t.kind != "stop"]
    if ordered and words[0] in ("just", "like", "as") and "you" in words:
        return "you"  # "Just like Pim showed you"
    called = words[0] in lexicon.people and words[1:2] == [","]
    if called and all(w == "," or w in WORDS.urging or count_filler((w,), 0) for w in words[1:]):
        return words[0]  # "Marta, please."
    for length in (1, 2, 3):
        name = " ".join(words[-length:])
        if len(words) < length or name not in lexicon.people:
            continue
        before = said[: len(words) - length]
        spoken = [t.low for t in before if t.kind != "comma"]
        if not spoken or before[-1].kind == "comma":
            urged = all(w in WORDS.urging or count_filler((w,), 0) for w in spoken)
            called = ordered and bool(spoken) and spoken[0] not in _THANKING
            return name if called or urged or "you" in spoken else ""
    return ""


def find_ordered(said: EnglishPhrase, lexicon: ParserContext) -> str:
    """Who is to act in "I beg Pim, open it", "hey you, open it", "exit Pim"; else empty."""
    low = tuple(t.low for t in said)
    if low[0] in ("exit", "exeunt", "enter") and " ".join(low[1:2]) in lexicon.people:
        return low[1]
    stop = next((n for n, t in enumerate(said) if t.kind == "comma"), len(said))
    if not said[stop + 1 :] or not is_bare_order(said[stop + 1 :]):
        return ""
    if low[0] in FIRST_PERSON and "".join(low[1:2]) in WORDS.telling_to:
        return find_spoken_to(said[:stop], lexicon)
    called = SEQUENCES.imagined.count(low)
    return " ".join(low[:called]) if called == stop and called else ""


def _is_hailing(words: tuple[str, ...]) -> bool:
    """“Good boy”, “stop, thief”, “poor Pim, you must be starving”."""
    hails = SEQUENCES.hailing.count(tuple(word for word in words if word != ","))
    return bool(hails) or (words[0] == "poor" and "you" in words)


def find_spoken_to(said: EnglishPhrase, lexicon: ParserContext) -> str:
    """Who is to do what the next sentence orders: "Pim, come here.", "I turn to Pim."."""
    words = tuple(t.low for t in said)
    if _is_hailing(words):
        return " ".join(words)
    named = lexicon.count_person_words(words)
    person = " ".join(words[:named])
    if named and person in lexicon.people and said[named : named + 1]:
        if said[named].kind == "comma":
            return person
        speaks = words[named] in WORDS.speaking
        if speaks and set(words[named + 1 :]) <= {"at", "to", "me", "us", "out"}:
            return person
    heard = words[:1] == ("what",) and words[-1] in ("say", "said", "saying")
    if heard:
        return next((word for word in words if word in lexicon.people), "")
    last = next((n for n in (1, 2, 3) if " ".join(words[-n:]) in lexicon.people), 0)
    if last and len(words) > last and said[-last - 1].kind == "comma":
        return " ".join(words[-last:])
    if (
        words[0] not in FIRST_PERSON
        or len(words) < 3
        or words[1] not in (WORDS.turning | WORDS.telling_to)
    ):
        return ""
    for place in range(2, len(words)):
        for length in (2, 1):
            name = " ".join(words[place : place + length])
            if name in lexicon.people:
                return name
    return ""


def count_words_for_another(said: EnglishPhrase) -> int:
    """How many words tell another what to do: "you take that, | I'll take this"; 0 if none."""
    low = [t.low for t in said]
    if low[0] != "you" or "".join(low[1:2]) not in VERB_FORMS:
        return 0
    for place in range(3, len(said)):
        if low[place] in ("i", "i'll", "i'm") and classify_link(said[place - 1]):
            return place
        if low[place] == "me" and low[place - 1] == "not":
            return len(said)
    return 0


def is_permission(said: EnglishPhrase) -> bool:
    """“You can take it”: what another may do, if it says neither "now" nor from where."""
    low = [t.low for t in said]
    plain = len(low) < 6 and not {"now", "then", "next", "also"}.intersection(low)
    return low[:2] in (["you", "can"], ["you", "may"]) and plain


def is_bare_order(said: EnglishPhrase) -> bool:
    """Whether a sentence orders without a subject: "open the box, please"."""
    low = [t.low for t in said if not classify_link(t)]
    while low and (count_filler((low[0],), 0) or low[0] in WORDS.calls):
        low = low[1:]
    return bool(low) and low[0] in VERB_FORMS and low[0] not in FIRST_PERSON
