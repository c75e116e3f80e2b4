from typing import Any

import msgspec
import pytest

from saniwa.process.evidence_intake import FrontMatterError, read_front_matter, read_inline_evidence


@pytest.mark.parametrize(
    ("content", "stated"),
    [
        ("---\nclaim: a\n---\nText\n", {"claim": "a"}),
        ("\ufeff---\nclaim: a\n...\n", {"claim": "a"}),
        ("Text\n---\nclaim: a\n---\n", "Text\n---\nclaim: a\n---\n"),
        ({"claim": "a"}, {"claim": "a"}),
        (7, 7),
    ],
)
def test_inline_content_states_its_front_matter_or_itself(content: Any, stated: Any) -> None:
    """Inline text that begins with `---` has front matter."""
    assert stated == read_inline_evidence(content)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("---\nclaim: a\n", "has unclosed front matter"),
        ("---\nclaim: [\n---\n", "cannot be read, line 3, column"),
        ("---\nclaim: a\nclaim: b\n---\n", "cannot be read, line 3, column 1"),
    ],
)
def test_front_matter_with_a_mistake_names_its_line(text: str, why: str) -> None:
    """A mistake in front matter is reported with its line in the text."""
    with pytest.raises(FrontMatterError, match=why):
        read_front_matter(text)


def test_a_text_without_front_matter_has_none() -> None:
    """Text without front matter gives `msgspec.UNSET`, unlike empty front matter."""
    assert read_front_matter("Text") is msgspec.UNSET
