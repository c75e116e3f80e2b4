"""Common mistakes of authors, and their findings."""

import pytest

from saniwa.core.findings import Finding
from saniwa.story.story import parse_story


def _list_findings(text: str) -> list[Finding]:
    return list(parse_story(text).report.findings)


def _list_told(text: str) -> list[tuple[str, int, int, str]]:
    return [
        (each.code, each.where.line, each.where.column, each.hint) for each in _list_findings(text)
    ]


def _apply_rewrite(text: str, finding: Finding) -> str:
    """The line of a finding after its suggested edit."""
    edit = finding.details["rewrite"]
    line = text.split("\n")[edit["line"] - 1]
    at = edit["column"] - 1
    return str(line[:at] + edit["text"] + line[at + edit["length"] :])


@pytest.mark.parametrize(
    ("code", "column", "written", "right"),
    [
        ("ENDING_MISSPELT", 4, "A. <!-- endng: a b -->", "A. <!-- ending: a b -->"),
        ("ENDING_MISSPELT", 1, "<!-- ending bed -->", "<!-- ending: bed -->"),
        ("ENDING_MISSPELT", 1, "<!-- end: x -->", "<!-- ending: x -->"),
        ("WIDE_MARK", 1, "［WAIT 1s］", "[WAIT 1s]"),
        ("WIDE_MARK", 1, "【ＷＡＩＴ　1s】 So.", "[WAIT 1s] So."),
        ("WIDE_MARK", 1, "＃ 見出し", "# 見出し"),
        ("WIDE_MARK", 1, "##　見出し", "## 見出し"),
        ("WIDE_MARK", 1, "・行く", "- 行く"),
        ("WIDE_MARK", 3, "  － 戻る", "  - 戻る"),
        ("WIDE_MARK", 1, "１．　行く", "1. 行く"),
        ("WIDE_MARK", 1, "＜!-- ending: x --＞", "<!-- ending: x -->"),
        ("WIDE_MARK", 1, "［走る］（＃通り）", "[走る](#通り)"),
        ("WIDE_MARK", 1, "[走る](＃通り)", "[走る](#通り)"),
        ("WIDE_MARK", 1, "：：：when x", ":::when x"),
        ("WIDE_MARK", 4, "So ｛.soft｝", "So {.soft}"),
        ("COMMAND_CASE", 1, "[wait 1s]", "[WAIT 1s]"),
        ("COMMAND_CASE", 1, "[Show_Image file=x]", "[SHOW_IMAGE file=x]"),
        ("LINK_MALFORMED", 1, "[Rain](#rain call)", '[Rain](#rain "call")'),
        ("LINK_MALFORMED", 1, "[Rain](#rain “call”)", '[Rain](#rain "call")'),
        ("LINK_MALFORMED", 1, "[Rain] (#rain)", "[Rain](#rain)"),
        ("LINK_MALFORMED", 1, "[Rain(#rain)", "[Rain](#rain)"),
        ("LINK_MALFORMED", 1, "[Rain](#rain", "[Rain](#rain)"),
        ("LINK_MALFORMED", 1, "[Rain]#rain)", "[Rain](#rain)"),
        ("COMMAND_UNKNOWN", 1, "[PLAY_BMG name=x]", "[PLAY_BGM name=x]"),
        ("EXPRESSION_MALFORMED", 8, "[SET n =+ 2]", "[SET n += 2]"),
    ],
)
def test_what_would_be_right_comes_with_the_finding(
    code: str, column: int, written: str, right: str
) -> None:
    """Such a mistake is one finding at its place, with an edit that fixes it."""
    [finding] = _list_findings(written)

    assert (code, 1, column) == (finding.code, finding.where.line, finding.where.column)
    assert right == _apply_rewrite(written, finding)


@pytest.mark.parametrize("written", ["[Rain(#rain)", "[Rain](#rain", "Rain](#rain)"])
def test_an_option_whose_link_lacks_a_bracket_comes_with_the_whole_link(written: str) -> None:
    """An option whose link lacks a bracket gets an edit with the complete link."""
    text = f"- {written}"
    [finding] = [each for each in _list_findings(text) if each.code == "LINK_MALFORMED"]

    assert "- [Rain](#rain)" == _apply_rewrite(text, finding)


@pytest.mark.parametrize(
    "text",
    [
        "D. <!-- editing: later -->",
        "E. <!-- end of the scene -->",
        "[sic] he said.",
        "[sighs]",
        "＃タグ",
        "・・・",
        "－－",
        "［笑］",
        "１．行く",
        "［笑］（＃）",
        "[x](https://example.org/a b)",
        "[a] (b)",
        "[a] #b",
        "a ] b (#5) c",
        "A <!-- short\nnote --> B",
    ],
)
def test_what_is_plain_text_is_left_alone(text: str) -> None:
    """Plain text has no findings."""
    assert [] == _list_told(text)


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (("LINK_MALFORMED", 1, 1, "write [a](#label)"), "[a](#)"),
        (("LINK_MALFORMED", 1, 1, "write [a](#label)"), "[a]()"),
        (
            ("COMMENT_LONG", 1, 3, "if this is not intended, end it with --> before line 3"),
            "A <!-- x\n\n## y\n-->",
        ),
        (
            ("COMMENT_LONG", 1, 1, "if this is not intended, end it with --> earlier"),
            "<!-- x\n" + "x\n" * 19 + "-->",
        ),
        (("COMMAND_UNKNOWN", 1, 1, "did you mean :::when?"), ":::if 1\na\n:::else\n:::"),
        (
            ("COMMAND_UNKNOWN", 3, 1, "write :::else when 2 > 1"),
            ":::when 1\na\n:::elseif 2 > 1\nb\n:::",
        ),
        (("COMMAND_UNKNOWN", 3, 1, "did you mean :::else?"), ":::when 1\na\n:::esle\nb\n:::"),
        (("EXPRESSION_MALFORMED", 1, 10, "a value is missing: [SET x += 1]"), "[SET x += ]"),
        (("EXPRESSION_MALFORMED", 1, 2, "write roll(1, 6)"), "{roll(6,1)}"),
        (("EXPRESSION_MALFORMED", 1, 9, 'use straight quotes: "…"'), "{visits(“tobin”)}"),
        (("ATTRIBUTE_MALFORMED", 1, 7, "write {voice=value}"), "A {#a voice=}"),
        (("ATTRIBUTE_MALFORMED", 1, 4, "write {#id}"), "A {#}"),
        (
            (
                "ATTRIBUTE_MALFORMED",
                1,
                7,
                "write {#id .tag key=value}; quote values that contain spaces",
            ),
            "A {#b c}",
        ),
        (("PARAMETER_MALFORMED", 1, 1, "write ] for ］"), "[WAIT 1］"),
    ],
)
def test_a_typo_has_a_hint(expected: tuple[str, int, int, str], text: str) -> None:
    """One mistake is one finding with a hint."""
    assert [expected] == _list_told(text)


@pytest.mark.parametrize(
    ("column", "hint", "group"),
    [
        (6, "write {show if n > 2}", "{showif n > 2}"),
        (6, "write {show if n > 2}", "{show n > 2}"),
        (6, "write {if n > 2}", "{when n > 2}"),
        (6, "write {if not (n > 2)}", "{unless n > 2}"),
        (12, "something is missing after >", "{if n >}"),
    ],
)
def test_a_condition_that_is_misspelt_is_reported_with_how(
    column: int, hint: str, group: str
) -> None:
    """A malformed condition at the end of an item is a finding with a hint."""
    text = f"- a {group}\n  x\n- b\n  y\n"
    found = [each for each in _list_told(text) if each[0] == "EXPRESSION_MALFORMED"]

    assert [("EXPRESSION_MALFORMED", 1, column, hint)] == found


@pytest.mark.parametrize(
    ("meant", "written"),
    [
        ("- [Swim](#the-sea)", "- Swim -> the-sea\n- Run\n  Gone."),
        ("* [Swim](#the-sea)", "* Swim → The Sea\n* Run"),
        ("[the-sea](#the-sea)", "-> The Sea"),
    ],
)
def test_an_arrow_to_a_label_comes_with_the_link(meant: str, written: str) -> None:
    """An option or a line that leads to a label by an arrow is one finding, with the link."""
    text = f"{written}\n\n[sea](#the-sea)\n\n## The Sea\nIt is cold.\n"
    [finding] = _list_findings(text)

    assert "LINK_MALFORMED" == finding.code
    assert meant == _apply_rewrite(text, finding)


@pytest.mark.parametrize("written", ["Kyoto -> Osaka", "Ben: -> sea", "[a -> sea](#sea)"])
def test_any_other_arrow_is_plain_text(written: str) -> None:
    """An arrow in speech or in a link, or to what is no label, has no finding."""
    assert [] == _list_told(f"{written}\n\n[sea](#sea)\n\n## sea\nIt is cold.\n")


def test_a_misspelt_mark_is_reported_as_such() -> None:
    """`{onec}` is reported as a misspelt mark."""
    text = "- a {onec}\n  x\n- b\n  y\n"
    [finding] = _list_findings(text)

    assert "did you mean {once}?" == finding.hint
    assert "- a {once}" == _apply_rewrite(text, finding)


def test_a_label_without_quotes_is_reported_as_such() -> None:
    """`visits(tobin)` is reported as a label without quotes."""
    text = "{visits(tobin)}\n## tobin\nHi.\n"
    finding = next(f for f in _list_findings(text) if f.code == "VARIABLE_UNDECLARED")

    assert 'put the label in quotes: visits("tobin")' == finding.hint
    assert '{visits("tobin")}' == _apply_rewrite(text, finding)


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ([("LIST_BROKEN", 2, 1)], "- a\nx\n- b\n  y\n"),
        ([("LIST_BROKEN", 2, 1)], "- a\nx\n- b\n\ny\n"),
        ([("LIST_BROKEN", 3, 1)], "- a\n  x\n[WAIT 1s]\n- b\n  y\n"),
        ([], "- a\n  x\n- b\n  y\nz\n- a\n  x\n- b\n  y\n"),
        ([("LIST_UNEVEN", 3, 2)], "- a\n  x\n - b\n   y\n"),
        ([("LIST_UNEVEN", 3, 1)], " - a\n   x\n- b\n  y\n"),
    ],
)
def test_lists_that_fall_apart_are_reported_once(
    expected: list[tuple[str, int, int]], text: str
) -> None:
    """A list that falls apart is one finding about its cause."""
    assert expected == [each[:3] for each in _list_told(text)]


@pytest.mark.parametrize(
    ("line", "column", "hint", "front"),
    [
        (3, 1, "use spaces, not tabs", "id: a\n\ttitle: b"),
        (2, 13, "write vars: {a: 1, b: 2}", "vars: {a: 1 b: 2}"),
        (2, 7, "add }", "vars: {a: 1"),
        (2, 9, 'put the value in quotes: title: "a: b"', "title: a: b"),
        (2, 8, "add one at the end of the value", 'title: "abc'),
        (2, 8, 'put the value in quotes: title: "@x"', "title: @x"),
    ],
)
def test_front_matter_that_is_not_yaml_is_reported_plainly(
    line: int, column: int, hint: str, front: str
) -> None:
    """Invalid front matter is one finding, and its declarations are not reported as missing."""
    expected = ("FRONT_MATTER_MALFORMED", line, column, hint)

    assert [expected] == _list_told(f"---\n{front}\n---\nBen: {{n}}\n[SET k = 1]\n")


def test_a_misspelt_variable_is_one_warning() -> None:
    """A misspelt variable is one warning, and neither name is reported as unused."""
    text = "---\nid: a\ntitle: A\nvars: {mood: 0}\n---\n[SET moood += 2]\n"

    assert [("VARIABLE_UNDECLARED", 6, 6, "did you mean 'mood'?")] == _list_told(text)


def test_a_short_name_is_near_if_one_letter_differs() -> None:
    """A name of two Japanese characters gets a hint if one character differs."""
    text = "---\nid: a\ntitle: A\ncast: [ハル]\n---\nハレ：やあ\n"

    assert [("SPEAKER_UNKNOWN", 6, 1, "did you mean 'ハル'?")] == _list_told(text)


def test_the_option_that_runs_on_is_named() -> None:
    """The warning names the only option that runs into the next section."""
    text = "## a\n- p\n  [b](#b)\n- q\n  z\n## b\nEnd.\n"
    [finding] = _list_findings(text)

    assert "the section 'a' continues into 'b' by the option on line 4" == finding.message


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (("LINE_ID_DUPLICATE", 4, 4), "a {#d}\n\nb\nc {#d}"),
        (("LABEL_DUPLICATE", 3, 5), "## u\nA. <!-- ending: a -->\n##  u\nB."),
        (("WORLD_MISSING", 1, 12), "- wake {do take key}\n- b {do wait}"),
    ],
)
def test_places_are_exact(expected: tuple[str, int, int], text: str) -> None:
    """A finding is at the words it is about."""
    assert expected == next(each[:3] for each in _list_told(text) if each[0] == expected[0])


@pytest.mark.parametrize(
    ("column", "text"),
    [
        (13, "[SHOW_IMAGE file=]"),
        (11, '[PLAY_BGM name=""]'),
        (8, "[EVENT name=]"),
        (14, "[CLEAR_LAYER layer=]"),
        (8, "[LABEL name=]"),
        (1, "[ENDING id=]"),
        (1, "[END]"),
        (23, "[MODIFY name=n op=add value=]"),
        (13, "[SET name=n value=]"),
        (9, "[BRANCH choice= label=x]"),
        (7, "[JUMP label=]"),
    ],
)
def test_an_empty_parameter_is_missing(column: int, text: str) -> None:
    """A parameter without a value is reported as missing."""
    found = [each for each in _list_findings(text) if each.code == "PARAMETER_MISSING"]

    assert [column] == [each.where.column for each in found]


def test_a_quotation_mark_that_does_not_close_is_reported() -> None:
    """An unclosed quotation mark is reported at its place."""
    found = [each[:3] for each in _list_told('[SAY speaker="A] text')]

    assert ("PARAMETER_MALFORMED", 1, 14) in found


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ([("OPTION_UNNAMED", 2)], "## s\n- [](#s)\n- [a](#s)\n"),
        ([("OPTION_UNNAMED", 1)], "- {if 1}\n  x\n- a\n  y\n"),
        ([], "## s\n- [a](#s)\n- [](#s) {else}\n"),
        ([("FALLBACK_REPEATED", 4)], "## s\n- [a](#s)\n- [](#s) {else}\n- [](#s) {else}\n"),
        ([], "## s\n- [a](#s)\n- [](#s) {else} {if 1}\n- [](#s) {else}\n"),
        ([("TITLE_MISSING", 1)], "---\nid: a\n---\nHi.\n"),
        ([], "Hi.\n"),
    ],
)
def test_what_is_lacking_is_reported(expected: list[tuple[str, int]], text: str) -> None:
    """Options without words, useless fallbacks and stories without a title are reported."""
    assert expected == [each[:2] for each in _list_told(text)]


@pytest.mark.parametrize(
    ("column", "text"), [(6, "[SET t -= 1]"), (6, "[SET b += 1]"), (2, "{t * 2}"), (6, "{2 - t}")]
)
def test_reckoning_with_what_is_not_a_number_is_reported(column: int, text: str) -> None:
    """Arithmetic with text is reported, except for `+`."""
    front = '---\nid: a\ntitle: A\nvars: {t: "x", b: true}\n---\n{t + 1} {b}\n'
    found = [each for each in _list_told(f"{front}\n{text}\n") if each[0] == "VARIABLE_KIND"]

    assert [(8, column)] == [each[1:3] for each in found]


def test_a_variable_changed_before_it_is_set_is_reported() -> None:
    """A variable changed before its first assignment is reported."""
    text = "[SET n += 1]\n[SET n = 2]\n{n}\n"

    assert [("VARIABLE_UNDECLARED", 1, 6)] == [each[:3] for each in _list_told(text)]
    assert [] == _list_told("[SET n = 2]\n[SET n += 1]\n{n}\n")


@pytest.mark.parametrize(
    ("severity", "text"),
    [
        ("warning", "[SET name=n value=1]\n{n}"),
        ("warning", "[SET n = 1]\n[JUMP_IF var=n cmp=gt value=2 label=a]\nA.\n\n[LABEL a]"),
        ("note", "[SAY speaker=A] x"),
        ("", "[ENDING id=x]"),
        ("", "[SET n = 1]\n[JUMP_IF n > 2 label=a]\nA. <!-- ending: x -->\n\n## a"),
        ("", "[EVENT name=x]"),
    ],
)
def test_only_what_is_read_for_old_scripts_is_a_warning(severity: str, text: str) -> None:
    """Only old notation is a warning; what plain Markdown also has is at most a note."""
    found = [each for each in _list_findings(text) if each.code == "OLD_NOTATION"]

    assert severity == (found[0].severity if found else "")


def test_a_name_is_offered_only_if_it_is_near() -> None:
    """A name with only one character in common is not suggested."""
    text = "---\nid: a\ntitle: A\nvars: {e: 0, n: 1}\n---\n{e} {n} {hello} {once}\n"

    assert all("did you mean" not in each[3] for each in _list_told(text))


@pytest.mark.parametrize(
    ("condition", "hint"),
    [
        ("n => 2", "write >="),
        ("n =< 2", "write <="),
        ("n = 2", "write =="),
        ("n <> 2", "write !="),
        ("n >>= 2", "write one of == != < <= > >="),
    ],
)
def test_a_typo_in_a_condition_has_a_hint(condition: str, hint: str) -> None:
    """A malformed condition gets a hint with the expected form."""
    told = _list_told(f"---\nvars: {{n: 1}}\n---\n- Go {{if {condition}}}\n")

    assert [hint] == [each[3] for each in told if each[0] == "EXPRESSION_MALFORMED"]


def test_an_unknown_command_can_be_declared() -> None:
    """The hint for an unknown command can be copied."""
    [(_, _, _, hint)] = _list_told("[SHAKE]\n")

    assert hint.endswith("declare it in the front matter: events: [SHAKE]")
