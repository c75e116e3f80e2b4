"""The mood of a sentence: whether it asks for an action at all.

Decided before any claim is made. Only a command becomes claims; a question, a condition
or a report changes nothing, and the turn says how it was understood. The forms that
count as commands are a closed list in each language; `docs/decisions/turn-mood.md` has
both. The endings of Japanese verbs are read in `language/ja/clause_moods.py`.
"""

import re
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from saniwa.language.lexicon.en import GROUPS, SEQUENCES, WORDS
from saniwa.language.lexicon.tables import PhraseTable
from saniwa.language.parser_context import Claim, make_unrecognised_claim, strip_article
from saniwa.language.text import fold_text

Mood = Literal[
    "command",
    "question",
    "permission",
    "prohibition",
    "condition",
    "exception",
    "statement",
    "report",
    "hypothesis",
    "wish",
    "other_time",
    "gesture",
]
NO_COMMAND: Final = frozenset[str](
    {"question", "permission", "prohibition", "condition", "exception", "statement"}
    | {"report", "hypothesis", "wish", "other_time"}
)
"""The moods of words that ask for nothing; used as the `problem` of their claim."""
GESTURE: Final = "gesture"
"""The `problem` of a gesture in turns stored by earlier versions; it is an action now."""


class SentenceMood(NamedTuple):
    """The mood of a sentence."""

    mood: Mood
    """Its mood."""
    word: str = ""
    """The word or ending that decided it; empty for a command."""


COMMAND: Final = SentenceMood("command")


def is_withheld(claim: object) -> bool:
    """Whether the claim is words that were understood and ask for nothing."""
    known = claim if isinstance(claim, dict) else {}
    if known.get("type") == "question":
        return True
    return known.get("type") == "unrecognised" and known.get("problem") in NO_COMMAND


def make_withheld_claim(words: str, reading: SentenceMood) -> Claim:
    """The claim for a sentence that asks for nothing, with the word that shows it."""
    claim = make_unrecognised_claim(words, reading.mood)
    return claim | ({"sign": reading.word} if reading.word else {})


def make_leftover_claim(words: str, word: str, nearest: str = "") -> Claim:
    """The claim for words that were understood only in part, with the other part."""
    claim = make_unrecognised_claim(words) | {"leftover": word}
    return claim | ({"nearest": nearest} if nearest else {})


_LONGEST_GREETING = 80
_GREETINGS = (
    r"\b(?:hello|hi|hey|hiya|howdy|greetings|welcome|good (?:morning|day|afternoon|evening)"
    r"|excuse me|nice to meet you)\b"
    "|おはよう|こんにち[はわ]|今日は|こんばん[はわ]|今晩は|おやすみ(?:なさい)?|お休みなさい|やあ|どうも|[は初]じめまして"
    "|ごめんください|ごきげんよう|すみません|失礼します"
)
GREETING: Final = re.compile(_GREETINGS)
_ONLY_GREETING = re.compile(
    rf"(?:{_GREETINGS}|お(?:邪魔|じゃま)します|\b(?:good ?bye|bye(?: bye)?|farewell|good night|morning|evening)\b)"
    r"(?:,? (?:there|again|all|everyone|everybody|friends?|folks|(?:to )?you all))*"
    r"(?:ございます)?(?:、?(?:みなさん|皆さん))?[ !?.,。、！？～〜…]{0,8}"
)


def is_greeting(sentence: str) -> bool:
    """Whether a sentence only greets, and names no character."""
    return len(sentence) < _LONGEST_GREETING and bool(
        _ONLY_GREETING.fullmatch(fold_text(sentence).strip())
    )


_DEPENDING = SEQUENCES.conditions | SEQUENCES.other_times
_EN_CONDITIONS = PhraseTable(_DEPENDING)
_CONDITION_WORDS = frozenset(word for phrase in _DEPENDING for word in phrase)
_IDLE = SEQUENCES.fillers | SEQUENCES.efforts | SEQUENCES.intentions
_EN_NO_CONDITIONS = PhraseTable(
    (*SEQUENCES.no_conditions, *(p for p in _IDLE if not _CONDITION_WORDS.isdisjoint(p)))
)


def find_english_condition(words: Sequence[str]) -> str:
    """The words that make it depend on something, or move it to another time; else empty."""
    place, spoken = 0, tuple(words)
    while place < len(spoken):
        idle = _EN_NO_CONDITIONS.count(spoken, place)
        length = 0 if idle else _EN_CONDITIONS.count(spoken, place)
        if length:
            return " ".join(spoken[place : place + length])
        place += idle or 1
    return ""


_EN_INTENTIONS = PhraseTable(
    phrase
    for phrase in SEQUENCES.intentions
    if phrase[0] in ("i", "we", "i'd", "i've", "the", "my")
)


def find_english_mood(words: Sequence[str], *, asked: bool) -> SentenceMood:
    """The mood of an English sentence, from its words in lower case.

    Args:
        words: The words; names and quotations are replaced by a word without meaning.
        asked: Whether it ends with a question mark.
    """
    condition = find_english_condition(words)
    if condition:
        later = tuple(condition.split()) in SEQUENCES.other_times
        return SentenceMood("other_time" if later else "condition", condition)
    bare = _strip_calls(words)
    first, second = (*bare[:2], "", "")[:2]
    if first == "should" and not asked and second not in WORDS.question_subjects:
        return SentenceMood("condition", first)  # "Should Marta nod off, take it"
    if first in WORDS.asking_modals and second in ("i", "we"):
        return SentenceMood("permission", f"{first} {second}")
    if first in WORDS.courteous_modals and second == "you":
        doubts = tuple(bare[2:3]) in (("even",), ("really",), ("ever",), ("actually",))
        return SentenceMood("question", first) if doubts else COMMAND
    courteous = _EN_NO_CONDITIONS.count((*bare, ""), 0)  # "When you can, open it"
    if first in WORDS.question_words and not courteous:
        return SentenceMood("question", first)
    # "Have a look", "have the window shut" are commands.
    asks = first != "have" or asked or second not in ("a", "an", "another", "the", "my")
    asks = asks and tuple(bare[1:3]) != ("you", "dare")
    if asks and first in WORDS.question_verbs and second in WORDS.question_subjects:
        return SentenceMood("question", first)
    intended = _EN_INTENTIONS.count((*bare, ""), 0)
    if intended and list(bare[intended : intended + 2]) == ["see", "you"]:
        return SentenceMood("wish", "see you")
    if intended:
        return SentenceMood("question", "?") if asked else COMMAND
    if asked:
        return SentenceMood("question", "?")
    return _find_statement(bare) if first in ("i", "we") else COMMAND


def _find_statement(words: Sequence[str]) -> SentenceMood:
    """A statement about a duty or an ability of the speaker, else a command."""
    if tuple(words[1:3]) in SEQUENCES.duties:
        return SentenceMood("statement", " ".join(words[1:3]))
    before, verb = "".join(words[1:2]), "".join(words[2:3])
    if before in WORDS.before_pasts and verb in WORDS.unmarked_pasts:
        return SentenceMood("report", before)
    if before in WORDS.unmarked_pasts and words[-1] == "already":
        return SentenceMood("report", words[-1])
    second = "".join(words[1:2])
    return SentenceMood("statement", second) if second in WORDS.stating_modals else COMMAND


def _strip_calls(words: Sequence[str]) -> Sequence[str]:
    """The words after "please", "hey" and the like."""
    place = 0
    while place < len(words) and words[place] in WORDS.calls:
        place += 1
    return words[place:]


_PAST_ENDING: Final = re.compile(r"[a-z]+[^e]ed|[a-z]+ied")
_JAPANESE_PAST: Final = re.compile("(?:[っいしえけせてめれ]た|[いん]だ)$")
_JAPANESE_WISH: Final = re.compile("(?:欲し|ほし|いいの|いいな)(?:い|に|い?なあ?)?$")
_SUBJECTS = frozenset(
    ["a", "an", "it", "my", "our", "that", "the", "there", "these", "this", "those", "your"]
)
_BEING = WORDS.copulas | WORDS.stating_modals | {"aren't", "belongs", "wasn't", "were", "weren't"}
_LONGEST_SUBJECT = 8
_UNASKED: Final[tuple[Mood, ...]] = ("hypothesis", "wish", "statement", "report")
_WANTING: Final = frozenset({"i want", "i'd like", "i'd love", "i'd prefer"})
"""What opens a wish for a thing; before "to" and a verb it opens a command."""


def find_unasked_mood(text: str, people: frozenset[str] = frozenset()) -> SentenceMood:
    """The mood of words that no phrase matches, before a model is asked what they mean.

    A command unless the words report, suppose or wish something: "I frobbed it", "she
    takes it", "maybe I frob it", or tell what one of `people` does: "Nell frobs it".
    """
    folded = fold_text(text)
    named = next((p for p in people if folded.startswith((f"{p}が", f"{p}は"))), "")
    if named:
        return SentenceMood("report", named)
    end = text.rstrip(" 。、.!！?？…")[-20:]
    if _JAPANESE_WISH.search(end):
        return SentenceMood("wish")
    if _JAPANESE_PAST.search(end):
        return SentenceMood("report")
    words = [word.strip('.,;:!?"') for word in folded.replace("’", "'").split()]
    bare = [word for word in _strip_calls(words) if word not in WORDS.report_adverbs]
    bare[:1] = ["i" if each == "we" else each.replace("we'", "i'") for each in bare[:1]]
    openings = [" ".join(bare[:length]) for length in (3, 2, 1)]
    for name in people.intersection(map(strip_article, openings)):
        return SentenceMood("report", name)
    for mood in _UNASKED:
        for sign in set(openings).intersection(GROUPS.unasked_openings[mood]):
            return SentenceMood(mood, sign)
    if {*bare[:1]} <= _SUBJECTS and not _BEING.isdisjoint(bare[1:_LONGEST_SUBJECT]):
        return SentenceMood("statement", next(word for word in bare[1:] if word in _BEING))
    if openings[1] in _WANTING and bare[2:3] != ["to"]:
        return SentenceMood("wish", bare[1])
    told = (*bare[bare[:1] == ["i"] :], "")[0]
    past = _PAST_ENDING.fullmatch(told) and told not in WORDS.present_in_ed
    return SentenceMood("report", told) if past or told in WORDS.past_verbs else COMMAND
