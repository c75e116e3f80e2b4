"""Writes the Python reference from the docstrings, and the stub of `saniwa` for type checkers.

`python -m scripts.api_reference` writes `src/saniwa/__init__.pyi` and `docs/reference/api/`.
Only the list of public names is imported; everything else is read from the source.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import griffe

import saniwa

ROOT: Final = Path(__file__).resolve().parents[1]
SOURCE: Final = ROOT / "src" / "saniwa"
PAGES: Final = "docs/reference/api"
STUB: Final = "src/saniwa/__init__.pyi"
MODULES: Final = saniwa._MODULES
SUBJECTS: Final = {
    "worlds": ("Worlds", "Scenarios, worlds, rulebooks and turns."),
    "runs": ("Runs", "Play a scenario, keep every turn, and resume."),
    "stories": ("Stories", "Read, play, save and translate stories."),
    "gates": ("Gates", "Processes that only evidence moves."),
    "agents": ("Agents and models", "Agents, what characters believe, and the models they use."),
    "experiments": ("Experiments", "Plans, outcomes, and adapters for other libraries."),
}
"""The pages of the names of `saniwa` itself: title and introduction."""
_HOME_SUBJECTS: Final = (
    ("saniwa.runs.story_playing", "stories"),
    ("saniwa.app.story_opening", "stories"),
    ("saniwa.http", "runs"),
    ("saniwa.story", "stories"),
    ("saniwa.runs", "runs"),
    ("saniwa.app.run_service", "runs"),
    ("saniwa.process", "gates"),
    ("saniwa.app.gate", "gates"),
    ("saniwa.integrations.function_adapters", "gates"),
    ("saniwa.agent", "agents"),
    ("saniwa.models", "agents"),
    ("saniwa.app.agent_lookup", "agents"),
    ("saniwa.app.agent_tools", "agents"),
    ("saniwa.app.model_factory", "agents"),
    ("saniwa.app.agent_cast", "agents"),
    ("saniwa.experiment", "experiments"),
    ("saniwa.app.experiment_start_and_resume", "experiments"),
    ("saniwa.app.experiments", "experiments"),
    ("saniwa.app.environments", "experiments"),
    ("saniwa.integrations", "experiments"),
)
"""The subject of a name by the start of its module path; `worlds` for every other."""
OPAQUE: Final = frozenset(
    [
        "saniwa.agent.loop.loop.AgentLoop",
        "saniwa.documents.document.Document",
        "saniwa.integrations.gymnasium_env.ScenarioEnv",  # known as Gymnasium's `Env`
        "saniwa.integrations.pettingzoo_env.MultiAgentEnv",  # and PettingZoo's `AECEnv`
        "saniwa.rulebook.action_search.SearchPlan",
        "saniwa.rulebook.book.Craft",
        "saniwa.rulebook.book.RuleCheck",
        "saniwa.runs.timeline.SeatTimeline",
        "saniwa.runs.timeline.TimelinePoint",
        "saniwa.store.play_records.PlayRecords",
        "saniwa.story.assets.FolderAssets",
        "saniwa.story.elements.StoryScene",
        "saniwa.story.memory.MemorySnapshot",
        "saniwa.story.program.Program",
    ]
)
"""Types of values that users only pass on."""
OPENED: Final = frozenset(["Registry", "Rulebook", "Run", "StoryPlaying"])
"""Classes that users get from functions and methods, as all of `saniwa.results`."""

_GENERATED: Final = "<!-- Written by `make api` from the docstrings; edit those. -->"


def render_stub() -> str:
    """The stub that shows type checkers and editors what `saniwa` offers."""
    homes = sorted((module, name) for name, module in saniwa._HOMES.items())
    lines = [
        "# Written by `make api` from `__init__.py`; do not edit.",
        *(f"from saniwa import {name} as {name}" for name in MODULES),
        *(f"from {module} import {name} as {name}" for module, name in homes),
        "",
        "_HOMES: dict[str, str]",
        "_MODULES: tuple[str, ...]",
        "",
        "__all__ = [",
        *(f'    "{name}",' for name in saniwa.__all__),
        "]",
    ]
    return "\n".join(lines) + "\n"


def render_pages() -> dict[str, str]:
    """Every page of the reference, by its file name."""
    return ApiReference().render_pages()


class ApiReference:
    """The public names, the page of each, and their documentation from the source."""

    def __init__(self) -> None:
        self._package = griffe.load("saniwa", search_paths=[str(ROOT / "src")])
        self._modules = {name: _list_imports(SOURCE / f"{name}.py") for name in MODULES}
        self._places = {
            home: (page, name) for page, names in self._list_pages() for name, home in names.items()
        }
        """By the path of an object: the page and the name it is documented under."""

    def _list_pages(self) -> Iterator[tuple[str, dict[str, str]]]:
        """Each page with its names and their paths; no name is on two pages."""
        inner = {home for names in self._modules.values() for home in names.values()}
        subjects: dict[str, dict[str, str]] = defaultdict(dict)
        for name, module in saniwa._HOMES.items():
            if f"{module}.{name}" not in inner:
                subjects[_find_subject(module)][name] = f"{module}.{name}"
        for subject in SUBJECTS:
            yield subject, subjects[subject]
        yield from self._modules.items()

    def render_pages(self) -> dict[str, str]:
        """Every page of the reference, by its file name."""
        pages = {"index.md": self._render_index()}
        for page, names in self._list_pages():
            title, about = SUBJECTS.get(page) or (f"saniwa.{page}", self._introduce(page))
            parts = [f"# {title}", _GENERATED, about]
            parts += [self._render_name(name, names[name]) for name in sorted(names)]
            pages[f"{page}.md"] = _join_parts(parts)
        return pages

    def _introduce(self, module: str) -> str:
        text = (SOURCE / f"{module}.py").read_text(encoding="utf-8")
        return _split_sentences(ast.get_docstring(ast.parse(text)) or "")

    def _render_index(self) -> str:
        parts = [
            "# API reference",
            _GENERATED,
            "Every public name, with the page that describes it.\n"
            "[Python](../python.md) shows how they are used together.",
        ]
        tops = {name: f"{module}.{name}" for name, module in saniwa._HOMES.items()}
        for title, names in [("saniwa", tops), *self._modules.items()]:
            heading = title if title == "saniwa" else f"saniwa.{title}"
            rows = [self._render_row(name, names[name]) for name in sorted(names)]
            parts += [f"## {heading}", "\n".join(["| name | what it is |", "|---|---|", *rows])]
        return _join_parts(parts)

    def _render_row(self, name: str, home: str) -> str:
        page, _ = self._places[home]
        first = _find_first_sentence(self._find(home)).replace("|", "\\|")
        return f"| [`{name}`]({page}.md#{name.lower()}) | {first} |"

    def _find(self, home: str) -> griffe.Object:
        found = self._package[home.removeprefix("saniwa.")]
        target = found.final_target if isinstance(found, griffe.Alias) else found
        assert isinstance(target, griffe.Object), home
        return target

    def _render_name(self, name: str, home: str) -> str:
        found = self._find(home)
        parts = [f"## {name}"]
        if isinstance(found, griffe.Class):
            parts += [*self._render_class(found)]
        elif isinstance(found, griffe.Function):
            parts += [_make_block(_render_signature(found, name)), _render_docstring(found)]
        else:
            parts += [_make_block(f"{name} = {_simplify(_get_value(found))}")]
            parts.append(_render_docstring(found))
        parts.append(self._render_links(found, home))
        return _join_parts(parts).rstrip("\n")

    def _render_class(self, found: griffe.Class) -> Iterator[str]:
        members = self._list_members(found)
        maker = members.get("__init__")
        is_made = isinstance(maker, griffe.Function) and self._is_callable_by_users(maker)
        if isinstance(maker, griffe.Function) and is_made:
            yield _make_block(_render_signature(maker, found.name))
        yield _render_docstring(found)
        if isinstance(maker, griffe.Function) and is_made:
            yield _render_docstring(maker)
        fields = [each for each in members.values() if isinstance(each, griffe.Attribute)]
        yield "\n".join(_render_field(each) for each in fields)
        for each in members.values():
            if isinstance(each, griffe.Function) and each.name != "__init__":
                yield f"### {found.name}.{each.name}"
                yield _make_block(_render_signature(each, each.name))
                yield _render_docstring(each)

    def _render_links(self, found: griffe.Object, home: str) -> str:
        """Links to the public types that a signature or a field names."""
        links = {
            f"[`{name}`]({page}.md#{name.lower()})"
            for path in self._list_types(found)
            if path in self._places and path != home
            for page, name in [self._places[path]]
        }
        return f"Types: {', '.join(sorted(links))}." if links else ""

    def find_undocumented(self) -> Iterator[str]:
        """Public names, methods and fields without a docstring."""
        for home in self._places:
            found = self._find(home)
            members = self._list_members(found) if isinstance(found, griffe.Class) else {}
            for each in (found, *members.values()):
                if each.docstring is None and each.name != "__init__":
                    yield each.path

    def find_hidden_results(self) -> Iterator[str]:
        """Types of results that are neither public nor opaque."""
        for home in self._places:
            for path in self._list_results(self._find(home)):
                for result in self._resolve_classes(path):
                    if result not in self._places and result not in OPAQUE:
                        yield f"{home} gives {result}"

    def _list_results(self, found: griffe.Object) -> Iterator[str]:
        if isinstance(found, griffe.Function):
            yield from _list_names(found.returns)
        elif isinstance(found, griffe.Class):
            for each in self._list_members(found).values():
                if each.name != "__init__":
                    yield from self._list_results(each)
        else:
            yield from self._list_types(found)

    def _resolve_classes(self, path: str) -> Iterator[str]:
        """The classes of Saniwa that a type or a type alias refers to."""
        if not path.startswith("saniwa."):
            return
        found = self._find(path)
        if isinstance(found, griffe.Class):
            yield path
        elif isinstance(found, griffe.Attribute):
            for each in _list_names(found.value):
                if each != path:
                    yield from self._resolve_classes(each)

    def _list_members(self, found: griffe.Class) -> dict[str, griffe.Object]:
        """The public members, in the order of the source.

        Members inherited from a public class are described there.
        """
        members = dict[str, griffe.Object]()
        for name, member in {**found.members, **found.inherited_members}.items():
            target = member.final_target if isinstance(member, griffe.Alias) else member
            assert isinstance(target, griffe.Object), member.path
            owner = target.parent.path if target.parent is not None else ""
            is_repeated = owner in self._places and owner != found.path
            if _is_shown(target) and not is_repeated:
                members[name] = target
        return members

    def _is_callable_by_users(self, maker: griffe.Function) -> bool:
        """Whether users call the constructor, and can get the values it requires."""
        made = maker.parent
        assert made is not None, maker.path
        if made.name in OPENED or made.path in self._modules["results"].values():
            return False
        required = (each for each in maker.parameters if each.default is None)
        return all(self._is_public(_list_names(each.annotation)) for each in required)

    def _is_public(self, paths: Iterator[str]) -> bool:
        """Whether one of the types is public, or none of them is Saniwa's."""
        own = [each for path in paths for each in self._resolve_classes(path)]
        return not own or any(each in self._places or each in OPAQUE for each in own)

    def _list_types(self, found: griffe.Object) -> Iterator[str]:
        """The paths of the types that signatures and fields name."""
        if isinstance(found, griffe.Class):
            for each in self._list_members(found).values():
                yield from self._list_types(each)
        elif isinstance(found, griffe.Function):
            for parameter in found.parameters:
                yield from _list_names(parameter.annotation)
            yield from _list_names(found.returns)
        elif isinstance(found, griffe.Attribute):
            is_alias = found.parent is not None and found.parent.is_module
            yield from _list_names(found.value if is_alias else found.annotation)


def _is_shown(found: griffe.Object) -> bool:
    if found.name.startswith("_") and found.name != "__init__":
        return False
    if isinstance(found, griffe.Attribute):
        return bool(found.docstring or found.annotation or "property" in found.labels)
    return isinstance(found, griffe.Function)


def _list_imports(file: Path) -> dict[str, str]:
    """The names that a public module imports, each with its path."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {
        name.name: f"{each.module}.{name.name}"
        for each in tree.body
        if isinstance(each, ast.ImportFrom)
        for name in each.names
    }


def _find_subject(module: str) -> str:
    found = (name for start, name in _HOME_SUBJECTS if f"{module}.".startswith(f"{start}."))
    return next(found, "worlds")


def _render_signature(found: griffe.Function, name: str) -> str:
    """The signature, on one line if it fits."""
    parameters = list(_render_parameters(found))
    before = "async " if "async" in found.labels else ""
    returns = "" if found.name == "__init__" else f" -> {_simplify(found.returns)}"
    short = f"{before}{name}({', '.join(parameters)}){returns}"
    if len(short) <= 96:
        return short
    lines = "".join(f"    {each},\n" for each in parameters)
    return f"{before}{name}(\n{lines}){returns}"


def _render_parameters(found: griffe.Function) -> Iterator[str]:
    starred = False
    for each in found.parameters:
        if each.name in ("self", "cls"):
            continue
        kind = each.kind or griffe.ParameterKind.positional_or_keyword
        prefix = {
            griffe.ParameterKind.var_positional: "*",
            griffe.ParameterKind.var_keyword: "**",
        }.get(kind, "")
        if kind is griffe.ParameterKind.keyword_only and not starred:
            yield "*"
        starred = starred or prefix == "*" or kind is griffe.ParameterKind.keyword_only
        typed = f": {_simplify(each.annotation)}" if each.annotation else ""
        default = "" if each.default is None or prefix else f" = {_quote_doubly(each.default)}"
        yield f"{prefix}{each.name}{typed}{default}"


def _render_field(found: griffe.Attribute) -> str:
    typed = f": {_simplify(found.annotation)}" if found.annotation else ""
    default = _render_default(found)
    about = " ".join(_split_sentences(_get_text(found)).split("\n"))
    return f"- `{found.name}{typed}{default}`" + (f": {about}" if about else "")


def _render_default(found: griffe.Attribute) -> str:
    if "property" in found.labels or found.value is None or found.annotation is None:
        return ""
    value = str(found.value)
    if value.startswith("msgspec.field("):
        given = re.search(r"default=((?:[^,()]|\([^()]*\))+)", value)
        made = re.search(r"default_factory=(\w+)", value)
        return f" = {given[1]}" if given else f" = {made[1]}()" if made else ""
    return f" = {_quote_doubly(value)}"


def _quote_doubly(value: str | griffe.Expr) -> str:
    return re.sub(r"'([^'\"]*)'", r'"\1"', str(value))


def _render_docstring(found: griffe.Object) -> str:
    """The docstring as Markdown: one sentence per line, its sections as lists."""
    if found.docstring is None:
        return ""
    parts = []
    for section in found.docstring.parse("google", warnings=False):
        if isinstance(section, griffe.DocstringSectionText):
            parts.append(_split_sentences(section.value))
        elif isinstance(section, griffe.DocstringSectionParameters):
            rows = [f"- `{each.name}`: {_fold(each.description)}" for each in section.value]
            parts.append("\n".join(rows))
        elif isinstance(section, griffe.DocstringSectionRaises):
            raised = [f"- `{each.annotation}`: {_fold(each.description)}" for each in section.value]
            parts.append("\n".join(["Raises:", "", *raised]))
        else:
            parts.append(_fold(str(section.value)))
    return "\n\n".join(parts)


def _list_names(expression: str | griffe.Expr | None) -> Iterator[str]:
    """The paths of the types in an expression, without the extras of `Annotated`."""
    if isinstance(expression, griffe.ExprName | griffe.ExprAttribute):
        yield expression.canonical_path
    elif isinstance(expression, griffe.ExprSubscript) and expression.canonical_name == "Annotated":
        assert isinstance(expression.slice, griffe.ExprTuple), expression
        yield from _list_names(expression.slice.elements[0])
    elif isinstance(expression, griffe.Expr):
        for each in expression.iterate(flat=False):
            yield from _list_names(each)


class _AnnotationSimplifier(ast.NodeTransformer):
    """Removes from a type what only file readers need, and the quotes of names."""

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        if isinstance(node.value, ast.Name) and node.value.id in ("Annotated", "Literal"):
            if node.value.id == "Literal" or not isinstance(node.slice, ast.Tuple):
                return node
            return self.visit(node.slice.elts[0])
        return self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> Any:
        if not isinstance(node.value, str):
            return node
        return self.visit(ast.parse(node.value, mode="eval").body)

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        return ast.Name(node.attr)


def _simplify(annotation: str | griffe.Expr | None) -> str:
    if annotation is None:
        return "None"
    tree = ast.parse(str(annotation), mode="eval")
    return ast.unparse(_AnnotationSimplifier().visit(tree)).replace("'", '"')


def _get_value(found: griffe.Object) -> str | griffe.Expr | None:
    assert isinstance(found, griffe.Attribute), found.path
    return found.value


def _get_text(found: griffe.Object) -> str:
    return found.docstring.value if found.docstring is not None else ""


def _find_first_sentence(found: griffe.Object) -> str:
    return _split_sentences(_get_text(found)).split("\n")[0]


def _fold(text: str) -> str:
    return " ".join(text.split())


def _split_sentences(text: str) -> str:
    """The paragraphs of a text with one sentence per line; code keeps its lines."""
    shown = []
    for paragraph in text.strip().split("\n\n"):
        is_code = "```" in paragraph or paragraph.startswith(("    ", "- "))
        folded = paragraph if is_code else re.sub(r"(?<=[.!?]) (?=[A-Z`])", "\n", _fold(paragraph))
        shown.append(folded)
    return "\n\n".join(shown)


def _make_block(code: str) -> str:
    return f"```py\n{code}\n```"


def _join_parts(parts: list[str]) -> str:
    return "\n\n".join(part for part in parts if part) + "\n"


def main() -> None:
    """Write the stub and all pages, and remove pages that are no longer written."""
    (ROOT / STUB).write_text(render_stub(), encoding="utf-8")
    folder = ROOT / PAGES
    folder.mkdir(parents=True, exist_ok=True)
    pages = render_pages()
    for old in folder.glob("*.md"):
        if old.name not in pages:
            old.unlink()
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
