from pathlib import Path

import pytest

from saniwa.story.story import parse_story, read_story
from saniwa.story.tools.completion import Completion, list_completions
from saniwa.story.tools.mention_index import MentionIndex

STORY = """\
---
id: bridge
vars: {trust: 0}
cast: [Ben, Old Man]
---
## The bridge
ルナ: Hello.
[SET mood = 1]
[SHOW_IMAGE file=rain layer=sky]
- Ask {#lamp}
  Ben: Hi.
- [On](#street)
## street
Bye.
"""
FUNCTIONS = ["chosen(", "flag(", "here(", "holds(", "place(", "roll(", "state("]
EXPRESSION = [*FUNCTIONS, "visits(", "mood", "trust"]
LABELS = ["street", "the-bridge"]


@pytest.fixture(scope="module")
def mention_index() -> MentionIndex:
    """The names in the story."""
    return MentionIndex(parse_story(STORY, "story.md"))


def _list_offered(names: MentionIndex, before: str) -> list[str]:
    found = list_completions(names, "story.md", before, len(before) + 1)
    return [each.text for each in found]


@pytest.mark.parametrize(
    ("before", "offered"),
    [
        ("[on](#", LABELS),
        ("- [on](#st", ["street"]),
        ("[on](#ST", ["street"]),
        ("[on](", ["#street", "#the-bridge"]),
        ("[on](story.md#", LABELS),
        ("[on](other.md#", []),
        ("[JUMP label=", LABELS),
        ("[JUMP ", [*LABELS, "label="]),
        ("- a @", LABELS),
        ('{visits("', LABELS),
        (':::when chosen("', ["lamp"]),
        ("", ["Ben: ", "Old Man: ", "ルナ: "]),
        ("  ル", ["ルナ: "]),
        ("Old M", ["Old Man: "]),
        ("Ben: ", []),
        ("- ", []),
        ("[SHOW_", ["SHOW_IMAGE file=", "SHOW_TEXT_EFFECT"]),
        ("  [RET", ["RETURN"]),
        ("He said [", []),
        ("[SHOW_IMAGE file=x ", ["layer="]),
        ("[SHOW_IMAGE file=x layer=", ["sky"]),
        ("[SAY speaker=", ["Ben", "Old Man", "ルナ"]),
        ("[MODIFY name=", ["mood", "trust"]),
        ("[MODIFY name=mood op=", ["add", "div", "mul", "sub"]),
        ("[SET ", ["mood", "trust"]),
        ("[SET mood = tr", ["trust"]),
        ("[ASK name=", ["mood", "trust"]),
        ("[UNKNOWN ", []),
        ("Ben: {", [*EXPRESSION, "do "]),
        ("- x {", [*EXPRESSION, "ask", "do ", "else", "if ", "once", "show if "]),
        ("- x {sh", ["show if "]),
        ("- x {if ", EXPRESSION),
        ("- x {show if not tr", ["trust"]),
        ("- x {do ", []),
        ("Ben: {trust: yes", []),
        ("Ben: {~a|", []),
        ("Ben: {#", []),
        ("Ben: {trust} ", []),
        (":::w", ["when"]),
        (":::when ", EXPRESSION),
        (":::else when tr", ["trust"]),
        ("[JUMP_IF when=tr", ["trust"]),
    ],
)
def test_what_may_follow_is_offered(
    mention_index: MentionIndex, before: str, offered: list[str]
) -> None:
    """Each place is offered exactly what the dialect allows there."""
    assert offered == _list_offered(mention_index, before)


def test_what_was_started_is_replaced(mention_index: MentionIndex) -> None:
    """A completion replaces the word from its first character."""
    (offer,) = list_completions(mention_index, "story.md", "😀 [SET mood = tr + 1]", 17)

    assert Completion("trust", "variable", 15) == offer


def test_assets_of_the_right_kind_are_offered(tmp_path: Path) -> None:
    """A picture command is offered pictures, a sound command sounds, with their files."""
    for file in ("images/rain.png", "bgm/rain_song.ogg", "se/drip.wav"):
        path = tmp_path / "art" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    story = tmp_path / "story.md"
    story.write_text("---\nid: a\nassets: art\n---\nHi.\n", encoding="utf-8")
    names = MentionIndex(read_story(story))

    offers = {
        before: [
            (each.text, each.about)
            for each in list_completions(names, str(story), before, len(before) + 1)
        ]
        for before in ("[SHOW_IMAGE file=", "[PLAY_BGM name=ra", '[PLAY_SE file="')
    }

    assert {
        "[SHOW_IMAGE file=": [("rain", "images/rain.png")],
        "[PLAY_BGM name=ra": [("rain_song", "bgm/rain_song.ogg")],
        '[PLAY_SE file="': [("drip", "se/drip.wav")],
    } == offers
