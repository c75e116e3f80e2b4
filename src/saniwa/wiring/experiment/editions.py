"""Prompt editions: those that come with Saniwa, and an author's own, read and checked."""

from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Final

from saniwa.core.document import Document
from saniwa.core.near import did_you_mean
from saniwa.core.quoted import quoted
from saniwa.core.small_file import small_file
from saniwa.core.where import Where
from saniwa.experiment.authoring.authored import Authored
from saniwa.experiment.authoring.tables import ANY
from saniwa.experiment.plan import Condition
from saniwa.experiment.telling.prompt import PARTING, PLACEHOLDERS, unknown_names
from saniwa.run.opening import LANGUAGES
from saniwa.wiring.experiment.problems import Problems

SHIPPED: Final = ("plain", "strict")
"""The editions that come with Saniwa."""
LARGEST: Final = 256 * 1024
"""Bytes an edition may have."""

Editions = dict[str, dict[str, str]]
"""The texts: by name, then by language."""


def editions_of(authored: Authored, problems: Problems) -> Editions:
    """The texts of every edition that a condition names; what is wrong is collected."""
    conditions = authored.plan.conditions
    found: Editions = {}
    for name in dict.fromkeys(each.prompt for each in conditions):
        those = [each for each in conditions if each.prompt == name]
        where = authored.where("prompt", name)
        if name in authored.prompts:
            own = authored.prompts[name]
            found[name] = _own(authored, name, own, those, problems)
        elif name in SHIPPED:
            found[name] = shipped_edition(name)
        else:
            known = (*SHIPPED, *authored.prompts)
            message = f"there is no prompt edition {quoted(name)}"
            hint = did_you_mean(name, known) or f"there is: {', '.join(known)}"
            problems.add("UNKNOWN_VALUE", message, where=where, hint=hint)
    return found


def shipped_edition(name: str) -> dict[str, str]:
    """The text of an edition that comes with Saniwa, by language."""
    folder = files("saniwa.experiment") / "editions"
    return {
        language: (folder / f"{name}.{language}.txt").read_text(encoding="utf-8")
        for language in LANGUAGES
    }


def _own(
    authored: Authored,
    name: str,
    written: Mapping[str, str],
    conditions: Iterable[Condition],
    problems: Problems,
) -> dict[str, str]:
    found = {}
    for language, file in written.items():
        path = Path(authored.folder) / file
        text = _read(path, authored.where("prompts", name), problems)
        if text is None:
            continue
        _check(text, str(path), name, conditions, problems)
        for tongue in LANGUAGES if language == ANY else (language,):
            found[tongue] = text
    return found


def _read(path: Path, where: Where | None, problems: Problems) -> str | None:
    try:
        content = small_file(path, LARGEST).decode("utf-8-sig")
    except (OSError, ValueError) as problem:
        why = (problem.strerror if isinstance(problem, OSError) else "") or "no UTF-8"
        message = f"the edition's file {quoted(str(path))} cannot be read: {why}"
        hint = "name a text file, as seen from the plan's folder"
        problems.add("FILE_MISSING", message, where=where, hint=hint)
        return None
    return content.replace("\r\n", "\n")


def _check(
    text: str,
    file: str,
    name: str,
    conditions: Iterable[Condition],
    problems: Problems,
) -> None:
    page = Document(plain=None, file=file, text=text)
    if PARTING not in text:
        message = f"the edition {quoted(name)} has no line '---'"
        hint = "above it: what the model is told about itself; below it: this turn"
        problems.add("PROMPT_PARSE", message, where=Where(file=file), hint=hint)
    for unknown in unknown_names(text):
        line, column = page.place_at(text.index("{" + unknown + "}"))
        message = f"nothing fills {quoted('{' + unknown + '}')}"
        known = ", ".join("{" + each + "}" for each in PLACEHOLDERS)
        hint = did_you_mean(unknown, PLACEHOLDERS) or f"there is: {known}"
        where = Where(file=file, line=line, column=column)
        problems.add("VARIABLE_UNDEFINED", message, where=where, hint=hint)
    for placeholder, switch in (("facts", "inject"), ("guidance", "gm")):
        used = any(getattr(each, switch) for each in conditions)
        if used and "{" + placeholder + "}" not in text:
            message = (
                f"{switch!r} would change nothing: the edition has no place for it"
            )
            hint = "write {" + placeholder + "} where it is to stand"
            problems.add("FIELD_MISSING", message, where=Where(file=file), hint=hint)
