import pytest

from saniwa.story.elements import (
    AskElement,
    AssignElement,
    ChoiceElement,
    ClearElement,
    DoElement,
    Element,
    EndingElement,
    EventElement,
    JumpElement,
    LabelElement,
    LinkTarget,
    PauseElement,
    PictureElement,
    ReturnElement,
    SayElement,
    SoundElement,
    WhenElement,
)
from saniwa.story.parser.markdown import parse_scene
from tests.fakes.scenes import list_codes, parse_block


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (PictureElement(1, 1, 1, "x", "main", 18), "[SHOW_IMAGE file=x]"),
        (PictureElement(1, 1, 1, "x", "bg", 19), '[SHOW_IMAGE name="x" layer=bg]'),
        (ClearElement(1, 1, 1, "bg"), "[CLEAR_LAYER layer=bg]"),
        (SoundElement(1, 1, 1, "bgm", "x", 16), "[PLAY_BGM name=x]"),
        (SoundElement(1, 1, 1, "bgm", "x", 18), "[PLAY_MUSIC file=x]"),
        (SoundElement(1, 1, 1, "se", "x", 15), "[PLAY_SE file=x]"),
        (SoundElement(1, 1, 1, "movie", "x", 18), "[PLAY_MOVIE name=x]"),
        (PauseElement(1, 1, 1, 1.5), "[WAIT 1.5s]"),
        (PauseElement(1, 1, 1, 1.5), "[WAIT 1.5]"),
        (PauseElement(1, 1, 1, 1.5), "[WAIT secs=1.5]"),
        (PauseElement(1, 1, 1, 2.0), "[WAIT seconds=2]"),
        (PauseElement(1, 1, 1, 0.5), "[WAIT duration=500ms]"),
        (LabelElement(1, 1, 1, "a", "label", 13), "[LABEL name=a]"),
        (JumpElement(1, 1, 1, LinkTarget("a", "", 1, 13), False, "JUMP"), "[JUMP label=a]"),
        (
            JumpElement(1, 1, 1, LinkTarget("a", "b.md", 1, 18), False, "JUMP"),
            "[JUMP label=b.md#a]",
        ),
        (JumpElement(1, 1, 1, LinkTarget("a", "", 1, 13), True, "CALL"), "[CALL label=a]"),
        (ReturnElement(1, 1, 1), "[RETURN]"),
        (EndingElement(1, 1, 1, "x", "The End", "ENDING"), "[ENDING id=x name=The End]"),
        (EndingElement(1, 1, 1, "x", "", "END"), "[END id=x]"),
        (EventElement(1, 1, 1, "x", (("any", "thing"),)), "[EVENT name=x any=thing]"),
        (EventElement(1, 1, 1, "x"), "[EMIT_EVENT name=x]"),
        (
            EventElement(1, 1, 1, "SHOW_TEXT_EFFECT", (("effect", "shake"),)),
            "[SHOW_TEXT_EFFECT effect=shake]",
        ),
        (AskElement(1, 1, 1, "Your name?", "n", 31), '[ASK prompt="Your name?" name=n]'),
        (AskElement(1, 1, 1, "What now?"), '[ASK prompt="What now?"]'),
        (DoElement(1, 1, 1, "take key"), "[DO take key]"),
    ],
)
def test_what_a_command_becomes(expected: Element, text: str) -> None:
    """Each command is one element, with the place of its name."""
    assert (expected,) == parse_block(text)
    assert [] == list_codes(text)


@pytest.mark.parametrize(
    ("name", "operator", "worth", "old", "text"),
    [
        ("n", "=", "1", "", "[SET n = 1]"),
        ("n", "+=", "1", "", "[SET n += 1]"),
        ("n", "+=", "1", "", "[SET n+=1]"),
        ("n", "-=", "m * 2", "", "[SET n -= m * 2]"),
        ("flag", "=", "TRUE", "", "[SET flag=TRUE]"),
        ("name", "=", '"Ben"', "", '[SET name = "Ben"]'),
        ("n", "=", "3", "SET", "[SET name=n value=3]"),
        ("n", "=", '"some words"', "SET", "[SET name=n value=some words]"),
        ("n", "=", "true", "SET", "[SET name=n, value=True]"),
        ("n", "+=", "1", "MODIFY", "[MODIFY name=n op=add value=1]"),
        ("n", "-=", "1", "MODIFY", "[MODIFY name=n op=- value=1]"),
        ("n", "*=", "2", "MODIFY", "[MODIFY name=n op=mul value=2]"),
        ("n", "/=", "2", "MODIFY", "[MODIFY name=n, op=/, value=2]"),
        ("好感度", "+=", "1", "", "[SET 好感度 += 1]"),
    ],
)
def test_every_way_to_set_a_variable(
    name: str, operator: str, worth: str, old: str, text: str
) -> None:
    """The new form takes any expression, the old ones a plain value."""
    [assign] = parse_block(text)

    assert isinstance(assign, AssignElement)
    assert (name, operator, worth, old) == (
        assign.name,
        assign.operator,
        assign.worth.source,
        assign.old,
    )


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        ("n >= 3", "[JUMP_IF var=n cmp=ge value=3 label=a]"),
        ('n == "happy"', "[JUMP_IF var=n cmp=eq value=happy label=a]"),
        ("n != false", "[JUMP_IF var=n, cmp=ne, value=False, label=a]"),
        ("n>=15", "[JUMP_IF n>=15 label=a]"),
        ("n >= 15 and m", "[JUMP_IF n >= 15 and m label=a]"),
        ("met", "[JUMP_IF met label=a]"),
    ],
)
def test_every_way_to_jump_on_a_condition(condition: str, text: str) -> None:
    """A conditional jump has four parameters or an expression."""
    [when] = parse_block(text)

    assert isinstance(when, WhenElement)
    [case] = when.cases
    [jump] = case.block
    assert isinstance(jump, JumpElement)
    assert (condition, "a") == (case.when and case.when.source, jump.target.label)


def _list_options(text: str) -> list[tuple[object, str, str]]:
    [choice] = parse_block(text)
    assert isinstance(choice, ChoiceElement)
    return [
        (
            each.words,
            each.target.label if each.target else "",
            each.only_if.source if each.only_if else "",
        )
        for each in choice.options
    ]


@pytest.mark.parametrize(
    "text",
    [
        "[BRANCH choice=Go home now label=a, choice=Stay label=b]",
        "[BRANCH choice=Go home now label=a choice=Stay label=b]",
        '[BRANCH choice="Go home now", label=a, choice="Stay", label=b]',
    ],
)
def test_a_branch_needs_neither_commas_nor_quotes(text: str) -> None:
    """The value of a choice ends at the next parameter name."""
    assert [("Go home now", "a", ""), ("Stay", "b", "")] == _list_options(text)


def test_a_choice_may_have_a_condition_and_no_label() -> None:
    """Without a label, the text is the label."""
    text = "[BRANCH choice=A if=n >= 3 label=a, choice=B]"

    assert [("A", "a", "n >= 3"), ("B", "B", "")] == _list_options(text)


def test_an_old_say_takes_the_rest_of_its_line_or_the_paragraph_below() -> None:
    """The old SAY takes the rest of its line, or the paragraph after it."""
    assert (SayElement(1, 1, 1, "Ben", "Hello.", old="SAY"),) == parse_block(
        "[SAY speaker=Ben] Hello."
    )
    assert (
        SayElement(1, 1, 3, "Old Ben", "Note: one\ntwo", old="SAY"),
        SayElement(4, 1, 4, "Ann", "Three."),
    ) == parse_block("[SAY speaker=Old Ben]\nNote: one\ntwo\nAnn: Three.")


def test_an_old_say_waits_over_a_blank_line_and_is_reported_if_nothing_comes() -> None:
    """The old SAY may be followed by a blank line, and without any text it is a mistake."""
    assert (SayElement(1, 1, 3, "Ben", "Hello.", old="SAY"),) == parse_block(
        "[SAY speaker=Ben]\n\nHello."
    )
    assert [("PARAMETER_MISSING", 1, 1)] == list_codes("[SAY speaker=Ben]\n[WAIT 1]")


def test_several_commands_may_share_a_line_with_text() -> None:
    """Commands and text on one line happen in order."""
    text = "[SET a = 1][SHOW_IMAGE file=x] Hello. \n[WAIT 1] [on](#b)"
    kinds = [type(each) for each in parse_block(text)]

    assert [AssignElement, PictureElement, SayElement, PauseElement, JumpElement] == kinds
    assert SayElement(1, 32, 1, "", "Hello.") == parse_block(text)[2]


def _list_cases(text: str) -> tuple[list[tuple[str, int]], int]:
    """The cases of the first element, and the number of elements."""
    elements = parse_block(text)
    assert isinstance(elements[0], WhenElement)
    cases = [(each.when.source if each.when else "", len(each.block)) for each in elements[0].cases]
    return cases, len(elements)


def test_an_old_if_continues_to_its_end() -> None:
    """The old IF extends to an ELSE or ENDIF in the same section."""
    text = "[IF flag=met value=true]\nA.\n\nB.\n[ELSE]\nC.\n[ENDIF]\nD."

    assert ([("met == true", 2), ("", 1)], 2) == _list_cases(text)


def test_an_old_if_without_an_end_holds_one_element() -> None:
    """Without an ENDIF in its section, the old IF applies to one element."""
    assert ([("met", 1)], 2) == _list_cases("[IF flag=met]\nA.\n\nB.")
    assert ([("n > 1", 2)], 3) == _list_cases("[IF n > 1]\nA. {do wait}\n\nB.\n## x\n[ENDIF]")
    assert ([("met", 1)], 2) == _list_cases("[IF flag=met]\n- [a](#a)\n- [b](#b)\n\nB.")


def test_if_without_anything_is_reported() -> None:
    """An IF without an element before the section ends is a mistake."""
    assert [("BLOCK_UNCLOSED", 1, 1)] == list_codes("[IF flag=met]\n## next\nA.")


def test_declared_events_are_commands() -> None:
    """A declared event is a command with all its parameters."""
    text = "---\nevents: [SHAKE]\n---\n[SHAKE 3 axis=x]"

    assert (EventElement(4, 1, 4, "SHAKE", (("value", "3"), ("axis", "x"))),) == parse_block(text)


@pytest.mark.parametrize("text", ["[sic] so it was", "[A] note", "[1984]", "[Ben]"])
def test_other_brackets_are_text(text: str) -> None:
    """Only two or more capitals in brackets make a command."""
    assert (SayElement(1, 1, 1, "", text),) == parse_block(text)
    assert [] == list_codes(text)


def test_a_link_of_capitals_is_a_link() -> None:
    """A link of capitals is a link, not a command."""
    assert (JumpElement(1, 1, 1, LinkTarget("x", "", 1, 9)),) == parse_block("[END]( #x)")


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (("COMMAND_UNKNOWN", 1, 3), "  [SHOW_IMGE file=x]"),
        (("PARAMETER_MISSING", 1, 1), "[SHOW_IMAGE]"),
        (("PARAMETER_MISSING", 1, 1), "[BRANCH]"),
        (("PARAMETER_MISSING", 1, 1), "[JUMP_IF label=a]"),
        (("PARAMETER_MISSING", 1, 1), "[ENDING]"),
        (("PARAMETER_MALFORMED", 1, 20), "[SHOW_IMAGE file=x layr=bg]"),
        (("PARAMETER_MALFORMED", 1, 7), "[WAIT soon]"),
        (("PARAMETER_MALFORMED", 1, 19), "[MODIFY name=n op=pow value=1]"),
        (("PARAMETER_MALFORMED", 1, 20), "[JUMP_IF var=n cmp=like value=1 label=a]"),
        (("PARAMETER_MALFORMED", 1, 1), "[SET n]"),
        (("PARAMETER_MALFORMED", 1, 6), "[SET my var = 1]"),
        (("PARAMETER_MALFORMED", 1, 1), "[WAIT 1"),
        (("PARAMETER_MALFORMED", 1, 9), "[BRANCH label=a choice=A label=b]"),
        (("PARAMETER_MALFORMED", 1, 9), "[RETURN now]"),
        (("EXPRESSION_MALFORMED", 1, 13), "[SET n = 1 +]"),
        (("BLOCK_UNOPENED", 1, 1), "[ENDIF]"),
        (("BLOCK_UNOPENED", 1, 1), "[ELSE]"),
    ],
)
def test_what_is_wrong_is_found_where_it_is(expected: tuple[str, int, int], text: str) -> None:
    """Each mistake has its code, line and column."""
    assert [expected] == list_codes(text)


def test_the_nearest_command_and_parameter_are_offered() -> None:
    """A misspelt command or parameter gets the nearest one as a hint."""
    findings = parse_scene("[SHOW_IMGE file=x]\n[WAIT 1 secnds=2]", "story.md").findings

    assert [("error", "did you mean 'SHOW_IMAGE'?"), ("warning", "did you mean 'seconds'?")] == [
        (each.severity, each.hint) for each in findings
    ]
