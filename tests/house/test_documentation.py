"""Everything that can be typed or written is named on its page."""

import inspect
import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import click
import pytest
from scripts.site.pages import make_anchor

from saniwa.app.host_json_lines import PLAY_REQUESTS as HOST_REQUESTS
from saniwa.cli.main import saniwa
from saniwa.cli.play.terminal_input import COMMANDS, STORY_COMMANDS
from saniwa.documents.record_reader import RecordForm
from saniwa.language.host_commands import HOST_COMMANDS
from saniwa.rulebook.conditions import VOCABULARY
from saniwa.rulebook.verdict import REASON_CODES, REASONS
from saniwa.runs import story_playing as runs_story
from saniwa.runs.world_json_lines import WORLD_REQUESTS
from saniwa.scenario import format
from saniwa.story import expression_parser, files, player, saves, text_template, value_operations
from saniwa.story.parser import block_stack, commands, markdown, paragraphs
from saniwa.story.parser.front_matter import FRONT_MATTER
from saniwa.story.parser.inline_text import TrailingAttributes, parse_trailing
from saniwa.story.parser.lists_and_fences import FENCES
from saniwa.story.parser.template_parser import parse_words
from saniwa.story.text_template import SwitchPart, TextTemplate, ValuePart, VariationPart
from saniwa.story.value_operations import FUNCTIONS
from saniwa.turn.record import ClarificationCode, RejectionCode, Turn
from saniwa.world.actions import ACTIONS
from tests.house.pages import FENCED, ROOT, list_pages

_DOCS = ROOT / "docs"
_REFERENCE = _DOCS / "reference"
_STORY_FORMAT = _REFERENCE / "story-format.md"
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_CODE = re.compile(r"(`++)[^\n]+?(?<!`)\1(?!`)")


def _read_text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def _read_prose(page: Path) -> str:
    """The page without its fenced blocks, whose headings and links do not count."""
    return FENCED.sub("", _read_text(page))


def _split_sections(page: Path) -> dict[str, str]:
    """The text below each heading of the page."""
    parts = re.split(r"^#+ (.+)$", _read_prose(page), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def _iterate_commands(
    command: click.Command, path: str = "saniwa"
) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        about = click.Context(command)
        for name in command.list_commands(about):
            inner = command.get_command(about, name)
            assert inner is not None
            yield from _iterate_commands(inner, f"{path} {name}")


def _list_options(command: click.Command) -> list[str]:
    made = (p for p in command.params if isinstance(p, click.Option))
    return [spelling for option in made for spelling in option.opts]


def _list_forms() -> dict[str, RecordForm]:
    """Every list of keys by which scenarios and registries are read."""
    kinds = inspect.get_annotations(format)
    return {name: getattr(format, name) for name, k in kinds.items() if k == RecordForm}


def _find_names(words: str) -> set[str]:
    """Every name in backticks, alone or as a part of the code."""
    return {n for code in re.findall(r"`([^`\n]+)`", words) for n in _find_names_in(code)}


def _find_names_in(code: str) -> list[str]:
    return re.findall(r"-{0,2}[A-Za-z_][A-Za-z0-9_-]*", code)


@pytest.mark.parametrize(
    ("path", "command"), [pytest.param(*c, id=c[0]) for c in _iterate_commands(saniwa)]
)
def test_every_command_and_option_is_on_the_page(path: str, command: click.Command) -> None:
    """Every command has its heading on the page, and each of its options is named below it."""
    sections = _split_sections(_REFERENCE / "cli.md")
    heading = "Command line" if path == "saniwa" else path

    assert heading in sections
    assert set() == set(_list_options(command)) - _find_names(sections[heading])


def test_no_command_outlives_itself_on_the_page() -> None:
    """Every heading for a command on the page has its command."""
    told = {h for h in _split_sections(_REFERENCE / "cli.md") if h.startswith("saniwa ")}

    assert set() == told - {path for path, _ in _iterate_commands(saniwa)}


def test_every_exit_code_and_variable_is_on_the_page() -> None:
    """The page lists every exit code and every environment variable."""
    from saniwa.cli import render

    sections = _split_sections(_REFERENCE / "cli.md")
    codes = [render.EXIT_OK, render.EXIT_FINDINGS, render.EXIT_USAGE, render.EXIT_ERROR]
    source = "".join(_read_text(p) for p in (ROOT / "src" / "saniwa").rglob("*.py"))
    named = r"[\"']((?:SANIWA|STATE_GATE)_[A-Z_]+)[\"']"
    variables = set(re.findall(named, source))

    for code in [*codes, render.EXIT_RETRY, 130]:
        assert f"| {code} |" in sections["Exit codes"]
    assert variables
    assert set() == variables - _find_names(sections["Environment"])


def test_every_word_for_the_table_is_on_the_page() -> None:
    """The page lists every command that a player may type during a run or a story."""
    page = _REFERENCE / "cli.md"
    _, _, story = _read_text(page).partition("### A story")

    assert set() == {*COMMANDS, *HOST_COMMANDS} - _find_names(_split_sections(page)["saniwa play"])
    told = _find_names(story.partition("\n## saniwa ")[0])
    assert set() == {*STORY_COMMANDS, *HOST_COMMANDS} - told


def test_every_predicate_is_on_the_page() -> None:
    """The page names every predicate."""
    assert set() == set(VOCABULARY) - _find_names(_read_text(_REFERENCE / "predicates.md"))


@pytest.mark.parametrize(
    ("name", "keys"), [pytest.param(*f, id=f[0]) for f in _list_forms().items()]
)
def test_every_key_of_a_scenario_is_on_the_page(name: str, keys: RecordForm) -> None:
    """The format's page names every key that is read."""
    told = _find_names(_read_text(_REFERENCE / "scenario-format.md"))

    assert set() == set(keys) - told, name


def test_the_lists_of_keys_are_found() -> None:
    """The test above reads the lists that scenarios are really read by."""
    assert {"SCENARIO", "LOCATION", "PROP", "CHARACTER", "ENTRY"} <= set(_list_forms())


def test_every_command_of_a_story_is_on_the_page() -> None:
    """The page names every command of a story, with every spelling of its parameters."""
    told = _find_names(_read_text(_STORY_FORMAT))
    given = {p for command in commands.COMMANDS.values() for p in command.parameters}
    spellings = {name for p in given for name in (p.name, *p.aliases)}

    assert set() == {*commands.COMMANDS, *spellings} - told


def test_every_key_block_and_function_of_a_story_is_on_the_page() -> None:
    """The format's page names every key, block and function that is read."""
    told = _split_sections(_STORY_FORMAT)

    assert set() == set(FRONT_MATTER) - _find_names(told["Front matter"])
    assert set() == set(FENCES) - _find_names(told["Blocks"])
    assert set() == set(FUNCTIONS) - _find_names(told["Expressions"])


def test_every_group_of_a_story_is_on_the_page() -> None:
    """The format's page shows an example for every attribute at the end of a line."""
    groups = [parse_trailing(f"words {code}", 1, 1, item=True) for code in _find_braces()]
    plain = {"text", "id_column", "deed_column", "problems"}
    shown = {
        field
        for field in TrailingAttributes.__struct_fields__
        if any(getattr(each, field) != getattr(TrailingAttributes(""), field) for each in groups)
    }

    assert set(TrailingAttributes.__struct_fields__) - plain == shown - plain


def test_every_brace_of_a_story_is_on_the_page() -> None:
    """The format's page shows values, conditions and every kind of variation."""
    read = (parse_words(code, 1, 1)[0] for code in _find_braces())
    parts = [part for each in read if isinstance(each, TextTemplate) for part in each.parts]
    kinds = get_args(inspect.get_annotations(VariationPart)["kind"])

    assert {ValuePart, SwitchPart, VariationPart} <= {type(part) for part in parts}
    assert set(kinds) == {part.kind for part in parts if isinstance(part, VariationPart)}


def test_the_bounds_of_a_story_are_on_the_page() -> None:
    """The page has a row for each bound, with the number in the code."""
    rows = _split_sections(_REFERENCE / "limits.md")["Stories"].split("\n")
    bounds = {
        "characters of all files": files.LARGEST,
        "files of a story": files.MOST_FILES,
        "elements of a file": markdown.MOST,
        "characters of a line, or": paragraphs.LONGEST,
        "options of a choice": block_stack.MOST_OPTIONS,
        "characters of an expression": expression_parser.LONGEST,
        "a whole number": value_operations.LARGEST,
        "characters of a text value": value_operations.LONGEST,
        "characters of a line once": text_template.LONGEST,
        "bytes of a saved state": saves.LARGEST,
        "steps that can be taken back": player.RECORD,
        "deeds in one step": runs_story.MOST_DEEDS,
    }
    told = {
        begins: row.split("|")[2].strip(" ±")
        for begins in bounds
        for row in rows
        if row.startswith(f"| {begins}")
    }

    assert {begins: f"{bound:,}" for begins, bound in bounds.items()} == told


def _find_braces() -> list[str]:
    """Every text in braces on the format's page."""
    shown = re.findall(r"`(\{[^`\n]+\})`", _read_text(_STORY_FORMAT))
    return [code.replace("\\|", "|") for code in shown]


def test_every_operation_and_action_of_the_headless_door_is_on_the_page() -> None:
    """The page describes every request of the JSON Lines interface for worlds, and every action."""
    page = _REFERENCE / "world-stdio.md"
    headings = {word for h in _split_sections(page) for word in h.split()}

    assert set() == set(WORLD_REQUESTS) - headings
    assert set() == set(ACTIONS) - _find_names(_read_text(page))


def test_every_line_of_the_hosts_door_is_on_the_page() -> None:
    """The page names every request of the JSON Lines interface for hosts, and its fields."""
    page = _find_names(_read_text(_REFERENCE / "host-stdio.md"))
    fields = {name for kind in HOST_REQUESTS.values() for name in kind.__struct_fields__}

    assert set() == (set(HOST_REQUESTS) | fields) - page


def test_every_field_and_word_of_a_turn_is_on_the_page() -> None:
    """The page explains each field, rejection and question of a turn."""
    told = _find_names(_read_text(_REFERENCE / "turn.md"))
    fields = set(Turn.__struct_encode_fields__)

    assert set() == fields - told
    assert set() == {*get_args(RejectionCode), *get_args(ClarificationCode)} - told


def test_every_reason_is_in_the_glossary() -> None:
    """The glossary has the eight reasons, each with the game master's words for it."""
    rows = _split_sections(_DOCS / "glossary.md")["The eight reasons"]
    beside = {
        line.split("`")[1]: _find_names(line) for line in rows.split("\n") if line.startswith("| `")
    }
    denied = {w for w in REASONS if w.isupper()} - REASON_CODES

    assert REASON_CODES == set(beside)
    assert set() == {w for w in denied if w not in beside[REASONS[w]]}


def test_every_page_is_three_clicks_from_the_readme() -> None:
    """From the README in either language, every page is at most three links away."""
    for start, skipped in (("README.md", ".ja.md"), ("README.ja.md", "index.md")):
        reached = near = {ROOT / start}
        for _ in range(3):
            near = {to for page in near for to in _list_linked_pages(page)} - reached
            reached = reached | near
        written = {p for p in _DOCS.rglob("*.md") if not p.name.endswith(skipped)}

        assert [] == sorted(str(p.relative_to(_DOCS)) for p in written - reached)


def _list_linked_pages(page: Path) -> set[Path]:
    links = _LINK.findall(_CODE.sub("", _read_prose(page)))
    found = {Path(os.path.normpath(page.parent / to.partition("#")[0])) for to in links}
    return {to for to in found if to.suffix == ".md" and to.exists()}


@pytest.mark.parametrize("page", list_pages(), ids=lambda p: str(p.relative_to(ROOT)))
def test_no_link_leads_nowhere(page: Path) -> None:
    """Every link leads to a file or heading that exists."""
    links = _LINK.findall(_CODE.sub("", _read_prose(page)))
    targets = [to for to in links if "://" not in to]

    assert [] == [to for to in targets if not _leads_somewhere(page, to)]


def _leads_somewhere(page: Path, to: str) -> bool:
    file, _, anchor = to.partition("#")
    # Not `resolve`: a page may be read through a symbolic link to the checkout.
    target = Path(os.path.normpath(page.parent / file)) if file else page
    if not target.exists():
        return False
    return not anchor or anchor in {make_anchor(h) for h in _split_sections(target)}


def test_the_changelog_has_a_section_for_this_version() -> None:
    """The changelog starts with news, then the packaged version, with its date."""
    headings = re.findall(r"^## (.+)$", _read_text(ROOT / "CHANGELOG.md"), re.MULTILINE)
    shown = re.fullmatch(r"(\S+) \(\d{4}-\d{2}-\d{2}\)", headings[1])
    packed = tomllib.loads(_read_text(ROOT / "pyproject.toml"))["project"]["version"]

    assert "Unreleased" == headings[0]
    assert shown is not None
    assert packed == shown[1]
