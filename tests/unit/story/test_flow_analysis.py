"""Where flow goes, and where it loops forever."""

import pytest

from saniwa.story.compile import compile_story
from saniwa.story.flow_analysis import StoryFlow
from saniwa.story.parser.markdown import parse_scene
from saniwa.story.program import FallOp, Program


def _compile_text(text: str) -> Program:
    return compile_story([parse_scene(text, "story.md")])


def _list_circles(text: str) -> list[list[int]]:
    """The lines of each loop."""
    program = _compile_text(text)
    return [
        sorted({program.ops[address].line for address in circle})
        for circle in StoryFlow(program).find_loops()
    ]


def _list_reached(text: str) -> list[str]:
    """The labels that flow reaches."""
    program = _compile_text(text)
    flow = StoryFlow(program)
    return [key for key, address in program.labels.items() if flow.is_reachable(address)]


def _list_running_on(text: str) -> list[int]:
    """The lines of the headings that flow runs into."""
    program = _compile_text(text)
    flow = StoryFlow(program)
    return [
        op.line
        for address, op in enumerate(program.ops)
        if isinstance(op, FallOp) and flow.is_reachable_outside_call(address)
    ]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("## a\n[x](#a)\n", [1, 2]),
        ("## a\n[SET n = 1]\n[PLAY_SE name=x]\n[x](#a)\n", [1, 2, 3, 4]),
        ("## a\n## b\n[x](#a)\n", [1, 2, 3]),
        ("## a\n:::when n > 1\n[x](#a)\n:::\n[y](#a)\n", [1, 2, 5]),
        ('## a\n[m](#m "call")\n[x](#a)\n## m\n[SET n = 1]\n', [1, 2, 3]),
        ("Hello.\n## a\n[RETURN]\n[x](#a)\n", [2, 3, 4]),
        ("## a\n[x](#nowhere)\n[y](#a)\n", [1, 2, 3]),
    ],
)
def test_a_circle_that_never_waits_is_found(text: str, lines: list[int]) -> None:
    """A loop without a wait is found, whatever its conditions are."""
    assert [lines] == _list_circles(text)


@pytest.mark.parametrize(
    "text",
    [
        "## a\nHello.\n[x](#a)\n",
        "## a\n[WAIT 1s]\n[x](#a)\n",
        "## a\n[PLAY_MOVIE file=x]\n[x](#a)\n",
        "## a\n- [x](#a)\n- [y](#a)\n",
        "## a\n[SET n += 1]\n[JUMP_IF n > 3 label=b]\n[x](#a)\n## b\nDone.\n",
        '## a\n[m](#m "call")\n[x](#a)\n## m\nHello.\n',
        "## a\n[ENDING id=x]\n[x](#a)\n",
        "Hello.\n[ENDING id=x]\n## a\n[x](#a)\n",
    ],
)
def test_a_circle_with_a_wait_or_a_way_out_is_none(text: str) -> None:
    """A loop with a wait or an exit is not reported, nor one that is never reached."""
    assert [] == _list_circles(text)


def test_a_circle_may_be_left_by_returning() -> None:
    """Inside a call, the end of a section leaves a loop."""
    text = (
        'Hello.\n[c](#c "call")\n[ENDING id=x]\n'
        "## c\n[SET n += 1]\n[JUMP_IF n < 3 label=c]\n## d\nEnd.\n"
    )

    assert [] == _list_circles(text)


def test_a_circle_inside_a_call_is_found_once() -> None:
    """A loop inside a call is reported once."""
    text = 'Hello.\n[c](#c "call")\n[x](#c)\n## c\n[y](#c)\n'

    assert [[4, 5]] == _list_circles(text)


def test_every_circle_is_distinguished() -> None:
    """Two loops after one choice are reported separately."""
    text = "- [x](#a)\n- [y](#b)\n## a\n[x](#a)\n## b\n[x](#b)\n"

    assert [[3, 4], [5, 6]] == _list_circles(text)


def test_what_is_linked_called_or_run_into_is_reached() -> None:
    """Sections are reached by links, calls and by running into them."""
    text = '[b](#b "call")\n- [c](#c)\n## a\nA.\n## b\nB.\n## c\nC.\n## d\nD.\n'

    assert ["b", "c", "d"] == _list_reached(text)


def test_a_called_section_does_not_run_on() -> None:
    """A section that is only called returns at its end, and does not reach the next one."""
    text = '[b](#b "call")\n[ENDING id=x]\n## b\nB.\n## c\nC.\n'

    assert ["b"] == _list_reached(text)
    assert [] == _list_running_on(text)


def test_options_that_can_run_out_let_flow_continue() -> None:
    """Flow continues after a list only if all options may be gone."""
    sure, once = "- [x](#c)\n- [y](#c)\n", "- [x](#c) {once}\n- [y](#c) {once}\n"
    rest, again = "## b\n[z](#c)\n## c\nC.\n", "## a\n"

    assert ["c"] == _list_reached(sure + rest)
    assert ["c"] == _list_reached(once + rest)
    assert ["a", "b", "c"] == _list_reached(again + once + rest + "[w](#a)\n")


def test_arms_that_meet_run_on() -> None:
    """An item without a jump continues after the list, and runs into the next section."""
    text = "## a\n- [x](#b)\n- stay\n  Fine.\n## b\nB.\n"

    assert [1, 5] == _list_running_on(text)


def test_long_chains_cost_no_recursion() -> None:
    """A loop of ten thousand jumps is found without recursion."""
    count = 10_000
    text = "".join(f"## s{n}\n[x](#s{(n * 21 + 1) % count})\n" for n in range(count))

    assert [2 * count] == [len(lines) for lines in _list_circles(text)]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("## a\n:::when true\n[b](#a)\n:::\nText.\n", [1, 2, 3]),
        ("---\nvars: {k: 1}\n---\n## a\n:::when k == 1\n[b](#a)\n:::\nX.\n", [4, 5, 6]),
        ('## a\n[x](#a "call")\n', [1, 2]),
        ('Hi.\n## b\n[x](#c "call")\n## c\n[x](#b "call")\n', [2, 3, 4, 5]),
    ],
)
def test_conditions_that_never_change_and_calls_make_circles(text: str, lines: list[int]) -> None:
    """A condition that is always false is no exit, and a call that never returns makes a loop."""
    assert [lines] == _list_circles(text)


@pytest.mark.parametrize(
    "text",
    [
        "## a\n:::when false\n[b](#a)\n:::\nText.\n",
        "---\nvars: {k: 1}\n---\n## a\n:::when k\n[SET k = 0]\n[b](#a)\n:::\nX.\n",
        '## a\n:::when roll(1, 2) > 1\n[x](#a "call")\n:::\nX.\n',
        '## a\n[x](#b "call")\nX.\n## b\n[SET n = 1]\n',
        "---\nvars: {k: 1}\n---\n## a\n:::when k - 'x'\n[b](#a)\n:::\nX.\n",
    ],
)
def test_what_may_change_is_no_circle(text: str) -> None:
    """A loop with a condition, a call or an error that may leave it is not reported."""
    assert [] == _list_circles(text)
