import pytest

from saniwa.app.story_saves import StorySaves
from saniwa.cli.play.keyboard import ScriptedLineInput
from saniwa.cli.play.live_reload import CheckNotice, StoryReloader
from saniwa.cli.play.phrases import LANGUAGES
from saniwa.cli.play.screen import Screen
from saniwa.cli.play.story_terminal import MAX_UNPROMPTED_STEPS, StoryTerminal
from saniwa.core.errors import ScriptError, StoreError
from saniwa.runs.story import StoryPlaying
from saniwa.store.key_value_store import MemoryKeyValueStore
from saniwa.story.story import parse_story

PLAIN = "# T\n\nOne. {#one}\n\n- Go\n  Two. {#two}\n- Stay\n  Three.\n"
FAILING = "---\nid: t\nvars: {n: 0}\n---\n# T\n\nOne. {#one}\n\nA {1 / n}.\n"


class FullShelf(MemoryKeyValueStore):
    """Has no room for sheets of some names."""

    def __init__(self, *full: str) -> None:
        super().__init__()
        self.full = full

    def put(self, name: str, content: bytes) -> None:
        """Keep it, if there is room."""
        if name in self.full:
            raise StoreError("TRACE_UNWRITABLE", f"no room for {name}")
        super().put(name, content)


def played(text: str, shelf: FullShelf, *lines: str) -> None:
    """Play a story by lines, with a way back, and keep it on the shelf."""
    story = parse_story(text)
    keeping = StorySaves(shelf, MemoryKeyValueStore())
    said = LANGUAGES["en"]
    StoryTerminal(
        StoryPlaying(story),
        ScriptedLineInput(iter(lines)),
        StoryReloader(lambda: story, story, patient=False),
        keeping,
        CheckNotice(Screen(said), "t.md", None),
        said,
    ).play("come back")


def test_the_place_is_kept_before_what_was_seen(capsys: pytest.CaptureFixture[str]) -> None:
    """Where only the seen lines find no room, the place is kept, and both are told."""
    shelf = FullShelf("seen")

    with pytest.raises(StoreError, match="no room for seen"):
        played(PLAIN, shelf, "quit")
    assert ("here",) == shelf.list_names()
    told = capsys.readouterr().out
    assert "Your place is kept. Go on with:\n  come back\n" in told
    assert "What you have read could not be kept (no room for seen)" in told


def test_what_was_seen_is_kept_where_the_place_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    """One sheet that finds no room does not lose the other, and nobody is misled."""
    shelf = FullShelf("here")

    with pytest.raises(StoreError, match="no room for here"):
        played(PLAIN, shelf, "quit")
    assert ("seen",) == shelf.list_names()
    told = capsys.readouterr().out
    assert "come back" not in told
    assert "Your place could not be kept (no room for here)" in told


def test_what_stopped_the_story_is_told_before_what_could_not_be_kept(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The first error is raised; what it hinders afterwards is told beside it."""
    with pytest.raises(ScriptError, match="EXPRESSION_FAILED"):
        played(FAILING, FullShelf("here", "seen"))
    told = capsys.readouterr().out
    assert "Your place could not be kept (no room for here)" in told
    assert "What you have read could not be kept (no room for seen)" in told


def test_a_failed_story_keeps_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    """What cannot be worked out does not lose what was read before it."""
    shelf = FullShelf()

    with pytest.raises(ScriptError, match="EXPRESSION_FAILED"):
        played(FAILING, shelf)
    assert ("here", "seen") == shelf.list_names()
    assert "come back" in capsys.readouterr().out


@pytest.mark.parametrize("lines", [(), ("a line that nobody asks for",)])
def test_a_story_that_goes_round_is_left(
    lines: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """Pages that turn by themselves end somewhere, and it is said."""
    played("# T\n## a\nHello.\n\n[again](#a)\n", FullShelf(), *lines)

    told = capsys.readouterr().out
    assert MAX_UNPROMPTED_STEPS == told.count("Hello.")
    assert "(10,000 steps and nothing was asked: stopping here.)" in told


def test_choosing_lets_a_story_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    """Only steps between two choices count."""
    head = "---\nid: t\nvars: {n: 0}\n---\n# T\n## a\nHello.\n\n[SET n += 1]\n"
    rounds = ":::when n % 4000 > 0\n[again](#a)\n:::\n"
    text = f"{head}{rounds}So.\n\n- On\n  Yes.\n\n[again](#a)\n"
    played(text, FullShelf(), "1", "1", "1", "quit")

    told = capsys.readouterr().out
    assert 16_000 == told.count("Hello.")
    assert "stopping here" not in told
