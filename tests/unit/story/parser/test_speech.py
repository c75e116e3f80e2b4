import pytest

from saniwa.story.elements import DoElement, EndingElement, SayElement
from saniwa.story.parser.markdown import parse_scene
from saniwa.story.text_template import SwitchPart, TextTemplate
from tests.fakes.scenes import parse_block


def _list_speech(text: str) -> list[tuple[str, object]]:
    return [
        (each.speaker, each.words) for each in parse_block(text) if isinstance(each, SayElement)
    ]


def _list_codes(text: str) -> list[tuple[str, int, int]]:
    findings = parse_scene(text, "story.md").findings
    return [(each.code, each.where.line, each.where.column) for each in findings]


def test_a_paragraph_is_one_utterance_and_keeps_its_line_breaks() -> None:
    """The lines of a paragraph are one utterance with its line breaks, without indentation."""
    assert [("", "One,\ntwo.")] == _list_speech("One,\n   two.  \n")


def test_a_blank_line_ends_an_utterance() -> None:
    """A blank line ends an utterance."""
    assert [("", "One."), ("", "Two.")] == _list_speech("One.\n\u3000\nTwo.")


def test_speech_begins_a_new_utterance_without_a_blank_line() -> None:
    """`Name: text` begins a new utterance, and a line without a name continues one."""
    text = "Rain.\nBen: Hello,\nyou.\nAnn: Yes."

    assert [("", "Rain."), ("Ben", "Hello,\nyou."), ("Ann", "Yes.")] == _list_speech(text)


@pytest.mark.parametrize(
    ("speaker", "words", "line"),
    [
        ("Ben", "Hello.", "Ben: Hello."),
        ("やな", "おはよう。", "やな：おはよう。"),
        ("やな", "おはよう。", "やな:おはよう。"),
        ("やな", "おはよう。", "やな：　おはよう。"),
        ("Ben", "Hello.", "Ben：Hello."),
        ("Dr.Who", "Hello.", "Dr.Who: Hello."),
        ("", "Ben:Hello.", "Ben:Hello."),
        ("", "Old Ben: Hello.", "Old Ben: Hello."),
        ("", "https://example.org/", "https://example.org/"),
        ("", "At 12:30 he came.", "At 12:30 he came."),
        ("", "Note: this.", r"Note\: this."),
        ("", "[sic] he said: no.", "[sic] he said: no."),
        ("", '"Wait: no," he said.', '"Wait: no," he said.'),
        ("", "n" * 41 + ": x", "n" * 41 + ": x"),
    ],
)
def test_a_name_before_a_colon_speaks(speaker: str, words: str, line: str) -> None:
    """A name has no spaces; a half-width colon needs a space or a non-Latin character next."""
    assert [(speaker, words)] == _list_speech(line)


def test_a_name_with_spaces_speaks_if_the_cast_declares_it() -> None:
    """A name with spaces is a speaker if it is declared in the cast."""
    text = "Old Ben: Hello."

    assert [("Old Ben", "Hello.")] == _list_speech(f"---\ncast: [Old Ben]\n---\n{text}")
    [say] = parse_scene(text, "story.md", speakers=["Old Ben"]).block
    assert isinstance(say, SayElement)
    assert "Old Ben" == say.speaker


def test_text_may_be_below_the_name() -> None:
    """A line `Name:` takes its text from the next line."""
    assert [("Ben", "Hello.\nYou.")] == _list_speech("Ben:\nHello.\nYou.")


def test_a_name_with_nothing_to_say_is_narration() -> None:
    """A name without text, such as `Options:` before a list, is narration."""
    assert [("", "Options:")] == _list_speech("Options:\n- [a](#b)\n")
    assert [("", "Ben:"), ("", "Hello.")] == _list_speech("Ben:\n\nHello.")


def test_id_tags_and_voice_stand_at_the_end_of_a_line() -> None:
    """An id, tags and values at the end of a line belong to the utterance."""
    first, second = parse_block("Ben: Hello. {#b1 .soft voice=ben_001}\n\nMore.")

    assert SayElement(1, 1, 1, "Ben", "Hello.", "b1", ("soft",), (("voice", "ben_001"),)) == first
    assert SayElement(3, 1, 3, "", "More.") == second


def test_a_deed_follows_its_line() -> None:
    """`{do …}` happens after the words before it, or alone."""
    assert (SayElement(1, 1, 1, "", "I take it."), DoElement(1, 16, 1, "take key")) == parse_block(
        "I take it. {do take key}"
    )
    assert (DoElement(1, 5, 1, "take key"),) == parse_block("{do take key}")


def test_an_ending_may_be_behind_the_last_words() -> None:
    """An ending after words comes after them."""
    assert (SayElement(1, 1, 1, "", "The end."), EndingElement(1, 10, 1, "street")) == parse_block(
        "The end. <!-- ending: street -->"
    )


def test_a_click_in_the_text_makes_two_utterances() -> None:
    """A click splits the text into two utterances of the same speaker; the last one has the id."""
    one, two = parse_block("Ben: Wait. [c] What\nis it? {#x}")

    assert SayElement(1, 6, 1, "Ben", "Wait.", old="[c]") == one
    assert SayElement(1, 16, 2, "Ben", "What\nis it?", "x", old="[c]") == two
    assert [("", "Wait [c] now.")] == _list_speech(r"Wait \[c] now.")


def test_a_link_in_a_sentence_stays_text_and_is_reported() -> None:
    """A link within a sentence stays text, with a finding."""
    text = "Rain.\n  Go [home](#home) now."

    assert [("", "Rain.\nGo [home](#home) now.")] == _list_speech(text)
    assert [("LINK_IN_SENTENCE", 2, 6)] == _list_codes(text)


def test_what_is_in_braces_has_its_true_place() -> None:
    """Braces in later or indented lines of a paragraph have their column in the file."""
    assert [("EXPRESSION_MALFORMED", 3, 9)] == [
        found
        for found in _list_codes("- a\n    One {n}\n    {1 + }\n    three.")
        if found[0] == "EXPRESSION_MALFORMED"
    ]
    assert [("EXPRESSION_MALFORMED", 1, 20)] == _list_codes(
        "<!-- a --> Say {1 + } <!-- b --> more."
    )


def test_indents_are_no_part_of_words_that_vary() -> None:
    """Indentation is not part of a text with variables."""
    [say] = parse_block("You have\n  {n} coins, {met:\n   Ben\n   waits|\n  nobody}.")
    [flat] = parse_block("You have\n{n} coins, {met:\nBen\nwaits|\nnobody}.")

    assert isinstance(say, SayElement)
    assert isinstance(flat, SayElement)
    assert isinstance(say.words, TextTemplate)
    assert isinstance(flat.words, TextTemplate)
    assert flat.words.source == say.words.source
    assert [flat.words.parts[0], flat.words.parts[2]] == [say.words.parts[0], say.words.parts[2]]
    expected, actual = flat.words.parts[3], say.words.parts[3]
    assert isinstance(expected, SwitchPart)
    assert isinstance(actual, SwitchPart)
    assert (expected.yes, expected.no) == (actual.yes, actual.no)


def test_a_paragraph_without_end_is_cut_and_reported() -> None:
    """A paragraph that is too long is cut, with a finding."""
    scene = parse_scene("word\n" * 30_000, "story.md")

    assert {"LINE_TOO_LONG"} == {each.code for each in scene.findings}
    assert 2 == len(scene.block)


def test_a_group_behind_nothing_is_reported() -> None:
    """An id without an element is a finding."""
    assert [("PARAMETER_MALFORMED", 1, 1)] == _list_codes("{#b1}")


_CAST = "---\nid: a\ncast: [ハル, Ben, Old Tam]\n---\n"


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ([("ハル", "おはよう")], "ハル「おはよう」"),
        ([("Old Tam", "やあ")], "Old Tam「やあ」"),
        ([("ハル", "一\n二「三」")], "ハル「一\n二「三」」"),
        ([("ハル", "はい"), ("", "彼は笑う。")], "ハル「はい」\n彼は笑う。"),
        ([("", "雨。"), ("ハル", "はい")], "雨。\nハル「はい」"),
        ([("", "ハル「はい」と言う。")], "ハル「はい」と言う。"),
        ([("", "ハル「はい」「いいえ」")], "ハル「はい」「いいえ」"),
        ([("", "ハル「一\n二」と言う。")], "ハル「一\n二」と言う。"),
        ([("", "ハル「閉じない")], "ハル「閉じない"),
        ([("", "ナツ「はい」")], "ナツ「はい」"),
        ([("ナツ", "はい"), ("ナツ", "いや")], "ナツ「はい」\nナツ：いや"),
    ],
)
def test_quoted_speech_needs_a_known_speaker(expected: list[tuple[str, str]], text: str) -> None:
    """Quoted words are speech if the speaker is known; a sentence around them is narration."""
    assert expected == _list_speech(_CAST + text)


def test_quoted_speech_has_groups_behind_it() -> None:
    """A quoted utterance may have groups after it."""
    [said] = parse_block(_CAST + "ハル「はい」 {#h1 .soft}")

    assert SayElement(5, 1, 5, "ハル", "はい", "h1", ("soft",)) == said


def test_quoted_speech_of_a_stranger_is_noted_once_a_file() -> None:
    """Quoted speech of an unknown name is noted once per file, with a hint."""
    findings = parse_scene("ナツ「はい」\n\nフユ「はい」", "story.md").findings

    assert [("SPEECH_QUOTED", "note", 1)] == [
        (each.code, each.severity, each.where.line) for each in findings
    ]
    assert "cast: [ナツ]" in findings[0].hint


@pytest.mark.parametrize(
    ("speaker", "line"),
    [
        ("", "時計は12:30を指す。"),
        ("", "時計は12：30を指す。"),
        ("R2", "R2: 3つ"),
        ("Ben", "Ben:hello"),
        ("", "Bob:hello"),
    ],
)
def test_what_surrounds_a_colon_distinguishes_a_name_from_a_time(speaker: str, line: str) -> None:
    """A colon between digits is a time; without a space, only a name of the cast is a speaker."""
    assert [speaker] == [who for who, _ in _list_speech(_CAST + line)]


def test_a_group_within_a_paragraph_does_not_end_it() -> None:
    """Groups within a paragraph do not end it, and their tags and values are joined."""
    text = "Ben: one {.soft}\ntwo {voice=b .low}\nthree {#b1}"

    assert (
        SayElement(1, 1, 3, "Ben", "one\ntwo\nthree", "b1", ("soft", "low"), (("voice", "b"),)),
    ) == parse_block(text)


def test_every_id_is_an_utterance_of_its_own() -> None:
    """A second id begins another utterance of the same speaker."""
    assert (
        SayElement(1, 1, 2, "Ben", "one\ntwo", "a"),
        SayElement(3, 1, 3, "Ben", "three", "b"),
    ) == parse_block("Ben: one {#a}\ntwo\nthree {#b}")


def test_a_deed_ends_the_utterance_with_all_its_groups() -> None:
    """An action ends the utterance, and the text after it is narration."""
    said, deed, after = parse_block("Ben: one {.soft}\ntwo {do wait}\nthree")

    assert SayElement(1, 1, 2, "Ben", "one\ntwo", "", ("soft",)) == said
    assert isinstance(deed, DoElement)
    assert SayElement(3, 1, 3, "", "three") == after


def test_a_click_at_the_end_is_kept() -> None:
    """A click at the end is kept, so that a choice does not join the line."""
    first, second = (s for s in parse_block("A[c]b [c] {#x}") if isinstance(s, SayElement))

    assert (False, "") == (first.click, first.id)
    assert (True, "x") == (second.click, second.id)


def test_a_comment_can_be_escaped() -> None:
    """A backslash before a comment shows it as text."""
    assert [("", "<!-- x --> y")] == _list_speech("\\<!-- x --> y")
    assert [("", "a <!-- x -->")] == _list_speech("a \\<!-- x -->")
    assert [("", "a \\")] == _list_speech("a \\\\<!-- x -->")


_KNOWN = "---\nid: a\ncast: [Ben, Old Man, Dr. Watson, ハル]\n---\n"


@pytest.mark.parametrize(
    ("speaker", "tags", "line"),
    [
        ("Ben", (), "Ben:Hi"),
        ("Ben", (), "Ben : Hi"),
        ("Ben", ("sad",), "Ben (sad): Hi"),
        ("Ben", ("sad",), "Ben(sad):Hi"),
        ("Ben", ("very-sad",), "Ben (very sad): Hi"),
        ("Old Man", (), "Old Man: Hi"),
        ("Old Man", (), "Old Man:Hi"),
        ("Old Man", ("soft",), "Old Man (soft) : Hi"),
        ("Dr. Watson", (), "Dr. Watson: Hi"),
        ("ハル", ("小声",), "ハル（小声）：Hi"),
        ("ハル", (), "ハル　：Hi"),
        ("Ben", (), "**Ben:** Hi"),
        ("Ben", (), "**Ben**: Hi"),
        ("Old Man", (), "**Old Man:** Hi"),
        ("Eve", (), "**Eve:** Hi"),
    ],
)
def test_a_known_name_speaks_however_it_is_written(
    speaker: str, tags: tuple[str, ...], line: str
) -> None:
    """A known name is a speaker with spaces around the colon, a mood in brackets, or in bold."""
    [said] = parse_block(_KNOWN + line)

    assert isinstance(said, SayElement)
    assert (speaker, tags, "Hi") == (said.speaker, said.tags, said.words)
    assert [] == _list_codes(_KNOWN + line)


@pytest.mark.parametrize(
    ("speech", "line"),
    [
        ("write Eve: followed by a space", "Eve:Hi"),
        ("write Eve: followed by a space", "Eve : Hi"),
        ("declare the speaker, cast: [Eve]", "Eve (sad): Hi"),
        ("declare the speaker, cast: [Old Woman]", "Old Woman: Hi"),
        ("declare the speaker, cast: [Mr. Holmes]", "Mr. Holmes: Hi"),
        ("declare the speaker, cast: [Queen of Hearts]", "Queen of Hearts: Hi"),
        ("declare the speaker, cast: [田中 太郎]", "田中 太郎：Hi"),
        ("declare the speaker, cast: [Old Woman]", "**Old Woman:** Hi"),
        ("declare the speaker, cast: [Old Woman]", "Old Woman:\nHi"),
    ],
)
def test_an_unknown_name_is_narration_with_both_readings(speech: str, line: str) -> None:
    """A line of an unknown name is narration, with a warning that gives both alternatives."""
    [found] = parse_scene(_KNOWN + line, "story.md").findings

    assert [""] == [who for who, _ in _list_speech(_KNOWN + line)]
    assert ("SPEECH_UNCLEAR", "warning") == (found.code, found.severity)
    assert f"for speech, {speech}; for narration, write \\: for the colon" == found.hint


@pytest.mark.parametrize(
    "line",
    [
        "https://example.org/",
        "C:\\dir",
        "Std::vector is a name.",
        "At 12:30 he came.",
        "he said: no.",
        "Then Ben said: no.",
        "The note read: come at once.",
        "key:value",
        "Things To Buy:\n- [a](#b)\n",
        "One Two Three Four Five: x",
        r"Old Woman\: x",
        "**Note** this: x",
        "(aside: no)",
    ],
)
def test_prose_with_a_colon_is_left_alone(line: str) -> None:
    """Prose with a colon has no warning."""
    assert [] == _list_codes(line)


@pytest.mark.parametrize(
    "elsewhere", ["Eve: Hi there.", "[SAY speaker=Eve] Hi there.", "Eve：Hi there."]
)
@pytest.mark.parametrize("line", ["Eve:Hi", "Eve : Hi", "Eve (sad): Hi"])
def test_a_name_that_speaks_elsewhere_is_known(elsewhere: str, line: str) -> None:
    """A name that is a speaker in another line of the file is known."""
    for text in (f"{elsewhere}\n\n{line}\n", f"{line}\n\n{elsewhere}\n"):
        assert ["Eve", "Eve"] == [who for who, _ in _list_speech(text)]
        assert "SPEECH_UNCLEAR" not in [code for code, _, _ in _list_codes(text)]


def test_a_mood_is_part_of_a_name_only_where_the_rest_is_unknown() -> None:
    """`ハル（小声）` is ハル if ハル speaks too; otherwise it is a name."""
    line = "ハル（小声）：はい。\n\n"

    assert ["ハル（小声）"] == [who for who, _ in _list_speech(line)]
    assert ["ハル", "ハル"] == [who for who, _ in _list_speech(line + "ハル：いや。\n")]


def test_a_name_with_spaces_may_be_known_by_a_command() -> None:
    """A name with spaces is known if a SAY command uses it."""
    text = "Old Woman: Hi.\n\n[SAY speaker=Old Woman] Ho.\n"

    assert ["Old Woman", "Old Woman"] == [who for who, _ in _list_speech(text)]


def test_a_name_is_doubted_once_a_file() -> None:
    """Each unknown name is one warning per file."""
    assert [("SPEECH_UNCLEAR", 1, 1)] == _list_codes("Old Woman: Hi.\n\n" * 10)
