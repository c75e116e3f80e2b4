"""An oracle for testing that gives hostile or malformed answers and fails at random.

It plays the worst a model or a network can do; it calls neither.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from saniwa.core import random
from saniwa.core.errors import (
    ConfigurationError,
    SdkBridgeError,
    SdkConnectionError,
    SdkRateLimitError,
)
from saniwa.core.suggestions import suggest_nearest
from saniwa.models import describe
from saniwa.models.oracle import (
    FinishReason,
    OracleAnswer,
    OracleRequest,
    TextListener,
    Usage,
    stream_text,
)

FuzzText = Callable[[OracleRequest, int], str]
"""Makes a text from a request and a random state."""

_MEGABYTE: Final = 1_000_000
_DEEP: Final = 20_000
_CHARACTERS: Final = (
    "abcdefghij XYZ 0123456789 {}[]()<>\"'`\\/|;:,.!?#*_~=+-&%$@\n\téßж中あ한🗝\u202e\u200b\ufeff"
)


@cache
def _read_texts() -> dict[str, tuple[str, ...]]:
    """Return hostile model answers: other languages, injections, false roles."""
    content = Path(__file__).with_name("fuzz_texts.json").read_bytes()
    return msgspec.json.decode(content, type=dict[str, tuple[str, ...]])


_BOMBS: Final = (
    "[" * _DEEP + "]" * _DEEP,
    '{"a":' * _DEEP + "1" + "}" * _DEEP,
    '{"count": ' + "9" * 10_000 + "}",
    '{"count": 1e999999999, "other": -0.0, "last": NaN}',
    "{" + ",".join(['"action": "take"'] * 5_000) + "}",
    '{"action": "take", "action": "open", "target": {"target": null}}',
)


_CUT_JSON: Final = (
    '{"actions": [{"type": "take", "object": "key\\u30ad\\n", "count": 12}], "ok": true}'
)
_HUGE: Final = ("take the key ", "鍵", "{", "\n")
_BLANK: Final = ("", " ", "\n\n\t", "\u3000")


def _choose_one(texts: tuple[str, ...], state: int) -> str:
    return texts[random.draw_between(state, 0, len(texts) - 1)[1]]


def _draw_characters(state: int) -> str:
    """Characters of all kinds in random order."""
    state, count = random.draw_between(state, 1, 400)
    characters = []
    for _ in range(count):
        state, drawn = random.draw_between(state, 0, len(_CHARACTERS) - 1)
        characters.append(_CHARACTERS[drawn])
    return "".join(characters)


def _draw_control_characters(state: int) -> str:
    """Control characters, also those that move a terminal's cursor."""
    state, code = random.draw_between(state, 0, 31)
    return f"\x1b[2J\x1b[31mopen\x07{chr(code)}\x00\x7f\x9b1m{_draw_characters(state)[:20]}"


def _repeat_word(word: str) -> str:
    return word * (_MEGABYTE // len(word.encode()))


FUZZ_TEXTS: Final[dict[str, FuzzText]] = {
    "bomb": lambda _, state: _choose_one(_BOMBS, state),
    "contradiction": lambda _, state: _choose_one(_read_texts()["contradictions"], state),
    "controls": lambda _, state: _draw_control_characters(state),
    "echo": lambda request, _: request.messages[-1].text,
    "foreign": lambda _, state: _choose_one(_read_texts()["foreign"], state),
    "half_json": lambda _, state: _CUT_JSON[: random.draw_between(state, 1, len(_CUT_JSON) - 1)[1]],
    # Unpaired surrogates, which cannot be encoded in a file.
    "halves": lambda _, state: f"take \ud83d the {_draw_characters(state)[:5]}\udfff key",
    "huge": lambda _, state: _repeat_word(_choose_one(_HUGE, state)),
    "injection": lambda _, state: _choose_one(_read_texts()["injections"], state),
    "letters": lambda _, state: _draw_characters(state),
    "nothing": lambda _, state: _choose_one(_BLANK, state),
    "roles": lambda _, state: _choose_one(_read_texts()["roles"], state),
    "system": lambda request, _: request.system or "You are",
}
"""Every kind of text by its name."""


_FAULT_KINDS: Final = ("unreachable", "broken_off", "patience")
_REPEAT_KIND: Final = "again"
FUZZ_KINDS: Final = (*FUZZ_TEXTS, _REPEAT_KIND, *_FAULT_KINDS)
"""The names of everything the oracle does: texts, repetition and faults."""
_FINISHES: Final[tuple[FinishReason, ...]] = ("stop", "length", "refused", "other")


class FuzzingOracle:
    """Gives random nonsense.

    The same seed gives the same nonsense in the same order.
    """

    def __init__(self, seed: int = 0, *, faults: bool = True, only: tuple[str, ...] = ()) -> None:
        """Choose what the oracle does.

        Args:
            seed: Where its random numbers start.
            faults: Whether it sometimes fails, as networks do.
            only: Restrict it to these kinds.

        Raises:
            ConfigurationError: `MODEL_UNKNOWN`: there is no such kind.
        """
        for kind in only:
            if kind not in FUZZ_KINDS:
                raise describe(
                    "MODEL_UNKNOWN",
                    hint=suggest_nearest(kind, FUZZ_KINDS),
                    kind=kind,
                    names=", ".join(FUZZ_KINDS),
                ).to_error(ConfigurationError)
        harmless = (*FUZZ_TEXTS, _REPEAT_KIND)
        self._kinds = only or (FUZZ_KINDS if faults else harmless)
        self._seed = seed
        self._count = 0
        self._last = "again and again"

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """Return nonsense.

        Raises:
            SdkConnectionError: At random.
            SdkRateLimitError: At random.
        """
        self._count += 1
        state = random.derive_state(self._seed, f"fuzzing {self._count}")
        state, drawn = random.draw_between(state, 0, len(self._kinds) - 1)
        kind = self._kinds[drawn]
        if kind in _FAULT_KINDS:
            raise _make_fault(kind, hear)
        if kind != _REPEAT_KIND:
            self._last = FUZZ_TEXTS[kind](request, state)
        text = self._last
        stream_text(text, hear)
        return OracleAnswer(
            text=text,
            finish=_FINISHES[random.draw_between(state, 0, 3)[1]],
            usage=Usage(calls=1, input_tokens=1, output_tokens=len(text) // 4 + 1),
            model=f"fuzz:{self._seed}",
        )

    async def close(self) -> None:
        """Do nothing: there is nothing to release. May be called more than once."""


def _make_fault(kind: str, hear: TextListener | None) -> SdkBridgeError:
    if kind == "patience":
        return describe("BRIDGE_RATE_LIMIT/fuzzing", retry_after_ms=1).to_error(SdkRateLimitError)
    if kind == "broken_off" and hear is not None:
        hear("I take the ")
    return describe("BRIDGE_CONNECTION/fuzzing", kind=kind.replace("_", " ")).to_error(
        SdkConnectionError
    )
