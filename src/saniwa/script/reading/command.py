"""The bracket commands: which there are, and how their parameters are written.

One table for the reader, the formatter, completion and the reference page. What a command
becomes in the tree is the business of `bracket`.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

import msgspec

# Each of these takes an unclosed quotation mark with all that follows, in a last group: it
# is looked for once, and not again from every quotation mark behind it.
_QUOTE = r'"(?:[^"\\]|\\.)*+(?:"|(\\?\Z))'
_KEY = re.compile(
    rf"{_QUOTE}|(?<![^\s,])(?P<key>[^\W\d]\w*+)[ \t]*+=(?!=)[ \t]*+", re.DOTALL
)
_BARE_KEY = re.compile(r"(?<![^\s,])(?P<key>[^\W\d]\w*+)[ \t]*+=(?!=)[ \t]*+")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*+)"[ \t]*+(.*)', re.DOTALL)
_SMART_VALUE = (
    r'(?P<before>(?:(?<![=!<>])=|\A)[ \t]*+)[“”„‟＂](?P<value>[^“”„‟＂"\\]*+)[“”‟＂]'
)
_SMART = re.compile(f"{_QUOTE}|{_SMART_VALUE}", re.DOTALL)
_BARE_SMART = re.compile(_SMART_VALUE)
_ESCAPED = re.compile(r'\\(["\\])')
_LIST_KEY = re.compile(
    rf"{_QUOTE}|(?<![^\s,])(?P<key>choice|label|if)[ \t]*+=(?!=)[ \t]*+", re.DOTALL
)
_BARE_LIST_KEY = re.compile(r"(?<![^\s,])(?P<key>choice|label|if)[ \t]*+=(?!=)[ \t]*+")


class Parameter(msgspec.Struct, frozen=True):
    """One parameter of a command."""

    name: str
    """How we write it."""
    about: str
    """What it says."""
    required: bool = False
    """Whether the command means nothing without it."""
    aliases: tuple[str, ...] = ()
    """How else it was ever written."""


class Command(msgspec.Struct, frozen=True):
    """One command."""

    name: str
    """How it is written."""
    about: str
    """What it does."""
    parameters: tuple[Parameter, ...] = ()
    """What it takes."""
    bare: str = ""
    """The parameter that a value without a name goes to; empty if none may stand there."""
    open: bool = False
    """Whether it takes any other parameter too, for the host."""
    old: bool = False
    """Whether new writing has a better way; `fmt` rewrites it."""

    def parameter(self, name: str) -> Parameter | None:
        """The parameter of this name or alias."""
        for each in self.parameters:
            if name == each.name or name in each.aliases:
                return each
        return None


def _asset(about: str, name: str) -> Parameter:
    other = "file" if name == "name" else "name"
    return Parameter(name, about, required=True, aliases=(other,))


_LABEL = Parameter("label", "the label to go to", required=True, aliases=("target",))
_CONDITION = (
    Parameter("when", "the condition, such as n >= 3"),
    Parameter("var", "the variable that is looked at", aliases=("flag", "name")),
    Parameter("cmp", "eq ne lt le gt ge", aliases=("op",)),
    Parameter("value", "what it is compared with"),
)
_EVENT = (Parameter("name", "what happened", required=True),)
_ENDING = (
    Parameter("id", "which ending"),
    Parameter("name", "its name for people"),
)


def _table(*commands: Command) -> Mapping[str, Command]:
    return {each.name: each for each in commands}


COMMANDS: Final[Mapping[str, Command]] = _table(
    Command(
        "SAY",
        "somebody says the text behind it or below it",
        (Parameter("speaker", "who speaks", aliases=("name", "who")),),
        bare="speaker",
        old=True,
    ),
    Command(
        "SHOW_IMAGE",
        "shows a picture on a layer",
        (
            _asset("the picture's logical name", "file"),
            Parameter("layer", "where to; main if nothing is said"),
        ),
        bare="file",
    ),
    Command(
        "CLEAR_LAYER",
        "empties a layer",
        (Parameter("layer", "which", required=True, aliases=("name",)),),
        bare="layer",
    ),
    Command(
        "PLAY_BGM", "plays music", (_asset("its logical name", "name"),), bare="name"
    ),
    Command(
        "PLAY_MUSIC",
        "plays music; an old spelling of PLAY_BGM",
        (_asset("its logical name", "name"),),
        bare="name",
    ),
    Command(
        "PLAY_SE", "plays an effect", (_asset("its logical name", "name"),), bare="name"
    ),
    Command(
        "PLAY_MOVIE", "plays a film", (_asset("its logical name", "file"),), bare="file"
    ),
    Command(
        "WAIT",
        "lets time pass",
        (
            Parameter(
                "seconds",
                "how long, such as 1.5s",
                required=True,
                aliases=("secs", "sec", "duration"),
            ),
        ),
        bare="seconds",
    ),
    Command(
        "BRANCH",
        "a choice; in new writing, a list",
        (
            Parameter("choice", "how people read an option", required=True),
            Parameter("label", "where it leads; the text if nothing is said"),
            Parameter("if", "hidden unless this holds"),
        ),
        old=True,
    ),
    Command(
        "LABEL",
        "a place to jump to; in new writing, a heading",
        (Parameter("name", "its name", required=True, aliases=("label", "id")),),
        bare="name",
        old=True,
    ),
    Command("JUMP", "goes on elsewhere", (_LABEL,), bare="label", old=True),
    Command("CALL", "goes elsewhere and comes back", (_LABEL,), bare="label"),
    Command("RETURN", "goes back to after the call"),
    Command(
        "SET",
        "gives a variable a value: [SET n = 1], [SET n += 1]",
        (
            Parameter("name", "which variable"),
            Parameter("value", "what it is then"),
        ),
    ),
    Command(
        "MODIFY",
        "changes a number; in new writing, [SET n += 1]",
        (
            Parameter("name", "which variable", required=True, aliases=("var",)),
            Parameter("op", "add sub mul div", required=True),
            Parameter("value", "by how much", required=True),
        ),
        old=True,
    ),
    Command(
        "JUMP_IF",
        "goes on elsewhere if a condition holds",
        (*_CONDITION, _LABEL),
        bare="when",
    ),
    Command(
        "IF",
        "what follows happens if a condition holds",
        _CONDITION,
        bare="when",
        old=True,
    ),
    Command("ELSE", "what follows happens if the [IF] did not hold", old=True),
    Command("ENDIF", "ends what [IF] began", old=True),
    Command("ENDING", "the story ends", _ENDING, bare="id"),
    Command("END", "the story ends", _ENDING, bare="id"),
    Command("EVENT", "tells the host something", _EVENT, bare="name", open=True),
    Command("EMIT_EVENT", "tells the host something", _EVENT, bare="name", open=True),
    Command("SHOW_TEXT_EFFECT", "tells the host of an effect on the text", open=True),
    Command(
        "ASK",
        "the person answers in their own words",
        (
            Parameter("prompt", "what is asked", aliases=("text",)),
            Parameter("name", "the variable that keeps the answer", aliases=("var",)),
        ),
        bare="prompt",
    ),
    Command(
        "DO",
        "does something in the world, in a player's words",
        (Parameter("words", "what is done", required=True),),
        bare="words",
    ),
)
"""All there are, by name."""


class Given(NamedTuple):
    """A parameter as written."""

    key: str
    """Its name; empty for a value without one."""
    key_column: int
    """Where the name stands."""
    value: str
    """Its value, without quotes."""
    column: int
    """Where the value stands."""
    stray: str = ""
    """What stands behind the value and belongs to nothing."""
    quoted: bool = False
    """Whether the value stands in quotes."""

    @property
    def unclosed(self) -> bool:
        """Whether it begins with a quotation mark that does not close."""
        return (
            not self.quoted
            and self.value.startswith('"')
            and _QUOTED.match(self.value) is None
        )


def parameters(inner: str, column: int) -> list[Given]:
    """The parameters in a command, in order; `column` is where `inner` stands.

    A value goes on to the next name or comma, so `speaker=Old Man` needs no quotes.
    """
    return _cut(inner, column, (_KEY, _BARE_KEY), commas=True)


def choices(inner: str, column: int) -> list[Given]:
    """The parameters of BRANCH: only `choice=`, `label=` and `if=` begin a new one."""
    return _cut(inner, column, (_LIST_KEY, _BARE_LIST_KEY), commas=False)


def _cut(inner: str, column: int, key: "_Pair", *, commas: bool) -> list[Given]:
    if not inner.isascii():
        inner = _straighten(inner)
    keys = [found for found in _find_outside(inner, key) if found["key"]]
    ends = [*(found.start() for found in keys[1:]), len(inner)][: len(keys)]
    bare = inner[: keys[0].start()] if keys else inner
    given = []
    if bare.strip(" \t,"):
        given.append(_given("", column, bare, column, commas=commas))
    for found, end in zip(keys, ends, strict=True):
        value = inner[found.end() : end]
        begin = column + found.end()
        given.append(
            _given(found["key"], column + found.start(), value, begin, commas=commas)
        )
    return given


_Pair = tuple[re.Pattern[str], re.Pattern[str]]
"""An expression that also takes quoted text, and the same without it."""


def _find_outside(inner: str, pair: _Pair) -> Iterator[re.Match[str]]:
    """Yield what is found outside of quoted text, and the quoted texts themselves.

    A quotation mark that does not close is a letter like any other, and so is every
    quotation mark behind it.
    """
    with_quotes, without = pair
    for found in with_quotes.finditer(inner):
        if found[1] is not None:
            yield from without.finditer(inner, found.start() + 1)
            return
        yield found


def _straighten(inner: str) -> str:
    """Write values in the quotes of word processors in straight quotes."""
    pieces, end = [], 0
    for found in _find_outside(inner, (_SMART, _BARE_SMART)):
        if found["before"] is not None:
            pieces += [
                inner[end : found.start()],
                found["before"],
                f'"{found["value"]}"',
            ]
            end = found.end()
    return "".join([*pieces, inner[end:]])


def _given(key: str, at: int, text: str, column: int, *, commas: bool) -> Given:
    bare = text.lstrip(" \t,")
    column += len(text) - len(bare)
    bare = bare.rstrip(" \t,")
    found = _QUOTED.match(bare)
    if found is not None and (not found[2] or (commas and key)):
        value = _ESCAPED.sub(r"\1", found[1])
        return Given(key, at, value, column + 1, found[2].strip(" \t,"), True)
    value, _, stray = bare.partition(",") if commas and key else (bare, "", "")
    return Given(key, at, value.rstrip(), column, stray.strip(" \t,"))
