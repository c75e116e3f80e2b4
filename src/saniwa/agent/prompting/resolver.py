"""Prompts with their variables filled in: from an agent's files, or from memory."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from saniwa.agent.definition import AgentDefinition
from saniwa.agent.flow import PromptReference
from saniwa.agent.prompting.folder import (
    MissingError,
    OutsideError,
    UnfitError,
    read_inside,
)
from saniwa.agent.prompting.place import paths_of, system_paths_of
from saniwa.agent.prompting.template import (
    Template,
    TemplateError,
    Warn,
    read_template,
)
from saniwa.core.document import Document
from saniwa.core.errors import PromptNotFoundError, PromptParseError
from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted
from saniwa.core.where import Where

LARGEST_PROMPT = 1024 * 1024
"""Bytes a prompt file may have."""
_NOTHING: Mapping[str, str] = {}


class FileResolver:
    """The prompts in an agent's folder; each file is read once.

    `adaptation` is taken for prompts that name none, before the flow's own.
    """

    def __init__(
        self,
        definition: AgentDefinition,
        *,
        adaptation: str = "",
        warn: Warn | None = None,
    ) -> None:
        self._definition = definition
        self._adaptation = adaptation
        self._warn = warn
        # Fixed now: a program that changes its folder later still means this one.
        self._folder = str(Path(definition.folder).absolute())
        self._known: dict[PromptReference | None, tuple[str, Template]] = {}

    async def resolve(
        self, ref: PromptReference, variables: Mapping[str, str] | None = None
    ) -> str:
        """The prompt; never empty. A variable nobody knows stays, with a warning.

        Raises:
            PromptNotFoundError: `PROMPT_NOT_FOUND`.
            PromptParseError: `PROMPT_PARSE`.
        """
        return self._filled(ref, variables)

    async def resolve_system(self, variables: Mapping[str, str] | None = None) -> str:
        """The system prompt; never empty.

        Raises:
            PromptNotFoundError: `PROMPT_NOT_FOUND`.
            PromptParseError: `PROMPT_PARSE`.
        """
        return self._filled(None, variables)

    def _filled(
        self, ref: PromptReference | None, variables: Mapping[str, str] | None
    ) -> str:
        found = self._known.get(ref)
        if found is None:
            found = self._known[ref] = self._found(ref)
        path, template = found
        return filled(template, path, variables or _NOTHING, self._warn)

    def _found(self, ref: PromptReference | None) -> tuple[str, Template]:
        definition = self._definition
        paths = (
            system_paths_of(definition, self._adaptation)
            if ref is None
            else paths_of(ref, definition, self._adaptation)
        )
        for path in paths:
            try:
                return path, _template(self._folder, path, definition.hash)
            except MissingError:
                continue
        raise PromptNotFoundError(
            "PROMPT_NOT_FOUND",
            f"there is no prompt {quoted(paths[0])}",
            where=Where(file=f"{definition.folder}/{paths[0]}"),
            hint="write the file",
            details={"tried": list(paths)},
        )


class MemoryResolver:
    """Prompts that are texts in memory, by the way their references are written."""

    def __init__(
        self, texts: Mapping[str, str], *, system: str = "", warn: Warn | None = None
    ) -> None:
        self._texts = dict(texts)
        self._system = system
        self._warn = warn

    async def resolve(
        self, ref: PromptReference, variables: Mapping[str, str] | None = None
    ) -> str:
        """The prompt; never empty. A variable nobody knows stays, with a warning.

        Raises:
            PromptNotFoundError: `PROMPT_NOT_FOUND`.
            PromptParseError: `PROMPT_PARSE`.
        """
        plain = PromptReference(c1=ref.c1, c2=ref.c2, c3=ref.c3, edition=ref.edition)
        for name in (str(ref), str(plain), ref.fallback):
            if name in self._texts:
                template = template_of(self._texts[name], name)
                return filled(template, name, variables or _NOTHING, self._warn)
        raise PromptNotFoundError(
            "PROMPT_NOT_FOUND",
            f"there is no prompt {quoted(str(ref))}",
            hint=did_you_mean(str(ref), self._texts),
        )

    async def resolve_system(self, variables: Mapping[str, str] | None = None) -> str:
        """The system prompt; never empty.

        Raises:
            PromptNotFoundError: `PROMPT_NOT_FOUND`.
            PromptParseError: `PROMPT_PARSE`.
        """
        if not self._system:
            raise PromptNotFoundError("PROMPT_NOT_FOUND", "there is no system prompt")
        template = template_of(self._system, "system")
        return filled(template, "system", variables or _NOTHING, self._warn)


def template_of(text: str, file: str) -> Template:
    """The template in a text; `file` is what its place is named after.

    Raises:
        PromptParseError: `PROMPT_PARSE`, with the place.
    """
    try:
        return read_template(text)
    except TemplateError as problem:
        line, column = Document(plain=None, text=text).place_at(problem.offset)
        raise PromptParseError(
            "PROMPT_PARSE",
            f"the prompt {quoted(file)} cannot be read: {problem.message}",
            where=Where(file=file, line=line, column=column),
            hint=problem.hint,
        ) from problem


def filled(
    template: Template, path: str, variables: Mapping[str, str], warn: Warn | None
) -> str:
    """The template's text with its variables; never empty.

    Raises:
        PromptParseError: `PROMPT_PARSE`: nothing is left of it once they are filled in.
    """
    text = template.fill(variables, warn)
    if not text.strip():
        raise PromptParseError(
            "PROMPT_PARSE",
            f"nothing is left of the prompt {quoted(path)} with these variables",
            where=Where(file=path),
            hint="write words around its variables",
        )
    return text


@lru_cache(maxsize=1024)
def _kept(folder: str, path: str, _hash: str) -> Template:
    return _read(folder, path)


def _template(folder: str, path: str, hash_: str) -> Template:
    """A prompt file's template, kept as long as the definition is what it was."""
    return _kept(folder, path, hash_) if hash_ else _read(folder, path)


def _read(folder: str, path: str) -> Template:
    try:
        content = read_inside(Path(folder), path, LARGEST_PROMPT)
        return template_of(content.decode("utf-8"), path)
    except UnicodeDecodeError as problem:
        raise _unread(path, "is not UTF-8") from problem
    except OutsideError as problem:
        raise PromptNotFoundError(
            "PROMPT_NOT_FOUND",
            f"the prompt {quoted(path)} is not inside the agent's folder: {problem}",
            where=Where(file=path),
        ) from problem
    except UnfitError as problem:
        raise _unread(path, str(problem)) from problem


def _unread(path: str, why: str) -> PromptParseError:
    return PromptParseError(
        "PROMPT_PARSE", f"the prompt {quoted(path)} {why}", where=Where(file=path)
    )
