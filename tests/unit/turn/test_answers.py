"""Questions are answered from the speaker's view, and change nothing."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from saniwa.language.host_commands import HOST_COMMANDS
from saniwa.language.parse import parse
from saniwa.language.phrasebook import find_phrasebook
from saniwa.language.question_kinds import QUESTION_KINDS
from saniwa.runs.replay import replay_run
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.turn.answers import play_words
from saniwa.turn.record import SpokenWords
from saniwa.world.fingerprint import compute_fingerprint
from saniwa.world.model import Id, World
from tests.fakes.runs import ScriptedListener, open_courtyard_run, summarize_replay
from tests.fakes.turns import DEFAULT, speak_all
from tests.fakes.worlds import PLAYER, make_courtyard


def ask(kind: str, world: World | None = None, **fields: Any) -> str:
    """The text of the answer to a player's question."""
    here = world or make_courtyard()
    claim = {"type": "question", "kind": kind, "words": "so?"} | fields
    turn, after = play_words(SpokenWords(actor_id=PLAYER, text="so?"), [claim], here, DEFAULT)

    assert ((), ()) == (turn.normalized_actions, turn.rejections)
    assert compute_fingerprint(here) == compute_fingerprint(after)
    (answer,) = turn.answers
    return " ".join(answer.lines)


def test_the_scene_answers() -> None:
    """Place, people, things, exits and held things are those that a look would show."""
    assert "You are in the Yard." == ask("where_am_i")
    assert "The groundskeeper is here." == ask("who_is_here")
    assert "bench" in ask("what_is_here")
    assert "You are holding nothing." == ask("what_do_i_have")
    assert "Shed" in ask("exits")


@pytest.mark.parametrize(
    ("words", "kind", "answer"),
    [
        ("can I leave?", "can_i", "Ways out: "),
        ("who am I?", "who_am_i", "You are you."),
        ("can I undo?", "can_i", "“undo” takes"),
        ("how do I save the game?", "how", "“save NAME” saves"),
        ("how do I talk?", "how", "Say “talk to”"),
        ("how do I look around?", "how", "Say “look around”"),
        ("can I hit the groundskeeper?", "can_i", "I find no rule here"),
        ("who locked the gate?", "who_did", "Nothing here says"),
        ("what happens if I open the gate?", "what_if", "Try it"),
        ("私は誰？", "who_am_i", "You are"),
        ("泳げる？", "can_i", "I find no rule here"),
        ("鍵で掘れますか", "can_i", "I find no rule here"),
        ("どうやって保存するの？", "how", "“save NAME” saves"),
        ("元に戻せる？", "can_i", "“undo” takes"),
        ("話すにはどうすればいい？", "how", "Say “talk to”"),
        ("門を開けたらどうなる？", "what_if", "Try it"),
    ],
)
def test_a_question_without_a_deed_is_answered(words: str, kind: str, answer: str) -> None:
    """Who one plays, what to type, and what no rule is about are answered, not passed over."""
    (claim,) = parse(words, PLAYER, make_courtyard())

    assert kind == claim["kind"]
    assert ask(**claim | {"type": "question"}).startswith(answer)


def test_a_question_with_several_meanings_lists_them() -> None:
    """What the words may mean is said with the question."""
    lines = ("take the brass key", "go east", "take the rusty key")
    deed = [{"type": "drop", "target": "key"}]
    told = ask("can_i", speak_all(make_courtyard(), *lines), deed=deed)

    assert "rusty key" in told
    assert "brass key" in told


@pytest.mark.parametrize(
    ("target", "answer"),
    [
        ("the brass key", "The brass key is on the bench."),
        ("the groundskeeper", "The groundskeeper is here."),
        ("the coin", "You do not see “the coin” from here, and do not know where to look."),
        (
            "the gold ring",
            "You do not see “the gold ring” from here, and do not know where to look.",
        ),
        ("the unicorn", "You do not see “the unicorn” from here, and do not know where to look."),
        ("the shed", "Ways out: east to the Shed."),
    ],
)
def test_where_something_is_only_if_it_is_seen(target: str, answer: str) -> None:
    """The place of a hidden, enclosed or distant thing is not revealed."""
    assert answer == ask("where_is", target=target)


def test_an_adjacent_place_is_answered_with_its_exit() -> None:
    """It cannot be seen from here, also where a door has its name."""
    way = "Ways out: east to the Shed."

    assert f"You cannot see that from here. {way}" == ask("what_is_in", target="the shed")
    assert f"You cannot see that from here. {way}" == ask("who_is_here", target="the shed")
    assert way == ask("exits", target="the shed")


def test_what_is_in_or_on_something() -> None:
    """Visible contents are listed; a closed chest does not show its own."""
    shed = speak_all(make_courtyard(), "go east")

    assert "On the bench: a brass key." == ask("what_is_in", target="the bench")
    assert "The oak chest is closed; you cannot see inside." == ask(
        "what_is_in", shed, target="the chest"
    )
    assert "You see nothing in or on the old well." == ask("what_is_in", target="the well")


def test_a_deed_that_is_asked_about_is_judged_and_not_done() -> None:
    """An action in a question is judged and not done; the answer gives the verdict's reason."""
    take = [{"type": "take", "target": "the brass key"}]
    unlock = [{"type": "open", "target": "the gate"}]

    assert "Yes, you can take the brass key." == ask("can_i", deed=take)
    assert ask("can_i", deed=unlock).startswith("No. The iron gate is locked.")
    assert "To do that:   take the brass key" == ask("how", deed=take)
    assert "I find no rule here for “so?”" in ask("can_i")


def test_why_a_deed_is_refused_is_answered_with_the_reason_alone() -> None:
    """The answer to "why" is the reason alone, without "No"."""
    deed = [{"type": "open", "target": "iron gate"}]
    whether = ask("can_i", deed=deed)
    why = ask("why", deed=deed)

    assert "No. The iron gate is locked." in whether
    assert whether.removeprefix("No. ") == why


def test_why_a_gate_is_locked_is_answered_with_what_it_needs() -> None:
    """A lock is answered with what is missing, then with the key in hand, then denied."""
    held = speak_all(make_courtyard(), "take the brass key")
    gone = speak_all(held, "open the gate with the brass key")
    locked = ask("why", target="the gate", state="locked")

    assert locked.startswith("The iron gate is locked. You have no key for it.")
    assert ask("why", target="the gate", state="closed") == locked
    assert "The iron gate is locked, but you can unlock the iron gate with the brass key." == ask(
        "why", held, target="the gate", state="locked"
    )
    assert "The iron gate is not locked." == ask("why", gone, target="the gate", state="locked")
    assert "The iron gate is not open." == ask("why", target="the gate", state="open")


@pytest.mark.parametrize(
    ("words", "state"),
    [
        ("why is the gate locked?", "locked"),
        ("why did the gate close", "closed"),
        ("why won't the gate open", "closed"),
        ("なぜ門は閉まっているの", "closed"),
        ("門はなぜ鍵がかかっているの？", "locked"),
        ("なぜ門は開いていないの", "closed"),
    ],
)
def test_a_question_about_a_state_is_no_deed(words: str, state: str) -> None:
    """A question such as "why is it locked" is not whether it can be locked."""
    world = make_courtyard()
    gate = replace(world.entities[Id("gate")], aliases=("gate", "門"))
    there = replace(world, entities={**world.entities, gate.id: gate})
    (claim,) = parse(words, PLAYER, there)

    assert ("why", state, False) == (claim["kind"], claim["state"], "deed" in claim)


def test_a_use_without_an_effect_is_said_to_have_none() -> None:
    """Digging with a key is allowed, and the answer says that no rule is about it."""
    world = speak_all(make_courtyard(), "take the brass key")
    (claim,) = parse("can I dig with the brass key", PLAYER, world)

    assert "nothing would come of it" in ask("can_i", world, deed=claim["deed"])


def test_two_deeds_are_answered_in_one_sentence() -> None:
    """Opening with a key is unlocking and opening, in questions too; a refusal is reported once."""
    world = make_courtyard()
    (claim,) = parse("can I open the gate with the brass key", PLAYER, world)
    held = speak_all(world, "take the brass key")

    assert "Yes, you can unlock the iron gate with the brass key and open the iron gate." == ask(
        "can_i", held, deed=claim["deed"]
    )
    assert ask("can_i", world, deed=claim["deed"]).count("No.") == 1


def test_what_another_person_can_do_is_for_them_to_say() -> None:
    """The speaker does not know what is in another person's hands."""
    (claim,) = parse("can the groundskeeper open the gate", PLAYER, make_courtyard())

    assert "only the groundskeeper can tell you" in ask(
        "can_i", target=claim["target"], deed=claim["deed"]
    )


def test_how_something_is_done_lists_the_deeds_before_it() -> None:
    """The answer lists what has to be taken or opened first, unless the thing is out of sight."""
    gate = [{"type": "open", "target": "the gate"}]
    coin = [{"type": "take", "target": "the coin"}]
    shed = speak_all(make_courtyard(), "go east")

    assert "To do that:   take the brass key   open the iron gate" == ask("how", deed=gate)
    assert "To do that:" not in ask("how", shed, deed=coin)


def test_how_something_is_done_says_what_is_needed_first() -> None:
    """A key that is not here is needed; what is elsewhere is answered like what is nowhere."""
    away = speak_all(make_courtyard(), "take the brass key", "go east", "drop the brass key")
    gate = [{"type": "open", "target": "the iron gate"}]
    here = speak_all(away, "go west")
    key = [{"type": "take", "target": "the brass key"}]
    unicorn = [{"type": "take", "target": "the unicorn"}]

    assert ask("how", here, deed=gate).endswith("is locked. You need the key that fits it.")
    assert ask("how", here, deed=key).replace("brass key", "unicorn") == ask(
        "how", here, deed=unicorn
    )


def test_how_something_impossible_is_done_says_only_why() -> None:
    """What can never be done is not said to be possible later."""
    bench = [{"type": "open", "target": "the bench"}]

    assert "Not yet" not in ask("how", deed=bench)
    assert ask("how", deed=bench) == ask("why", deed=bench)


def test_a_question_about_what_is_seen_is_answered_by_a_look() -> None:
    """A question about what is visible, or about everything here, is answered like a look."""
    assert ask("what_is_here") == ask("where_am_i", scene=True) == ask("what_is_in")


def test_the_list_has_one_line_for_each_kind_of_deed() -> None:
    """The list has one line for each kind of action, without looking."""
    world = speak_all(make_courtyard(), "take the brass key")
    listed = ask("what_can_i_do", world)

    assert "look around" not in listed
    assert "yourself" not in listed
    assert listed.count("give the brass key") == 1
    assert len(listed.split("   ")) <= 13


def test_what_can_be_done_is_listed() -> None:
    """The list has what the rulebook allows, in words."""
    assert "take the brass key" in ask("what_can_i_do")
    assert "open the iron gate" not in ask("what_can_i_do")


def test_the_list_begins_with_what_makes_sense_first() -> None:
    """Going, taking and talking come before searching, and only holders and places are searched."""
    listed = ask("what_can_i_do")

    assert sorted(
        ("go to", "take the", "talk to the groundskeeper", "search the"), key=listed.index
    ) == ["go to", "take the", "talk to the groundskeeper", "search the"]
    searched = listed.split("search the ")[1].split("look closely")[0]
    assert "key" not in searched
    assert "bench" in searched


def test_a_hint_is_the_next_step() -> None:
    """The answer to a request for a hint is the host's hint."""
    assert "You could take the brass key." == ask("hint")


def test_a_question_sees_what_the_claims_before_it_did() -> None:
    """A question is about the world after the actions before it in the sentence."""
    claims = [
        {"type": "take", "target": "the brass key"},
        {"type": "question", "kind": "what_do_i_have"},
    ]
    turn, _ = play_words(SpokenWords(actor_id=PLAYER, text="x"), claims, make_courtyard(), DEFAULT)

    assert ("You are holding a brass key.",) == turn.answers[0].lines


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("kind", sorted(QUESTION_KINDS))
@pytest.mark.parametrize("target", ["", "the bench", "x" * 500])
def test_every_kind_has_an_answer_in_both_languages(kind: str, language: str, target: str) -> None:
    """Every kind of question has an answer in both languages."""
    world = make_courtyard()
    fields = {name: getattr(world, name) for name in world.__struct_fields__}
    spoken = type(world)(**fields | {"language": language})

    assert ask(kind, spoken, target=target, deed=[{"type": "look"}, 3])


@pytest.mark.parametrize("command", sorted(HOST_COMMANDS))
def test_a_word_for_the_host_is_answered(command: str) -> None:
    """A host command is answered; it is neither an action nor a mistake."""
    claim = {"type": "host", "command": command, "words": command}
    words = SpokenWords(actor_id=PLAYER, text=command)
    (answer,) = play_words(words, [claim], make_courtyard(), DEFAULT).turn.answers

    assert (f"host.{command}", True) == (answer.kind, bool(answer.lines))


def test_both_languages_answer_the_same_questions() -> None:
    """Both languages have the same answers."""
    lines = (find_phrasebook(language).lines for language in ("en", "ja"))
    english, japanese = ({name for name in each if name.startswith("answer")} for each in lines)

    assert english == japanese


def test_a_replay_gives_the_same_answers() -> None:
    """A replay gives the same answers."""
    store = MemoryRunStore()
    asked: dict[str, Sequence[object]] = {
        "well?": [{"type": "question", "kind": kind} for kind in sorted(QUESTION_KINDS)]
    }
    run = open_courtyard_run(store, listener=ScriptedListener(asked))
    turn = asyncio.run(run.say("well?")).turn

    assert len(QUESTION_KINDS) == len(turn.answers)
    assert (1, None) == summarize_replay(replay_run(store, run.id))
