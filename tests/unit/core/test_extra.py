import pytest

from saniwa.core.errors import ExperimentError, SaniwaError
from saniwa.core.extras import require_packages


def test_what_is_there_is_not_asked_for_twice() -> None:
    """Installed packages are accepted."""
    require_packages("msgspec", "click", extra="core", what="this needs")


@pytest.mark.parametrize("kind", [SaniwaError, ExperimentError])
def test_what_is_missing_is_named_with_its_command(kind: type[SaniwaError]) -> None:
    """The error names what is missing and the command that installs it."""
    with pytest.raises(kind) as caught:
        require_packages("msgspec", "no_such", extra="x", what="it needs", kind=kind)

    assert ("EXTRA_MISSING", "it needs no_such, which is not installed") == (
        caught.value.code,
        caught.value.message,
    )
    assert "pip install 'saniwa[x]'" == caught.value.hint


def test_what_can_be_done_without_is_said() -> None:
    """The hint offers both to install the extra and to do without it."""
    with pytest.raises(SaniwaError) as caught:
        require_packages("no_such", extra="x", what="it needs", otherwise="leave it out")

    assert "pip install 'saniwa[x]', or leave it out" == caught.value.hint


def test_several_that_are_missing_are_several() -> None:
    """The sentence is in the plural for several missing packages."""
    with pytest.raises(SaniwaError) as caught:
        require_packages("no_such", "nor_this", extra="x", what="it needs")

    assert "it needs no_such and nor_this, which are not installed" == (caught.value.message)
