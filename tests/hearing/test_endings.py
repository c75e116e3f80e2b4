"""A verb form that is not a command does not change the world."""

from collections.abc import Iterator

import pytest
import yaml

from tests.hearing.score import FOLDER, LabelledLine, score_line

_TABLE = yaml.safe_load((FOLDER / "endings_ja.yaml").read_text(encoding="utf-8"))
_FORMS = ("plain", "te", "past", "negative", "stem", "potential", "condition", "intention")


def _list_lines(before: str) -> Iterator[str]:
    """Every line that can be built from the verb that follows these words."""
    forms = dict(zip(_FORMS, _TABLE["verbs"][before].split(), strict=True))
    yield before + forms["past"]
    yield before + forms["condition"]
    for name, endings in _TABLE["endings"].items():
        yield from (before + forms[name] + ending for ending in endings.split())
    yield from (frame.replace("_", before + forms["plain"]) for frame in _TABLE["frames"])


@pytest.mark.parametrize("before", _TABLE["verbs"])
def test_no_other_form_is_done(before: str) -> None:
    """Reports, questions, conditions, duties, wishes and the like change nothing."""
    lines = [LabelledLine(text, {"mood": "statement"}) for text in _list_lines(before)]
    scored = [score_line(line, "inn_ja") for line in lines]

    assert [] == [each.line.text for each in scored if each.score in ("untrue", "wrong")]
