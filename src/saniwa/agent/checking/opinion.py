"""What a model that was asked about another's answer says: yes, or no.

Anything that is not clearly a yes is a no, with its reason.
"""

from itertools import islice
from typing import Any, NamedTuple

from saniwa.agent.spoken import spoken
from saniwa.core.quoted import cut, quoted

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "reason": {"type": "string"},
        "result": {"type": "string", "enum": ["ok", "ng"]},
    },
    "required": ["reason", "result"],
    "additionalProperties": False,
}
"""What the answer must look like. The reason comes first: a model that has said why says
better whether."""

_YES = frozenset({"ok", "pass", "true"})
_NO = frozenset({"ng", "fail", "false"})
_LONGEST = 500
_MOST = 20


class Opinion(NamedTuple):
    """What was said about an answer."""

    passed: bool
    """Whether it was a clear yes."""
    reason: str
    """Why, or why not."""


def opinion_in(reply: str, about: str) -> Opinion:
    """The opinion of a reply: the whole of it as JSON, or its `json` blocks.

    What the answer it is `about` says itself does not count when it is repeated, and of
    two opinions that disagree neither does.
    """
    said = list(islice(spoken(reply, "json"), _MOST + 1))
    if len(said) > _MOST:
        return Opinion(False, f"the reply has more than {_MOST} blocks of JSON")
    found = [each for each in said if _result(each.value) is not None]
    own = [each.value for each in found if not _repeats(each.text, about)]
    if not own:
        what = "repeats the answer under check" if found else "is no opinion"
        return Opinion(False, f"the reply {what}: {quoted(reply)}")
    if not all(_result(each) for each in own):
        no = next(each for each in own if not _result(each))
        disagree = any(_result(each) for each in own)
        return Opinion(False, "the reply says both" if disagree else _reason(no, "ng"))
    return Opinion(True, _reason(own[0], "ok"))


def _result(value: Any) -> bool | None:
    """Yes, no, or neither."""
    said = value.get("result") if isinstance(value, dict) else value
    if isinstance(said, bool):
        return said
    if not isinstance(said, str):
        return None
    word = said.strip().lower()
    if word in _YES:
        return True
    return False if word in _NO else None


def _reason(value: Any, otherwise: str) -> str:
    said = value.get("reason") if isinstance(value, dict) else None
    if not isinstance(said, str) or not said.strip():
        return otherwise
    return cut(said.strip(), _LONGEST)


def _repeats(text: str, about: str) -> bool:
    """Whether an object stands in the answer already, spaces aside."""
    bare = "".join(text.split())
    return bare.startswith("{") and bare in "".join(about.split())
