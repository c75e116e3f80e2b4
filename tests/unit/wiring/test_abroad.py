import sys
from collections.abc import Callable

import gymnasium
import pytest

from saniwa.core.errors import ExperimentError, SchemaValidationError
from saniwa.wiring.abroad import company, environment, register_environments


@pytest.mark.parametrize(
    ("package", "opened"),
    [
        ("gymnasium", lambda: environment("door_and_key")),
        ("gymnasium", lambda: register_environments()),
        ("pettingzoo", lambda: company("door_and_key")),
    ],
)
def test_without_the_package_it_says_what_to_install(
    package: str, opened: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error for a missing extra is the command that installs it."""
    monkeypatch.setitem(sys.modules, package, None)

    with pytest.raises(ExperimentError, match=package) as caught:
        opened()

    assert ("EXTRA_MISSING", "pip install 'saniwa[gym]'") == (
        caught.value.code,
        caught.value.hint,
    )


def test_every_scenario_of_the_registry_can_be_made_by_name() -> None:
    """`gymnasium.make` knows each of them, also when they are registered twice."""
    names = register_environments()

    assert names == register_environments()
    assert "saniwa/door_and_key-v0" in names
    for name in names:
        gymnasium.make(name).reset(seed=0)


@pytest.mark.parametrize("open_it", [environment, company])
def test_an_unknown_scenario_is_refused(open_it: Callable[[str], object]) -> None:
    """No other scenario stands in for one that is not there."""
    with pytest.raises(SchemaValidationError) as caught:
        open_it("door_and_kee")

    assert "REGISTRY_MISSING" == caught.value.code


def test_another_book_can_judge() -> None:
    """A rulebook given by name takes the place of the scenario's own."""
    strict = environment("lantern_island", rulebook="strict").reset()[1]
    usual = environment("lantern_island").reset()[1]

    assert len(strict["admissible"]) != len(usual["admissible"])
