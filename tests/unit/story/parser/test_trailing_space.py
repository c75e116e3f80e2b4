"""Spaces at the ends of lines, which editors leave behind."""

import pytest

from saniwa.story.elements import StoryScene
from saniwa.story.parser.markdown import parse_scene
from saniwa.story.story import parse_story
from tests.fakes.stories import LAMP

OLD = """\
---
id: old
title: Old
vars: {n: 0, who: ""}
cast:
  - Ben
  - Old Man
---
# scene: one
[SAY speaker=Ben]
Hi.
[SHOW_IMAGE file=a layer=bg]
[BRANCH choice=Go home label=one, choice=Stay label=two]
[LABEL name=two]
[MODIFY name=n op=add value=1]
[JUMP_IF var=n cmp=ge value=3 label=one]
:::choices
- a @one
- b
:::
Old Man: One
two. {#x .soft voice=v}

***

```
code
```
<!-- a
note -->
| a | b |
> quote
"""


def _parse_whole(text: str) -> tuple[object, ...]:
    story = parse_story(text)
    scene: StoryScene = parse_scene(text, "s.md")
    found = [(f.code, f.where, f.message, f.hint) for f in story.report.findings]
    fields = {name: getattr(scene.front, name) for name in ("id", "title", "cast")}
    return story.title, fields, list(story.program.ids.items()), found


@pytest.mark.parametrize("text", [LAMP, OLD])
@pytest.mark.parametrize("blank", [" ", "   ", "\t", "\u3000", "\u00a0", "\r", " \r"])
def test_blanks_at_the_end_of_a_line_mean_nothing(text: str, blank: str) -> None:
    """Spaces at the end of any line, also in front matter, have no effect."""
    padded = text.replace("\n", f"{blank}\n")

    assert _parse_whole(text) == _parse_whole(padded)
