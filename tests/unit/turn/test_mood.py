"""Only a command becomes an action; questions, statements and prohibitions change nothing."""

from collections import Counter

import pytest

from saniwa.language.mood import (
    NO_COMMAND,
    find_english_condition,
    find_english_mood,
    find_unasked_mood,
    is_withheld,
)
from saniwa.language.parse import parse
from saniwa.language.phrasebook import find_phrasebook
from saniwa.world.fingerprint import compute_fingerprint
from saniwa.world.model import Id
from tests.hearing.score import load_house
from tests.unit.turn.mood_lines import MoodLine, build_room, list_deeds, play_line, read_lines

ROOMS = {language: build_room(language) for language in ("en", "ja")}
LOOKING = {"look", "inspect", "search", "speak"}


@pytest.fixture(scope="module")
def lines() -> list[MoodLine]:
    """All labelled lines."""
    return read_lines()


def test_a_line_that_asks_for_nothing_changes_nothing(lines: list[MoodLine]) -> None:
    """A line that asks for nothing leaves the world unchanged."""
    wrong = []
    for line in lines:
        if not line.deeds:
            world = ROOMS[line.language]
            turn, after = play_line(line.text, world)
            is_same = compute_fingerprint(world) == compute_fingerprint(after)
            if not is_same or not set(list_deeds(turn)) <= LOOKING:
                wrong.append((line, list_deeds(turn)))

    assert [] == wrong


def test_a_command_is_done(lines: list[MoodLine]) -> None:
    """A command does exactly its labelled actions."""
    commands = [line for line in lines if line.deeds]
    done = [(line, list_deeds(play_line(line.text, ROOMS[line.language])[0])) for line in commands]

    assert [] == [(line, deeds) for line, deeds in done if line.deeds != deeds]


def test_both_languages_have_enough_lines_of_each_class(lines: list[MoodLine]) -> None:
    """Each class has enough lines in both languages."""
    counts = Counter((line.language, line.label) for line in lines)

    assert 20 == len(counts)
    assert 7 <= min(counts.values())
    assert 300 <= sum(n for (language, _), n in counts.items() if language == "en")
    assert 300 <= sum(n for (language, _), n in counts.items() if language == "ja")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("don't eat the bun", "prohibition"),
        ("if it rains, eat the bun", "condition"),
        ("when it rains, eat the bun", "condition"),
        ("please, when the guest comes, then eat the bun", "condition"),
        ("when the guest comes I will eat the bun", "condition"),
        ("take the keys except the brass one", "exception"),
        ("I have to eat the bun", "statement"),
        ("誰がパンを食べる", "question"),
        ("パンを食べてはいけない", "prohibition"),
        ("雨が降ったらパンを食べる", "condition"),
        ("ランプを残して靴を取る", "exception"),
        ("パンを食べた", "statement"),
    ],
)
def test_the_claim_says_how_a_line_was_understood(text: str, problem: str) -> None:
    """The mood is the claim's problem, and the rejection names it in the world's language."""
    language = "en" if text.isascii() else "ja"
    turn, _ = play_line(text, ROOMS[language])
    (claim,) = turn.parsed_actions
    (rejection,) = turn.rejections

    assert problem == claim["problem"]
    assert "UNRECOGNISED_WORDS" == rejection.code
    assert rejection.message.startswith(("“", "「", "I do not understand what"))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("can I eat the bun?", "can_i"),
        ("where is the shoe", "where_is"),
        ("when can I eat the bun", "other"),
        ("when it rains, can I eat the bun", "other"),
        ("when will the guest come, look around", "other"),
        ("パンを食べてもいい？", "can_i"),
        ("靴はどこ？", "where_is"),
    ],
)
def test_a_question_is_answered_and_not_rejected(text: str, kind: str) -> None:
    """A question has an answer of its kind, and no rejection."""
    turn, _ = play_line(text, ROOMS["en" if text.isascii() else "ja"])

    assert ((), (), [kind]) == (
        turn.rejections,
        turn.applied_actions,
        [each.kind for each in turn.answers],
    )


@pytest.mark.parametrize(
    ("text", "word", "hint"),
    [
        ("throw the brass key at the window", "at the window", "throw the brass key"),
        ("eat the bun with a spoon", "with a spoon", "eat the bun"),
        ("take the lamp and flurb the chest", "flurb the chest", "quotation marks"),
        ("真鍮の鍵を窓に投げる", "窓に", "「鍵を取る」"),
    ],
)
def test_a_word_that_is_left_over_is_named(text: str, word: str, hint: str) -> None:
    """The rejection names the words that were not understood, with the nearest reading."""
    language = "en" if text.isascii() else "ja"
    turn, _ = play_line(text, ROOMS[language])
    (rejection,) = turn.rejections

    assert word in rejection.message
    assert hint in rejection.hint


def test_a_suggested_line_names_only_what_is_here() -> None:
    """A word that looks like a verb or a name is not offered where the line would still fail."""
    meant, lost = (
        play_line(text, ROOMS["en"])[0].rejections[0].hint
        for text in ("tkae the brass key", "examine the chest on the tst wal")
    )

    assert "did you mean “take the brass key”?" == meant
    assert "did you mean “examine the chest”?" == lost


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_mood_has_a_sentence(language: str) -> None:
    """Every mood without a command has a message in both languages."""
    lines = find_phrasebook(language).lines

    assert set() == {f"reject.{mood}" for mood in (*NO_COMMAND, "gesture")} - set(lines)


@pytest.mark.parametrize(
    ("text", "kind", "field"),
    [("can I eat the bun?", "can_i", "deed"), ("where is the shoe", "where_is", "target")],
)
def test_a_question_says_what_it_asks(text: str, kind: str, field: str) -> None:
    """A question is a claim with its kind and its subject, not an attempt."""
    turn, after = play_line(text, ROOMS["en"])
    (claim,) = turn.parsed_actions

    assert ("question", kind) == (claim["type"], claim["kind"])
    assert field in claim
    assert not turn.normalized_actions
    assert compute_fingerprint(ROOMS["en"]) == compute_fingerprint(after)


def test_a_sentence_is_judged_alone() -> None:
    """A question does not stop the command in the next sentence."""
    turn, _ = play_line("Can I eat the bun? Take the lamp.", ROOMS["en"])

    assert (("take",), ["can_i"]) == (list_deeds(turn), [each.kind for each in turn.answers])


def test_a_part_that_is_lost_stops_its_sentence_only() -> None:
    """A part that is not understood stops its own sentence only."""
    turn, _ = play_line("take the lamp and flurb it. Eat the bun.", ROOMS["en"])

    assert ("eat",) == list_deeds(turn)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("drop all but the bun", {"bun"}),
        ("drop everything except the bun and the brass key", {"bun", "brass key"}),
        ("パン以外全部置く", {"パン"}),
    ],
)
def test_what_is_left_out_of_all_stays(text: str, kept: set[str]) -> None:
    """“all but” a thing is all the others."""
    language = "en" if text.isascii() else "ja"
    _, after = play_line(text, ROOMS[language])

    assert kept == set(after.list_contents(Id("you")))


def test_a_strange_name_left_out_of_all_is_named() -> None:
    """An unknown name after "all but" is reported, and nothing is taken."""
    turn, _ = play_line("take all except the unicorn", ROOMS["en"])
    (rejection,) = turn.rejections

    assert "the unicorn" in rejection.message


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["if", "it", "rains"], "if"),
        (["go", "as", "soon", "as", "it", "rains"], "as soon as"),
        (["open", "it", "once", "more"], ""),
        (["after", "that", "go"], ""),
        ([], ""),
    ],
)
def test_a_condition_is_found_by_its_word(words: list[str], found: str) -> None:
    """Only the words for conditions count, not phrases that resemble them."""
    assert found == find_english_condition(words)


@pytest.mark.parametrize(
    ("text", "asked", "mood"),
    [
        ("can you open it", True, "command"),
        ("please could you open it", True, "command"),
        ("can i open it", False, "permission"),
        ("is the gate open", False, "question"),
        ("i would like to open it", False, "command"),
        ("i would like to open it", True, "question"),
        ("open it", True, "question"),
        ("open it", False, "command"),
    ],
)
def test_an_english_sentence_has_one_mood(text: str, asked: bool, mood: str) -> None:
    """Modals, subjects and the question mark decide the mood of an English sentence."""
    found = find_english_mood(text.split(), asked=asked)

    assert mood == found.mood


@pytest.mark.parametrize(
    ("text", "mood"),
    [
        ("the mask is staring at me", "statement"),
        ("I nearly dropped the pot!", "report"),
        ("I'd like Marta to hand me the lamp", "wish"),
        ("I want Marta to frob the lamp", "wish"),
        ("I want to frob the lamp", "command"),
        ("the coin might be in the chest", "statement"),
        ("I like Nell", "statement"),
        ("frob the lamp", "command"),
    ],
)
def test_words_that_no_phrase_matches_still_have_a_mood(text: str, mood: str) -> None:
    """What tells, reports or wishes something is not taken for a deed that is not known."""
    assert mood == find_unasked_mood(text).mood


@pytest.mark.parametrize(
    ("text", "mood"),
    [
        ("箱を開けてくれますか？", "command"),
        ("箱を開けてくれるかな", "command"),
        ("箱を開けますか", "question"),
        ("机の鍵を取る", "command"),
    ],
)
def test_a_japanese_sentence_has_one_mood(text: str, mood: str) -> None:
    """Endings and question words decide the mood; a request to the listener is a command."""
    claims = parse(text, Id("you"), ROOMS["ja"])

    assert {mood} == {claim.get("problem", "command") for claim in claims}


def test_only_words_are_withheld() -> None:
    """Only claims of unrecognised words can be withheld."""
    claims = ({"type": "take"}, {"type": "unrecognised"}, None, "take")

    assert not any(is_withheld(claim) for claim in claims)


def test_a_typed_look_is_a_look_and_a_narrated_one_a_gesture() -> None:
    """Looking at a person inspects them when typed, and is a gesture in a reply."""
    typed = parse("look at the keeper", Id("you"), ROOMS["en"])
    told = parse("look at the keeper", Id("you"), ROOMS["en"], narrated=True)

    assert "inspect" == typed[0]["type"]
    assert told[0]["type"] == "emote"


@pytest.mark.parametrize(
    ("words", "mood"),
    [
        ("I took the lamp", "report"),
        ("Nell frobbed the lamp", "report"),
        ("maybe I frob the lamp", "hypothesis"),
        ("鍵がほしい", "wish"),
    ],
)
def test_words_that_no_phrase_matches_have_a_mood(words: str, mood: str) -> None:
    """A report, a guess or a wish is named as such even if no phrase matches."""
    (claim,) = parse(words, Id("player"), load_house("en"))

    assert mood == claim["problem"]
