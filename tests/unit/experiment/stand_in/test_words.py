"""What a stand-in thinks and says."""

from typing import get_args

import pytest

from saniwa.experiment.answer_assessment import APOLOGIES
from saniwa.experiment.stand_in.character import write_speech, write_thought
from saniwa.experiment.stand_in.deeds import (
    WORDS,
    DeedKind,
    IntentionReason,
    StandInDeed,
    StandInIntention,
    StandInLanguage,
)
from tests.fakes.standins import HOME, make_chances, read_request


@pytest.mark.parametrize("tongue", ["en", "ja"])
def test_every_reason_has_a_thought_of_its_own(tongue: StandInLanguage) -> None:
    """No two reasons have the same wording, and none has a gap."""
    read = read_request(language=tongue)
    thoughts = [
        write_thought(StandInIntention(why, StandInDeed("take", "cup")), read)
        for why in get_args(IntentionReason)
    ]

    assert len(get_args(IntentionReason)) == len(set(thoughts))
    assert not any("{" in each or "\n" in each for each in thoughts)


def test_a_guess_says_whether_there_were_facts() -> None:
    """Having no facts and ignoring them are two different reasons."""
    guess = StandInIntention("invent", StandInDeed("take", "umbrella"))

    assert "I have not been told what is here; surely there is an umbrella here." == (
        write_thought(guess, read_request())
    )
    assert "I pay no heed to what I am told is here; surely there is an umbrella here." == (
        write_thought(guess, read_request(facts=HOME))
    )


@pytest.mark.parametrize("tongue", ["en", "ja"])
@pytest.mark.parametrize("kind", get_args(DeedKind))
def test_there_is_something_to_say_to_every_deed(kind: DeedKind, tongue: StandInLanguage) -> None:
    """There is more than one phrase, so that turns do not sound alike."""
    meant = StandInIntention("told", StandInDeed(kind, "cup"))
    said = {write_speech(meant, read_request(language=tongue), luck) for luck in make_chances()}

    assert len(said) > 1
    assert not any("*" in each or "{" in each for each in said)


def test_what_still_is_in_the_talk_is_not_said_again() -> None:
    """A phrase still in the talk is not repeated unless all have been used."""
    first = {
        write_speech(StandInIntention("talk"), read_request(), luck) for luck in make_chances()
    }
    spoken = sorted(first)[0]
    then = {
        write_speech(StandInIntention("talk"), read_request(("Ben", spoken)), luck)
        for luck in make_chances()
    }
    all_of_it = tuple(("Ben", each) for each in sorted(first))

    assert first - {spoken} == then
    assert first == {
        write_speech(StandInIntention("talk"), read_request(*all_of_it), k) for k in make_chances()
    }


@pytest.mark.parametrize("tongue", ["en", "ja"])
def test_an_apology_is_recognised_as_one(tongue: StandInLanguage) -> None:
    """An apology is recognised, so the correction does not count as silent."""
    for luck in make_chances():
        said = luck.pick_one("sorry", WORDS[tongue].apologies).casefold()

        assert any(word in said for word in APOLOGIES)


def test_a_call_begins_with_the_name() -> None:
    """The name shows whom the speech is meant for."""
    assert ["Ben, listen. ", "あゆ、あのね。"] == [
        WORDS["en"].call.format("Ben"),
        WORDS["ja"].call.format("あゆ"),
    ]
