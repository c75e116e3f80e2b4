"""A story played by Saniwa, as the same events that inkjs gives."""

from typing import Any

from saniwa.story.player import Player
from saniwa.story.saves import read_save, restore_player, save_player
from saniwa.story.step_result import Branch, Next, Say, StepResult
from saniwa.story.story import Story, parse_story

Events = list[Any]
"""`say` with its words and tags, `offer` with the options, and `end`."""


def tell_story(markdown: str, picks: list[int], most: int, *, broken: bool = False) -> Events:
    """What a story says and offers, up to `most` events.

    If `broken`, the player is saved and restored at every other step, which must make no
    difference.
    """
    story = parse_story(markdown)
    if story.report.errors:
        return [["unreadable", [f.message for f in story.report.errors]]]
    events: Events = []
    player, nth, steps = Player(story.program), 0, 0
    while len(events) < most:
        shown = player.step()
        events += _list_events(shown)
        if shown.next is Next.HALT:
            break
        steps += 1
        if broken and steps % 2:
            player = _restore_saved(player, story, shown)
        if shown.next is Next.WAIT_BRANCH and len(events) < most:
            if nth >= len(picks):
                break
            offered = events[-1][1]
            player.choose(picks[nth] % len(offered))
            nth += 1
    return events[:most]


def _restore_saved(player: Player, story: Story, shown: StepResult) -> Player:
    again = Player(story.program)
    restore_player(again, read_save(save_player(player).to_json()))
    assert shown == again.step(), "a step is not the same after saving and loading"
    return again


def _list_events(shown: StepResult) -> Events:
    events: Events = []
    for each in shown.directives:
        if isinstance(each, Say):
            speaker, text = each.args.speaker, each.args.text
            said = f"{speaker}: {text}" if speaker else text
            # ink has no paragraphs: every line is one.
            for line in said.split("\n"):
                events.append(["say", _fold_spaces(line), list(each.args.tags or ())])
        elif isinstance(each, Branch):
            offered = each.args.options or ()
            tags = [list(option.tags or ()) for option in offered]
            words = [_fold_spaces(text) for text in each.args.choices]
            events.append(["offer", words, tags or [[] for _ in words]])
    if shown.next is Next.HALT:
        events.append(["end"])
    return events


def _fold_spaces(text: str) -> str:
    """Spaces as ink leaves them: one between words, none at either end."""
    return " ".join(text.split())
