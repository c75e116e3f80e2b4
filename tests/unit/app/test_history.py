import asyncio

from saniwa.app.host_command_execution import HOST_PHRASES, render_history
from saniwa.runs.run import Run
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.turn.record import Seating
from saniwa.world.model import Id
from tests.fakes.runs import open_courtyard_run, resume_restarted
from tests.fakes.scripted_cast import THREE

PLAYER, KEEPER = Id("player"), Id("keeper")


def _play_run(*said: tuple[str, str]) -> Run:
    run = open_courtyard_run(scenario=THREE, actor="player")

    async def say_all() -> None:
        for who, words in said:
            await run.say(words, who, aloud=who != "player")

    asyncio.run(say_all())
    return run


def _render_lines(run: Run, viewer: Id = PLAYER, language: str = "en") -> list[str]:
    return [line[6:] for line in render_history(run, viewer, HOST_PHRASES[language])]


def test_no_player_reads_what_another_thought() -> None:
    """Of another character's turn, a player sees the narration, not the thoughts."""
    run = _play_run(
        ("player", "take the brass key"),
        ("keeper", "Thought: The fool.\nOutput: Well done. *take the rusty key*"),
        ("keeper", "Thought: Nothing here."),
    )

    assert [
        "> take the brass key  → ok",
        "keeper: Well done.",
        "The keeper takes the rusty key.",
    ] == _render_lines(run)


def test_a_player_who_takes_a_seat_sees_its_deeds_and_no_thoughts() -> None:
    """A player who takes over a seat sees its earlier actions, not its thoughts."""
    run = _play_run(("keeper", "Thought: Mine.\nOutput: *take the rusty key*"))

    assert ["You take the rusty key."] == _render_lines(run, KEEPER)


def test_what_happened_elsewhere_or_had_no_effect_is_not_read() -> None:
    """Actions in other rooms, and refused ones of others, are not shown."""
    run = _play_run(
        ("cook", "*eat the loaf*"),
        ("keeper", "*open the gate*"),
        ("player", "open the gate"),
        ("player", "take the old metal"),
        ("player", "xyzzy"),
    )

    assert [
        "> open the gate  → no",
        "> take the old metal  → ? Which do you mean by “the old metal”?",
        "> xyzzy  → ?",
    ] == _render_lines(run)


def test_what_was_done_next_to_the_story_is_reported_in_the_terminals_words() -> None:
    """Changes of seats, steps back and edits are shown in English and Japanese."""
    run = _play_run(("player", "take the brass key"))

    async def change_run() -> None:
        await run.change_seating(Seating(seats={"player": "person", "keeper": "character"}))
        await run.undo()
        await run.save("here")
        await run.load("here")
        await run.edit_rulebook({"id": "mine"})

    asyncio.run(change_run())

    assert [
        "(seats: keeper character, player a person)",
        "(taken back, to the beginning)",
        "(loaded, back to turn 3)",
        "(rules changed: mine)",
    ] == _render_lines(run)[1:]
    assert [
        "（席：keeperはcharacter、playerは人）",
        "（取り消し、最初へ）",
        "（読み込み、3 番へ）",
        "（規則の変更：mine）",
    ] == _render_lines(run, language="ja")[1:]


def test_what_another_process_has_kept_waits_until_the_run_follows() -> None:
    """Turns of another process are shown only after the run has followed them."""
    store = MemoryRunStore()
    run = open_courtyard_run(store, scenario=THREE, actor="player")
    asyncio.run(resume_restarted(run, store).say("look"))

    assert [] == _render_lines(run)
    assert ["> look  → ok"] == _render_lines(resume_restarted(run, store))
