"""What a stand-in thinks and says, in English and Japanese.

A thought names the reason, so that a trace shows why a turn went wrong.
"""

from typing import Final

from saniwa.experiment.stand_in.deeds import (
    IntentionReason,
    StandInChance,
    StandInIntention,
    StandInLanguage,
    add_article,
)
from saniwa.experiment.stand_in.prompt_reader import PromptReading

_THOUGHTS: Final[dict[StandInLanguage, dict[IntentionReason, str]]] = {
    "en": {
        "told": "I am told of {0}, and keep to that.",
        "force": "I am told that {0} is shut, but I try it anyway.",
        "talk": "I would rather talk now than do anything.",
        "invent": "surely there is {1} here.",
        "misplace": "{0} was spoken of, so it must be near.",
        "stray": "there must be {1} near.",
        "try": "nobody said that {0} is shut, so I try it.",
        "careful": "somebody spoke of {0}, so I go by that.",
        "ask": "I look before I act.",
        "repeat": "Nothing new comes to my mind; I say what I said before.",
        "heed": "I was told no; {0} is offered to me, so I turn to that.",
        "quiet": "I was told no, and nothing better is offered; I only speak.",
        "insist": "I was told no, but I do not believe it: the same again.",
    },
    "ja": {
        "told": "{0}のことは教わっている。そのとおりにする。",
        "force": "{0}は閉まっていると言われたが、それでもやってみる。",
        "talk": "いまは何かするより、話していたい。",
        "invent": "{0}くらいあるはずだ。",
        "misplace": "{0}の話が出たから、近くにあるはずだ。",
        "stray": "近くに{0}があるはずだ。",
        "try": "{0}が閉まっているとは聞いていない。やってみる。",
        "careful": "誰かが{0}の話をしていた。それに従う。",
        "ask": "まず見てみる。",
        "repeat": "新しいことが浮かばない。さっきと同じことを言う。",
        "heed": "だめだと言われた。{0}ならよいとあるから、そうする。",
        "quiet": "だめだと言われた。ほかにできることもない。話すだけにする。",
        "insist": "だめだと言われたが、信じられない。もう一度同じことをする。",
    },
}
_GUESSES: Final[frozenset[IntentionReason]] = frozenset(
    ("invent", "misplace", "stray", "try", "careful", "ask")
)
"""Reasons of a stand-in that does not know what is here."""
_UNINFORMED_TEXT: Final[dict[StandInLanguage, str]] = {
    "en": "I have not been told what is here; ",
    "ja": "ここに何があるか教わっていない。",
}
_DOUBTING_TEXT: Final[dict[StandInLanguage, str]] = {
    "en": "I pay no heed to what I am told is here; ",
    "ja": "ここに何があると言われようと気にしない。",
}
_DEED_SPEECHES: Final[dict[StandInLanguage, dict[str, tuple[str, ...]]]] = {
    "en": {
        "take": (
            "I will keep hold of {0} for now.",
            "{0} may come in handy before long.",
            "Let me carry {0}; my hands are free.",
            "Nobody seems to need {0} more than we do.",
        ),
        "go": (
            "I am off to {0}; something may be waiting there.",
            "We have stood about here long enough; on to {0}.",
            "Somebody ought to have a look at {0}.",
            "My feet want to go to {0}.",
        ),
        "open": (
            "Let us see what {0} has been hiding.",
            "I wonder what is behind {0}.",
            "{0} cannot stay shut for ever.",
        ),
        "unlock": (
            "If this fits {0}, we are a good step further.",
            "Now we shall see whether {0} gives way.",
        ),
        "give": ("Here, {0} is better off with you.", "Would you look after {0} for me?"),
        "search": (
            "There might be something about {0} that we missed.",
            "I will go through {0} once, properly.",
            "Small things like to hide around {0}.",
        ),
        "study": (
            "There is more to {0} than one sees at first.",
            "I never really looked at {0} before.",
            "Come and see {0}, it is worth a moment.",
        ),
        "look": (
            "What have we got around us, anyway?",
            "Give me a moment to see where I am.",
            "I should find out what is here first.",
        ),
    },
    "ja": {
        "take": (
            "{0}はしばらく私が持っておくね。",
            "{0}がそのうち役に立つかもしれない。",
            "手が空いているから、{0}を運ぶよ。",
            "{0}はいま使ってもよさそうだ。",
        ),
        "go": (
            "{0}のほうを見てくる。何かありそうだ。",
            "ここはもういいだろう。次は{0}にしよう。",
            "誰かが{0}の様子を見たほうがいい。",
            "なんとなく{0}が気になるんだ。",
        ),
        "open": (
            "{0}の中に何が隠れているか、見てみよう。",
            "{0}の向こうが気になって仕方がない。",
            "いつまでも閉めておくものでもないよね、{0}は。",
        ),
        "unlock": ("これが{0}に合えば、一歩前に進める。", "さて、{0}は言うことを聞くかな。"),
        "give": ("はい、{0}はあなたが持っていたほうがいい。", "{0}を頼んでもいいかな。"),
        "search": (
            "{0}のあたりに見落としがあるかもしれない。",
            "一度きちんと{0}を見ておきたい。",
            "小さなものは{0}のまわりに隠れるものだ。",
        ),
        "study": (
            "{0}って、よく見るとおもしろいね。",
            "いままで{0}をちゃんと見たことがなかった。",
            "ちょっと{0}を見てごらんよ。",
        ),
        "look": (
            "そもそも、まわりには何があるんだろう。",
            "ちょっと待って、いまどこにいるのか確かめる。",
            "まずここに何があるのか知りたい。",
        ),
    },
}
_TALK_SPEECHES: Final[dict[StandInLanguage, tuple[str, ...]]] = {
    "en": (
        "What do you think we should do next?",
        "It is quieter here than I expected.",
        "I keep thinking about how this day began.",
        "Tell me if you notice anything odd.",
        "We should not rush; there is time enough.",
        "Do you remember who was here last?",
        "I like the light at this hour.",
        "One thing after the other, I always say.",
    ),
    "ja": (
        "次はどうするのがいいと思う？",
        "思っていたより、ここは静かだね。",
        "今日の始まりのことを、ずっと考えているんだ。",
        "変わったことがあったら教えてほしい。",
        "急がなくていい。時間はまだあるから。",
        "最後にここにいたのは誰だったかな。",
        "この時間の光が、私は好きだ。",
        "ひとつずつ片づけていこう。",
    ),
}
_APOLOGIES: Final[dict[StandInLanguage, tuple[str, ...]]] = {
    "en": ("Sorry, my mistake. ", "I am sorry, I was wrong there. "),
    "ja": ("ごめん、間違えた。", "すみません、勘違いでした。"),
}
_CALL_TEXT: Final[dict[StandInLanguage, str]] = {"en": "{0}, listen. ", "ja": "{0}、あのね。"}


def write_thought(intention: StandInIntention, prompt: PromptReading) -> str:
    """Write why it does what it does, in a sentence or two."""
    language, about = prompt.tongue, intention.target_name
    because = _THOUGHTS[language][intention.why]
    because = because.format(add_article(about, language), _add_indefinite_article(about))
    if intention.why not in _GUESSES:
        return because
    untold = _UNINFORMED_TEXT if prompt.facts is None else _DOUBTING_TEXT
    return untold[language] + because


def write_speech(intention: StandInIntention, prompt: PromptReading, luck: StandInChance) -> str:
    """Write what it says; avoids lines still in the transcript if it can."""
    language, deed = prompt.tongue, intention.deed
    known = _TALK_SPEECHES[language] if deed is None else _DEED_SPEECHES[language][deed.kind]
    transcript = "\n".join(text for _, text in prompt.talk)
    about = add_article(intention.target_name, language)
    lines = [_capitalize_first(line.format(about)) for line in known]
    return luck.pick_one("say", [line for line in lines if line not in transcript] or lines)


def write_apology(language: StandInLanguage, luck: StandInChance) -> str:
    """Write an apology for a mistake."""
    return luck.pick_one("sorry", _APOLOGIES[language])


def write_call(who: str, language: StandInLanguage) -> str:
    """Write the address at the beginning of a speech."""
    return _CALL_TEXT[language].format(who)


def _add_indefinite_article(name: str) -> str:
    if name.endswith("s"):
        return name
    return f"an {name}" if name[:1].lower() in "aeiou" else f"a {name}"


def _capitalize_first(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
