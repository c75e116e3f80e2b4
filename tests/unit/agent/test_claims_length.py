from saniwa.agent.model_listener import LONGEST_ANSWER, parse_claims
from saniwa.language.parser_context import ParserContext
from tests.fakes.worlds import PLAYER, make_courtyard


def test_an_answer_that_does_not_end_is_not_read() -> None:
    """An answer over the length limit is not read."""
    lexicon = ParserContext.from_world(make_courtyard(), PLAYER)
    answer = '{"claims": [{"type": "look"}]}'
    longest = answer + " " * (LONGEST_ANSWER - len(answer))

    assert ({"type": "look"},) == parse_claims(longest, "look", lexicon)
    (lost,) = parse_claims(longest + " ", "look", lexicon)
    assert ("unrecognised", "answer too long") == (lost["type"], lost["problem"])
