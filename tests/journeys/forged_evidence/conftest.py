"""Shared by the tests of invented evidence: a project with true reports to forge from."""

import pytest

from tests.journeys.forged_evidence.forger import ForgedProject, make_forged_project


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> ForgedProject:
    """A project with a real run and a real experiment."""
    return make_forged_project(tmp_path_factory.mktemp("forged"))
