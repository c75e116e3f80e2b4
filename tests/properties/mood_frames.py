"""Frames that turn a command into a sentence that asks for nothing, and commands to fill them."""

from collections.abc import Iterator
from typing import NamedTuple

ENGLISH_FRAMES = (
    # questions and permission
    "can I {do}?", "may I {do}?", "could I {do}?", "should I {do}?", "shall we {do}?",
    "do I have to {do}?", "what if I {do}?", "what happens if I {do}?", "why would I {do}?",
    "how do I {do}?", "when should I {do}?", "who will {do}?", "did anyone {do}?",
    "is it safe to {do}?", "am I allowed to {do}?", "would it help to {do}?", "{do}?",
    # prohibitions
    "don't {do}", "do not {do}", "never {do}", "you must not {do}", "I won't {do}",
    "I will not {do}", "I refuse to {do}", "I'd rather not {do}", "whatever you do, don't {do}",
    # conditions and other times
    "if it rains, {do}", "{do} if it rains", "when the bell rings, {do}", "unless it rains, {do}",
    "{do} when the bell rings", "once everybody is asleep, {do}", "{do} tomorrow",
    "I'll {do} later", "as soon as it is dark, {do}", "before I {do}, I think", "next time {do}",
    # hypotheses, wishes, duties, other people's plans
    "I could {do}", "I might {do}", "maybe I should {do}", "I would {do} if I were brave",
    "I wish I could {do}", "I ought to {do}", "I have to {do}", "one must {do}", "you should {do}",
    "I hope somebody will {do}", "I want him to {do}", "she wants to {do}", "imagine I {do}",
    "suppose I {do}", "I almost {did}", "I dreamed that I {did}",
    # reports
    "I {did}", "yesterday I {did}", "she {did}", "somebody {did}", "I have already {done}",
    "I never {did}", "who {did}?",
)  # fmt: skip

JAPANESE_FRAMES = (
    "{dict}？", "{dict}の？", "{dict}んですか", "{polite}か？", "{te}もいい？", "{te}もいいですか",
    "{te}いいかな", "誰が{ta}？", "誰が{dict}の？", "なぜ{dict}の？", "どうやって{dict}の？",
    "いつ{dict}？", "{dict}べき？", "{dict}とどうなる？", "{ta}らどうなる？",
    "{te}はいけない", "{te}はだめだ", "{te}はならない", "{dict}な", "{nai}で", "{nai}でください",
    "絶対に{nai}", "{dict}つもりはない", "{stem}たくない", "{dict}のはやめておく",
    "雨が降ったら{dict}", "雨が降れば{dict}", "もし雨なら{dict}", "{ta}ら帰る", "{dict}前に考える",
    "後で{dict}", "明日{dict}", "鐘が鳴ったら{te}", "夜になったら{dict}",
    "{dict}かもしれない", "{dict}だろう", "{dict}べきだ", "{nai}といけない", "{te}ほしい",
    "{te}もらいたい", "{dict}といいな", "{ta}ふりをする", "{dict}ところだった", "{dict}夢を見た",
    "{ta}", "もう{ta}", "昨日{ta}", "彼女が{ta}", "{ta}ことがある", "{ta}と思う", "{dict}と聞いた",
)  # fmt: skip


class EnglishForms(NamedTuple):
    """A command in the verb forms that the frames need."""

    do: str
    did: str
    done: str


class JapaneseForms(NamedTuple):
    """A command in the verb forms that the frames need."""

    dict: str
    polite: str
    te: str
    ta: str
    stem: str
    nai: str


_ENGLISH_VERBS = (
    ("take {x}", "took {x}", "taken {x}"),
    ("drop {x}", "dropped {x}", "dropped {x}"),
    ("eat {x}", "ate {x}", "eaten {x}"),
    ("open {x}", "opened {x}", "opened {x}"),
    ("use {x}", "used {x}", "used {x}"),
    ("place {x} on {y}", "placed {x} on {y}", "placed {x} on {y}"),
    ("give {x} to {y}", "gave {x} to {y}", "given {x} to {y}"),
    ("go {way}", "went {way}", "gone {way}"),
)
_JAPANESE_VERBS = (
    ("{x}を取", "る", "ります", "って", "った", "り", "らない"),
    ("{x}を食べ", "る", "ます", "て", "た", "", "ない"),
    ("{x}を開け", "る", "ます", "て", "た", "", "ない"),
    ("{x}を置", "く", "きます", "いて", "いた", "き", "かない"),
    ("{x}を使", "う", "います", "って", "った", "い", "わない"),
    ("{y}に{x}を渡", "す", "します", "して", "した", "し", "さない"),
    ("{y}に{x}を入れ", "る", "ます", "て", "た", "", "ない"),
    ("{way}へ行", "く", "きます", "って", "った", "き", "かない"),
)


def list_deeds(language: str, x: str, y: str, way: str) -> list[str]:
    """Every verb with these names, as a command."""
    verbs = [start + plain for start, plain, *_ in _JAPANESE_VERBS]
    if language == "en":
        verbs = [do for do, *_ in _ENGLISH_VERBS]
    return [verb.format(x=x, y=y, way=way) for verb in verbs]


def list_framed_lines(language: str, x: str, y: str, way: str) -> Iterator[str]:
    """Every frame around every verb with these names: none of them asks for the action."""
    names = {"x": x, "y": y, "way": way}
    if language == "ja":
        for start, *ends in _JAPANESE_VERBS:
            deed = JapaneseForms(*(start.format(**names) + end for end in ends))
            yield from (frame.format(**deed._asdict()) for frame in JAPANESE_FRAMES)
        return
    for forms in _ENGLISH_VERBS:
        spoken = EnglishForms(*(form.format(**names) for form in forms))
        yield from (frame.format(**spoken._asdict()) for frame in ENGLISH_FRAMES)
