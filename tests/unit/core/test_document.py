import os
from pathlib import Path

import pytest

from saniwa.core.errors import DocumentError
from saniwa.documents.document import (
    Document,
    DocumentFormat,
    load_document,
    make_document,
    parse_document,
    parse_document_bytes,
    render_path,
)

_YAML = """\
name: 庭
locations:
  キッチン:
    exits: [リビング, 寝室]   # 出口
  リビング: {exits: [キッチン]}
"""
_JSON = """\
{
  "name": "庭",
  "locations": {
    "キッチン": {"exits": ["リビング", "寝室"]}
  }
}
"""
_EXIT = ("locations", "キッチン", "exits", 1)


def _expect_refusal(text: str, format: DocumentFormat) -> DocumentError:
    with pytest.raises(DocumentError) as caught:
        parse_document(text, "a", format)
    return caught.value


@pytest.mark.parametrize(
    ("text", "format", "place"), [(_YAML, "yaml", "4:19"), (_JSON, "json", "4:32")]
)
def test_every_value_knows_its_place(text: str, format: DocumentFormat, place: str) -> None:
    """Lines and columns count characters from 1, Japanese ones too."""
    document = parse_document(text, "a.txt", format)

    where = document.locate(_EXIT)

    assert f"a.txt:{place} (locations.キッチン.exits[1])" == str(where)


@pytest.mark.parametrize(("text", "format"), [(_YAML, "yaml"), (_JSON, "json")])
def test_a_key_has_a_place_of_its_own(text: str, format: DocumentFormat) -> None:
    """The location of a key is where the key begins, not its value."""
    document = parse_document(text, "a", format)
    key = document.locate_key(("locations", "キッチン"))
    value = document.locate(("locations", "キッチン"))

    assert (3 if format == "yaml" else 4) == key.line
    assert (3 if format == "yaml" else 5) == key.column
    assert (key.line, key.column) < (value.line, value.column)


def test_what_is_not_there_is_placed_where_it_would_be() -> None:
    """A missing key is located at the mapping that should have it."""
    document = parse_document(_YAML, "a")

    where = document.locate(("locations", "リビング", "props"))

    assert (5, 9, "locations.リビング.props") == (where.line, where.column, where.path)


def test_a_key_written_twice_is_a_finding_and_the_first_counts() -> None:
    """Of two equal keys the first counts, and the second is a finding."""
    for format, text in (("yaml", "a: 1\nb: 2\na: 3\n"), ("json", '{"a":1,\n"b":2,\n"a":3}')):
        document = parse_document(text, "f", format)  # type: ignore[arg-type]

        assert {"a": 1, "b": 2} == document.plain
        assert ["DUPLICATE_KEY"] == [f.code for f in document.findings]
        assert (3, 1, "a") == (
            document.findings[0].where.line,
            document.findings[0].where.column,
            document.findings[0].where.path,
        )
        assert "it is also on line 1; remove one of them" == document.findings[0].hint


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[on, off, yes, no, y, n]", ["on", "off", "yes", "no", "y", "n"]),
        ("[true, True, TRUE, false]", [True, True, True, False]),
        ("[null, ~, ]", [None, None]),
        ("[0o17, 017, 0x1F, -3, +4]", [15, 17, 31, -3, 4]),
        ("[1.5, .5, 1e3, 1.]", [1.5, 0.5, 1000.0, 1.0]),
        ("[2001-01-01, 1:30, 1_000]", ["2001-01-01", "1:30", "1_000"]),
        ("['1', \"true\", !!str 5, ! 6]", ["1", "true", "5", "6"]),
        ("[!!int 7, !!float 8, !!bool true, !!null ~]", [7, 8, True, None]),
        ("{1: a, true: b, ~: c}", {"1": "a", "true": "b", "~": "c"}),
        ("<<: x", {"<<": "x"}),
        ("a: &x [1]\nb: *x", {"a": [1], "b": [1]}),
        ("&k a: 1\nb: *k", {"a": 1, "b": "a"}),
        ("a: |\n  x\n  y\n", {"a": "x\ny\n"}),
        ("", None),
        ("# only words\n", None),
        ("\ufeffa: 1", {"a": 1}),
    ],
)
def test_yaml_is_read_as_version_1_2(text: str, expected: object) -> None:
    """In YAML, `on` and `no` are text, keys are text, and only core tags have a meaning."""
    assert expected == parse_document(text, "f", "yaml").plain


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('["\\ud83d\\ude00", "😀"]', ["😀", "😀"]),
        ("[1, -0, 2.5, 1e2, true, false, null]", [1, 0, 2.5, 100.0, True, False, None]),
        (' {"a" : [ ] , "b":{ } } ', {"a": [], "b": {}}),
        ('"a\\u2028\\n\\"\u2028"', 'a\u2028\n"\u2028'),
    ],
)
def test_json_is_read_as_it_is_written(text: str, expected: object) -> None:
    """JSON is read strictly, and surrogate pairs are joined."""
    assert expected == parse_document(text, "f", "json").plain


@pytest.mark.parametrize(
    ("text", "format", "place", "message"),
    [
        ('{"a": NaN}', "json", "1:7", "NaN is not JSON"),
        ("[Infinity]", "json", "1:2", "Infinity is not JSON"),
        ('{"a": 1,}', "json", "1:9", "expected a key in double quotes, not '}'"),
        ("[1 2]", "json", "1:4", "expected ',' or ']', not '2'"),
        ("[1,", "json", "1:4", "the text ends where a value is expected"),
        ("{'a': 1}", "json", "1:2", "expected a key in double quotes, not \"'\""),
        ("[1]\n// x", "json", "2:1", "'/' follows after the document has ended"),
        ('"a\tb"', "json", "1:3", "invalid control character"),
        ('"\\q"', "json", "1:2", "invalid \\escape"),
        ('["\\ud800"]', "json", "1:2", "the text contains half of a surrogate pair"),
        ("", "json", "1:1", "the text ends where a value is expected"),
        ("1e999", "json", "1:1", "the number 1e999 is too large"),
        ("9" * 2000, "json", "1:1", "a number of 2000 digits is too long"),
        ("[" * 101, "json", "1:101", "this is nested deeper than 100 levels"),
        ("[" * 101, "yaml", "1:101", "this is nested deeper than 100 levels"),
        ("- " * 5000 + "x", "yaml", "1:201", "this is nested deeper than 100 levels"),
        ("a: b: c", "yaml", "1:5", "a ': ' is not allowed here"),
        ("a: 1\n---\nb: 2", "yaml", "2:1", "a second document starts here"),
        ("a: *x", "yaml", "1:4", "there is no '&x' before this '*x'"),
        ("a: &x [*x]", "yaml", "1:8", "'*x' is inside the value it refers to"),
        ("? [a]\n: b", "yaml", "1:3", "a list or mapping cannot be a key"),
        ("k: &m {a: 1}\n*m : 2", "yaml", "2:1", "a list or mapping cannot be a key"),
        ("!!python/name:os.system x", "yaml", "1:1", "the tag 'tag:yaml.org,2002:python/name:os.system' is not supported"),
        ("!!set {a}", "yaml", "1:1", "the tag 'tag:yaml.org,2002:set' is not supported"),
        ("!!int x", "yaml", "1:1", "'x' cannot have the tag 'tag:yaml.org,2002:int'"),
        ("a: .nan", "yaml", "1:4", ".nan is not a number"),
        ("庭: a\x07b", "yaml", "1:5", "the control character U+0007 is not allowed in the text"),
        ("a\nb: \u2028", "yaml", "2:4", "the line separator U+2028 is not allowed in the text"),
        ("a\ud800", "yaml", "1:2", "the text contains half of a surrogate pair"),
        ("a:\n\t- b", "yaml", "2:1", "no value can start with this character"),
    ],
)  # fmt: skip
def test_what_is_not_a_document_is_refused_with_its_place(
    text: str, format: DocumentFormat, place: str, message: str
) -> None:
    """The first mistake is reported with its line and column."""
    refused = _expect_refusal(text, format)

    assert ("DOCUMENT_SYNTAX", message) == (refused.code, refused.message)
    assert f"a:{place}" == str(refused.where)


def test_aliases_cannot_grow_without_end() -> None:
    """Nested aliases are counted with all their repetitions, and refused beyond the limit."""
    lines = ["a: &a [1,1,1,1,1,1,1,1,1,1]"]
    for last, name in zip("abcdefgh", "bcdefghi", strict=True):
        lines.append(f"{name}: &{name} [{','.join([f'*{last}'] * 10)}]")

    refused = _expect_refusal("\n".join(lines), "yaml")

    assert "aliases repeat more than 100000 values" == refused.message
    assert "a:5:29" == str(refused.where)


def test_aliases_cost_as_much_as_the_characters_they_repeat() -> None:
    """A long text repeated by aliases is refused once the repetitions are too long."""
    text = f"- &a {'x' * 1_000_000}\n" + "- *a\n" * 5

    refused = _expect_refusal(text, "yaml")

    assert "aliases repeat more than 4194304 letters" == refused.message
    assert "a:6:3" == str(refused.where)


def test_what_is_written_out_may_be_larger_than_what_is_repeated() -> None:
    """The limit on repeated values counts aliases only; a long list without them is read."""
    text = "[" + "1," * 150_000 + "1]"

    assert 150_001 == len(parse_document(text, "f", "yaml").plain)


def test_aliases_within_measure_are_read() -> None:
    """A list of a hundred values may be repeated hundreds of times."""
    text = f"- &a [{','.join('1' * 100)}]\n" + "- *a\n" * 500

    assert [[1] * 100] * 501 == parse_document(text, "f", "yaml").plain


def test_messages_quote_long_keys_short() -> None:
    """A message and a path quote a long key shortened."""
    key = "k" * 100_000
    found = parse_document(f'{{"{key}": 1, "{key}": 2}}', "f", "json").findings[0]

    assert 100 > len(found.message)
    assert 300 > len(found.where.path)


def test_aliases_cannot_nest_without_end() -> None:
    """The depth of an alias is the depth of what it refers to."""
    deep = "[" * 60 + "]" * 60

    refused = _expect_refusal(f"a: &a {deep}\nb: {'[' * 60}*a{']' * 60}", "yaml")

    assert "this is nested deeper than 100 levels" == refused.message


def test_lines_end_as_on_any_machine() -> None:
    """CR, LF and both together each end one line."""
    document = parse_document("a: 1\r\nb: 2\rc: 3\nd: 4", "f")

    assert [1, 2, 3, 4] == [document.locate((key,)).line for key in "abcd"]
    assert ["a: 1", "b: 2", "c: 3", "d: 4"] == [document.get_line(n) for n in range(1, 5)]
    assert ["", ""] == [document.get_line(0), document.get_line(5)]


def test_bytes_that_are_no_utf_8_are_reported_by_their_place() -> None:
    """The first byte that is not UTF-8 is reported with its line and column."""
    with pytest.raises(DocumentError) as caught:
        parse_document_bytes("庭: 1\n名: ".encode() + b"\xff", "a.yaml", "yaml")

    assert "DOCUMENT_UNREADABLE" == caught.value.code
    assert "byte 0xff is not UTF-8" == caught.value.message
    assert "a.yaml:2:4" == str(caught.value.where)


def test_files_are_distinguished_by_their_ends(tmp_path: Path) -> None:
    """`.json` is JSON, `.yaml` and `.yml` are YAML, and any other suffix is refused."""
    for name, text in (("a.json", "[1]"), ("b.yaml", "[on]"), ("c.YML", "- on")):
        (tmp_path / name).write_text(text)

    plain = [load_document(tmp_path / name).plain for name in ("a.json", "b.yaml", "c.YML")]
    with pytest.raises(DocumentError, match="neither JSON nor YAML"):
        load_document(tmp_path / "d.txt")

    assert [[1], ["on"], ["on"]] == plain


def test_what_is_not_a_file_is_refused_and_never_waited_for(tmp_path: Path) -> None:
    """A missing file, a folder and a pipe are refused at once."""
    (tmp_path / "folder.yaml").mkdir()
    os.mkfifo(tmp_path / "pipe.yaml")
    names = ["missing.yaml", "folder.yaml", "pipe.yaml", "nul\0.yaml"]

    codes = []
    for name in names:
        with pytest.raises(DocumentError) as caught:
            load_document(os.fspath(tmp_path) + "/" + name)
        codes.append(caught.value.code)

    assert ["DOCUMENT_UNREADABLE"] * 4 == codes


def test_a_file_may_only_be_so_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file beyond the limit is refused before it is read."""
    monkeypatch.setattr("saniwa.documents.document.LARGEST_FILE", 10)
    (tmp_path / "a.json").write_text('"12345678"')
    (tmp_path / "b.json").write_text('"123456789"')

    whole = load_document(tmp_path / "a.json").plain
    with pytest.raises(DocumentError, match="larger than 10 bytes"):
        load_document(tmp_path / "b.json")

    assert "12345678" == whole


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({1: 2}, "the key 1 is not text"),
        ({"a": {1, 2}}, "a set is not JSON"),
        ({"a": [float("nan")]}, "nan is not a number"),
        ({"a": "\ud800"}, "the text contains half of a surrogate pair"),
    ],
)
def test_a_plain_document_must_be_json(value: object, message: str) -> None:
    """Values that no JSON text could contain are refused."""
    with pytest.raises(DocumentError) as caught:
        make_document(value)

    assert ("DOCUMENT_SYNTAX", message) == (caught.value.code, caught.value.message)


def test_a_plain_document_may_not_hold_itself() -> None:
    """A mapping that contains itself is refused."""
    ring: dict[str, object] = {}
    ring["a"] = ring

    with pytest.raises(DocumentError, match="more than 100 levels"):
        make_document(ring)


def test_a_plain_document_has_paths_and_no_lines() -> None:
    """A document without a text has paths, but no lines."""
    document = make_document({"a": ["b"]}, "given")

    assert "given (a[0])" == str(document.locate(("a", 0)))
    assert Document(plain={"a": ["b"]}, file="given") == document


def test_a_path_reads_like_the_document() -> None:
    """Names are shown bare unless they could be misread."""
    path = ("locations", "キッチン", "exits", 1)

    assert "locations.キッチン.exits[1]" == render_path(path)
    assert "'a.b'.lamp room.''.' x'" == render_path(("a.b", "lamp room", "", " x"))


@pytest.mark.parametrize(
    ("named", "cure"), [("survy.yaml", "did you mean 'survey.yaml'?"), ("x.yaml", "check the path")]
)
def test_a_missing_file_is_reported_with_a_hint(tmp_path: Path, named: str, cure: str) -> None:
    """The hint for a missing file names a similar file in its folder, or the folder searched."""
    (tmp_path / "survey.yaml").write_text("a: 1")

    with pytest.raises(DocumentError) as missing:
        load_document(tmp_path / named)

    assert missing.value.hint.startswith(cure)
