import pytest

from saniwa.story.elements import Declaration, FrontMatter, StoryScene, WorldReference
from saniwa.story.parser.markdown import parse_scene


def _parse_front(front: str) -> StoryScene:
    return parse_scene(f"---\n{front}\n---\nHello.\n", "story.md")


def _list_codes(front: str) -> list[tuple[str, int, int]]:
    findings = _parse_front(front).findings
    return [(each.code, each.where.line, each.where.column) for each in findings]


def test_everything_a_story_says_about_itself_is_read() -> None:
    """All keys of the front matter are read, with the places of declarations."""
    front = _parse_front(
        "id: bridge\ntitle: Rain\nlanguage: en\nbackground: bridge\nbgm: rain\n"
        "assets: media\nevents: [SHAKE]\nscenario: flat\nas: Ann\nbook: strict\n"
        "vars: {trust: 0, half: 0.5, met: false, name: Ben}\ncast: [Ann, Old Ben]"
    ).front

    assert (
        FrontMatter(
            id="bridge",
            title="Rain",
            language="en",
            background="bridge",
            bgm="rain",
            assets="media",
            events=("SHAKE",),
            ground=WorldReference(scenario="flat", actor="Ann", book="strict"),
            variables=(
                Declaration("trust", 0, 12, 8),
                Declaration("half", 0.5, 12, 18),
                Declaration("met", False, 12, 29),
                Declaration("name", "Ben", 12, 41),
            ),
            cast=(Declaration("Ann", None, 13, 8), Declaration("Old Ben", None, 13, 13)),
            document=front.document,
            last=14,
        )
        == front
    )


def test_the_document_has_the_places_of_the_file() -> None:
    """A place in the front matter is a place in the file."""
    document = _parse_front("id: x\nvars: {a: 1}").front.document
    assert document is not None

    where = document.locate_key(["vars", "a"])

    assert (3, 8) == (where.line, where.column)


def test_a_cast_may_say_more_of_each() -> None:
    """The cast may be a mapping with names as keys."""
    cast = _parse_front("cast:\n  Ann: {colour: red}\n  Ben:").front.cast

    assert (Declaration("Ann", None, 3, 3), Declaration("Ben", None, 4, 3)) == cast


def test_a_story_without_front_matter_has_an_empty_one() -> None:
    """A story needs no front matter."""
    assert FrontMatter() == parse_scene("Hello.\n", "story.md").front


def test_no_cast_differs_from_an_empty_cast() -> None:
    """`cast: []` declares that there are no speakers; without `cast` nothing is declared."""
    assert () == _parse_front("cast: []").front.cast
    assert None is _parse_front("id: x").front.cast


@pytest.mark.parametrize(
    ("expected", "front"),
    [
        (("UNKNOWN_KEY", 3, 1), "id: x\ntilte: y"),
        (("WRONG_TYPE", 2, 5), "id: 7"),
        (("WRONG_TYPE", 2, 7), "vars: [a, b]"),
        (("WRONG_TYPE", 2, 11), "vars: {a: [1]}"),
        (("WRONG_TYPE", 2, 11), "vars: {a: 9007199254740992}"),
        (("WRONG_TYPE", 2, 7), "cast: Ann"),
        (("FRONT_MATTER_MALFORMED", 2, 8), "vars: {my var: 1}"),
        (("FRONT_MATTER_MALFORMED", 2, 1), "- a\n- b"),
        (("FRONT_MATTER_MALFORMED", 2, 1), "as: Ann"),
        (("FRONT_MATTER_MALFORMED", 2, 5), "id: [x"),
        (("DUPLICATE_KEY", 3, 1), "id: x\nid: y"),
    ],
)
def test_what_is_wrong_is_found_where_it_is(expected: tuple[str, int, int], front: str) -> None:
    """Each mistake has its code, line and column in the file."""
    assert [expected] == _list_codes(front)


def test_the_nearest_key_is_offered() -> None:
    """A mistyped key gets the nearest as a hint."""
    [finding] = _parse_front("tilte: y").findings

    assert ("warning", "did you mean 'title'?") == (finding.severity, finding.hint)


def test_a_key_of_the_authors_own_begins_with_an_underscore() -> None:
    """A key that begins with an underscore is ignored."""
    assert [] == _list_codes("_draft: 3")


def test_front_matter_that_does_not_end_is_reported_and_the_story_read() -> None:
    """Front matter without an end is a finding, and the story is still parsed."""
    scene = parse_scene("---\nid: x\n\nHello.\n", "story.md")

    assert ["FRONT_MATTER_MALFORMED"] == [each.code for each in scene.findings]
    assert scene.block
