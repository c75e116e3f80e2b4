"""Makes a JSON Schema (draft 2020-12) of a format, for editors and other programs.

It says what a `RecordForm` says: keys in both spellings, kinds of values, needed keys.
What a reader checks beyond that, such as whether a name exists, no schema can say.
"""

import re
from typing import Any

from saniwa.documents.record_reader import Notation, RecordForm, to_camel, to_snake

DIALECT = "https://json-schema.org/draft/2020-12/schema"
"""The `$schema` of every schema made here."""
_find_words = re.compile(r"\w+").findall
_ARTICLES = {"a", "an", "the", "of", "each", "for"}


def build_schema(form: RecordForm, title: str) -> dict[str, Any]:
    """Return the schema of documents that have this form."""
    builder = _SchemaBuilder()
    described = builder.describe_form(form)
    described["properties"] = {"$schema": {"type": "string"}, **described["properties"]}
    return {
        "$schema": DIALECT,
        "$id": f"urn:saniwa:{title}:1",
        "title": title,
        **described,
        "$defs": builder.defined,
    }


class _SchemaBuilder:
    def __init__(self) -> None:
        self.defined: dict[str, Any] = {}
        self._names: dict[int, str] = {}

    def render_part(self, part: Any) -> Any:
        """Return a schema in which every form is a reference to its definition."""
        if isinstance(part, RecordForm):
            return {"$ref": f"#/$defs/{self._define_form(part)}"}
        if isinstance(part, dict):
            return {key: self.render_part(inner) for key, inner in part.items()}
        if isinstance(part, list):
            return [self.render_part(inner) for inner in part]
        return self.render_part(part()) if callable(part) else part

    def _define_form(self, form: RecordForm) -> str:
        if id(form) not in self._names:
            words = [word for word in _find_words(form.owner) if word not in _ARTICLES]
            name = "_".join(words)
            self._names[id(form)] = name
            assert name not in self.defined, f"two forms are called {name}"
            self.defined[name] = {}
            self.defined[name] = self.describe_form(form)
        return self._names[id(form)]

    def describe_form(self, form: RecordForm) -> dict[str, Any]:
        """Return the schema of a mapping of this form."""
        extra = self.render_part({**form.schema})
        needed = (*form.required, *extra.pop("required", ()))
        properties: dict[str, Any] = {}
        patterns: dict[str, Any] = {"^_": {}} if form.notation.is_lenient else {}
        rules: list[Any] = extra.pop("allOf", [])
        for name, kind in form.items():
            schema = self.render_part(kind.schema)
            optional = form.notation.is_lenient and name not in needed
            properties[name] = _allow_null(schema) if optional or kind.is_nullable else schema
            others = _list_spellings(name, form.notation)
            if others:
                # As patterns, since editors offer every property.
                patterns[f"^({'|'.join(others)})$"] = properties[name]
            if name in needed:
                spellings = [{"required": [each]} for each in (name, *others)]
                rules.append({"anyOf": spellings} if others else spellings[0])
        return {
            "type": "object",
            "properties": properties,
            **({"patternProperties": patterns} if patterns else {}),
            **({"allOf": rules} if rules else {}),
            "additionalProperties": False,
            **extra,
        }


def _list_spellings(name: str, notation: Notation) -> list[str]:
    """Return the other ways in which a key can be written."""
    written = [name, *(each for each, meant in notation.aliases.items() if meant == name)]
    found = {spell(each) for each in written for spell in (str, to_snake, to_camel)}
    return sorted(each for each in found - {name} if notation.resolve_key(each, (name,)) == name)


def _allow_null(schema: dict[str, Any]) -> dict[str, Any]:
    if not schema:
        return schema
    kind = schema.get("type")
    if len(schema) == 1 and kind is not None:
        return {"type": [*(kind if isinstance(kind, list) else [kind]), "null"]}
    return {"anyOf": [schema, {"type": "null"}]}
