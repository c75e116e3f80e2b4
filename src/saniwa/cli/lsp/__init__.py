"""`saniwa lsp`: the language server that editors start."""

import click

from saniwa.core.errors import ScriptError
from saniwa.core.extra import missing

_LIBRARIES = ("pygls", "lsprotocol")


@click.command()
@click.option(
    "--stdio", is_flag=True, help="Nothing else is spoken; editors may say so."
)
@click.pass_context
def lsp(ctx: click.Context, stdio: bool) -> None:  # noqa: ARG001 - editors may add it
    """Speak the Language Server Protocol on stdin and stdout, for editors.

    Findings while you type, completion, definitions, references, renaming, hover,
    outline, formatting and cures. Leaves with 0 if the editor said goodbye, else with 1.
    """
    ctx.exit(_serve())


def _serve() -> int:
    try:
        from saniwa.cli.lsp.server import serve
    except ImportError as problem:
        if (problem.name or "").partition(".")[0] not in _LIBRARIES:
            raise
        what = "the language server needs"
        raise missing("pygls", extra="lsp", what=what, kind=ScriptError) from problem
    return serve()
