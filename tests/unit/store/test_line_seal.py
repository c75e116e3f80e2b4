import pytest

from saniwa.store.json_lines_file import seal_line, unseal_line

_ENTRY = b'{"answer":"yes","number":1}'


@pytest.mark.parametrize("entry", [_ENTRY, b"{}", b'{"a":{"b":[]}}'])
def test_what_was_sealed_comes_back(entry: bytes) -> None:
    """An unsealed line has the same bytes."""
    assert entry == unseal_line(seal_line(entry))


def test_no_single_bit_can_change_without_a_word() -> None:
    """A line with one flipped bit is refused, or has the same content."""
    line = seal_line(_ENTRY)
    silent = []
    for number in range(len(line) * 8):
        flipped = bytearray(line)
        flipped[number // 8] ^= 1 << number % 8
        try:
            silent.append(unseal_line(bytes(flipped)))
        except ValueError:
            continue

    # Only damage in the seal itself is left: the content is unchanged.
    assert silent
    assert {_ENTRY[:-1]} == {kept[: len(_ENTRY) - 1] for kept in silent}


def test_a_line_without_a_seal_is_taken_as_it_is() -> None:
    """A line without a seal is returned unchanged."""
    assert b'{"seal":"mine"}' == unseal_line(b'{"seal":"mine"}')
    assert _ENTRY == unseal_line(_ENTRY)
