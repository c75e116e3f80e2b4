"""Mistakes in a story as a whole, each at its place."""

from pathlib import Path

import pytest

from saniwa.core.findings import Finding
from saniwa.story.assets import FolderAssets
from saniwa.story.compile import compile_story
from saniwa.story.lint import context
from saniwa.story.lint.linter import lint_story
from saniwa.story.parser.markdown import parse_scene
from tests.fakes.stories import LAMP


def _lint_texts(
    *texts: str, assets: FolderAssets | None = None, cast: tuple[str, ...] | None = None
) -> list[Finding]:
    """The findings of a story whose files are a.md, b.md and so on."""
    scenes = [parse_scene(text, f"{letter}.md") for letter, text in zip("abc", texts, strict=False)]
    return lint_story(scenes, compile_story(scenes), assets or FolderAssets(), cast)


def _find_code(code: str, *texts: str, **given: object) -> list[Finding]:
    findings = _lint_texts(*texts, **given)  # type: ignore[arg-type]
    return [finding for finding in findings if finding.code == code]


def _list_places(code: str, *texts: str, **given: object) -> list[tuple[int, int]]:
    found = _find_code(code, *texts, **given)
    return [(finding.where.line, finding.where.column) for finding in found]


def _find_only(code: str, *texts: str, **given: object) -> Finding:
    (finding,) = _find_code(code, *texts, **given)
    return finding


def _apply_rewrite(text: str, finding: Finding) -> str:
    """The text after a finding's suggested edit."""
    edit = finding.details["rewrite"]
    lines = text.split("\n")
    line, start = lines[edit["line"] - 1], edit["column"] - 1
    end = start + edit["length"]
    lines[edit["line"] - 1] = line[:start] + edit["text"] + line[end:]
    return "\n".join(lines)


SOUND = (
    LAMP.replace("met: false}", "met: false}\ncast: [Ben]")
    .replace("[SHOW_IMAGE file=bridge_rain layer=bg]\n", "")
    .replace(" {#ben-01 voice=ben_001}", "")
)


@pytest.mark.parametrize("text", ["", "# Title\n## a\n", "---\nid: a\ntitle: A\n---\n<!-- x -->\n"])
def test_a_story_without_a_line_is_empty(text: str) -> None:
    """A story of which only front matter, headings and comments are written has a warning."""
    assert "warning" == _find_only("STORY_EMPTY", text).severity


@pytest.mark.parametrize("text", ["Hi.\n", "[SET a = 1]\n", "- a\n", "[WAIT]\n"])
def test_a_story_that_does_anything_is_not_empty(text: str) -> None:
    """One line, choice or command is enough."""
    assert [] == _find_code("STORY_EMPTY", text)


def test_a_sound_story_has_no_findings() -> None:
    """A valid story with calls, loops, fallbacks and declarations has no findings."""
    assert [] == _lint_texts(SOUND)


# Labels.


def test_a_second_label_is_an_error_that_names_the_first() -> None:
    """A duplicate label is an error at the second one."""
    finding = _find_only("LABEL_DUPLICATE", "[LABEL name=a]\nHi.\n[LABEL name=a]\n")

    assert ("error", 3) == (finding.severity, finding.where.line)
    assert "the label 'a' is already on line 1" == finding.message
    assert 1 == finding.details["first"]


def test_headings_that_are_linked_to_alike_are_duplicates() -> None:
    """Two headings with the same slug are duplicates."""
    finding = _find_only("LABEL_DUPLICATE", "## The end\nHi.\n## The End!\nHi.\n")

    message = "the label 'The End!' is the same as 'The end' on line 1"
    assert message == finding.message


def test_two_files_may_use_one_label() -> None:
    """Two files may have the same label."""
    texts = "[b](b.md#x)\n## x\nHi.\n", "## x\nHi.\n"

    assert [] == _find_code("LABEL_DUPLICATE", *texts)


def test_a_jump_to_nowhere_is_a_warning_with_the_nearest_label() -> None:
    """A jump to an unknown label is a warning, with the nearest label as hint and edit."""
    text = "[go](#the-strete)\n## The Street\nHi.\n"
    finding = _find_only("LABEL_UNRESOLVED", text)

    assert ("warning", 1, 7) == (finding.severity, finding.where.line, finding.where.column)
    assert "did you mean 'The Street'?" == finding.hint
    assert "[go](#the-street)" == _apply_rewrite(text, finding).split("\n")[0]


@pytest.mark.parametrize("label", ["start", "Start"])
def test_a_jump_to_the_title_is_explained(label: str) -> None:
    """A jump to the title explains that the title is not a label."""
    finding = _find_only("LABEL_UNRESOLVED", f"# Start\n\n[go](#{label})\n## Starts\nHi.\n")

    assert "# is the title and ## begins a section: add the heading ## Start" in finding.hint


def test_a_jump_finds_its_section_in_any_case() -> None:
    """A jump finds its heading in any case."""
    assert [] == _find_code("LABEL_UNRESOLVED", "[go](#Start)\n## start\nHi.\n")


def test_an_old_jump_is_repaired_with_the_name_itself() -> None:
    """The edit for a command has the label as it is written."""
    text = "[JUMP label=Strete]\n[LABEL name=Street]\nHi.\n"
    finding = _find_only("LABEL_UNRESOLVED", text)

    assert "[JUMP label=Street]" == _apply_rewrite(text, finding).split("\n")[0]


def test_options_that_lead_nowhere_are_reported_each() -> None:
    """Each option with an unknown target is a finding."""
    text = "- [x](#lost)\n- [y](#gone)\n"

    assert [(1, 8), (2, 8)] == _list_places("LABEL_UNRESOLVED", text)


def test_a_link_to_a_label_of_another_file_is_looked_up_there() -> None:
    """The hint for a link to a label of another file comes from that file."""
    finding = _find_only("LABEL_UNRESOLVED", "[b](b.md#kitchn)\n", "## kitchen\nHi.\n")

    assert "did you mean 'kitchen'?" == finding.hint


def test_a_link_to_a_missing_file_is_reported() -> None:
    """A link to a missing file is reported as that."""
    finding = _find_only("LABEL_UNRESOLVED", "[b](lost.md)\n")

    assert "there is no file 'lost.md'" == finding.message


def test_a_missing_file_is_reported_with_the_nearest_one() -> None:
    """The hint for a missing file is the nearest file of the story."""
    finding = _find_only("LABEL_UNRESOLVED", "[x](b.md)\n[y](bb.md)\n", "Hi.\n")

    assert (2, "did you mean 'b.md'?") == (finding.where.line, finding.hint)


def test_a_forgotten_mark_of_a_label_is_offered() -> None:
    """A link without `#` to the name of a heading gets the label as a hint."""
    text = "[Walk](The-street)\n\n## the street\n\n[Go](#the-street)\n"
    finding = _find_only("LABEL_UNRESOLVED", text)

    assert "did you mean '#the-street'?" == finding.hint


def test_a_link_out_of_the_folder_is_reported_elsewhere() -> None:
    """A link outside the folder is reported by the reader of files, not here."""
    assert [] == _find_code("LABEL_UNRESOLVED", "[b](../lost.md)\n")


def test_visits_of_an_unknown_label_are_reported() -> None:
    """Visits of an unknown label are a finding, with the nearest label."""
    text = '## kitchen\nTime {visits("kitchn")}.\n'
    finding = _find_only("LABEL_UNRESOLVED", text)

    assert (2, 7) == (finding.where.line, finding.where.column)
    assert "did you mean 'kitchen'?" == finding.hint
    assert 'Time {visits("kitchen")}.' == _apply_rewrite(text, finding).split("\n")[1]


def test_a_label_nothing_goes_to_is_a_note() -> None:
    """An unused label or route is a note; an unused section is not."""
    text = "[LABEL name=a]\nHi.\n:::route b\nHi.\n:::\n## c\n[x](#c)\n"
    found = _find_code("LABEL_UNUSED", text)

    assert [("note", "a"), ("note", "b")] == [
        (finding.severity, finding.details["label"]) for finding in found
    ]


@pytest.mark.parametrize("use", ["[JUMP label=a]", '{visits("a")}', '[x](#a "call")', "- [x](#a)"])
def test_a_label_in_use_is_left_alone(use: str) -> None:
    """A label in a jump, a call, an option or a count is used."""
    assert [] == _find_code("LABEL_UNUSED", f"[LABEL name=a]\nHi.\n{use}\n")


def test_a_label_that_may_be_asked_for_is_left_alone() -> None:
    """If the argument of `visits` is computed, every label counts as used."""
    text = '[LABEL name=a]\n[SET n = "a"]\n{visits(n)}\n'

    assert [] == _find_code("LABEL_UNUSED", text)


def test_a_second_label_is_reported_only_as_such() -> None:
    """A duplicate label is not also reported as unused or unreachable."""
    old = "[JUMP label=a]\n[LABEL name=a]\nHi.\n[LABEL name=a]\nHo.\n"
    new = "[x](#a)\n## a\n<!-- ending: x -->\n## a\n<!-- ending: y -->\n"

    assert [] == _find_code("LABEL_UNUSED", old)
    assert [] == _find_code("SECTION_UNREACHABLE", new)


def test_a_name_that_is_written_otherwise_is_not_rewritten() -> None:
    """If the text in the file differs from the label, there is no edit."""
    finding = _find_only("LABEL_UNRESOLVED", "[x](#%E6%A9%8B%E6%A9%8Ba)\n## 橋橋\nHi.\n")

    assert "did you mean '橋橋'?" == finding.hint
    assert "rewrite" not in finding.details


# Ids.


def test_an_id_may_be_given_once() -> None:
    """Lines and options share one set of ids."""
    text = "Hi. {#a}\n- [x](#s) {#a}\n- [y](#s) {#b}\n## s\nHi. {#b}\n"
    found = _find_code("LINE_ID_DUPLICATE", text)

    assert [("error", 2, 1), ("error", 5, 3)] == [
        (f.severity, f.where.line, f.details["first"]) for f in found
    ]


def test_ids_are_one_set_over_all_files() -> None:
    """An id used in another file is a duplicate, and the finding names that file."""
    finding = _find_only("LINE_ID_DUPLICATE", "Hi. {#a}\n[b](b.md)\n", "Hi. {#a}\n")

    assert "b.md" == finding.where.file
    assert "the id 'a' is already on line 1 of 'a.md'" == finding.message


def test_chosen_asks_for_an_option_that_is_there() -> None:
    """An unknown id in `chosen` is a warning with the nearest one."""
    text = '- [x](#s) {#tea}\n- [y](#s)\n## s\n{chosen("tee")} {chosen("tea")}\n'
    finding = _find_only("OPTION_UNRESOLVED", text)

    assert ("warning", 4, 2) == (finding.severity, finding.where.line, finding.where.column)
    assert "did you mean 'tea'?" == finding.hint
    assert '{chosen("tea")} {chosen("tea")}' == _apply_rewrite(text, finding).split("\n")[3]


def test_missing_ids_are_counted_once_per_file() -> None:
    """In a file with ids, lines and options without one are counted."""
    finding = _find_only("IDS_MISSING", "Hi. {#a}\n\nHo.\n- [x](#s)\n- [y](#s)\n## s\nHu.\n")

    assert ("note", 3, 4) == (finding.severity, finding.where.line, finding.details["count"])
    assert "add them with: saniwa fmt --ids a.md" == finding.hint


def test_an_author_without_ids_gets_no_warning() -> None:
    """An id on an option alone does not make ids expected."""
    assert [] == _find_code("IDS_MISSING", "Hi.\n- [x](#s) {#a}\n- [y](#s)\n## s\nHu.\n")


# Choices.


@pytest.mark.parametrize("end", ["{once}", "{if n > 1}", "{show if n > 1}"])
def test_options_that_may_all_be_gone_are_a_warning(end: str) -> None:
    """A choice whose options may all be gone is a warning."""
    text = f"[SET n = 1]\n## s\n- [x](#s) {end}\n- [y](#s) {{once}}\nHi.\n"

    assert [(3, 1)] == _list_places("CHOICE_STUCK", text)


@pytest.mark.parametrize(
    "text",
    [
        "- x {once}\n  X.\n- y {once}\n  Y.\n\nOn.\n",
        "- x {once}\n  - a {once}\n    A.\n  - b {if n > 1}\n    B.\n\nOn.\n",
        "- [x](#s) {once}\n- [y](#s) {if n > 1}\n## s\nHi.\n",
        "## s\n- [x](#s) {once}\n- [leave](#end) {once}\n## end\nHi.\n",
        '- [x](#s "call") {once}\n- y {once}\n  Y.\n\nOn.\n## s\nHi.\n',
    ],
)
def test_a_weave_that_is_passed_once_is_never_stuck(text: str) -> None:
    """A choice that is passed only once cannot run out of options."""
    front = "---\nid: a\nvars: {n: 1}\n---\n"

    assert [] == _find_code("CHOICE_STUCK", front + text)


@pytest.mark.parametrize(
    "text",
    [
        "## s\n- x {once}\n  X.\n- y {once}\n  Y.\n\n[on](#s)\n",
        '## s\n[t](#t "call")\n[u](#s)\n## t\n- x {once}\n  X.\n- y {once}\n  Y.\n',
        "- x {if n > 1}\n  X.\n- y {if n < 1} {once}\n  Y.\n\nOn.\n",
    ],
)
def test_a_choice_that_comes_again_may_be_stuck(text: str) -> None:
    """A choice that flow can reach again, by a jump or a call, may run out of options."""
    front = "---\nid: a\nvars: {n: 1}\n---\n"

    assert 1 == len(_find_code("CHOICE_STUCK", front + text))


@pytest.mark.parametrize(
    "text",
    [
        "- ask\n  A.\n- say nothing\n\nOn.\n",
        "- [a](#b)\n- stay\n\nOn. <!-- ending: e -->\n## b\nB.\n",
        '- tea {#tea}\n- coffee\n\n{chosen("tea"): Tea.|Coffee.}\n',
        "## s\n- ask {once}\n  A.\n- go on\n\nOn.\n\n[again](#s)\n",
        "- a {do wait}\n- nothing\n\nOn.\n",
        "- a {ask}\n- nothing\n\nOn.\n",
    ],
)
def test_an_option_that_only_continues_is_fine(text: str) -> None:
    """An option without effect is fine if another one does more, or if something uses it."""
    assert [] == _find_code("OPTION_EMPTY", text)


@pytest.mark.parametrize(
    ("places", "text"),
    [
        ([(1, 1)], "- tea\n- coffee\n\nOn.\n"),
        ([(1, 1)], "- tea {once}\n- coffee\n\nOn.\n"),
        ([(4, 1)], "## s\n- ask\n  A.\n- stay\n\n[again](#s)\n"),
        ([(2, 1)], "## s\n- tea\n- coffee\n\nOn.\n\n[again](#s)\n"),
    ],
)
def test_an_option_that_changes_nothing_is_a_warning(
    places: list[tuple[int, int]], text: str
) -> None:
    """Options that all have the same effect, or repeat the same choice, are a warning."""
    assert places == _list_places("OPTION_EMPTY", text)


@pytest.mark.parametrize("last", ["- [z](#s)", "- [z](#s) {else}", "- say {ask}"])
def test_one_option_that_is_always_there_is_enough(last: str) -> None:
    """A plain option, a fallback or free words keep a choice available."""
    text = f"- [x](#s) {{once}}\n{last}\n## s\nHi.\n"

    assert [] == _find_code("CHOICE_STUCK", text)


def test_a_fallback_with_a_condition_may_be_gone_too() -> None:
    """A fallback with a condition may be gone too."""
    text = "## s\n- [x](#s) {once}\n- [y](#s) {else} {if n}\nHi.\n"

    assert [(2, 1)] == _list_places("CHOICE_STUCK", text)


def test_a_single_option_is_a_warning() -> None:
    """A choice with a single option is a warning; with a condition it is reported as stuck."""
    assert [(1, 1)] == _list_places("BRANCH_SINGLE", "- [x](#s)\n## s\nHi.\n")
    assert [] == _find_code("BRANCH_SINGLE", "- [x](#s) {once}\n## s\nHi.\n")
    assert [] == _find_code("BRANCH_SINGLE", "- [x](#s)\n- [y](#s)\n## s\nHi.\n")


def test_a_single_question_is_fine() -> None:
    """A single free answer is fine."""
    assert [] == _find_code("BRANCH_SINGLE", "- say {ask}\n  {heard}\n")


@pytest.mark.parametrize(("count", "told"), [(6, 0), (7, 1)])
def test_more_than_six_options_are_a_note(count: int, told: int) -> None:
    """More than six options are a note, not counting a fallback."""
    text = "- [x](#s)\n" * count + "- [y](#s) {else}\n## s\nHi.\n"

    assert told == len(_find_code("OPTIONS_MANY", text))


# Flow.


def test_a_loop_without_a_wait_names_its_lines() -> None:
    """A loop without a wait is one error with all its lines."""
    finding = _find_only("LOOP_WITHOUT_WAIT", "Hi.\n## a\n[SET n = 1]\n[x](#a)\n")

    assert ("error", 2) == (finding.severity, finding.where.line)
    assert [2, 3, 4] == finding.details["lines"]
    assert "through lines 2, 3, 4 without" in finding.message


def test_a_section_without_a_way_to_it_is_a_warning() -> None:
    """A section that cannot be reached is a warning."""
    text = "## a\n[x](#c)\n## b\nHi.\n[y](#c)\n## c\nHi.\n"
    finding = _find_only("SECTION_UNREACHABLE", text)

    assert ("warning", 3, "b") == (finding.severity, finding.where.line, finding.details["label"])
    assert "link to it: [text](#b)" == finding.hint


def test_a_section_that_runs_on_is_a_warning() -> None:
    """A section that runs into the next is a warning at that heading."""
    finding = _find_only("FALL_THROUGH", "Hi.\n## a\nHi.\n## b\nHi.\n")

    assert ("warning", 4) == (finding.severity, finding.where.line)
    assert ("a", "b") == (finding.details["section"], finding.details["into"])


@pytest.mark.parametrize(
    "end", ["[x](#b)", "- [x](#b)\n- [y](#b)", "<!-- ending: x -->", "- [x](#b) {once}"]
)
def test_a_section_that_ends_does_not_run_on(end: str) -> None:
    """A section that ends with a jump, a choice or an ending does not run on."""
    assert [] == _find_code("FALL_THROUGH", f"## a\nHi.\n{end}\n## b\nHi.\n")


def test_a_called_section_may_run_out() -> None:
    """A section that is only called may end at the next heading."""
    text = '## a\n[m](#m "call")\n<!-- ending: x -->\n## m\nHi.\n## n\nHi.\n'

    assert [] == _find_code("FALL_THROUGH", text)


def test_what_is_before_the_first_section_may_run_into_it() -> None:
    """The text before the first section of a file may run into it."""
    texts = "Hi.\n## a\nHi.\n[b](b.md)\n", "Hi.\n## a\nHi.\n"

    assert [] == _find_code("FALL_THROUGH", *texts)


# Variables.


def test_an_undeclared_variable_is_reported_once() -> None:
    """Where variables are declared, an undeclared one is a finding at its first place."""
    text = "---\nid: a\nvars: {trust: 0}\n---\n{trsut} {trust}\n\n[SET trsut = 1]\n"
    finding = _find_only("VARIABLE_UNDECLARED", text)

    assert ("warning", 5, 2) == (finding.severity, finding.where.line, finding.where.column)
    assert [5, 7] == finding.details["lines"]
    assert "did you mean 'trust'?" == finding.hint
    assert "{trust} {trust}" == _apply_rewrite(text, finding).split("\n")[4]


def test_old_scripts_need_no_declarations() -> None:
    """Where none are declared, a variable that is set somewhere is known."""
    text = "[SET name=n value=1]\n[MODIFY name=n op=add value=1]\n{n}\n"

    assert [] == _find_code("VARIABLE_UNDECLARED", text)


@pytest.mark.parametrize("use", ["{n}", "[MODIFY name=n op=add value=1]"])
def test_a_variable_without_a_first_value_is_reported(use: str) -> None:
    """Using or changing a variable that never gets a value is a finding."""
    finding = _find_only("VARIABLE_UNDECLARED", f"{use}\n")

    assert "the variable 'n' is never given a value" == finding.message


def test_an_answer_gives_a_variable_its_value() -> None:
    """An answer sets its variable."""
    text = '[ASK prompt="who?" name=n]\n{n}\n'

    assert [] == _find_code("VARIABLE_UNDECLARED", text)


@pytest.mark.parametrize("name", ["allowed", "reason", "heard"])
def test_what_the_player_sets_is_known(name: str) -> None:
    """The player's three variables need no declaration."""
    text = f"---\nid: a\nvars: {{n: 0}}\n---\n{{n}} {{{name}}}\n"

    assert [] == _find_code("VARIABLE_UNDECLARED", text)


def test_a_variable_that_is_never_read_is_a_warning() -> None:
    """A variable that is never used is a warning."""
    text = "---\nid: a\nvars: {a: 0, b: 0}\n---\n{b}\n"

    assert [(3, 8)] == _list_places("VARIABLE_UNREAD", text)
    assert [(1, 6)] == _list_places("VARIABLE_UNREAD", "[SET c += 1]\n")


def test_a_read_that_cannot_be_parsed_may_be_of_any_variable() -> None:
    """If a line has an error, no variable is reported as unused."""
    text = "---\nid: a\nvars: {a: 0}\n---\n{a > : b}\n"

    assert [] == _list_places("VARIABLE_UNREAD", text)


def test_what_the_player_sets_need_not_be_read() -> None:
    """Clearing a variable of the player without using it is fine."""
    assert [] == _find_code("VARIABLE_UNREAD", '[SET heard = ""]\n')


@pytest.mark.parametrize(
    ("line", "column"),
    [
        ('[SET n = "high"]', 6),
        ("[SET t = 3]", 6),
        ("[SET b = 1]", 6),
        ("[SET t += 1]", 6),
        ('[SET n += "x"]', 6),
        ("[SET b += 1]", 6),
        ('{n == "x": a|b}', 2),
        ("{3 < t: a|b}", 6),
        ("{n > 1 and b == 1: a|b}", 12),
        ("{not (b == 1): a|b}", 7),
    ],
)
def test_a_constant_of_another_kind_is_a_warning(line: str, column: int) -> None:
    """A declared variable that meets a constant of another type is reported once, there."""
    front = "---\nid: a\nvars: {n: 0, t: x, b: false}\n---\n"

    assert [(5, column)] == _list_places("VARIABLE_KIND", f"{front}{line}\n")


@pytest.mark.parametrize(
    "line",
    [
        "[SET n = 1.5]",
        "[SET b = true]",
        "[SET t = n]",
        '[SET t += "x"]',
        "[SET n += 1]",
        "{n + 1 == t: a|b}",
        "{n == -1: a|b}",
        "{!n == true: a|b}",
        "{b == TRUE: a|b}",
        '{visits("x") == 1: a|b}',
        '{n + "x" == "1x": a|b}',
    ],
)
def test_values_that_fit_or_vary_are_left_alone(line: str) -> None:
    """Only a variable alone and a constant are compared by type."""
    front = "---\nid: a\nvars: {n: 0, t: x, b: false}\n---\n"

    assert [] == _find_code("VARIABLE_KIND", f"{front}{line}\n")


# The stage.


def test_an_undeclared_speaker_is_reported_once() -> None:
    """An undeclared speaker is one finding at the first line, with the nearest name."""
    text = "---\nid: a\ncast: [Ben, Ann]\n---\nBen: Hi.\nBne: Ho.\nBne: Hu.\n"
    finding = _find_only("SPEAKER_UNKNOWN", text)

    assert ("warning", 6, [6, 7]) == (
        finding.severity,
        finding.where.line,
        finding.details["lines"],
    )
    assert "did you mean 'Ben'?" == finding.hint
    assert "Ben: Ho." == _apply_rewrite(text, finding).split("\n")[5]


def test_speakers_come_from_both_declarations() -> None:
    """Speakers are declared in the front matter and in characters.yaml."""
    text = "---\nid: a\ncast: [Ben]\n---\nBen: Hi.\nAnn: Ho.\nCid: Hu.\n"
    finding = _find_only("SPEAKER_UNKNOWN", text, cast=("Ann",))

    assert "Cid" == finding.details["speaker"]


def test_without_declared_speakers_anyone_may_speak() -> None:
    """Without a cast any name may speak; an empty cast allows none."""
    assert [] == _find_code("SPEAKER_UNKNOWN", "Ben: Hi.\n")
    assert 1 == len(_find_code("SPEAKER_UNKNOWN", "Ben: Hi.\n", cast=()))


@pytest.fixture
def asset_folder(tmp_path: Path) -> FolderAssets:
    """A folder with one picture and one piece of music."""
    for name in ("images/bridge.png", "bgm/rain.ogg"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_bytes(b"")
    return FolderAssets(tmp_path)


def test_an_asset_that_is_not_there_is_reported_once(asset_folder: FolderAssets) -> None:
    """A missing asset is one finding at its first place, with the nearest name of its kind."""
    line = "[SHOW_IMAGE file=brigde]\n"
    finding = _find_only("ASSET_UNRESOLVED", line + line, assets=asset_folder)

    assert ("warning", 1, 18) == (finding.severity, finding.where.line, finding.where.column)
    assert "did you mean 'bridge'?" == finding.hint
    assert "[SHOW_IMAGE file=bridge]" == _apply_rewrite(line, finding).rstrip()


def test_assets_of_front_matter_are_looked_for_too(asset_folder: FolderAssets) -> None:
    """A missing asset of the front matter is reported at its value."""
    text = "---\nid: a\nbackground: bridge\nbgm: snow\n---\nHi.\n"

    assert [(4, 6)] == _list_places("ASSET_UNRESOLVED", text, assets=asset_folder)


def test_an_asset_outside_is_a_warning(asset_folder: FolderAssets) -> None:
    """An asset outside the folder is a warning, and is not also reported as missing."""
    text = "[SHOW_IMAGE file=../x]\n"

    assert "warning" == _find_only("ASSET_OUTSIDE", text, assets=asset_folder).severity
    assert [] == _find_code("ASSET_UNRESOLVED", text, assets=asset_folder)


def test_without_a_folder_assets_are_counted_in_one_warning() -> None:
    """Without an asset folder, all assets are one warning with their count."""
    text = "[SHOW_IMAGE file=x]\n[PLAY_BGM name=y]\n[PLAY_BGM name=y]\n"
    finding = _find_only("ASSET_UNRESOLVED", text)

    assert ("warning", 2) == (finding.severity, finding.details["count"])


def test_a_folder_that_is_named_and_not_there_is_missed() -> None:
    """If the front matter names a missing asset folder, each asset is a warning."""
    text = "---\nid: a\nassets: art\n---\n[SHOW_IMAGE file=x]\n[PLAY_SE name=y]\n"
    found = _find_code("ASSET_UNRESOLVED", text)

    assert ["warning", "warning"] == [finding.severity for finding in found]


# The world, and the front matter.

_WORLDLY = [
    ("Hi. {do take key}", 1),
    (":::do take key\nHi.\n:::", 1),
    ("- [x](#s) {do take key}\n- [y](#s)\n## s\nHi.", 1),
    ('[ASK prompt="well?"]', 1),
    ('{flag("x")} {place("x")} {holds("x","y")} {here("x")} {state("x")}', 5),
]


@pytest.mark.parametrize(("text", "count"), _WORLDLY)
def test_what_needs_a_world_is_an_error_without_one(text: str, count: int) -> None:
    """Actions, free words and facts are errors without `scenario:`."""
    found = _find_code("WORLD_MISSING", f"{text}\n")

    assert ["error"] * count == [finding.severity for finding in found]


@pytest.mark.parametrize("text", [text for text, _ in _WORLDLY])
def test_on_a_world_all_of_it_is_fine(text: str) -> None:
    """With `scenario:` they are fine."""
    front = "---\nid: a\nscenario: flat\n---\n"

    assert [] == _find_code("WORLD_MISSING", f"{front}{text}\n")


def test_an_answer_that_is_kept_needs_no_world() -> None:
    """An answer with a variable needs no world."""
    assert [] == _find_code("WORLD_MISSING", '[ASK prompt="who?" name=n]\n{n}\n')


def test_free_words_next_to_options_need_no_world() -> None:
    """Free words along with options need no world."""
    assert [] == _find_code("WORLD_MISSING", "- say {ask}\n  Hi.\n- no\n  Ho.\n")


def test_front_matter_without_an_id_is_a_warning() -> None:
    """Front matter without an id is a warning; a story without front matter is not."""
    assert [(1, 1)] == _list_places("SCENE_ID_MISSING", "---\ntitle: T\n---\nHi.\n")
    assert [] == _find_code("SCENE_ID_MISSING", "Hi.\n")


def test_an_id_that_is_not_text_is_reported_once() -> None:
    """An invalid id is reported when the front matter is read, not here."""
    assert [] == _find_code("SCENE_ID_MISSING", "---\nid: [a]\n---\nHi.\n")


# All together.


@pytest.mark.parametrize("bound", ["MOST_GUESSES", "MOST_COMPARED"])
def test_near_names_are_looked_for_only_so_often(
    bound: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number of searches for near names is limited; further findings have no suggestion."""
    monkeypatch.setattr(context, bound, 2)
    text = "- [x](#streat)\n" * 4 + "## street\nHi.\n"
    hints = [finding.hint for finding in _find_code("LABEL_UNRESOLVED", text)]

    assert [True, True, False, False] == ["street" in hint for hint in hints]


def test_findings_come_in_an_order_that_never_changes() -> None:
    """Findings are sorted by name, independent of the order of sets."""
    found = _find_code("VARIABLE_UNDECLARED", "{e} {b} {a} {d} {c}\n")

    assert ["a", "b", "c", "d", "e"] == [each.details["variable"] for each in found]


@pytest.mark.parametrize(("label", "unreachable"), [("streat", 0), ("elsewhere", 1)])
def test_a_section_that_a_misspelled_link_means_is_not_unreachable(
    label: str, unreachable: int
) -> None:
    """A section whose only link is misspelt is not reported as unreachable."""
    end = "## end\n\nBye. <!-- ending: x -->"
    text = f"- [Walk](#{label})\n- [Go](#end)\n\n{end}\n\n## street\n\nBye.\n"

    assert 1 == len(_find_code("LABEL_UNRESOLVED", text))
    assert unreachable == len(_find_code("SECTION_UNREACHABLE", text))
