import asyncio
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from saniwa.app.run_service import RunService
from saniwa.app.story_opening import (
    StoredPosition,
    inspect_story,
    load_story,
    locate_origin,
    make_story_origin,
    open_story,
    resume_story,
)
from saniwa.core.errors import ScriptError, StoreError
from saniwa.runs.playing_record import PlayOrigin
from saniwa.runs.story_playing import StoryPlaying, encode_playing_state
from saniwa.story.step_result import Say
from tests.fakes.runs import GARDEN

HEAD = "---\nid: g\nlanguage: en\nscenario: garden.json\n---\n# Garden\n\n"
STORY = (
    HEAD
    + "Hello. {#hello}\n\n- Take it {do take the brass key} {#take}\n  Yes. {#yes}\n- Leave {#leave}\n  No. {#no}\n\nEnd. {#end}\n"
)
PLAIN = "# T\n\nHello.\n\n- a\n  A.\n- b\n  B.\n"


_OPEN: list[RunService] = []


def open_service(place: str | Path, *, must_exist: bool = False) -> RunService:
    """Services that are closed after the test."""
    _OPEN.append(RunService.open(place, must_exist=must_exist))
    return _OPEN[-1]


@pytest.fixture(autouse=True)
def _closed_services() -> Iterator[None]:
    yield
    while _OPEN:
        _OPEN.pop().close()


@pytest.fixture
def story_folder(tmp_path: Path) -> Path:
    """A story with its scenario in the same folder."""
    (tmp_path / "garden.json").write_text(json.dumps(GARDEN), encoding="utf-8")
    return write(tmp_path, STORY).parent


def write(folder: Path, text: str, name: str = "story.md") -> Path:
    """A file in the folder."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def read_next_words(performance: StoryPlaying) -> list[str]:
    """The words of the next step."""
    result = asyncio.run(performance.step())
    return [each.args.text for each in result.directives if isinstance(each, Say)]


def test_a_story_finds_the_scenario_next_to_it(story_folder: Path) -> None:
    """A scenario's file is found relative to the story."""
    performance = open_story(story_folder / "story.md", open_service("memory:"))

    assert ["Hello."] == read_next_words(performance)
    asyncio.run(performance.choose(0))
    assert ["Yes."] == read_next_words(performance)
    assert performance.run is not None
    assert "garden" == performance.run.record.scenario_id


def test_a_story_without_a_scenario_has_no_run(tmp_path: Path) -> None:
    """A story without a scenario has no run, and creates no store."""
    place = tmp_path / "kept" / "runs.sqlite"

    performance = open_story(write(tmp_path, PLAIN), open_service(place))

    assert performance.run is None
    assert not place.exists()


BROKEN: dict[str, tuple[str, str, int]] = {
    "an unknown scenario": ("REGISTRY_MISSING", "scenario: gardne", 4),
    "a scenario that is not there": ("SCENARIO_FILE_NOT_FOUND", "scenario: no.json", 4),
    "a scenario elsewhere": ("FILE_OUTSIDE", "scenario: ../garden.json", 4),
    "nobody of that name": ("ACTOR_UNKNOWN", "scenario: garden.json\nas: playr", 5),
    "an unknown book": ("RULE_UNKNOWN_BOOK", "scenario: garden.json\nbook: strct", 5),
    "a book elsewhere": ("FILE_OUTSIDE", "scenario: garden.json\nbook: /b.yaml", 5),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_world_that_is_not_as_named_stops_before_anything_runs(
    story_folder: Path, case: str
) -> None:
    """Mistakes about the world are findings in place, and opening is refused."""
    code, named, line = BROKEN[case]
    path = write(story_folder, STORY.replace("scenario: garden.json", named))
    place = story_folder / "kept" / "runs.sqlite"

    (found,) = inspect_story(path).report.findings
    assert (code, line) == (found.code, found.where.line)
    with pytest.raises(ScriptError) as caught:
        open_story(path, open_service(place))
    assert code == caught.value.code
    assert not place.exists()


def test_the_first_error_brings_all_findings(story_folder: Path) -> None:
    """The first error names the number of others, and carries all findings."""
    wrong = '{flag("a")} {flag("b")}\n'
    path = write(story_folder, STORY.replace("Hello. {#hello}\n", wrong))

    with pytest.raises(ScriptError) as caught:
        load_story(path)
    assert "FACT_UNKNOWN" == caught.value.code
    assert "1 more error: saniwa check" in caught.value.hint
    codes = [each["code"] for each in caught.value.details["findings"]]
    assert 2 == codes.count("FACT_UNKNOWN")


def test_the_reader_plays_whom_the_story_names(story_folder: Path) -> None:
    """`as:` names the reader's character."""
    named = "scenario: garden.json\nas: keeper"
    path = write(story_folder, STORY.replace("scenario: garden.json", named))

    performance = open_story(path, open_service("memory:"))

    assert performance.run is not None
    assert "keeper" == performance.run.actor


LANGUAGES: dict[str, tuple[str, str | None, str]] = {
    "the story's own": ("language: ja", None, "ja"),
    "the story's own, asked for": ("language: ja", "ja", "ja"),
    "one that worlds do not speak": ("language: fr", None, "en"),
    "asked for, where the story says nothing": ("title: T", "ja", "ja"),
}


@pytest.mark.parametrize("case", LANGUAGES)
def test_the_world_speaks_the_storys_language_where_it_can(story_folder: Path, case: str) -> None:
    """The world has the requested language, else the story's, else the scenario's."""
    line, asked, expected = LANGUAGES[case]
    path = write(story_folder, STORY.replace("language: en", line))

    performance = open_story(path, open_service("memory:"), language=asked)

    assert performance.run is not None
    assert expected == performance.run.record.language


def test_a_missing_translation_is_reported(story_folder: Path) -> None:
    """A missing translation is an error."""
    with pytest.raises(ScriptError) as caught:
        load_story(story_folder / "story.md", language="ja")
    assert "LANGUAGE_UNKNOWN" == caught.value.code
    assert "'story.ja.csv'" in caught.value.hint


@pytest.mark.parametrize(
    ("played", "front"),
    [("story.md", "language: en"), ("story.md", "id: s"), ("story.en.md", "language: en")],
)
def test_a_story_written_in_the_language_is_named(tmp_path: Path, played: str, front: str) -> None:
    """If `story.ja.md` exists, the error names it."""
    write(tmp_path, PLAIN, "story.ja.md")
    path = write(tmp_path, f"---\n{front}\n---\n{PLAIN}", played)

    with pytest.raises(ScriptError) as caught:
        load_story(path, language="ja")
    assert "LANGUAGE_UNKNOWN" == caught.value.code
    assert f"play {str(tmp_path / 'story.ja.md')!r} instead" == caught.value.hint


def test_a_table_next_to_the_story_translates_it(story_folder: Path) -> None:
    """With `story.ja.csv` the story is played in Japanese, also from an English save."""
    table = "id,speaker,source,translation\nhello,,Hello.,やあ。\nyes,,Yes.,うん。\n"
    write(story_folder, table, "story.ja.csv")
    parts = open_service("memory:")
    english = open_story(story_folder / "story.md", parts)
    assert ["Hello."] == read_next_words(english)

    japanese, found = asyncio.run(
        resume_story(
            story_folder / "story.md", parts, language="ja", content=english.encode_state()
        )
    )

    assert ["やあ。"] == read_next_words(japanese)
    assert "exactly" == found.found


def test_a_story_is_resumed_where_it_was_left(story_folder: Path) -> None:
    """A story is resumed in another process from its file and store."""
    path, place = story_folder / "story.md", story_folder / "runs.sqlite"
    first = open_story(path, open_service(place))
    read_next_words(first)
    asyncio.run(first.choose(0))
    read_next_words(first)

    second, _ = asyncio.run(resume_story(path, open_service(place, must_exist=True)))

    assert ["Yes."] == read_next_words(second)
    assert first.run is not None
    assert second.run is not None
    assert first.run.id == second.run.id


def test_a_story_that_was_not_left_cannot_be_resumed(story_folder: Path) -> None:
    """A story that was not started cannot be resumed, with a hint."""
    with pytest.raises(StoreError) as caught:
        asyncio.run(
            resume_story(story_folder / "story.md", open_service(story_folder / "r.sqlite"))
        )
    assert "SAVE_NOT_FOUND" == caught.value.code
    assert "start it: saniwa play" in caught.value.hint
    assert not (story_folder / "r.sqlite").exists()


def test_looking_at_the_beginning_does_not_lose_the_place(story_folder: Path) -> None:
    """The old position is replaced only by a choice, an answer or an action."""
    path, place = story_folder / "story.md", story_folder / "runs.sqlite"
    first = open_story(path, open_service(place))
    read_next_words(first)
    asyncio.run(first.choose(1))
    read_next_words(first)

    read_next_words(open_story(path, open_service(place)))

    again, _ = asyncio.run(resume_story(path, open_service(place)))
    assert ["No."] == read_next_words(again)


def place_of(path: Path, store: Path) -> bytes | None:
    """The state of the run that was played last."""
    parts = open_service(store)
    return StoredPosition(path, parts, make_story_origin(path, store)).load_state()


def leave_story(path: Path, store: Path, number: int) -> None:
    """Leave a story with a numbered state."""
    parts = open_service(store)
    position = StoredPosition(path, parts, make_story_origin(path, store))
    position.store(encode_playing_state(b"%d" % number, "", number))


def test_every_story_has_a_place_of_its_own(story_folder: Path) -> None:
    """Each story file has its own position, however its path is written."""
    place = story_folder / "runs.sqlite"
    (story_folder / "more").mkdir()
    paths = [
        story_folder / "story.md",
        story_folder / "more" / "story.md",
        story_folder / "story.ja.md",
    ]
    for number, path in enumerate(paths):
        leave_story(path, place, number)

    states = [encode_playing_state(b"%d" % number, "", number) for number in range(3)]
    assert states == [place_of(path, place) for path in paths]
    assert states[0] == place_of(story_folder / "more" / ".." / "story.md", place)


def test_the_place_is_found_after_the_folder_was_moved(story_folder: Path) -> None:
    """The position is found after the project's folder was moved."""
    home = story_folder / "home"
    home.mkdir()
    shutil.copy(story_folder / "story.md", home)
    leave_story(home / "story.md", home / ".saniwa" / "runs.sqlite", 1)
    _OPEN.pop().close()

    moved = home.rename(story_folder / "moved")

    kept = place_of(moved / "story.md", moved / ".saniwa" / "runs.sqlite")
    assert encode_playing_state(b"1", "", 1) == kept


def test_a_story_of_the_library_is_known_by_its_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A story of the library is identified by its id, another file by its path."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stories").mkdir()
    file = write(tmp_path / "stories", PLAIN, "lamp.md")
    write(tmp_path / "stories", PLAIN, "lamp.ja.md")
    other = write(tmp_path, PLAIN, "lamp.md")
    store = tmp_path / ".saniwa" / "saniwa.sqlite"

    assert PlayOrigin(story="lamp") == make_story_origin(file, store)
    assert PlayOrigin(story="lamp") == make_story_origin("stories/../stories/lamp.md", store)
    edition = make_story_origin("stories/lamp.ja.md", store)
    assert PlayOrigin(story="lamp", language="ja") == edition
    by_path = make_story_origin(other, store)
    assert PlayOrigin(path="../lamp.md") == by_path
    assert other == locate_origin(by_path, store)


def test_a_translated_story_has_its_title_in_that_language(story_folder: Path) -> None:
    """A translated title is used."""
    (story_folder / "t.md").write_text("# Rain\nHi. {#a}\n", encoding="utf-8")
    (story_folder / "t.de.csv").write_text("id,translation\ntitle,Regen\na,Hallo.\n")

    assert "Regen" == load_story(story_folder / "t.md", language="de").title


def _begin_in_orchard(folder: Path, parts: RunService) -> str:
    (folder / "orchard.json").write_text(json.dumps({**GARDEN, "name": "orchard"}))
    return parts.begin(str(folder / "orchard.json")).id


FOREIGN: dict[str, Callable[[Path, RunService], str]] = {
    "no run": lambda *_: "",
    "another scenario": _begin_in_orchard,
    "another character": lambda folder, parts: (
        parts.begin(str(folder / "garden.json"), actor="keeper").id
    ),
    "no whole id": lambda *_: "last",
}


@pytest.mark.parametrize("case", FOREIGN)
def test_a_save_with_another_run_is_refused_and_keeps_nothing(
    story_folder: Path, case: str
) -> None:
    """A save with a run of another scenario or character is refused, and the position is kept."""
    path, place = story_folder / "story.md", story_folder / "runs.sqlite"
    parts = open_service(place)
    run = FOREIGN[case](story_folder, parts)
    first = open_story(path, parts)
    read_next_words(first)
    asyncio.run(first.choose(0))
    here = place_of(path, place)
    save = json.dumps({**json.loads(first.encode_state()), "run": run}).encode()

    with pytest.raises(ScriptError) as caught:
        asyncio.run(resume_story(path, parts, content=save))
    assert "STATE_UNREADABLE" == caught.value.code
    assert here == place_of(path, place)


def test_a_save_on_a_world_is_none_of_a_story_without(story_folder: Path) -> None:
    """A save with a world is refused for a story without one."""
    path, parts = story_folder / "story.md", open_service(story_folder / "runs.sqlite")
    first = open_story(path, parts)
    read_next_words(first)
    save = first.encode_state()
    write(story_folder, PLAIN)

    with pytest.raises(ScriptError) as caught:
        asyncio.run(resume_story(path, parts, content=save))
    assert "STATE_UNREADABLE" == caught.value.code


def test_an_edited_scenario_does_not_lose_a_place(story_folder: Path) -> None:
    """A story continues in its run although its scenario was edited."""
    path, parts = story_folder / "story.md", open_service(story_folder / "runs.sqlite")
    first = open_story(path, parts)
    read_next_words(first)
    edited = {**GARDEN, "gm_opening_message": "The gate is shut."}
    (story_folder / "garden.json").write_text(json.dumps(edited))

    second, _ = asyncio.run(resume_story(path, parts, content=first.encode_state()))

    assert ["Hello."] == read_next_words(second)
