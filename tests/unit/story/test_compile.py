"""Elements are compiled to operations with the author's flow."""

from typing import TypeVar

import pytest

from saniwa.story import program as story_program
from saniwa.story.compile import BACKGROUND, compile_story
from saniwa.story.elements import (
    AskElement,
    PictureElement,
    ReturnElement,
    SayElement,
    SoundElement,
)
from saniwa.story.parser.markdown import parse_scene
from saniwa.story.player import Player
from saniwa.story.program import (
    CallOp,
    DoOp,
    EndOp,
    EnterOp,
    FallOp,
    GoOp,
    JumpOp,
    OfferOp,
    Op,
    Program,
)
from saniwa.story.step_result import Next, Say
from saniwa.story.story import parse_story

_Op = TypeVar("_Op", bound=Op)


def _compile_texts(*texts: str) -> Program:
    """The program of a story whose files are a.md, b.md and so on."""
    return compile_story(
        [parse_scene(text, f"{letter}.md") for letter, text in zip("abc", texts, strict=False)]
    )


def _list_kinds(*texts: str) -> list[type[Op]]:
    return [type(op) for op in _compile_texts(*texts).ops]


def _find_next_said(program: Program, address: int) -> str:
    """The next text from an address, without choices and conditions."""
    for _ in program.ops:
        op = program.ops[address]
        if isinstance(op, SayElement):
            return str(op.words)
        if isinstance(op, EndOp | OfferOp):
            break
        (address,) = program.list_successors(address)
    return ""


def _find_one(program: Program, kind: type[_Op]) -> _Op:
    (op,) = (op for op in program.ops if isinstance(op, kind))
    return op


def test_a_file_ends_with_an_end_that_has_no_name() -> None:
    """A file ends with an unnamed end, on the line after the last."""
    assert EndOp(2, 1, None, "") == _compile_texts("Hi.\n").ops[-1]


def test_front_matter_sets_the_stage_first() -> None:
    """The background and music of the front matter come first."""
    program = _compile_texts("---\nid: a\nbackground: bridge\nbgm: rain\n---\nHi.\n")

    assert PictureElement(1, 1, 1, "bridge", BACKGROUND) == program.ops[0]
    assert SoundElement(1, 1, 1, "bgm", "rain") == program.ops[1]


def test_a_section_can_be_fallen_into_and_is_entered() -> None:
    """A section begins with the end of the previous one; a label does not."""
    assert [SayElement, FallOp, EnterOp, SayElement, EndOp] == _list_kinds("Hi.\n## a\nHo.\n")
    assert [SayElement, EnterOp, SayElement, EndOp] == _list_kinds("Hi.\n[LABEL name=a]\nHo.\n")


@pytest.mark.parametrize(
    "link", ["[x](#the-street)", "[JUMP label=the-street]", '[JUMP label="The Street"]']
)
def test_a_label_is_found_by_name_and_by_slug(link: str) -> None:
    """A label is found by its name and by its slug."""
    program = _compile_texts(f"{link}\n## The Street\nHo.\n")

    assert program.labels["the-street"] == _find_one(program, JumpOp).to


def test_a_label_copied_from_a_browser_is_found() -> None:
    """A percent-encoded label is found."""
    program = _compile_texts("[x](#%E6%A9%8B)\n## 橋\nHo.\n")

    assert program.labels["橋"] == _find_one(program, JumpOp).to


def test_a_jump_to_nowhere_is_kept_as_such() -> None:
    """A jump to an unknown label is kept, and flow continues after it."""
    program = _compile_texts("[x](#lost)\nHi.\n")

    assert None is _find_one(program, JumpOp).to
    assert "Hi." == _find_next_said(program, 0)


def test_the_first_of_two_labels_is_the_one() -> None:
    """Of two labels with the same name, the first one is used."""
    program = _compile_texts("[x](#a)\n## a\nFirst.\n## a\nSecond.\n")

    assert "First." == _find_next_said(program, 0)


def test_arms_meet_behind_the_list() -> None:
    """Items without a jump continue after the list."""
    program = _compile_texts("- x\n  One.\n- y\n  Two.\n\nAfter.\n")
    offer = _find_one(program, OfferOp)
    after = [
        program.ops[address]
        for address in range(offer.after)
        if isinstance(program.ops[address], GoOp)
    ]

    assert ["One.", "Two."] == [_find_next_said(program, way.to) for way in offer.ways]
    assert "After." == _find_next_said(program, offer.after)
    assert [offer.after] * 2 == [op.to for op in after if isinstance(op, GoOp)]


def test_an_option_with_a_link_jumps() -> None:
    """An option with a link jumps, and has the name of its target."""
    program = _compile_texts("- [x](#a)\n- [y](#b)\n## a\nOne.\n## b\nTwo.\n")
    ways = _find_one(program, OfferOp).ways

    assert ["One.", "Two."] == [_find_next_said(program, way.to) for way in ways]
    assert ["a", "b"] == [way.heading for way in ways]


def test_cases_are_tried_in_order() -> None:
    """Cases are tested in order."""
    program = _compile_texts(":::when n\nOne.\n:::else\nTwo.\n:::\nAfter.\n")
    test = _find_one(program, story_program.IfOp)

    assert "One." == _find_next_said(program, 1)
    assert "Two." == _find_next_said(program, test.otherwise)


def test_a_case_that_came_true_skips_the_others() -> None:
    """After the first matching case the others are skipped."""
    program = _compile_texts(":::when n\n[SET a = 1]\n:::else\nTwo.\n:::\nAfter.\n")

    assert "After." == _find_next_said(program, 1)


def test_a_route_is_stepped_over() -> None:
    """A route is reached by its name only."""
    program = _compile_texts(":::route side\nAside.\n:::\nAfter.\n")

    assert "After." == _find_next_said(program, 0)
    assert "Aside." == _find_next_said(program, program.labels["side"])


def test_a_call_comes_back() -> None:
    """A link with "call" is a call, and `[RETURN]` returns."""
    program = _compile_texts('[x](#a "call")\nHi.\n## a\n[RETURN]\n')

    assert program.labels["a"] == _find_one(program, CallOp).to
    assert isinstance(program.ops[program.labels["a"] + 1], ReturnElement)


def test_what_follows_a_choice_follows_its_deed() -> None:
    """The branch and the jump follow if the action succeeds; otherwise the `refused` block does."""
    text = "- take it {do take key}\n  One.\n  :::refused\n  Two.\n  :::\n- no\n  No.\n"
    program = _compile_texts(text)
    do = _find_one(program, DoOp)
    start = program.ops.index(do)

    assert start == _find_one(program, OfferOp).ways[0].to
    assert "One." == _find_next_said(program, start + 1)
    assert "Two." == _find_next_said(program, do.otherwise)
    assert "never" == do.tells


def test_the_world_says_why_where_the_author_does_not() -> None:
    """Without a `refused` block, the world's words are shown."""
    assert "refused" == _find_one(_compile_texts("Hi. {do take key}\n"), DoOp).tells


def test_words_for_the_world_are_played_there() -> None:
    """An answer without a variable is played in the world, if there is one."""
    ask = '[ASK prompt="well?"]\n'

    assert [AskElement, EndOp] == _list_kinds(ask)
    assert [AskElement, DoOp, EndOp] == _list_kinds(f"---\nid: a\nscenario: flat\n---\n{ask}")


def test_an_authors_id_stays() -> None:
    """A line keeps the author's id."""
    program = _compile_texts("Hi. {#hello}\n")
    said = _find_one(program, SayElement)

    assert ("hello", True) == (said.id, said.named)
    assert 0 == program.ids["hello"]


def test_a_made_id_is_label_content_and_count() -> None:
    """A generated id consists of label, content hash and a counter for repeats."""
    program = _compile_texts("## a\nHi.\nBen: Hi.\n\nHi.\n## b\nHi.\n")
    ids = [op.id for op in program.ops if isinstance(op, SayElement)]

    assert ["a-", "a-", "a-", "b-"] == [id[:2] for id in ids]
    assert f"{ids[0]}-2" == ids[2]
    assert ids[0][2:] == ids[3][2:]
    assert ids[0] != ids[1]


def test_a_made_id_survives_edits_elsewhere() -> None:
    """Editing other lines does not change a generated id."""
    before = _compile_texts("## a\nHi.\n").ids
    after = _compile_texts("New.\n## a\nNewer.\n\nHi.\n").ids

    assert before.keys() <= after.keys()


def test_another_file_is_entered_by_its_name() -> None:
    """A link to a file leads to its beginning, or to a label in it."""
    program = _compile_texts("[x](b.md)\n[y](b.md#c)\n", "First.\n[z](a.md)\n## c\nSecond.\n")
    leaps = [op for op in program.ops if isinstance(op, JumpOp)]

    assert ["First.", "Second."] == [_find_next_said(program, leap.to or 0) for leap in leaps[:2]]
    assert 0 == leaps[2].to


def test_every_operation_knows_its_file() -> None:
    """Every operation has its file."""
    program = _compile_texts("Hi.\n[x](b.md)\n", "Ho.\n")
    files = [program.find_file(address) for address in range(len(program.ops))]

    assert ["a.md", "a.md", "a.md", "b.md", "b.md", "b.md"] == files


def test_a_label_in_another_file_keeps_its_own_name() -> None:
    """Equal labels in two files are different labels."""
    program = _compile_texts("[x](#c)\n## c\nMine.\n[y](b.md)\n", "[z](#c)\n## c\nTheirs.\n")
    leaps = [op for op in program.ops if isinstance(op, JumpOp)]

    assert "Mine." == _find_next_said(program, leaps[0].to or 0)
    assert "Theirs." == _find_next_said(program, leaps[2].to or 0)


def test_the_first_declaration_of_a_variable_counts() -> None:
    """Of two declarations of a variable, the first one applies."""
    program = _compile_texts(
        "---\nid: a\nvars: {n: 1}\n---\n[x](b.md)\n", "---\nid: b\nvars: {n: 2, m: 3}\n---\nHi.\n"
    )

    assert {"n": 1, "m": 3} == program.make_initial_values()


def test_every_jump_is_listed_with_its_goal() -> None:
    """Every jump, call and option is listed with its target, or None."""
    program = _compile_texts('[x](#a "call")\n- [y](#lost)\n- [z](#a)\n## a\nHi.\n')
    goals = [(link.target.label, link.to) for link in program.links]
    a = program.labels["a"]

    assert [("a", a), ("lost", None), ("a", a)] == goals


def test_the_fingerprint_is_that_of_the_text() -> None:
    """The fingerprint depends on the text."""
    assert _compile_texts("Hi.\n").fingerprint == _compile_texts("Hi.\n").fingerprint
    assert _compile_texts("Hi.\n").fingerprint != _compile_texts("Hi!\n").fingerprint


def test_a_label_of_another_file_is_no_label_of_this_one() -> None:
    """A jump without a file name finds labels of its own file only."""
    program = _compile_texts("[x](#k)\n[y](b.md)\n", "## k\nTheirs.\n")

    assert [None] == [link.to for link in program.links if link.target.label == "k"]


def test_lines_that_repeat_have_ids_of_their_own() -> None:
    """Repeated lines get different ids in linear time."""
    program = _compile_texts("Yes.\n\n" * 5_000)

    assert 5_000 == len({op.id for op in program.ops if isinstance(op, SayElement)})


def _read_story_lines(text: str) -> list[str]:
    """All lines of a story without choices."""
    player = Player(parse_story(text).program)
    said: list[str] = []
    while (step := player.step()).next is not Next.HALT:
        said += [each.args.text for each in step.directives if isinstance(each, Say)]
    return said


@pytest.mark.parametrize(
    ("jumps", "first", "asked"),
    [
        (False, "", "cmp=ne value=1"),
        (False, "", "cmp=eq value=0"),
        (False, "", "cmp=lt value=3"),
        (False, "[SET n = 'x']", "cmp=ne value=1"),
        (False, "[SET n = 'a']", "cmp=lt value=b"),
        (False, "[SET n = true]", "cmp=ge value=false"),
        (True, "[SET n = 2]", "cmp=ne value=1"),
        (True, "[SET n = 2]", "cmp=lt value=3"),
        (True, "[SET n = 'a']", "cmp=ne value=b"),
        (True, "[SET n = false]", "cmp=eq value=false"),
    ],
)
def test_an_old_jump_asks_as_it_always_did(jumps: bool, first: str, asked: str) -> None:
    """The old conditional jump is false for an unset variable and for other types."""
    text = f"{first}\n[JUMP_IF var=n {asked} label=a]\nStayed.\n\n## a\n"

    assert ([] if jumps else ["Stayed."]) == _read_story_lines(text)


@pytest.mark.parametrize(
    ("shown", "first"),
    [("3", "[SET n = 1]"), ("2", ""), ("x", "[SET n = 'x']"), ("true", "[SET n = true]")],
)
def test_an_old_change_of_what_is_not_a_number_changes_nothing(shown: str, first: str) -> None:
    """The old MODIFY leaves a value that is not a number, and counts an unset one as 0."""
    assert [shown] == _read_story_lines(f"{first}\n[MODIFY name=n op=add value=2]\n{{n}}\n")


def test_a_click_reaches_the_program() -> None:
    """The program keeps clicks for the player."""
    program = parse_story("Hi.[c]\n- a\n- b\n").program

    assert [True] == [op.click for op in program.ops if isinstance(op, SayElement)]
