import pytest

from saniwa.story.link_parser import make_slug


@pytest.mark.parametrize(
    ("expected", "heading"),
    [
        ("the-lamp-keeper", "The lamp keeper"),
        ("what-now", "What now?!"),
        ("a--b", "a & b"),
        ("snake_case-and-dash", "snake_case and-dash"),
        ("入口の部屋", "入口の部屋"),
        ("朝キッチン", "朝　キッチン"),
        ("café-½", "Café… ½"),
        ("か\u3099", "か\u3099"),
        ("", "？！"),
        ("trimmed", "  trimmed  "),
    ],
)
def test_a_heading_is_linked_to_as_github_does(expected: str, heading: str) -> None:
    """A slug is made as on GitHub: lower case, dashes for spaces, letters of any script."""
    assert expected == make_slug(heading)
