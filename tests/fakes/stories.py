"""Short stories, and functions that play them."""

from collections.abc import Iterable, Sequence
from textwrap import dedent

from saniwa.story.player import Player
from saniwa.story.step_result import Ask, Branch, Directive, Ending, Next, Say, StepResult
from saniwa.story.story import Story, parse_story
from tests.fakes.stepresults import assert_keeps_contract

LONG_SILENCE = """\
---
vars: {n: 0, k: 0}
---
## hub
Hub.
- Count
  [SET n = 0]
  [SET k += 1]
  [on](#count)
- Never {if k < 0}
  Never.
## count
:::when n < 10000
[SET n += 1]
[on](#count)
:::
[back](#hub)
"""
"""Counts to 10,000 between two lines that are shown."""

LAMP = """\
---
id: bridge
vars: {trust: 0, met: false}
---
# The lamp keeper
[SHOW_IMAGE file=bridge_rain layer=bg]
## bridge
Rain on the bridge. {met: Ben is still there.|Someone waits by the lamp.}
Ben: You came back{trust > 1: , friend}. {#ben-01 voice=ben_001}
[SET met = true]
- Ask about the lamp {once}
  Ben: It burns till dawn. {.soft}
  [SET trust += 1]
- Say nothing {show if trust > 0}
  [WAIT 1.5s]
- [Walk on](#street) {else}
[the map](#map "call")
:::when trust >= 1
Ben: Take this. It is yours.
:::
[again](#bridge)
## map
You unfold the map for time {visits("map")}. {&It is wet.|It is torn.}
## street
The street is empty. <!-- ending: street -->
"""
"""A story that uses nearly every feature."""


def parse_story_text(text: str) -> Story:
    """The story in an indented text, which must have no errors."""
    read = parse_story(dedent(text))
    assert read.report.has_passed, [str(error) for error in read.report.errors]
    return read


def make_player(text: str, **options: object) -> Player:
    """A player of the story in an indented text."""
    return Player(parse_story_text(text).program, **options)  # type: ignore[arg-type]


def play_steps(
    reader: Player, choices: Iterable[int | str] = (), most: int = 200
) -> list[StepResult]:
    """All steps up to the end, or to a question without a prepared answer.

    Each step keeps the contract. A number chooses an option, counted from 0; a text answers.
    """
    left, steps = list(choices), list[StepResult]()
    while len(steps) < most:
        steps.append(reader.step())
        assert_keeps_contract(steps[-1])
        if steps[-1].next is Next.HALT:
            return steps
        if reader.waiting != "step":
            if not left:
                return steps
            take(reader, left.pop(0))
    raise AssertionError(f"no end in {most} steps")


def take(reader: Player, choice: int | str) -> None:
    """Choose by number, or answer by text."""
    if isinstance(choice, int):
        reader.choose(choice)
    else:
        reader.answer(choice)


def render_steps(steps: Sequence[StepResult]) -> list[str]:
    """The texts that were said and offered: `Ben: Hello.`, `Rain.`, `[Left / Right]`, `(end)`."""
    lines = [_render_directive(each) for step in steps for each in step.directives]
    return [line for line in lines if line]


def _render_directive(directive: Directive) -> str:
    match directive:
        case Say(args=said):
            return f"{said.speaker}: {said.text}" if said.speaker else said.text
        case Branch(args=branch):
            return f"[{' / '.join(branch.choices)}]"
        case Ask(args=asked):
            return f"<{asked.prompt}>"
        case Ending(args=ending):
            return f"({ending.id})"
        case _:
            return ""
