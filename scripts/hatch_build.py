"""What is packed beside the code: the page, without which nothing is, and the stories."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PAGE = "src/saniwa/web/static/index.html"
"""The built page, seen from the repository's folder."""
STORIES = {"examples/lantern-island": "saniwa/stories/lantern-island"}
"""Examples that come with Saniwa, and where they lie in a wheel."""


class SaniwaBuild(BuildHookInterface[Any]):
    """Looks for the page before anything is packed, and adds the stories."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Stop where there is no page; an editable install finds all in its place.

        Raises:
            RuntimeError: The page has not been built.
        """
        if version == "editable":
            return
        if not (Path(self.root) / PAGE).is_file():
            raise RuntimeError(
                "the page is not built, and Saniwa is not packed without it: "
                "run `make wheel`, or `make page` first"
            )
        if self.target_name == "wheel":
            build_data["force_include"].update(STORIES)
