from collections.abc import Callable

import pytest

from saniwa.core.errors import ScriptError
from saniwa.story import player as story_player
from saniwa.story.player import Player, RequestOutcome
from saniwa.story.step_builder import WorldRequest
from saniwa.story.step_result import Next, Wait
from saniwa.story.value_operations import Value
from tests.fakes.stories import LAMP, make_player, parse_story_text, play_steps, render_steps


def test_a_line_waits_for_the_reader() -> None:
    """A line ends its step, which has the directives before it."""
    reader = make_player("[PLAY_BGM name=rain]\n[CLEAR_LAYER layer=bg]\nBen: Hello.")

    step = reader.step()

    assert Next.WAIT_USER == step.next
    assert ["PlayBgm", "ClearLayer", "Say"] == [type(each).__name__ for each in step.directives]


def test_a_choice_right_after_a_line_shares_its_step() -> None:
    """A choice directly after a line is in the same step."""
    reader = make_player("ハル: どっちに行く？\n- [右へ](#r)\n- [左へ](#l)\n## r\nA\n## l\nB")

    step = reader.step()

    assert Next.WAIT_BRANCH == step.next
    assert ["ハル: どっちに行く？", "[右へ / 左へ]"] == render_steps([step])


@pytest.mark.parametrize("between", ["[SET n = 1]", "[LABEL name=k]", "[on](#k)\n## k", "## k"])
def test_what_no_host_sees_does_not_part_a_line_from_its_choice(between: str) -> None:
    """Variables, labels and jumps do not separate a line from its choice."""
    reader = make_player(f"Ben: Well?\n{between}\n- [a](#x)\n- [b](#x)\n## x\n{{n}}")

    assert Next.WAIT_BRANCH == reader.step().next


@pytest.mark.parametrize("between", ["[PLAY_SE name=x]", "[WAIT 1s]", ":::when m\nHm.\n:::"])
def test_what_a_host_may_see_parts_a_line_from_its_choice(between: str) -> None:
    """A directive, a pause or a condition separates a line from its choice."""
    reader = make_player(f"Ben: Well?\n{between}\n- [a](#x)\n- [b](#x)\n## x\nEnd.")

    assert Next.WAIT_USER == reader.step().next


def test_the_last_line_of_a_called_section_returns_before_anything_is_asked() -> None:
    """The last line of a called section is shown before the call returns."""
    text = '[c](#k "call")\nBack. <!-- ending: e -->\n## k\nIn.\n## next\n- [a](#k)\n- [b](#k)'

    assert ["In.", "Back.", "(e)"] == render_steps(play_steps(make_player(text)))


def test_a_line_is_reported_before_what_follows_it_fails() -> None:
    """If a choice fails, the line before it is still shown."""
    reader = make_player("Ben: Well?\n- a {if 1 / n}\n  A.\n- b\n  B.\n\n[SET n = 0]")

    assert ["Ben: Well?"] == render_steps([reader.step()])
    with pytest.raises(ScriptError) as caught:
        reader.step()
    assert "EXPRESSION_FAILED" == caught.value.code


def test_the_stage_is_set_before_the_end() -> None:
    """Directives after the last line are a step of their own, before the empty end."""
    steps = play_steps(make_player("One.\n[PLAY_BGM name=x]"))

    assert [("WaitUser", 1), ("Next", 1), ("Halt", 0)] == [
        (step.next, len(step.directives)) for step in steps
    ]


def test_a_pause_continues_by_itself() -> None:
    """A pause ends its step with NEXT."""
    step = make_player("[WAIT 1.5s]\nHello.").step()

    assert (Next.NEXT, (Wait.build(1.5),)) == (step.next, step.directives)


def test_the_end_is_the_end_for_ever() -> None:
    """After the end there are only empty HALT steps."""
    reader = make_player("Hello.")
    reader.step()

    assert [(Next.HALT, ())] * 3 == [
        (step.next, step.directives) for step in (reader.step() for _ in range(3))
    ]


def test_an_ending_is_named_once() -> None:
    """The step that ends the story names the ending, and later ones do not."""
    reader = make_player("Hello. <!-- ending: dawn -->")

    assert ["Hello.", "(dawn)"] == render_steps(play_steps(reader))
    assert () == reader.step().directives


def test_a_question_is_repeated_until_it_is_answered() -> None:
    """A step without choosing shows the same choice again."""
    reader = make_player("Well?\n- [a](#x)\n- [b](#x)\n## x\nEnd.")

    assert [reader.step()] * 3 == [reader.step() for _ in range(3)]


@pytest.mark.parametrize("index", [-1, 2, 99])
def test_a_wrong_choice_changes_nothing(index: int) -> None:
    """A choice out of range is an error with the range, and the question stays open."""
    reader = make_player("Well?\n- [a](#x)\n- [b](#x)\n## x\nEnd.")
    asked = reader.step()

    with pytest.raises(ScriptError, match=r"out of range \(0-1\)") as caught:
        reader.choose(index)

    assert "CHOICE_OUT_OF_RANGE" == caught.value.code
    assert asked == reader.step()


def test_a_choice_that_was_not_offered_is_refused() -> None:
    """A choice without options is an error."""
    reader = make_player("Hello.")
    reader.step()

    with pytest.raises(ScriptError, match="No choices available") as caught:
        reader.choose(0)

    assert "CHOICE_NOT_AWAITED" == caught.value.code


def test_a_disabled_option_is_shown_and_cannot_be_chosen() -> None:
    """A disabled option counts in the numbering and cannot be chosen."""
    reader = make_player(LAMP)
    reader.step(), reader.step()
    asked = reader.step()

    with pytest.raises(ScriptError) as caught:
        reader.choose(1)

    assert "CHOICE_DISABLED" == caught.value.code
    assert asked == reader.step()


def test_arms_meet_after_the_list() -> None:
    """After any option, the story continues after the list."""
    text = "Well?\n- One\n  First.\n- Two\n  Second.\n\nTogether."

    assert ["Well?", "[One / Two]", "First.", "Together."] == render_steps(
        play_steps(make_player(text), [0])
    )
    assert ["Well?", "[One / Two]", "Second.", "Together."] == render_steps(
        play_steps(make_player(text), [1])
    )


def test_lists_may_be_inside_arms() -> None:
    """A list under an item is shown, and the story continues after the outer list."""
    text = "A?\n- One\n  B?\n  - In\n    Inner.\n  - Out\n    Outer.\n- Two\n  Second.\n\nEnd."

    assert ["A?", "[One / Two] B? [In / Out] Outer. End."][0] == "A?"
    assert ["A?", "[One / Two]", "B?", "[In / Out]", "Outer.", "End."] == render_steps(
        play_steps(make_player(text), [0, 1])
    )


def test_a_fallback_is_taken_when_nothing_else_is_left() -> None:
    """A fallback is not shown, and is taken when no option is left."""
    text = """\
        ## here
        Well?
        - Ask {once}
          Answer.
        - [Leave](#away) {else}
        [again](#here)
        ## away
        Gone. <!-- ending: away -->
        """

    assert ["Well?", "[Ask]", "Answer.", "Well?", "Gone.", "(away)"] == render_steps(
        play_steps(make_player(text), [0])
    )


def test_without_a_fallback_flow_continues() -> None:
    """A choice without an option and a fallback is skipped."""
    text = "Well?\n- Ask {if false}\n  Answer.\n- Beg {if false}\n  No.\n\nOn."

    assert ["Well?", "On."] == render_steps(play_steps(make_player(text)))


def test_a_called_section_comes_back() -> None:
    """A called section returns at its end, where the next section begins."""
    text = '[the map](#map "call")\nBack.\n[x](#end)\n## map\nA map.\n## end\nEnd.'

    assert ["A map.", "Back.", "End."] == render_steps(play_steps(make_player(text)))


def test_a_call_may_return_early() -> None:
    """`[RETURN]` returns at once."""
    text = "[CALL label=map]\nBack. <!-- ending: e -->\n## map\nA map.\n[RETURN]\nNever."

    assert ["A map.", "Back.", "(e)"] == render_steps(play_steps(make_player(text)))


def test_the_end_of_the_file_returns_from_a_call() -> None:
    """A called section returns at the end of the file."""
    text = '[the map](#map "call")\nBack. <!-- ending: e -->\n## map\nA map.'

    assert ["A map.", "Back.", "(e)"] == render_steps(play_steps(make_player(text)))


def test_endless_recursion_of_calls_is_an_error() -> None:
    """Endless recursion is an error with its place."""
    text = '## here\nHere.\n[in](#here "call")\n'
    reader = make_player(text)

    with pytest.raises(ScriptError) as caught:
        play_steps(reader, most=5_000)

    assert "CALLS_TOO_DEEP" == caught.value.code
    assert "story.md:3" in str(caught.value.where)


def test_a_jump_to_nowhere_is_skipped() -> None:
    """A jump to an unknown label is skipped."""
    assert ["On."] == render_steps(play_steps(make_player("[away](#nowhere)\nOn.")))


def test_a_circle_without_a_wait_is_stopped_with_its_lines() -> None:
    """A loop without a wait is an error with its lines."""
    text = "Start.\n## a\n[SET n += 1]\n:::when n > 0\n[b](#b)\n:::\nRest.\n## b\n[a](#a)"
    reader = make_player(text)
    reader.step()
    before = reader.variables

    with pytest.raises(ScriptError) as caught:
        reader.step()

    assert "LOOP_WITHOUT_WAIT" == caught.value.code
    assert {3, 4, 9} <= set(caught.value.details["lines"])
    assert before == reader.variables


def test_what_cannot_be_worked_out_leaves_the_story_where_it_was() -> None:
    """A step that fails changes neither variables nor position."""
    text = "---\nvars: {n: 0}\n---\nStart.\n[SET n = 1]\n[SET n = 1 / (n - 1)]\nEnd."
    reader = make_player(text)
    reader.step()

    for _ in range(2):
        with pytest.raises(ScriptError) as caught:
            reader.step()
        assert ("EXPRESSION_FAILED", 6) == (
            caught.value.code,
            caught.value.where and caught.value.where.line,
        )
    assert 0 == reader.variables["n"]


@pytest.mark.parametrize(
    "line", ["{1 / n}", "- a {if 1 / n}\n  A.\n- b\n  B.", ":::when 1 / n\nA.\n:::"]
)
def test_every_expression_that_fails_has_its_place(line: str) -> None:
    """The error of an expression has its file and line."""
    reader = make_player(f"[SET n = 0]\n\n{line}\n\nEnd.")

    with pytest.raises(ScriptError) as caught:
        play_steps(reader)

    assert str(caught.value.where).startswith("story.md:3:")


def test_the_same_choices_give_the_same_bytes() -> None:
    """The same seed and choices give the same bytes."""
    text = "{~a|b|c|d} {roll(1,1000)}\n- x\n  {roll(1,9)}\n- y\n  {~p|q}\n\nEnd {roll(1,6)}."
    first, second = (
        [step.to_json() for step in play_steps(make_player(text, seed=7), [0])] for _ in range(2)
    )

    assert first == second


def test_another_seed_gives_another_chance() -> None:
    """Another seed gives other random results."""
    text = "{roll(1,1000000)}"

    assert render_steps(play_steps(make_player(text, seed=1))) != render_steps(
        play_steps(make_player(text, seed=2))
    )


def test_going_back_shows_the_step_before_again() -> None:
    """Going back restores position, variables, counts and random state."""
    reader = make_player(LAMP)
    steps = [reader.step() for _ in range(2)]
    reader.choose(0)
    steps += [reader.step() for _ in range(2)]

    assert steps[2] == reader.back()
    assert steps[1] == reader.back()
    assert (0, ()) == (reader.variables["trust"], reader.choices)
    reader.choose(0)
    assert steps[2:] == [reader.step() for _ in range(2)]


def test_going_back_several_steps_is_the_same_as_one_by_one() -> None:
    """`back(3)` equals three single steps back."""
    reader = make_player(LAMP)
    steps = [reader.step() for _ in range(2)]
    reader.choose(0)
    reader.step()

    assert steps[0] == reader.back(2)
    assert steps[1:] == [reader.step()]


def test_before_the_beginning_there_is_nothing() -> None:
    """Going back at the first step returns None and changes nothing."""
    reader = make_player(LAMP)
    first = reader.step()

    assert [None, None, None] == [reader.back(), reader.back(0), reader.back(5)]
    assert [first] == list(reader.backlog)
    assert "You came back." in render_steps([reader.step()])[0]


def test_the_end_can_be_taken_back() -> None:
    """Going back works after the end."""
    reader = make_player("One.\n\nTwo.")
    steps = play_steps(reader)

    assert [steps[1], "step"] == [reader.back(), reader.waiting]


def test_the_backlog_is_what_was_shown() -> None:
    """The backlog has everything shown, oldest first, without what was undone."""
    reader = make_player("One.\n\nTwo.\n\nThree.")
    steps = [reader.step() for _ in range(3)]
    reader.back()

    assert steps[:2] == list(reader.backlog)


def test_the_record_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of recorded steps is limited."""
    monkeypatch.setattr(story_player, "RECORD", 5)
    reader = make_player("## a\nOne.\n\nTwo.\n[again](#a)")
    for _ in range(50):
        reader.step()

    assert 5 == len(reader.backlog)


def test_skipping_stops_at_the_first_new_line() -> None:
    """Skipping passes seen lines, and stops at the first new line or a choice."""
    text = (
        "## a\nOne.\n\nTwo.\n- Again {once}\n  Sure.\n- [On](#b)\n[again](#a)\n## b\nNew.\n\nNewer."
    )
    reader = make_player(text)
    reader.step(), reader.step()
    reader.choose(0)
    reader.step()

    assert ["One.", "Two.", "[On]"] == render_steps(list(reader.skip()))
    assert [] == list(reader.skip())
    reader.choose(0)
    assert ["New."] == render_steps(list(reader.skip()))


def test_skipping_ends_in_a_story_that_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skipping a loop of seen lines ends."""
    monkeypatch.setattr(story_player, "MOST_SKIPPED", 50)
    reader = make_player("## a\nHello.\n[again](#a)")
    reader.step()

    assert 50 == len(list(reader.skip()))


def test_lines_seen_by_an_earlier_player_count_as_seen() -> None:
    """The `seen_ids` of an earlier player can be given to a new one."""
    first = make_player("One.\n\nTwo.\n\nThree.")
    first.step(), first.step()
    second = make_player("One.\n\nTwo.\n\nThree.")
    second.mark_seen(first.list_seen_ids() | {"unknown"})

    assert ["One.", "Two.", "Three."] == render_steps(list(second.skip()))


def test_an_answer_is_kept_in_its_variable() -> None:
    """An answer is stored in its variable."""
    reader = make_player('[ASK prompt="Your name?" name=you]\nHello, {you}!')

    assert ["<Your name?>", "Hello, Mia!"] == render_steps(play_steps(reader, ["Mia"]))


def test_an_answer_is_text_and_never_an_expression() -> None:
    """Braces and brackets in an answer are shown as typed."""
    reader = make_player('[ASK prompt="Name?" name=you]\nHello, {you}!')

    assert (
        "Hello, {roll(1,6)} [SET x = 1]!"
        == render_steps(play_steps(reader, ["{roll(1,6)} [SET x = 1]"]))[-1]
    )


def test_a_very_long_answer_is_cut() -> None:
    """A very long answer is cut."""
    reader = make_player('[ASK prompt="Name?" name=you]\nHello, {you}!')
    reader.step()
    reader.answer("x" * 1_000_000)

    assert 10_000 == len(str(reader.variables["you"]))


def test_an_answer_that_is_not_text_is_refused() -> None:
    """An answer with an unpaired surrogate is refused."""
    reader = make_player('[ASK prompt="Name?" name=you]\nHello.')
    asked = reader.step()

    with pytest.raises(ScriptError) as caught:
        reader.answer("\ud800")

    assert "TEXT_UNREADABLE" == caught.value.code
    assert asked == reader.step()


def test_words_may_be_offered_next_to_choices() -> None:
    """Free words may be offered along with options."""
    text = "Well?\n- Go\n  You go.\n- Something else {ask}\n  You said {heard}.\n\nEnd."

    assert ["Well?", "[Go]", "<Something else>", "You go.", "End."] == render_steps(
        play_steps(make_player(text), [0])
    )
    assert ["Well?", "[Go]", "<Something else>", "You said hi.", "End."] == render_steps(
        play_steps(make_player(text), ["hi"])
    )


def test_an_answer_without_a_question_is_refused() -> None:
    """Answers and outcomes are refused if none is awaited."""
    reader = make_player("Hello.")
    reader.step()
    calls: list[Callable[[], None]] = [
        lambda: reader.answer("x"),
        lambda: reader.settle(RequestOutcome(allowed=True)),
    ]

    for call in calls:
        with pytest.raises(ScriptError) as caught:
            call()
        assert "ANSWER_NOT_AWAITED" == caught.value.code


GROUND = "---\nid: s\nscenario: door_and_key\n---\n"


class _OneFlagFacts:
    """A world with one flag."""

    def look_up_fact(self, name: str, given: tuple[Value, ...]) -> Value:
        """True for the flag `lit`."""
        return (name, given) == ("flag", ("lit",))


def _make_world_player(text: str) -> Player:
    return Player(parse_story_text(GROUND + text).program, facts=_OneFlagFacts())


def test_a_deed_is_requested_and_its_outcome_branches() -> None:
    """An action is a request to the world, and its outcome selects the branch."""
    text = ":::do take the key\nYou have it.\n:::refused\nIt will not move.\n:::\nEnd."
    lines = []
    for outcome in (RequestOutcome(allowed=True), RequestOutcome(allowed=False, reason="LOCKED")):
        reader = _make_world_player(text)
        assert WorldRequest("take the key", spoken=False) == reader.advance()
        assert "world" == reader.waiting
        reader.settle(outcome)
        lines.append(render_steps(play_steps(reader)))

    assert [["You have it.", "End."], ["It will not move.", "End."]] == lines


def test_a_refusal_is_reported_by_the_world_where_the_author_does_not() -> None:
    """Without a `refused` block the world's reason is shown."""
    text = "- Take it {do take key}\n  You have it.\n- Leave it\n  You leave.\n\nEnd."
    reader = _make_world_player(text)
    reader.step()
    reader.choose(0)
    reader.advance()
    reader.settle(RequestOutcome(False, "LOCKED", (("", "It is locked."),)))

    assert ["It is locked.", "End."] == render_steps(play_steps(reader))
    assert (False, "LOCKED") == (reader.variables["allowed"], reader.variables["reason"])


def test_a_jump_follows_only_if_its_deed_came_true() -> None:
    """A jump with an action follows only if the action succeeds."""
    text = (
        "- [Go](#hall) {do go north}\n- Stay\n  Still.\n\nHere. <!-- ending: e -->\n## hall\nHall."
    )
    reader = _make_world_player(text)
    reader.step()
    reader.choose(0)
    reader.advance()
    reader.settle(RequestOutcome(False, "LOCKED", (("", "The door is shut."),)))

    assert ["The door is shut.", "Here.", "(e)"] == render_steps(play_steps(reader))


def test_own_words_are_played_in_the_world_and_always_described() -> None:
    """Free words go to the world, and its narration is shown."""
    reader = _make_world_player('[ASK prompt="What do you do?"]\nEnd.')
    reader.step()
    reader.answer("look around")

    assert WorldRequest("look around", spoken=True) == reader.advance()
    reader.settle(RequestOutcome(True, "", (("", "A room."), ("Ben", "Hm."))))
    assert ["A room.", "Ben: Hm.", "End."] == render_steps(play_steps(reader))


def test_conditions_ask_the_world() -> None:
    """Conditions read the world's facts."""
    text = ':::when flag("lit")\nLight.\n:::else\nDark.\n:::\n'

    assert ["Light."] == render_steps(play_steps(_make_world_player(text)))


def test_a_story_that_needs_a_world_says_so() -> None:
    """Without a world, an action or a fact is an error with its place."""
    for text in (":::do take key\nA.\n:::", ':::when flag("lit")\nA.\n:::'):
        reader = Player(parse_story_text(GROUND + text).program)
        with pytest.raises(ScriptError) as caught:
            reader.step()
        assert "WORLD_MISSING" == caught.value.code
        assert "story.md" in str(caught.value.where)


def test_stage_directions_before_a_deed_are_shown_first() -> None:
    """Directives before an action are a step of their own."""
    reader = _make_world_player("[PLAY_SE name=click]\n:::do take key\nYou have it.\n:::\n")

    step = reader.advance()

    assert not isinstance(step, WorldRequest)
    assert Next.NEXT == step.next
    assert isinstance(reader.advance(), WorldRequest)


def test_every_operation_makes_a_step_in_the_old_batching() -> None:
    """With `batch="command"`, every label and jump is a step of its own."""
    text = "[LABEL name=a]\n[SAY speaker=Hero]\nHi.\n\n[WAIT 1s]\n[JUMP label=b]\nNo.\n\n[LABEL name=b]\n[SET n = 1]\n"
    steps = play_steps(make_player(text, batch="command"))

    assert [
        ("Next", ["ReachedLabel"]),
        ("WaitUser", ["Say"]),
        ("WaitUser", ["Wait"]),
        ("Next", ["JumpTo"]),
        ("Next", ["ReachedLabel"]),
        ("Next", []),
        ("Halt", []),
    ] == [(s.next, [type(d).__name__ for d in s.directives]) for s in steps]


def test_annotation_puts_ids_and_sources_on_everything() -> None:
    """With annotation every directive has its id and source."""
    (say,) = make_player("\nBen: Hello.", annotate=True).step().to_document()["directives"]

    assert {"file": "story.md", "line": 2, "column": 1} == say["args"]["source"]
    assert say["args"]["id"]
