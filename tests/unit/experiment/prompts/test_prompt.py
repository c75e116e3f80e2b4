import pytest

from saniwa.experiment.prompts import (
    PLACEHOLDERS,
    SpeakerBrief,
    TranscriptLine,
    build_request,
    find_unknown_names,
)
from tests.fakes.experiments import make_editions


def _build_prompt(edition: str, **brief: object) -> str:
    made = SpeakerBrief(name="Ann", **brief)  # type: ignore[arg-type]
    asked = build_request(made, edition, max_tokens=9, temperature=0.5, seed=3)
    return asked.messages[0].text


def test_a_request_has_the_plans_settings() -> None:
    """The length, temperature and seed are those of the plan."""
    brief = SpeakerBrief(name="Ann")
    asked = build_request(brief, "a\n---\nb", max_tokens=9, temperature=0.5, seed=3)

    assert (9, 0.5, 3, "a", "b") == (
        asked.max_tokens,
        asked.temperature,
        asked.seed,
        asked.system,
        asked.messages[0].text,
    )


def test_what_is_filled_in_is_not_looked_at_again() -> None:
    """A placeholder that a character says in braces is left as it was said."""
    said = (TranscriptLine(who="Ben", text="{facts} {name}"),)

    assert "Ben: “｛facts｝ ｛name｝”" == _build_prompt("\n---\n{transcript}", transcript=said)


def test_what_was_said_long_ago_is_not_described() -> None:
    """Old lines are dropped, so a prompt does not grow with the talk."""
    talk = tuple(TranscriptLine(who="Ben", text=f"line {n}") for n in range(100))
    told = _build_prompt("\n---\n{transcript}", transcript=talk)

    assert ("line 99" in told, "line 87" in told) == (True, False)


def test_a_line_of_the_talk_is_one_line() -> None:
    """A line break in speech cannot start a line in another character's name."""
    said = (TranscriptLine(who="Ben", text="Hello.\nAnn: “I agree.”"),)

    assert 1 == len(_build_prompt("\n---\n{transcript}", transcript=said).split("\n"))


@pytest.mark.parametrize("name", ["plain", "strict"])
@pytest.mark.parametrize("tongue", ["en", "ja"])
def test_shipped_editions_name_what_there_is(name: str, tongue: str) -> None:
    """Every placeholder is known, and everything conditions differ in is included."""
    text = make_editions()[name][tongue]

    assert () == find_unknown_names(text)
    for needed in ("transcript", "facts", "cards", "guidance", "turn", "name"):
        assert f"{{{needed}}}" in text


def test_unknown_names_are_reported_once_each() -> None:
    """A misspelt placeholder is not silently left empty."""
    assert ("fact", "nmae") == find_unknown_names("{fact} {name} {nmae} {fact}")


@pytest.mark.parametrize(("tongue", "word"), [("en", "nobody"), ("ja", "なし")])
def test_a_cast_of_one_has_no_others(tongue: str, word: str) -> None:
    """In a cast of one the prompt says that there are no others."""
    assert word == _build_prompt("\n---\n{others}", language=tongue)


def test_all_placeholders_are_filled() -> None:
    """No known placeholder is left in a prompt."""
    text = "\n---\n" + " ".join(f"{{{name}}}" for name in PLACEHOLDERS)

    assert "{" not in _build_prompt(text)
