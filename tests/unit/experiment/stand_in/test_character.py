"""Stand-ins asked in the same way as models."""

import asyncio

import pytest
from msgspec.structs import replace

from saniwa.experiment.plan import StandInFaults
from saniwa.experiment.stand_in.character import MODEL_NAME, StandIn
from saniwa.models.metering import estimate_request_tokens
from saniwa.models.oracle import OracleAnswer, OracleRequest
from saniwa.turn.model_reply import read_reply
from tests.fakes.standins import FAULTLESS, HOME, make_request, render_card


def _answer_request(request: OracleRequest, faults: StandInFaults = FAULTLESS) -> OracleAnswer:
    return asyncio.run(StandIn(faults).answer(request))


def _list_deeds(request: OracleRequest, faults: StandInFaults) -> tuple[str, ...]:
    return read_reply(_answer_request(request, faults).text).actions


def test_an_answer_has_the_form_that_was_asked_for() -> None:
    """An answer has a thought and an output, with the speaker's name."""
    answer = _answer_request(make_request(facts=HOME))

    assert "NONE" == read_reply(answer.text).break_type
    assert (MODEL_NAME, "stop", 1) == (answer.model, answer.finish, answer.usage.calls)


def test_tokens_and_time_are_simulated() -> None:
    """Latency is a number of milliseconds for each output token, plus a little for the input."""
    request = make_request(facts=HOME)
    answer = _answer_request(request, replace(FAULTLESS, pace_ms=7))
    usage = answer.usage

    assert estimate_request_tokens(request) == usage.input_tokens
    assert len(answer.text.encode()) // 3 + 1 == usage.output_tokens
    assert 7 * (usage.output_tokens + usage.input_tokens // 50) == answer.took_ms
    assert (0, 0) == (usage.cost, usage.unpriced)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_no_answer_is_longer_than_allowed(language: str) -> None:
    """An answer that is too long is cut, and its finish reason says so."""
    answer = _answer_request(replace(make_request(language=language), max_tokens=10))

    assert "length" == answer.finish
    assert 0 < len(answer.text.encode()) <= 30


def test_a_listener_hears_it() -> None:
    """The listener gets the whole answer, as if from a streaming model."""
    pieces: list[str] = []
    answer = asyncio.run(StandIn(FAULTLESS).answer(make_request(), pieces.append))

    assert answer.text == "".join(pieces)


def test_letting_go_twice_is_no_mistake() -> None:
    """A closed stand-in still answers, as it holds no resources."""
    oracle = StandIn(FAULTLESS)

    async def answer_after_closing() -> OracleAnswer:
        await oracle.close()
        await oracle.close()
        return await oracle.answer(make_request())

    assert _answer_request(make_request()) == asyncio.run(answer_after_closing())


def test_a_temperature_changes_nothing() -> None:
    """Only the prompt and the seed matter."""
    cold = replace(make_request(), temperature=0.0)

    assert _answer_request(cold) == _answer_request(replace(cold, temperature=1.0))


def test_luck_changes_from_turn_to_turn() -> None:
    """The same prompt in another turn gets a different answer."""
    assert len({_answer_request(make_request(turn=turn)).text for turn in range(20)}) > 5


def test_a_garbling_stand_in_breaks_the_format() -> None:
    """With garble 100 every answer breaks the format."""
    faults = replace(FAULTLESS, garble=100)

    assert all(
        read_reply(_answer_request(make_request(seed=seed), faults).text).break_type != "NONE"
        for seed in range(20)
    )


def test_a_forcing_stand_in_tries_what_the_facts_say_is_shut() -> None:
    """The thought says that the facts marked it as shut."""
    faults = replace(FAULTLESS, force=100)
    said = [_answer_request(make_request(facts=HOME, seed=seed), faults).text for seed in range(40)]

    assert any("I am told that Vault is shut, but I try it anyway." in s for s in said)


def test_a_trusting_stand_in_repeats_words_but_not_the_action() -> None:
    """A stand-in that trusts the facts repeats the words but not the action."""
    faults = replace(FAULTLESS, repeat=100)
    own = ("Ann", "*take the cup* Mine, I think.")

    assert "*take the cup* Mine, I think." in _answer_request(make_request(own), faults).text
    told = _answer_request(make_request(own, facts=HOME), faults).text
    assert "Mine, I think." in told
    assert () == read_reply(told).actions


def test_the_first_turn_repeats_nothing() -> None:
    """In the first turn there is nothing to repeat."""
    faults = replace(FAULTLESS, repeat=100)

    assert _answer_request(make_request()) == _answer_request(make_request(), faults)


def test_a_stubborn_retry_is_the_first_attempt_again() -> None:
    """With the next seed and a card in the prompt, the action is still the same."""
    faults = replace(FAULTLESS, invent=100, heed=0)
    for seed in range(20):
        first = _list_deeds(make_request(seed=seed), faults)
        target = first[0].partition(" ")[2]
        for attempt in (1, 2):
            retry = make_request(
                seed=seed, attempt=attempt, card=render_card(target, HOME, attempt)
            )

            assert first == _list_deeds(retry, faults)


def test_an_apology_is_given_only_after_a_card() -> None:
    """An apology is given only after a card."""
    faults = replace(FAULTLESS, apologise=100)
    blamed = make_request(card=render_card("beans", HOME), attempt=1)

    assert "orry" in _answer_request(blamed, faults).text
    assert "orry" not in _answer_request(make_request(), faults).text


def test_only_those_present_are_called_where_the_facts_name_them() -> None:
    """The facts tell the stand-in who can hear."""
    alone = replace(HOME, people=())
    talk = ("Ben", "Hello.")
    with_facts = [_answer_request(make_request(talk, facts=alone, seed=n)).text for n in range(40)]
    without = [_answer_request(make_request(talk, seed=n)).text for n in range(40)]

    assert not any("Ben, listen." in text for text in with_facts)
    assert any("Ben, listen." in text for text in without)


def test_trust_decides_whether_facts_are_kept_to() -> None:
    """With trust 0 a stand-in still invents objects that the facts do not list."""
    faults = replace(FAULTLESS, invent=100)
    told = make_request(facts=HOME)
    doubting = _answer_request(told, replace(faults, trust=0)).text

    assert "I pay no heed to what I am told is here" in doubting
    assert "I pay no heed" not in _answer_request(told, faults).text
