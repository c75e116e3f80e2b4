"""The wording of a view, in English and Japanese. Every field must be quoted already.

It also fits lines and lists into a given number of characters.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from saniwa.agent.mind.model import GuidanceCard
from saniwa.agent.quotation import quote

_WORDINGS: Final = {
    "language": ("English", "Japanese"),
    "between": ("; ", "、"),
    "more": ("and {count} more", "ほか{count}件"),
    "more.lines": ("(and {count} more)", "（ほか{count}件）"),
    "now": ("this turn", "このターン"),
    "ago": ("1 turn ago", "1ターン前"),
    "agos": ("{count} turns ago", "{count}ターン前"),
    "somebody": ("somebody", "誰か"),
    "who": ("You are {name}.", "あなたは{name}。"),
    "who.looks": ("How you look: {description}", "あなたの見た目：{description}"),
    "who.status": ("How you are: {status}", "あなたの具合：{status}"),
    "place": ("Place: {place}", "場所：{place}"),
    "place.looks": ("It looks like this: {description}", "場所の様子：{description}"),
    "nowhere": ("You are nowhere.", "どこにもいない。"),
    "exits": ("Ways out: {ways}", "出口：{ways}"),
    "exits.none": ("There is no way out.", "出口はない。"),
    "way": ("{place}", "{place}"),
    "way.label": ("{label} to {place}", "{label}（{place}へ）"),
    "way.door": ("{way} through {door}", "{way}・{door}を通る"),
    "things": ("Here: {things}", "ここにあるもの：{things}"),
    "things.none": ("Here: nothing", "ここには何もない。"),
    "people": ("People here: {people}", "ここにいる人：{people}"),
    "people.none": ("Nobody else is here.", "ほかに誰もいない。"),
    "holding": ("You hold: {things}", "持ち物：{things}"),
    "holding.none": ("You hold nothing.", "何も持っていない。"),
    "hour": ("Hour: {hour}", "時刻：{hour}"),
    "at.in": ("{name} in {holder}", "{holder}の中の{name}"),
    "at.on": ("{name} on {holder}", "{holder}の上の{name}"),
    "at.held": ("{name} held by {holder}", "{holder}が持つ{name}"),
    "at.own": ("{name} held by you", "あなたが持つ{name}"),
    "at.place": ("{name} in {holder}", "{holder}にある{name}"),
    "noted": ("{name} ({notes})", "{name}（{notes}）"),
    "notes.between": (", ", "、"),
    "closed": ("closed", "閉"),
    "locked": ("closed and locked", "閉・施錠"),
    "unlocked": ("closed, not locked", "閉・解錠"),
    "beliefs.none": ("You know of nothing elsewhere.", "よその物事は何も知らない。"),
    "saw": ("You last saw {where}, {ago}.", "最後に見た：{where}（{ago}）"),
    "saw.leave": (
        "You saw {name} leave for {place}, {ago}.",
        "{name}が{place}へ去るのを見た（{ago}）",
    ),
    "told": ("{teller} told you, {ago}: {where}.", "{teller}から聞いた：{where}（{ago}）"),
    "told.open": ("open", "開"),
    "rumour": (
        "{teller} told you, {ago}: {name} in {place}. You have never seen it.",
        "{teller}から聞いた：{place}にある{name}（{ago}）。見たことはない。",
    ),
    "gone": (
        "{name} is no longer there; you do not know where it is.",
        "{name}はもうそこにない。どこにあるかわからない。",
    ),
    "gone.from": (
        "{where}: it is no longer there; you do not know where it is.",
        "{where}は、もうそこにない。どこにあるかわからない。",
    ),
    "ended": ("{name} is no more.", "{name}はもうない。"),
    "places": ("Places you know: {places}", "知っている場所：{places}"),
    "memories.none": ("You remember nothing yet.", "まだ何も覚えていない。"),
    "lately": ("Lately:", "最近のこと："),
    "recalled": ("You also remember:", "ほかに思い出すこと："),
    "long.ago": (
        "Long ago ({count} memories, {first} to {last}):",
        "昔のこと（{count}件、{first}から{last}まで）：",
    ),
    "met": ("People you met: {people}", "会った人：{people}"),
    "been": ("Places you were in: {places}", "いた場所：{places}"),
    "times": ("{name} ({count} times)", "{name}（{count}回）"),
    "memory": ("- {ago}: {text}", "- {ago}：{text}"),
    "memory.said": ("- {ago}, {who} said: {text}", "- {ago}、{who}が言った：{text}"),
    "memory.own": ("- {ago}, you said: {text}", "- {ago}、あなたが言った：{text}"),
    "goals.none": ("You have no goals of your own.", "自分の目標はない。"),
    "goal": ("- {goal}", "- {goal}"),
    "guidance.none": ("Nothing was refused to you.", "できなかったことはない。"),
    "refused": ("- You tried: {asked} The answer: {why}", "- 試みたこと：{asked} 答え：{why}"),
    "refused.plainly": ("- The answer: {why}", "- 答え：{why}"),
    "hint": ("  Hint: {hint}", "  手がかり：{hint}"),
    "option": ("  {number}. {option}", "  {number}. {option}"),
    "went": ("You went to {place}.", "{place}へ行った。"),
    "looked": ("You looked around.", "辺りを見回した。"),
    "tried": ("You tried to {asked}. {why}", "「{asked}」を試みた。{why}"),
    "tried.plainly": ("{why}", "{why}"),
}
"""Each line in English and in Japanese."""


def render_wording(language: str, line: str, **fields: str) -> str:
    """Render one line with its fields; English for an unsupported language."""
    return _WORDINGS[line][language == "ja"].format(**fields)


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
