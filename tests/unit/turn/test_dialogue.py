"""Characters without a player answer in the words of the scenario's author."""

from typing import Any

import pytest

from saniwa.language.parse import parse
from saniwa.rulebook.verdict import Verdict
from saniwa.turn.answers import play_words
from saniwa.turn.narration import narrate
from saniwa.turn.play import TurnOutcome, reapply_turn
from saniwa.turn.preview import preview_turn
from saniwa.turn.record import SpokenWords
from saniwa.world.changes import SpeechChange
from saniwa.world.fingerprint import compute_fingerprint
from saniwa.world.model import Id, World
from saniwa.world.snapshot import restore_world, take_snapshot
from tests.fakes.scenarios import build_world, make_flat
from tests.fakes.turns import DEFAULT

ANN, BRAM = Id("Ann"), Id("bram")

_BRAM = {
    "name": "Bram",
    "location": "kitchen",
    "holding": ["lamp"],
    "greeting": ["Morning!", "You again?"],
    "no_answer": {"en": "No idea.", "ja": "さあね。"},
    "refusal": "Do it yourself.",
    "topics": {
        "lamp": {"if": [{"flag": "paid"}], "text": "Here you are.", "gives": ["lamp"]},
        "lamps": {"aliases": ["lamp", "price"], "text": "Three pence each."},
        "pay": {
            "aliases": ["money", "pence"],
            "request": True,
            "text": "Thank you!",
            "flags": {"paid": True},
        },
        "cup": {"text": "Mind my blue one."},
    },
}


def make_shop(**more: Any) -> World:
    """Ann and Bram in a kitchen with a cup; `more` are further keys of the scenario."""
    people = {"Ann": {"location": "kitchen"}, "bram": _BRAM}
    props = {"cup": {"name": "blue cup", "aliases": ["mug"], "location": "kitchen"}}
    return build_world(make_flat(characters=people, props=props, **more))


def speak_to(world: World, played: tuple[Id, ...] = (), **claim: Any) -> TurnOutcome:
    """The result of Ann's speech to Bram."""
    words = SpokenWords(actor_id=ANN, text="x", played=played)
    return play_words(words, [{"type": "speak", "to": "Bram"} | claim], world, DEFAULT)


def list_replies(world: World, **claim: Any) -> list[tuple[str, str]]:
    """The narration after Ann's own words."""
    turn, after = speak_to(world, **claim)
    return [(line.speaker, line.text) for line in narrate(turn, world, after, ANN)][1:]


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ({}, "Morning!"),
        ({"content": "hello"}, "Morning!"),
        ({"content": "Good evening, Bram!"}, "Morning!"),
        ({"about": "the price"}, "Three pence each."),
        ({"about": "lamps"}, "Three pence each."),
        ({"about": "the mug"}, "Mind my blue one."),
        ({"about": "cup"}, "Mind my blue one."),
        ({"content": "what does a lamp cost?"}, "Three pence each."),
        ({"content": "hello, is that your mug?"}, "Mind my blue one."),
        ({"content": "clamp it"}, "No idea."),
        ({"about": "the moon"}, "No idea."),
        ({"about": "pay"}, "No idea."),
        ({"request": True, "content": "take the money"}, "Thank you!"),
        ({"request": True, "content": "wash the cup"}, "Do it yourself."),
        ({"request": True, "content": "tell me about the mug"}, "Mind my blue one."),
        ({"request": True, "content": "please tell me a story"}, "No idea."),
        ({"about": "the thing", "content": "what is that mug?"}, "Mind my blue one."),
    ],
)
def test_the_person_answers_what_was_written(claim: dict[str, Any], answer: str) -> None:
    """The answer fits a greeting, a topic by any of its names, a request, or anything else."""
    assert [("Bram", answer)] == list_replies(make_shop(), **claim)


def test_the_answer_is_recorded_as_speech_of_that_person() -> None:
    """The answer is an effect of the verdict, and reapplying the turn gives the same world."""
    world = make_shop()
    turn, after = speak_to(world, about="lamps")
    said = [c for c in turn.changes if isinstance(c, SpeechChange)]

    assert SpeechChange(actor_id=BRAM, content="Three pence each.") in said
    assert compute_fingerprint(after) == compute_fingerprint(reapply_turn(turn, world))


def test_lines_are_said_in_order_and_the_last_is_repeated() -> None:
    """Lines are said in order, the last is repeated, and a snapshot keeps the position."""
    world = make_shop()
    heard = []
    for _ in range(3):
        heard.append(list_replies(world)[0][1])
        world = restore_world(take_snapshot(speak_to(world).world))

    assert ["Morning!", "You again?", "You again?"] == heard


def test_conditions_open_topics_and_answers_have_effects() -> None:
    """A condition opens a topic, and an answer has its effects once."""
    world = make_shop()
    world = speak_to(world, request=True, content="take the money").world
    assert world.flags.get("paid")

    lines = list_replies(world, about="lamp")
    assert [("Bram", "Here you are."), ("", "Bram gives you the lamp.")] == lines

    world = speak_to(world, about="lamp").world
    assert ANN == world.entities[Id("lamp")].place
    assert [("Bram", "Three pence each.")] == list_replies(world, about="lamp")


def test_a_played_person_gives_no_written_answer() -> None:
    """A character with a player gives no written answer, and the turn records why."""
    world = make_shop()
    turn, after = speak_to(world, played=(ANN, BRAM), about="lamps")

    assert ((BRAM,), ()) == (turn.played, turn.validation_results[0].effects)
    assert 1 == len(narrate(turn, world, after, ANN))


def test_everyone_here_hears_the_answer() -> None:
    """A third person in the room hears both the question and the answer."""
    people = {"Ann": {"location": "kitchen"}, "Cid": {"location": "kitchen"}, "bram": _BRAM}
    world = build_world(make_flat(characters=people))
    turn, after = speak_to(world, about="price")
    lines = [(line.speaker, line.text) for line in narrate(turn, world, after, Id("Cid"))]

    assert [("", "Ann talks to Bram about price."), ("Bram", "Three pence each.")] == lines


def test_the_answer_is_in_the_language_of_the_play() -> None:
    """A line with one text per language is said in the world's language."""
    assert [("Bram", "さあね。")] == list_replies(make_shop(language="ja"), about="月")


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ({"content": "hello"}, [("Bram", "Morning!")]),
        ({"about": "the price"}, [("Bram", "Three pence each.")]),
        ({"content": "the money, please"}, [("Bram", "Thank you!")]),
        ({"content": "what a day"}, []),
    ],
)
def test_words_without_a_recipient_are_for_the_only_other_person(claim: Any, answer: Any) -> None:
    """Speech without a recipient is answered by the only other person with an answer for it."""
    assert answer == list_replies(make_shop(), to=None, **claim)


def test_a_pronoun_means_what_was_mentioned_last() -> None:
    """A pronoun in a question is the last thing mentioned, not the person asked."""
    words = SpokenWords(actor_id=ANN, text="x", mentioned=(BRAM, Id("cup")))
    claim = {"type": "speak", "to": "Bram", "about": "it"}
    (action,) = play_words(words, [claim], make_shop(), DEFAULT).turn.applied_actions

    assert "cup" == getattr(action, "about", None)


def test_a_whole_name_goes_before_a_part_of_one() -> None:
    """Of two topics, an exact or longer name is preferred."""
    topics = {"oil lamp": {"text": "No oil."}, "lamp": {"text": "A lamp."}}
    people = {"Ann": {"location": "kitchen"}, "bram": {"location": "kitchen", "topics": topics}}
    world = build_world(make_flat(characters=people))

    for claim in ({"about": "the lamp"}, {"content": "is that a lamp?"}):
        assert [("bram", "A lamp.")] == list_replies(world, **claim)
    for claim in ({"about": "oil"}, {"content": "is that an oil lamp?"}):
        assert [("bram", "No oil.")] == list_replies(world, **claim)


def test_a_refused_speech_is_not_answered() -> None:
    """A character elsewhere neither hears nor answers."""
    elsewhere = {"Ann": {"location": "hall"}, "bram": _BRAM}
    turn, _ = speak_to(build_world(make_flat(characters=elsewhere)))

    assert [Verdict] == [type(v) for v in turn.validation_results if not v.success]
    assert () == turn.changes


def test_an_action_may_name_the_topic_by_its_id() -> None:
    """The recorded action has the id of the topic."""
    for about in ("the price", "lamps"):
        (action,) = speak_to(make_shop(), about=about).turn.applied_actions
        assert "lamps" == getattr(action, "about", None)


def test_a_topic_is_a_name_where_people_can_be_asked_about_it() -> None:
    """蝉取り is read as a topic, not as 取る, if the person has that topic."""
    people = {
        "Ann": {"location": "kitchen"},
        "ナギ": {"location": "kitchen", "topics": {"蝉取り": {"text": "網がない。"}}},
    }
    world = build_world(make_flat(characters=people, language="ja"))

    assert ({"type": "speak", "to": "ナギ", "about": "蝉取り"},) == parse(
        "ナギに蝉取りについて聞く", ANN, world
    )


@pytest.mark.parametrize("words", ["hello", "Hi there!", "good morning", "おはようございます"])
def test_a_bare_greeting_is_said_to_the_one_who_is_here(words: str) -> None:
    """A bare greeting is said to the person present, as if it were quoted."""
    world = make_shop()
    claims, quoted = parse(words, ANN, world), parse(f"“{words}”", ANN, world)
    turn, after = play_words(SpokenWords(actor_id=ANN, text=words), claims, world, DEFAULT)

    assert ({"type": "speak", "content": words},) == claims == quoted
    assert "Morning!" in [line.text for line in narrate(turn, world, after, ANN)]


@pytest.mark.parametrize(
    ("words", "greeting"),
    [("Good evening. Open the box.", "Good evening."), ("こんばんは！箱を開ける。", "こんばんは")],
)
def test_a_greeting_is_said_before_what_follows_it(words: str, greeting: str) -> None:
    """A sentence that only greets is speech, and the next one is read as ever."""
    said, deed = parse(words, ANN, make_shop())

    assert ({"type": "speak", "content": greeting}, "open") == (said, deed["type"])


def test_an_order_after_a_greeting_by_name_is_for_that_person() -> None:
    """“Hi Bram, open the box” asks Bram; the speaker opens nothing."""
    (claim,) = parse("hi Bram, open the box", ANN, make_shop())

    assert ("speak", "bram", True) == (claim["type"], claim["to"], claim["request"])


def test_a_greeting_before_other_words_is_no_speech_alone() -> None:
    """今日は門を開ける begins like こんにちは, but is an action."""
    assert "speak" not in [claim["type"] for claim in parse("今日は箱を開ける", ANN, make_shop())]


@pytest.mark.parametrize(
    ("about", "near"), [("the pric", "(did you mean “price”?)"), ("the weather", ""), ("mony", "")]
)
def test_a_misspelt_topic_is_suggested_after_the_answer_to_everything_else(
    about: str, near: str
) -> None:
    """Only a name of a topic that is open to questions is suggested, and only for a typing error."""
    told = [("Bram", "No idea."), *([("", near)] if near else [])]

    assert told == list_replies(make_shop(), about=about)


def test_a_bare_subject_that_is_answered_gets_its_article() -> None:
    """A bare noun for a thing that the answer is about gets its article."""
    world = make_shop()
    turn, after = speak_to(world, about="cup")

    assert "You talk to Bram about the cup." == narrate(turn, world, after, ANN)[0].text


@pytest.mark.parametrize(
    ("claim", "sentences"),
    [
        (
            {"about": "the price"},
            ["You would talk to Bram about the price.", "with the topic “lamps”."],
        ),
        ({"about": "mug"}, ["You would talk to Bram about the mug.", "with the topic “cup”."]),
        ({}, ["You would talk to Bram.", "with the greeting."]),
        ({"content": "what now?"}, ["You would say “what now?” to Bram.", "has no topic"]),
        ({"content": "open it", "request": True}, ["You would say “open it” to Bram.", "refuse."]),
    ],
)
def test_a_preview_says_which_topic_answers(claim: dict[str, Any], sentences: list[str]) -> None:
    """An author sees which part of a dialogue the words reach, and the answer itself is not shown."""
    words = SpokenWords(actor_id=ANN, text="x")
    shown = preview_turn(
        words, [{"type": "speak", "to": "Bram"} | claim], make_shop(), DEFAULT
    ).sentences

    assert len(sentences) == len(shown)
    assert all(part in sentence for part, sentence in zip(sentences, shown, strict=True))
    assert not any(line in " ".join(shown) for line in ("Three", "Mind", "Morning", "No idea"))
