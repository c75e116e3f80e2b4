import json
from collections.abc import Callable

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from saniwa.core.errors import DocumentError, SaniwaError, SchemaValidationError
from saniwa.core.findings import SourceLocation
from saniwa.documents.document import (
    Document,
    DocumentFormat,
    make_document,
    parse_document,
    parse_document_bytes,
)
from saniwa.documents.record_reader import RecordForm
from saniwa.scenario import format as scenario_format
from saniwa.scenario.loader import (
    Scenario,
    inspect_scenario_document,
    load_scenario,
    validate_scenario,
)
from saniwa.world.snapshot import find_broken_invariants
from tests.fakes.nightly import scale_examples
from tests.fakes.scenarios import Plain

_FORMATS: st.SearchStrategy[DocumentFormat] = st.sampled_from(["json", "yaml"])
_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
_PRINTED = st.text(
    st.characters(
        exclude_categories=["Cs", "Cc", "Zl", "Zp"], exclude_characters="\ufeff\ufffe\uffff"
    ),
    max_size=6,
)
_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | _TEXT
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=4),
    max_leaves=10,
)
# Few names, so that references often match, collide and form cycles.
_NAMES = st.sampled_from(["a", "b", "庭", "鍵", "a#2", "x y", "", "か\u3099", "が"])
_KEYS = sorted(
    {
        *scenario_format.SCENARIO,
        *scenario_format.LOCATION,
        *scenario_format.PROP,
        *scenario_format.CHARACTER,
        *scenario_format.LOCKED_EXIT,
    }
    | {
        *scenario_format.CLEAR_CONDITION,
        *scenario_format.EXIT,
        *scenario_format.USE,
        "connectedTo",
        "isGoal",
        "_x",
    }
)


def _draw_record(keys: RecordForm) -> st.SearchStrategy[Plain]:
    return st.dictionaries(st.sampled_from(sorted(keys)), _FIELDS, max_size=5)


_FIELDS: st.SearchStrategy[object] = st.deferred(
    lambda: (
        _NAMES
        | st.booleans()
        | st.sampled_from(["container", "door", "supporter", "reach_location", "night"])
        | st.lists(_NAMES, max_size=3)
        | st.dictionaries(_NAMES, _NAMES | _draw_record(scenario_format.EXIT), max_size=2)
        | st.dictionaries(_NAMES, st.lists(_NAMES, max_size=2), max_size=2)
        | st.dictionaries(_NAMES, _draw_record(scenario_format.LOCKED_EXIT), max_size=2)
        | st.dictionaries(st.sampled_from(_KEYS), _NAMES | _VALUES, max_size=2)
        | _VALUES
    )
)


def _draw_records(keys: RecordForm) -> st.SearchStrategy[object]:
    return st.dictionaries(_NAMES, _draw_record(keys), max_size=4) | st.lists(
        _draw_record(keys), max_size=3
    )


_SCENARIOS = st.fixed_dictionaries(
    {
        "name": st.just("x"),
        "locations": _draw_records(scenario_format.LOCATION),
        "characters": _draw_records(scenario_format.CHARACTER),
    },
    optional={
        "props": _draw_records(scenario_format.PROP),
        **{
            key: _FIELDS
            for key in scenario_format.SCENARIO
            if key not in ("name", "locations", "characters", "props")
        },
    },
)

_ROOMS = st.sampled_from(["r1", "r2", "r3"])
_THINGS = st.sampled_from(["t1", "t2", "t3", "t4"])
_FLAG = st.booleans()
_LIKELY: st.SearchStrategy[Plain] = st.fixed_dictionaries(
    {
        "name": st.just("x"),
        "locations": st.fixed_dictionaries(
            {
                room: st.fixed_dictionaries(
                    {"exits": st.lists(_ROOMS, max_size=3, unique=True)},
                    optional={
                        "props": st.lists(st.sampled_from(["cup", "t1"]), max_size=1),
                        "hidden_objects": st.lists(st.just("pin"), max_size=1),
                        "locked_exits": st.dictionaries(
                            _ROOMS, st.fixed_dictionaries({"required_key": _THINGS}), max_size=1
                        ),
                    },
                )
                for room in ("r1", "r2", "r3")
            }
        ),
        "props": st.fixed_dictionaries(
            {
                thing: st.fixed_dictionaries(
                    {
                        "location": _ROOMS | _THINGS | st.none() | st.just("c1"),
                        "kind": st.sampled_from(
                            ["item", "container", "container", "supporter", "fixture"]
                        ),
                    },
                    optional={
                        "locked": _FLAG,
                        "open": _FLAG,
                        "hidden": _FLAG,
                        "required_key": _THINGS,
                    },
                )
                for thing in ("t1", "t2", "t3", "t4")
            }
        ),
        "characters": st.fixed_dictionaries(
            {
                "c1": st.fixed_dictionaries({"location": _ROOMS}),
                "c2": st.fixed_dictionaries(
                    {"location": _ROOMS}, optional={"holding": st.just(["coin"])}
                ),
            }
        ),
    }
)
"""Scenarios that an author might have written: many of them can be played."""


@given(st.binary(max_size=60), _FORMATS)
@settings(max_examples=scale_examples(200), deadline=None)
def test_any_bytes_are_a_document_or_an_error_with_a_place(
    content: bytes, format: DocumentFormat
) -> None:
    """Any bytes of a file give a document or a `DocumentError`, and nothing else."""
    outcome = _try_outcome(lambda: parse_document_bytes(content, "f", format))

    if isinstance(outcome, DocumentError):
        where = outcome.where or SourceLocation()
        assert min(where.line, where.column) >= 1
    else:
        assert isinstance(outcome, Document)


@given(
    st.text(st.sampled_from('{}[]",:&*!|>-?#%@`\'\\ \n\t01e.+au\u3042\u2028😀\ud800'), max_size=40),
    _FORMATS,
)  # fmt: skip
@settings(max_examples=scale_examples(300), deadline=None)
def test_any_text_is_a_document_or_an_error_with_a_place(text: str, format: DocumentFormat) -> None:
    """Characters with a meaning for the parser break nothing either."""
    outcome = _try_outcome(lambda: parse_document(text, "f", format))

    if isinstance(outcome, DocumentError):
        where = outcome.where or SourceLocation()
        lines = Document(plain=None, text=text)
        assert "DOCUMENT_SYNTAX" == outcome.code
        assert 1 <= where.column <= len(lines.get_line(where.line)) + 2
    else:
        assert isinstance(outcome, Document)


class _QuotingDumper(yaml.SafeDumper):
    """Quotes all text: PyYAML writes some text bare that is text only in YAML 1.1."""


_QuotingDumper.add_representer(
    str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"')
)


@given(_VALUES)
@settings(max_examples=scale_examples(150), deadline=None)
def test_json_says_what_the_standard_library_says(value: object) -> None:
    """The strict JSON reader reads the same values as `json`, whatever the spacing and escaping."""
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=1)):
        assert value == parse_document(text, "f", "json").plain


@given(_VALUES)
@settings(max_examples=scale_examples(100), deadline=None)
def test_yaml_says_what_was_written(value: object) -> None:
    """What PyYAML dumps is read unchanged; text is quoted, because a bare 0E0 is a number."""
    text = yaml.dump(value, Dumper=_QuotingDumper, allow_unicode=False)

    assert value == parse_document(text, "f", "yaml").plain


@given(st.dictionaries(_PRINTED, st.lists(_PRINTED, max_size=3), max_size=5), _FORMATS)
@settings(max_examples=scale_examples(150), deadline=None)
def test_every_place_points_at_its_value(
    value: dict[str, list[str]], format: DocumentFormat
) -> None:
    """Reading the text at the location of a value gives the value, in any script."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    document = parse_document(text, "f", format)

    for key, items in value.items():
        for index, item in enumerate(items):
            where = document.locate((key, index))
            rest = document.get_line(where.line)[where.column - 1 :].rstrip(",")
            assert item == json.loads(rest)


@given(_SCENARIOS | _LIKELY | _VALUES)
@settings(max_examples=scale_examples(200), deadline=None)
def test_any_document_is_a_scenario_or_findings(document: Plain) -> None:
    """Loading gives a scenario or one error with findings, and nothing else."""
    outcome = _try_outcome(lambda: load_scenario(make_document(document)))

    if isinstance(outcome, SchemaValidationError):
        assert outcome.details["findings"]
    else:
        assert isinstance(outcome, Scenario)
    assert isinstance(outcome, Scenario) == validate_scenario(make_document(document)).passed


@given(_LIKELY)
@settings(max_examples=scale_examples(200), deadline=None)
def test_a_world_that_was_built_is_well_formed(document: Plain) -> None:
    """Every world built from a document is valid, whatever the author wrote."""
    world = inspect_scenario_document(make_document(document)).world

    assert world is None or () == find_broken_invariants(world)


@given(_LIKELY, st.randoms(use_true_random=False))
@settings(max_examples=scale_examples(100), deadline=None)
def test_the_order_of_keys_changes_no_hash(document: Plain, chance: object) -> None:
    """The order of keys changes no scenario hash."""
    expected = _try_outcome(lambda: load_scenario(make_document(document)))
    actual = _try_outcome(lambda: load_scenario(make_document(_shuffle_keys(document, chance))))

    assert getattr(expected, "scenario_hash", None) == getattr(actual, "scenario_hash", None)


def _try_outcome(attempt: Callable[[], object]) -> object:
    """The value of an attempt, or the error it raised."""
    try:
        return attempt()
    except SaniwaError as problem:
        return problem


def _shuffle_keys(value: object, chance: object) -> Plain:
    if isinstance(value, dict):
        items = [(key, _shuffle_keys(inner, chance)) for key, inner in value.items()]
        chance.shuffle(items)  # type: ignore[attr-defined]
        return dict(items)
    if isinstance(value, list):
        return [_shuffle_keys(inner, chance) for inner in value]  # type: ignore[return-value]
    return value  # type: ignore[return-value]
