import pytest

from saniwa.core.errors import ScriptError
from saniwa.story.player import Player
from saniwa.story.step_result import StepResult
from saniwa.story.story import parse_story
from saniwa.story.tools.trace import TraceEnd, trace_story

DOOR = """\
---
vars: {key: false}
---
# Door
The door.
- Knock
  Nobody.
- Open {show if key}
  Open. <!-- ending: open -->
End.
"""
ASKED = """\
# Names
[ASK prompt="Who?" name=who]
Hello {who}.
- Go
  Gone.
- Say {ask}
  "{heard}"
"""


def _find_end(text: str, choices: list[int], answers: list[str] | None = None) -> TraceEnd:
    *_, finish = trace_story(Player(parse_story(text).program), choices, answers or [])
    assert isinstance(finish, TraceEnd)
    return finish


def test_choices_count_from_one_and_every_step_is_shown() -> None:
    """Choices count from 1, every step is shown, and the end comes last."""
    came = list(trace_story(Player(parse_story(DOOR).program), [1]))

    assert [StepResult] * 4 + [TraceEnd] == [type(step) for step in came]
    assert TraceEnd(reason="end_of_file") == came[-1]


@pytest.mark.parametrize("number", [0, 2, 3])
def test_a_choice_that_cannot_be_made_is_reported_with_those_that_can(number: int) -> None:
    """An impossible choice ends the trace, with the available ones."""
    expected = TraceEnd(reason="invalid_choice", given=number, available=(1,), unused=(1,))

    assert expected == _find_end(DOOR, [number, 1])


def test_without_choices_the_trace_waits_at_the_first() -> None:
    """Without further choices, the trace ends with the available ones."""
    assert TraceEnd(reason="awaiting_choice", available=(1,)) == _find_end(DOOR, [])


def test_an_ending_is_named_and_left_choices_are_given_back() -> None:
    """The end has the ending and the unused choices."""
    text = "# T\nEnd. <!-- ending: soon -->\n"

    assert TraceEnd(reason="ending", ending="soon", unused=(1, 2)) == _find_end(text, [1, 2])


def test_answers_are_given_in_order() -> None:
    """Along with options, 0 takes the next answer; a question alone takes it directly."""
    came = list(trace_story(Player(parse_story(ASKED).program), [0], ["Ada", "hm"]))

    texts = [s.to_document() for s in came if isinstance(s, StepResult)]
    assert "Hello Ada." == texts[1]["directives"][0]["args"]["text"]
    assert '"hm"' == texts[2]["directives"][0]["args"]["text"]


def test_a_missing_answer_is_awaited() -> None:
    """Without an answer, the trace ends at the question."""
    assert "awaiting_answer" == _find_end(ASKED, []).reason
    assert "awaiting_answer" == _find_end(ASKED, [0], ["Ada"]).reason


def test_a_trace_without_end_is_cut_short() -> None:
    """An endless trace stops after ten thousand steps."""
    player = Player(parse_story("# T\n## a\nOne.\n[a](#a)\n").program)

    came = list(trace_story(player, []))

    assert 10_001 == len(came)
    assert TraceEnd(reason="truncated") == came[-1]


def test_a_deed_without_a_world_stops_the_trace() -> None:
    """An action without a world is an error."""
    text = "---\nid: t\nscenario: door_and_key\n---\n# T\n:::do look\nDone.\n:::\n"

    with pytest.raises(ScriptError) as caught:
        _find_end(text, [])

    assert "WORLD_MISSING" == caught.value.code
