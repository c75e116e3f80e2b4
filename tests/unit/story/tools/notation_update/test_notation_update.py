import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saniwa.core.errors import ScriptError
from saniwa.story.parser.markdown import parse_scene
from saniwa.story.player import Player
from saniwa.story.step_result import Branch
from saniwa.story.story import parse_story
from saniwa.story.tools.notation_update import update_notation
from tests.fakes.nightly import scale_examples

_STEPS = 40


def _list_shown(text: str, depth: int = 4) -> list[tuple[object, ...]]:
    """What every sequence of up to `depth` choices shows."""
    program = parse_story(text).program
    told: list[tuple[object, ...]] = []
    waiting: list[tuple[int, ...]] = [()]
    while waiting and len(told) < 200:
        choices = waiting.pop()
        player = Player(program)
        shown, options = _play_choices(player, choices)
        told.append((choices, shown))
        if len(choices) < depth:
            waiting += [(*choices, n) for n in range(options)]
    return told


def _play_choices(player: Player, choices: tuple[int, ...]) -> tuple[list[object], int]:
    shown: list[object] = []
    left = list(choices)
    for _ in range(_STEPS):
        try:
            result = player.step()
        except ScriptError as problem:
            return [*shown, problem.code], 0
        shown.append(result)
        if player.waiting == "end":
            break
        if player.waiting == "choice":
            (branch,) = [d for d in result.directives if isinstance(d, Branch)]
            if not left:
                return shown, len(branch.args.choices)
            player.choose(left.pop(0))
    return shown, 0


def _list_errors(text: str) -> list[str]:
    return sorted(f.code for f in parse_story(text).report.errors)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[SAY speaker=Ann] Hi.\n", "Ann: Hi.\n"),
        ("[SAY speaker=Ann] Hi.", "Ann: Hi."),
        ("[IF n > 1]\nA.[c]B.\n\nz\n", ":::when n > 1\nA.\n\nB.\n:::\n\nz\n"),
        ("[SAY speaker=Ann]\n\nHi.\nHo.\n", "Ann: Hi.\nHo.\n"),
        ("[SAY speaker=花子]\nやあ。\n", "花子: やあ。\n"),
        ("One.\n[SAY] Two.\n", "One.\n\nTwo.\n"),
        ("[SAY] Note: two.\n", "Note\\: two.\n"),
        ("[SAY] - no item\n", "\\- no item\n"),
        ("[SAY speaker=Ann] Hi. {#a .soft}\n", "Ann: Hi. {#a .soft}\n"),
        ("[LABEL name=a]\nx\n", "## a\nx\n"),
        ("[JUMP label=a]\n## a\nx\n", "[a](#a)\n## a\nx\n"),
        ('[JUMP label="A b"]\n## A b\nx\n', "[A b](#A%20b)\n## A b\nx\n"),
        ("[SET name=n value=1]\n{n}\n", "[SET n = 1]\n{n}\n"),
        ("[SET name=n value=red]\n{n}\n", '[SET n = "red"]\n{n}\n'),
        ("[MODIFY name=n op=sub value=2]\n{n}\n", "[SET n -= 2]\n{n}\n"),
        (
            "[JUMP_IF var=n cmp=ge value=3 label=a]\nx\n## a\ny\n",
            ":::when n >= 3\n[a](#a)\n:::\nx\n## a\ny\n",
        ),
        ("[IF n > 2]\nx\n[ELSE]\ny\n[ENDIF]\nz\n", ":::when n > 2\nx\n:::else\ny\n:::\nz\n"),
        ("[IF flag=n value=2]\nx\n\ny\n", ":::when n == 2\nx\n:::\n\ny\n"),
        (
            "[BRANCH choice=Go home label=a, choice=Stay if=n>1 label=b]\n"
            "[LABEL name=a]\nx\n[LABEL name=b]\ny\n",
            "- [Go home](#a)\n- [Stay](#b) {if n>1}\n## a\nx\n## b\ny\n",
        ),
        (
            ":::choices\n- Tea @tea\n- Milk @milk {once}\n:::\n"
            ":::route tea\nTea.\n:::\n:::route milk\nMilk.\n:::\nz\n",
            "- Tea\n  Tea.\n- Milk {once}\n  Milk.\nz\n",
        ),
        (
            "## a\n:::choices\n- Tea @tea\n- Again @a\n:::\n:::route tea\nTea.\n:::\n",
            "## a\n- Tea\n  Tea.\n- [Again](#a)\n",
        ),
        (
            ":::flag met\n:::vars\nn = 2\nname: Bo\n:::\n{n} {name} {met}\n",
            '---\nvars:\n  met: false\n  n: 2\n  name: "Bo"\n---\n{n} {name} {met}\n',
        ),
        (
            "---\nid: x\n---\n:::flag\nmet\nseen\n:::\n{met}\n",
            "---\nid: x\nvars:\n  met: false\n  seen: false\n---\n{met}\n",
        ),
        (
            ":::choices\n- Go @go\n:::route go\n:::choices\n- On @on\n:::\n"
            ":::route on\nx\n:::\n:::\n:::\n",
            "- Go\n  - On\n    x\n",
        ),
        ("Ann: One.[c] Two.\n", "Ann: One.\nAnn: Two.\n"),
        ("One.[c]Two.\nThree.[c]\n", "One.\n\nTwo.\nThree.\n"),
        ("[SAY speaker=Ann] One.[c]Two.\n", "Ann: One.\nAnn: Two.\n"),
        ("# scene: One two\nx\n", "## One two\nx\n"),
        ("x\n[ENDING id=good]\n", "x\n<!-- ending: good -->\n"),
        ("[PLAY_MUSIC name=rain]\nx\n", "[PLAY_BGM name=rain]\nx\n"),
        ("### deep\nx\n", "## deep\nx\n"),
        ("[SET name=n value=1][JUMP label=a]\n## a\n", "[SET n = 1]\n[a](#a)\n## a\n"),
    ],
)
def test_an_old_spelling_becomes_the_plain_one(old: str, new: str) -> None:
    """Each old notation is rewritten to its plain form, and the story plays the same."""
    assert new == update_notation(old).text
    assert _list_shown(old) == _list_shown(new)


@pytest.mark.parametrize(
    "kept",
    [
        "[SAY speaker=Old Man] Hi.\n",
        "[SAY] 1. no item\n",
        "[ENDING id=good name=Home]\n",
        "[SAY speaker=Ann]\n",
        '[call](#a "call")\nz\n## a\nx\n[LABEL name=b]\ny\n',
        "[LABEL name=A]\nx\n[LABEL name=a]\ny\n[a](#a)\n",
        "---\nid: x\nvars: {n: 1}\n---\n:::flag met\n{met}\n",
        ":::flag\nmet\nnot a name\n:::\n{met}\n",
        '[LABEL name="A b"]\n{~a|b|c}\n',
        "```\n[SAY speaker=Ann] Hi.\n```\n",
        "<!--\n[SAY speaker=Ann] Hi.\n-->\nx\n",
        "[JUMP lable=a]\n## a\nx\n",
        "Plain.   \n\n\n* [x](#a)\n##  a \n",
    ],
)
def test_what_cannot_be_said_otherwise_is_kept(kept: str) -> None:
    """Text is kept if its plain form would mean something else."""
    assert kept == update_notation(kept).text


def test_a_name_with_spaces_is_rewritten_where_the_cast_declares_it() -> None:
    """A name with spaces is rewritten if the cast declares it."""
    front = "---\nid: x\ncast: [Old Man]\n---\n"

    assert front + "Old Man: Hi.\n" == update_notation(front + "[SAY speaker=Old Man] Hi.\n").text


def test_line_ends_and_other_lines_stay() -> None:
    """Only changed lines differ, and new ones have the line endings around them."""
    old = "Plain.  \r\n\r\n[JUMP_IF n label=a]\r\n\tx \r## a\r\ny"

    assert (
        "Plain.  \r\n\r\n:::when n\r\n[a](#a)\r\n:::\r\n\tx \r## a\r\ny"
        == update_notation(old).text
    )


def test_ids_are_written_once_and_stay() -> None:
    """Every line and option gets an id once, and keeps it."""
    old = "A.\n\nA.\n## b\nAnn: Hi.\n- x {once}\n  y <!-- ending: e -->\n- [z](#b) {#mine}\n"
    new = update_notation(old, ids=True).text
    ids = [word for word in new.split() if word.startswith("{#")]

    assert 6 == len(set(ids)) == len(ids)
    assert "{#mine}" in ids
    assert " {#b-" in new.split("\n")[6]
    assert new.split("\n")[6].endswith(" <!-- ending: e -->")
    assert new == update_notation(new, ids=True).text
    assert [] == _list_errors(new)


def test_what_could_not_be_done_at_first_is_tried_again() -> None:
    """What another rewrite makes possible is rewritten too."""
    kept = '\n[LABEL name="A b"]\n{~a|b|c}\n'

    assert (
        ":::when n > 1\nA.\n\nB.\n:::\n" + kept
        == update_notation("[IF n > 1]\nA.[c]B.\n" + kept).text
    )


def _find_ids(text: str) -> list[str]:
    return re.findall(r"\{#(\S+)\}", text)


def test_no_id_is_taken_from_another_file() -> None:
    """An id of another file of the story is not used again."""
    [made] = _find_ids(update_notation("Hi.\n", "a.md", ids=True).text)
    other = parse_scene(f"Ho. {{#{made}}}\n", "other.md")
    [again] = _find_ids(update_notation("Hi.\n", "a.md", [other], ids=True).text)

    assert made != again


def test_ids_are_the_section_and_a_hash() -> None:
    """An id consists of the section's name and a hash."""
    old = "A.\n## The Hall\nB.\n- c\n  D.\n- e\n## 庭\nF.\n"
    ids = _find_ids(update_notation(old, ids=True).text)

    labels = ["start", "the-hall", "the-hall", "the-hall", "the-hall", "庭"]
    assert labels == [id.rpartition("-")[0] for id in ids]
    assert all(re.fullmatch("[a-z2-7]{8}", id.rpartition("-")[2]) for id in ids)


def test_ids_that_are_there_stay() -> None:
    """Existing ids are kept, whatever their form."""
    old = "## a\nNew.\n\nOld. {#a-7}\n\nOld. {#a-x}\n\nNew.\n"
    ids = _find_ids(update_notation(old, ids=True).text)

    assert ["a-7", "a-x"] == ids[1:3]
    assert 4 == len(set(ids))


@pytest.mark.parametrize("line", ["Yes.", "Ben: Yes.", "- Yes\n  So."])
def test_ids_of_two_branches_do_not_collide(line: str) -> None:
    """Lines added in two branches in different places get different ids."""
    base = ["## a", *(f"Line {n}.\n" for n in range(6))]
    base = update_notation("\n".join(base), ids=True).text.split("\n")
    mine = [*base[:4], "", line, "", *base[4:]]
    theirs = [*base[:8], "", line, "", *base[8:]]
    both = [
        set(_find_ids(update_notation("\n".join(each), ids=True).text))
        - set(_find_ids("\n".join(base)))
        for each in (mine, theirs)
    ]

    assert all(both)
    assert set() == both[0] & both[1]


def test_the_same_line_has_the_same_id_in_two_branches() -> None:
    """The same line gets the same id in two branches."""
    old = "## a\nOne.\n\nTwo.\n\nThree.\n\nFour.\n\nFive.\n\nSix.\n"
    longer = old.replace("## a\n", "Before.\n## a\n") + "\n## b\nMore.\n"

    assert set(_find_ids(update_notation(old, ids=True).text)[2:3]) <= set(
        _find_ids(update_notation(longer, ids=True).text)
    )


def test_what_another_file_needs_stays() -> None:
    """A route or label that another file uses keeps its name and kind."""
    old = ":::choices\n- Tea @tea\n:::\n:::route tea\nTea.\n:::\n[LABEL name=b]\ny\n"
    asks = parse_scene('{visits("tea")}\n[b](old.md#b "call")\n', "other.md")

    assert ":::" not in update_notation(old, "old.md").text
    assert "## b" in update_notation(old, "old.md").text
    assert ":::route tea" in update_notation(old, "old.md", [asks]).text
    assert "[LABEL name=b]" in update_notation(old, "old.md", [asks]).text


def test_a_route_that_others_need_stays_a_route() -> None:
    """A route that is jumped to or counted keeps its name."""
    old = (
        ':::choices\n- Tea @tea\n:::\n:::route tea\nTea.\n:::\n{visits("tea")}\n[JUMP label=tea]\n'
    )
    new = update_notation(old).text

    assert ":::route tea" in new
    assert _list_shown(old) == _list_shown(new)


_TEXT = st.sampled_from(["Hi.", "Note: this", "- dash", "{n} of {~a|b|c}", "[x", "a: b"])
_NAMES = st.sampled_from(["Ann", "Old Man", "花子", ""])
_LABELS = st.sampled_from(["a", "b", "C d", "nowhere"])


def _render_say(name: str, text: str, below: bool) -> str:
    command = f'[SAY speaker="{name}"]' if name else "[SAY]"
    return f"{command}\n{text}" if below else f"{command} {text}"


_LINES = st.one_of(
    st.builds(_render_say, _NAMES, _TEXT, st.booleans()),
    st.builds(lambda t, u: f"{t}[c]{u}", _TEXT, _TEXT),
    st.builds(lambda t: f"Ann: {t}[c] more", _TEXT),
    st.builds(lambda to: f'[JUMP label="{to}"]', _LABELS),
    st.builds(lambda name: f'[LABEL name="{name}"]', _LABELS),
    st.builds(lambda name: f"# scene: {name}", _LABELS),
    st.sampled_from(["## a", "### b", "", "plain text", "[WAIT 1s]", "- item", "  arm"]),
    st.builds(lambda n: f"[SET name=n value={n}]", st.integers(0, 3)),
    st.builds(lambda n: f"[MODIFY name=n op=add value={n}]", st.integers(0, 3)),
    st.builds(
        lambda n, to: f'[JUMP_IF var=n cmp=ge value={n} label="{to}"]', st.integers(0, 3), _LABELS
    ),
    st.sampled_from(["[IF n > 1]", "[ELSE]", "[ENDIF]", ":::when n", ":::", ":::else"]),
    st.builds(
        lambda t, a, b: f"[BRANCH choice={t} label={a}, choice=Stay label={b} if=n<2]",
        st.sampled_from(["Go", "Go home", "{n}"]),
        _LABELS,
        _LABELS,
    ),
    st.sampled_from(["[ENDING id=e]", "[END]", "[ENDING id=e name=E]"]),
    st.sampled_from([":::choices", "- Tea @tea", "- Milk @milk {once}", ":::route tea"]),
    st.just(
        ":::choices\n- Tea @tea\n- Milk @milk\n:::\n:::route tea\nTea.\n:::\n"
        ":::route milk\n[SAY speaker=Ann] Milk.\n:::"
    ),
    st.sampled_from(['[x](#a "call")', "[RETURN]", "<!-- ending: f -->", "<!-- note -->"]),
)


def _draw_stories() -> Iterator[st.SearchStrategy[str]]:
    yield st.lists(_LINES, max_size=12).map("\n".join)
    yield st.lists(_LINES, max_size=8).map("\r\n".join)


@settings(max_examples=scale_examples(300), deadline=None)
@given(st.one_of(*_draw_stories()))
def test_a_rewritten_story_plays_the_same(old: str) -> None:
    """A rewritten story plays the same, has no new errors, and is not changed again."""
    new = update_notation(old).text

    assert _list_shown(old) == _list_shown(new)
    assert set() == set(_list_errors(new)) - set(_list_errors(old))
    assert new == update_notation(new).text


@settings(max_examples=scale_examples(150), deadline=None)
@given(st.one_of(*_draw_stories()))
def test_ids_change_nothing_but_ids(old: str) -> None:
    """Added ids are unique, cause no errors, and are not added again."""
    new = update_notation(old, ids=True).text

    assert set() == set(_list_errors(new)) - set(_list_errors(old))
    assert new == update_notation(new, ids=True).text


@settings(max_examples=scale_examples(200), deadline=None)
@given(st.text(alphabet='ab:[]{}#-c@\n\r !<>|"\\', max_size=60))
def test_any_text_can_be_rewritten(old: str) -> None:
    """Any text can be rewritten, and plays the same."""
    new = update_notation(old).text

    assert _list_shown(old, 2) == _list_shown(new, 2)


@pytest.mark.parametrize(
    "old",
    [
        "[SAY speaker=Ann]\nHi.\n",
        "[LABEL name=a]\nx\n- [x](#a)\n[JUMP label=a]\n",
        "# scene: a\nx\n- [x](#a)\n[JUMP label=a]\n",
        "[BRANCH choice=A label=a, choice=B label=b]\n[LABEL name=a]\nx\n[JUMP label=c]\n"
        "[LABEL name=b]\ny\n[LABEL name=c]\nz\n",
        "[SET name=n value=1]\n[MODIFY name=n op=add value=2]\n"
        "[JUMP_IF var=n cmp=ge value=3 label=a]\nno\n[LABEL name=a]\nyes {n}\n",
        '[JUMP_IF expr="n == 1" label=a]\nno\n[LABEL name=a]\nyes\n',
        "[CALL label=a]\nback\n[ENDING id=e]\n[LABEL name=a]\nsub\n[RETURN]\n",
        "[IF n == 1]\nx\n[ELSE]\ny\n[ENDIF]\nz\n",
        "One[c]Two[c]\n",
        ":::flag f\n:::vars\nn = 1\n:::\n:::choices\n- A @a\n- B @b\n:::\n"
        ":::route a\nx\n:::\n:::route b\ny\n:::\n{n} {f}\n",
        ":::choices\n- A @route a\n:::\n@route a\nx\n",
    ],
)
def test_no_old_notation_is_left_and_nothing_plays_otherwise(old: str) -> None:
    """No old notation is left after rewriting, and the story plays the same."""
    new = update_notation(old).text

    assert _list_shown(old) == _list_shown(new)
    assert new == update_notation(new).text
    assert "OLD_NOTATION" not in {f.code for f in parse_story(new).report.findings}
