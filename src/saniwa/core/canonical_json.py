"""The canonical text of JSON values, its hash, and whether two values are the same.

The canonical form has sorted keys and sorted lists, so it says what a document
means and not how it was typed. Anything whose order matters must not be hashed
this way.
"""

import hashlib
from typing import Any

import orjson

from saniwa.core.errors import SchemaValidationError, ValidationErrorCode

SHORT_HASH_LENGTH = 16
"""How many hex digits of a SHA-256 a short hash has."""

_LARGEST = 2**53
_DEEPEST = 200


def encode_canonical_json(document: Any) -> bytes:
    """Encode a document as canonical JSON: one text for all equivalent spellings.

    Keys are sorted by code point; every list is sorted by `id`, else `name`, else the
    item's own canonical text; separators are `,` and `:`; non-ASCII is not escaped.

    Raises:
        SchemaValidationError: `HASH_COMPUTATION_ERROR`, for values without a single
            text: fractions, numbers beyond 2^53, lone surrogates, values that are not
            JSON, nesting beyond 200 levels.
    """
    return _encode_value(_sort_value(document, 0))


def compute_short_hash(document: Any) -> str:
    """Return the first 16 hex digits of the SHA-256 of the canonical form.

    Raises:
        SchemaValidationError: `HASH_COMPUTATION_ERROR`, as `encode_canonical_json`
            does.
    """
    return hashlib.sha256(encode_canonical_json(document)).hexdigest()[:SHORT_HASH_LENGTH]


def _sort_value(value: Any, depth: int) -> Any:
    if depth > _DEEPEST:
        raise _make_hash_error(f"the document nests deeper than {_DEEPEST} levels")
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise _make_hash_error(f"the key {key!r} is not text")
        return {k: _sort_value(v, depth + 1) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return sorted((_sort_value(v, depth + 1) for v in value), key=_get_sort_key)
    if isinstance(value, float):
        raise _make_hash_error(f"{value!r} is a fraction, which has no single text")
    if isinstance(value, int) and abs(value) > _LARGEST:
        raise _make_hash_error(f"{value!r} is beyond ±2^53")
    return value


def _get_sort_key(item: Any) -> tuple[str, bytes]:
    """Sort by id, name or text; equal ones by their complete canonical text."""
    if isinstance(item, str):
        return (item, b"")
    encoded = _encode_value(item)
    if isinstance(item, dict):
        for name in ("id", "name"):
            if name in item:
                return (str(item[name]), encoded)
    return (encoded.decode(), encoded)


def _encode_value(value: Any) -> bytes:
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError as problem:
        raise _make_hash_error(str(problem)) from problem


def _make_hash_error(why: str) -> SchemaValidationError:
    return SchemaValidationError(
        ValidationErrorCode.HASH_COMPUTATION_ERROR,
        f"cannot compute a hash: {why}",
        hint="use text, whole numbers within ±2^53, true, false, null",
    )


def is_same_json(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same: `true` is not 1, and 1 is 1.0."""
    if isinstance(one, str):
        return bool(one == other)
    if isinstance(one, bool) != isinstance(other, bool):
        return False
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_same_json, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_same_json(one[k], other[k]) for k in one)
    return bool(one == other)
