"""How elements that were written in an old notation are written today.

Gives lines, without their indent; None where the plain dialect cannot say it. Whoever
uses them reads them back: a spelling that means something else is not used.
"""

import re

from saniwa.script import node
from saniwa.script.language.words import Text, Words, parse_words
from saniwa.script.node import Node, Target

_UNLINKED = re.compile(r"[\s()<>%]")
_NAMED = re.compile(r"[^\s:：]{1,40}[:：]")


def spelled(element: Node) -> list[str] | None:
    """The lines that say today what an old command said."""
    match element:
        case node.Label(name=name, kind="label" | "scene"):
            return [f"## {name}"]
        case node.Jump(target=target, old="JUMP"):
            return [link(_shown(target), target)]
        case node.Assign(old=old) if old:
            worth = element.worth.source
            return [f"[SET {element.name} {element.operator} {worth}]"]
        case node.Ending(id=id, name="", old=old) if old and id:
            return [f"<!-- ending: {id} -->"]
        case node.When(old="JUMP_IF", cases=(case,)):
            return _jump_if(case)
        case node.Choice(old="BRANCH", options=options):
            return [_item(option) for option in options]
        case _:
            return None


def link(text: str, target: Target) -> str:
    """A link to a target."""
    file, label = _coded(target.file), _coded(target.label)
    return f"[{text}]({file}#{label})" if label else f"[{text}]({file})"


def speech(speaker: str, text: str) -> str:
    """A line of speech, or of narration where nobody speaks."""
    return f"{speaker}: {text}" if speaker else narration(text)


def narration(text: str) -> str:
    """Text at the beginning of a line, so that it is read as nothing else."""
    if text[:1] in ("[", "-", "#", "<"):
        return "\\" + text
    found = _NAMED.match(text)
    if found is not None:
        return f"{text[: found.end() - 1]}\\{text[found.end() - 1 :]}"
    return text


def written(words: Words) -> str:
    """Words as an author would write them."""
    if isinstance(words, Text):
        return words.source
    written = words.replace("\\", "\\\\").replace("{", "\\{")
    if parse_words(written, 1, 1)[0] != words:
        # Signs that would be read as emphasis or code.
        written = written.replace("*", "\\*").replace("`", "\\`")
    return written


def _jump_if(case: node.Case) -> list[str] | None:
    (jump,) = case.block
    if case.when is None or not isinstance(jump, node.Jump):
        return None
    to = link(_shown(jump.target), jump.target)
    return [f":::when {case.when.source}", to, ":::"]


def _item(option: node.Option) -> str:
    assert option.target is not None
    item = f"- {link(written(option.words), option.target)}"
    return f"{item} {{if {option.only_if.source}}}" if option.only_if else item


def _shown(target: Target) -> str:
    return target.label or target.file


def _coded(text: str) -> str:
    """A part of a link with what may not stand in one coded."""
    return _UNLINKED.sub(_code, text)


def _code(found: re.Match[str]) -> str:
    raw = found.group().encode("utf-8", "surrogatepass")
    return "".join(f"%{byte:02X}" for byte in raw)
