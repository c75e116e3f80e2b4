"""Every `PromptResolver` keeps its contract."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from saniwa.agent.definition import AgentDefinition, AgentFlow, PromptReference
from saniwa.agent.layer_contracts import PromptResolver
from saniwa.agent.prompt_resolver import FilePromptResolver, MemoryPromptResolver, WarnFunction
from saniwa.core.errors import PromptNotFoundError, PromptParseError

Make = Callable[[Mapping[str, str], str, WarnFunction | None], PromptResolver]
REF = PromptReference(c1="steps", c2="initial", c3="issue")
FILE = "steps/initial/issue/f_default.md"


@pytest.fixture(params=["files", "memory"])
def make_resolver(request: pytest.FixtureRequest, tmp_path: Path) -> Make:
    """Every resolver that Saniwa ships, over some texts and a system prompt."""

    def make_file_resolver(
        texts: Mapping[str, str], system: str, warn: WarnFunction | None
    ) -> PromptResolver:
        for name, text in {**texts, "system.md": system}.items():
            path = tmp_path / "prompts" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if text:
                path.write_text(text, encoding="utf-8")
        flow = AgentFlow(entry_step="", steps={})
        definition = AgentDefinition(version="1.0.0", name="guide", folder=str(tmp_path), flow=flow)
        return FilePromptResolver(definition, warn=warn)

    def make_memory_resolver(
        texts: Mapping[str, str], system: str, warn: WarnFunction | None
    ) -> PromptResolver:
        return MemoryPromptResolver(texts, system=system, warn=warn)

    return make_file_resolver if request.param == "files" else make_memory_resolver


def _resolve_text(resolver: PromptResolver, ref: PromptReference = REF, **variables: str) -> str:
    return asyncio.run(resolver.resolve(ref, variables))


def test_a_prompt_is_found_by_its_three_words(make_resolver: Make) -> None:
    """@post: the text is that of `steps/initial/issue/f_default.md`."""
    assert "Do it." == _resolve_text(make_resolver({FILE: "Do it."}, "", None))


def test_a_prompt_is_found_by_its_path(make_resolver: Make) -> None:
    """A reference may name a file."""
    resolver = make_resolver({"a/b.md": "Do it."}, "", None)

    assert "Do it." == _resolve_text(resolver, PromptReference(path="a/b.md"))


def test_an_adaptation_is_taken_where_there_is_one(make_resolver: Make) -> None:
    """An adapted file takes precedence over the edition."""
    texts = {FILE: "Do it.", "steps/initial/issue/f_default_ja.md": "やって。"}
    ref = PromptReference(c1="steps", c2="initial", c3="issue", adaptation="ja")

    assert "やって。" == _resolve_text(make_resolver(texts, "", None), ref)


def test_a_missing_adaptation_is_the_edition(make_resolver: Make) -> None:
    """Without an adapted file, the edition itself is used."""
    ref = PromptReference(c1="steps", c2="initial", c3="issue", adaptation="fr")

    assert "Do it." == _resolve_text(make_resolver({FILE: "Do it."}, "", None), ref)


def test_a_missing_prompt_is_not_found(make_resolver: Make) -> None:
    """@throws PromptNotFoundError, and it names the prompt."""
    with pytest.raises(PromptNotFoundError, match="steps/initial/issue") as caught:
        _resolve_text(make_resolver({}, "", None))

    assert "PROMPT_NOT_FOUND" == caught.value.code


def test_a_missing_system_prompt_is_not_found(make_resolver: Make) -> None:
    """@throws PromptNotFoundError for the system prompt too."""
    with pytest.raises(PromptNotFoundError):
        asyncio.run(make_resolver({}, "", None).resolve_system())


@pytest.mark.parametrize("text", ["Say {uv-name", "{uv-}", "{uv-a b}", "---\n---\n", " "])
def test_what_is_not_a_template_is_a_parse_error(make_resolver: Make, text: str) -> None:
    """@throws PromptParseError: an unclosed variable, an invalid name, or no text at all."""
    with pytest.raises(PromptParseError) as caught:
        _resolve_text(make_resolver({FILE: text}, "", None))

    assert "PROMPT_PARSE" == caught.value.code


def test_a_prompt_is_never_empty(make_resolver: Make) -> None:
    """@post: a prompt that is empty after its variables are filled is an error."""
    with pytest.raises(PromptParseError):
        _resolve_text(make_resolver({FILE: "{uv-topic}"}, "", None), topic=" ")


@pytest.mark.parametrize(
    "text", ["To {uv-origin}.", "To {{uv-origin}}.", "To {{origin}}.", "To {{ origin }}."]
)
def test_a_variable_is_filled_in(make_resolver: Make, text: str) -> None:
    """`variables["origin"]` replaces `{uv-origin}` in each of its spellings."""
    assert "To Tokyo." == _resolve_text(make_resolver({FILE: text}, "", None), origin="Tokyo")


def test_the_input_is_filled_in(make_resolver: Make) -> None:
    """`{input_text}` is a variable too."""
    resolver = make_resolver({FILE: "Read: {input_text}"}, "", None)

    assert "Read: words" == _resolve_text(resolver, input_text="words")


def test_an_unknown_variable_stays_with_one_warning(make_resolver: Make) -> None:
    """An unknown variable is left as written and reported once."""
    told: list[tuple[str, str]] = []
    resolver = make_resolver({FILE: "{uv-a} {{b}} {uv-a}"}, "", lambda *it: told.append(it))

    assert "{uv-a} {{b}} {uv-a}" == _resolve_text(resolver)
    assert ["VARIABLE_UNDEFINED", "VARIABLE_UNDEFINED"] == [code for code, _ in told]


def test_what_is_filled_in_is_never_filled_again(make_resolver: Make) -> None:
    """A value that looks like a variable is not filled again."""
    resolver = make_resolver({FILE: "{uv-said} {uv-secret}"}, "", None)
    said = "{uv-secret} {{secret}} {input_text}"

    assert f"{said} key" == _resolve_text(resolver, said=said, secret="key")


def test_the_system_prompt_is_filled_in(make_resolver: Make) -> None:
    """@post of `resolve_system`: never empty, its variables filled."""
    resolver = make_resolver({}, "You are {uv-who}.", None)

    assert "You are Ann." == asyncio.run(resolver.resolve_system({"who": "Ann"}))


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("---\ntitle: x\n---\n\n Do it.\n\n", "Do it."),
        ("---\r\ntitle: x\r\n---\r\nDo it.", "Do it."),
        ("---\ntitle: x\nDo it.", "---\ntitle: x\nDo it."),
        ("\ufeffDo it.", "Do it."),
        ("Do it.\n---\nNow.", "Do it.\n---\nNow."),
    ],
)
def test_front_matter_is_taken_off_and_the_text_trimmed(
    make_resolver: Make, text: str, seen: str
) -> None:
    """Front matter between two fences at the top is removed; unclosed, it is text."""
    assert seen == _resolve_text(make_resolver({FILE: text}, "", None))


def test_other_braces_are_text(make_resolver: Make) -> None:
    """Braces that are not a variable, such as JSON in a prompt, are left as they are."""
    text = 'Say {"type": {"a": {}}} or {x} or {{ "b": 1 }} or { uv-x }.'

    assert text == _resolve_text(make_resolver({FILE: text}, "", None))


def test_the_same_question_gives_the_same_bytes(make_resolver: Make) -> None:
    """A prompt depends only on its text and its variables."""
    resolver = make_resolver({FILE: "{uv-a}{uv-b}"}, "", None)

    assert _resolve_text(resolver, a="1", b="2") == _resolve_text(resolver, b="2", a="1")
