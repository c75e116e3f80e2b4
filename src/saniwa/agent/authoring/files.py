"""The files of an agent's folder: found, read, and told by one hash."""

import hashlib
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from saniwa.agent.prompting.folder import (
    MissingError,
    OutsideError,
    UnfitError,
    names_inside,
    read_inside,
)
from saniwa.agent.prompting.place import ENDING
from saniwa.agent.prompting.resolver import LARGEST_PROMPT
from saniwa.core.document import FORMATS, Document, Format, read_bytes
from saniwa.core.errors import DocumentError
from saniwa.core.page import Page
from saniwa.core.paper.held import Held
from saniwa.core.quoted import quoted

LARGEST_DOCUMENT = 4 * 1024 * 1024
"""Bytes each of an agent's documents may have."""


class Folder:
    """An agent's folder, and the pages of what was read from it."""

    def __init__(self, named: str) -> None:
        self.named = named
        self.path = Path(named)
        self.pages: dict[str, Page] = {}
        """Every document by its path, those included that could not be read."""
        self.contents: dict[str, bytes] = {}
        """The bytes of every document that was read."""

    def document(self, stem: str, code: str = "", missing: str = "") -> Held | None:
        """A document by its name without its ending; JSON before YAML.

        Raises nothing: what keeps it from being read is noted on its page. Where `code`
        is given, there being none is such a thing too.
        """
        there = [name for end in FORMATS if self._opened(name := stem + end)]
        for other in there[1:]:
            message = f"there are both {quoted(there[0])} and {quoted(other)}"
            page = self._page(other)
            page.error("DUPLICATE_KEY", message, (), hint="keep one of the two")
        if there:
            return self._read(there[0])
        self._none(stem + ".json", code, missing)
        return None

    def file(self, path: str, code: str, missing: str) -> Held | None:
        """A document by its path, whose ending tells its format."""
        if PurePosixPath(path).suffix.lower() not in FORMATS:
            message = f"{quoted(path)} is neither JSON nor YAML"
            hint = "name it .json, .yaml or .yml"
            self._page(path).error("DOCUMENT_UNREADABLE", message, (), hint=hint)
            return None
        if self._opened(path):
            return self._read(path)
        self._none(path, code, missing)
        return None

    def hash(self, prompts: Iterable[str]) -> str:
        """SHA-256 over the documents and all prompts that lie where these lie.

        The same for the same files, wherever they lie and in whatever order. What
        cannot be read there is noted: nobody knows whether it has changed.
        """
        folders = {str(PurePosixPath(path).parent) for path in prompts}
        contents = dict(self.contents)
        for folder in folders:
            for name in self._names(folder):
                path = name if folder == "." else f"{folder}/{name}"
                contents |= self._content(path)
        sha = hashlib.sha256()
        for path in sorted(contents):
            digest = hashlib.sha256(contents[path]).hexdigest()
            sha.update(f"{len(path)}:{path}:{digest}\n".encode())
        return sha.hexdigest()

    def _names(self, folder: str) -> list[str]:
        try:
            names = names_inside(self.path, folder)
        except (OutsideError, UnfitError) as problem:
            message = f"the prompts in {quoted(folder)} cannot be told apart: {problem}"
            self._page(folder).error("PROMPT_PARSE", message, ())
            return []
        return [name for name in names if name.endswith(ENDING)]

    def _content(self, path: str) -> dict[str, bytes]:
        """A file's bytes by its path; none, and a warning, where it cannot be read."""
        try:
            return {path: read_inside(self.path, path, LARGEST_PROMPT)}
        except MissingError:
            return {}
        except (OutsideError, UnfitError) as problem:
            why = str(problem)
            message = f"{quoted(path)} is no prompt anybody can read: {why}"
            hint = "take it away, or mend it"
            self._page(path).warn("PROMPT_PARSE", message, (), hint=hint)
            return {}

    def _page(self, path: str, text: str = "") -> Page:
        if path not in self.pages:
            file = f"{self.named}/{path}"
            self.pages[path] = Page(Document(plain=None, file=file, text=text))
        return self.pages[path]

    def _none(self, path: str, code: str, missing: str) -> None:
        if code:
            place = f"{self.named}/{path}"
            hint = "'saniwa agent new NAME' writes one to begin from"
            self._page(path).error(code, f"{missing}: {place}", (), hint=hint)

    def _opened(self, path: str) -> bool:
        """Whether there is such a file; its content is kept, or why there is none."""
        if path in self.contents:
            return True
        try:
            content = read_inside(self.path, path, LARGEST_DOCUMENT)
        except MissingError:
            return False
        except OutsideError as problem:
            self._page(path).error("FILE_OUTSIDE", str(problem), ())
        except UnfitError as problem:
            message = f"{quoted(path)} {problem}"
            self._page(path).error("DOCUMENT_UNREADABLE", message, ())
        else:
            self.contents[path] = content
        return True

    def _read(self, path: str) -> Held | None:
        if path not in self.contents:
            return None
        content, file = self.contents[path], f"{self.named}/{path}"
        format: Format = FORMATS[PurePosixPath(path).suffix.lower()]
        try:
            document = read_bytes(content, file, format)
        except DocumentError as problem:
            page = self._page(path, content.decode("utf-8", "replace"))
            page.told(problem)
            return None
        page = self.pages[path] = Page(document)
        return Held(document.plain, (), page)
