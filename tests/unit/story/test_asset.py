import os
import unicodedata
from pathlib import Path

import pytest

from saniwa.story import assets as story_assets
from saniwa.story.assets import EXTENSIONS, FOLDERS, AssetKind, FolderAssets, is_outside_path

_OUTSIDE = [
    "../secret",
    "a/../../secret",
    "a/..",
    "..",
    "/etc/passwd",
    "\\\\host\\share",
    "a\\b",
    "C:secret",
    "c:/secret",
    "a\0b",
    "https://example.org/a",
    "file:///etc/passwd",
]


def _make_folder(top: Path, *files: str) -> Path:
    folder = top / "assets"
    for name in files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    return folder


def _link(path: Path, to: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(to)


def _list_kinds() -> list[tuple[AssetKind, str]]:
    return [(kind, ending) for kind in FOLDERS for ending in EXTENSIONS[kind]]


@pytest.mark.parametrize(("kind", "ending"), _list_kinds())
def test_a_name_finds_every_ending_of_its_kind(
    kind: AssetKind, ending: str, tmp_path: Path
) -> None:
    """Each kind of asset is looked for in its own folder, with its own extensions."""
    path = f"{FOLDERS[kind]}/street{ending}"
    assets = FolderAssets(_make_folder(tmp_path, path))

    found = {each: assets.find(each, "street") for each in FOLDERS}
    assert dict.fromkeys(FOLDERS) | {kind: path} == found


def test_the_endings_are_tried_in_the_published_order() -> None:
    """Extensions are tried in the published order, with later additions at the end."""
    assert (".ogg", ".mp3", ".wav") == EXTENSIONS["bgm"] == EXTENSIONS["se"]
    assert (".png", ".jpg", ".webp", ".jpeg", ".svg") == EXTENSIONS["image"]
    assert (".mp4", ".webm") == EXTENSIONS["movie"]


@pytest.mark.parametrize("kind", list(FOLDERS))
def test_of_two_endings_the_earlier_is_taken(kind: AssetKind, tmp_path: Path) -> None:
    """Of several extensions the first in the order is used."""
    endings = list(EXTENSIONS[kind])
    while endings:
        top = tmp_path / str(len(endings))
        files = [f"{FOLDERS[kind]}/a{ending}" for ending in endings]

        assert files[0] == FolderAssets(_make_folder(top, *files)).find(kind, "a")
        endings.pop(0)


def test_a_name_with_its_ending_finds_that_file_else_its_stem(tmp_path: Path) -> None:
    """`street.mp3` is that file, or else any file named `street`."""
    folder = _make_folder(tmp_path, "bgm/street.ogg", "bgm/street.mp3", "bgm/rain.ogg")
    assets = FolderAssets(folder)

    assert "bgm/street.mp3" == assets.find("bgm", "street.mp3")
    assert "bgm/street.ogg" == assets.find("bgm", "street.wav")
    assert "bgm/rain.ogg" == assets.find("bgm", "rain.mp3")
    assert assets.find("bgm", "rain.png") is None


def test_names_may_have_dots_and_folders(tmp_path: Path) -> None:
    """A name may contain dots and folders."""
    folder = _make_folder(tmp_path, "images/v1.2.png", "images/town/day/street.jpg")
    assets = FolderAssets(folder)

    assert "images/v1.2.png" == assets.find("image", "v1.2")
    assert "images/town/day/street.jpg" == assets.find("image", "town/day/street")
    assert assets.find("image", "street") is None
    assert assets.find("image", "town//day/street") is None
    assert assets.find("image", "") is None


def test_letter_case_counts(tmp_path: Path) -> None:
    """Names are case-sensitive on every system."""
    assets = FolderAssets(_make_folder(tmp_path, "se/Door.ogg", "se/bell.OGG"))

    assert assets.find("se", "door") is None
    assert assets.find("se", "bell") is None
    assert "se/Door.ogg" == assets.find("se", "Door")


@pytest.mark.parametrize("on_disk", ["NFC", "NFD"])
@pytest.mark.parametrize("asked", ["NFC", "NFD"])
def test_composed_and_decomposed_letters_are_the_same(
    on_disk: str, asked: str, tmp_path: Path
) -> None:
    """Composed and decomposed characters match, and the result has the file's spelling."""
    forms = {form: unicodedata.normalize(form, "ガ/é") for form in ("NFC", "NFD")}
    assets = FolderAssets(_make_folder(tmp_path, f"images/{forms[on_disk]}.png"))

    assert f"images/{forms[on_disk]}.png" == assets.find("image", forms[asked])
    assert (forms["NFC"],) == assets.list_names("image")


def test_names_are_listed_once_and_in_order(tmp_path: Path) -> None:
    """Names are listed once and sorted, without extensions."""
    files = ["se/b.wav", "se/b.ogg", "se/a/z.mp3", "se/a.mp3", "se/readme.txt"]
    assets = FolderAssets(_make_folder(tmp_path, *files, "se/.ogg", "se/a/.ogg"))

    assert ("a", "a/z", "b") == assets.list_names("se")
    assert () == assets.list_names("bgm")


@pytest.mark.parametrize("name", _OUTSIDE)
def test_a_name_that_leads_out_is_refused(name: str, tmp_path: Path) -> None:
    """A name that leads outside the folder is never found, and is reported."""
    (tmp_path / "secret.ogg").write_bytes(b"")
    assets = FolderAssets(_make_folder(tmp_path, "bgm/a.ogg", "secret.ogg"))

    assert assets.find("bgm", name) is None
    assert assets.is_outside(name)
    assert assets.is_outside(name, "bgm")
    assert is_outside_path(name)
    assert FolderAssets().is_outside(name)


@pytest.mark.parametrize("name", ["a", "missing", "", "..a", "a..b/c", "http:", "é:x"])
def test_a_name_that_is_only_missing_is_not_refused(name: str, tmp_path: Path) -> None:
    """A missing name is not reported as outside."""
    assets = FolderAssets(_make_folder(tmp_path, "bgm/a.ogg"))

    assert not assets.is_outside(name)
    assert not FolderAssets().is_outside(name)


def test_a_link_to_a_file_outside_is_refused(tmp_path: Path) -> None:
    """A link to a file outside is refused, even if the file is missing."""
    folder = _make_folder(tmp_path, "bgm/a.mp3", "bgm/street.mp3")
    secret = tmp_path / "secret.ogg"
    secret.write_bytes(b"")
    _link(folder / "bgm" / "a.ogg", secret)
    _link(folder / "bgm" / "gone.ogg", tmp_path / "nowhere.ogg")
    assets = FolderAssets(folder)

    assert [None, None] == [assets.find("bgm", n) for n in ("a", "gone")]
    assert assets.is_outside("a")
    assert assets.is_outside("gone", "bgm")
    assert not assets.is_outside("a", "se")
    assert "bgm/a.mp3" == assets.find("bgm", "a.mp3")
    assert not assets.is_outside("a.mp3")
    assert ("street",) == assets.list_names("bgm")


def test_a_sibling_whose_name_begins_alike_is_outside(tmp_path: Path) -> None:
    """`assets-old` is not inside `assets`."""
    folder = _make_folder(tmp_path, "bgm/b.ogg")
    beside = tmp_path / "assets-old"
    beside.mkdir()
    (beside / "a.ogg").write_bytes(b"")
    _link(folder / "bgm" / "a.ogg", beside / "a.ogg")

    assert FolderAssets(folder).find("bgm", "a") is None


def test_a_link_to_a_file_inside_is_found(tmp_path: Path) -> None:
    """A link to a file inside the folder is found."""
    folder = _make_folder(tmp_path, "bgm/a.ogg")
    _link(folder / "bgm" / "b.ogg", folder / "bgm" / "a.ogg")
    assets = FolderAssets(folder)

    assert "bgm/b.ogg" == assets.find("bgm", "b")
    assert not assets.is_outside("b")


def test_a_linked_folder_is_not_entered(tmp_path: Path) -> None:
    """A linked folder is not searched."""
    folder = _make_folder(tmp_path, "images/a.png")
    _link(folder / "images" / "out", tmp_path)
    _link(folder / "images" / "round", folder / "images")
    _link(folder / "images" / "self.png", folder / "images" / "self.png")
    assets = FolderAssets(folder)

    assert ("a",) == assets.list_names("image")
    assert assets.find("image", "round/a") is None
    assert assets.is_outside("round/a")
    assert assets.is_outside("out/deep/x", "image")
    assert assets.find("image", "self") is None


def test_a_linked_kind_holds_nothing(tmp_path: Path) -> None:
    """A linked folder of a kind is not searched."""
    folder = _make_folder(tmp_path, "se/a.ogg")
    elsewhere = _make_folder(tmp_path / "elsewhere", "b.ogg")
    _link(folder / "bgm", elsewhere)
    assets = FolderAssets(folder)

    assert assets.find("bgm", "b") is None
    assert assets.is_outside("b", "bgm")
    assert not assets.is_outside("a", "se")


def test_the_asset_folder_itself_may_be_a_link(tmp_path: Path) -> None:
    """The asset folder itself may be a link."""
    _link(tmp_path / "link", _make_folder(tmp_path, "se/a.ogg"))

    assert "se/a.ogg" == FolderAssets(tmp_path / "link").find("se", "a")


def test_only_regular_files_count(tmp_path: Path) -> None:
    """Folders and pipes are not assets."""
    folder = _make_folder(tmp_path, "se/a.ogg/inner.ogg")
    os.mkfifo(folder / "se" / "pipe.ogg")
    _link(folder / "se" / "b.ogg", folder / "se" / "pipe.ogg")
    assets = FolderAssets(folder)

    assert ("a.ogg/inner",) == assets.list_names("se")


def test_names_that_cannot_be_written_are_passed_over(tmp_path: Path) -> None:
    """Names that are not text, or contain a backslash, are skipped."""
    folder = _make_folder(tmp_path, "se/a.ogg", "se/b\\c.ogg")
    Path(os.fsdecode(os.fsencode(folder / "se") + b"/\xff.ogg")).write_bytes(b"")

    assert ("a",) == FolderAssets(folder).list_names("se")


def test_a_missing_folder_holds_nothing(tmp_path: Path) -> None:
    """If the folder is missing or a file, nothing is found."""
    (tmp_path / "file").write_bytes(b"")

    for folder in (tmp_path / "gone", tmp_path / "file", tmp_path):
        assets = FolderAssets(folder)
        assert assets.find("image", "a") is None
        assert assets.whole


def test_the_folder_is_looked_through_once(tmp_path: Path) -> None:
    """The folder is read once, so that later files are not found."""
    folder = _make_folder(tmp_path, "se/a.ogg")
    assets = FolderAssets(folder)
    (folder / "se" / "b.ogg").write_bytes(b"")

    assert assets.find("se", "b") is None
    assert "se/b.ogg" == FolderAssets(folder).find("se", "b")


@pytest.mark.parametrize(
    ("most", "whole", "names"),
    [
        (5, True, ("a", "b", "c", "d/e")),
        (4, False, ("a", "b", "c")),
        (2, False, ("a", "b")),
        (1, False, ("a",)),
        (0, False, ()),
    ],
)
def test_a_folder_is_looked_at_only_so_far(
    most: int, whole: bool, names: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number of files is limited, and a reached limit is reported."""
    monkeypatch.setattr(story_assets, "MOST", most)
    files = ["se/c.ogg", "se/a.ogg", "se/b.ogg", "se/d/e.ogg"]
    assets = FolderAssets(_make_folder(tmp_path, *files))

    assert whole == assets.whole
    assert names == assets.list_names("se")


def test_no_folder_finds_nothing() -> None:
    """Without a folder, there are no files and no names."""
    assets = FolderAssets()

    assert assets.find("bgm", "a") is None
    assert () == assets.list_names("bgm")
