import pytest

from saniwa.agent.narration.words import find_lemma


@pytest.mark.parametrize(
    "forms",
    [
        "take takes taking took taken",
        "open's open",
        "swing swings swinging swung",
        "pass passes passing",
        "lie lies lying lay",
        "carry carries",
        "drop drops dropped dropping",
    ],
)
def test_all_forms_of_a_word_are_the_same(forms: str) -> None:
    """All forms of a word have the same lemma."""
    assert 1 == len({find_lemma(form) for form in forms.split()})


@pytest.mark.parametrize(
    ("state", "deed"),
    [("locked", "locks"), ("closed", "closes"), ("open", "opens"), ("given", "gives")],
)
def test_the_state_of_an_entity_and_what_is_done_differ(state: str, deed: str) -> None:
    """“locked” as a state differs from “locks” as an action."""
    assert find_lemma(state) != find_lemma(deed)
