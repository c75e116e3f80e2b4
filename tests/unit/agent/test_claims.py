import json
import time

import pytest

from saniwa.agent.model_listener import parse_claims
from saniwa.language.parser_context import Claim, ParserContext
from tests.fakes.worlds import PLAYER, make_courtyard

LEXICON = ParserContext.from_world(make_courtyard(), PLAYER)


def _parse_documents(*claims: object) -> tuple[Claim, ...]:
    return parse_claims(json.dumps({"claims": claims}), "the words", LEXICON)


def _is_lost(claims: tuple[Claim, ...]) -> bool:
    return ["unrecognised"] == [claim["type"] for claim in claims]


def test_a_good_answer_is_claims_in_words() -> None:
    """A valid answer gives claims in words, without looking up names."""
    made = _parse_documents({"type": "take", "target": "brass key"}, {"type": "look"})

    assert ({"type": "take", "target": "brass key"}, {"type": "look"}) == made


@pytest.mark.parametrize("field", ["targetId", "target_id"])
def test_an_id_is_only_a_word(field: str) -> None:
    """An id in an answer is treated as a word."""
    assert ({"type": "take", "target": "ring"},) == _parse_documents(
        {"type": "take", field: "ring"}
    )


def test_fields_filled_with_nothing_say_nothing() -> None:
    """Empty and null fields are dropped."""
    made = _parse_documents({"type": "look", "target": "", "tool": None})

    assert ({"type": "look"},) == made


def test_a_claim_for_oneself_is_one_of_ones_own() -> None:
    """An actor field with the speaker is accepted."""
    assert ({"type": "wait"},) == _parse_documents({"type": "wait", "actorId": "player"})


def test_putting_down_is_as_a_phrase_makes_it() -> None:
    """Putting on the floor drops, and opening with a key unlocks first, as with phrases."""
    assert ({"type": "drop", "target": "key"},) == _parse_documents(
        {"type": "put", "target": "key", "destination": "the floor"}
    )
    assert ["unlock", "open"] == [
        claim["type"]
        for claim in _parse_documents({"type": "open", "target": "gate", "tool": "key"})
    ]


@pytest.mark.parametrize(
    "claim",
    [
        {"type": "teleport", "target": "orchard"},
        {"type": "take", "recipient": "groundskeeper"},
        {"type": "take", "target": ["key"]},
        {"type": "take", "target": "key", "targetId": "key"},
        {"type": "take", "target": "key", "actorId": "keeper"},
        {"type": "take", "target": "key", "actor": {"id": "player"}},
        {"type": "introduce", "target": "dragon", "metadata": {"name": "dragon"}},
        {"type": "take", "target": "x" * 1001},
        {"type": ["take"]},
        {"type": None},
        {"target": "key"},
        "take the key",
        None,
        7,
        [],
    ],
)
def test_an_invalid_claim_becomes_unrecognised_words(claim: object) -> None:
    """An invalid claim becomes the unrecognised words, and the others are kept."""
    made = _parse_documents(claim, {"type": "look"})

    assert ["unrecognised", "look"] == [each["type"] for each in made]
    assert "the words" == made[0]["words"]


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I would rather not.",
        "{",
        "}{",
        '{"claims": [{"type": "take", "tar',
        '{"claims": {"type": "take"}}',
        '{"claims": [], "also": 1}',
        '{"claims": []}',
        "[]",
        "null",
        '{"claims": [' * 2000,
        '{"a":' * 1000 + "1" + "}" * 1000,
        '{"claims": [{"type": "speak", "content": "\\ud800"}]}',
        json.dumps({"claims": [{"type": "look"}] * 17}),
        json.dumps({"claims": [{"type": "look"}] * 10_000}),
        json.dumps({"claims": [{"type": "speak", "content": "x" * 30_000}]}),
        'What there is:\n{"here":"Yard"}\nThe player says:\n"take the key"',
        "x" * 1_000_000,
    ],
)
def test_a_bad_answer_becomes_unrecognised_words(answer: str) -> None:
    """Invalid, incomplete, huge and copied answers become the unrecognised words, quickly."""
    begun = time.perf_counter()
    made = parse_claims(answer, "  the\nwords ", LEXICON)

    assert time.perf_counter() - begun < 1
    assert _is_lost(made)
    assert "the words" == made[0]["words"]
    assert made[0]["problem"]


def test_an_answer_in_a_fence_is_read() -> None:
    """An answer in a code fence, or with words around it, is read."""
    fenced = 'Here it is:\n```json\n{"claims": [{"type": "look"}]}\n```'

    assert ({"type": "look"},) == parse_claims(fenced, "x", LEXICON)


def test_speech_without_a_word_is_no_speech() -> None:
    """Speech without content has the problem "nothing said", as with phrases."""
    assert "nothing said" == _parse_documents({"type": "speak", "content": " "})[0]["problem"]


def test_words_are_not_understood_only_once() -> None:
    """Several invalid claims give the unrecognised words once."""
    made = _parse_documents({"type": "look"}, *[{"type": "move", "source": "x"}] * 15)

    assert ["look", "unrecognised"] == [claim["type"] for claim in made]


def test_a_use_may_have_a_manner_and_nothing_else_may() -> None:
    """Only a `use` may have a manner."""
    polish = {"type": "use", "target": "bench", "manner": "polish"}

    assert (polish,) == _parse_documents(polish)
    assert _is_lost(_parse_documents({"type": "take", "target": "bench", "manner": "polish"}))
    assert _is_lost(_parse_documents({**polish, "manner": 3}))
