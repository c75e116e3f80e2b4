import csv
import json
import re
import stat
from pathlib import Path
from shlex import quote
from typing import Any

import pytest
from click.testing import CliRunner, Result

from saniwa.cli.main import saniwa
from saniwa.cli.story_tools import _write_table
from saniwa.core.errors import ScriptError
from saniwa.story.tools.translation import TranslationTable

_BAD = "# 灯台\nこんにちは {n +} 花子\n[SHOW_IMGE file=x]\n[JUMP label=gone]\n"
_OLDER = "## a\n[BRANCH choice=x label=a, choice=y label=a]\n"
_OLD = "[SAY speaker=Ann] Hi.\n[JUMP label=a]\n## a\nEnd.\n"


@pytest.fixture(autouse=True)
def _enter_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test starts in an empty folder."""
    monkeypatch.chdir(tmp_path)


def _run_command(*words: str, typed: str | None = None) -> Result:
    return CliRunner().invoke(saniwa, list(words), input=typed, catch_exceptions=False)


def _read_answer(*words: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(_run_command(*words).stdout)
    return document


def _write_file(name: str, text: str) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def test_every_mistake_is_shown_with_its_line_and_a_caret_below_it() -> None:
    """All findings are shown at once, with the caret at the right column; the status is 1."""
    _write_file("bad.md", _BAD)
    result = _run_command("check", "bad.md")
    lines = result.stdout.split("\n")
    quoted = lines.index("     2 | こんにちは {n +} 花子")

    assert 1 == result.exit_code
    assert "       | " + " " * 15 + "^" == lines[quoted + 1]
    assert "error[COMMAND_UNKNOWN]" in result.stdout
    assert "2 errors, 1 warning, 1 note in 1 file" == lines[-2]


def test_findings_are_shown_in_japanese() -> None:
    """With `--language ja` messages and hints are Japanese; codes, places and fields stay."""
    _write_file("bad.md", _BAD)
    english = _read_answer("check", "bad.md", "--json")
    told = _read_answer("check", "bad.md", "--language", "ja", "--json")
    changed = {"message": "", "hint": ""}

    assert all(not each["message"].isascii() for each in told["findings"])
    assert "'SHOW_IMGE'というコマンドはありません" in [each["message"] for each in told["findings"]]
    assert [each | changed for each in english.pop("findings")] == [
        each | changed for each in told.pop("findings")
    ]
    assert english == told
    assert "  hint: 'SHOW_IMAGE'のことですか" in _run_command(
        "check", "bad.md", "--language", "ja"
    ).stdout.split("\n")


def test_lines_are_quoted_whatever_ends_them() -> None:
    """Lines are counted and quoted with any kind of line end."""
    _write_file("cr.md", "One.\r[NOPE]\rThree.\r")

    assert "     2 | [NOPE]\n       | ^\n" in _run_command("check", "cr.md").stdout


def test_a_clean_story_is_reported_in_one_line() -> None:
    """A story without findings is reported in one line with its size; no sections are not counted."""
    _write_file("clean.md", "# Title\nHi.\n")
    _write_file("parts.md", "# Title\n## One\nHi.\n")

    assert "clean.md: no findings (2 lines)\n" == _run_command("check", "clean.md").stdout
    assert (
        "parts.md: no findings (3 lines, 1 section)\n" == _run_command("check", "parts.md").stdout
    )


def test_a_file_that_is_not_named_as_markdown_is_reported_as_read_so() -> None:
    """The check of a file without `.md` says that it was read as Markdown."""
    _write_file("plain.txt", "Hi.\n")

    assert (
        "plain.txt: no findings (1 line; 'plain.txt' was read as Markdown: name a story NAME.md)\n"
        == _run_command("check", "plain.txt").stdout
    )


def test_strict_makes_warnings_fail_and_quiet_shows_only_what_fails() -> None:
    """With `--strict` warnings fail a check; `--quiet` shows only what makes it fail."""
    _write_file("old.md", _OLDER)

    assert 0 == _run_command("check", "old.md").exit_code
    assert 1 == _run_command("check", "old.md", "--strict").exit_code
    assert "" == _run_command("check", "old.md", "--quiet").stdout
    assert "OLD_NOTATION" in _run_command("check", "old.md", "--quiet", "--strict").stdout


def test_machines_get_one_object() -> None:
    """With `--json` the answer has counts, files and every finding in parts."""
    _write_file("bad.md", _BAD)
    answer = _read_answer("check", "bad.md", "--json")

    assert (False, "error", ["bad.md"]) == (answer["ok"], answer["status"], answer["files"])
    assert (2, 1, 1) == (answer["error_count"], answer["warning_count"], answer["note_count"])
    assert {"code", "line", "column", "file", "hint"} <= answer["findings"][0].keys()


def test_a_file_that_cannot_be_read_leaves_with_3_and_the_rest_is_checked() -> None:
    """A file that cannot be read exits with status 3, and the others are checked."""
    _write_file("bad.md", _BAD)
    result = _run_command("check", "missing.md", "bad.md")

    assert 3 == result.exit_code
    assert "STORY_UNREADABLE" in result.stdout
    assert "COMMAND_UNKNOWN" in result.stdout
    assert 3 == _run_command("check", "missing.md", "--json").exit_code


def test_a_folder_is_checked_story_by_story() -> None:
    """A linked file is checked with its story, once; hidden files are skipped."""
    _write_file("s/a.md", "Hi.\n[b](b.md)\n")
    _write_file("s/b.md", _BAD)
    _write_file("s/.c.md", _BAD)
    answer = _read_answer("check", "s", "--json")

    assert ["s/a.md", "s/b.md"] == answer["files"]
    assert 2 == answer["error_count"]


def test_files_in_a_ring_are_checked_from_the_first() -> None:
    """Files that link to each other are checked, starting with the first."""
    _write_file("s/a.md", "Hi.\n[b](b.md)\n")
    _write_file("s/b.md", "Ho.\n[a](a.md)\n")

    assert ["s/a.md", "s/b.md"] == _read_answer("check", "s", "--json")["files"]


def test_a_link_to_itself_makes_no_file_a_part_of_another() -> None:
    """A file that links to itself is not a story of its own if another links to it."""
    _write_file("s/a.md", "Hi {n}.\n[SET m = n]\n{m}\n")
    _write_file("s/z.md", "---\nid: z\nvars: {n: 1, m: 0}\n---\n[a](a.md)\n## y\n[y](z.md#y)\n")
    codes = [f["code"] for f in _read_answer("check", "s", "--json")["findings"]]

    assert "VARIABLE_UNDECLARED" not in codes


@pytest.mark.parametrize(
    "command",
    ["check", "fmt", "test", "routes", "graph", "trace", "dump", "story stats", "story strings"],
)
def test_a_scenario_is_sent_to_its_own_check(command: str) -> None:
    """A command for stories refuses a scenario, with the command that checks it."""
    _write_file("world.yaml", "description: x\n")
    more = ["--language", "de"] if command == "story strings" else []
    result = _run_command(*command.split(), "world.yaml", *more)

    assert 2 == result.exit_code
    assert "saniwa scenario check world.yaml" in result.output


def test_sarif_names_every_rule_it_uses() -> None:
    """With `--sarif` the answer has the same findings and each of their rules."""
    _write_file("bad.md", _BAD)
    (run,) = _read_answer("check", "bad.md", "--sarif")["runs"]
    rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}

    assert 4 == len(run["results"])
    assert rules == {result["ruleId"] for result in run["results"]}


def test_fmt_rewrites_the_file_and_keeps_its_mode_and_mark() -> None:
    """`fmt` keeps the file's mode and line ends, and a second time changes nothing."""
    path = _write_file("old.md", "\ufeff" + _OLD.replace("\n", "\r\n"))
    path.chmod(0o640)
    told = _run_command("fmt", "old.md").stdout

    assert "old.md: 2 changes\n" == told
    assert b"\xef\xbb\xbfAnn: Hi.\r\n[a](#a)\r\n## a\r\nEnd.\r\n" == path.read_bytes()
    assert 0o640 == stat.S_IMODE(path.stat().st_mode)
    assert "old.md: nothing to rewrite\n" == _run_command("fmt", "old.md").stdout
    assert ["old.md"] == [each.name for each in Path().iterdir()]


def test_fmt_writes_through_a_link() -> None:
    """`fmt` rewrites the file that a symbolic link refers to, and keeps the link."""
    _write_file("real.md", _OLD)
    Path("link.md").symlink_to("real.md")
    _run_command("fmt", "link.md")

    assert Path("link.md").is_symlink()
    assert Path("real.md").read_text().startswith("Ann: Hi.")


@pytest.mark.parametrize(
    ("flags", "code", "shown"),
    [
        (["--check"], 1, "old.md: 2 changes to make"),
        (["--diff"], 0, "+Ann: Hi."),
        (["--check", "--diff"], 1, "-[SAY speaker=Ann] Hi."),
        (["--stdout"], 0, "Ann: Hi."),
    ],
)
def test_fmt_can_tell_without_writing(flags: list[str], code: int, shown: str) -> None:
    """With `--check`, `--diff` or `--stdout` the file is not changed."""
    path = _write_file("old.md", _OLD)
    result = _run_command("fmt", "old.md", *flags)

    assert code == result.exit_code
    assert shown in result.stdout
    assert _OLD == path.read_text()


def test_fmt_gives_the_files_of_one_story_different_ids() -> None:
    """The files of one story get different ids, whether formatted together or one by one."""
    _write_file("main.md", "## a\nHi.\n[on](part.md#a)\n")
    _write_file("part.md", "## a\nHi.\n")
    _run_command("fmt", ".", "--ids")
    _write_file("part.md", Path("part.md").read_text() + "\nHe.\n")
    _run_command("fmt", "part.md", "--ids")

    written = Path("main.md").read_text() + Path("part.md").read_text()
    ids = re.findall(r"\{#(a-\w{8})\}", written)
    assert (3, 3) == (len(ids), len(set(ids)))


def test_a_story_is_translated_and_kept_up_to_date() -> None:
    """A translation survives changes of the story: changed texts are reported, none is lost."""
    path = _write_file("s.md", "Ann: Hi. {#a}\n\nBye. {#b}\n")
    first = _run_command("story", "strings", "s.md", "--language", "ja")
    _translate(Path("s.ja.csv"), {"a": "やあ。", "b": "またね。"})
    done = _run_command("story", "strings", "s.md", "--language", "ja", "--check")
    path.write_text("Ann: Hello. {#a}\n\nBye. {#b}\n")
    changed = _run_command("story", "strings", "s.md", "--language", "ja", "--check")
    answer = _read_answer("story", "strings", "s.md", "--language", "ja", "--json")

    assert "s.ja.csv: 3 texts, 2 missing, 0 changed, 0 gone\n" == first.stdout
    assert 0 == done.exit_code
    assert 1 == changed.exit_code
    assert "TRANSLATION_CHANGED" in changed.stdout
    assert (1, 0) == (answer["changed"], answer["missing"])
    assert "やあ。" in Path("s.ja.csv").read_text(encoding="utf-8")


def _translate(path: Path, said: dict[str, str]) -> None:
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0].keys())
        writer.writeheader()
        for row in rows:
            writer.writerow(row | {"translation": said.get(row["id"], "")})


@pytest.mark.parametrize("file", [".", "", "/", ".."])
def test_a_folder_is_no_story_to_translate(file: str) -> None:
    """A folder or an empty name in place of a story's file is an error."""
    with pytest.raises(ScriptError) as caught:
        _run_command("story", "strings", file, "--language", "ja")

    assert "STORY_UNREADABLE" == caught.value.code


def test_a_table_that_was_changed_in_the_meantime_is_not_overwritten() -> None:
    """A translation table that was changed in the meantime is not overwritten."""
    _write_file("s.ja.csv", "id,translation\na,mine\n")
    with pytest.raises(ScriptError, match="changed the translations at the same time"):
        _write_table("s.ja.csv", TranslationTable(), b"id,translation\na,before\n")
    with pytest.raises(ScriptError, match="changed the translations at the same time"):
        _write_table("s.ja.csv", TranslationTable(), None)

    assert ["s.ja.csv"] == [each.name for each in Path().iterdir()]
    assert "id,translation\na,mine\n" == Path("s.ja.csv").read_text()


def test_a_table_is_not_written_through_a_link_out_of_the_folder(tmp_path: Path) -> None:
    """A table that is a symbolic link to another folder is refused."""
    _write_file("story/s.md", "Hi.\n")
    Path("story/s.ja.csv").symlink_to(tmp_path / "elsewhere.csv")
    Path("story/s.de.csv").symlink_to("s.de.csv")
    for language in ("ja", "de"):
        with pytest.raises(ScriptError) as caught:
            _run_command("story", "strings", "story/s.md", "--language", language)
        assert "TRANSLATIONS_UNREADABLE" == caught.value.code

    assert not Path("elsewhere.csv").exists()


@pytest.mark.parametrize("language", ["../x", "german", "j", "ja-", "ja_JP", ""])
def test_a_language_is_a_tag(language: str) -> None:
    """The language must be a tag, because it becomes a part of a file name."""
    _write_file("s.md", "Hi.\n")
    result = _run_command("story", "strings", "s.md", "--language", language)

    assert 2 == result.exit_code
    assert "such as de, ja or pt-BR" in result.stderr
    assert ["s.md"] == [each.name for each in Path().iterdir()]


@pytest.mark.parametrize("language", ["de", "ja", "pt-BR", "zh-Hant-TW", "haw"])
def test_a_language_may_have_parts(language: str) -> None:
    """A language tag may have several parts."""
    _write_file("s.md", "Hi.\n")

    assert 0 == _run_command("story", "strings", "s.md", "--language", language).exit_code


def test_what_is_not_translated_takes_a_line_each_after_the_mistakes() -> None:
    """Mistakes in a translation come first; missing texts follow in one line each."""
    long = "word " * 30 + "end."
    _write_file("s.md", f"# Rain\nOne. {{#a}}\n\n{long} {{#b}}\n\n{long} {{#c}}\n")
    _write_file("s.ja.csv", f"id,text,translation\nc,{long},{{n\n")
    shown = _run_command("story", "strings", "s.md", "--language", "ja", "--check").stdout
    mistake, missing = shown.split(": not translated yet:\n")

    assert mistake.startswith("error[TRANSLATION_MALFORMED]: the translation of")
    assert f"'{long}'" in mistake
    assert "  at s.ja.csv:2\n" in mistake
    assert "  hint: " in mistake
    assert (
        "  s.md      title  Rain\n"
        "  s.md:2:1  a      One.\n"
        f"  s.md:4:1  b      {long}\n"
        "\n"
        "s.ja.csv: 4 texts, 3 missing, 0 changed, 0 gone\n"
    ) == missing


def test_stories_are_listed_by_the_names_that_play_finds() -> None:
    """`story list` shows own and included stories with their languages, as text and as JSON."""
    _write_file("stories/tale.md", "# A tale\n\nHello.\n")
    _write_file("stories/tale.ja.md", "# 物語\n\nこんにちは。\n")
    own, included = (
        {"id": "tale", "file": "stories/tale.md"},
        {"id": "lantern-island", "file": None},
    )
    rows = [
        {key: each[key] for key in ("id", "file")}
        for each in _read_answer("story", "list", "--json")["stories"]
    ]

    assert [included, own] == rows
    assert "tale                 A tale (ja)" in _run_command("story", "list").stdout
    assert ["lantern-island"] == [
        each["id"]
        for each in _read_answer("story", "list", "--stories", "none", "--json")["stories"]
    ]


def test_stats_tell_how_long_a_story_is() -> None:
    """`story stats` shows words, lines and reading time, as text and as JSON."""
    _write_file("s.md", "# Rain\n" + "word " * 200 + "\n")
    answer = _read_answer("story", "stats", "s.md", "--json")

    assert "1 min 00 s" in _run_command("story", "stats", "s.md").stdout
    assert (200, 60) == (answer["size"]["words"], answer["reading_seconds"])


@pytest.mark.parametrize(
    ("file", "language", "title"),
    [("last-ferry.md", "en", "Last ferry"), ("new/渡し舟.md", "ja", "渡し舟"), ("!.md", "en", "!")],
)
def test_a_new_story_can_be_checked_and_played(file: str, language: str, title: str) -> None:
    """`story new` writes a story without findings and prints the commands that check and play it."""
    printed = _run_command("story", "new", file, "--language", language).stdout.splitlines()
    played = _run_command("play", file, typed="1\n").stdout

    assert f"wrote {file}" == printed[0]
    assert [f"saniwa {verb} {quote(file)}" for verb in ("check", "play")] == [
        line.partition(": ")[2] for line in printed[1:]
    ]
    assert "no findings" in _run_command("check", file, "--strict").stdout
    assert title == played.splitlines()[0]
    assert "2. " in played


def test_a_new_story_replaces_no_file() -> None:
    """`story new` refuses a file that exists, and one that is not named as a story."""
    _write_file("mine.md", "Mine.\n")
    with pytest.raises(ScriptError, match="already exists"):
        _run_command("story", "new", "mine.md")

    assert b"Mine.\n" == Path("mine.md").read_bytes()
    assert 2 == _run_command("story", "new", "mine.txt").exit_code
    assert not Path("mine.txt").exists()
