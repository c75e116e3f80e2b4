import msgspec

from saniwa.story.player import Player
from saniwa.story.story import parse_story
from saniwa.story.tools.trace import StoryDump, dump_story
from tests.fakes.stepresults import assert_keeps_contract

SIMPLE = "[SAY speaker=Hero]\nHello, world!\n\n[WAIT 1s]\n\n[SAY speaker=Hero]\nGoodbye!"


def _dump(text: str, most: int = 10_000) -> StoryDump:
    player = Player(parse_story(text).program, batch="command")
    return dump_story(player, text.encode(), most)


def test_the_first_engines_golden_comes_out() -> None:
    """The dump has the hash, names and order of the first engine's golden file."""
    expected = {
        "input_hash": "4af8a800c01c7941496ceadc191ce2cf",
        "steps": [
            {
                "step_number": 0,
                "next_action": "WaitUser",
                "directives": [
                    {"type": "Say", "args": {"speaker": "Hero", "text": "Hello, world!"}}
                ],
            },
            {
                "step_number": 1,
                "next_action": "WaitUser",
                "directives": [{"type": "Wait", "args": {"seconds": 1.0}}],
            },
            {
                "step_number": 2,
                "next_action": "WaitUser",
                "directives": [{"type": "Say", "args": {"speaker": "Hero", "text": "Goodbye!"}}],
            },
            {"step_number": 3, "next_action": "Halt", "directives": []},
        ],
        "final_state": "Completed",
    }

    assert expected == msgspec.json.decode(_dump(SIMPLE).to_json())


def test_the_first_option_that_can_be_taken_is_taken() -> None:
    """The first enabled option is taken, and questions get empty words."""
    made = _dump(
        '# T\n- No {show if false}\n  No.\n- Yes\n  Yes.\n[ASK prompt="?" name=n]\n"{n}"\n'
    )

    shown = msgspec.json.decode(made.to_json())["steps"]
    texts = [d["args"].get("text") for s in shown for d in s["directives"]]
    assert [None, "Yes.", None, '""'] == texts


def test_two_dumps_of_one_file_are_the_same_bytes() -> None:
    """Two dumps of a file have the same bytes."""
    text = "# T\n{~a|b|c} {roll(1, 100)}\n"

    assert _dump(text).to_json() == _dump(text).to_json()


def test_every_step_keeps_the_contract() -> None:
    """The steps of a dump are valid StepResults under other names."""
    from saniwa.story.step_result import StepResult

    for step in _dump(SIMPLE).steps:
        result = StepResult(next=step.next_action, directives=step.directives)
        assert_keeps_contract(result)


def test_a_story_without_end_is_truncated() -> None:
    """A dump of an endless story stops at the limit, and says so."""
    made = _dump("# T\n## a\nOne.\n[a](#a)\n", most=50)

    assert ("Truncated", 50) == (made.final_state, len(made.steps))
