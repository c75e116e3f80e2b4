import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from saniwa.agent.definition import AgentLimits, ModelSettings
from saniwa.agent.layer_contracts import QueryOptions, QueryResult
from saniwa.app.model_factory import (
    SystemPause,
    open_bridge,
    open_oracle,
    open_recording,
    open_replay,
)
from saniwa.core.errors import AgentError, ConfigurationError, SdkBridgeError, StoreError
from saniwa.core.redaction import MARK
from saniwa.models.metering import UsageMeter
from saniwa.models.oracle import AnswerHistory
from saniwa.models.retry import RetryingOracle
from tests.fakes.model_server import ModelServer
from tests.fakes.oracles import KEY, CountedPause, make_request

_NOTHING: dict[str, str] = {}


def _make_canned_settings(folder: Path) -> ModelSettings:
    (folder / "answers.yaml").write_text("[one, two, three]\n", encoding="utf-8")
    return ModelSettings(use=f"canned:{folder / 'answers.yaml'}")


def _expect_unfit(asking: ModelSettings, **more: object) -> ConfigurationError:
    with pytest.raises(ConfigurationError) as caught:
        open_oracle(asking, environment=_NOTHING, **more)  # type: ignore[arg-type]
    return caught.value


def test_canned_answers_are_opened_by_their_file(tmp_path: Path) -> None:
    """`canned:FILE` answers from the file, with the requested history."""
    bridge = open_bridge(_make_canned_settings(tmp_path))

    answer = asyncio.run(bridge.query("a", QueryOptions()))

    assert ("one", "canned:answers.yaml") == (answer.text, answer.model)


def test_what_is_recorded_is_replayed(tmp_path: Path) -> None:
    """A recording of any model can be replayed, also under the model's name."""
    tape = tmp_path / "tape.jsonl"

    async def ask() -> list[str]:
        recorded = open_oracle(_make_canned_settings(tmp_path), record=tape)
        said = [(await recorded.answer(make_request("a"))).text]
        await recorded.close()
        for replayed in (
            open_oracle(ModelSettings(use="openai:x"), replay=tape, environment=_NOTHING),
            open_oracle(ModelSettings(use="replay:tape.jsonl"), folder=tmp_path),
        ):
            said.append((await replayed.answer(make_request("a"))).text)
            await replayed.close()
        return said

    assert ["one", "one", "one"] == asyncio.run(ask())


def test_several_models_share_a_recording_and_a_meter(tmp_path: Path) -> None:
    """Several models of a run share one recording and one limit."""
    path = tmp_path / "tape.jsonl"

    async def ask() -> list[str]:
        tape, meter = open_recording(path), UsageMeter(AgentLimits(max_calls=2))
        models = [
            open_oracle(_make_canned_settings(tmp_path), record=tape, limits=meter)
            for _ in range(2)
        ]
        for model in models:
            await model.answer(make_request("a"))
        with pytest.raises(SdkBridgeError) as caught:
            await models[0].answer(make_request("b"))
        for model in models:
            await model.close()
        replay = open_replay(path)
        played = [
            open_oracle(ModelSettings(use="fuzz:1"), replay=replay, limits=meter) for _ in range(2)
        ]
        said = [(await model.answer(make_request("a"))).text for model in played]
        with pytest.raises(SdkBridgeError) as again:
            await played[1].answer(make_request("b"))
        return [*said, caught.value.code, again.value.code]

    assert ["one", "one", "BUDGET_SPENT", "BUDGET_SPENT"] == asyncio.run(ask())


def test_limits_stop_a_model(tmp_path: Path) -> None:
    """A limit applies to a model opened with it."""

    async def ask() -> str:
        oracle = open_oracle(
            _make_canned_settings(tmp_path), limits=AgentLimits(max_calls=1, max_cost=0.0)
        )
        await oracle.answer(make_request("a"))
        with pytest.raises(SdkBridgeError) as caught:
            await oracle.answer(make_request("a"))
        return caught.value.code

    assert "BUDGET_SPENT" == asyncio.run(ask())


@pytest.mark.parametrize(
    ("use", "variable"),
    [
        ("openai:x", "OPENAI_API_KEY"),
        ("anthropic:x", "ANTHROPIC_API_KEY"),
        ("google:x", "GOOGLE_API_KEY"),
    ],
)
def test_a_provider_without_its_key_is_found_out_before_it_is_asked(
    use: str, variable: str
) -> None:
    """A provider without its key is refused when it is opened, with the variable's name."""
    problem = _expect_unfit(ModelSettings(use=use))

    assert "MODEL_KEY_MISSING" == problem.code
    assert variable in problem.message

    oracle = open_oracle(ModelSettings(use=use), environment={variable: KEY})
    assert isinstance(oracle, RetryingOracle)


def test_google_s_older_variable_is_known_too() -> None:
    """Google's older variable is accepted too."""
    known = {"GEMINI_API_KEY": KEY}

    assert isinstance(open_oracle(ModelSettings(use="google:x"), environment=known), RetryingOracle)


@pytest.mark.parametrize("use", ["openai:x", "openai-compatible:x", "x", "ollama:x", ""])
def test_an_address_in_a_definition_gets_no_provider_s_key(use: str) -> None:
    """A custom address gets only the key for custom addresses."""
    keys = {"OPENAI_API_KEY": "sk-of-openai-alone", "SANIWA_MODEL_KEY": KEY}

    async def ask() -> str:
        with ModelServer() as server:
            asking = ModelSettings(use=use, url=f"{server.url}/v1")
            oracle = open_oracle(asking, environment=keys)
            await oracle.answer(make_request("a"))
            await oracle.close()
            return server.heard[0].key

    assert KEY == asyncio.run(ask())


def test_lost_connections_are_tried_again() -> None:
    """A lost connection is retried after a pause."""
    pause = CountedPause()

    async def ask() -> str:
        with ModelServer() as server:
            server.plan("error", "limit")
            asking = ModelSettings(use="x", url=f"{server.url}/v1")
            oracle = open_oracle(asking, pause=pause, environment=_NOTHING)
            answer = await oracle.answer(make_request("a"))
            await oracle.close()
            return answer.text

    assert "heard: a" == asyncio.run(ask())
    assert 2 == len(pause.slept)
    assert pause.slept[1] >= 2000


@pytest.mark.parametrize(
    ("asking", "code", "said"),
    [
        (ModelSettings(), "MODEL_UNNAMED", "no model is given"),
        (ModelSettings(), "MODEL_UNNAMED", "--model"),
        (ModelSettings(), "MODEL_UNNAMED", "model.use"),
        (ModelSettings(use="smollm2"), "MODEL_UNKNOWN", "did you mean 'local:smollm2'?"),
        (ModelSettings(use="smolm2"), "MODEL_UNKNOWN", "did you mean 'local:smollm2'?"),
        (ModelSettings(use="opnai:x"), "MODEL_UNKNOWN", "did you mean 'openai'?"),
        (ModelSettings(use="gpt-5"), "MODEL_UNKNOWN", "openai:…"),
        (ModelSettings(use="openai:"), "MODEL_UNKNOWN", "has no model name after 'openai'"),
        (ModelSettings(use="openai"), "MODEL_UNKNOWN", "has no model name after 'openai'"),
        (ModelSettings(use="fuzz:x"), "MODEL_UNKNOWN", "'x' is not a seed"),
        (ModelSettings(use="openai-compatible:x"), "MODEL_UNKNOWN", "needs its address"),
        (ModelSettings(use="x", url="ftp://a/b"), "MODEL_UNKNOWN", "'ftp://a/b'"),
        (ModelSettings(use="x", url="file:///etc"), "MODEL_UNKNOWN", "not the address"),
        (ModelSettings(use="x", url="http://me:pw@a/"), "MODEL_UNKNOWN", "SANIWA_MODEL_KEY"),
        (ModelSettings(use="x", url="http://a:b/v1"), "MODEL_UNKNOWN", "is not the address"),
        (ModelSettings(use="x", url="http://[::1/v1"), "MODEL_UNKNOWN", "'http://[::1/v1'"),
        (ModelSettings(use="x", url="http://a/v1?b=c"), "MODEL_UNKNOWN", "'http://a/v1?…'"),
        (ModelSettings(use="google:x", url="http://a/"), "MODEL_UNKNOWN", "takes no address"),
        (ModelSettings(use="local:none.gguf"), "MODEL_MISSING", "'none.gguf'"),
        (ModelSettings(use="replay:none.jsonl"), "MODEL_MISSING", "'none.jsonl'"),
    ],
)
def test_a_name_nothing_answers_for_is_an_error(
    asking: ModelSettings, code: str, said: str
) -> None:
    """An unknown model name is refused when it is opened, with what to write instead."""
    problem = _expect_unfit(asking)

    assert code == problem.code
    assert said in str(problem)


@pytest.mark.parametrize(
    "url",
    [
        "http://me:hidden@[::1/v1",
        "http://me:hidden@host/v1",
        "http://host/v1?key=hidden",
        "http://host/v1#hidden",
        "ftp://me:hidden@host/",
        "ftp://host/?key=hidden",
        "me:hidden@host",
        "http://me:hid/hidden@host",
        "http://host:0x/?key=hidden",
    ],
)
def test_no_secret_of_an_address_is_reported(url: str) -> None:
    """An invalid address is an error that does not show its secrets."""
    problem = _expect_unfit(ModelSettings(use="x", url=url))

    assert "MODEL_UNKNOWN" == problem.code
    assert "hidden" not in str(problem.to_document())


def test_a_ceiling_on_calls_counts_every_request_that_leaves() -> None:
    """Retries count towards a limit on calls."""

    async def ask() -> tuple[int, str]:
        with ModelServer() as server:
            server.plan(*["error"] * 9)
            oracle = open_oracle(
                ModelSettings(use="x", url=f"{server.url}/v1"),
                limits=AgentLimits(max_calls=2),
                pause=CountedPause(),
                environment=_NOTHING,
            )
            with pytest.raises(SdkBridgeError) as caught:
                await oracle.answer(make_request("a"))
            await oracle.close()
            return len(server.heard), caught.value.code

    assert (2, "BUDGET_SPENT") == asyncio.run(ask())


def test_a_wait_beyond_patience_is_not_waited_for() -> None:
    """A wait over two minutes is not waited for."""
    pause = CountedPause()

    async def ask() -> int:
        with ModelServer() as server:
            server.plan("limit_ages")
            asking = ModelSettings(use="x", url=f"{server.url}/v1")
            oracle = open_oracle(asking, pause=pause, environment=_NOTHING)
            with pytest.raises(SdkBridgeError):
                await oracle.answer(make_request("a"))
            await oracle.close()
            return len(server.heard)

    assert (1, []) == (asyncio.run(ask()), pause.slept)


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_no_secret_of_the_environment_comes_in(streamed: bool) -> None:
    """Secrets of the environment are redacted in answers, pieces and earlier errors."""
    secret, heard = "hunter2-hunter2", list[str]()
    known = {"SMTP_PASS": secret}

    async def ask() -> QueryResult:
        with ModelServer(lambda _: f"it is {secret}") as server:
            server.plan("error_aloud")
            asking = ModelSettings(use="x", url=f"{server.url}/v1")
            bridge = open_bridge(asking, pause=CountedPause(), environment=known)
            hear = heard.append if streamed else None
            answer = await bridge.query("a", QueryOptions(hear=hear))
            await bridge.close()
            return answer

    answer = asyncio.run(ask())

    assert f"it is {MARK}" == answer.text
    assert (answer.text if streamed else "") == "".join(heard)
    assert MARK in answer.mended[0]
    assert secret not in str(answer)


@pytest.mark.parametrize("kind", ["canned", "replay"])
@pytest.mark.parametrize("name", ["../a.yaml", "/etc/passwd", "link.yaml"])
def test_the_files_an_agent_names_are_in_its_folder(kind: str, name: str, tmp_path: Path) -> None:
    """Files that an agent names must be in its folder, and not links to outside."""
    folder = tmp_path / "agent"
    folder.mkdir()
    (tmp_path / "a.yaml").write_text("[one]", encoding="utf-8")
    (folder / "link.yaml").symlink_to(tmp_path / "a.yaml")

    problem = _expect_unfit(ModelSettings(use=f"{kind}:{name}"), folder=folder)

    assert "outside the agent's folder" in problem.message


def test_a_fuzzing_model_is_opened_by_its_seed() -> None:
    """`fuzz:7` answers, with retries after its faults."""

    async def ask() -> int:
        oracle = open_oracle(ModelSettings(use="fuzz:7"), pause=CountedPause())
        answered = 0
        for _ in range(30):
            try:
                await oracle.answer(make_request("a"))
            except AgentError:
                continue
            answered += 1
        return answered

    assert asyncio.run(ask()) > 25


def test_a_pause_is_as_long_as_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pause waits for milliseconds, not seconds."""
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    asyncio.run(SystemPause().sleep(250))

    assert [0.25] == waited


def test_a_local_model_is_opened_without_being_loaded() -> None:
    """Opening a local model does not load it."""
    loaded = "import sys; assert 'xllamacpp' not in sys.modules"
    opened = (
        "from saniwa.agent.definition import ModelSettings\n"
        "from saniwa.app.model_factory import open_oracle\n"
        "open_oracle(ModelSettings(use='local:smollm2'))\n"
    )

    done = subprocess.run([sys.executable, "-c", opened + loaded], capture_output=True, check=False)

    assert (0, b"") == (done.returncode, done.stderr)


def _ask_model(asking: ModelSettings, count: int, **more: Any) -> list[QueryResult]:
    async def ask() -> list[QueryResult]:
        bridge = open_bridge(asking, **more)
        try:
            return [await bridge.query("?", QueryOptions()) for _ in range(count)]
        finally:
            await bridge.close()

    return asyncio.run(ask())


@pytest.mark.parametrize("cut", [0, 1, 2])
def test_a_resumed_model_gets_the_answers_that_follow(cut: int, tmp_path: Path) -> None:
    """A resumed model continues with the next canned or recorded answer."""
    asking, tape = _make_canned_settings(tmp_path), tmp_path / "tape.jsonl"
    whole = _ask_model(asking, 3, record=tape)
    past = AnswerHistory(
        keys=tuple(each.key for each in whole[:cut]), texts=tuple(each.text for each in whole[:cut])
    )
    named = ModelSettings(use=f"replay:{tape}")

    rest = [
        _ask_model(asking, 3 - cut, past=past),
        _ask_model(asking, 3 - cut, past=past, replay=tape),
        _ask_model(named, 3 - cut, past=past),
    ]

    follows = ["one", "two", "three"][cut:]
    assert [follows] * 3 == [[each.text for each in said] for said in rest]


def test_a_recording_that_was_left_unfinished_says_so_on_opening(tmp_path: Path) -> None:
    """A recording with an incomplete line reports the repair when it is opened."""
    path = tmp_path / "tape.jsonl"
    path.write_bytes(b'{"key":"a","requ')

    tape = open_recording(path)
    tape.close()

    assert ["LOG_MENDED"] == [each.code for each in tape.repairs]


def test_a_recording_with_another_writer_is_refused_before_the_first_question(
    tmp_path: Path,
) -> None:
    """A recording with another writer is refused when it is opened."""
    held = open_recording(tmp_path / "tape.jsonl")

    with pytest.raises(StoreError) as caught:
        open_oracle(_make_canned_settings(tmp_path), record=tmp_path / "tape.jsonl")
    held.close()

    assert "STORE_BUSY" == caught.value.code


def test_a_recording_cannot_answer_and_be_made_at_once(tmp_path: Path) -> None:
    """`record` and `replay` together are refused."""
    problem = _expect_unfit(
        ModelSettings(use="fuzz:1"), record=tmp_path / "a", replay=tmp_path / "b"
    )

    assert "'record' and 'replay' were both given" == problem.message


def test_a_playback_from_the_beginning_raises_what_was_raised(tmp_path: Path) -> None:
    """A replay from the beginning raises the recorded errors."""
    tape, path = tmp_path / "t.jsonl", tmp_path / "none.yaml"
    path.write_text("[]", encoding="utf-8")
    with pytest.raises(SdkBridgeError):
        _ask_model(ModelSettings(use=f"canned:{path}"), 1, record=tape)
    path.write_text("[one]", encoding="utf-8")
    _ask_model(ModelSettings(use=f"canned:{path}"), 1, record=tape)

    with pytest.raises(SdkBridgeError, match="canned answers were used"):
        _ask_model(ModelSettings(), 1, replay=tape, past=AnswerHistory())
