"""Read what is said: talk without quotation marks, who is spoken to, and about what."""

from typing import NamedTuple

from saniwa.language.en.request_wording import find_next_verb
from saniwa.language.en.words import (
    EnglishPhrase,
    EnglishVerb,
    classify_link,
    count_adverb,
    extract_phrase,
    list_words,
)
from saniwa.language.lexicon import en
from saniwa.language.lexicon.en import WORDS
from saniwa.language.parser_context import Claim, ParserContext, strip_article


class SpeechReading(NamedTuple):
    """A claim of speech."""

    claim: Claim
    """The claim."""
    place: int
    """Where the words end that belong to it."""


def read_speech(
    verb: EnglishVerb,
    rest: EnglishPhrase,
    tokens: EnglishPhrase,
    place: int,
    lexicon: ParserContext,
) -> SpeechReading | None:
    """The speech after a verb: `rest` up to `place`, and what follows in `tokens`.

    None for talk that has neither a person nor words.
    """
    if place < len(tokens) and tokens[place].low == ":":
        # “Tell Marta: open it”: whatever follows is said, and nothing of it is done.
        to, said = name_hearer(rest, lexicon), tokens[place + 1 :]
        claim = _make_claim(lexicon, said, to, len(lexicon.heard.text))
        return SpeechReading(claim, len(tokens))
    end = next((n for n in range(place, len(tokens)) if tokens[n].kind == "stop"), len(tokens))
    whole = (*rest, *tokens[place:end])
    if verb.kind == "ask" or verb.word in ("tell", "inform"):
        talk = _read_talk(verb, whole, lexicon) if whole else None
        if talk is None:
            return None
        return SpeechReading(talk.claim, place + max(0, talk.place - len(rest)))
    stop = tokens[end].end if end < len(tokens) else len(lexicon.heard.text)
    made = _read_unquoted(whole, stop, lexicon)
    if made.place == len(whole):
        return SpeechReading(made.claim, min(end + 1, len(tokens)))
    return SpeechReading(made.claim, place + max(0, made.place - len(rest)))


def _make_claim(lexicon: ParserContext, said: EnglishPhrase, to: str, stop: int = 0) -> Claim:
    claim: Claim = {"type": "speak"} | ({"to": to} if to else {})
    if not said:
        return claim
    content = lexicon.heard.extract_span(said[0].start, max(stop, said[-1].end))
    return claim | {"content": content}


def _read_unquoted(rest: EnglishPhrase, stop: int, lexicon: ParserContext) -> SpeechReading:
    """Speech without quotation marks: to the end of its sentence, or to "to Marta"."""
    hearer = _find_hearer(rest, lexicon)
    if hearer is None:
        said = rest[1:] if len(rest) > 1 and rest[0].low in ("that", "for") else rest
        return SpeechReading(_make_claim(lexicon, said, "", stop), len(rest))
    first, after, last = hearer
    to = extract_phrase(lexicon, rest[first + 1 : after])
    said = rest[after:last] if first == 0 else rest[:first]
    closed = first == 0 and last == len(rest)
    return SpeechReading(_make_claim(lexicon, said, to, stop if closed else 0), last)


def _read_talk(
    verb: EnglishVerb, rest: EnglishPhrase, lexicon: ParserContext
) -> SpeechReading | None:
    """“Talk to Marta”, “ask Nell about the cellar”, “tell Bram to dig”; None without a name."""
    rest = rest[count_adverb(list_words(rest), 0) :] or rest
    start = int(rest[0].low in ("to", "with"))
    length = _count_other(rest[start:], lexicon)
    if not length:
        return _read_topic_first(verb, rest, lexicon)
    claim: Claim = {"type": "speak", "to": _join(rest[start : start + length])}
    begin = start + length
    begin += count_adverb(list_words(rest), begin)
    tail = rest[begin:]
    if not tail or _ends_clause(tail, 0, lexicon):
        return SpeechReading(claim, begin)
    if tail[0].low in WORDS.topic_words and len(tail) > 1:
        end = next((n for n in range(2, len(tail)) if _ends_clause(tail, n, lexicon)), len(tail))
        return SpeechReading(claim | {"about": _join(tail[1:end])}, begin + end)
    asks = tail[0].low == "to" and len(tail) > 1
    end = next((n for n, t in enumerate(tail) if n and t.low == "then"), len(tail))
    end = len(tail) if asks else end - (end < len(tail) and classify_link(tail[end - 1]) != "")
    said = tail[1:end] if asks or (tail[0].low == "that" and len(tail) > 1) else tail[:end]
    claim |= {"request": True} if asks else {}
    return SpeechReading(claim | {"content": extract_phrase(lexicon, said)}, begin + end)


def _read_topic_first(
    verb: EnglishVerb, rest: EnglishPhrase, lexicon: ParserContext
) -> SpeechReading | None:
    """“Talk about the cellar with Marta”, “ask for help”, “ask everyone where it is”."""
    about = verb.kind == "ask" and rest[0].low in ("about", "regarding")
    for place in range(2, len(rest) - 1) if about else ():
        if rest[place].low in ("with", "to") and _count_other(rest[place + 1 :], lexicon):
            to = _join(rest[place + 1 :])
            topic = {"about": _join(rest[1:place])}
            return SpeechReading({"type": "speak", "to": to} | topic, len(rest))
    wanted = rest[rest[0].low in WORDS.anybody :]
    if len(wanted) > 1 and wanted[0].low in WORDS.asked_for:
        said = wanted[wanted[0].low in ("for", "to", "that") :]
        stops = (n for n in range(1, len(said)) if _ends_clause(said, n, lexicon))
        end = len(said) if wanted[0].low == "to" else next(stops, len(said))
        claim = _make_claim(lexicon, said[:end], "")
        return SpeechReading(claim, len(rest) - len(said) + end)
    return None


def find_order(phrase: EnglishPhrase, lexicon: ParserContext) -> EnglishPhrase:
    """“Nell to open it” of “have Nell open it”, “get Nell to open it”; empty if it is no order."""
    length = _count_other(phrase[1:], lexicon) if phrase[0].low in WORDS.ordering else 0
    person, after = phrase[1 : 1 + length], phrase[1 + length :]
    if not person or not after:
        return ()
    if phrase[0].low == "let" and after[0].low == "know":
        return (*person, *after[1:])
    bare = after[after[0].low == "to" :]
    if not bare or find_next_verb(bare, lexicon) is None:
        return ()
    return (*person, after[0]._replace(low="to"), *bare)


def _find_hearer(rest: EnglishPhrase, lexicon: ParserContext) -> tuple[int, int, int] | None:
    """Where "to Marta" is: its first word, the first after it, and where the speech ends."""
    for place, token in enumerate(rest):
        if token.low != "to":
            continue
        length = _count_other(rest[place + 1 :], lexicon)
        after = place + 1 + length
        if length and (after == len(rest) or _ends_clause(rest, after, lexicon)):
            return place, after, after
        if length and place == 0:
            return place, after, len(rest)
    return None


def name_hearer(rest: EnglishPhrase, lexicon: ParserContext) -> str:
    """The person named in words such as "to Marta", "I say to her"; empty if none is."""
    for place in range(len(rest)):
        length = _count_other(rest[place:], lexicon)
        if length:
            return _join(rest[place : place + length])
    return ""


def _count_other(phrase: EnglishPhrase, lexicon: ParserContext) -> int:
    length = lexicon.count_person_words([t.low for t in phrase[:6]])
    name = strip_article(_join(phrase[:length])) if length else ""
    return 0 if name in en.SELF else length


def _ends_clause(words: EnglishPhrase, place: int, lexicon: ParserContext) -> bool:
    """Whether another deed begins here: "and open the cupboard", "then go north"."""
    link = classify_link(words[place])
    if not link or link == "stop":
        return link == "stop"
    while place < len(words) and (classify_link(words[place]) or words[place].low == "i"):
        place += 1
    return place == len(words) or find_next_verb(words[place:], lexicon) is not None


def _join(phrase: EnglishPhrase) -> str:
    return " ".join(t.low for t in phrase)
