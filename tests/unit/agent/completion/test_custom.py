import asyncio
from pathlib import Path
from typing import Any

import pytest

from saniwa.agent.completion_conditions import PluginHandler, load_plugin
from saniwa.agent.definition import CustomCompletion
from saniwa.agent.layer_contracts import CompletionCase, CompletionResult
from saniwa.core.errors import CompletionError, DependencyResolutionError
from tests.fakes.completion import install, make_case


@pytest.fixture(autouse=True)
def _installed_plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))


def _load_named_plugin(name: str, **config: Any) -> PluginHandler:
    return load_plugin(CustomCompletion(name=name, config=config))


def test_a_plugin_is_made_with_its_config() -> None:
    """A plugin is created with the definition's configuration."""
    plugin = _load_named_plugin("quiet", word="hush", times=2)

    said = [asyncio.run(plugin.check(make_case("hush"))) for _ in range(2)]

    assert [False, True] == [each.complete for each in said]
    assert "2 times" == plugin.get_reason()


def test_a_plugin_that_counts_continues_counting_after_a_restart() -> None:
    """A plugin's state is stored and restored on resuming."""
    one, other = (_load_named_plugin("quiet", word="hush", times=2) for _ in range(2))
    asyncio.run(one.check(make_case("hush")))
    other.recall(one.remember())

    assert asyncio.run(other.check(make_case("hush"))).complete


def test_a_plugin_that_is_not_installed_is_refused() -> None:
    """A plugin that is not installed is refused with the nearest one."""
    with pytest.raises(DependencyResolutionError) as told:
        _load_named_plugin("quite")

    assert "COMPLETION_PLUGIN_UNKNOWN" == told.value.code
    assert "no completion plugin 'quite' is installed" == told.value.message
    assert "did you mean 'quiet'?" == told.value.hint


def test_without_a_near_name_the_group_is_named() -> None:
    """Without a near name the hint has the entry point's group."""
    with pytest.raises(DependencyResolutionError) as told:
        _load_named_plugin("moonrise")

    assert "install a package that provides it in the entry point group 'saniwa.completion'" == (
        told.value.hint
    )


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("stubborn", "fails with OSError: no tea either"),
        ("lost", "fails with AttributeError"),
        ("quiet", "fails with KeyError: 'word'"),
    ],
)
def test_a_plugin_that_cannot_be_made_cannot_be_had(name: str, why: str) -> None:
    """A plugin that cannot be loaded or created is refused with the reason."""
    with pytest.raises(DependencyResolutionError) as told:
        _load_named_plugin(name)

    assert told.value.message.startswith(f"the completion plugin {name!r} {why}")


@pytest.mark.parametrize(
    ("does", "why"),
    [
        ("raise", "fails with RuntimeError: out of milk"),
        ("lie", "reports completion without a reason"),
        ("mumble", "gives 'done', not a CompletionResult"),
    ],
)
def test_whatever_a_plugin_does_wrong_is_an_error_of_saniwa(does: str, why: str) -> None:
    """A failure of a plugin is COMPLETION_FAILED."""
    plugin = _load_named_plugin("forgetful", does=does)

    with pytest.raises(CompletionError) as told:
        asyncio.run(plugin.check(make_case()))

    assert "COMPLETION_FAILED" == told.value.code
    assert f"the completion plugin 'forgetful' {why}" == told.value.message
    assert not plugin.is_complete()


def test_a_plugin_that_remembers_nothing_is_carried_on_all_the_same() -> None:
    """The last result of a plugin without its own state is stored."""
    plugin = _load_named_plugin("forgetful", does="nothing")
    asyncio.run(plugin.check(make_case()))

    assert {"complete": False, "reason": ""} == plugin.remember()


def test_a_memory_that_is_not_json_is_an_error() -> None:
    """A state that is not JSON is an error."""
    with pytest.raises(CompletionError, match="fails with TypeError"):
        _load_named_plugin("secretive").remember()


def test_a_plugin_that_cannot_recall_is_an_error() -> None:
    """A failure while a plugin restores its state is an error."""
    kept = {"complete": False, "reason": "", "plugin": {}}

    with pytest.raises(CompletionError, match="fails with KeyError: 'key'"):
        _load_named_plugin("secretive").recall(kept)


@pytest.mark.parametrize(("name", "more"), [("forgetful", {"plugin": {"times": 1}}), ("quiet", {})])
def test_a_memory_goes_only_to_a_plugin_that_has_one(name: str, more: dict[str, Any]) -> None:
    """A state is restored only by a plugin that stores one."""
    plugin = _load_named_plugin(name, word="hush")

    with pytest.raises(CompletionError, match="saved by another type of completion"):
        plugin.recall({"complete": False, "reason": "", **more})


class _CancelledHandler:
    async def check(self, case: CompletionCase) -> CompletionResult:  # noqa: ARG002 - a plugin's method
        raise asyncio.CancelledError

    def is_complete(self) -> bool:
        return False

    def get_reason(self) -> str:
        return ""


class _UnsureHandler(_CancelledHandler):
    async def check(self, case: CompletionCase) -> CompletionResult:  # noqa: ARG002 - a plugin's method
        raise CompletionError("MOON_HIDDEN", "clouds", recoverable=True)


def test_being_cancelled_is_no_failure_of_the_plugin() -> None:
    """A cancellation during a check is not a failure of the plugin."""
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(PluginHandler("moon", _CancelledHandler()).check(make_case()))


def test_a_plugins_own_completion_error_is_kept() -> None:
    """A plugin's own CompletionError is raised unchanged."""
    with pytest.raises(CompletionError) as told:
        asyncio.run(PluginHandler("moon", _UnsureHandler()).check(make_case()))

    assert ("MOON_HIDDEN", True) == (told.value.code, told.value.recoverable)
