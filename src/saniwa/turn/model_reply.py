"""Read a model's written reply: a `Thought:` line, an `Output:` line, *actions*.

Models break this format. Breaks are repaired in named steps, and both texts are
recorded; repairs change only the format, never what the reply asks for. Replies in other
models' formats (headings, angle brackets, JSON, Japanese tags, tags without a colon) are
converted first, so that a thought is never said aloud.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple

import msgspec

from saniwa.language.lexicon.en import PEOPLE, THINGS, WORDS
from saniwa.language.name_index import index_world_names
from saniwa.language.parse import LONGEST_WORDS, parse
from saniwa.language.parser_context import Claim, make_emote_claim, make_unrecognised_claim
from saniwa.language.text import is_blank
from saniwa.world.model import Id, World

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

BreakType = Literal[
    "NONE",
    "TRAILING_GARBAGE",
    "LEADING_GARBAGE",
    "MISSING_OUTPUT_TAGS",
    "MISSING_THOUGHT",
    "UNCLOSED_MARK",
    "EMPTY_REPLY",
    "TRUNCATED",
    "REFUSED",
    "FILTERED",
    "STRAY_TOOL_CALL",
]
"""How a reply breaks the format. The last four are not visible in its text: the
provider reports how the answer ended, and an experiment records it."""
RepairMethod = Literal["NONE", "STRIP", "TRAILING_CUT", "FALLBACK_SPEECH"]

_STEPS: dict[RepairMethod, int] = {"NONE": 0, "STRIP": 1, "TRAILING_CUT": 2, "FALLBACK_SPEECH": 3}
_TAG = re.compile(r"^[ \t>*_#]*(thought|output)[ \t]*[*_]*[:：][*_]*", re.I | re.M)
_STOP_TOKEN = re.compile(r"<\|?/?[a-z_]{1,30}\|?>|\[/?INST\]|```[a-z]{0,10}", re.I)
_NEXT_SPEAKER = re.compile(
    r"^[ \t]*(?:user|assistant|system|human|observation|speaker|###|---)[^\n]*", re.I | re.M
)
_PLAIN_WORDS = re.compile(r"[\w ,.'!?-]*")
"""One line without any character that a tag, a mark or a fence needs."""
_TITLED = re.compile(r"\s*(?:is|was) (?:an?|the|my|his|her|their|one|called)\b")
_MARK = re.compile(r"[*＊]+")
_LABELLED = re.compile(
    r"^[ \t>#]*[*＊]*(?:actions?|行動|動作)[ \t]*[*＊]*[:：][ \t*＊]*([^\n]*?)[ \t*＊]*$",
    re.I | re.M,
)
"""An action that is marked by its name: "**Action:** opens the box"."""
_ACT = re.compile(r"[*＊][^*＊\s][^*＊\n]*[*＊]")
_INLINE_OUTPUT = re.compile(r"(?<=\S)[ \t]+(?=output[ \t]*[:：])", re.I)
_INLINE_ACTION = re.compile(r"(?<=[.!?…*])[ \t]+(?=actions?[ \t]*[:：])", re.I)
_SUBJECT = re.compile(r"^\s*(?:he|she|they)\s+", re.I)
_SHOWN = 80
_NARRATED = re.compile(
    r"[ぁ-ん](?:(?<=ます)|(?<=[くぐすつぬぶむる])|(?<=[いかたまらわ思追使]う)|(?<=[てで]みよう))[。．.]?$"
)
"""The end of a Japanese sentence that may tell of a deed."""
_TOLD = re.compile(
    r"(?:(?:then|now|so|next|finally|carefully|slowly|quietly),? )?i (?P<verb>[a-z]+)\b[^?!\"“”*]*",
    re.I,
)
"""An English sentence that may tell of a deed: "I open the cabinet and search it."."""
_TO_SOMEBODY = re.compile(r"\byou(?:r|rs)?\b", re.I)
_IMAGINING = re.compile(
    r"\b(?:remember|imagin|dream|daydream|pictur|pretend|recall|think|wonder)", re.I
)
_WANTING = frozenset(
    {"guess", "hope", "intend", "like", "love", "need", "plan", "think", "want", "wish"}
)
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[.!?…][\"”])\s+")
_SPOKEN = re.compile(
    "(?:さあ|では|じゃあ?|ほら|はい|いいえ|ええ|うん|よし)?、?(?:これ|それ|あれ|こちら|あなた|君|きみ|お前)|さあ|ほら|はい|ええ|うん|よし"
)
"""The beginning of a Japanese sentence that is said to a person."""
_QUOTED = (("「", "」"), ("『", "』"), ('"', '"'), ("“", "”"))


class ReplyPart(msgspec.Struct, frozen=True, kw_only=True):
    """One part of a reply."""

    kind: Literal["action", "speech"]
    """`action` for text between asterisks."""
    text: str
    """The words."""


class ModelReply(msgspec.Struct, frozen=True, kw_only=True):
    """A reply as it was received, and as it was understood."""

    raw_output: str
    """The reply, character for character."""
    repaired_output: str | None = None
    """The text after repair; None if nothing was repaired."""
    thought: str = ""
    """What the model thought; never acted on."""
    speech: str = ""
    """What it says aloud, without the actions."""
    actions: tuple[str, ...] = ()
    """The texts between asterisks, in order."""
    parts: tuple[ReplyPart, ...] = ()
    """Actions and speech, in order."""
    break_type: BreakType = "NONE"
    """How the format was broken; the most severe break if there are several."""
    repair_method: RepairMethod = "NONE"
    """The last repair step that was needed."""
    repair_steps: int = 0
    """How many repair steps were needed."""
    parse_attempts: int = 1
    """One more than the steps."""
    parser_error: str = ""
    """What was wrong, in a sentence; empty for a valid reply."""


class _ReplyReading(NamedTuple):
    """A text after one step of repair."""

    thought: str
    output: str
    break_type: BreakType
    repair_method: RepairMethod
    problem: str


def looks_like_reply(text: str) -> bool:
    """Whether the text is a model's reply and not a player's words.

    It is one if it has a tag in any known format, or an action between asterisks.
    """
    if _PLAIN_WORDS.fullmatch(text):
        return False
    begun = text[:LONGEST_WORDS]
    return bool(_TAG.search(begun) or _ACT.search(begun)) or to_tagged_reply(begun) is not None


# Cached: the parser, the metrics and the forwarding code read the same reply.
@lru_cache(maxsize=8)
def read_reply(text: str) -> ModelReply:
    """Read a reply, repairing it if necessary. Total: every text gives a reply."""
    read = (
        _read_intact(text)
        or _read_stripped(text)
        or _read_one_line(text)
        or _read_other_format(text)
        or _read_truncated(text)
        or _read_fallback(text)
    )
    if has_aside(read.output):
        read = read._replace(
            output=strip_asides(read.output).strip(),
            break_type="TRAILING_GARBAGE",
            repair_method="TRAILING_CUT",
            problem="the spoken text contains a thought",
        )
    parts, unclosed = _split_parts(read.output)
    if unclosed and read.break_type in ("NONE", "MISSING_THOUGHT"):
        read = read._replace(
            break_type="UNCLOSED_MARK",
            repair_method="STRIP",
            problem="an asterisk opens an action that is not closed",
        )
    steps = _STEPS[read.repair_method]
    return ModelReply(
        raw_output=text,
        repaired_output=_render_reply(read) if steps else None,
        thought=read.thought,
        speech=" ".join(p.text for p in parts if p.kind == "speech"),
        actions=tuple(p.text for p in parts if p.kind == "action"),
        parts=parts,
        break_type=read.break_type,
        repair_method=read.repair_method,
        repair_steps=steps,
        parse_attempts=1 + steps,
        parser_error=read.problem,
    )


def _split_tags(text: str) -> tuple[str, dict[str, str], list[str]]:
    """The text before the first tag, the text of each first tag, and all tags."""
    tags = list(_TAG.finditer(text))
    lead = text[: tags[0].start()] if tags else text
    texts: dict[str, str] = {}
    for number, tag in enumerate(tags):
        end = tags[number + 1].start() if number + 1 < len(tags) else len(text)
        texts.setdefault(tag[1].lower(), text[tag.end() : end].strip())
    return lead.strip(), texts, [tag[1].lower() for tag in tags]


def _read_intact(text: str) -> _ReplyReading | None:
    """Read a reply that is valid, or only lacks a thought."""
    lead, texts, tags = _split_tags(text)
    output = texts.get("output", "")
    if lead or not output or _STOP_TOKEN.search(output) or _NEXT_SPEAKER.search(output):
        return None
    if tags == ["thought", "output"]:
        return _ReplyReading(texts["thought"], output, "NONE", "NONE", "")
    if tags == ["output"]:
        return _ReplyReading("", output, "MISSING_THOUGHT", "NONE", "there is no 'Thought:' line")
    return None


def _read_stripped(text: str) -> _ReplyReading | None:
    """Read a reply after removing fences, stop tokens and text before the first tag."""
    first = _TAG.search(text)
    if first is None:
        return None
    reading = _read_intact(_STOP_TOKEN.sub("", text[first.start() :]))
    if not is_blank(_STOP_TOKEN.sub("", text[: first.start()].strip())):
        return _strip_reading(reading, "LEADING_GARBAGE", "there is text before the first tag")
    return _strip_reading(reading, "TRAILING_GARBAGE", "there is text around the reply")


def _strip_reading(
    reading: _ReplyReading | None, broken: BreakType, problem: str
) -> _ReplyReading | None:
    if reading is None:
        return None
    return reading._replace(break_type=broken, repair_method="STRIP", problem=problem)


def _read_one_line(text: str) -> _ReplyReading | None:
    """Read a reply with both tags on one line."""
    if "output" in _split_tags(text)[2]:
        return None
    parted = _INLINE_OUTPUT.sub("\n", text, count=1)
    reading = _read_intact(parted) or _read_stripped(parted)
    return _strip_reading(reading, "MISSING_OUTPUT_TAGS", "'Output:' is not at the start of a line")


def _read_other_format(text: str) -> _ReplyReading | None:
    """Read a reply whose thought and output are tagged in another format."""
    plain = to_tagged_reply(text)
    if plain is None:
        return None
    reading = _read_intact(plain) or _read_stripped(plain) or _read_truncated(plain)
    if reading is None:
        # A thought without an output remains a thought.
        thought = _split_tags(plain)[1].get("thought", "")
        reading = _ReplyReading(thought, "", "NONE", "NONE", "")
    problem = "thought and output have other tags"
    return _strip_reading(reading, "MISSING_OUTPUT_TAGS", problem)


def _read_truncated(text: str) -> _ReplyReading | None:
    """Read a reply after cutting off what follows its first output."""
    _, texts, _ = _split_tags(_STOP_TOKEN.sub("", text))
    output = texts.get("output", "")
    speaker = _NEXT_SPEAKER.search(output)
    output = output[: speaker.start()].strip() if speaker else output
    if is_blank(output):
        return None
    problem = "there is text after the output"
    thought = texts.get("thought", "")
    return _ReplyReading(thought, output, "TRAILING_GARBAGE", "TRAILING_CUT", problem)


def _read_fallback(text: str) -> _ReplyReading:
    """Read a reply without an output: everything that is no thought is the output."""
    if is_blank(text):
        return _ReplyReading("", "", "EMPTY_REPLY", "FALLBACK_SPEECH", "the reply is empty")
    parted = _INLINE_ACTION.sub("\n", text, count=1)
    output, texts, tags = _split_tags(_STOP_TOKEN.sub("", parted))
    thought = texts.get("thought", "")
    if tags and not output:
        # Without an output line, a thought's first paragraph is the thought.
        thought, _, output = thought.partition("\n")
        speaker = _NEXT_SPEAKER.search(output)
        output = output[: speaker.start()] if speaker else output
    thought, output, problem = thought.strip(), output.strip(), "there is no 'Output:' line"
    return _ReplyReading(thought, output, "MISSING_OUTPUT_TAGS", "FALLBACK_SPEECH", problem)


def _render_reply(read: _ReplyReading) -> str:
    output = _MARK.sub("*", read.output)
    if output.count("*") % 2:
        head, _, tail = output.rpartition("*")
        output = head + tail
    return f"Thought: {read.thought}\nOutput: {output}"


def _split_parts(output: str) -> tuple[tuple[ReplyPart, ...], bool]:
    """The actions and speech in order, and whether an asterisk was never closed."""
    pieces = _MARK.split(_LABELLED.sub(r"*\1*", output))
    unclosed = len(pieces) % 2 == 0
    parts = []
    for number, piece in enumerate(pieces):
        acts = number % 2 == 1 and not (unclosed and number == len(pieces) - 1)
        titled = _TITLED.match("".join(pieces[number + 1 : number + 2]))
        acts = acts and not titled  # "*Take the key* is a song"
        words = " ".join(piece.split())
        words = words if acts else _strip_quotes(words)
        if not is_blank(words):
            parts.append(ReplyPart(kind="action" if acts else "speech", text=words))
    return tuple(parts), unclosed


def _strip_quotes(words: str) -> str:
    """Remove quotation marks that enclose all of the text."""
    for first, last in _QUOTED:
        if len(words) > 1 and words[0] == first and words[-1] == last:
            inner = words[1:-1]
            return words if first in inner or last in inner else inner.strip()
    return words


def parse_reply_claims(reply: ModelReply, actor: Id, world: World) -> tuple[Claim, ...]:
    """Parse the reply's actions and speech into claims, in order.

    A reply with no parts gives an unrecognised claim, so that the turn reports it.
    """
    told = reply.break_type == "MISSING_OUTPUT_TAGS" and bool(reply.actions)
    imagined = _IMAGINING.search(" ".join(reply.actions))
    if told and (imagined or not any(map(_is_deed, parse(reply.speech, actor, world)))):
        told = not reply.speech.isascii()  # nothing is told, or it is taken back
    raw = " ".join(reply.raw_output.split())
    claims = tuple(
        claim
        for part in reply.parts
        for quoted in (any(f"{first}{part.text}{last}" in raw for first, last in _QUOTED),)
        for claim in _parse_part(part, actor, world, told=told and not quoted)
    )
    shown = " ".join(reply.raw_output.split())[:_SHOWN]
    return claims or (make_unrecognised_claim(shown),)


def _parse_part(part: ReplyPart, actor: Id, world: World, *, told: bool) -> Iterator[Claim]:
    if part.kind == "speech":
        spoken = ""
        for sentence in _split_narration(part.text) if told else (part.text,):
            deeds = _parse_narrated(sentence, actor, world) if told else ()
            if spoken and (deeds or "。" in part.text):
                yield {"type": "speak", "content": _strip_quotes(spoken)}
                spoken = ""
            spoken = f"{spoken} {sentence.strip()}".strip() * (not deeds)
            yield from deeds
        if spoken:
            yield {"type": "speak", "content": _strip_quotes(spoken)}
    else:
        # A narrated action may begin with "she".
        for claim in parse(_SUBJECT.sub("", part.text), actor, world, narrated=True):
            yield (
                make_emote_claim(part.text) if claim == {"type": "speak"} else claim
            )  # "*mutters*"


def _split_narration(text: str) -> Iterator[str]:
    """The sentences of a text; a full stop inside a Japanese quotation ends none."""
    if text.isascii():
        yield from _SENTENCE_END.split(text)
        return
    begin, depth = 0, 0
    for at, character in enumerate(text):
        depth = max(0, depth + (character in "「『") - (character in "」』"))
        if character == "。" and not depth:
            yield text[begin : at + 1]
            begin = at + 1
    yield text[begin:]


def _parse_narrated(sentence: str, actor: Id, world: World) -> tuple[Claim, ...]:
    """The claims of a sentence outside asterisks that tells what the character does.

    ハンカチを机に置きます。*手を合わせる* puts it there, "*nods* I take the key." takes it. It is
    narration if it ends in a plain or a polite verb, or begins with "I" and a verb in the
    present, and all of it is understood; other words are spoken.
    """
    said = sentence.strip()
    if said.isascii():
        return _parse_narrated_english(said, actor, world)
    if _SPOKEN.match(said) or not _NARRATED.search(said):
        return ()
    claims = parse(sentence, actor, world, narrated=True)
    deeds = [c for c in claims if _is_deed(c)]
    clear = all(c["type"] in ("wait", "look") or "target" in c for c in deeds)
    return claims if deeds and clear and "unrecognised" not in {c["type"] for c in claims} else ()


def _parse_narrated_english(said: str, actor: Id, world: World) -> tuple[Claim, ...]:
    told = _TOLD.fullmatch(said)
    verb = told["verb"].lower() if told else ""
    if not verb or verb in _WANTING | WORDS.unmarked_pasts or _TO_SOMEBODY.search(said):
        return ()
    claims, names = parse(said, actor, world), index_world_names(world)
    if "unrecognised" in {c["type"] for c in claims} or not any(map(_is_deed, claims)):
        return ()
    said_before = False
    for claim in (c for c in claims if c["type"] not in ("move", "speak", "emote")):
        for role in sorted(_SPOKEN_ROLES & claim.keys()):
            words = claim[role].lower()
            named = any(names.find_in_text(words))
            if not named and (not said_before or words not in THINGS | PEOPLE):
                return ()  # "I take the blame", "I open it"
            said_before = True
    return claims


_SPOKEN_ROLES: Final = frozenset({"target", "destination", "source", "tool", "recipient"})


def _is_deed(claim: Claim) -> bool:
    return claim["type"] not in ("speak", "emote", "question", "unrecognised")


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
            tagged = _replace_tags(text, pattern, form)
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


def _replace_tags(text: str, pattern: re.Pattern[str], form: str) -> str:
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
