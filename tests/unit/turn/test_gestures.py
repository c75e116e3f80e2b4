"""Gestures, speech to a person and questions are recorded, and have no effect."""

from typing import Any

import pytest

from saniwa.language.phrasebook import find_grammar
from saniwa.rulebook.loader import inspect_rulebook
from saniwa.runs.word_interpreter import interpret_phrases
from saniwa.turn.answers import play_words
from saniwa.turn.narration import narrate
from saniwa.turn.play import TurnOutcome, reapply_turn
from saniwa.turn.record import SpokenWords
from saniwa.world.actions import Emote, Speak
from saniwa.world.fingerprint import compute_fingerprint
from saniwa.world.model import Id, World
from tests.fakes.turns import DEFAULT
from tests.fakes.worlds import PLAYER, make_courtyard

KEEPER = Id("keeper")


def play_claim(claim: Any, world: World | None = None) -> TurnOutcome:
    """The result of one claim of the player."""
    words = SpokenWords(actor_id=PLAYER, text="x")
    return play_words(words, [claim], world or make_courtyard(), DEFAULT)


def list_lines(claim: Any, viewer: Id = PLAYER) -> list[tuple[str, str]]:
    """Who says what in the narration of one claim."""
    world = make_courtyard()
    turn, after = play_claim(claim, world)
    return [(line.speaker, line.text) for line in narrate(turn, world, after, viewer)]


def test_a_gesture_is_recorded_and_changes_nothing() -> None:
    """A gesture is an allowed action without a change, and takes no time."""
    world = make_courtyard()
    turn, after = play_claim({"type": "emote", "content": "nod"}, world)

    assert (Emote(actor_id=PLAYER, content="nod"),) == turn.applied_actions
    assert ((), world.time) == (turn.changes, after.time)
    assert compute_fingerprint(world) == compute_fingerprint(after)
    assert after == reapply_turn(turn, world)


def test_a_gesture_is_allowed_out_of_turn() -> None:
    """A gesture is allowed out of turn, and does not end the turn."""
    world = make_courtyard()
    ordered = type(world)(
        **{f: getattr(world, f) for f in world.__struct_fields__} | {"turn_order": (KEEPER, PLAYER)}
    )
    gesture, deed = ({"type": "emote", "content": "nod"}, {"type": "look"})

    assert [True] == [v.success for v in play_claim(gesture, ordered).turn.validation_results]
    assert [False] == [v.success for v in play_claim(deed, ordered).turn.validation_results]


def test_a_rulebook_has_no_rule_for_gestures() -> None:
    """A rule for gestures is a finding, because it could never apply."""
    book = {"id": "x", "rules": [{"actionType": "emote", "checks": []}]}

    assert ["RULE_UNKNOWN_ACTION"] == [each.code for each in inspect_rulebook(book).findings]


def test_everyone_there_sees_a_gesture() -> None:
    """A gesture is narrated as a clause, or as its own words if they are not a plain clause."""
    claim = {"type": "emote", "content": "nod"}

    assert [("", "You nod.")] == list_lines(claim)
    assert [("", "Player nods.")] == list_lines(claim, KEEPER)
    assert [("you", "*a quiet laugh*")] == list_lines(claim | {"content": "a quiet laugh"})


@pytest.mark.parametrize(
    ("language", "words", "mine", "theirs"),
    [
        ("en", "shake my head sadly", "shake your head sadly", "shakes their head sadly"),
        ("en", "slowly nod at the keeper", "slowly nod at the keeper", "slowly nods at the keeper"),
        ("en", "I shrug.", "shrug", "shrugs"),
        ("en", "smiles warmly", "smile warmly", "smiles warmly"),
        ("en", "glances away", "glance away", "glances away"),
        ("en", "smiling", "", ""),
        ("en", "うなずく", "", ""),
        ("ja", "うなずく", "うなずいた", "うなずいた"),
        ("ja", "首を横に振る。", "首を横に振った", "首を横に振った"),
        ("ja", "肩をすくめます", "肩をすくめた", "肩をすくめた"),
        ("ja", "うなずきます", "うなずいた", "うなずいた"),
        ("ja", "お辞儀します", "お辞儀した", "お辞儀した"),
        ("ja", "ため息をついた", "ため息をついた", "ため息をついた"),
        ("ja", "庭番を見る", "庭番を見た", "庭番を見た"),
        ("ja", "微笑みながら", "", ""),
        ("ja", "", "", ""),
    ],
)
def test_a_gesture_is_narrated_as_a_deed(language: str, words: str, mine: str, theirs: str) -> None:
    """The verb is in the narration's form, and "my" in the viewer's person."""
    grammar = find_grammar(language)

    assert mine == grammar.narrate_gesture(words, mine=True)
    assert theirs == grammar.narrate_gesture(words, mine=False)


def test_speech_may_have_a_recipient_and_a_subject() -> None:
    """The recipient becomes an id; the topic stays in the speaker's words."""
    claim = {"type": "speak", "to": "the groundskeeper", "about": "the cellar"}
    turn, _ = play_claim(claim)

    assert (
        Speak(actor_id=PLAYER, content="", recipient_id=KEEPER, about="the cellar"),
    ) == turn.applied_actions


def test_talk_without_words_is_reported() -> None:
    """Talk without words is narrated with the person and the topic."""
    talk = {"type": "speak", "to": "the groundskeeper"}

    nod = ("", "The groundskeeper nods.")
    assert [("", "You talk to the groundskeeper."), nod] == list_lines(talk)
    shrug = ("", "The groundskeeper shrugs and says nothing.")
    assert [("", "You talk to the groundskeeper about the cellar."), shrug] == list_lines(
        talk | {"about": "the cellar"}
    )
    assert [("", "You talk about rain.")] == list_lines({"type": "speak", "about": "rain"})


def test_a_request_is_marked() -> None:
    """A request is speech marked as a request."""
    claim = {"type": "speak", "to": "groundskeeper", "content": "open it", "request": True}
    turn, _ = play_claim(claim)
    (action,) = turn.applied_actions

    assert isinstance(action, Speak)
    assert action.request


def test_speech_to_an_absent_person_is_refused() -> None:
    """Speech to an absent person is refused in the speaker's words."""
    turn, _ = play_claim({"type": "speak", "to": "the queen"})

    assert ["NOT_FOUND"] == [v.reason_code for v in turn.validation_results]


@pytest.mark.parametrize(
    "claim",
    [
        {"type": "question", "kind": "where_am_i", "words": "where am I"},
        {"type": "question", "kind": "who_is_here", "words": "who is here"},
        {"type": "question", "kind": "exits"},
        {"type": "question", "kind": "nonsense", "words": "why is the sky blue?"},
        {"type": "question"},
        {"type": "question", "kind": ["x"], "words": 7, "target": {}},
        {"type": "host", "command": "undo", "words": "undo"},
        {"type": "host", "command": None},
    ],
)
def test_a_question_is_answered_and_never_refused(claim: Any) -> None:
    """A question is neither an action nor a rejection, and always has an answer."""
    world = make_courtyard()
    turn, after = play_claim(claim, world)

    assert ((), (), ()) == (turn.normalized_actions, turn.rejections, turn.changes)
    assert all(answer.lines for answer in turn.answers)
    assert (1, world) == (len(turn.answers), after)
    assert list_lines(claim)
    assert [] == list_lines(claim, KEEPER)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("*looks closely at the vase*", "inspect"),
        ("*looks at the vase closely*", "inspect"),
        ("*examines the vase*", "inspect"),
        ("*observes the vase*", "inspect"),
        ("*looks at the vase*", "emote"),
        ("*glances at the window*", "emote"),
        ("*looks closely at the groundskeeper*", "emote"),
        ("*looks at the bench*", "inspect"),
    ],
)
def test_examining_what_is_not_there_is_claimed_and_glancing_is_not(text: str, kind: str) -> None:
    """Examining a thing that is not there is a claim; a glance at a person is a gesture."""
    words = SpokenWords(actor_id=PLAYER, text=text)
    claims, _ = interpret_phrases(words, make_courtyard(), None)

    assert [kind] == [claim["type"] for claim in claims]
