from pathlib import Path

from saniwa.api.guard.settings import Settings
from saniwa.web.serving import Serving, served
from tests.fakes.gardens import garden_in


def test_no_request_opens_what_a_server_is_trusted_by(tmp_path: Path) -> None:
    """Its certificate, its key and the folder of its badges are kept from everybody."""
    garden = garden_in(tmp_path)
    files = (tmp_path / "garden.pem", tmp_path / "garden.key", tmp_path / "own")
    serving = Serving(
        settings=Settings(),
        certificate=str(files[0]),
        private_key=str(files[1]),
        folder=files[2],
    )
    served(garden, serving)

    assert [True] * 3 == [garden.kept.holds(each.resolve()) for each in files]
