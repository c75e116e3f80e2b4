from pathlib import Path

from starlette.testclient import TestClient

from saniwa.http.application import HTTP_OPERATIONS, make_app
from tests.fakes.workspaces import make_workspace


def test_every_operation_is_answered_and_documented(tmp_path: Path) -> None:
    """Routes and the OpenAPI document are made from the table of operations."""
    client = TestClient(make_app(make_workspace(tmp_path)))
    document = client.get("/api/v1/openapi.json").json()
    told = {
        operation["operationId"]
        for methods in document["paths"].values()
        for operation in methods.values()
    }

    assert {each.name for each in HTTP_OPERATIONS} == told
    assert len(HTTP_OPERATIONS) == len(told)
    assert "3.1.0" == document["openapi"]


def test_a_place_that_is_invalid_says_so_as_a_problem(tmp_path: Path) -> None:
    """Unknown paths and methods are answered with a problem document."""
    client = TestClient(make_app(make_workspace(tmp_path)))
    nowhere = client.get("/api/v1/nowhere")
    odd = client.request("BREW", "/api/v1/runs")

    assert (404, "PLACE_NOT_FOUND") == (nowhere.status_code, nowhere.json()["code"])
    assert (405, "GET, POST, HEAD") == (odd.status_code, odd.headers["allow"])
    assert "application/problem+json" == odd.headers["content-type"]


def test_an_unexpected_error_is_reported_without_a_traceback(tmp_path: Path) -> None:
    """An unexpected error has the code SYSTEM_ERROR and no traceback."""
    garden = make_workspace(tmp_path)
    client = TestClient(make_app(garden), raise_server_exceptions=False)
    garden.library.roots = None  # type: ignore[assignment]
    told = client.get("/api/v1/stories")

    assert (500, "SYSTEM_ERROR") == (told.status_code, told.json()["code"])
    assert "TypeError" in told.json()["detail"]
    assert "Traceback" not in told.text


def test_the_contract_of_steps_is_published(tmp_path: Path) -> None:
    """The schema of steps can be fetched."""
    client = TestClient(make_app(make_workspace(tmp_path)))
    schema = client.get("/api/v1/schemas/stepresult.json").json()

    assert "urn:saniwa:stepresult:1" == schema["$id"]


def test_a_head_is_a_get_without_its_body(tmp_path: Path) -> None:
    """HEAD is answered as GET, without the body."""
    client = TestClient(make_app(make_workspace(tmp_path)))
    told = client.head("/api/v1/stories")

    assert (200, b"") == (told.status_code, told.content)
