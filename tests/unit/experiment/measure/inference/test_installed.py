import sys

import pytest

from saniwa.core.errors import ConfigurationError
from saniwa.experiment.measure.analysis import analyse
from tests.fakes.experiments import plan


@pytest.mark.parametrize("package", ["scipy", "statsmodels"])
def test_a_missing_library_is_named_with_its_cure(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without its libraries an analysis stops and says what to install."""
    monkeypatch.setitem(sys.modules, package, None)

    with pytest.raises(ConfigurationError, match=package) as met:
        analyse(plan(), [])

    assert ("EXTRA_MISSING", "pip install 'saniwa[report]'") == (
        met.value.code,
        met.value.hint,
    )
