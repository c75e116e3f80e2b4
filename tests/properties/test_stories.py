"""Any text is a story: it is read, played, saved and resumed, and never hangs."""

from collections.abc import Iterator
from dataclasses import dataclass

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from saniwa.core.errors import ScriptError
from saniwa.story.player import Player, RequestOutcome
from saniwa.story.saves import read_save, restore_player, save_player
from saniwa.story.step_builder import WorldRequest
from saniwa.story.step_result import Branch, StepResult
from saniwa.story.story import parse_story
from tests.fakes.nightly import scale_examples
from tests.fakes.stepresults import assert_keeps_contract

_LABELS = ("a", "b", "c", "終わり")
_EXPRESSIONS = (
    "n",
    "n > 2",
    "not m",
    'visits("a") % 2 == 0',
    'chosen("once-b") > 0',
    "roll(1, 3) == 2",
    "n / 2 < 3 and m",
)
_TEXTS = (
    "Rain.",
    "Ben: Hello.",
    "ハル：どっち？",
    "{n} times.",
    "{n > 1: many|few}",
    "{one|two|more}",
    "{&x|y} {!p|q} {~i|j|k}",
    "Ben: Hm. {#id-%d .soft voice=v}",
    "Two\nlines.",
)
_COMMANDS = (
    "[SET n += 1]",
    "[SET m = not m]",
    "[SET n = n * 2 - 3]",
    "[WAIT 0.5s]",
    "[SHOW_IMAGE file=x layer=l]",
    "[CLEAR_LAYER layer=l]",
    "[PLAY_BGM name=x]",
    "[PLAY_SE name=x]",
    "[PLAY_MOVIE file=x]",
    "[EVENT name=x a=1]",
    "[RETURN]",
    '[ASK prompt="Who?" name=who]',
    "<!-- ending: e -->",
    "[LABEL name=k%d]",
    ":::do take the key\nDone.\n:::refused\nNo.\n:::",
    '[ASK prompt="What?"]',
)


@st.composite
def _draw_elements(draw: st.DrawFn, depth: int = 2) -> list[str]:
    made = []
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.integers(0, 9 if depth else 5))
        label = draw(st.sampled_from(_LABELS))
        number = draw(st.integers(0, 10**6))
        if kind <= 2:
            text = draw(st.sampled_from(_TEXTS))
            made.append(text % number if "%d" in text else text)
        elif kind <= 4:
            command = draw(st.sampled_from(_COMMANDS))
            made.append(command % number if "%d" in command else command)
        elif kind == 5:
            made.append(f"[x](#{label}{draw(st.sampled_from(['', ' %call%']))})")
            made[-1] = made[-1].replace("%call%", '"call"')
        elif kind <= 7:
            test = draw(st.sampled_from(_EXPRESSIONS))
            inner = "\n\n".join(draw(_draw_elements(depth=depth - 1)))
            made.append(f":::when {test}\n{inner}\n:::else\nElse.\n:::")
        else:
            made.append(draw(_draw_list(depth)))
    return made


@st.composite
def _draw_list(draw: st.DrawFn, depth: int) -> str:
    items = []
    for nth in range(draw(st.integers(1, 4))):
        marks = draw(
            st.sampled_from(["", "{once}", "{else}", "{ask}", "{do look}"])
            | st.sampled_from(_EXPRESSIONS).map("{{if {}}}".format)
            | st.sampled_from(_EXPRESSIONS).map("{{show if {}}}".format)
        )
        if draw(st.booleans()):
            items.append(f"- [Option {nth}](#{draw(st.sampled_from(_LABELS))}) {marks}")
        else:
            arm = "\n\n".join(draw(_draw_elements(depth=depth - 1)))
            body = "\n".join(f"  {line}" if line else "" for line in arm.split("\n"))
            items.append(f"- Option {nth} {marks}\n{body}")
    return "\n".join(items)


@st.composite
def _draw_story(draw: st.DrawFn) -> str:
    parts = ["---\nid: s\nscenario: x\nvars: {n: 0, m: false}\n---\n# S"]
    parts += draw(_draw_elements())
    for label in _LABELS:
        parts += [f"## {label}", *draw(_draw_elements())]
    return "\n\n".join(parts)


class _ConstantWorld:
    """A world that is always the same."""

    def look_up_fact(self, name: str, given: tuple[object, ...]) -> bool:  # noqa: ARG002 - the role
        """No fact is true."""
        return False


@dataclass
class _NumberedReader:
    """Plays by a list of numbers."""

    player: Player
    numbers: list[int]
    nth: int = 0

    def iterate_steps(self, most: int = 40) -> Iterator[bytes]:
        """The bytes of each step shown, up to the end, an error or the limit."""
        for _ in range(most):
            try:
                came = self.player.advance()
            except ScriptError as problem:
                yield str(problem).encode()
                return
            if isinstance(came, WorldRequest):
                allowed = bool(self._take_number() % 2)
                self.player.settle(RequestOutcome(allowed, "", (("", "So it is."),)))
                continue
            assert_keeps_contract(came)
            yield came.to_json()
            if self.player.waiting == "end":
                return
            self._take(came)

    def _take_number(self) -> int:
        self.nth += 1
        return self.numbers[self.nth % len(self.numbers)]

    def _take(self, shown: StepResult) -> None:
        waiting = self.player.waiting
        if waiting in ("answer", "choice or answer"):
            self.player.answer("words {n} [SET n = 5]")
        elif waiting == "choice":
            branch = shown.directives[-1]
            assert isinstance(branch, Branch)
            options = branch.args.options
            enabled = (
                range(len(branch.args.choices))
                if options is UNSET
                else [i for i, option in enumerate(options) if option.enabled]
            )
            self.player.choose(enabled[self._take_number() % len(enabled)])


_LONG = settings(
    max_examples=scale_examples(150),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
_NUMBERS = st.lists(st.integers(0, 20), min_size=1, max_size=12)


def _make_reader(text: str, numbers: list[int], seed: int = 5) -> _NumberedReader:
    program = parse_story(text).program
    return _NumberedReader(Player(program, seed=seed, facts=_ConstantWorld()), numbers)


@_LONG
@given(_draw_story(), _NUMBERS)
def test_same_story_same_choices_same_bytes(text: str, numbers: list[int]) -> None:
    """The same choices in the same story show the same bytes."""
    first, second = _make_reader(text, numbers), _make_reader(text, numbers)

    assert list(first.iterate_steps()) == list(second.iterate_steps())


@_LONG
@given(_draw_story(), _NUMBERS, st.integers(1, 20))
def test_a_story_saved_anywhere_continues_the_same(
    text: str, numbers: list[int], when: int
) -> None:
    """A story saved at any step and restored in another player continues the same."""
    shown = list(_make_reader(text, numbers).iterate_steps())
    first, second = _make_reader(text, numbers), _make_reader(text, numbers)
    before = [step for _, step in zip(range(when), first.iterate_steps(), strict=False)]

    state = save_player(first.player)
    how = restore_player(second.player, read_save(state.to_json()))
    second.nth = first.nth
    again = list(second.iterate_steps())

    # The last step is shown again, followed by the rest.
    rest = shown[max(len(before) - 1, 0) :]
    assert "exactly" == how.found
    assert rest[: len(again)] == again[: len(rest)]
    assert again


@_LONG
@given(_draw_story(), _NUMBERS)
def test_what_is_taken_back_comes_again(text: str, numbers: list[int]) -> None:
    """Each step back shows the step before it again."""
    reader = _make_reader(text, numbers)
    player, shown = reader.player, list[StepResult]()
    for _ in reader.iterate_steps(12):
        if player.backlog:
            shown = list(player.backlog)
    # Also when the player stopped at an error or an action.
    while len(shown) > 1:
        shown.pop()
        assert shown[-1] == player.back()


@settings(max_examples=scale_examples(400))
@given(
    st.lists(
        st.sampled_from(
            [
                *_TEXTS,
                *_COMMANDS,
                *(f"## {label}" for label in _LABELS),
                "- x",
                "  - y",
                "---",
                ":::",
                ":::when",
                ":::choices",
                "- a @b",
                ":::route b",
                "```",
                "|",
                "[BRANCH choice=a label=b]",
                "{",
                "}",
                "[",
                "](",
                "<!--",
                "-->",
                "\\",
                "\t",
                "[x](#a)",
                "[IF flag=a value=b]",
                "[ELSE]",
                "[ENDIF]",
                ":::do",
                "{do}",
            ]
        )
        | st.text(max_size=30),
        max_size=25,
    ).map("\n".join),
    _NUMBERS,
)
def test_any_text_is_read(text: str, numbers: list[int]) -> None:
    """Any text gives findings or a story, and every step keeps the contract."""
    read = parse_story(text)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1

    for found in read.report.findings:
        assert 0 <= found.where.line <= lines
        assert found.message
    reader = _NumberedReader(Player(read.program, facts=_ConstantWorld()), numbers)
    assert list(reader.iterate_steps(30))
