"""A question is recognised by its words, in any order."""

import pytest

from saniwa.language.parse import parse
from saniwa.language.question_kinds import classify_question
from tests.hearing.score import PLAYER, load_house

_ASKED = (
    ("remind me which room this is", "where_am_i", ""),
    ("do I have company", "who_is_here", ""),
    ("who is in the garden", "who_is_here", "the garden"),
    ("who is in the kitchen", "who_is_here", ""),
    ("is the basket empty", "what_is_in", "the basket"),
    ("what stuff have I got with me", "what_do_i_have", ""),
    ("what rooms can I get to from here", "exits", ""),
    ("where's that blasted silver key got to", "where_is", "silver key"),
    ("is Bram in the garden", "where_is", "Bram"),
    ("I have no clue what to do next", "hint", ""),
    ("what moves do I have", "what_can_i_do", ""),
    ("what's the trick to opening the chest", "how", ""),
    ("would anyone object to my drinking the milk?", "can_i", ""),
    ("who is Marta", "what_is", "Marta"),
    ("I still can't find the honey anywhere", "where_is", "the honey"),
    ("no sign of Nell", "where_is", "Nell"),
    ("I haven't seen the honey anywhere", "where_is", "the honey"),
    ("can anyone see the wool", "where_is", "the wool"),
    ("where are my keys", "where_is", "my key"),
    ("what do I have to do", "hint", ""),
    ("what is on the floor", "what_is_in", ""),
    ("what is the iron key made of", "what_is", "the iron key"),
    ("where did my stuff go", "what_do_i_have", ""),
    ("what's written in the letter", "what_is", "the letter"),
    ("is there a back door", "exits", ""),
    ("I forgot what I'm carrying", "what_do_i_have", ""),
    ("not sure where to go next", "hint", ""),
    ("which way is the garden", "exits", "the garden"),
    ("is the hall north of here", "where_is", "the hall"),
    ("has the chest been locked", "what_is", "the chest"),
    ("is the big old chest locked", "what_is", "chest"),
    ("where is the small key", "where_is", "brass key"),
    ("are there any other doors", "exits", ""),
    ("what kinds of things can I type", "what_can_i_do", ""),
    ("would you be cross if I ate the bun", "can_i", ""),
    ("who baked the bun", "who_did", ""),
    ("how come the chest won't open", "why", ""),
    ("what keeps me from taking the stove", "why", ""),
    ("なぜ箱は開かないの", "why", "箱"),
    ("自分の居場所がわからない", "where_am_i", ""),
    ("私は一人きりですか", "who_is_here", ""),
    ("バスケットは空っぽ？", "what_is_in", "バスケット"),
    ("寝台の上に何がある？", "what_is_in", "寝台"),
    ("何持ってたっけ", "what_do_i_have", ""),
    ("移動先の候補は？", "exits", ""),
    ("誰が木箱に鍵をかけた", "who_did", ""),
    ("一角獣はどこ", "where_is", "一角獣"),
    ("先に進めなくなった", "hint", ""),
    ("どんな行動ができますか", "what_can_i_do", ""),
    ("蜂蜜を手に入れるには？", "how", ""),
    ("牛乳飲んじゃだめ？", "can_i", ""),
)


@pytest.mark.parametrize(("words", "kind", "target"), _ASKED, ids=[each[0] for each in _ASKED])
def test_a_question_has_a_kind_and_what_it_is_about(words: str, kind: str, target: str) -> None:
    """The words of a question decide its kind and its subject."""
    world = load_house("en" if words.isascii() else "ja")
    (claim,) = parse(words, PLAYER, world)

    assert ("question", kind, target) == (claim["type"], claim["kind"], claim.get("target", ""))


@pytest.mark.parametrize("words", ["Marta, where is the honey?", "where is the honey, Marta?"])
def test_a_question_to_a_person_is_speech(words: str) -> None:
    """A question that names a person is speech to that person."""
    (claim,) = parse(words, PLAYER, load_house("en"))

    assert ("speak", "where is the honey") == (claim["type"], claim["content"])


def test_a_deed_inside_a_question_is_part_of_it() -> None:
    """A nominalised action in a question is the action, in both languages."""
    (english,) = parse("how is the chest opened?", PLAYER, load_house("en"))
    (japanese,) = parse("木箱の開け方を教えて", PLAYER, load_house("ja"))

    assert [{"type": "open", "target": "the chest"}] == english["deed"]
    assert [{"type": "open", "target": "木箱"}] == japanese["deed"]


@pytest.mark.parametrize(
    "words", ["describe Marta as the woman who took the coin", "傘を床に置いてくださいますか"]
)
def test_a_command_with_a_word_that_asks_stays_a_command(words: str) -> None:
    """A courtesy or a relative clause with a question word is not a question."""
    world = load_house("en" if words.isascii() else "ja")

    assert "question" not in {claim["type"] for claim in parse(words, PLAYER, world)}


@pytest.mark.parametrize(
    ("words", "kind", "deed"),
    [
        ("how do I get to the hall", "how", {"type": "move", "target": "the hall"}),
        ("can I get upstairs", "can_i", {"type": "move", "target": "upstairs"}),
        ("can I have the lamp", "can_i", {"type": "take", "target": "the lamp"}),
        ("can I get the honey", "can_i", {"type": "take", "target": "the honey"}),
        ("which key is for the chest", "how", {"type": "unlock", "target": "the chest"}),
        (
            "does the iron key fit the chest",
            "can_i",
            {"type": "unlock", "target": "the chest", "tool": "the iron key"},
        ),
    ],
)
def test_a_deed_may_be_asked_about_without_its_verb(
    words: str, kind: str, deed: dict[str, str]
) -> None:
    """To get to a place is to go there, and what fits a lock unlocks it."""
    (claim,) = parse(words, PLAYER, load_house("en"))

    assert (kind, [deed]) == (claim["kind"], claim["deed"])


@pytest.mark.parametrize(
    ("words", "last"),
    [
        ("I can't find the honey, so I open the cupboard", "open"),
        ("I open the cupboard, not sure what to expect", "open"),
        ("don't tell me what to do", "unrecognised"),
        ("don't you dare open the chest", "unrecognised"),
        ("I say hello to everyone", "speak"),
        ("I forgot the umbrella", "unrecognised"),
    ],
)
def test_not_knowing_with_a_deed_is_no_question(words: str, last: str) -> None:
    """Only a sentence that says nothing else asks for what is not known."""
    claims = parse(words, PLAYER, load_house("en"))

    assert last == claims[-1]["type"]


def test_words_without_a_rule_are_another_question() -> None:
    """Words that match no rule are a question of kind `other`."""
    assert "other" == classify_question(frozenset())
