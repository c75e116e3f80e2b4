"""Reads the mappings of every authored format: known keys, right types, no duplicates.

A format is a table: a `RecordForm` for each kind of mapping, a `ValueKind` for each key.
`make_form` makes the table of a record type from its annotations, and the form then
builds such records. The same tables give a JSON Schema; see `json_schema`. camelCase and
snake_case are both read, a key that begins with `_` is the author's own, and `$schema`
at the top is for editors. If one file overrides another, the upper value counts, key by
key.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import isfinite
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

from saniwa.core.text import quote_value
from saniwa.documents.finding_collector import KeyPath, Located

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SNAKE = re.compile(r"(?<!_)_++([a-z0-9])")


def to_snake(key: str) -> str:
    """Convert a key to snake_case."""
    return _HUMP.sub("_", key).lower()


def to_camel(key: str) -> str:
    """Convert a key to camelCase."""
    return _SNAKE.sub(lambda found: found[1].upper(), key)


MOST_COUNTED = 1_000_000_000
"""The largest count of anything."""
LONGEST_TEXT = 100_000
"""The most characters of a text."""
_WORD = re.compile(r"\w[\w.-]*").fullmatch
_TYPES = (
    (bool, "true or false"),
    (str, "text"),
    (int, "a number"),
    (float, "a fraction"),
    (list, "a list"),
    (dict, "a mapping"),
)


_OLD_FLAGS = {"yes": "true", "on": "true", "no": "false", "off": "false"}
"""What words that YAML 1.1 read as true or false should be."""


def describe_type(value: Any) -> str:
    """Return the usual name for the type of a value."""
    return next((name for kind, name in _TYPES if isinstance(value, kind)), "nothing")


def is_whole(value: Any) -> bool:
    """Whether it is an integer, and neither true nor false."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Whether it is a finite number."""
    return is_whole(value) or (isinstance(value, float) and isfinite(value))


def is_text(value: Any) -> bool:
    """Whether it is a text that is not too long."""
    return isinstance(value, str) and len(value) <= LONGEST_TEXT


@dataclass(frozen=True, kw_only=True)
class ValueKind:
    """What the value of a key must be."""

    wanted: str = ""
    """The description in messages; it follows `must be`."""
    fits: Callable[[Any], bool] = lambda _: True
    """Whether a value is valid."""
    schema: Any = field(default_factory=dict)
    """Its JSON Schema; a `RecordForm` in it is a reference, a function is called for it."""
    told: bool = False
    """Whether messages show the value instead of its type."""
    hides: str = ""
    """A character of values that are not shown: a password may precede it."""
    code: str = "WRONG_TYPE"
    """The code of the finding."""
    hint: Callable[[Located], str] = lambda _: ""
    """Returns a hint for an invalid value."""
    inside: Callable[[Located], bool] | None = None
    """Whether the contents are valid, too; reports invalid ones."""
    is_good: Callable[[Any], bool] | None = None
    """Whether a value is valid with its contents: a quick answer, in place of both."""
    build: Callable[[Located], Any] | None = None
    """Makes the value that a record takes; None if it takes it as written."""
    keeps_items: bool = False
    """Whether the texts of a list are kept if others of its items are malformed."""
    choices: tuple[str, ...] = ()
    """The only texts it can be."""
    synonyms: Mapping[str, str] = field(default_factory=dict)
    """Words of other systems for the choices."""
    form: "RecordForm | None" = None
    """The form of a mapping."""
    is_nullable: bool = False
    """Whether null has a meaning; for other keys it is the same as no key."""
    is_unused: bool = False
    """Whether nothing uses the key; a note says so."""


def check_texts(held: Located) -> bool:
    """Whether every item of a list is a text; a finding for each that is not."""
    good = True
    for item in held.list_items() if isinstance(held.value, list) else ():
        if not isinstance(item.value, str) or not item.value:
            good = False
            add_type_error(item, "an item", "a non-empty text")
    return good


def add_type_error(
    held: Located,
    what: str,
    wanted: str,
    *,
    code: str = "WRONG_TYPE",
    told: bool = False,
    hint: str = "",
) -> None:
    """Add a finding: the value is not `wanted`."""
    shown = quote_value(held.value) if told else describe_type(held.value)
    held.add_error(code, f"{what} must be {wanted}, not {shown}", hint=hint)


def suggest_flag(held: Located) -> str:
    """Return a hint for a text that should be true or false."""
    if not isinstance(held.value, str):
        return ""
    meant = _OLD_FLAGS.get(held.value.lower())
    if meant:
        return f"write {meant}: in YAML 1.2, {held.value} is text"
    return "write true or false, without quotes"


def _is_count(least: int) -> Callable[[Any], bool]:
    return lambda value: is_whole(value) and least <= value <= MOST_COUNTED


def _make_count(least: int) -> ValueKind:
    return ValueKind(
        wanted=f"a whole number from {least} to {MOST_COUNTED}",
        fits=_is_count(least),
        schema={"type": "integer", "minimum": least, "maximum": MOST_COUNTED},
        told=True,
    )


ANYTHING = ValueKind()
UNUSED = ValueKind(is_unused=True)
TEXT = ValueKind(wanted="text", fits=is_text, schema={"type": "string"})
WORDS = ValueKind(
    wanted="a non-empty text",
    fits=lambda v: is_text(v) and v.strip() != "",
    schema={"type": "string", "pattern": r"\S"},
)
WORD = ValueKind(
    wanted="one word, which is part of a file's name",
    fits=lambda v: is_text(v) and _WORD(v) is not None,
    schema={"type": "string"},
    told=True,
)
TEXTS = ValueKind(
    wanted="a list of strings",
    fits=lambda v: isinstance(v, list),
    schema={"type": "array", "items": {"type": "string", "minLength": 1}},
    inside=check_texts,
    build=lambda held: tuple(held.value),
    keeps_items=True,
)
FLAG = ValueKind(
    wanted="true or false", fits=lambda v: isinstance(v, bool), schema={"type": "boolean"}
)
NUMBER = ValueKind(wanted="a number", fits=is_number, schema={"type": "number"})
WHOLE = ValueKind(
    wanted="a whole number",
    fits=lambda v: is_whole(v) and abs(v) < 2**63,
    schema={"type": "integer"},
)
COUNT = _make_count(1)
AMOUNT = _make_count(0)
MAPPING = ValueKind(
    wanted="a mapping", fits=lambda v: isinstance(v, dict), schema={"type": "object"}
)
LIST = ValueKind(wanted="a list", fits=lambda v: isinstance(v, list), schema={"type": "array"})


def make_choice(*choices: str, synonyms: Mapping[str, str] | None = None) -> ValueKind:
    """Return the kind of a text that must be one of a few."""
    return replace(TEXT, schema={"enum": [*choices]}, choices=choices, synonyms=synonyms or {})


def make_record(form: "RecordForm", kind: ValueKind = MAPPING) -> ValueKind:
    """Return the kind of a mapping of this form."""
    return replace(kind, form=form, schema=form, build=form.build if form.record else None)


def make_listed(form: Any, kind: ValueKind = LIST) -> ValueKind:
    """Return the kind of a list of mappings of this form, or of values of a schema."""
    return replace(kind, schema={"type": "array", "items": form})


def make_named(form: Any, kind: ValueKind = MAPPING) -> ValueKind:
    """Return the kind of a mapping from names to mappings of this form."""
    return replace(kind, schema={"type": "object", "additionalProperties": form})


@dataclass(frozen=True)
class Notation:
    """How the keys of one format are spelled."""

    normalize: Callable[[str], str]
    """Returns a key as it is published: in camelCase or in snake_case."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Other spellings of keys."""
    guesses: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Keys that authors try; the first meaning that the mapping knows is suggested."""
    counts_typos: bool = False
    """Whether a misspelled key counts as the one it resembles, so that this is not
    reported as missing."""
    is_lenient: bool = True
    """Whether null is the same as no key, and `_` begins the author's own keys."""

    def resolve_key(self, key: str, form: Collection[str]) -> str:
        """Return the key as it is published."""
        if key in form:
            return key
        name = self.normalize(key)
        return name if name in form else self.aliases.get(name, name)

    def find_inner(self, held: Located, name: str | int) -> Located:
        """Return the value of a key or an index; `held` itself if there is none."""
        value = held.value
        if isinstance(name, int):
            exists = isinstance(value, list) and name < len(value)
            return held.make_inner(name, value[name]) if exists else held
        for key in value if isinstance(value, dict) else ():
            if name in (key, self.resolve_key(key, (name,))):
                return held.make_inner(key, value[key])
        return held

    def add_unknown_key(self, held: Located, key: str, form: "RecordForm", owner: str) -> set[str]:
        """Report an unknown key; return the key that was probably meant, if any."""
        if key.startswith("_") or (key == "$schema" and len(held.path) == 1):
            return set()
        spelled = self.normalize(key)
        guesses = (name for name in self.guesses.get(spelled, ()) if name in form)
        near = next(guesses, "") or held.page.find_nearest(spelled, form)
        hint = form.key_hint or "start it with '_' to keep it as your own note"
        hint = f"did you mean {near!r}?" if near else hint
        message = f"{owner} has no key {quote_value(key)}"
        held.add_error("UNKNOWN_KEY", message, hint=hint, key=True)
        return {near} if near and self.counts_typos else set()

    def add_duplicate_key(self, held: Located, name: str, key: str, first: str) -> None:
        """Report a key that means the same as one before it."""
        del name
        add_duplicate_key(held, key, first)

    def add_missing_key(self, held: Located, name: str, owner: str, hint: str) -> None:
        """Report a required key that is missing."""
        message, details = f"{owner} needs {name!r}", {"field": name}
        cure = hint or f"add {name!r}"
        held.page.add_error("FIELD_MISSING", message, held.path, hint=cure, details=details)

    def add_wrong_value(self, held: Located, kind: ValueKind, what: str) -> None:
        """Report a value that is not of its kind."""
        told = kind.told and isinstance(held.value, str | int | float)
        if kind.hides and kind.hides in str(held.value):
            told = False
        hint = kind.hint(held)
        add_type_error(held, what, kind.wanted, code=kind.code, told=told, hint=hint)


CAMEL = Notation(to_camel, counts_typos=True)
PLAIN = Notation(str, counts_typos=True)
"""Keys only as they are published."""


class RecordForm(dict[str, ValueKind]):
    """The keys of one kind of mapping, as they are published, each with its kind."""

    def __init__(
        self,
        owner: str,
        fields: Mapping[str, ValueKind],
        *,
        required: Collection[str] = (),
        notation: Notation = CAMEL,
        schema: Mapping[str, Any] | None = None,
        record: type[msgspec.Struct] | None = None,
        finish: "Callable[[LocatedFields], Any] | None" = None,
        key_hint: str = "",
    ) -> None:
        """Make a form; a row of `fields` may name several keys, with spaces between.

        `required` may be a mapping from names to hints for those that are missing.
        """
        super().__init__((name, kind) for names, kind in fields.items() for name in names.split())
        self.owner = owner
        """What has these keys, in messages."""
        self.required = required
        self.notation = notation
        self.schema = schema or {}
        """More rules for the JSON Schema."""
        self.record = record
        """The record type that it builds, if any."""
        self.finish = finish
        """Makes the record of fields, if that takes more than a copy of them."""
        self.key_hint = key_hint
        """The hint for an unknown key, if it is not the usual one."""
        self.names: dict[str, str] = {}
        """The names of the record's fields, by key; missing ones are in snake_case."""
        self._choices = [(name, kind) for name, kind in self.items() if kind.choices]
        used = ((name, kind) for name, kind in self.items() if not kind.is_unused)
        quick = (
            (name, kind.is_good or kind.fits)
            for name, kind in used
            if kind.inside is None or kind.is_good
        )
        self._checks = dict(quick)

    def build(self, held: Located) -> Any:
        """Return the record of a mapping; a struct's defaults stand for missing keys."""
        found = self.read(held)
        return self.finish(found) if self.finish else found.build_record()

    def read(self, held: Located, owner: str = "") -> "LocatedFields":
        """Return the known, well-formed fields of a mapping; findings for the rest."""
        owner = owner or self.owner
        found = self._read_layers(held, owner)
        for name, kind in self._choices:
            found.check_choice(name, kind)
        if self.required and (isinstance(held.value, dict) or not held.path):
            found.check_required(self.required, owner)
        return found

    def _read_layers(self, held: Located, owner: str) -> "LocatedFields":
        found = LocatedFields(held, self)
        if held.below is not None:
            lower = self._read_layers(held.below, owner)
            found.update(lower)
            found.malformed = lower.malformed
        value, path, page, _ = held
        if not isinstance(value, dict):
            self.notation.add_wrong_value(held, MAPPING, owner)
            return found
        seen: dict[str, str] = {}
        # Well-formed keys take the short way: large worlds have many.
        checks = self._checks if held.below is None else {}
        for key, inner in value.items():
            located = Located(inner, (*path, key), page)
            if inner is not None and key in checks and key not in seen and checks[key](inner):
                seen[key] = key
                found[key] = located
            else:
                self._read_key(key, located, seen, found, owner)
        return found

    def _read_key(
        self, key: str, held: Located, seen: dict[str, str], found: "LocatedFields", owner: str
    ) -> None:
        name = key if key in self else self.notation.resolve_key(key, self)
        kind = self.get(name)
        if kind is None:
            found.malformed |= self.notation.add_unknown_key(held, key, self, owner)
        elif name in seen:
            self.notation.add_duplicate_key(held, name, key, seen[name])
        elif held.value is not None or kind.is_nullable or not self.notation.is_lenient:
            seen[name] = key
            found.add_field(name, held, kind)


NOT_WRITTEN = ValueKind()
"""Marks a field of a record that no file has."""
KINDS: Mapping[Any, ValueKind] = {
    str: TEXT,
    bool: FLAG,
    int: WHOLE,
    float: NUMBER,
    dict: MAPPING,
    tuple: LIST,
    Any: replace(ANYTHING, is_nullable=True),
    tuple[str, ...]: TEXTS,
}
"""The kinds of values for the types of a record's fields."""
_FORMS: dict[Any, RecordForm] = {}


def make_form(
    owner: str,
    record: type[msgspec.Struct],
    more: Mapping[str, ValueKind] | None = None,
    *,
    kinds: Mapping[Any, ValueKind] = KINDS,
    choose: Callable[..., ValueKind] = make_choice,
    required: Collection[str] | None = None,
    notation: Notation = CAMEL,
    schema: Mapping[str, Any] | None = None,
    finish: "Callable[[LocatedFields], Any] | None" = None,
) -> RecordForm:
    """Make the form of a record type.

    A field's kind is the `ValueKind` of its annotation, else that of its type; a text in
    its annotation is its key in files. A field without a default is required. `more` are
    keys that are no field, or other kinds; `choose` makes the kind of a literal type.
    """
    fields = dict[str, ValueKind]()
    names = dict[str, str]()
    needed = list[str]()
    for each in msgspec.structs.fields(record):
        kind = _find_kind(each.type, kinds, choose)
        if kind is NOT_WRITTEN:
            continue
        marks = get_args(each.type)[1:] if get_origin(each.type) is Annotated else ()
        key = next((mark for mark in marks if isinstance(mark, str)), each.encode_name)
        fields[key], names[key] = kind, each.name
        if each.required:
            needed.append(key)
    form = RecordForm(
        owner,
        fields | {name: kind for rows, kind in (more or {}).items() for name in rows.split()},
        required=needed if required is None else required,
        notation=notation,
        schema=schema,
        record=record,
        finish=finish,
    )
    form.names.update(names)
    _FORMS[record] = form
    return form


def _find_kind(
    written: Any, kinds: Mapping[Any, ValueKind], choose: Callable[..., ValueKind]
) -> ValueKind:
    origin, inner = get_origin(written), get_args(written)
    if origin is Annotated:
        marked = next((each for each in inner[1:] if isinstance(each, ValueKind)), None)
        return marked or _find_kind(inner[0], kinds, choose)
    if written in kinds:
        return kinds[written]
    if origin in (Union, UnionType):
        (written,) = (each for each in inner if each not in (NoneType, msgspec.UnsetType))
        return _find_kind(written, kinds, choose)
    if origin is Literal:
        return choose(*inner)
    return make_record(_FORMS[written]) if written in _FORMS else kinds[origin]


def add_duplicate_key(held: Located, key: str, first: str) -> None:
    """Report a key that means the same as one before it."""
    message = f"the key {key!r} repeats {first!r}"
    held.add_error("DUPLICATE_KEY", message, key=True, hint="keep one of the two")


def is_well_formed(
    held: Located, kind: ValueKind, what: str = "", notation: Notation = CAMEL
) -> bool:
    """Whether the value is of a kind; a finding if not, which calls it by its key."""
    if kind.fits(held.value):
        return kind.inside is None or kind.inside(held)
    notation.add_wrong_value(held, kind, what or repr(held.path[-1]))
    return False


class LocatedFields(dict[str, Located]):
    """The well-formed fields of a mapping under their published names."""

    def __init__(self, held: Located, form: RecordForm) -> None:
        self.held = held
        self.form = form
        self.malformed: set[str] = set()
        """Fields that are present but malformed: their findings are already reported."""

    def add_field(self, name: str, inner: Located, kind: ValueKind) -> None:
        """Add a field; an invalid one also removes the value it overrides."""
        if kind.is_unused:
            message = f"{quote_value(name)} is not used here; it is kept"
            inner.page.add_note("KEY_UNUSED", message, inner.path)
        elif (inner.value is None and kind.is_nullable) or is_well_formed(
            inner, kind, notation=self.form.notation
        ):
            below = self.get(name) if kind.fits is MAPPING.fits else None
            self[name] = inner if below is None else inner._replace(below=below)
            self.malformed.discard(name)
        else:
            self.pop(name, None)
            self.malformed.add(name)
            if kind.keeps_items and isinstance(inner.value, list):
                # Its other items are still checked, each at its index.
                good = [each if isinstance(each, str) else "" for each in inner.value]
                self[name] = inner._replace(value=good)

    def get_value(self, name: str, otherwise: Any = None) -> Any:
        """Return the value of a field, or `otherwise` if it is missing."""
        held = self.get(name)
        return otherwise if held is None else held.value

    def list_texts(self, name: str) -> Iterator[Located]:
        """Yield the well-formed items of a list of strings; none if it is missing."""
        items = self[name].list_items() if name in self else ()
        return (item for item in items if item.value)

    def get_texts(self, name: str) -> tuple[str, ...]:
        """Return the well-formed items of a list of strings; empty if it is missing."""
        return tuple(item.value for item in self.list_texts(name))

    @property
    def paths(self) -> dict[str, KeyPath]:
        """The paths to the fields."""
        return {name: held.path for name, held in self.items()}

    def get_part(self, name: str) -> Located:
        """Return a mapping inside this one; an empty one if it is missing."""
        return self.get(name) or self.held.bottom.make_inner(name, {})

    def read_part(self, name: str) -> "LocatedFields":
        """Return the fields of a mapping inside this one; empty if it is missing."""
        form = self.form[name].form
        assert form is not None, "the kind of a part has a form"
        return form.read(self[name]) if name in self else LocatedFields(self.get_part(name), form)

    def check_required(self, names: Collection[str], owner: str, hint: str = "") -> bool:
        """Whether all of these are present; a finding for each that is missing."""
        for name in names:
            if name not in self and name not in self.malformed:
                cure = names[name] if isinstance(names, Mapping) else hint
                self.form.notation.add_missing_key(self.held.bottom, name, owner, cure)
        return all(name in self for name in names)

    def check_choice(self, name: str, kind: ValueKind) -> None:
        """Remove a text that is none of its choices, with a finding."""
        held = self.get(name)
        if held is None or held.value in kind.choices:
            return
        words = ", ".join(filter(None, kind.choices))
        word = kind.synonyms.get(str(held.value).lower(), "")
        near = held.page.suggest_nearest(str(held.value), kind.choices)
        near = f"write {word!r}" if word else near
        message = f"{name!r} is {quote_value(held.value)}; it must be one of {words}"
        held.add_error("UNKNOWN_VALUE", message, hint=near or f"write one of {words}")
        del self[name]
        self.malformed.add(name)

    def to_arguments(self, *names: str) -> dict[str, Any]:
        """Return the present ones of some fields, by their names in code.

        Missing fields are omitted: the struct that takes them has its own defaults.
        """
        called = self.form.names
        found: dict[str, Any] = {}
        for name in names:
            if name in self:
                build, held = self.form[name].build, self[name]
                found[called.get(name) or to_snake(name)] = build(held) if build else held.value
        return found

    def build_record(self, otherwise: Mapping[str, Any] | None = None, **more: Any) -> Any:
        """Return the record of the fields; `more` replaces or adds some of its fields.

        What is missing has been reported, and the rest is still checked: a missing field
        is that of `otherwise`, or else empty.
        """
        form = self.form
        assert form.record is not None, "the form is one of a record"
        written = (key for key, name in form.names.items() if name not in more)
        missing = {name: "" for key, name in form.names.items() if key in form.required}
        found = {**missing, **(otherwise or {}), **self.to_arguments(*written), **more}
        return form.record(**found)
