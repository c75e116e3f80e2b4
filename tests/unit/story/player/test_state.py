import msgspec
import pytest

from saniwa.core.errors import ScriptError
from saniwa.story.player import Player, RequestOutcome
from saniwa.story.saves import (
    OLDEST,
    VERSION,
    Resumption,
    StorySave,
    carry_history,
    read_save,
    restore_player,
    save_player,
)
from saniwa.story.step_builder import WorldRequest
from saniwa.story.step_result import StepResult
from tests.fakes.stories import LAMP, make_player, parse_story_text, play_steps, render_steps


def _restore_into(reader: Player, text: str) -> tuple[Player, Resumption]:
    """A new player of a text, restored from another one through JSON."""
    other = Player(parse_story_text(text).program)
    return other, restore_player(other, read_save(save_player(reader).to_json()))


def _play_to_line(text: str, line: str, choices: tuple[int, ...] = ()) -> Player:
    """A player that has just shown a line."""
    reader, left = make_player(text), list(choices)
    while line not in " ".join(render_steps([reader.step()])):
        if reader.waiting == "choice":
            reader.choose(left.pop(0))
    return reader


def test_a_story_resumed_continues_unchanged() -> None:
    """At every step, a restored story continues the same."""
    reader = make_player(LAMP, seed=3)
    for choice in (0, 1, 0, 0):
        for _ in range(6):
            shown = reader.step()
            other, how = _restore_into(reader, LAMP)

            assert "exactly" == how.found
            assert (shown, reader.variables) == (other.step(), other.variables)
            assert reader.choices == other.choices
            if reader.waiting == "choice":
                break
        index = min(choice, len(shown.directives[-1].args.choices) - 1)  # type: ignore[union-attr]
        reader.choose(index)


def test_a_choice_made_is_not_lost_before_the_next_step() -> None:
    """A choice before the next step is part of the saved state."""
    reader = _play_to_line(LAMP, "Ask about the lamp")
    reader.choose(0)
    other, _ = _restore_into(reader, LAMP)

    assert ["Ben: It burns till dawn."] == render_steps([other.step()])


def test_the_same_state_is_the_same_bytes() -> None:
    """The same choices give the same saved bytes."""
    first, second = (_play_to_line(LAMP, "Take this", (0,)) for _ in range(2))

    assert save_player(first).to_json() == save_player(second).to_json()


def test_a_state_in_the_middle_of_a_call_returns() -> None:
    """A state inside a call has the places to return to."""
    reader = _play_to_line(LAMP, "You unfold the map", (0,))
    other, _ = _restore_into(reader, LAMP)

    assert ["You unfold the map for time 1. It is wet."] == render_steps([other.step()])
    assert ["Ben: Take this. It is yours."] == render_steps([other.step()])


EDITS = {
    "lines added before": (
        LAMP.replace("## bridge\n", "## bridge\nIt is late.\n\nVery late.\n\n"),
        "id",
        "Take this. It is yours.",
    ),
    "a section added before": (
        LAMP.replace("## bridge\n", "## gate\nA gate.\n## bridge\n"),
        "id",
        "Take this. It is yours.",
    ),
    "the line moved to the end": (
        LAMP.replace("Ben: Take this. It is yours.\n", "Hm.\n")
        + "## later\nBen: Take this. It is yours. {#gift}\n",
        "neighbour",
        "Hm.",
    ),
    "the line is gone": (
        LAMP.replace("Ben: Take this. It is yours.\n", "[SET met = true]\n"),
        "neighbour",
        "Rain on the bridge.",
    ),
    "the section is rewritten": (
        "# T\n[on](#bridge)\n## bridge\nAll is new here.\n\nQuite new.\n",
        "label",
        "All is new here.",
    ),
    "the section is gone": ("# T\nAnother story.\n", "beginning", "Another story."),
}


@pytest.mark.parametrize("name", EDITS)
def test_a_save_from_before_an_edit_finds_its_place(name: str) -> None:
    """After an edit, the position is found by line id, then by neighbours, then by label."""
    text, found, shown = EDITS[name]
    reader = _play_to_line(LAMP, "Take this", (0,))
    other, how = _restore_into(reader, text)

    assert found == how.found
    assert str(how.line) in str(how)
    assert shown in " ".join(render_steps([other.step()]))


def test_after_a_line_that_was_taken_out_the_next_one_follows() -> None:
    """If the saved line was removed, the next one follows."""
    reader = _play_to_line("One {a|b}. {#l1}\n\nTwo. {#l2}\n\nThree. {#l3}", "Two.")
    other, how = _restore_into(reader, "One {a|b}. {#l1}\n\nThree. {#l3}")

    assert "neighbour" == how.found
    assert ["Three."] == render_steps([other.step()])


def test_visits_are_kept_also_where_nothing_asks_for_them_yet() -> None:
    """Visits are counted even if nothing uses them yet."""
    text = "## s\nHi. {#h}\n- [again](#s) {#o}\n- out\n  Bye."
    reader = make_player(text)
    for _ in range(3):
        reader.step()
        reader.choose(0)
    reader.step()
    other, _ = _restore_into(reader, text.replace("Hi.", 'Hi {visits("s")} {chosen("o")}.'))

    assert "Hi 4 3." == render_steps([other.step()])[0]


@pytest.mark.parametrize(
    ("edited", "expected"),
    [
        ("One.\n[SET n += 1]\nNew.\n[SET n += 1]\nThree {n}.", ["New.", "Three 2."]),
        ("One.\n[SET n += 1]\n[SET n += 1]\nThree {n}.", ["Three 2."]),
        ("One.\n[SET n += 1]\nNew.\n[SET n += 1]\nFour {n}.", ["New.", "Four 2."]),
    ],
)
def test_next_to_a_lost_line_nothing_is_done_twice(edited: str, expected: list[str]) -> None:
    """If the saved line was removed, changes before it are kept, and later ones still follow."""
    reader = _play_to_line("One.\n[SET n += 1]\nTwo.\n[SET n += 1]\nThree {n}.", "Two.")
    other, how = _restore_into(reader, edited)

    assert "neighbour" == how.found
    assert expected == render_steps([other.step() for _ in expected])


CALLING = """\
    [Rain](#rain "call")
    [SET mood += 1]
    :::when mood > 3
    High.
    :::else
    Mood is {mood}.
    :::
    <!-- ending: e -->
    ## rain
    It rains.

    Still.
    """


@pytest.mark.parametrize(
    ("old", "new"),
    [("Still.", "Yet."), ("High.", "Very high."), ("It rains.", "It pours."), ("", "")],
)
def test_a_call_returns_to_where_it_was_made_also_after_an_edit(old: str, new: str) -> None:
    """After an edit, a call returns to where it was made, and what follows happens once."""
    reader = _play_to_line(CALLING, "It rains.")
    other, _ = _restore_into(reader, CALLING.replace(old, new) if old else CALLING + "\nX.\n")
    rest = render_steps(play_steps(other))

    assert ["Mood is 1.", "(e)"] == rest[-2:]


@pytest.mark.parametrize(
    ("text", "at", "old", "new", "expected"),
    [
        pytest.param(
            "One. {#l1}\n[PLAY_SE name=x]\n[SET n += 1]\n[ASK prompt=who name=s]\nN {n}.",
            "who",
            "[SET n",
            "[SET m += 5]\n[SET n",
            ["<who>", "N 1."],
            id="a command before a question",
        ),
        pytest.param(
            "One. {#l1}\n[PLAY_SE name=x]\n[ASK prompt=who name=s]\nM {m}. {#l2}",
            "who",
            "M {m}.",
            "[SET m += 5]\nM {m}.",
            ["<who>", "M 5."],
            id="a command after a question",
        ),
        pytest.param(
            "[CALL label=b]\n[SET m += 1]\nEnd {m}. <!-- ending: e -->\n## b\nIn. {#i}",
            "In.",
            "[CALL",
            "[SET m += 100]\n[CALL",
            ["In.", "End 1."],
            id="a command before a call",
        ),
        pytest.param(
            "One. {#l1}\n[SET n += 1]\nOld.",
            "Old.",
            "[SET n += 1]\nOld.",
            "[SET m += 5]\n[SET n += 1]\nNew {n}.",
            ["New 1."],
            id="a command before a line that was reworded",
        ),
        pytest.param(
            "One. {#l1}\n[SET n += 1]\nOld.\n[SET n += 10]\nLast {n}. {#l9}",
            "Old.",
            "Old.\n",
            "[SET m = 2]\n",
            ["Last 11."],
            id="commands around a line that was taken out",
        ),
    ],
)
def test_an_edit_makes_nothing_happen_twice_and_nothing_not_at_all(
    text: str, at: str, old: str, new: str, expected: list[str]
) -> None:
    """After an edit, past changes are not repeated, and future ones are not lost."""
    assert old in text
    other, _ = _restore_into(_play_to_line(text, at), text.replace(old, new, 1))
    shown = render_steps([other.step()])
    if other.waiting == "answer":
        other.answer("me")
    while shown != expected and len(shown) < len(expected):
        shown += render_steps([other.step()])

    assert expected == shown


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("varied", {"x/0": -1}),
        ("visits", {"bridge": -5}),
        ("chosen", {"x": -1}),
        ("chance", -1),
        ("chance", 2**40),
        ("position", {"label": "", "nth": -4}),
    ],
)
def test_numbers_that_cannot_be_are_refused(field: str, value: object) -> None:
    """A state with impossible numbers is refused before it is used."""
    document = msgspec.json.decode(save_player(_play_to_line(LAMP, "Take this", (0,))).to_json())

    with pytest.raises(ScriptError) as caught:
        read_save(msgspec.json.encode({**document, field: value}))

    assert "STATE_UNREADABLE" == caught.value.code


def test_the_history_of_choices_is_bounded() -> None:
    """The history of choices is limited, so that the state stays readable."""
    reader = make_player('## a\n[ASK prompt="Who?" name=who]\nHi.\n[again](#a)')
    for _ in range(60):
        reader.step()
        reader.answer("x" * 10_000)
        reader.step()
    content = save_player(reader).to_json()

    assert len(content) < 300_000
    assert read_save(content).forgotten > 0
    assert reader.choices[-1] == "x" * 10_000


def test_the_stage_comes_back_with_the_story() -> None:
    """A restored story has the same scenery."""
    text = "[SHOW_IMAGE file=a layer=bg]\n[SHOW_IMAGE file=b layer=who]\n[PLAY_BGM name=rain]\nOne.\n[SHOW_IMAGE file=c layer=bg]\n[CLEAR_LAYER layer=who]\nTwo.\n\nThree."
    reader = _play_to_line(text, "Three.")
    other, _ = _restore_into(reader, text)

    assert reader.build_scenery() == other.build_scenery()
    assert ["ShowImage", "PlayBgm"] == [
        type(each).__name__ for each in other.build_scenery().directives
    ]
    reader.back(2)
    assert 3 == len(reader.build_scenery().directives)


def test_an_id_of_the_author_survives_a_new_wording() -> None:
    """A reworded line with an id is found again."""
    reader = _play_to_line(LAMP, "You came back")
    other, how = _restore_into(reader, LAMP.replace("You came back", "There you are"))

    assert "id" == how.found
    assert "Ben: There you are." == render_steps([other.step()])[0]


def test_stage_directions_before_a_line_are_shown_again() -> None:
    """Directives before a line found by its id are shown again."""
    text = "One.\n[SHOW_IMAGE file=a]\n[PLAY_SE name=b]\nTwo. {#two}\n"
    reader = _play_to_line(text, "Two.")
    other, how = _restore_into(reader, "Zero.\n\n" + text)

    assert "id" == how.found
    assert 3 == len(other.step().directives)


def test_variables_the_story_has_gained_begin_with_their_first_values() -> None:
    """Variables added by an edit have their initial values, and saved ones keep theirs."""
    reader = _play_to_line(LAMP, "Take this", (0,))
    other, _ = _restore_into(reader, LAMP.replace("met: false}", "met: false, coins: 3}"))

    assert (3, 1) == (other.variables["coins"], other.variables["trust"])


def test_a_call_whose_place_is_gone_is_reported() -> None:
    """A call whose place was removed is reported."""
    reader = _play_to_line(LAMP, "You unfold the map", (0,))
    edited = '# T\n[m](#map)\n## map\nYou unfold the map for time {visits("map")}. {&It is wet.|It is torn.}\n'
    _, how = _restore_into(reader, edited)

    assert ("id", 1) == (how.found, how.lost_calls)
    assert "nowhere to return to" in str(how)


def test_what_the_world_described_is_not_lost() -> None:
    """The narration of an action that was not shown yet is shown once after restoring."""
    text = "---\nid: s\nscenario: x\n---\n:::do take key\nYou have it.\n:::\nEnd."
    reader = Player(parse_story_text(text).program)
    assert isinstance(reader.advance(), WorldRequest)
    reader.settle(RequestOutcome(False, "LOCKED", (("", "It is locked."),)))
    other, _ = _restore_into(reader, text)

    assert ["It is locked.", "End."] == render_steps([other.step(), other.step()])


def test_a_deed_that_waits_is_requested_again() -> None:
    """An action without an outcome is requested again after restoring."""
    text = "---\nid: s\nscenario: x\n---\n:::do take key\nYou have it.\n:::\nEnd."
    reader = Player(parse_story_text(text).program)
    asked = reader.advance()
    other, _ = _restore_into(reader, text)

    assert asked == other.advance()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"{}",
        b"\xff\xfe",
        b'{"version": 1}',
        b"[" * 100_000,
        b" " * 5_000_000,
        msgspec.json.encode({"version": VERSION + 1}),
    ],
)
def test_what_is_not_a_state_is_refused(content: bytes) -> None:
    """Bytes that are not a state are refused."""
    with pytest.raises(ScriptError) as caught:
        read_save(content)

    assert "STATE_UNREADABLE" == caught.value.code


def test_a_state_of_a_newer_version_is_refused_by_its_version() -> None:
    """A state of a newer version is refused with the readable versions."""
    newer = msgspec.structs.replace(save_player(make_player(LAMP)), version=VERSION + 1)

    with pytest.raises(ScriptError, match=f"versions {OLDEST} to {VERSION}"):
        read_save(newer.to_json())


def test_a_state_with_a_wrong_place_starts_at_a_valid_one() -> None:
    """Wrong addresses in a state do not break a player."""
    state = save_player(_play_to_line(LAMP, "Take this", (0,)))
    wild = msgspec.structs.replace(
        state, position=msgspec.structs.replace(state.position, nth=10**9)
    )
    reader = make_player(LAMP)

    restore_player(reader, wild)

    assert isinstance(reader.step(), StepResult)


def test_a_state_fits_its_type() -> None:
    """A written state can be decoded as its type."""
    state = save_player(_play_to_line(LAMP, "Take this", (0,)))

    assert state == msgspec.json.decode(state.to_json(), type=StorySave)


def _reload_text(reader: Player, text: str) -> Player:
    """A new player of an edited text, with the position and history of another one."""
    other = Player(parse_story_text(text).program)
    restore_player(other, save_player(reader))
    carry_history(reader, other)
    return other


def test_going_back_leads_through_what_was_shown_before_an_edit() -> None:
    """After an edit, going back shows each step in its new words, with its variables."""
    reader = _play_to_line(LAMP, "Take this", (0,))
    other = _reload_text(reader, LAMP.replace("You unfold", "You open"))
    other.step()

    assert "You open the map" in " ".join(render_steps([other.back()]))  # type: ignore[list-item]
    assert ["Ben: It burns till dawn."] == render_steps([other.back()])  # type: ignore[list-item]
    shown = render_steps([other.back()])  # type: ignore[list-item]
    assert "Ask about the lamp" in " ".join(shown)
    assert 0 == other.variables["trust"]
    other.choose(0)
    assert ["Ben: It burns till dawn."] == render_steps([other.step()])


def test_the_past_is_the_same_with_and_without_a_reload() -> None:
    """In an unchanged story, going back is the same after a reload."""
    reader = _play_to_line(LAMP, "Take this", (0,))
    other = _reload_text(reader, LAMP)
    other.step()

    assert reader.backlog == other.backlog
    while (shown := reader.back()) is not None:
        assert shown == other.back()
    assert other.back() is None


def test_a_choice_made_before_an_edit_can_be_taken_back() -> None:
    """A choice before the next step can be undone after a reload."""
    reader = _play_to_line(LAMP, "Ask about the lamp")
    reader.choose(0)
    other = _reload_text(reader, LAMP)

    assert ["Ben: It burns till dawn."] == render_steps([other.step()])
    assert "Ask about the lamp" in " ".join(render_steps([other.back()]))  # type: ignore[list-item]


def test_the_way_back_ends_where_a_section_is_gone() -> None:
    """Going back ends before a section that was removed."""
    text = "## a\nOne.\n\n## b\nTwo.\n\n## c\nThree.\n\nFour.\n"
    reader = _play_to_line(text, "Four.")
    other = _reload_text(reader, text.replace("## b\nTwo.", "## d\nOther."))
    other.step()

    assert ["Three."] == render_steps([other.back()])  # type: ignore[list-item]
