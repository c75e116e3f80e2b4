"""Prompts of an agent: templates with gaps, found in files or in memory, and filled in.

`{uv-name}`, `{{uv-name}}`, `{{name}}` and `{input_text}` are gaps; every other brace is
text, since prompts are full of JSON. A value that fills a gap is never read as a
template.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec
from msgspec.structs import replace

from saniwa.agent import describe
from saniwa.agent.definition import AgentDefinition, PromptReference
from saniwa.agent.folder_files import (
    OutsideFolderError,
    PromptFileMissingError,
    UnreadableFileError,
    read_inside,
)
from saniwa.core.errors import PromptNotFoundError, PromptParseError
from saniwa.core.findings import SourceLocation
from saniwa.core.suggestions import suggest_nearest
from saniwa.documents.document import Document

STANDARD_VARIABLES = (
    "agent_name", "iteration", "completed_iterations", "max_iterations", "remaining",
    "completion_keyword", "completion_criteria", "previous_summary", "last_results",
    "check_count", "max_checks",
)  # fmt: skip
"""The variables that every agent's loop provides."""

INPUT_VARIABLE = "input_text"
"""Piped input; an argument of every agent, even of one that declares none."""

USER_VARIABLES = ("topic", "issue")
"""The usual names for a user's values; each exists only as a parameter."""

PORT_VARIABLES = (
    "who", "language", "scene", "beliefs", "memories", "goals", "guidance", "process", "state",
    "state_prompt", "missing", "required", "events", "handed_in", "variables", "last_decision",
)  # fmt: skip
"""The variables of an agent's port: the first seven in a world, the others at a gate.
"""

PORT_FACTS = (
    "goal_reached", "place", "turn", "state", "is_final", "revision", "process", "variables",
)  # fmt: skip
"""The facts of an agent's port, for completions and gateways: the first three in a
world, the others at a gate; `variables` is a mapping."""

CHECK_VARIABLES = ("response",)
"""Additional variables in the prompt of a step's check: the model's answer."""

VARIABLE_NAME = r"[A-Za-z0-9_-]+"
"""The pattern of a variable's name."""
is_variable_name = re.compile(VARIABLE_NAME).fullmatch
"""Whether a text is a valid variable name."""


def is_known_fact(fact: str) -> bool:
    """Whether a world or a gate could report a fact: `state`, `variables.mood`."""
    return fact in PORT_FACTS or fact.startswith("variables.")


def name_output_variable(step: str, key: str) -> str:
    """Return the variable of a step's output: `initial_plan_title`; dots become `_`."""
    return f"{step.replace('.', '_')}_{key}"


_DEEPEST_OUTPUT = 4


def list_output_fields(schema: Mapping[str, Any] | None) -> dict[str, tuple[str, ...]]:
    """List the fields of an answer by the end of their variable's name.

    A field inside another has both names, joined by `_`; an outer field of the same name
    takes precedence.
    """
    fields: dict[str, tuple[str, ...]] = {}
    level: list[tuple[tuple[str, ...], Any]] = [((), schema)]
    for _ in range(_DEEPEST_OUTPUT):
        found = [
            ((*path, str(key)), inner)
            for path, each in level
            for key, inner in sorted(_get_properties(each).items())
        ]
        for path, _inner in found:
            fields.setdefault("_".join(path), path)
        level = found
    return fields


def _get_properties(schema: Any) -> dict[str, Any]:
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    return properties if isinstance(properties, dict) else {}


WarnFunction = Callable[[str, str], None]
"""Receives a code and a sentence."""

_GAP_PATTERN = re.compile(
    r"\{\{[ \t]*(?:uv-)?(?P<double>NAME)[ \t]*\}\}"
    r"|\{uv-(?P<single>NAME)\}"
    r"|\{(?P<input>input_text)\}"
    r"|(?P<broken>\{uv-)".replace("NAME", VARIABLE_NAME)
)
_FRONT_MATTER_START = re.compile(r"---[ \t]*(?:\r\n|\n|\r)")
_FRONT_MATTER_END = re.compile(r"(?<=[\r\n])---[ \t]*(?=[\r\n]|\Z)")


class TemplateGap(msgspec.Struct, frozen=True):
    """A gap for a variable."""

    name: str
    """The variable, without `uv-`."""
    written: str
    """The gap as its author wrote it; it stays so if the variable is unknown."""
    offset: int
    """Where it begins in the file's text."""


class PromptTemplate(msgspec.Struct, frozen=True):
    """A prompt, ready to be filled."""

    pieces: tuple[str | TemplateGap, ...]
    """Texts and gaps in order."""

    @property
    def gaps(self) -> tuple[TemplateGap, ...]:
        """The gaps, in order."""
        return tuple(piece for piece in self.pieces if isinstance(piece, TemplateGap))

    def fill(self, variables: Mapping[str, str], warn: WarnFunction | None = None) -> str:
        """Fill the gaps once: a value that looks like a gap stays text.

        An unknown variable stays as it is written, with one warning.
        """
        texts, unknown = list[str](), dict[str, None]()
        for piece in self.pieces:
            if isinstance(piece, str):
                texts.append(piece)
            elif piece.name in variables:
                texts.append(str(variables[piece.name]))
            else:
                texts.append(piece.written)
                unknown[piece.name] = None
        if warn is not None:
            for name in unknown:
                warn("VARIABLE_UNDEFINED", f"the variable {name!r} is not set")
        return "".join(texts)


class PromptTemplateError(Exception):
    """What is wrong with a prompt's text, and at which character."""

    def __init__(self, message: str, offset: int, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.hint = hint


def read_template(text: str) -> PromptTemplate:
    """Parse the text of a prompt file, trimmed and without its front matter.

    Raises:
        PromptTemplateError: It is empty, or has a `{uv-` that is not closed.
    """
    start, end = _find_body(text)
    if start == end:
        raise PromptTemplateError("it is empty", 0, "write the text of the prompt")
    pieces, here = list[str | TemplateGap](), start
    for found in _GAP_PATTERN.finditer(text, start, end):
        if found["broken"]:
            raise PromptTemplateError(
                "'{uv-' starts a variable that is not closed",
                found.start(),
                "write its name and '}': letters, digits, '_' and '-'",
            )
        if found.start() > here:
            pieces.append(text[here : found.start()])
        name = found["double"] or found["single"] or found["input"]
        pieces.append(TemplateGap(name, found[0], found.start()))
        here = found.end()
    if here < end:
        pieces.append(text[here:end])
    return PromptTemplate(tuple(pieces))


def _find_body(text: str) -> tuple[int, int]:
    """Find where the text begins and ends; front matter that is not closed is text."""
    start = 1 if text.startswith("\ufeff") else 0
    fence = _FRONT_MATTER_START.match(text, start)
    closed = _FRONT_MATTER_END.search(text, fence.end()) if fence else None
    start = closed.end() if closed else start
    while start < len(text) and text[start].isspace():
        start += 1
    end = len(text)
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


PROMPT_SUFFIX = ".md"
"""The suffix of a prompt file's name."""


def list_prompt_paths(
    ref: PromptReference, definition: AgentDefinition, adaptation: str = ""
) -> tuple[str, ...]:
    """List the files a reference may mean: adapted, the edition, then the fallback."""
    flow = definition.flow
    full = replace(
        ref,
        edition=ref.edition or flow.edition,
        adaptation=ref.adaptation or adaptation or flow.adaptation,
    )
    plain = replace(full, adaptation="")
    named = [_adapt_path(ref.path, full.adaptation)] if ref.path else [str(full)]
    inside = [join_path(flow.base_path, each) for each in (*named, str(plain))]
    return tuple(dict.fromkeys([*inside, *_list_fallback_paths(full, plain, definition)]))


def list_system_paths(definition: AgentDefinition, adaptation: str = "") -> tuple[str, ...]:
    """List the files of the system prompt: the adapted one, then the named one."""
    path = definition.system_prompt_path
    adapted = _adapt_path(path, adaptation or definition.flow.adaptation)
    return tuple(dict.fromkeys([adapted, path]))


def join_path(folder: str, path: str) -> str:
    """Join a path to a folder; whether it stays inside is checked when it is opened."""
    return f"{folder}/{path}" if folder not in ("", ".") else path


def _adapt_path(path: str, adaptation: str) -> str:
    """Add an adaptation to a path: `system.md` with `ja` is `system_ja.md`."""
    if not adaptation:
        return path
    ending = PurePosixPath(path).suffix
    return f"{path.removesuffix(ending)}_{adaptation}{ending}"


def _list_fallback_paths(
    full: PromptReference, plain: PromptReference, definition: AgentDefinition
) -> list[str]:
    folder = definition.fallback_dir
    if full.fallback:
        name = full.fallback
        name = name if name.endswith(PROMPT_SUFFIX) else name + PROMPT_SUFFIX
        named = dict.fromkeys([_adapt_path(name, full.adaptation), name])
        return [join_path(folder or definition.flow.base_path, each) for each in named]
    if not folder:
        return []
    return [join_path(folder, str(each)) for each in (full, plain)]


LARGEST_PROMPT = 1024 * 1024
"""The largest size of a prompt file, in bytes."""
_NOTHING: Mapping[str, str] = {}


class _TemplateResolver:
    """Fills in the templates of prompts."""

    def __init__(self, warn: WarnFunction | None) -> None:
        self._warn = warn

    async def resolve(
        self, ref: PromptReference, variables: Mapping[str, str] | None = None
    ) -> str:
        """Return the prompt; never empty. An unknown variable stays, with a warning.

        Raises:
            PromptNotFoundError: `PROMPT_NOT_FOUND`.
            PromptParseError: `PROMPT_PARSE`.
        """
        return fill_template(*self._find_template(ref), variables or _NOTHING, self._warn)

    async def resolve_system(self, variables: Mapping[str, str] | None = None) -> str:
        """Return the system prompt; never empty.

        Raises:
            PromptNotFoundError: `PROMPT_NOT_FOUND`.
            PromptParseError: `PROMPT_PARSE`.
        """
        return fill_template(*self._find_template(None), variables or _NOTHING, self._warn)

    def _find_template(self, ref: PromptReference | None) -> tuple[PromptTemplate, str]:
        """Return a prompt's template, or that of the system prompt, and its name."""
        raise NotImplementedError


class FilePromptResolver(_TemplateResolver):
    """Resolves prompts from an agent's folder; each file is read once.

    `adaptation` is used for prompts that name none, before the flow's own.
    """

    def __init__(
        self, definition: AgentDefinition, *, adaptation: str = "", warn: WarnFunction | None = None
    ) -> None:
        super().__init__(warn)
        self._definition = definition
        self._adaptation = adaptation
        # Resolved now: the process may change its working directory later.
        self._folder = str(Path(definition.folder).absolute())
        self._known: dict[PromptReference | None, tuple[PromptTemplate, str]] = {}

    def _find_template(self, ref: PromptReference | None) -> tuple[PromptTemplate, str]:
        if ref not in self._known:
            self._known[ref] = self._load_template(ref)
        return self._known[ref]

    def _load_template(self, ref: PromptReference | None) -> tuple[PromptTemplate, str]:
        definition = self._definition
        paths = (
            list_system_paths(definition, self._adaptation)
            if ref is None
            else list_prompt_paths(ref, definition, self._adaptation)
        )
        # Cached for each hash of the definition.
        load = _load_cached_template if definition.hash else _load_cached_template.__wrapped__
        for path in paths:
            try:
                return load(self._folder, path, definition.hash), path
            except PromptFileMissingError:
                continue
        raise describe("PROMPT_NOT_FOUND/file", tried=list(paths), paths=paths[0]).to_error(
            PromptNotFoundError, where=SourceLocation(file=f"{definition.folder}/{paths[0]}")
        )


class MemoryPromptResolver(_TemplateResolver):
    """Resolves prompts from texts in memory, by the text of their references."""

    def __init__(
        self, texts: Mapping[str, str], *, system: str = "", warn: WarnFunction | None = None
    ) -> None:
        super().__init__(warn)
        self._texts = dict(texts)
        self._system = system

    def _find_template(self, ref: PromptReference | None) -> tuple[PromptTemplate, str]:
        if ref is None:
            if not self._system:
                raise describe("PROMPT_NOT_FOUND/system").to_error(PromptNotFoundError)
            return parse_template(self._system, "system"), "system"
        plain = PromptReference(c1=ref.c1, c2=ref.c2, c3=ref.c3, edition=ref.edition)
        for name in (str(ref), str(plain), ref.fallback):
            if name in self._texts:
                return parse_template(self._texts[name], name), name
        raise describe(
            "PROMPT_NOT_FOUND/text", hint=suggest_nearest(str(ref), self._texts), ref=str(ref)
        ).to_error(PromptNotFoundError)


def parse_template(text: str, file: str) -> PromptTemplate:
    """Parse a template; `file` names it in errors.

    Raises:
        PromptParseError: `PROMPT_PARSE`, with the location.
    """
    try:
        return read_template(text)
    except PromptTemplateError as problem:
        line, column = Document(plain=None, text=text).find_position(problem.offset)
        raise describe(
            "PROMPT_PARSE/syntax", hint=problem.hint, file=file, problem=problem.message
        ).to_error(
            PromptParseError, where=SourceLocation(file=file, line=line, column=column)
        ) from problem


def fill_template(
    template: PromptTemplate, path: str, variables: Mapping[str, str], warn: WarnFunction | None
) -> str:
    """Fill in a template's variables; the result is never empty.

    Raises:
        PromptParseError: `PROMPT_PARSE`: it is empty with these variables.
    """
    text = template.fill(variables, warn)
    if not text.strip():
        raise describe("PROMPT_PARSE/empty", path=path).to_error(
            PromptParseError, where=SourceLocation(file=path)
        )
    return text


@lru_cache(maxsize=1024)
def _load_cached_template(folder: str, path: str, _hash: str) -> PromptTemplate:
    try:
        content = read_inside(Path(folder), path, LARGEST_PROMPT)
        return parse_template(content.decode("utf-8"), path)
    except UnicodeDecodeError as problem:
        raise _make_unreadable_error(path, "is not UTF-8") from problem
    except OutsideFolderError as problem:
        raise describe("PROMPT_NOT_FOUND/cached_template", path=path, problem=problem).to_error(
            PromptNotFoundError, where=SourceLocation(file=path)
        ) from problem
    except UnreadableFileError as problem:
        raise _make_unreadable_error(path, str(problem)) from problem


def _make_unreadable_error(path: str, why: str) -> PromptParseError:
    return describe("PROMPT_PARSE/unreadable", path=path, why=why).to_error(
        PromptParseError, where=SourceLocation(file=path)
    )
