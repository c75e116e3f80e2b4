from saniwa.core.findings import Finding
from saniwa.documents.document import parse_document
from saniwa.experiment.plan_reader import PlanReadResult, read_plan


def _read_plan_text(text: str) -> PlanReadResult:
    return read_plan(parse_document("scenarios: [default]\n" + text, "plan.yaml"))


def _list_names(text: str) -> list[str]:
    read = _read_plan_text(text)
    assert () == read.report.findings
    assert read.authored is not None
    return [each.name for each in read.authored.plan.conditions]


def _list_findings(text: str) -> list[Finding]:
    return list(_read_plan_text(text).report.findings)


def test_on_and_off_are_switches() -> None:
    """YAML's `on` is read as text and means the same as true."""
    assert ["A", "B"] == _list_names("factors: {inject: [off, on], gm: off}\n")
    assert ["A", "B"] == _list_names("factors: {inject: [false, true], gm: false}\n")


def test_a_further_factor_is_reported_in_the_names() -> None:
    """A name is the letter of the 2×2, then each factor of several levels with its level."""
    names = _list_names("conditions: [A, D]\nfactors: {language: [en, ja], prompt: [plain]}\n")

    assert ["A+language=en", "A+language=ja", "D+language=en", "D+language=ja"] == names


def test_a_factor_of_one_level_is_a_setting() -> None:
    """A factor with one level applies to every condition and is not part of the names."""
    read = _read_plan_text("factors: {prompt: [strict]}\nconditions: [D]\n")
    assert read.authored is not None
    made = read.authored.plan

    assert [("D", "strict")] == [(each.name, each.prompt) for each in made.conditions]
    assert ("strict",) == made.factors["prompt"]


def test_a_setting_may_be_at_the_top() -> None:
    """A setting that is the same everywhere may be written at the top of the plan."""
    read = _read_plan_text("prompt: strict\nlanguage: ja\nconditions: D\n")
    assert read.authored is not None

    assert [("strict", "ja")] == [
        (each.prompt, each.language) for each in read.authored.plan.conditions
    ]


def test_a_setting_is_one_and_not_said_twice() -> None:
    """A list at the top is an error, and so is giving a setting in both places."""
    listed = _list_findings("prompt: [plain, strict]\n")
    twice = _list_findings("prompt: plain\nfactors: {prompt: [strict]}\n")

    assert ["WRONG_TYPE"] == [each.code for each in listed]
    assert "factors.prompt" in listed[0].hint
    assert ["DUPLICATE_KEY"] == [each.code for each in twice]


def test_letters_and_switches_do_not_both_decide() -> None:
    """`conditions` and `factors.inject` in one file contradict each other."""
    found = _list_findings("conditions: [A]\nfactors: {inject: [on]}\n")

    assert [("DUPLICATE_KEY", 3)] == [(each.code, each.where.line) for each in found]


def test_a_book_is_known_by_its_name_and_found_by_its_file() -> None:
    """A condition holds the rulebook's name, not its path; a file is known by its stem."""
    read = _read_plan_text("factors: {rulebook: [scenario, strict, books/polite.yaml]}\n")
    assert read.authored is not None

    assert ("", "strict", "polite.yaml") == read.authored.plan.factors["rulebook"]
    assert {"polite.yaml": "books/polite.yaml"} == read.authored.books
    assert "A+rulebook=own" in [each.name for each in read.authored.plan.conditions]


def test_two_books_of_one_name_are_distinguished() -> None:
    """Two rulebook files with the same name could not be told apart in the results."""
    found = _list_findings("factors: {rulebook: [a/one.yaml, b/one.yaml]}\n")

    assert ["DUPLICATE_KEY"] == [each.code for each in found]


def test_a_model_makes_a_plan_real() -> None:
    """A plan that names a model is in mode real."""
    read = _read_plan_text("model: openai:gpt-5-mini\n")
    assert read.authored is not None

    assert "real" == read.authored.plan.mode


def test_a_real_experiment_needs_a_model_to_ask() -> None:
    """A plan in mode real without a model or an address is refused."""
    found = _list_findings("mode: real\n")

    assert [("FIELD_MISSING", "in mode 'real' a plan needs 'model'")] == [
        (each.code, each.message) for each in found
    ]


def test_a_factor_without_use_is_reported() -> None:
    """A factor that changes nothing is an error; a setting that changes nothing is a warning."""
    models = _list_findings("mode: sim\nfactors: {model: ['ollama:a', 'ollama:b']}\n")
    one = _list_findings("mode: sim\nmodel: ollama:a\n")

    assert [("UNKNOWN_VALUE", "error")] == [(f.code, f.severity) for f in models]
    assert [("KEY_UNUSED", "warning")] == [(f.code, f.severity) for f in one]


def test_fault_profiles_are_known_and_used() -> None:
    """An unknown fault profile is an error, an unused one a warning."""
    text = "factors: {faults: [usual, carelss]}\nfaults: {careless: {invent: 60}}\n"
    found = {each.code: each for each in _list_findings(text)}

    assert {"UNKNOWN_VALUE", "KEY_UNUSED"} == found.keys()
    assert "did you mean 'careless'?" == found["UNKNOWN_VALUE"].hint


def test_too_many_conditions_are_not_crossed() -> None:
    """A plan with a billion conditions is refused at once."""
    warmth = ", ".join(f"{n / 1000:g}" for n in range(1, 600))
    found = _list_findings(
        f"mode: real\nmodel: fuzz:1\nfactors: {{temperature: [{warmth}], language: [en, ja]}}\n"
    )

    assert ["PLAN_TOO_LARGE"] == [each.code for each in found]
