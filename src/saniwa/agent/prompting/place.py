"""Where a prompt may lie: the paths that are tried, in order, inside the agent's folder."""

from pathlib import PurePosixPath

from msgspec.structs import replace

from saniwa.agent.definition import AgentDefinition
from saniwa.agent.flow import PromptReference

ENDING = ".md"
"""The end of a prompt file's name."""


def paths_of(
    ref: PromptReference, definition: AgentDefinition, adaptation: str = ""
) -> tuple[str, ...]:
    """The files a reference may mean: adapted, the edition, then the fallback."""
    flow = definition.flow
    full = replace(
        ref,
        edition=ref.edition or flow.edition,
        adaptation=ref.adaptation or adaptation or flow.adaptation,
    )
    plain = replace(full, adaptation="")
    named = [_adapted(ref.path, full.adaptation)] if ref.path else [str(full)]
    inside = [joined(flow.base_path, each) for each in (*named, str(plain))]
    return tuple(dict.fromkeys([*inside, *_fallback(full, plain, definition)]))


def system_paths_of(
    definition: AgentDefinition, adaptation: str = ""
) -> tuple[str, ...]:
    """The files of the system prompt: adapted, then as it is named."""
    path = definition.system_prompt_path
    adapted = _adapted(path, adaptation or definition.flow.adaptation)
    return tuple(dict.fromkeys([adapted, path]))


def joined(folder: str, path: str) -> str:
    """A path below a folder; that it stays there is seen when it is opened."""
    return f"{folder}/{path}" if folder not in ("", ".") else path


def _adapted(path: str, adaptation: str) -> str:
    """`system.md` in the adaptation `ja` is `system_ja.md`."""
    if not adaptation:
        return path
    ending = PurePosixPath(path).suffix
    return f"{path.removesuffix(ending)}_{adaptation}{ending}"


def _fallback(
    full: PromptReference, plain: PromptReference, definition: AgentDefinition
) -> list[str]:
    folder = definition.fallback_dir
    if full.fallback:
        name = full.fallback
        name = name if name.endswith(ENDING) else name + ENDING
        named = dict.fromkeys([_adapted(name, full.adaptation), name])
        return [joined(folder or definition.flow.base_path, each) for each in named]
    if not folder:
        return []
    return [joined(folder, str(each)) for each in (full, plain)]
