import pytest

from saniwa.language.ja.conjugation import conjugate


@pytest.mark.parametrize(
    ("verb", "ichidan", "made"),
    [
        ("取る", False, {"取る", "取って", "取ります", "取れ", "取ろう", "取りたい", "取った"}),
        ("開ける", True, {"開ける", "開けて", "開けます", "開けろ", "開けよう", "開けなさい"}),
        ("行く", False, {"行く", "行って", "行きます", "行け", "行こう"}),
        ("読む", False, {"読む", "読んで", "読みます", "読め", "読んだら"}),
        ("置く", False, {"置いて", "置き"}),
        ("渡す", False, {"渡して", "渡し", "渡そう"}),
        ("確認する", False, {"確認する", "確認して", "確認します", "確認しろ", "確認"}),
        ("来る", False, {"来る", "来て", "来ます"}),
        ("くる", False, {"きて", "きます", "こなきゃ"}),
        ("取る", False, {"取れます", "取っちゃおう", "取っとく", "取らなきゃ", "取りませんか"}),
        ("読む", False, {"読んじゃう", "読んどこう", "読まなくちゃ", "読んだほうがいい"}),
        ("開ける", True, {"開けられます", "開けちゃって", "開けなければならない", "開けるべき"}),
        ("確認する", False, {"確認できます", "確認しなきゃ", "確認しちゃえ"}),
    ],
)  # fmt: skip
def test_a_verb_makes_the_forms_people_use(verb: str, ichidan: bool, made: set[str]) -> None:
    """Plain, polite, asking, ordering and linking forms all come from one entry."""
    assert made <= {form.text for form in conjugate(verb, ichidan=ichidan)}


def test_no_form_says_no() -> None:
    """Negative forms are not made: they ask for nothing."""
    texts = {form.text for form in conjugate("取る", ichidan=False)}

    assert not {"取らない", "取るな", "取りません"} & texts


def test_forms_say_whether_more_follows() -> None:
    """A て form leads on, a plain form closes, a stem leads on before a comma."""
    kinds = {form.text: form.kind for form in conjugate("取る", ichidan=False)}

    assert ("link", "end", "stem") == (kinds["取って"], kinds["取る"], kinds["取り"])
