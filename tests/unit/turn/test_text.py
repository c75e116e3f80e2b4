from saniwa.language.text import NAMES, QUOTE, fold_text, is_blank, prepare_text


def test_width_case_and_composition_do_not_count() -> None:
    """Full width, capitals and decomposed characters fold into one spelling."""
    assert "brass key" == fold_text("ＢＲＡＳＳ　Key")
    assert fold_text("が") == fold_text("か\u3099")
    assert "カギ" == fold_text("ｶｷﾞ")


def test_nothing_to_read_is_blank() -> None:
    """Spaces, control and zero-width characters alone are blank."""
    assert is_blank(" \t\n\0\u200b　")
    assert not is_blank(" . ")


def test_quotations_are_lifted_out_untouched() -> None:
    """A quotation keeps its characters, and leaves one mark in the text."""
    heard = prepare_text("Say “ＡＢＣ and go” then 「行け」 or 'no'", ())

    assert ("ＡＢＣ and go", "行け", "no") == heard.quotes
    assert 3 == heard.text.count(QUOTE)


def test_an_open_quotation_runs_to_the_end() -> None:
    """A quotation without a closing mark extends to the end."""
    assert ("take the key",) == prepare_text('say "take the key', ()).quotes


def test_apostrophes_are_no_quotation_marks() -> None:
    """Apostrophes are not quotation marks."""
    assert () == prepare_text("the keeper's key and the cook's pot", ()).quotes


def test_the_longest_name_is_covered_first() -> None:
    """The longest name is masked first."""
    heard = prepare_text("take bread and butter", ("bread", "butter", "bread and butter"))

    assert 1 == len({c for c in heard.mask if c in NAMES})
    assert 16 == sum(c in NAMES for c in heard.mask)


def test_a_name_is_not_found_inside_a_word() -> None:
    """A name inside an English word is not found; in Japanese it is, as words have no spaces."""
    assert "monkey" == prepare_text("monkey", ("key",)).mask
    assert prepare_text("鍵束", ("鍵",)).mask[0] in NAMES


def test_two_names_side_by_side_stay_two() -> None:
    """Adjacent names have different marks."""
    assert set(NAMES) == set(prepare_text("鍵本", ("鍵", "本")).mask)


def test_quotations_come_back_into_words_that_are_shown() -> None:
    """Words shown to people contain their quotations again."""
    heard = prepare_text('foo "bar" baz', ())

    assert "foo “bar” baz" == heard.extract_span(0, len(heard.text))
