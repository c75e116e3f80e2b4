"""The documentation is written in plain English: these words have better ones."""

import ast
import json
import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
import yaml

from tests.house.pages import ROOT

_BETTER_WORDS = {
    r"who(m)?ever": "the user, the caller, a character who …",
    r"(some|no|any|every)body('s)?": "the user, the visitor, another process, no role …",
    r"(leaves?|left|ends?) with \d": "exits with status 1",
    r"of ours": "Saniwa's",
    r"of one's own": "your own, its own",
    r"com(e|es|ing) to (its|an) end": "ends",
    r"hand(s|ed|ing)? in": "submit",
    r"mistakes? (is|are) told": "are reported",
    r"errors? (is|are) told": "is reported",
    r"as (it|they) stands?": "as it is, as written",
    r"by chance": "at random, randomly",
    r"in small letters": "in lower case",
    r"blanks": "spaces",
    r"\d letters": "characters",
    r"blotted out": "redacted",
    r"no longer matters": "short-circuit",
    r"whatever lacks": "missing extras",
    r"ears and mouth": "parse and narrate with a model",
    r"hangs? together": "how sections are connected",
    r"oftener": "more than once; can be repeated",
    r"reckon(s|ed|ing)?": "compute",
    r"shelf|shelves": "list, store",
    r"(taken|takes?) (it )?up again": "resume",
    r"where (nothing|something) is said": "by default",
    r"for ever": "forever",
    r"(is|are|was|were|ever|may be) written over": "is overwritten",
    r"(be |was |were )?gone on with": "continued",
    r"the (answer|one) that stands": "the final answer",
    r"(a|is|are) notes? of your own": "your own note",
    r"stands for all that begin so": "matches all names that start with it",
    r"no one('s)?(?! here)|anyone who": "no user, no process, is never …, a caller who …",
    r"(is|are|was|were|be|been) told(?! apart)": "receives, is shown, is reported",
    r"(lies|lay) (in|below|beside|next|outside|under|there|at|elsewhere|somewhere)": "is in",
    r"beside": "next to, in the same folder, besides",
    r"in vain": "without effect, failed",
    r"of (now|old)": "current, old",
    r"dear(er|est)": "more expensive",
    r"otherwise than": "differently from",
    r"(what|as) (it|they|that) (is|are) called|what people call (it|them)": "its name",
    r"what (it|they|that|this|the \w+) comes? to": "its result",
    r"(is|are|was|were) so": "is true, is correct",
    r"(hold|tell|come)s? the same": "agree, apply",
    r"makes? the one of": "derives one from",
    r"unless said": "by default",
    r"where (the )?chance (starts|begins)": "the random seed",
    r"(object|line|entry|message) a line": "per line",
    r"the most of any": "maximum",
    r"never rests?": "without pauses",
    r"ha(s|ve|d) (its|their) moods": "varies",
    r"told and said": "input and output",
    r"slip of the pen": "typing error",
    r"not be there yet": "must not exist",
    r"seen from (the|a|its) \w+('s)? folder": "relative to",
    r"in each other(?!')": "nested",
    r"questions? back": "a clarification, a question to the player",
    r"by turns": "alternately",
    r"(is|are) (called|named) so": "has this name",
}
"""Patterns of words that make a reader stumble, each with what to write instead."""

_BETTER_WORDS_IN_GUIDES = {
    r"(is|are|was|were|be) told": "receives, is shown, is reported",
    r"tells? (when|whether|why|which|of)": "says, reports, shows",
    r"what (becomes|became) of": "how … is converted, the result of …",
    r"(goes|going|gone|go|went) on": "continue",
    r"begun": "started",
    r"beside": "next to, in the same folder, besides",
    r"gardens?": "server, web app, project",
    r"badges?": "session cookie",
    r"(host's|headless|HTTP) doors?": "the JSON Lines interface, the HTTP API",
    r"(at|through|by) (any|every|each|this|that|another) doors?": "through any interface",
    r"(comes?|came) of": "result",
    r"stands|stood|standing": "is, is in, means",
    r"(a|an) \w+ of (your|its|their|one's) own": "your own …",
    r"(is|are) to be": "must be, can be",
    r"lies? (in|below|beside|outside|under|there|at)": "is in",
    r"mend(s|ed|ing)?": "fix, repair",
    r"weigh(s|ed|ing)?": "judge, compare",
    r"anew": "again, a new …",
    r"err(s|ing)?": "make mistakes",
    r"ours": "Saniwa's",
    r"on the page": "in the web app",
    r"(turns|turn) behind": "the turns that a number counts",
    r"speaks? (HTTP|JSON|LSP|MCP|OpenAI|TLS|to one another)": "use, support",
    r"is no (answer|command|error|fact|name|part|turn|word)": "is not a …",
    r"(model|question|nothing) is asked": "no model is called",
    r"at hand": "available, references",
    r"for ever": "forever",
    r"(writes?|written) over": "overwrite",
    r"(was|were) to (be|begin|go)": "you tried to …, … cannot be …",
    r"(put|puts|set) right": "fix, repair",
    r"(is|are) no (CSV|list|mapping|number|regular|text|UTF-8|YAML)": "is not …",
}
"""More of them, for the pages that a newcomer reads: README, tour, guides, examples, errors."""

_BETTER_WORDS_IN_MESSAGES = {
    r"(goes|going|gone|go|went) on": "continue",
    r"(text|word|name)s? (that|which) is none": "is not a …",
    r"stand(s|ing)? (there|in|under|between|elsewhere|behind|for)": "is in, is under",
    r"played on": "continued",
    r"(at|through|by|behind) (any|every|each|this|that) doors?|gardens?": "interface, server",
    r"no (terminal|one) to ask at": "there is no terminal",
    r"lies? (in|below|beside|outside|under|there|at|between)": "is in",
    r"beside": "next to, in the same folder",
    r"anew": "again",
    r"(is|was|be) told (of|in|that|what happened)": "is reported, is in",
}
"""More of them, for the texts of the program."""

_MESSAGE_TABLES = (
    "messages.json",
    "findings.json",
    "commands.json",
    "tools.toml",
    "phrases.toml",
    "host_phrases.toml",
)

_WRITTEN_FROM_SOURCE = ("docs/reference/http.md", "docs/reference/metrics.md")
"""Pages whose table rows repeat texts of the program, and are kept to them by tests."""

_CODE = re.compile(r"`[^`]*`")
_QUOTED = re.compile(r"`[^`]*`|“[^”]*”|\"[^\"]*\"")
_FENCE = re.compile(r" *(`{3,}|~{3,})")
_LABEL = re.compile(r"\"[^\"]*\"|\*[^*]+\*|\]\([^)]*\)")
"""Names of buttons and quotations, which the page must repeat, and the targets of links."""


def _list_pages() -> list[Path]:
    docs = ROOT / "docs"
    reference = sorted((docs / "reference").glob("*.md"))
    folders = [docs / name for name in ("decisions", "reference/api", "tutorials")]
    names = ("ARCHITECTURE.md", "AGENTS.md", "CONTRIBUTING.md", "SECURITY.md", "docs/index.md")
    more = [page for folder in folders for page in sorted(folder.glob("*.md"))]
    single = [ROOT / name for name in names]
    return [*reference, *more, *single, *_list_error_pages(), *_list_first_pages()]


def _list_error_pages() -> list[Path]:
    return sorted((ROOT / "docs" / "errors").glob("*.md"))


def _list_first_pages() -> list[Path]:
    docs = ROOT / "docs"
    single = [docs / f"{name}.md" for name in ("tutorial", "where-to-start", "tour", "glossary")]
    top = [ROOT / name for name in ("README.md", "ROADMAP.md")]
    examples = sorted((ROOT / "examples").glob("*/README.md"))
    return [*top, *single, *sorted((docs / "guide").glob("*.md")), *examples]


def _read_prose(page: Path) -> Iterator[tuple[str, str]]:
    """Each line outside code fences with its place, inline code left out."""
    name = page.relative_to(ROOT).as_posix()
    fence = ""
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif not fence and not (name in _WRITTEN_FROM_SOURCE and line.startswith("|")):
            yield f"{name}:{number}", _CODE.sub("`…`", line)


def _find_word(pattern: str, pages: list[Path]) -> list[str]:
    word = re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)
    lines = [(place, _LABEL.sub("…", line)) for page in pages for place, line in _read_prose(page)]
    return [f"{place}: {line}" for place, line in lines if word.search(line)]


@pytest.mark.parametrize("pattern", _BETTER_WORDS)
def test_documentation_uses_the_plain_word(pattern: str) -> None:
    """No page has a word for which the list has a better one."""
    found = _find_word(pattern, _list_pages())

    assert [] == found, f"write instead: {_BETTER_WORDS[pattern]}"


@pytest.mark.parametrize("pattern", _BETTER_WORDS_IN_GUIDES)
def test_guides_and_error_pages_use_the_plain_word(pattern: str) -> None:
    """No page for newcomers has a word for which the second list has a better one."""
    found = _find_word(pattern, [*_list_first_pages(), *_list_error_pages()])

    assert [] == found, f"write instead: {_BETTER_WORDS_IN_GUIDES[pattern]}"


def _read_messages() -> Iterator[tuple[str, str]]:
    """Each text of a message table, and each string of several words in the source."""
    source = ROOT / "src" / "saniwa"
    for table in sorted(path for path in source.rglob("*") if path.name in _MESSAGE_TABLES):
        read = json.loads if table.suffix == ".json" else tomllib.loads
        texts = _list_texts(read(table.read_text(encoding="utf-8")))
        yield from ((table.relative_to(source).as_posix(), text) for text in texts)
    for module in sorted(source.rglob("*.py")):
        # Words of players and of stories are not ours to choose.
        if "language" in module.parts or "stand_in" in module.parts:
            continue
        nodes = list(ast.walk(ast.parse(module.read_text(encoding="utf-8"))))
        docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        for node in nodes:
            if isinstance(node, ast.Constant) and id(node) not in docstrings:
                text = node.value if isinstance(node.value, str) else ""
                if len(text.split()) > 2:
                    yield f"{module.relative_to(source).as_posix()}:{node.lineno}", text


def _read_docstrings(folder: Path) -> Iterator[tuple[str, str]]:
    """Each docstring below a folder, of fields too, without code and quotations."""
    for module in sorted(folder.rglob("*.py")):
        if "node_modules" in module.parts:
            continue
        place = module.relative_to(ROOT).as_posix()
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                yield f"{place}:{node.lineno}", _QUOTED.sub("…", str(node.value.value))


def _read_shipped_texts() -> Iterator[tuple[str, str]]:
    """Each text of the processes, and each description of the rulebooks, that come with Saniwa.

    The messages of rulebooks are words of a story, and part of their fingerprints.
    """
    source = ROOT / "src" / "saniwa"
    for file in sorted(source.glob("process/shipped/*.yaml")):
        texts = _list_texts(yaml.safe_load(file.read_text(encoding="utf-8")))
        yield from ((file.name, text) for text in texts if " " in text)
    for file in sorted(source.glob("rulebook/books/*.json")):
        described = re.findall(r'"description": "([^"]*)"', file.read_text(encoding="utf-8"))
        yield from ((file.name, text) for text in described)


def _list_texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _list_texts(each)


def _find_words(better: dict[str, str], texts: Iterable[tuple[str, str]]) -> list[str]:
    words = {re.compile(rf"\b(?:{each})\b", re.IGNORECASE): better[each] for each in better}
    return [
        f"{place}: {text} (write: {instead})"
        for place, text in texts
        for word, instead in words.items()
        if word.search(text)
    ]


def test_messages_use_the_plain_word() -> None:
    """No message, hint or help text has a word for which one of the lists has a better one."""
    texts = [*_read_messages(), *_read_shipped_texts()]

    assert [] == _find_words(_BETTER_WORDS | _BETTER_WORDS_IN_MESSAGES, texts)


@pytest.mark.parametrize("folder", ["src/saniwa", "tests", "benchmarks", "scripts", "experiments"])
def test_docstrings_use_the_plain_word(folder: str) -> None:
    """No docstring has a word for which the first list has a better one, in benchmarks either."""
    assert [] == _find_words(_BETTER_WORDS, _read_docstrings(ROOT / folder))
