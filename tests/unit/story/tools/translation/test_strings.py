from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saniwa.core.errors import ScriptError
from saniwa.core.findings import Finding
from saniwa.story.player import Player
from saniwa.story.program import Program
from saniwa.story.step_result import Say
from saniwa.story.story import parse_story
from saniwa.story.tools.translation import (
    TranslationRow,
    TranslationTable,
    classify_row,
    encode_table,
    list_texts,
    merge_translations,
    parse_translations,
    read_translations,
    translate_story,
)

_STORY = """\
Ann: Good {n} morning. {#a}

It rains. {#b}
- Tea {#c}
  x {#d}
[ASK prompt="Name?" name=who]
[ENDING id=e name=Home]
"""


def _compile_text(text: str = _STORY) -> Program:
    return parse_story(text).program


def _translate(text: str, table: TranslationTable) -> tuple[Program, list[Finding]]:
    story = translate_story(parse_story(text), table)
    found = story.report.findings
    return story.program, [each for each in found if each.code.startswith("TRANSLATION")]


def _make_table(*rows: tuple[str, str, str]) -> TranslationTable:
    made = (TranslationRow(id=id, text=text, translation=said) for id, text, said in rows)
    return TranslationTable(file="t.csv", rows=tuple(made))


def _find_row(table: TranslationTable, id: str) -> TranslationRow:
    return next(row for row in table.rows if row.id == id)


def test_every_text_people_read_is_reported_once() -> None:
    """Speakers, lines, options, questions and endings have a row each."""
    ids = [each.id for each in list_texts(_compile_text("Ann: Hi. {#z}\n" + _STORY))]

    assert ["speaker:Ann", "z", "a", "b", "c", "d"] == ids[:6]
    assert ["ask", "ending"] == [id.partition(":")[0] for id in ids[6:]]


def test_texts_come_in_reading_order() -> None:
    """Rows are in reading order: an option, its lines, the next option."""
    text = "A. {#a}\n- b {#b}\n  C. {#c}\n  - d {#d}\n    E. {#e}\n- f {#f}\n  G. {#g}\n"

    assert list("abcdefg") == [each.id for each in list_texts(_compile_text(text))]


def test_the_title_has_a_row_and_is_translated() -> None:
    """The row `title` translates the title."""
    story = parse_story("# Rain\nHi. {#a}\n")
    first, *_ = merge_translations(story.program, TranslationTable(), story.title).rows
    table = _make_table(("title", "Rain", "雨"), ("a", "Hi.", "やあ。"))
    new = translate_story(story, table)

    assert ("title", "Rain") == (first.id, first.text)
    assert "雨" == new.title
    assert story.report == new.report
    assert "やあ。" in str(Player(new.program).step())


def test_a_line_may_be_called_title() -> None:
    """A line with the id `title` gets its own row."""
    story = parse_story("# Rain\nHi. {#title}\n")
    new = translate_story(story, _make_table(("title", "Hi.", "やあ。"), ("title:", "Rain", "雨")))

    assert "雨" == new.title
    assert "やあ。" in str(Player(new.program).step())


def test_a_line_that_got_another_id_keeps_its_translation() -> None:
    """A line whose id has changed keeps its translation, found by its text and order."""
    old = _compile_text("Hi.\n\nHo.\n\nHi.\n")
    ids = [each.id for each in list_texts(old)]
    said = dict(zip(ids, ("一", "二", "三"), strict=True))
    table = _make_table(*((each.id, each.text, said[each.id]) for each in list_texts(old)))
    new = merge_translations(_compile_text("Hi. {#a}\n\nHo. {#b}\n\nHi. {#c}\n"), table)

    assert [("a", "一"), ("b", "二"), ("c", "三")] == [
        (row.id, row.translation) for row in new.rows
    ]


def test_a_new_table_has_every_text_and_no_translation() -> None:
    """A new table has every text, without translations."""
    new = merge_translations(_compile_text(), TranslationTable())

    assert "Good {n} morning." == _find_row(new, "a").text
    assert "Ann" == _find_row(new, "a").speaker
    assert {""} == {row.translation + row.note for row in new.rows}


def test_a_changed_text_keeps_its_translation_and_says_what_it_was() -> None:
    """A changed text keeps its translation, with the old text in the note."""
    before = _make_table(("b", "It snows.", "雪だ。"))
    changed = merge_translations(_compile_text(), before)
    again = merge_translations(_compile_text(_STORY.replace("rains", "pours")), changed)
    back = merge_translations(_compile_text(_STORY.replace("rains", "snows")), again)

    assert ("雪だ。", "changed: It snows.") == _read_translation(changed)
    assert "changed" == classify_row(_find_row(changed, "b"))
    assert ("雪だ。", "changed: It snows.") == _read_translation(again)
    assert ("雪だ。", "") == _read_translation(back)


def _read_translation(table: TranslationTable) -> tuple[str, str]:
    row = _find_row(table, "b")
    return row.translation, row.note


def test_a_text_that_is_gone_moves_to_the_end_and_may_come_back() -> None:
    """The translation of a removed text moves to the end, and returns with its text."""
    gone = merge_translations(
        _compile_text(), _make_table(("y", "No.", ""), ("z", "Old.", "古い。"))
    )
    back = merge_translations(_compile_text(_STORY + "\nOld. {#z}\n"), gone)

    assert "y" not in {row.id for row in gone.rows}
    assert ("z", "古い。", "gone") == (
        gone.rows[-1].id,
        gone.rows[-1].translation,
        gone.rows[-1].note,
    )
    assert ("古い。", "") == (_find_row(back, "z").translation, _find_row(back, "z").note)


def test_a_translators_own_note_and_columns_stay() -> None:
    """A translator's notes and columns are kept after every merge."""
    text = "id,text,translation,note,who\nb,It snows.,雪,ask Ann,me\nz,Old.,,mine,\n"
    new = merge_translations(_compile_text(), parse_translations(text))
    back = merge_translations(_compile_text(_STORY.replace("rains", "snows")), new)

    assert ("who",) == new.more
    assert "ask Ann\nchanged: It snows." == _find_row(new, "b").note
    assert ("me",) == _find_row(new, "b").more
    assert "mine\ngone" == _find_row(new, "z").note
    assert "ask Ann" == _find_row(back, "b").note


@pytest.mark.parametrize("note", ["gone", "changed: ask Ann about tone", "changed: "])
def test_a_note_next_to_no_translation_is_the_translators(note: str) -> None:
    """A note without a translation is the translator's, and is kept."""
    alive = merge_translations(
        _compile_text(), parse_translations(f"id,text,translation,note\nb,Old.,,{note}\n")
    )
    gone = merge_translations(
        _compile_text(), parse_translations(f"id,text,translation,note\nz,Old.,,{note}\n")
    )
    again = merge_translations(_compile_text(), gone)
    back = merge_translations(_compile_text(_STORY + "\nOld. {#z}\n"), gone)

    assert (note, "missing") == (_find_row(alive, "b").note, classify_row(_find_row(alive, "b")))
    assert f"{note}\ngone" == _find_row(gone, "z").note == _find_row(again, "z").note
    assert "gone" == classify_row(_find_row(gone, "z"))
    assert note == _find_row(back, "z").note


def test_a_row_of_nothing_but_an_extra_cell_stays_when_its_text_is_gone() -> None:
    """A row with only a cell of the translator is kept when its text is removed."""
    new = merge_translations(
        _compile_text(), parse_translations("id,text,translation,who\nz,Old.,,me\n")
    )
    back = merge_translations(_compile_text(_STORY + "\nOld. {#z}\n"), new)

    assert (("me",), "gone") == (_find_row(new, "z").more, _find_row(new, "z").note)
    assert "" == _find_row(back, "z").note


@pytest.mark.parametrize("said", ["'tis", "'", "''", "'=a", "'12", "'-x' she said"])
def test_a_translation_that_begins_with_a_quote_reads_back(said: str) -> None:
    """A quote at the beginning of a translation is kept."""
    written = encode_table(TranslationTable(rows=(TranslationRow(id="a", translation=said),)))

    assert said == parse_translations(written.decode()).rows[0].translation


def test_a_link_out_of_its_folder_is_not_followed(tmp_path: Path) -> None:
    """A table may be a link within its folder, but not to another one."""
    inside = tmp_path / "story"
    inside.mkdir()
    (tmp_path / "secret.csv").write_text("id,translation\na,b\n")
    (inside / "real.csv").write_text("id,translation\na,b\n")
    (inside / "out.csv").symlink_to("../secret.csv")
    (inside / "in.csv").symlink_to("real.csv")

    assert "b" == read_translations(inside / "in.csv").rows[0].translation
    with pytest.raises(ScriptError, match="a symbolic link to another folder"):
        read_translations(inside / "out.csv")


def test_links_that_go_round_are_reported(tmp_path: Path) -> None:
    """A link to itself is an error."""
    (tmp_path / "a.csv").symlink_to("b.csv")
    (tmp_path / "b.csv").symlink_to("a.csv")

    with pytest.raises(ScriptError, match="the translations cannot be read: ") as caught:
        read_translations(tmp_path / "a.csv")
    assert "TRANSLATIONS_UNREADABLE" == caught.value.code


@given(
    st.lists(
        st.tuples(st.text(max_size=20), st.text(max_size=20), st.sampled_from(["", "n"])),
        max_size=6,
    )
)
def test_any_table_reads_back_as_it_was_written(cells: list[tuple[str, str, str]]) -> None:
    """Any cell is read back as it was written."""
    rows = tuple(
        TranslationRow(
            id=f"{n}", text=_normalize_lines(text), translation=_normalize_lines(said), note=note
        )
        for n, (text, said, note) in enumerate(cells)
    )
    read = parse_translations(encode_table(TranslationTable(rows=rows)).decode())

    assert [_list_cells(row) for row in rows] == [_list_cells(row) for row in read.rows]


def _normalize_lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _list_cells(row: TranslationRow) -> tuple[str, ...]:
    return row.id, row.text, row.translation, row.note


@pytest.mark.parametrize("cell", ["=1+1", "+x", "-x", "@x", "\tx", "'=x", "1e5", "3/4"])
def test_no_cell_is_taken_for_a_formula_or_number(cell: str) -> None:
    """A cell that a spreadsheet would compute has a ' before it in the file only."""
    written = encode_table(_make_table(("a", "x", cell)))

    assert f"'{cell}".encode() in written
    assert cell == parse_translations(written.decode()).rows[0].translation


@pytest.mark.parametrize("parting", [",", ";", "\t"])
def test_tables_of_other_spreadsheets_are_read(parting: str, tmp_path: Path) -> None:
    """Semicolons, tabs, a byte order mark and other line endings are accepted."""
    path = tmp_path / "t.csv"
    text = parting.join(["id", "translation"]) + "\r" + parting.join(["a", "はい"])
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())

    assert [("a", "はい")] == [(r.id, r.translation) for r in read_translations(path).rows]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a,b\n1,2\n", 1),
        ("id,translation\na,x\na,y\n", 3),
        ("id,translation\n,x\n", 2),
        ("id,translation\na,x,y\n", 2),
        ('id,translation\na,"x\n', 2),
        ("id,translation,id\n", 1),
    ],
)
def test_a_table_that_could_lose_work_is_refused(text: str, line: int) -> None:
    """A table with ambiguous rows is refused with the place."""
    with pytest.raises(ScriptError) as caught:
        parse_translations(text, "t.csv")

    assert "TRANSLATIONS_UNREADABLE" == caught.value.code
    assert caught.value.where is not None
    assert line == caught.value.where.line


def test_a_translated_story_shows_the_translation() -> None:
    """A translated story shows the translation, with values filled in."""
    table = _make_table(("speaker:Ann", "Ann", "アン"), ("a", "Good {n} morning.", "おはよう{n}。"))
    program, findings = _translate(_STORY, table)
    said = Player(program, variables={"n": 3}).step().directives[0]

    assert Say.build("アン", "おはよう3。", "a") == said
    assert _compile_text().fingerprint == program.fingerprint
    assert {"TRANSLATION_MISSING"} == {f.code for f in findings}


@pytest.mark.parametrize(
    ("said", "severity"),
    [("{n +}", "error"), ("{n", "error"), ("{roll(1,6)}", "error"), ("Oh{m}.", "warning")],
)
def test_a_translation_that_cannot_be_used_is_found(said: str, severity: str) -> None:
    """Bad braces, random functions and unknown names in a translation are findings in the table."""
    table = parse_translations(f'id,text,translation\nb,It rains.,"{said}"\n', "t.csv")
    program, findings = _translate(_STORY, table)
    (found,) = [f for f in findings if f.code == "TRANSLATION_MALFORMED"]
    player = Player(program)
    player.step()
    shown = [d.args.text for d in player.step().directives if isinstance(d, Say)]

    assert (severity, "t.csv", 2) == (found.severity, found.where.file, found.where.line)
    assert ["It rains." if severity == "error" else "Oh."] == shown


def test_a_translation_of_another_text_is_reported() -> None:
    """A translation of an older text is used, with a finding."""
    _, findings = _translate(_STORY, _make_table(("b", "It snows.", "雪")))

    assert "TRANSLATION_CHANGED" in {f.code for f in findings}


def test_letters_that_mean_something_read_back_from_the_table() -> None:
    """An escaped brace is escaped in the table too."""
    text = "A \\{brace} and \\\\. {#a}\n"
    program = _compile_text(text)
    (row,) = merge_translations(program, TranslationTable()).rows
    copied, findings = _translate(text, _make_table(("a", row.text, row.text)))

    assert "A \\{brace} and \\\\." == row.text
    assert [] == findings
    assert program.ops == copied.ops
