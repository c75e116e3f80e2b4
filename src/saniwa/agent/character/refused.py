"""Cards of guidance in words: what was tried, what came of it, what might work."""

from collections.abc import Iterator, Sequence

from saniwa.agent.belief.model import Card
from saniwa.agent.character.fitting import fitted
from saniwa.agent.character.wording import word
from saniwa.agent.quotation import quote

_LONGEST = 200
_MOST_OPTIONS = 9


def tell_guidance(cards: Sequence[Card], language: str, largest: int) -> str:
    """The cards, at most so large."""
    lines = ["\n".join(_lines(card, language)) for card in cards]
    if not lines:
        return word(language, "guidance.none")
    return fitted(lines, largest, language)


def _lines(card: Card, language: str) -> Iterator[str]:
    why = quote(card.why, language, _LONGEST)
    if card.asked:
        asked = quote(card.asked, language, _LONGEST)
        yield word(language, "refused", asked=asked, why=why)
    else:
        yield word(language, "refused.plainly", why=why)
    if card.hint:
        yield word(language, "hint", hint=quote(card.hint, language, _LONGEST))
    for number, option in enumerate(card.options[:_MOST_OPTIONS], start=1):
        shown = quote(option, language)
        yield word(language, "option", number=str(number), option=shown)
