import pytest

from saniwa.story.parser.commands import COMMANDS, split_choices, split_parameters
from saniwa.story.parser.markdown import parse_scene


def _list_pairs(inner: str) -> list[tuple[str, str]]:
    return [(each.key, each.value) for each in split_parameters(inner, 1)]


@pytest.mark.parametrize(
    "inner",
    [
        "file=bridge layer=bg",
        "file=bridge, layer=bg",
        ' file="bridge"   layer = "bg" ',
        "file=bridge,layer=bg,",
    ],
)
def test_parameters_stand_apart_by_blanks_or_commas(inner: str) -> None:
    """Parameters are separated by spaces or commas, with or without quotes."""
    assert [("file", "bridge"), ("layer", "bg")] == _list_pairs(inner)


def test_a_value_continues_to_the_next_name() -> None:
    """A value of several words needs no quotes, and ends at the next name."""
    assert [("speaker", "Old Man"), ("mood", "sad")] == _list_pairs("speaker=Old Man mood=sad")


def test_quotes_hold_what_would_end_a_value() -> None:
    """A quoted value may contain commas, names and quotation marks."""
    assert [("prompt", 'a, b=c "d"')] == _list_pairs(r'prompt="a, b=c \"d\""')


def test_a_value_without_a_name_comes_first() -> None:
    """A value before the first name has no name."""
    assert [("", "n >= 15"), ("label", "a")] == _list_pairs("n >= 15 label=a")


def test_a_condition_may_begin_with_a_text() -> None:
    """Quotes around a value without a name are removed only if they enclose all of it."""
    assert [("", '"Ben" == who'), ("label", "a")] == _list_pairs('"Ben" == who label=a')
    assert [("", "take key, go")] == _list_pairs('"take key, go"')


def test_a_comparison_is_no_name() -> None:
    """`==` and `>=` do not begin a parameter."""
    assert [("", "n == 15 and m >= 2")] == _list_pairs("n == 15 and m >= 2")


def test_places_are_where_name_and_value_stand() -> None:
    """Columns count from the start of the text, and do not include quotes."""
    given = split_parameters(' file="x" layer=y', 5)

    assert [(6, 12), (15, 21)] == [(each.key_column, each.column) for each in given]


def test_what_follows_a_comma_without_a_name_is_stray() -> None:
    """A value ends at a comma, and text after it without a name is stray."""
    [given] = split_parameters("name=x, loud", 1)

    assert ("x", "loud") == (given.value, given.stray)


def test_choices_keep_their_commas() -> None:
    """Only `choice=`, `label=` and `if=` end the text of a choice."""
    given = split_choices("choice=Yes, of course label=a, choice=No way=x if=roll(1,6) > 3", 1)

    assert [
        ("choice", "Yes, of course"),
        ("label", "a"),
        ("choice", "No way=x"),
        ("if", "roll(1,6) > 3"),
    ] == [(each.key, each.value) for each in given]


def test_file_and_name_are_the_same() -> None:
    """Every command that shows or plays something takes `file` or `name`."""
    for name in ("SHOW_IMAGE", "PLAY_BGM", "PLAY_SE", "PLAY_MOVIE", "PLAY_MUSIC"):
        command = COMMANDS[name]

        assert command.find_parameter("file") is command.find_parameter("name") is not None


def test_every_spelling_of_a_wait_is_known() -> None:
    """`secs`, `seconds` and `duration` are the same parameter."""
    wait = COMMANDS["WAIT"]

    assert {"seconds"} == {
        found.name
        for spelling in ("secs", "seconds", "duration")
        if (found := wait.find_parameter(spelling))
    }


def test_a_bare_value_goes_to_a_parameter_that_exists() -> None:
    """The parameter for a value without a name exists."""
    for name, command in COMMANDS.items():
        assert name == command.name
        assert not command.bare or command.find_parameter(command.bare)


@pytest.mark.parametrize(
    ("column", "text"),
    [
        (8, "Hello. [SET x += 1] World."),
        (6, "Ben: [SET x += 1] Hi"),
        (14, "[WAIT 1s] Hi [END]"),
        (4, "Hi [BOOM] you"),
        (6, "- Go [SET x += 1]\n  Hi."),
        (7, "- [Go [SET x = 1] on](#b)"),
    ],
)
def test_a_command_among_other_words_is_reported_there(column: int, text: str) -> None:
    """A command among other words is a finding at its place, also an event of the host."""
    scene = parse_scene(f"---\nid: a\nevents: [BOOM]\n---\n{text}\n", "story.md")

    assert [("COMMAND_IN_SENTENCE", column)] == [
        (each.code, each.where.column)
        for each in scene.findings
        if each.code == "COMMAND_IN_SENTENCE"
    ]


@pytest.mark.parametrize(
    "text",
    [
        r"Hello. \[SET x += 1] World.",
        "Type `[SET x += 1]` here.",
        "Hello. [c] World.",
        "Hello. [DOOM] [A note] [WAIT](#b) World.",
        "[SET x += 1] [WAIT 1s] Hello.",
    ],
)
def test_other_brackets_in_a_text_are_no_commands(text: str) -> None:
    """Escapes, code, clicks, unknown words and commands at the start are not reported."""
    scene = parse_scene(text, "story.md")

    assert "COMMAND_IN_SENTENCE" not in {each.code for each in scene.findings}
