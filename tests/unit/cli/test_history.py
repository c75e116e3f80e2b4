import asyncio

from saniwa.cli.play.phrases import LANGUAGES
from saniwa.cli.play.scenario_terminal import render_history
from saniwa.runs.run import Run
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.turn.record import Seating
from saniwa.world.model import Id
from tests.fakes.company import THREE
from tests.fakes.runs import garden_run, resumed

PLAYER, KEEPER = Id("player"), Id("keeper")


def _run(*said: tuple[str, str]) -> Run:
    run = garden_run(scenario=THREE, actor="player")

    async def playing() -> None:
        for who, words in said:
            await run.say(words, who, aloud=who != "player")

    asyncio.run(playing())
    return run


def _read(run: Run, viewer: Id = PLAYER, language: str = "en") -> list[str]:
    return [line[6:] for line in render_history(run, viewer, LANGUAGES[language])]


def test_nobody_reads_what_somebody_else_thought() -> None:
    """Of an agent's turn a person reads what they were told, and no more."""
    run = _run(
        ("player", "take the brass key"),
        ("keeper", "Thought: The fool.\nOutput: Well done. *take the rusty key*"),
        ("keeper", "Thought: Nothing here."),
    )

    assert [
        "player: take the brass key  → ok",
        "keeper: Well done.",
        "The keeper takes the rusty key.",
    ] == _read(run)


def test_who_takes_a_seat_over_reads_deeds_and_no_thoughts_of_it() -> None:
    """Also the character's own turns are told, where an agent made them."""
    run = _run(("keeper", "Thought: Mine.\nOutput: *take the rusty key*"))

    assert ["You take the rusty key."] == _read(run, KEEPER)


def test_what_happened_elsewhere_or_came_to_nothing_is_not_read() -> None:
    """Neither the cook's meal in the shed nor the keeper's try at the gate."""
    run = _run(
        ("cook", "*eat the loaf*"),
        ("keeper", "*open the gate*"),
        ("player", "open the gate"),
        ("player", "take the old metal"),
        ("player", "xyzzy"),
    )

    assert [
        "player: open the gate  → no",
        "player: take the old metal  → ? Which do you mean by “the old metal”?",
        "player: xyzzy  → ?",
    ] == _read(run)


def test_what_was_done_beside_the_story_is_told_in_the_terminals_words() -> None:
    """Seats, steps back and rules, in English and Japanese."""
    run = _run(("player", "take the brass key"))

    async def beside() -> None:
        await run.change_seating(Seating(seats={"player": "person", "keeper": "character"}))
        await run.undo()
        await run.save("here")
        await run.load("here")
        await run.edit_rulebook({"id": "mine"})

    asyncio.run(beside())

    assert [
        "(seats: keeper character, player a person)",
        "(taken back, to the beginning)",
        "(loaded, back to turn 3)",
        "(rules changed: mine)",
    ] == _read(run)[1:]
    assert [
        "（席：keeperはcharacter、playerは人）",
        "（取り消し、最初へ）",
        "（読み込み、3 番へ）",
        "（規則の変更：mine）",
    ] == _read(run, language="ja")[1:]


def test_what_another_process_has_kept_waits_until_the_run_follows() -> None:
    """Only turns whose worlds the run knows can be told."""
    store = MemoryRunStore()
    run = garden_run(store, scenario=THREE, actor="player")
    asyncio.run(resumed(run, store).say("look"))

    assert [] == _read(run)
    assert ["player: look  → ok"] == _read(resumed(run, store))
