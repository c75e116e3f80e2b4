"""Following a hint removes its finding, and adds no other."""

from pathlib import Path
from typing import Any

import pytest

from saniwa.cli.explain import CodeEntry, list_entries
from saniwa.core.errors import ScriptError
from saniwa.core.findings import Finding
from saniwa.story.story import parse_story, read_story
from tests.house.pages import parse_blocks, write_file


def _make_front(line: str) -> str:
    return f"---\nid: a\n{line}\n---\n# T\n"


_SHOWN = [entry for entry in list_entries() if "file=example.md" in entry.text]
_ENDED = "\n\nOn. <!-- ending: e -->\n"
_TWO = "- b\n  B.\n"

# The text before and after following the hint.
_FOLLOWED: list[tuple[str, str, str, str]] = [
    # Values are declared with the type they are used as.
    (
        "VARIABLE_UNDECLARED",
        'vars: {who: ""}',
        '{who == "Ben": a|b}\n',
        _make_front('vars: {who: ""}') + '{who == "Ben": a|b}\n',
    ),
    (
        "VARIABLE_UNDECLARED",
        "vars: {met: false}",
        _make_front("vars: {n: 0}") + "{n}\n\n[SET met = true]\n\n{met: a|b}\n",
        _make_front("vars: {n: 0, met: false}") + "{n}\n\n[SET met = true]\n\n{met: a|b}\n",
    ),
    (
        "VARIABLE_UNDECLARED",
        'vars: {who: ""}',
        _make_front("vars: {n: 0}") + '{n}\n\n[ASK name=who]\n\n{who == "a": b}\n',
        _make_front('vars: {n: 0, who: ""}') + '{n}\n\n[ASK name=who]\n\n{who == "a": b}\n',
    ),
    (
        "VARIABLE_UNDECLARED",
        "vars: {n: 0}",
        "{n > 1: a|b}\n",
        _make_front("vars: {n: 0}") + "{n > 1: a|b}\n",
    ),
    (
        "VARIABLE_UNREAD",
        "remove it and every [SET] of it",
        _make_front("vars: {t: 0, u: 1}") + "[SET t = 1]\n\n{u}\n",
        _make_front("vars: {u: 1}") + "{u}\n",
    ),
    (
        "VARIABLE_KIND",
        "write true or false here",
        _make_front("vars: {met: false}") + "{met == 1: a|b}\n",
        _make_front("vars: {met: false}") + "{met == true: a|b}\n",
    ),
    # Expressions.
    (
        "EXPRESSION_MALFORMED",
        "[SET n += 1]",
        _make_front("vars: {n: 0}") + "{n} {n += 1}\n",
        _make_front("vars: {n: 0}") + "{n}\n[SET n += 1]\n",
    ),
    (
        "EXPRESSION_MALFORMED",
        "[SET n += 1]",
        _make_front("vars: {n: 0}") + "{n} {n++}\n",
        _make_front("vars: {n: 0}") + "{n}\n[SET n += 1]\n",
    ),
    (
        "EXPRESSION_MALFORMED",
        "write == in place of ===",
        _make_front("vars: {n: 0}") + "{n === 1: a|b}\n",
        _make_front("vars: {n: 0}") + "{n == 1: a|b}\n",
    ),
    (
        "EXPRESSION_MALFORMED",
        "write ==",
        _make_front("vars: {n: 0}") + "{n = 1: a|b}\n",
        _make_front("vars: {n: 0}") + "{n == 1: a|b}\n",
    ),
    (
        "EXPRESSION_MALFORMED",
        "write ==",
        _make_front("vars: {n: 0}") + "{n is 1: a|b}\n",
        _make_front("vars: {n: 0}") + "{n == 1: a|b}\n",
    ),
    ("EXPRESSION_MALFORMED", "write roll(1, 6)", "{roll(6)}\n", "{roll(1, 6)}\n"),
    (
        "EXPRESSION_MALFORMED",
        "write \\{ for a brace in the text",
        "A {well then: yes} b\n",
        "A \\{well then: yes} b\n",
    ),
    (
        "EXPRESSION_MALFORMED",
        "write \\: for a colon in the text",
        "A {well then: yes|no} b\n",
        "A {well then\\: yes|no} b\n",
    ),
    ("EXPRESSION_MALFORMED", "write \\| for a bar", "{true: a|b|c}\n", "{true: a|b\\|c}\n"),
    (
        "EXPRESSION_MALFORMED",
        "write \\' for one inside the text",
        _make_front('vars: {n: ""}') + "{n == 'it's': a|b}\n",
        _make_front('vars: {n: ""}') + "{n == 'it\\'s': a|b}\n",
    ),
    ("BRACE_UNCLOSED", "write \\{", "A {b\n", "A \\{b\n"),
    ("ATTRIBUTE_MALFORMED", "{#id .tag key=value}", "A {.a,.b}\n", "A {.a .b}\n"),
    # Markdown.
    (
        "MARKDOWN_UNSUPPORTED",
        "write ## before the line above, and remove this one",
        "Rain\n===\n\nA.\n",
        "## Rain\n\nA.\n",
    ),
    (
        "MARKDOWN_UNSUPPORTED",
        "put a blank line between",
        "Rain\n---\n\nA.\n",
        "Rain\n\n---\n\nA.\n",
    ),
    ("MARKDOWN_UNSUPPORTED", "write plain text", "|a|b|\n|c|d|\n", "a, b\nc, d\n"),
    ("HEADING_DEEP", "write ## for a section", "### x\nA.\n", "## x\nA.\n"),
    # Flow.
    (
        "FALL_THROUGH",
        "[text](#「」)",
        "## a\nA.\n## 「」\nB.\n",
        "## a\nA.\n[text](#「」)\n## 「」\nB.\n",
    ),
    (
        "SECTION_UNREACHABLE",
        "[text](#？)",
        "## a\nA. <!-- ending: e -->\n## ？\nC.\n",
        "## a\nA.\n[text](#？)\n## ？\nC.\n",
    ),
    (
        "LABEL_UNRESOLVED",
        "add a heading with that name",
        "[a](#gone)\n",
        "[a](#gone)\n## gone\nA.\n",
    ),
    # Choices.
    (
        "CHOICE_STUCK",
        "- text {else}",
        _make_front("vars: {n: 0}") + f"- a {{if n > 0}}\n  A.\n{_ENDED}",
        _make_front("vars: {n: 0}") + f"- a {{if n > 0}}\n  A.\n- text {{else}}\n{_ENDED}",
    ),
    ("OPTION_EMPTY", "indent", f"- a\n- c\n{_ENDED}", f"- a\n  A.\n- c\n{_ENDED}"),
    ("OPTION_EMPTY", "write \\-", f"- a\n- c\n{_ENDED}", f"\\- a\n\\- c\n{_ENDED}"),
    ("LIST_UNEVEN", "indent it like", f"- a\n  A.\n - c\n   C.\n{_TWO}", f"{_TWO}{_TWO}"),
    # Speakers.
    ("SPEECH_UNCLEAR", "cast: [Old Man]", "Old Man: x\n", _make_front("cast: [Old Man]") + "Hi.\n"),
    ("SPEECH_UNCLEAR", "write \\:", "Old Man: x\n", "Old Man\\: x\n"),
    ("SPEECH_UNCLEAR", "write \\:", "**Old Man:** x\n", "**Old Man\\:** x\n"),
    ("SPEECH_UNCLEAR", "write \\:", "Eve (sad): x\n", "Eve (sad)\\: x\n"),
    ("SPEECH_UNCLEAR", "write Eve: followed by a space", "Eve:x\n", "Eve: x\n"),
    (
        "OLD_NOTATION",
        "a name with spaces needs cast:",
        "[SAY speaker=Old Man] Hi.\n",
        _make_front("cast: [Old Man]") + "Old Man: Hi.\n",
    ),
    # Front matter.
    (
        "WRONG_TYPE",
        "write cast: [Ben]",
        _make_front("cast: Ben"),
        _make_front("cast: [Ben]") + "Hi.\n",
    ),
    (
        "WRONG_TYPE",
        "put it in quotes",
        _make_front("title: true"),
        _make_front("title: 'true'") + "Hi.\n",
    ),
    (
        "UNKNOWN_KEY",
        "start it with '_'",
        _make_front("author: I"),
        _make_front("_author: I") + "Hi.\n",
    ),
]


def _list_findings(text: str) -> list[Finding]:
    return list(parse_story(text).report.findings)


@pytest.mark.parametrize(
    ("code", "hint", "written", "followed"),
    _FOLLOWED,
    ids=[f"{each[0]}-{at}" for at, each in enumerate(_FOLLOWED)],
)
def test_a_hint_that_is_followed_cures(code: str, hint: str, written: str, followed: str) -> None:
    """Following the hint removes the finding, and adds no warning."""
    before, after = _list_findings(written), _list_findings(followed)

    assert any(each.code == code and hint in each.hint for each in before)
    known = {each.code for each in before if each.code != code}
    assert [] == [
        (each.code, each.message)
        for each in after
        if each.severity != "note" and each.code not in known
    ]


def _apply_edit(text: str, edit: dict[str, Any]) -> str:
    lines = text.split("\n")
    line, at = lines[edit["line"] - 1], edit["column"] - 1
    lines[edit["line"] - 1] = line[:at] + edit["text"] + line[at + edit["length"] :]
    return "\n".join(lines)


@pytest.mark.parametrize("entry", _SHOWN, ids=lambda entry: entry.code)
def test_the_edit_of_a_finding_cures_it(entry: CodeEntry, tmp_path: Path) -> None:
    """Where a code's example has a finding with an edit, applying it removes the finding."""
    for block in parse_blocks(entry.text):
        write_file(block, tmp_path)
    example = tmp_path / "example.md"
    try:
        findings = read_story(example).report.findings
    except ScriptError:
        return
    for finding in findings:
        edit = finding.details.get("rewrite")
        if finding.code != entry.code or edit is None:
            continue
        example.write_text(_apply_edit(example.read_text(), edit))

        assert entry.code not in [f.code for f in read_story(example).report.findings]
