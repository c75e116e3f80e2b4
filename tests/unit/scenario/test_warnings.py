from tests.fakes.scenarios import Plain, list_codes, list_findings, make_flat

_BOX: Plain = {"location": "kitchen", "kind": "container", "locked": True}


def _make_locked_hall(key_in: str) -> Plain:
    return make_flat(
        locations={
            "kitchen": {
                "exits": ["hall"],
                "locked_exits": {"hall": {"door_name": "gate", "required_key": "key"}},
            },
            "hall": {"exits": ["kitchen"], "is_goal": True},
        },
        props={"key": {"location": key_in}},
    )


def test_an_exit_without_a_way_back_is_a_warning() -> None:
    """An exit without a way back is a warning, at the exit."""
    (found,) = list_findings(make_flat(locations={"kitchen": {"exits": ["hall"]}, "hall": {}}))

    assert ("ONE_WAY_EXIT", "warning") == (found.code, found.severity)
    assert "locations.kitchen.exits[0]" == found.where.path


def test_a_place_without_a_way_is_a_warning() -> None:
    """A place without an exit to it is a warning; a locked exit counts as one."""
    rooms: Plain = {"kitchen": {}, "hall": {}}

    assert ["PLACE_UNREACHABLE"] == list_codes(make_flat(locations=rooms))
    assert [] == list_codes(_make_locked_hall("kitchen"))


def test_a_key_behind_its_own_door_is_a_warning() -> None:
    """A key behind its own door is a warning, and so is a goal behind it."""
    assert ["GOAL_UNREACHABLE", "KEY_UNREACHABLE"] == sorted(list_codes(_make_locked_hall("hall")))


def test_a_key_in_its_own_box_is_a_warning() -> None:
    """A key inside its own container is a warning."""
    props = {"box": _BOX | {"required_key": "key"}, "key": {"location": "box"}}

    assert ["KEY_UNREACHABLE"] == list_codes(make_flat(props=props))


def test_two_boxes_with_each_others_keys_are_two_warnings() -> None:
    """Two boxes with each other's keys are two warnings."""
    props = {
        "box": _BOX | {"required_key": "pin"},
        "chest": _BOX | {"required_key": "key"},
        "key": {"location": "box"},
        "pin": {"location": "chest"},
    }

    assert ["KEY_UNREACHABLE"] * 2 == list_codes(make_flat(props=props))


def test_a_chain_of_keys_is_followed_to_its_end() -> None:
    """Keys found on the way count, in any order in the file."""
    props: Plain = {f"box{n}": _BOX | {"required_key": f"key{n}"} for n in reversed(range(30))}
    props |= {f"key{n}": {"location": f"box{n - 1}"} for n in range(1, 30)}
    props |= {"key0": {"location": "hall"}}
    props |= {"ring": {"location": "box29"}}

    assert [] == list_codes(
        make_flat(props=props, clear_condition={"type": "hold_object", "target": "ring"})
    )


def test_a_key_that_cannot_be_taken_opens_nothing() -> None:
    """A key that cannot be taken does not count; one held by a character does."""
    fixed = {"location": "hall", "takeable": False}
    held = {"location": "Ann"}

    assert ["KEY_UNREACHABLE"] == list_codes(
        make_flat(props={"box": _BOX | {"required_key": "key"}, "key": fixed})
    )
    assert [] == list_codes(make_flat(props={"box": _BOX | {"required_key": "key"}, "key": held}))


def test_a_lock_that_no_key_fits_is_a_warning() -> None:
    """A lock without a key is a warning."""
    assert ["LOCK_WITHOUT_KEY"] == list_codes(make_flat(props={"box": _BOX}))


def test_a_goal_that_cannot_be_reached_is_a_warning() -> None:
    """Whether a goal is reachable depends on the character it is for."""
    rooms = {"kitchen": {}, "hall": {"exits": ["kitchen"]}}
    people = {"Ann": {"location": "kitchen"}, "Ben": {"location": "hall"}}
    condition = {"type": "reach_location", "target": "hall"}
    allow = {"unidirectional_exits": ["hall"]}

    def lint_goal(actor: str | None) -> list[str]:
        return list_codes(
            make_flat(
                locations=rooms,
                characters=people,
                clear_condition=condition | {"actor": actor},
                lint_allow=allow,
            )
        )

    assert ["GOAL_UNREACHABLE"] == lint_goal("Ann")
    assert [] == lint_goal("Ben")
    assert [] == lint_goal(None)


def test_a_flag_must_be_set_by_something_in_reach() -> None:
    """A flag counts if the thing whose `use` sets it can be reached, with what that needs."""
    condition = {"type": "set_flag", "target": "lit"}
    lamp = {"location": "hall", "attributes": {"use": {"flags": {"lit": True}}}}
    dry = {"location": "hall", "attributes": {"use": {"flags": {"lit": True}, "needs": "oil"}}}
    off = {"location": None}

    assert ["GOAL_UNREACHABLE"] == list_codes(make_flat(clear_condition=condition))
    assert [] == list_codes(make_flat(clear_condition=condition, props={"lamp": lamp}))
    assert ["GOAL_UNREACHABLE"] == list_codes(
        make_flat(clear_condition=condition, props={"lamp": dry, "oil": off})
    )
    assert [] == list_codes(
        make_flat(clear_condition=condition, props={"lamp": dry, "oil": {"location": "Ann"}})
    )
    assert [] == list_codes(make_flat(clear_condition=condition, flags={"lit": True}))


def test_an_empty_stage_is_no_reason_to_warn_of_places() -> None:
    """Without characters on stage, no place is reported as unreachable."""
    assert [] == list_codes(make_flat(characters={"Ann": {"location": None}}))


def test_a_door_without_a_name_is_a_warning() -> None:
    """A door without a name is a warning, unless its id is a word."""

    def lint_door(id: str, **more: str) -> list[str]:
        return list_codes(make_flat(props={id: {"connects": ["kitchen", "hall"]} | more}))

    assert ["DOOR_NAMELESS"] == lint_door("cellar_door")
    assert ["DOOR_NAMELESS"] == lint_door("door1")
    assert ["DOOR_NAMELESS"] == lint_door("cellarDoor")
    assert [] == lint_door("cellar_door", name="cellar door")
    assert [] == lint_door("gate")
    assert [] == lint_door("青い扉")


def test_two_items_that_differ_in_a_capital_are_a_warning() -> None:
    """Two items whose names differ only in case are a warning."""

    def lint_two(**more: str) -> list[str]:
        props = {"key": {"location": "hall"}, "Key": {"location": "hall"} | more}
        return list_codes(make_flat(props=props))

    assert ["ID_ALIKE"] == lint_two()
    assert [] == lint_two(name="brass key")
    assert ["ID_ALIKE"] == list_codes(make_flat(props={"ann": {"location": "hall"}}))
