import pytest
from hypothesis import given
from hypothesis import strategies as st

from saniwa.experiment.plan_fields import (
    LONGEST_ID,
    is_experiment_id,
    make_experiment_id,
    make_slug,
)


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        (True, "on"),
        (False, "off"),
        (0.7, "0.7"),
        (1e-7, "1e-07"),
        ("openai:gpt-5-mini", "openai-gpt-5-mini"),
        ("a/b_c", "a-b-c"),
        ("../..", ""),
        ("日本語", "日本語"),
        ("", ""),
    ],
)
def test_a_level_in_a_name(level: object, expected: str) -> None:
    """Only letters, digits, dots and hyphens are kept."""
    assert expected == make_slug(level)


@given(st.text())
def test_a_slug_parts_no_name_and_leads_nowhere(text: str) -> None:
    """A slug has no underscore or slash, does not start with a dot, and is short."""
    made = make_slug(text)

    assert not {"_", "/", "\\", "+", "="} & {*made}
    assert not made.startswith(".")
    assert len(made) <= LONGEST_ID
    assert made == make_slug(made)


@given(st.text())
def test_every_text_has_an_id_near_it(text: str) -> None:
    """The id suggested for an unusable id is usable."""
    assert is_experiment_id(make_experiment_id(text))


@pytest.mark.parametrize("text", ["", ".", "-a", "a b", "a/b", "é", "a" * 61, "a\n"])
def test_an_invalid_id_is_refused(text: str) -> None:
    """An id must work as a folder name on every system."""
    assert not is_experiment_id(text)
