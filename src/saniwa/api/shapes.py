"""The JSON Schemas of the structs that go in and out.

What is asked may leave out whatever has a default; what is answered is always whole, and
its schema says so.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, get_args, get_origin

import msgspec
from msgspec import NODEFAULT, inspect

_REF: Final = "#/components/schemas/"
_ODD: Final = re.compile(r"[^A-Za-z0-9._-]+")


def shapes_of(
    takes: Iterable[Any], answers: Iterable[Any]
) -> tuple[dict[Any, Any], dict[str, Any]]:
    """The schema of each struct, and the schemas that those refer to, by name."""
    asked, told = list(dict.fromkeys(takes)), list(dict.fromkeys(answers))
    types = list(dict.fromkeys([*asked, *told]))
    found, parts = msgspec.json.schema_components(types, ref_template=_REF + "{name}")
    shapes, components = dict(zip(types, found, strict=True)), dict(parts)
    going_in = _reached((shapes[each] for each in asked), components)
    for name, whole in _whole(told):
        shape = components.get(name)
        if name not in going_in and shape is not None:
            shape["required"] = [each for each in shape["properties"] if each in whole]
    return shapes, components


def _reached(roots: Iterable[Any], components: Mapping[str, Any]) -> set[str]:
    """The names of everything that some schemas refer to."""
    seen: set[str] = set()
    waiting = [name for root in roots for name in _refs(root)]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += _refs(components[name])
    return seen


def _refs(shape: Any) -> Iterator[str]:
    match shape:
        case {"$ref": str(place)}:
            yield place.removeprefix(_REF)
        case {"discriminator": dict(), **rest}:
            yield from _refs(rest)
        case dict():
            for value in shape.values():
                yield from _refs(value)
        case list():
            for value in shape:
                yield from _refs(value)


def _whole(types: Iterable[Any]) -> Iterator[tuple[str, set[str]]]:
    """For each struct that is always written whole: its schema's name, and its fields."""
    seen: set[Any] = set()
    waiting: list[Any] = list(inspect.multi_type_info(types))
    while waiting:
        info = waiting.pop()
        if isinstance(info, inspect.StructType):
            if info.cls in seen:
                continue
            seen.add(info.cls)
            own = get_origin(info.cls) or info.cls
            if not own.__struct_config__.omit_defaults:
                told = {f.encode_name for f in info.fields if not _may_lack(f)}
                yield _named(info.cls), told | _tag(info)
        waiting += _within(info)


def _named(cls: Any) -> str:
    """The name a struct's schema goes by; that of `Page[Slot]` is `Page_Slot_`."""
    own, parts = get_origin(cls), get_args(cls)
    if own is None:
        return str(cls.__name__)
    return _ODD.sub("_", f"{own.__name__}[{', '.join(_named(each) for each in parts)}]")


def _tag(info: inspect.StructType) -> set[str]:
    return {info.tag_field} if info.tag_field else set()


def _may_lack(field: inspect.Field) -> bool:
    """Whether a field may be left out of what is written, for it may be unset."""
    unset = field.default is NODEFAULT and field.default_factory is NODEFAULT
    return unset and not field.required


def _within(info: Any) -> list[Any]:
    """The types that a type is made of."""
    found = [field.type for field in getattr(info, "fields", ())]
    for name in ("type", "item_type", "key_type", "value_type"):
        part = getattr(info, name, None)
        if part is not None:
            found.append(part)
    found += [*getattr(info, "types", ()), *getattr(info, "item_types", ())]
    return found
