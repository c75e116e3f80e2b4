"""What is packed besides the code: the required web page, stories, codes and an SBOM."""

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PAGE = ("src/saniwa/http/static/index.html", "src/saniwa/http/static/third-party.txt")
"""The built page and its notices, relative to the repository's folder."""
COPIES = {"examples/lantern-island": "saniwa/stories/lantern-island", "docs/errors": "saniwa/codes"}
"""Stories and the catalogue of codes that ship with Saniwa, and their paths in a wheel."""


class SaniwaBuild(BuildHookInterface[Any]):
    """Requires the built page, and adds stories, codes and an SBOM."""

    PLUGIN_NAME = "custom"
    _made: "tempfile.TemporaryDirectory[str] | None" = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Stop if the page is missing; an editable install needs nothing, all files are in place.

        Raises:
            RuntimeError: The page has not been built.
        """
        if version == "editable":
            return
        if not all((Path(self.root) / each).is_file() for each in PAGE):
            raise RuntimeError(
                "the page is not built, and Saniwa is not packed without it: "
                "run `make wheel`, or `make page` first"
            )
        if self.target_name == "wheel":
            build_data["force_include"].update(COPIES)
            build_data["sbom_files"].append(self._write_sbom())

    def finalize(self, version: str, build_data: dict[str, Any], path: str) -> None:
        """Remove temporary files."""
        del version, build_data, path
        if self._made:
            self._made.cleanup()

    def _write_sbom(self) -> str:
        """The SBOM of the wheel, written to a temporary folder."""
        sys.path.insert(0, self.root)
        try:
            from scripts.supply.sbom import build_wheel_sbom
        finally:
            sys.path.remove(self.root)
        self._made = tempfile.TemporaryDirectory()
        file = Path(self._made.name) / "saniwa.cdx.json"
        file.write_text(build_wheel_sbom(Path(self.root)), encoding="utf-8")
        return str(file)
