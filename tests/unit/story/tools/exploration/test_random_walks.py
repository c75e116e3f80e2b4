from time import process_time

import msgspec
import pytest

from saniwa.core.errors import ScriptError
from saniwa.story.player import Player
from saniwa.story.program import Program
from saniwa.story.story import parse_story
from saniwa.story.tools.autoplay import MomentComparer, StoryDecision
from saniwa.story.tools.random_tests import (
    ANSWERS,
    CoverageCount,
    RandomTestReport,
    RandomWalk,
    replay_decisions,
    run_random_tests,
    run_random_walks,
    shrink_failure,
)
from tests.fakes.stories import LONG_SILENCE

DEEP = """\
---
vars: {n: 0}
---
# Deep
## hub
Hub {n}.
- Look
  A wall.
- Left
  [SET n += 1]
- Right
  [SET n += 2]
- Press {if n >= 4}
  [SET n = n / (n - 4)]
- [Out](#out)
[hub](#hub)
## out
Bye. <!-- ending: out -->
"""


def _run_walks(text: str, walks: int = 100, seed: int = 0, most: int = 200) -> RandomTestReport:
    return run_random_tests(parse_story(text).program, walks=walks, seed=seed, most=most)


def test_the_same_seed_walks_the_same_ways() -> None:
    """The same story and seed give the same walks."""
    assert msgspec.json.encode(_run_walks(DEEP)) == msgspec.json.encode(_run_walks(DEEP))


def test_another_seed_walks_other_ways() -> None:
    """Another seed gives other walks."""
    assert _run_walks(DEEP, walks=20).steps != _run_walks(DEEP, walks=20, seed=1000).steps


def test_a_failing_walk_is_made_as_short_as_it_goes() -> None:
    """A failing walk is reduced to the fewest choices, with seed 0 if possible."""
    (failure,) = _run_walks(DEEP).failures

    assert "EXPRESSION_FAILED" == failure.code
    assert (3, 3, 4) == failure.choices
    assert (0, "story.md:14:14") == (failure.seed, failure.where)


def test_what_was_shrunk_still_fails() -> None:
    """A player that takes the reduced choices meets the same error."""
    program = parse_story(DEEP).program
    (failure,) = run_random_tests(program, walks=100, seed=0, most=200).failures
    taken = tuple(StoryDecision("choice", number, "") for number in failure.choices)

    found = replay_decisions(program, MomentComparer(program), seed=0, taken=taken, most=200)

    assert found is not None
    assert failure.code == found.code


def _replay_failed(program: Program, numbers: list[int]) -> RandomWalk:
    taken = tuple(StoryDecision("choice", number, "") for number in numbers)
    failure = replay_decisions(program, MomentComparer(program), seed=0, taken=taken, most=10_000)
    assert isinstance(failure, ScriptError)
    return RandomWalk(seed=0, taken=taken, steps=0, failure=failure)


def test_a_long_detour_is_left_out() -> None:
    """Sixty useless choices are left out."""
    program = parse_story(DEEP).program
    numbers = [1] * 30 + [3] + [1] * 30 + [3, 4]

    _, taken = shrink_failure(program, _replay_failed(program, numbers), 10_000, 0)

    assert [3, 3, 4] == [each.number for each in taken]


def test_what_only_an_answer_leads_to_is_made_short_too() -> None:
    """If only an answer leads to the failure, choices are still left out."""
    program = parse_story(
        '---\nvars: {n: 0, w: ""}\n---\n# T\n[ASK prompt="?" name=w]\n## hub\nHub.\n'
        '- Look\n  A wall.\n- Press {if w == "yes"}\n  [SET n = 1 / n]\n[hub](#hub)\n'
    ).program
    taken = (StoryDecision("answer", 0, "yes"), *[StoryDecision("choice", 1, "")] * 40)
    taken = (*taken, StoryDecision("choice", 2, ""))
    failure = replay_decisions(program, MomentComparer(program), seed=0, taken=taken, most=10_000)
    failed = RandomWalk(seed=0, taken=taken, steps=0, failure=failure)

    _, least = shrink_failure(program, failed, 10_000, 0)

    assert [("yes", 0), ("", 2)] == [(each.text, each.number) for each in least]


def test_smaller_numbers_are_preferred() -> None:
    """Of two options that fail alike, the first is reported."""
    program = parse_story(
        "---\nvars: {n: 0}\n---\n# T\n- A\n- B\n- C\nAll.\n[SET n = 1 / n]\nEnd {n}.\n"
    ).program

    _, taken = shrink_failure(program, _replay_failed(program, [3]), 100, 0)

    assert [1] == [each.number for each in taken]


def test_another_way_that_is_shorter_is_found() -> None:
    """A shorter path than the walk's own is found."""
    program = parse_story(
        "---\nvars: {n: 0}\n---\n# T\n- [Long](#long)\n- [Short](#crash)\n"
        "## long\nLong.\n- [On](#longer)\n## longer\nLonger.\n- [On](#crash)\n"
        "## crash\n[SET n = 1 / n]\nEnd {n}.\n"
    ).program

    _, taken = shrink_failure(program, _replay_failed(program, [1, 1, 1]), 100, 0)

    assert [2] == [each.number for each in taken]


def test_chance_that_matters_keeps_its_seed() -> None:
    """If the failure depends on random results, its seed is kept."""
    text = (
        "---\nvars: {n: 0}\n---\n# T\nRoll.\n- Go\n  [SET n = roll(1, 4)]\n"
        "  [SET n = 1 / (n - 1)]\nEnd {n}.\n"
    )
    (failure,) = _run_walks(text).failures
    player = Player(parse_story(text).program, seed=failure.seed)
    player.step()
    player.choose(0)

    assert (1,) == failure.choices
    with pytest.raises(Exception, match="divided by zero"):
        player.step()


def test_lines_that_come_again_for_ever_fail() -> None:
    """A walk in a loop of the same lines fails before its steps run out."""
    (failure,) = _run_walks("# T\n- [In](#a)\n- Out\n## a\nA.\n\nB.\n[a](#a)\n").failures

    assert ("STORY_CIRCLES", (1,)) == (failure.code, failure.choices)


def test_a_long_story_without_choices_is_no_failure() -> None:
    """Many different lines in a row are not a loop."""
    text = "# T\n" + "\n\n".join(f"Line {n}." for n in range(300))

    assert () == _run_walks(text, walks=2, most=100).failures


def test_what_was_reached_is_counted_and_the_rest_is_named() -> None:
    """Reached lines, options, sections and endings are counted, and the others listed."""
    reach = _run_walks(
        "# T\nStart.\n- [On](#on)\n- [Never](#never) {if false}\n"
        "## on\nOn. <!-- ending: on -->\n## never\nNever. <!-- ending: never -->\n"
    ).reach

    parts = [reach.lines, reach.options, reach.sections, reach.endings]
    assert [(2, 3), (1, 2), (1, 2), (1, 2)] == [(p.reached, p.total) for p in parts]
    assert ["story.md:8:1", "story.md:4:1", "story.md:7:1", "story.md:8:8"] == [
        _find_missed(part) for part in parts
    ]


def _find_missed(part: CoverageCount) -> str:
    (missed,) = part.missed
    return missed.where


def test_a_fallback_that_is_taken_by_itself_counts_as_reached() -> None:
    """A fallback that was taken counts as reached."""
    reach = _run_walks(
        "# T\n## hub\nHub.\n- One {once}\n  One.\n  [hub](#hub)\n- [Out](#out) {else}\n"
        "## out\nOut. <!-- ending: out -->\n"
    ).reach

    assert (2, 2) == (reach.options.reached, reach.options.total)


def test_questions_get_every_kind_of_answer() -> None:
    """Questions get empty, normal, very long and control character answers, without a failure."""
    result = _run_walks('# T\n[ASK prompt="?" name=n]\n{n}\n', walks=60)

    assert () == result.failures
    assert result.ended == 60
    assert any(not answer for answer in ANSWERS)
    assert any(len(answer) > 10_000 for answer in ANSWERS)
    assert any("\x1b" in answer for answer in ANSWERS)


def test_an_answer_that_fails_is_reported_and_the_simplest_is() -> None:
    """If any text fails as an answer, the empty one is reported."""
    (failure,) = _run_walks('# T\n[ASK prompt="?" name=n]\n[SET n = n * 2]\n{n}\n').failures

    assert ((), ("",)) == (failure.choices, failure.answers)


def test_deeds_come_true_or_not_by_chance() -> None:
    """Without a world, actions succeed or fail at random, which is noted."""
    result = _run_walks(
        "---\nid: t\nscenario: door_and_key\n---\n# T\n"
        ":::do take the key\nDone. <!-- ending: done -->\n:::refused\n"
        "No. <!-- ending: no -->\n:::\n"
    )

    assert (2, 2) == (result.reach.endings.reached, result.reach.endings.total)
    assert result.notes


def test_facts_are_true_or_not_by_chance() -> None:
    """Without a world, facts are true or false at random."""
    result = _run_walks(
        "---\nid: t\nscenario: door_and_key\n---\n# T\n"
        ':::when place("me") == "hall"\nHall. <!-- ending: hall -->\n:::else\n'
        "Elsewhere. <!-- ending: elsewhere -->\n:::\n"
    )

    assert (2, 2) == (result.reach.endings.reached, result.reach.endings.total)


def test_silence_makes_a_walk_shorter() -> None:
    """A hundred operations without output count as a step."""
    (found,) = run_random_walks(parse_story(LONG_SILENCE).program, count=1, seed=1, most=300)

    assert 5 > len(found.taken)
    assert not found.ended


def test_a_silent_circle_is_walked_once_and_not_in_every_walk() -> None:
    """A silent loop is detected once for all walks, and every walk fails."""
    text = "---\nvars: {n: 0}\n---\n## a\n- x {if n > 5}\n- y {once}\n\n[a](#a)\n"
    program = parse_story(text).program
    begun = process_time()
    found = list(run_random_walks(program, count=2_000, seed=0, most=1_000))

    assert {"LOOP_WITHOUT_WAIT"} == {each.failure.code for each in found if each.failure}
    assert 2_000 == sum(each.failure is not None for each in found)
    # Detecting each loop takes about a tenth of a second.
    assert process_time() - begun < 20
