"""English words without their endings, so that all forms of one are the same."""

from typing import Final

_FORMS: Final = {
    "took": "take", "taken": "take", "gave": "give", "given": "given", "ate": "eat",
    "eaten": "eat", "drank": "drink", "went": "go", "gone": "gone", "stood": "stand",
    "lay": "lie", "lying": "lie", "lies": "lie", "sat": "sit", "sitting": "sit", "saw": "see",
    "seen": "see", "heard": "hear", "felt": "feel", "found": "find", "said": "say",
    "told": "tell", "held": "hold", "has": "have", "having": "have", "had": "had",
    "left": "left", "putting": "put", "setting": "set", "came": "come",
    "swung": "swing", "slid": "slide", "made": "make", "let": "let", "bit": "bite",
    "shook": "shake", "is": "is", "are": "is", "was": "was", "his": "his", "this": "this",
    "its": "its", "yours": "yours", "does": "do", "goes": "go", "as": "as",
    # Who is handed something hands out nothing.
    "handed": "handed", "passed": "passed", "offered": "offered",
    # How a thing is, and what is done to it, are not the same.
    "locked": "locked", "unlocked": "unlocked", "closed": "closed", "shut": "closed",
    "shuts": "close", "open": "open", "opens": "opening", "opened": "opening",
    "opening": "opening", "nothing": "nothing", "something": "something",
    "everything": "everything", "anything": "anything", "being": "is", "be": "is",
    "going": "go", "doing": "do", "morning": "morning", "evening": "evening",
}  # fmt: skip
_ENDINGS: Final = (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""))
_SHORTEST: Final = 3


def lemma(word: str) -> str:
    """The word without its ending; the same for every form of most words."""
    low = word.replace("’", "'")
    low = _FORMS[low] if low in _FORMS else _stripped(low.removesuffix("'s"))
    return low.removesuffix("e") if len(low) >= _SHORTEST else low


def _stripped(low: str) -> str:
    for ending, instead in _ENDINGS:
        long = len(low) - len(ending) >= (_SHORTEST if ending == "ing" else 2)
        if long and low.endswith(ending) and not low.endswith("ss"):
            low = low.removesuffix(ending) + instead
            break
    twice = len(low) > _SHORTEST and low[-1] == low[-2] and low[-1] not in "sle"
    return low[:-1] if twice else low
