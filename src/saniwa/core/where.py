"""A place in an authored file, as a person would look for it."""

import msgspec


class Where(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """File, line, column and the path inside the document; all 1-based."""

    file: str = ""
    """The file as the user named it; never made absolute."""
    line: int = 0
    """1-based; 0 where no line is known."""
    column: int = 0
    """1-based, counted in characters; 0 where no column is known."""
    path: str = ""
    """The way through the document, such as `locations.キッチン.exits[1]`."""

    def __str__(self) -> str:
        place = self.file
        if self.line:
            place += f":{self.line}" + (f":{self.column}" if self.column else "")
        if self.path:
            place = f"{place} ({self.path})" if place else self.path
        return place
