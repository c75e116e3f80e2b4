"""Agents at the terminal."""

import shlex
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.commands import run_command
from tests.journeys.terminal import Terminal

_ANSWERS = """\
answers:
  - "Thought: A guest.\\nOutput: Good evening to you."
  - "Thought: Hm.\\nOutput: *take the moon*"
  - "Thought: Never mind.\\nOutput: I was dreaming."
repeat: true
"""
_KOTAE = 'answers:\n  - "Thought: 客だ。\\nOutput: こんばんは。"\nrepeat: true\n'


def _run_saniwa(folder: Path, *command: str, text: str = "") -> tuple[int, str]:
    done = run_command(folder, *command, stdin=text.encode())
    return done.returncode, done.stdout + done.stderr


def _play_island(folder: Path, *more: str, text: str) -> tuple[int, str]:
    seats = ("play", "lantern_island", "--agent", "pim", "--input", "-")
    return _run_saniwa(folder, *seats, *more, text=text)


@pytest.fixture
def answers_folder(tmp_path: Path) -> Path:
    """A folder with canned answers."""
    (tmp_path / "answers.yaml").write_text(_ANSWERS, encoding="utf-8")
    (tmp_path / "kotae.yaml").write_text(_KOTAE, encoding="utf-8")
    return tmp_path


def test_a_person_talks_with_an_agent_and_takes_its_seat(answers_folder: Path) -> None:
    """An agent answers; a person takes over its seat and returns it, also after a restart."""
    model = ("--model", "canned:answers.yaml")
    with Terminal(
        *("play", "lantern_island", "--agent", "pim", *model),
        folder=answers_folder,
        prompt=("\n> ", "\nvisitor> "),
    ) as table:
        assert "Pim (pim): the agent 'character'" in table.read_shown()
        assert "Pim: Good evening to you." in table.type_line("say hello")
        assert "Pim: I was dreaming." in table.type_line("look")
        assert "by the rule 'look'" in table.type_line("why")
        assert "take over WHO" in table.type_line("help")
        assert "You play Pim too" in table.type_line("take over Pim")
        assert "Pim (pim): a person" in table.type_line("who")
        assert "You play Pim already" in table.type_line("take over pim")
        assert "No agent has played visitor" in table.type_line("hand back player")
        assert "plays Pim again" in table.type_line("hand back pim")
        assert "'character' plays Pim already" in table.type_line("hand back pim")
        for line in ("/take nobody", "take over nobody"):
            answered = table.type_line(line)
            assert "There is no character 'nobody'. Characters: Orla (orla)" in answered
        assert "Which character?" in table.type_line("take over")
        told = table.type_line("history")
        assert "Pim: Good evening to you." in told
        assert "Thought" not in told
        ending = table.type_line("quit")

        assert " play --resume last --model canned:answers.yaml" in ending
        assert 0 == table.leave()

    with Terminal("play", "--resume", *model, folder=answers_folder) as table:
        assert "Pim (pim): the agent 'character'" in table.read_shown()
        assert "Pim: Good evening to you." in table.type_line("look")

    code, told = _run_saniwa(answers_folder, "replay", "last")
    assert 0 == code, told
    _, log = _run_saniwa(answers_folder, "log", "last", "--timeline")
    assert "Thought: A guest." in log
    assert "nobody" not in log


def test_agents_play_in_japanese_too(answers_folder: Path) -> None:
    """Agents can be played with in Japanese, with Japanese commands."""
    seats = ("--agent", "風太", "--model", "canned:kotae.yaml")
    with Terminal(
        *("play", "lantern_island_ja", *seats), folder=answers_folder, prompt=("\n> ", "\n旅人> ")
    ) as table:
        assert "風太：エージェント「character」" in table.read_shown()
        assert "風太：こんばんは。" in table.type_line("こんばんはと言う")
        assert "風太も動かせます" in table.type_line("風太を引き継ぐ")
        assert "風太：人" in table.type_line("席")
        assert "任せました" in table.type_line("風太に任せる")
        assert "もうエージェント「character」が" in table.type_line("任せる 風太")
        for line in ("引き継ぐ 誰か", "誰かを引き継ぐ", "任せる 誰か"):
            assert "「誰か」という人はいません" in table.type_line(line)
        past = table.type_line("履歴")
        assert "席：" in past
        assert "seats" not in past
        assert "Thought" not in past
        assert "続きは" in table.type_line("終了")


def test_a_watching_person_plays_each_turn_with_enter(answers_folder: Path) -> None:
    """If agents have every seat, each Enter plays one turn."""
    everybody = ("--agent", "player", "--agent", "pim")
    code, told = _run_saniwa(
        answers_folder,
        *("play", "lantern_island", *everybody, "--input", "-"),
        *("--model", "canned:answers.yaml"),
        text="\nhello?\n\ntake over player\nlook\n",
    )

    assert 0 == code, told
    assert 2 == told.count("Only agents play here")
    assert "visitor: Good evening to you." in told
    assert "You play visitor now" in told
    assert "Wet planks" in told.partition("You play visitor now")[2]


def test_a_recorded_table_plays_again_without_its_model(answers_folder: Path) -> None:
    """A replay of a recorded table needs no model and gives the same story."""
    lines = "say hello\nlook\ntake the sea glass\n"
    recorded = _play_island(
        answers_folder, *("--model", "canned:answers.yaml", "--record", "tape.jsonl"), text=lines
    )
    (answers_folder / "answers.yaml").unlink()
    replayed = _play_island(answers_folder, "--replay", "tape.jsonl", text=lines)

    assert 0 == recorded[0] == replayed[0], replayed[1]
    assert _cut_costs(recorded[1]) == _cut_costs(replayed[1])
    assert "Pim: Good evening to you." in replayed[1]


def _cut_costs(told: str) -> str:
    return told.partition("Model calls")[0]


def test_a_ceiling_ends_the_agent_and_not_the_table(answers_folder: Path) -> None:
    """A spent limit ends the agent and not the run; after a resume it is still spent."""
    model = ("--model", "canned:answers.yaml", "--max-calls", "1")
    code, told = _play_island(answers_folder, *model, text="say hello\nlook\nlook\n")

    assert 0 == code
    assert 1 == told.count("[BUDGET_SPENT]")
    assert "take over pim" in told

    _, again = _run_saniwa(
        answers_folder, "play", "--resume", *model, "--input", "-", text="look\n"
    )
    assert "[BUDGET_SPENT]" in again
    assert "Good evening" not in again


@pytest.mark.parametrize(
    ("command", "code", "words"),
    [
        (("--agent", "pim"), 3, "error[MODEL_UNNAMED]: no model is given for the agent"),
        (("--agent", "nobody", "--model", "canned:answers.yaml"), 3, "ACTOR_UNKNOWN"),
        (("--agent", "pim=nemo", "--model", "canned:answers.yaml"), 3, "'nemo'"),
        (("--parser", "model"), 3, "MODEL_UNNAMED"),
        (("--narrator", "model"), 3, "MODEL_UNNAMED"),
        (("--replay", "x", "--model", "y"), 2, "remove --model"),
        (("--replay", "none.jsonl"), 3, "none.jsonl"),
        (("--seating", "by-age"), 2, "by-age"),
        (("--agents", "--model", "canned:answers.yaml"), 2, "names none"),
        (("--agent", "pim", "--agent", "pim=x"), 2, "'pim' twice"),
        (("--agent", "pim=worker", "--model", "canned:answers.yaml"), 3, "SEATING_UNFIT"),
    ],
)
def test_a_table_that_cannot_be_set_is_reported_and_nothing_is_kept(
    answers_folder: Path, command: tuple[str, ...], code: int, words: str
) -> None:
    """Seats, agents and models are checked before a run is created."""
    play = ("play", "lantern_island", *command, "--input", "-")
    ended, told = _run_saniwa(answers_folder, *play, text="look\n")

    assert (code, True) == (ended, words in told), told
    assert not (answers_folder / ".saniwa").exists()


def test_a_resumed_run_keeps_no_seat_that_cannot_be_played(answers_folder: Path) -> None:
    """An unknown agent is reported before it gets a seat."""
    model = ("--model", "canned:answers.yaml", "--input", "-")
    _run_saniwa(answers_folder, "play", "lantern_island", *model, text="look\n")
    code, told = _run_saniwa(answers_folder, "play", "--resume", "--agent", "pim=nemo", *model)
    _, then = _run_saniwa(answers_folder, "play", "--resume", *model, text="who\n")

    assert (3, True) == (code, "'nemo'" in told)
    assert "Pim" not in then.partition("> who")[2]


def test_agents_are_not_for_stories(answers_folder: Path) -> None:
    """A story cannot be played with agents."""
    (answers_folder / "s.md").write_text("# A story\n\nOnce.\n", encoding="utf-8")
    code, told = _run_saniwa(answers_folder, "play", "s.md", "--agent", "pim")

    assert 2 == code
    assert "--agent is only for a scenario" in told


def test_the_authors_agents_sit_down_when_asked_to(answers_folder: Path) -> None:
    """A scenario's `agent` keys are used only with `--agents`."""
    (answers_folder / "inn.yaml").write_text(
        "name: inn\nlocations: {hall: {}}\ncharacters:\n"
        "  guest: {location: hall, agent: character}\n"
        "  host: {location: hall, agent: character}\n",
        encoding="utf-8",
    )
    model = ("--model", "canned:answers.yaml", "--input", "-")
    _, without = _run_saniwa(answers_folder, "play", "inn.yaml", *model, text="look\n")
    _, told = _run_saniwa(answers_folder, "play", "inn.yaml", "--agents", *model, text="look\n")

    assert "host: Good evening" not in without
    assert "host: Good evening" in told
    assert "guest: a person" in told


def test_a_person_without_a_turn_watches(answers_folder: Path) -> None:
    """A person without a turn in the scenario's order watches agents, which do not loop forever."""
    (answers_folder / "duel.yaml").write_text(
        "name: duel\nlocations: {field: {exits: {east: lake}}, lake: {}}\n"
        "turn_order: [ada, ben]\n"
        "clear_condition: {type: reach_location, target: lake, actor: ada}\n"
        "characters:\n  judge: {location: field}\n"
        "  ada: {location: field}\n  ben: {location: field}\n",
        encoding="utf-8",
    )
    (answers_folder / "go.yaml").write_text('["say hello", "say hi", "go east"]', "utf-8")
    code, told = _run_saniwa(
        answers_folder,
        *("play", "duel.yaml", "--as", "judge", "--agent", "ada", "--agent", "ben"),
        *("--model", "canned:go.yaml", "--input", "-"),
        text="\n\n\n",
    )

    assert 0 == code, told
    assert "ada: hello" in told
    assert "ben: hi" in told
    assert "You reached the goal." in told


@pytest.mark.slow
def test_ctrl_c_while_a_model_is_asked_leaves_the_run_whole(answers_folder: Path) -> None:
    """Ctrl-C while a model does not answer ends the command, and the run can be resumed."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        table = Terminal(
            *("play", "lantern_island", "--agent", "pim"),
            *("--model", "openai-compatible:silent", "--model-url", url),
            folder=answers_folder,
            prompt=("\n> ", "thinking …)\x1b[0m"),
        )
        with table:
            table.read_shown()
            assert "(Pim is thinking …)" in table.type_line("say hello")
            assert 130 == table.interrupt()

    model = ("--model", "canned:answers.yaml", "--input", "-")
    code, told = _run_saniwa(answers_folder, "play", "--resume", *model, text="look\n")
    assert 0 == code, told
    assert "Pim: Good evening to you." in told
    assert 0 == _run_saniwa(answers_folder, "replay", "last")[0]


def test_the_command_to_continue_works(answers_folder: Path) -> None:
    """The printed command to continue names the store, the model and the recording."""
    given = ("--model", "canned:my answers.yaml", "--record", "my tape.jsonl")
    (answers_folder / "my answers.yaml").write_text(_ANSWERS, encoding="utf-8")
    _, told = _play_island(answers_folder, *given, "--store", "my runs.sqlite", text="say hello\n")
    command = shlex.split(told.partition("Continue with:\n")[2])
    code, again = _run_saniwa(answers_folder, *command[1:], "--input", "-", text="history\n")

    assert 0 == code, again
    assert "> say hello  → ok" in again


def test_a_scenario_in_another_language_names_its_twin(answers_folder: Path) -> None:
    """A player who names a language is shown the scenario's version in that language."""
    japanese = ("--language", "ja", "--input", "-")
    _, told = _run_saniwa(answers_folder, "play", "lantern_island", *japanese)
    _, plain = _run_saniwa(answers_folder, "play", "lantern_island_ja", *japanese)

    assert "  saniwa play lantern_island_ja\n" in told
    assert "別の言語" not in plain


def test_a_plain_run_loads_nothing_of_agents(answers_folder: Path) -> None:
    """A run without agents does not load the modules of agents."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "saniwa", "play", "--input", "-"],
        cwd=answers_folder,
        input="look\n",
        capture_output=True,
        encoding="utf-8",
        timeout=600,
        check=True,
    )

    assert "saniwa.cli.play.scenario_terminal" in done.stderr
    for unwanted in ("authoring", "looping", "bridges", "prompting"):
        assert f"saniwa.agent.{unwanted}" not in done.stderr


def test_an_agent_without_a_folder_is_reported_to_its_author(answers_folder: Path) -> None:
    """An unknown agent in a scenario is a warning with its line, as it may exist elsewhere."""
    (answers_folder / "inn.yaml").write_text(
        "name: inn\nlocations: {hall: {}}\ncharacters:\n"
        "  guest: {location: hall}\n"
        "  host: {location: hall, agent: charactr}\n"
        "  cook: {location: hall, agent: character}\n",
        encoding="utf-8",
    )
    code, told = _run_saniwa(answers_folder, "scenario", "check", "inn.yaml")

    assert 0 == code, told
    assert 1 == told.count("CONFIG_NOT_FOUND")
    assert "inn.yaml:5" in told
    assert "character" in told.partition("hint")[2]


@pytest.mark.parametrize("again", ["canned", "replayed"])
def test_continuing_shows_the_next_step(answers_folder: Path, again: str) -> None:
    """Canned and recorded answers continue where they were, also in a third session."""
    (answers_folder / "three.yaml").write_text('["say one", "say two", "say three"]', "utf-8")
    model = ("--model", "canned:three.yaml")
    if again == "replayed":
        record = (*model, "--record", "tape.jsonl", "--store", "elsewhere.sqlite")
        _play_island(answers_folder, *record, text="look\n" * 3)
        (answers_folder / "three.yaml").unlink()
        model = ("--replay", "tape.jsonl")
    told = [_play_island(answers_folder, *model, text="look\n")[1]]
    for _ in range(2):
        goes_on = ("play", "--resume", *model, "--input", "-")
        told.append(_run_saniwa(answers_folder, *goes_on, text="look\n")[1])

    assert ["Pim: one", "Pim: two", "Pim: three"] == [
        line for each in told for line in each.split("\n") if line.startswith("Pim: ")
    ]


def test_a_run_in_memory_is_not_said_to_be_kept(answers_folder: Path) -> None:
    """For a run in memory no command to continue is printed."""
    memory = ("--store", "memory:", "--input", "-")
    _, told = _run_saniwa(answers_folder, "play", *memory, text="look\n")

    assert "in memory only" in told
    assert "Continue with" not in told


def test_a_torn_recording_is_repaired_and_reported(answers_folder: Path) -> None:
    """An incomplete last line of a recording is removed, and this is reported."""
    given = ("--model", "canned:answers.yaml", "--record", "tape.jsonl")
    _play_island(answers_folder, *given, text="look\n")
    with (answers_folder / "tape.jsonl").open("a", encoding="utf-8") as tape:
        tape.write('{"torn')
    code, told = _play_island(answers_folder, *given, text="look\n")

    assert 0 == code, told
    assert "LOG_MENDED" in told
