import asyncio

import pytest

from saniwa.core.errors import (
    ConfigurationError,
    SdkBridgeError,
    SdkConnectionError,
    SdkRateLimitError,
)
from saniwa.models.fuzzing_oracle import FUZZ_KINDS, FUZZ_TEXTS, FuzzingOracle
from tests.fakes.oracles import make_request

_MANY = 300


def _ask_times(oracle: FuzzingOracle, times: int) -> list[str]:
    async def ask() -> list[str]:
        said = []
        for _ in range(times):
            try:
                said.append((await oracle.answer(make_request("x", system="s"))).text)
            except SdkBridgeError as problem:
                said.append(problem.code)
        return said

    return asyncio.run(ask())


def test_the_same_seed_says_the_same() -> None:
    """The same seed gives the same answers."""
    assert _ask_times(FuzzingOracle(5), _MANY) == _ask_times(FuzzingOracle(5), _MANY)


def test_another_seed_says_something_else() -> None:
    """Another seed gives other answers."""
    assert _ask_times(FuzzingOracle(5), 20) != _ask_times(FuzzingOracle(6), 20)


def test_everything_comes_up() -> None:
    """Hundreds of questions give every kind of answer: faults, empty, huge and nested ones."""
    said = _ask_times(FuzzingOracle(1), _MANY)

    assert {"BRIDGE_CONNECTION", "BRIDGE_RATE_LIMIT"} <= set(said)
    assert any(not each.strip() for each in said)
    assert any(len(each) > 300_000 for each in said)
    assert any(each.startswith("[[[[[[[[") for each in said)
    assert any("\ud83d" in each for each in said)
    assert "x" in said
    assert "s" in said


def test_faults_can_be_left_out() -> None:
    """Without faults there is always an answer, if only an empty one."""
    assert not {"BRIDGE_CONNECTION", "BRIDGE_RATE_LIMIT"} & set(
        _ask_times(FuzzingOracle(1, faults=False), _MANY)
    )


@pytest.mark.parametrize("kind", FUZZ_TEXTS)
def test_one_kind_can_be_asked_for(kind: str) -> None:
    """`only` selects one kind."""
    said = FUZZ_TEXTS[kind](make_request("x", system="s"), 1)

    assert type(said) is str
    assert kind in FUZZ_KINDS


def test_it_can_say_the_same_for_ever() -> None:
    """The kind `again` always gives the same answer."""
    assert 1 == len(set(_ask_times(FuzzingOracle(1, only=("again",)), 20)))


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("unreachable", SdkConnectionError),
        ("broken_off", SdkConnectionError),
        ("patience", SdkRateLimitError),
    ],
)
def test_faults_are_those_of_providers(kind: str, error: type[SdkBridgeError]) -> None:
    """Faults are recoverable errors, one of them after some pieces."""
    heard: list[str] = []

    with pytest.raises(error) as caught:
        asyncio.run(FuzzingOracle(1, only=(kind,)).answer(make_request("x"), heard.append))

    assert caught.value.recoverable
    assert (kind == "broken_off") == bool(heard)


def test_an_unknown_kind_is_an_error() -> None:
    """An unknown kind is refused with the nearest one."""
    with pytest.raises(ConfigurationError) as caught:
        FuzzingOracle(1, only=("bom",))

    assert ("MODEL_UNKNOWN", "did you mean 'bomb'?") == (caught.value.code, caught.value.hint)
