import pytest

from saniwa.experiment.output.output_folder import (
    make_folder_name,
    name_attempt_file,
    name_raw_file,
)


@pytest.mark.parametrize("key", ["trial_D_house_0", "x_D+model=small_台所_3", "a b_A_c_0"])
def test_ordinary_keys_are_names_of_folders_as_they_are(key: str) -> None:
    """A cell's folder has the same name as its key."""
    assert key == make_folder_name(key)


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("../../etc_A_x_0", "%2E./..%2Fetc_A_x_0".replace("/", "%2F")),
        ("a/b", "a%2Fb"),
        ("a\\b", "a%5Cb"),
        ("a\nb\0", "a%0Ab%00"),
        ("a%2Fb", "a%252Fb"),
        ("a\ud800", "a%ED%A0%80"),
    ],
)
def test_what_leads_elsewhere_is_spelled_out(key: str, expected: str) -> None:
    """No key acts as a path, and no two keys share a name."""
    assert expected == make_folder_name(key)


def test_long_keys_are_cut_and_stay_apart() -> None:
    """A name fits any file system, including one with wide letters."""
    one, other = make_folder_name("豆" * 500 + "1"), make_folder_name("豆" * 500 + "2")
    assert one != other
    assert max(len(one.encode()), len(other.encode())) <= 200


def test_turns_are_numbered_with_three_digits() -> None:
    """The files of a folder sort in the order of the turns."""
    assert ["turn_007_raw_output.txt", "turn_007_attempt_1_raw_output.txt"] == [
        name_raw_file(7),
        name_attempt_file(7, 1),
    ]
