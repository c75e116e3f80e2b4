import pytest

from saniwa.language.ja.conjugation import find_inflections, find_verb_class


def _list_forms(verb: str, text: str, *, ichidan: bool) -> dict[str, set[str]]:
    """The forms of the readings that cover the whole text, with their marks."""
    body, kind = find_verb_class(verb, ichidan=ichidan)
    found = find_inflections(text, len(body), kind) if text.startswith(body) else ()
    return {i.form: set(i.marks) for i in found if i.end == len(text)}


@pytest.mark.parametrize(
    ("verb", "ichidan", "forms"),
    [
        ("取る", False, "取る 取って 取ります 取れ 取ろう 取りたい 取った 取れます 取っちゃおう 取っとく 取らなきゃ"),
        ("開ける", True, "開ける 開けて 開けます 開けろ 開けよう 開けなさい 開けられます 開けちゃって"),
        ("行く", False, "行く 行って 行きます 行け 行こう 行かせていただきます"),
        ("読む", False, "読む 読んで 読みます 読め 読んだら 読んじゃう 読んどこう 読まなくちゃ 読んだほうがいい"),
        ("置く", False, "置いて 置き 置かずに"),
        ("渡す", False, "渡して 渡し 渡そう 渡していただけません"),
        ("確認する", False, "確認する 確認して 確認します 確認しろ 確認できます 確認しなきゃ 確認しちゃえ"),
        ("来る", False, "来る 来て 来ます"),
        ("くる", False, "きて きます こなきゃ"),
    ],
)  # fmt: skip
def test_a_verb_has_the_forms_people_use(verb: str, ichidan: bool, forms: str) -> None:
    """Plain, polite, asking, ordering and linking forms are read from one dictionary entry."""
    assert [] == [f for f in forms.split() if not _list_forms(verb, f, ichidan=ichidan)]


@pytest.mark.parametrize(
    ("text", "form", "mark"),
    [
        ("取らない", "plain", "neg"),
        ("取りません", "plain", "neg"),
        ("取らないで", "te", "neg"),
        ("取った", "past", "past"),
        ("取られる", "plain", "passive"),
        ("取らせる", "plain", "caus"),
        ("取ってほしい", "plain", "wish"),
        ("取ってもらう", "plain", "recv"),
        ("取ってくれる", "plain", "kure"),
        ("取っている", "plain", "prog"),
        ("取ってはいけない", "plain", "forbid"),
        ("取ってもいい", "plain", "permit"),
        ("取らなければならない", "plain", "duty"),
        ("取ってみたくなかった", "past", "want"),
    ],
)
def test_endings_leave_their_mark(text: str, form: str, mark: str) -> None:
    """Each auxiliary leaves its mark on the form."""
    assert mark in _list_forms("取る", text, ichidan=False)[form]


def test_forms_say_whether_more_follows() -> None:
    """A て form links, a plain form ends a clause, and a stem links before a comma."""
    read = [next(iter(_list_forms("取る", t, ichidan=False))) for t in ("取って", "取る", "取り")]

    assert ["te", "plain", "stem"] == read
