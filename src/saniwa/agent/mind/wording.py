"""The wording of a view, in English and Japanese. Every field must be quoted already.

It also fits lines and lists into a given number of characters.
"""

from collections.abc import Iterator, Sequence

from saniwa.agent.mind.model import GuidanceCard
from saniwa.agent.quotation import quote

_ENGLISH: dict[str, str] = {
    "language": "English",
    "between": "; ",
    "more": "and {count} more",
    "more.lines": "(and {count} more)",
    "now": "this turn",
    "ago": "1 turn ago",
    "agos": "{count} turns ago",
    "somebody": "somebody",
    "who": "You are {name}.",
    "who.looks": "How you look: {description}",
    "who.status": "How you are: {status}",
    "place": "Place: {place}",
    "place.looks": "It looks like this: {description}",
    "nowhere": "You are nowhere.",
    "exits": "Ways out: {ways}",
    "exits.none": "There is no way out.",
    "way": "{place}",
    "way.label": "{label} to {place}",
    "way.door": "{way} through {door}",
    "things": "Here: {things}",
    "things.none": "Here: nothing",
    "people": "People here: {people}",
    "people.none": "Nobody else is here.",
    "holding": "You hold: {things}",
    "holding.none": "You hold nothing.",
    "hour": "Hour: {hour}",
    "at.in": "{name} in {holder}",
    "at.on": "{name} on {holder}",
    "at.held": "{name} held by {holder}",
    "at.own": "{name} held by you",
    "at.place": "{name} in {holder}",
    "noted": "{name} ({notes})",
    "notes.between": ", ",
    "closed": "closed",
    "locked": "closed and locked",
    "unlocked": "closed, not locked",
    "beliefs.none": "You know of nothing elsewhere.",
    "saw": "You last saw {where}, {ago}.",
    "saw.leave": "You saw {name} leave for {place}, {ago}.",
    "told": "{teller} told you, {ago}: {where}.",
    "told.open": "open",
    "rumour": "{teller} told you, {ago}: {name} in {place}. You have never seen it.",
    "gone": "{name} is no longer there; you do not know where it is.",
    "gone.from": "{where}: it is no longer there; you do not know where it is.",
    "ended": "{name} is no more.",
    "places": "Places you know: {places}",
    "memories.none": "You remember nothing yet.",
    "lately": "Lately:",
    "recalled": "You also remember:",
    "long.ago": "Long ago ({count} memories, {first} to {last}):",
    "met": "People you met: {people}",
    "been": "Places you were in: {places}",
    "times": "{name} ({count} times)",
    "memory": "- {ago}: {text}",
    "memory.said": "- {ago}, {who} said: {text}",
    "memory.own": "- {ago}, you said: {text}",
    "goals.none": "You have no goals of your own.",
    "goal": "- {goal}",
    "guidance.none": "Nothing was refused to you.",
    "refused": "- You tried: {asked} The answer: {why}",
    "refused.plainly": "- The answer: {why}",
    "hint": "  Hint: {hint}",
    "option": "  {number}. {option}",
}
_JAPANESE: dict[str, str] = {
    "language": "Japanese",
    "between": "、",
    "more": "ほか{count}件",
    "more.lines": "（ほか{count}件）",
    "now": "このターン",
    "ago": "1ターン前",
    "agos": "{count}ターン前",
    "somebody": "誰か",
    "who": "あなたは{name}。",
    "who.looks": "あなたの見た目：{description}",
    "who.status": "あなたの具合：{status}",
    "place": "場所：{place}",
    "place.looks": "場所の様子：{description}",
    "nowhere": "どこにもいない。",
    "exits": "出口：{ways}",
    "exits.none": "出口はない。",
    "way": "{place}",
    "way.label": "{label}（{place}へ）",
    "way.door": "{way}・{door}を通る",
    "things": "ここにあるもの：{things}",
    "things.none": "ここには何もない。",
    "people": "ここにいる人：{people}",
    "people.none": "ほかに誰もいない。",
    "holding": "持ち物：{things}",
    "holding.none": "何も持っていない。",
    "hour": "時刻：{hour}",
    "at.in": "{holder}の中の{name}",
    "at.on": "{holder}の上の{name}",
    "at.held": "{holder}が持つ{name}",
    "at.own": "あなたが持つ{name}",
    "at.place": "{holder}にある{name}",
    "noted": "{name}（{notes}）",
    "notes.between": "、",
    "closed": "閉",
    "locked": "閉・施錠",
    "unlocked": "閉・解錠",
    "beliefs.none": "よその物事は何も知らない。",
    "saw": "最後に見た：{where}（{ago}）",
    "saw.leave": "{name}が{place}へ去るのを見た（{ago}）",
    "told": "{teller}から聞いた：{where}（{ago}）",
    "told.open": "開",
    "rumour": "{teller}から聞いた：{place}にある{name}（{ago}）。見たことはない。",
    "gone": "{name}はもうそこにない。どこにあるかわからない。",
    "gone.from": "{where}は、もうそこにない。どこにあるかわからない。",
    "ended": "{name}はもうない。",
    "places": "知っている場所：{places}",
    "memories.none": "まだ何も覚えていない。",
    "lately": "最近のこと：",
    "recalled": "ほかに思い出すこと：",
    "long.ago": "昔のこと（{count}件、{first}から{last}まで）：",
    "met": "会った人：{people}",
    "been": "いた場所：{places}",
    "times": "{name}（{count}回）",
    "memory": "- {ago}：{text}",
    "memory.said": "- {ago}、{who}が言った：{text}",
    "memory.own": "- {ago}、あなたが言った：{text}",
    "goals.none": "自分の目標はない。",
    "goal": "- {goal}",
    "guidance.none": "できなかったことはない。",
    "refused": "- 試みたこと：{asked} 答え：{why}",
    "refused.plainly": "- 答え：{why}",
    "hint": "  手がかり：{hint}",
    "option": "  {number}. {option}",
}
_WORDINGS = {"en": _ENGLISH, "ja": _JAPANESE}


def render_wording(language: str, line: str, **fields: str) -> str:
    """Render one line with its fields; English for an unsupported language."""
    return _WORDINGS.get(language, _ENGLISH)[line].format(**fields)


def render_age(language: str, turns: int) -> str:
    """Render how long ago something was, in turns."""
    if turns <= 0:
        return render_wording(language, "now")
    return render_wording(language, "ago" if turns == 1 else "agos", count=str(turns))


_COUNT_ROOM = 40
"""Characters reserved for the note about what was left out."""


def fit_lines(lines: Sequence[str], largest: int, language: str, unsaid: int = 0) -> str:
    """Join the first lines that fit, and a note of how many do not.

    `unsaid` counts further lines that were not rendered at all.
    """
    return _join_fitting(lines, largest, language, "\n", "more.lines", unsaid)


def fit_list(items: Sequence[str], largest: int, language: str) -> str:
    """Join the first items that fit on one line, and a note of how many do not."""
    return _join_fitting(items, largest, language, render_wording(language, "between"), "more")


def _join_fitting(
    parts: Sequence[str], largest: int, language: str, between: str, more: str, unsaid: int = 0
) -> str:
    length = sum(map(len, parts)) + len(between) * len(parts)
    if not unsaid and length <= largest:
        return between.join(parts)
    shown_parts: list[str] = []
    room = largest - _COUNT_ROOM
    for part in parts:
        room -= len(part) + len(between)
        if room < 0:
            break
        shown_parts.append(part)
    count = render_wording(language, more, count=str(unsaid + len(parts) - len(shown_parts)))
    shown = between.join((*shown_parts, count))
    return shown if len(shown) <= largest else ""


_LONGEST_CARD_LINE = 200
_MOST_OPTIONS = 9


def render_guidance(cards: Sequence[GuidanceCard], language: str, largest: int) -> str:
    """Render the cards in at most `largest` characters."""
    lines = ["\n".join(_render_card(card, language)) for card in cards]
    if not lines:
        return render_wording(language, "guidance.none")
    return fit_lines(lines, largest, language)


def _render_card(card: GuidanceCard, language: str) -> Iterator[str]:
    why = quote(card.why, language, _LONGEST_CARD_LINE)
    if card.asked:
        asked = quote(card.asked, language, _LONGEST_CARD_LINE)
        yield render_wording(language, "refused", asked=asked, why=why)
    else:
        yield render_wording(language, "refused.plainly", why=why)
    if card.hint:
        yield render_wording(language, "hint", hint=quote(card.hint, language, _LONGEST_CARD_LINE))
    for number, option in enumerate(card.options[:_MOST_OPTIONS], start=1):
        shown = quote(option, language)
        yield render_wording(language, "option", number=str(number), option=shown)
