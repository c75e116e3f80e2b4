"""JSON Schemas of the structs in requests and answers.

A request may omit every field with a default; an answer always has all fields, and its
schema says so.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, get_args, get_origin

import msgspec
from msgspec import NODEFAULT, inspect

_REF_PREFIX: Final = "#/components/schemas/"
_UNSAFE_CHARS: Final = re.compile(r"[^A-Za-z0-9._-]+")


def build_schemas(
    takes: Iterable[Any], answers: Iterable[Any]
) -> tuple[dict[Any, Any], dict[str, Any]]:
    """Return the schema of each struct, and the schemas they refer to, by name."""
    requested, answered = list(dict.fromkeys(takes)), list(dict.fromkeys(answers))
    types = list(dict.fromkeys([*requested, *answered]))
    found, parts = msgspec.json.schema_components(types, ref_template=_REF_PREFIX + "{name}")
    shapes, components = dict(zip(types, found, strict=True)), dict(parts)
    going_in = _find_reachable((shapes[each] for each in requested), components)
    for name, fields in _find_full_structs(answered):
        shape = components.get(name)
        if name not in going_in and shape is not None:
            shape["required"] = [each for each in shape["properties"] if each in fields]
    return shapes, components


def _find_reachable(roots: Iterable[Any], components: Mapping[str, Any]) -> set[str]:
    """Return the names of all schemas that are reachable from some schemas."""
    seen: set[str] = set()
    waiting = [name for root in roots for name in _find_refs(root)]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += _find_refs(components[name])
    return seen


def _find_refs(shape: Any) -> Iterator[str]:
    match shape:
        case {"$ref": str(place)}:
            yield place.removeprefix(_REF_PREFIX)
        case {"discriminator": dict(), **rest}:
            yield from _find_refs(rest)
        case dict():
            for value in shape.values():
                yield from _find_refs(value)
        case list():
            for value in shape:
                yield from _find_refs(value)


def _find_full_structs(types: Iterable[Any]) -> Iterator[tuple[str, set[str]]]:
    """Yield each struct that is always written in full: schema name and fields."""
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
                fields = {f.encode_name for f in info.fields if not _may_be_unset(f)}
                yield _find_schema_name(info.cls), fields | {info.tag_field or ""}
        waiting += _list_inner_types(info)


def _find_schema_name(cls: Any) -> str:
    """Return the name of a struct's schema; that of `Page[Slot]` is `Page_Slot_`."""
    own, parts = get_origin(cls), get_args(cls)
    if own is None:
        return str(cls.__name__)
    return _UNSAFE_CHARS.sub(
        "_", f"{own.__name__}[{', '.join(_find_schema_name(each) for each in parts)}]"
    )


def _may_be_unset(field: inspect.Field) -> bool:
    """Whether a field may be omitted in the output, because it may be unset."""
    unset = field.default is NODEFAULT and field.default_factory is NODEFAULT
    return unset and not field.required


def _list_inner_types(info: Any) -> list[Any]:
    """Return the types that a type is made of."""
    parts = (getattr(info, name, None) for name in ("type", "item_type", "key_type", "value_type"))
    return [
        *(field.type for field in getattr(info, "fields", ())),
        *(part for part in parts if part is not None),
        *getattr(info, "types", ()),
        *getattr(info, "item_types", ()),
    ]
