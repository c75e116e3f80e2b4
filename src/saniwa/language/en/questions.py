"""Recognise what an English question asks for.

A question never changes a world; its claim says what it asks, so that the answer can be
given from what the speaker sees.
"""

import re
from collections.abc import Callable

from saniwa.language.en.words import EnglishPhrase
from saniwa.language.parser_context import Claim

DeedReader = Callable[[EnglishPhrase], list[Claim]]
"""Reads the clause at the end of a question: "open the chest"."""

_LEAD = re.compile(
    r"(?:(?:please|hey|oh|ok|okay|well|so|and|but|then|now|hmm|um|uh|tell me|show me|explain|say"
    r"|do you know|can you tell me|could you tell me|would you tell me|i'd like to know|i wonder"
    r"|i was wondering|i am wondering|let me know|any idea|i want to know|i don't know"
    r"|i do not know) )+"
)
_IDLE = re.compile(
    r"\b(?:the hell|on earth|in the world|the heck|exactly|possibly|please|plz|pls|still|just"
    r"|actually|supposed to be)\b ?"
)
_SHORT = (
    ("what's", "what is"), ("who's", "who is"), ("where's", "where is"), ("how's", "how is"),
    ("i'm", "i am"), ("can't", "can not"), ("won't", "will not"),
)  # fmt: skip
_X = r"(?P<target>.+)"
_IN = r"(?:on top of|on|in|inside|under|underneath|beneath|behind|within|at)"
_ANY = r"(?:anyone|anybody|someone|somebody)"
_HERE = r"(?:here|around|there|nearby|present|in here|in (?:the|this) (?:room|place|house))"
_KINDS: tuple[tuple[str, str], ...] = (
    ("hint", r"(?:.* )?(?:a |any )?hints?|what (?:now|next)|what (?:should|do|shall) (?:i|we) do(?: .*)?"
             r"|(?:i am stuck )?what to do(?: .*)?|what am i (?:supposed|meant) to do.*|what is (?:the|my) "
             r"(?:goal|aim|objective|point|task|quest)|(?:help me )?i am (?:stuck|lost)|stuck"),
    ("what_can_i_do", r"what can (?:i|we) do.*|what are my options|what (?:actions|deeds) are .*"
                      r"|what (?:else )?is (?:there to do|possible).*"),
    ("where_am_i", r"am i in .*|is this (?:the|a|my) .*|where (?:am i|are we|i am|we are)\b.*|(?:what|which) (?:room|place) (?:is this|am i in|"
                   r"are we in).*|what (?:is this (?:place|room)|do i see|can i see|is around).*"),
    ("what_do_i_have", r"(?:what|which things|which items|how many things|how much) (?:do|am|have|did) i "
                       r"(?:have|carry|carrying|holding|hold|got|own|bring|possess).*"
                       r"|what is (?:in|on) my (?:hands?|pockets?|inventory|bag|person|possession)"
                       r"|(?:do|have|am) i (?:have|got|carrying|holding|carry|hold) (?!to\b|leave|your|"
                       r"permission).+|what is mine"),
    ("who_is_here", rf"who(?: else)? (?:is|are) (?:{_HERE}|in .+|the(?:se|re)? people|those people|with me).*"
                    rf"|(?:(?:is|are) )?(?:there )?{_ANY}(?: else)? {_HERE}|am i alone.*"
                    r"|who can i (?:talk|speak) .*|which people are .*|who are (?:these|those|they).*"
                    rf"|who do i see.*|is .+ {_HERE}"),
    ("what_is_here", rf"what(?: else)? (?:is|things are) {_HERE}"),
    ("exits", r"where (?:can|could|do|should) (?:i|we) go.*|(?:what|which) (?:exits?|ways?|directions?|doors?)\b.*"
              r"|what are the (?:exits|ways).*|how (?:do|can) (?:i|we) (?:get|go) out.*"
              r"|(?:is|are) there (?:a|an|any) (?:way out|exits?|other way).*|can i get out.*|any (?:ways? out|exits?)"
              r"|where to\b.*|where does .+ (?:lead|go)|what (?:is|lies) (?:to the )?(?:north|south|east|west|up|down"
              r"|upstairs|downstairs|outside|ahead)(?: of .*)?"),
    ("what_is_in", rf"what (?:all |else |things |items )?(?:is|are|lies|lie|stands|sits)(?: there| lying| lies){{0,3}} {_IN} {_X}"
                   rf"|what does (?P<holder>.+?) (?:contain|hold|have in it)"
                   rf"|(?:is|are) (?!we|you|i\b)(?:there )?.+? {_IN} (?P<place>.+)|anything {_IN} (?P<spot>.+)"),
    ("where_is", rf"where (?:is|are) {_X}|where (?:can|could|do) i find (?P<sought>.+)"
                 r"|where (?:did|have) i (?:put|leave|left|drop) (?P<left>.+)|where would (?P<gone>.+) be"
                 r"|where (?P<thing>.+) (?:is|are)|have you seen (?P<seen>.+)"),
    ("how", r"(?:how|in what way) (?:do|does|can|could|might|would|should|to|must)\b.*|what is needed to .*"
            r"|what do (?:i|we) need to .*|how to .*|what does it take to .*"),
    ("can_i", r"(?:can|could|may|might|shall|should|must) (?:not )?(?:i|we)\b.*|am i (?:able|allowed|free|permitted) .*"
              r"|are we (?:allowed|able) .*|(?:is|would) it (?:be )?(?:ok|okay|alright|all right|possible|fine|safe|allowed"
              r"|permitted)\b.*|(?:would you |do you )?mind if (?:i|we)\b.*|do (?:i|we) (?:have|need) .*"
              r"|have i (?:leave|permission) .*|(?:can|could) .+ be \w+(?:ed|en)|why (?:can|will|could) (?:not|i not|.+ not) .*"
              r"|if i (?:can|may|could)\b.*|whether i (?:can|may|could)\b.*|requesting permission .*"
              r"|any chance i .*|why (?:can't|won't) .*|can you .+ without .*"),
    ("what_is", rf"(?:what|who) (?:is|are) {_X}"
                r"|(?:is|are) (?P<state>.+) (?:locked|unlocked|open|closed|shut|empty)"),
)  # fmt: skip
_BOUNDS = ((".*", ".{0,120}"), (".+", ".{1,120}"), (r"\w+", r"\w{1,40}"))
"""Every repetition has an end, so that no question takes long to look at."""


def _bound_pattern(pattern: str) -> str:
    for endless, bounded in _BOUNDS:
        pattern = pattern.replace(endless, bounded)
    return rf"\A(?:{pattern})"


_PATTERNS = tuple((kind, re.compile(_bound_pattern(pattern))) for kind, pattern in _KINDS)
_LONGEST = 300
"""The most characters of a question that is looked at closely."""
_DEED_AFTER = frozenset({"i", "we", "to", "one", "you", "not"})


def read_question(text: str, phrase: EnglishPhrase, read_deed: DeedReader) -> Claim:
    """The claim of a question: its kind, its words, and what it asks about.

    Args:
        text: The question as spoken.
        phrase: Its tokens.
        read_deed: Reads a clause in it.
    """
    kind, target = _find_kind(" ".join(t.low for t in phrase))
    claim: Claim = {"type": "question", "kind": kind, "words": text}
    if target:
        claim["target"] = target
    if kind in ("can_i", "how"):
        deed = _find_deed(phrase, read_deed)
        claim |= {"deed": deed} if deed else {}
    return claim


def is_question(words: str) -> bool:
    """Whether words without a question mark or question word ask all the same."""
    if words.startswith(_ASKING):
        return _find_kind(words)[0] != "other"
    return words.startswith("in what way") or _find_kind(words)[0] in ("hint", "can_i")


_ASKING = ("tell me", "show me how", "explain how", "let me know", "i don't know", "i do not know",
           "i'm stuck", "i am stuck", "can you tell me", "could you tell me", "i'd like to know", "i was wondering", "do you know")  # fmt: skip


def _to_plain(words: str) -> str:
    for short, full in _SHORT:
        words = words.replace(short, full)
    words = _LEAD.sub("", words + " ", count=1) if _LEAD.match(words + " ") else words
    return _IDLE.sub("", words.replace(" ,", "")).strip(" ,?!.")


def _find_kind(words: str) -> tuple[str, str]:
    if len(words) > _LONGEST:
        return "other", ""
    plain = _to_plain(words) or words
    for candidate in (plain, words):
        for kind, pattern in _PATTERNS:
            found = pattern.fullmatch(candidate)
            if found is not None:
                return kind, next((v for v in found.groupdict().values() if v), "")
    return "other", ""


def _find_deed(phrase: EnglishPhrase, read_deed: DeedReader) -> list[Claim]:
    """The first clause after "I" or "to" that is understood."""
    for number, token in enumerate(phrase[:-1]):
        if token.low in _DEED_AFTER:
            claims = read_deed(phrase[number + 1 :])
            if claims and all(c["type"] != "unrecognised" for c in claims):
                return claims
    return []
