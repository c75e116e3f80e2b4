from pathlib import Path

import pytest

from saniwa.story.player import Player
from saniwa.story.story import parse_story, read_story
from saniwa.story.tools.exploration import DEEPEST, MOST_STEPS
from saniwa.story.tools.routes import MOST_ROUTES, MissedPart, RouteReport, Trap, find_routes
from saniwa.story.tools.trace import TraceEnd, trace_story
from tests.fakes.stories import LONG_SILENCE

FORK = """\
# Fork
- [Left](#left)
- Right
  You go right.
  - [Up](#up)
  - [Back](#left)
## left
Left. <!-- ending: left -->
## up
Up. <!-- ending: up -->
"""


def _find_text_routes(
    text: str,
    seed: int = 0,
    limit: int = MOST_ROUTES,
    deepest: int = DEEPEST,
    most_steps: int = MOST_STEPS,
) -> RouteReport:
    return find_routes(
        parse_story(text).program, seed=seed, limit=limit, deepest=deepest, most_steps=most_steps
    )


def _ends(found: RouteReport) -> list[tuple[tuple[int, ...], str, str]]:
    return [(route.choices, route.end, route.ending) for route in found.routes]


def test_every_way_to_every_ending_is_a_route() -> None:
    """Each path to an ending is a route, in the order of options."""
    found = _find_text_routes(FORK)

    assert [
        ((1,), "ending", "left"),
        ((2, 1), "ending", "up"),
        ((2, 2), "ending", "left"),
    ] == _ends(found)
    assert ("Right", "Back") == found.routes[2].texts
    assert {"left": (1,), "up": (2, 1)} == found.endings
    assert found.is_sound


def test_the_numbers_of_a_route_can_be_traced() -> None:
    """Playing the choices of a route leads to its ending."""
    program = parse_story(FORK).program

    for route in find_routes(program).routes:
        *_, finish = trace_story(Player(program), route.choices, route.answers)
        assert isinstance(finish, TraceEnd)
        assert (route.end, route.ending) == (finish.reason, finish.ending)


def test_a_story_without_choices_has_one_route() -> None:
    """A story without choices has one route without choices."""
    assert [((), "end_of_file", "")] == _ends(_find_text_routes("# T\nOne.\n\nTwo.\n"))


def test_coming_back_to_the_same_moment_is_a_loop_named_by_its_lines() -> None:
    """Returning to an equal state is a loop, even if a counter that no condition uses differs."""
    found = _find_text_routes(
        "---\nvars: {n: 0}\n---\n# T\n## hub\n[SET n += 1]\nTime {n}.\n"
        "- [Again](#hub)\n- [Out](#out)\n## out\nOut. <!-- ending: out -->\n"
    )

    assert [((1,), "loop", ""), ((2,), "ending", "out")] == _ends(found)
    assert ("8",) == found.routes[0].lines
    assert found.is_sound


def test_what_a_condition_reads_makes_a_new_moment() -> None:
    """A variable in a condition makes states differ."""
    found = _find_text_routes(
        "---\nvars: {n: 0}\n---\n# T\n## hub\n[SET n += 1]\nHub.\n"
        "- [Again](#hub) {if n < 3}\n- [Out](#out) {if n >= 3}\n"
        "## out\nOut. <!-- ending: out -->\n"
    )

    assert [((1, 1, 1), "ending", "out")] == _ends(found)


def test_what_a_condition_is_worked_out_from_makes_a_new_moment() -> None:
    """A variable from which a condition's variable is computed makes states differ."""
    found = _find_text_routes(
        "---\nvars: {a: 0, b: 0}\n---\n# T\n## hub\n[SET a += 1]\nHub.\n"
        "- [Again](#hub)\n- Check\n  [SET b = a]\n  [JUMP_IF b > 2 label=out]\n"
        "Too soon. <!-- ending: soon -->\n## out\nOut. <!-- ending: out -->\n",
        deepest=6,
    )

    assert {"soon": (2,), "out": (1, 1, 2)} == found.endings


def test_chance_that_a_condition_reads_makes_a_new_moment() -> None:
    """If a condition depends on random results, returning is not a loop."""
    found = _find_text_routes(
        "# T\n## hub\n[JUMP_IF roll(1, 6) == 6 label=out]\nHub.\n- [Again](#hub)\n"
        "## out\nOut. <!-- ending: out -->\n"
    )

    assert ["out"] == list(found.endings)
    assert len(found.endings["out"]) > 1


@pytest.mark.parametrize("counted", ['visits("hub") > 2', 'chosen("again") > 1'])
def test_counts_that_a_condition_reads_make_new_moments(counted: str) -> None:
    """Visits and choices make states differ only if a condition uses them."""
    found = _find_text_routes(
        "# T\n## hub\nHub.\n- [Again](#hub) {#again}\n"
        f"- [Out](#out) {{if {counted}}}\n## out\nOut. <!-- ending: out -->\n",
        deepest=8,
    )

    assert (1, 1, 2) == found.endings["out"]


def test_an_option_that_is_gone_once_chosen_is_offered_once() -> None:
    """A `once` option is offered once, and the fallback comes when none is left."""
    found = _find_text_routes(
        "# T\n## hub\nHub.\n- One {once}\n  One.\n  [hub](#hub)\n"
        "- Two {once}\n  Two.\n  [hub](#hub)\n- [Out](#out) {else}\n"
        "## out\nOut. <!-- ending: out -->\n"
    )

    assert [((1, 1), "ending", "out"), ((2, 1), "ending", "out")] == _ends(found)
    assert () == found.options_missed


def test_what_is_never_reached_is_named_with_its_line() -> None:
    """Endings, sections and options that no route reaches are listed, and the story is unsound."""
    found = _find_text_routes(
        "# T\nStart.\n- [On](#on)\n- [Never](#never) {if false}\n"
        "## on\nOn. <!-- ending: on -->\n## never\nNever. <!-- ending: never -->\n"
    )

    assert (MissedPart("never", "8"),) == found.endings_missed
    assert (MissedPart("never", "7"),) == found.sections_missed
    assert (MissedPart("Never", "4"),) == found.options_missed
    assert not found.is_sound


def test_a_circle_with_no_way_out_is_a_trap() -> None:
    """A loop without an exit is a trap, with its lines and a shortest path to it."""
    found = _find_text_routes(
        "# T\nStart.\n- [In](#a)\n- [Out](#out)\n"
        "## a\nA.\n- [To b](#b)\n## b\nB.\n- [To a](#a)\n"
        "## out\nOut. <!-- ending: out -->\n"
    )

    assert (Trap((1,), ("7", "10")),) == found.traps
    assert not found.is_sound


def test_lines_that_come_again_for_ever_are_stuck() -> None:
    """A loop without a choice is a stuck route."""
    found = _find_text_routes("# T\n- [In](#a)\n- Out\n  Bye.\n## a\nA.\n\nB.\n[a](#a)\n")

    assert (1,) == found.stuck[0].choices
    assert ("6",) == found.stuck[0].lines
    assert "STORY_CIRCLES" in found.stuck[0].problem
    assert not found.is_sound


def test_an_error_on_the_way_is_stuck_with_its_place() -> None:
    """An error ends its own route only, and has its place."""
    found = _find_text_routes(
        "---\nvars: {n: 0}\n---\n# T\n- Divide\n  [SET n = 1 / n]\n- Not\nEnd {n}.\n"
    )

    assert ["stuck", "end_of_file"] == [route.end for route in found.routes]
    assert ("6",) == found.routes[0].lines


ENDLESS = (
    "---\nvars: {n: 0}\n---\n# T\n## hub\n[SET n += 1]\nHub.\n- [Again](#hub)\n"
    "- [And again](#hub)\n- [Out](#out) {if n > 3}\n## out\nOut. <!-- ending: out -->\n"
)


@pytest.mark.parametrize(
    ("bounds", "name"),
    [({"deepest": 6}, "depth"), ({"most_steps": 20}, "steps"), ({"limit": 3}, "routes")],
)
def test_bounds_are_kept_and_reported(bounds: dict[str, int], name: str) -> None:
    """If a limit is reached, the result names it."""
    found = _find_text_routes(ENDLESS, **{"deepest": 12, "most_steps": 5_000, **bounds})

    assert name in found.bounded
    assert len(found.routes) <= bounds.get("limit", 1_000)


def test_where_there_are_too_many_routes_the_shortest_are_listed() -> None:
    """If there are too many routes, the shortest are listed."""
    found = _find_text_routes(ENDLESS, limit=5, deepest=30)

    lengths = [len(route.choices) for route in found.routes]
    assert sorted(lengths) == lengths
    assert "ending" == found.routes[0].end


def test_what_was_not_found_within_bounds_is_no_mistake() -> None:
    """Within a limit, an ending that was not found does not make the story unsound."""
    found = _find_text_routes(ENDLESS, deepest=2)

    assert (MissedPart("out", "12"),) == found.endings_missed
    assert (False, True) == (found.is_certain, found.is_sound)


def test_a_question_is_answered_with_nothing_and_said_so() -> None:
    """Questions get empty answers, which is noted, and free words have the number 0."""
    found = _find_text_routes(
        '# T\n[ASK prompt="Who?" name=who]\n- Go\n  Gone.\n- Say {ask}\n  Said.\nEnd.\n'
    )

    assert [((1,), ("",)), ((0,), ("", ""))] == [
        (route.choices, route.answers) for route in found.routes
    ]
    assert ("every question was answered with an empty text",) == found.notes


def test_a_deed_in_a_world_goes_both_ways() -> None:
    """Without a world, every action is tried with success and with a refusal."""
    found = _find_text_routes(
        "---\nid: t\nscenario: door_and_key\n---\n# T\n"
        ":::do take the key\nDone. <!-- ending: done -->\n:::refused\n"
        "No. <!-- ending: no -->\n:::\n"
    )

    assert {"done": (), "no": ()} == found.endings
    assert ("take the key: allowed",) == found.routes[0].texts
    assert found.notes


ISLAND = (
    "---\nid: t\nscenario: door_and_key\n---\n# T\nStart.\n"
    '- [In](#in) {if holds("me", "key")}\n- [Wait](#wait)\n'
    '## in\n:::when state("gate") == "open" and not flag("dark")\n'
    "Open. <!-- ending: open -->\n:::else\nShut. <!-- ending: shut -->\n:::\n"
    "## wait\nYou wait. <!-- ending: wait -->\n"
)


def test_facts_of_a_world_are_taken_both_ways() -> None:
    """Without a world, every fact is tried as true and as false."""
    found = _find_text_routes(ISLAND)

    assert {"open", "shut", "wait"} == set(found.endings)
    assert () == found.options_missed
    (way,) = {route.texts for route in found.routes if route.ending == "open"}
    assert ("begin [holds('me', 'key')]", "In [state('gate')]") == way


def test_a_fact_stays_what_it_is_until_something_is_done() -> None:
    """A fact stays the same until an action."""
    found = _find_text_routes(
        "---\nid: t\nscenario: door_and_key\n---\n# T\n"
        ':::when flag("a")\nOne.\n:::when not flag("a")\n'
        "Never. <!-- ending: never -->\n:::\n:::\nEnd. <!-- ending: end -->\n"
    )

    assert ["end"] == list(found.endings)


def test_chance_that_decides_is_of_one_seed() -> None:
    """If a condition depends on random results, the seed is noted."""
    text = "# T\n:::when roll(1, 2) == 1\nOne.\n:::\nEnd.\n"

    assert ("some routes depend on random choices; these are for seed 5",) == _find_text_routes(
        text, seed=5
    ).notes


def test_a_line_in_another_file_is_named_with_its_file(tmp_path: Path) -> None:
    """A line of another file is listed with that file."""
    (tmp_path / "a.md").write_text("# A\n- [On](b.md)\n- Stay\n  Stay.\n")
    (tmp_path / "b.md").write_text(
        "# B\nB. <!-- ending: b -->\n## lost\nLost. <!-- ending: lost -->\n"
    )

    found = find_routes(read_story(tmp_path / "a.md").program)

    assert (MissedPart("lost", "b.md:4"),) == found.endings_missed


def test_a_list_that_is_cut_short_still_has_a_route_to_every_ending() -> None:
    """A shortened list still has a route to every ending."""
    options = "".join(f"- look {n} {{once}}\n" for n in range(6))
    text = f"## hub\nHub.\n{options}- [on](#b)\n[hub](#hub)\n## b\n- [on](#c)\n"
    text += "- [up](#hub)\n## c\n- [on](#d)\n- [up](#hub)\n## d\nFar. <!-- ending: far -->\n"
    found = find_routes(parse_story(text).program, limit=5)

    assert 5 == len(found.routes)
    assert "far" == found.routes[-1].ending
    assert (7, 1, 1) == found.routes[-1].choices


def test_what_happens_silently_between_two_steps_is_bounded_too() -> None:
    """A hundred operations without output count as a step."""
    found = find_routes(parse_story(LONG_SILENCE).program, most_steps=300)

    assert ("steps",) == found.bounded
    assert 5 > found.moments
