import json
from io import StringIO

from saniwa.http.access_log import LogLine, make_log_writer

ID = "request-00000000-0000-7000-8000-000000000001"
LINE = LogLine(
    time="2026-11-15T18:03:33Z",
    request=ID,
    method="GET",
    route="/runs",
    status=429,
    ms=1.25,
    visitor="ann",
    code="TOO_MANY_REQUESTS",
)


def test_programs_read_lines_as_json() -> None:
    """A JSON line leaves out empty fields."""
    stream = StringIO()
    make_log_writer("json", stream)(LINE)
    kept = json.loads(stream.getvalue())

    assert 1 == stream.getvalue().count("\n")
    assert ("2026-11-15T18:03:33Z", 429, "ann") == (kept["time"], kept["status"], kept["visitor"])
    assert not {"run", "error", "trace"} & set(kept)


def test_people_read_lines_in_columns() -> None:
    """A text line is short, and control characters are escaped."""
    stream = StringIO()
    write = make_log_writer("people", stream)
    write(LINE)
    write(LogLine(time=LINE.time, request="", method="X\x1b[2J", route="", status=0, ms=0.0))
    one, other, _ = stream.getvalue().split("\n")

    assert "18:03:33  429      1.2 ms  GET    /runs  ann  TOO_MANY_REQUESTS" == one
    assert "\x1b" not in other
    assert "gone" in other


def test_without_a_log_format_nothing_is_written() -> None:
    """Without a log format nothing is written."""
    stream = StringIO()
    make_log_writer("none", stream)(LINE)

    assert "" == stream.getvalue()
