from saniwa.runs.story_world import MOST_FINDINGS, check_deeds
from saniwa.scenario.loader import load_scenario
from saniwa.story.story import parse_story
from saniwa.world.model import Id
from tests.fakes.runs import GARDEN


def _find_in_story(text: str) -> list[tuple[str, int, int]]:
    scenes = parse_story(f"---\nid: s\nscenario: x\n---\n# S\n\n{text}").scenes
    found = check_deeds(scenes, load_scenario(GARDEN).world, Id("player"))
    return [(f.message, f.where.line, f.where.column) for f in found]


def test_words_of_a_deed_that_name_nothing_are_reported_at_their_place() -> None:
    """An unknown name in an action of a choice is a warning at its place, with the nearest name."""
    text = "---\nid: s\nscenario: x\n---\n# S\n\n- Take {do take the bras kee} {once}\n"
    scenes = parse_story(text).scenes

    (found,) = check_deeds(scenes, load_scenario(GARDEN).world, Id("player"))

    assert ("NAME_UNKNOWN", "warning") == (found.code, found.severity)
    assert "the world has nothing called 'bras kee'" == found.message
    assert "did you mean 'brass key'?" == found.hint
    assert (7, 12) == (found.where.line, found.where.column)


def test_words_that_are_not_understood_are_reported() -> None:
    """Words that are not understood in an action are reported."""
    told = "the world does not understand 'fribble the key'"

    assert [(told, 7, 12)] == _find_in_story('[DO words="fribble the key"]\n')


def test_what_is_filled_in_later_is_let_pass() -> None:
    """Words that contain a variable are not checked."""
    assert [] == _find_in_story("- Take {do take the {thing}}\n")


def test_a_character_introduced_by_another_deed_is_known() -> None:
    """A name that another action introduces is known."""
    text = '[DO words="introduce the gonk"]\n\n- A {do give the key to the gonk}\n'

    assert [] == _find_in_story(text)


def test_a_story_full_of_strange_words_is_reported_some() -> None:
    """The number of such findings is limited."""
    text = "".join(f"- C{n} {{do fribble n{n}}}\n" for n in range(MOST_FINDINGS + 20))

    assert MOST_FINDINGS == len(_find_in_story(text))
