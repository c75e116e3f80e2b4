"""Convert replies in other models' formats to `Thought:` and `Output:` lines.

Headings, angle brackets, JSON, Japanese tags and tags without a colon are converted, so
that a thought is never said aloud.
"""

import re
from collections.abc import Callable
from typing import Any, Final

import msgspec

_LONGEST_JSON: Final = 100_000
_WORDS: Final = {
    "thought": "thought",
    "output": "output",
    "思考": "thought",
    "心の声": "thought",
    "出力": "output",
    "発話": "output",
}
_NAMED: Final = "|".join(_WORDS)
_HEADING: Final = re.compile(
    rf"^[ \t]*#{{1,6}}[ \t]*({_NAMED})[ \t]*+(?:[:：][ \t]*+)?$", re.I | re.M
)
_OUTPUT: Final = re.compile(r"^[ \t>*_#]*output[ \t]*[*_]*[:：]", re.I | re.M)
_ANGLE: Final = re.compile(r"<(thought|output)>(.*?)(?:</\1>|\Z)", re.I | re.S)
_INWARD: Final = "think|thinking|reasoning|analysis|scratchpad|inner_monologue|reflection"
_THINKING: Final = re.compile(rf"<({_INWARD})\b[^<>\n]{{0,80}}>.*?(?:</\1>|\Z)", re.I | re.S)
_THOUGHT_TO: Final = re.compile(rf"</(?:{_INWARD})>", re.I)
_FINAL: Final = re.compile(r"<\|channel\|>\s*final\s*<\|message\|>", re.I)
_FENCED: Final = re.compile(
    rf"^[ \t]*(`{{3,}}|~{{3,}})[ \t]*(?:thought|{_INWARD}|思考)[ \t]*$.*?(?:^[ \t]*\1|\Z)",
    re.I | re.M | re.S,
)
_CHANNEL: Final = re.compile(
    r"<\|channel\|>\s*(?:analysis|commentary)\b.*?(?=<\|channel\|>\s*final|\Z)", re.I | re.S
)
_BRACKET: Final = re.compile(rf"[\[【〈《]\s*+(?:/\s*+)?({_NAMED})\s*[\]】〉》][ \t]*[:：]?", re.I)
_MIDWAY: Final = re.compile(
    r"(?<=\S)[ \t]+(?:thought|thinking|思考|心の声)[ \t]*[:：].*?(?=[ \t]output[ \t]*[:：]|$)",
    re.I | re.M,
)
_WIDE: Final = {code: code - 0xFEE0 for code in (*range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))}
_JAPANESE: Final = re.compile(r"^[ \t>*_]*(思考|心の声|出力|発話)[ \t]*[*_]*[:：]", re.M)
_BARE: Final = re.compile(r"^(thought|output)[ \t]+(?=\S)", re.I | re.M)
_ASIDE: Final = re.compile(
    r"[(（\[【]\s*(?:thought|thinking|思考|心の声)\s*[:：][^)）\]】\n]{0,2000}[)）\]】]?", re.I
)


def to_tagged_reply(text: str) -> str | None:
    """The reply with the two standard tags; None if it has none of these formats."""
    rest = _strip_thinking(text)
    if rest != text:
        # The rest without the thinking may itself be in another format.
        return to_tagged_reply(rest) or (rest if _OUTPUT.search(rest) else f"Output: {rest}")
    found = _convert_json(text)
    if found is None and (angles := _ANGLE.findall(text)):
        found = {tag.lower(): content for tag, content in angles}
    if found is not None:
        return _render_tags(found.get("thought", ""), found.get("output", ""))
    for pattern, form, fits in _TAG_FORMATS:
        tags = [_to_tag(tag) for tag in pattern.findall(text)]
        if fits(tags):
            tagged = _retag(text, pattern, form)
            return tagged.lstrip() if pattern is _BRACKET else tagged
    return None


def _strip_thinking(text: str) -> str:
    """The reply without the parts that are marked as thinking."""
    text = text.translate(_WIDE) if not text.isascii() else text
    for inward in (_THINKING, _FENCED, _CHANNEL):
        text = inward.sub("", text)
    ends = [end.end() for end in _THOUGHT_TO.finditer(text)]
    return _FINAL.sub("", text[ends[-1] :] if ends else text)


def has_aside(output: str) -> bool:
    """Whether the output contains a thought in brackets."""
    return _ASIDE.search(output) is not None or _MIDWAY.search(output) is not None


def strip_asides(output: str) -> str:
    """The output without the thoughts in brackets."""
    return _MIDWAY.sub("", _ASIDE.sub("", output))


def _convert_json(text: str) -> dict[str, Any] | None:
    bare = text.strip()
    if not bare.startswith("{") or len(bare) > _LONGEST_JSON:
        return None
    try:
        decoded = msgspec.json.decode(bare)
    except (msgspec.MsgspecError, RecursionError, UnicodeEncodeError):
        return None
    tagged = isinstance(decoded, dict) and not {"thought", "output"}.isdisjoint(decoded)
    return decoded if tagged else None


def _render_tags(thought: Any, output: Any) -> str:
    inner = thought if isinstance(thought, str) else ""
    speech = output if isinstance(output, str) else ""
    return f"Thought: {' '.join(inner.split())}\nOutput: {speech.strip()}"


def _retag(text: str, pattern: re.Pattern[str], form: str) -> str:
    return pattern.sub(lambda tag: form.format(_to_tag(tag[1])), text)


def _to_tag(word: str) -> str:
    return _WORDS[word.lower()].title()


_TAG_FORMATS: Final[tuple[tuple[re.Pattern[str], str, Callable[[list[str]], bool]], ...]] = (
    (_HEADING, "{}:", bool),
    (_BRACKET, "\n{}: ", lambda tags: "Thought" in tags),
    (_JAPANESE, "{}: ", bool),
    (_BARE, "{}: ", lambda tags: tags == ["Thought", "Output"]),
)
"""The patterns of other tags, what replaces a tag, and which tags must be there."""
