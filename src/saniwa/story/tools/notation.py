"""Write elements of an old notation in the present one.

Gives lines without their indent; None if the present notation cannot express it.
Callers must parse them again: a spelling that changes the meaning must not be used.
"""

import re

from saniwa.story import elements
from saniwa.story.elements import Element, LinkTarget
from saniwa.story.parser.text import parse_words
from saniwa.story.text import TextTemplate, Words

_UNLINKED = re.compile(r"[\s()<>%]")
_NAMED = re.compile(r"[^\s:：]{1,40}[:：]")


def spell_element(element: Element) -> list[str] | None:
    """Return the lines that express an old command today."""
    match element:
        case elements.LabelElement(name=name, kind="label" | "scene"):
            return [f"## {name}"]
        case elements.JumpElement(target=target, old="JUMP"):
            return [spell_link(_get_target_name(target), target)]
        case elements.AssignElement(old=old) if old:
            worth = element.worth.source
            return [f"[SET {element.name} {element.operator} {worth}]"]
        case elements.EndingElement(id=id, name="", old=old) if old and id:
            return [f"<!-- ending: {id} -->"]
        case elements.WhenElement(old="JUMP_IF", cases=(case,)):
            return _spell_jump_if(case)
        case elements.ChoiceElement(old="BRANCH", options=options):
            return [_spell_item(option) for option in options]
        case _:
            return None


def spell_link(text: str, target: LinkTarget) -> str:
    """Write a link to a target."""
    file, label = _encode_link_part(target.file), _encode_link_part(target.label)
    return f"[{text}]({file}#{label})" if label else f"[{text}]({file})"


def spell_speech(speaker: str, text: str) -> str:
    """Write a line of speech, or of narration if there is no speaker."""
    return f"{speaker}: {text}" if speaker else spell_narration(text)


def spell_narration(text: str) -> str:
    """Escape text at the beginning of a line, so that it is read as narration."""
    if text[:1] in ("[", "-", "#", "<"):
        return "\\" + text
    found = _NAMED.match(text)
    if found is not None:
        return f"{text[: found.end() - 1]}\\{text[found.end() - 1 :]}"
    return text


def spell_words(words: Words) -> str:
    """Write words as an author would."""
    if isinstance(words, TextTemplate):
        return words.source
    written = words.replace("\\", "\\\\").replace("{", "\\{")
    if parse_words(written, 1, 1)[0] != words:
        # Signs that would be read as emphasis or code.
        written = written.replace("*", "\\*").replace("`", "\\`")
    return written


def _spell_jump_if(case: elements.WhenCase) -> list[str] | None:
    (jump,) = case.block
    if case.when is None or not isinstance(jump, elements.JumpElement):
        return None
    to = spell_link(_get_target_name(jump.target), jump.target)
    return [f":::when {case.when.source}", to, ":::"]


def _spell_item(option: elements.ChoiceOption) -> str:
    assert option.target is not None
    item = f"- {spell_link(spell_words(option.words), option.target)}"
    return f"{item} {{if {option.only_if.source}}}" if option.only_if else item


def _get_target_name(target: LinkTarget) -> str:
    return target.label or target.file


def _encode_link_part(text: str) -> str:
    """Percent-encode the characters that are not allowed in a link."""
    return _UNLINKED.sub(_encode_match, text)


def _encode_match(found: re.Match[str]) -> str:
    raw = found.group().encode("utf-8", "surrogatepass")
    return "".join(f"%{byte:02X}" for byte in raw)
