from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from saniwa.core.redaction import MARK, Redactor
from saniwa.models.redaction import RedactingListener

_KEY = "sk-0123456789"


@given(st.lists(st.integers(0, 40), max_size=6))
def test_a_secret_that_comes_in_pieces_is_not_reported(cuts: list[int]) -> None:
    """A secret is replaced in a stream, wherever it is split."""
    text = f"it is {_KEY}, and sk-01 is none"
    places = [0, *sorted(min(each, len(text)) for each in cuts), len(text)]
    told: list[str] = []
    ear = RedactingListener(told.append, Redactor([_KEY]))

    for start, end in pairwise(places):
        ear(text[start:end])
    ear.finish()

    assert f"it is {MARK}, and sk-01 is none" == "".join(told)
    assert "" not in told
