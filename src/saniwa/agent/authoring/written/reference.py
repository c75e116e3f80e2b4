"""References to prompts, as written: a path, or the three words of a folder."""

from saniwa.agent.authoring.paper.form import PROMPT
from saniwa.agent.authoring.paper.shape import fields, well_formed
from saniwa.agent.flow import PromptReference
from saniwa.core.paper.held import Held

_WORDS = ("c1", "c2", "c3")


def reference_of(held: Held) -> PromptReference | None:
    """The reference; None, with a finding, for what is none."""
    if isinstance(held.value, str):
        good = well_formed(held, "path", "prompt")
        return PromptReference(path=held.value) if good else None
    found = fields(held, PROMPT, "a prompt")
    said = [name for name in _WORDS if name in found]
    if "path" in found and said:
        message = "a prompt has either a 'path' or 'c1', 'c2' and 'c3'"
        held.error("DUPLICATE_KEY", message, hint="keep one of the two")
        return None
    if "path" not in found and not found.malformed:
        wanted = _WORDS if said else ("path",)
        hint = "" if said else "write a 'path', or 'c1', 'c2' and 'c3'"
        found.needs(wanted, "a prompt", hint)
    if found.malformed or ("path" not in found and len(said) < len(_WORDS)):
        return None
    return PromptReference(
        **{name: str(each.value) for name, each in found.items() if name in PROMPT}
    )
