from saniwa.core.errors import SchemaValidationError, ValidationErrorCode
from saniwa.scenario.loader import ValidationResult, validate_scenario
from tests.fakes.scenarios import make_flat


def test_a_sound_scenario_passes_without_errors() -> None:
    """A valid scenario has the contract's result without errors."""
    assert ValidationResult(passed=True, errors=[]) == validate_scenario(make_flat())


def test_the_built_in_scenario_passes() -> None:
    """None means the built-in scenario, which passes."""
    assert validate_scenario(None).passed


def test_every_error_is_collected_with_its_code() -> None:
    """Every error has the contract's code and class."""
    result = validate_scenario(
        make_flat(
            locations={"kitchen": {"exits": ["存在しない部屋"]}},
            characters={"Ann": {"location": "nowhere"}},
            props={"cup": {"location": "nobody"}},
        )
    )

    assert not result.passed
    assert ["CHAR_LOCATION_MISSING", "EXIT_TARGET_MISSING", "OBJ_LOCATION_MISSING"] == sorted(
        result.error_codes
    )
    assert all(isinstance(e, SchemaValidationError) for e in result.errors)
    assert ValidationErrorCode.EXIT_TARGET_MISSING in [e.code for e in result.errors]


def test_the_expected_id_is_compared_with_the_name() -> None:
    """The expected id is compared with the name."""
    result = validate_scenario(make_flat(name="different_name"), "test_scenario")

    assert ["SCENARIO_ID_MISMATCH"] == result.error_codes


def test_codes_beyond_the_eight_have_a_value_too() -> None:
    """A code beyond the contract's eight can be read from `code.value` too."""
    assert ["WRONG_TYPE"] == validate_scenario(make_flat(notes=3)).error_codes
