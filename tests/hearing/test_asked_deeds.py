"""A question about a deed is about the same deed as the command in the same words."""

import re
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from saniwa.runs.word_interpreter import interpret_phrases
from saniwa.turn.answers import play_words
from saniwa.turn.play import play_turn
from saniwa.turn.record import SpokenWords, Turn
from saniwa.world.actions import Emote, Move, Wait
from saniwa.world.model import World
from tests.hearing.score import BOOK, FOLDER, PLAYER, load_house, name_house, read_lines

_QUESTIONS = {
    "en": {"can I {}?": "can_i", "how do I {}?": "how", "why can't I {}?": "why"},
    "ja": {
        "{}ことはできる？": "can_i",
        "{}にはどうすればいい？": "how",
        "なぜ{}ことができないの？": "why",
    },
}
_PLAIN = {
    "en": re.compile(
        r"(?:take|get|grab|pick|open|unlock|lock|close|shut|put|give|go|drop|eat|use|hand|place"
        r"|walk|move|head|fetch|set|lay|push|light|switch|lift|carry|insert|bring|throw)"
        r"\b[\w' -]*"
    ),
    "ja": re.compile(
        "[^、。！？「」\\s:：]*(?:(?<!ま)す|(?<![おこそとのほもよろ])う|[くつぬむるぐぶ])"
    ),
}
"""Commands that are one clause or several, in the form that follows "can I"."""
_IDLE = (Emote, Wait)
_MOST_MISSED = {"en": 0.005, "ja": 0.031}
"""The most questions about another deed or none, of all; these shares may only fall."""


class _DeedQuestion(NamedTuple):
    """What a command does, and what the question about it is understood as."""

    question: str
    kind: str
    wanted: Turn
    heard: Turn
    world: World


def _play(text: str, world: World) -> Turn:
    words = SpokenWords(actor_id=PLAYER, text=text)
    return play_words(words, interpret_phrases(words, world, None)[0], world, BOOK).turn


def _iterate_commands(language: str) -> Iterator[tuple[str, World]]:
    """The labelled commands in plain words, each once in each world."""
    seen = set[tuple[str, str]]()
    for path in sorted(FOLDER.glob(f"*lines_{language}.yaml")):
        house = name_house(path)
        for line in read_lines(path):
            text = line.text.strip(" .!。！")
            text = text[:1].lower() + text[1:]
            plain = line.label["mood"] == "command" and line.deeds
            if plain and _PLAIN[language].fullmatch(text) and (house, text) not in seen:
                seen.add((house, text))
                yield text, load_house(house)


def _has_only_moves(turn: Turn) -> bool:
    return all(isinstance(action, Move) for action in turn.normalized_actions)


def _ask_about(command: str, wanted: Turn, world: World, language: str) -> Iterator[_DeedQuestion]:
    for form, kind in _QUESTIONS[language].items():
        question = form.format(command)
        words = SpokenWords(actor_id=PLAYER, text=question)
        (claim, *_), _ = interpret_phrases(words, world, None)
        asked = claim["type"] == "question" and claim["kind"] == kind
        if not asked and claim.get("kind") == "exits" and _has_only_moves(wanted):
            continue  # The ways out answer how to go there.
        deed = claim.get("deed", ()) if asked else ()
        heard = play_turn(words, deed, world, BOOK).turn
        yield _DeedQuestion(question, kind if asked else "", wanted, heard, world)


@pytest.fixture(scope="module", params=["en", "ja"])
def deed_questions(request: pytest.FixtureRequest) -> tuple[str, list[_DeedQuestion]]:
    """The questions about the deed of each labelled command that is understood."""
    language: str = request.param
    asked = list[_DeedQuestion]()
    for command, world in _iterate_commands(language):
        wanted = _play(command, world)
        understood = not (wanted.rejections or wanted.clarification or wanted.answers)
        if understood and any(not isinstance(a, _IDLE) for a in wanted.normalized_actions):
            asked += _ask_about(command, wanted, world, language)
    return language, asked


def test_no_question_about_a_deed_shows_an_internal_error(
    deed_questions: tuple[str, list[_DeedQuestion]],
) -> None:
    """What a question is about is never rejected for a field that only a program knows."""
    _, asked = deed_questions
    codes = {r.code: each.question for each in asked for r in each.heard.rejections}

    assert codes.keys() <= {"UNRECOGNISED_WORDS"}, codes


def test_a_question_is_about_the_deed_that_the_command_does(
    deed_questions: tuple[str, list[_DeedQuestion]],
) -> None:
    """The questions "can I", "how do I" and "why can't I" ask about what the words do."""
    language, asked = deed_questions
    missed = [
        each.question
        for each in asked
        if not each.kind or each.heard.normalized_actions != each.wanted.normalized_actions
    ]

    assert len(asked) > 4_000
    assert len(missed) <= _MOST_MISSED[language] * len(asked), missed


def test_can_i_is_answered_as_the_command_goes(
    deed_questions: tuple[str, list[_DeedQuestion]],
) -> None:
    """Yes if the command would be done, and no with its reason if it would be refused."""
    language, asked = deed_questions
    yes = {"en": ("Yes, you can ", "You can "), "ja": ("はい、", "")}[language]
    for each in asked:
        if each.kind != "can_i" or each.heard.normalized_actions != each.wanted.normalized_actions:
            continue
        refused = [v for v in each.wanted.validation_results if not v.success]
        told = " ".join(_play(each.question, each.world).answers[0].lines)

        assert refused or told.startswith(yes), each.question
        assert not refused or any(v.message.rstrip(".。") in told for v in refused), each.question
