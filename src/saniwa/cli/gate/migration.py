"""Commands for files of other systems: `migrate-definition`."""

from saniwa.cli import render
from saniwa.cli.gate import access
from saniwa.cli.options import define_command


@define_command("gate migrate-definition")
def migrate_definition(file: str, output: str | None, as_json: bool) -> None:
    """Rewrite a process file of state_gate's form as ours, and check the result.

    Prints the new definition as YAML, without the comments. On standard error it lists
    what was rewritten, what has no equivalent and what is still wrong, each kind once.
    Exits with status 1 if the result still has errors, with 3 if the file cannot be read.

    \b
    Example:
      saniwa gate migrate-definition exploration-process.yaml -o exploration.yaml
    """
    from saniwa.documents.document import load_document
    from saniwa.documents.migration import render_yaml
    from saniwa.process.definition_migration import migrate_definition
    from saniwa.process.reader import read_process_text

    document = load_document(file)
    definition, changes = migrate_definition(document.plain)
    text = render_yaml(definition)
    found = read_process_text(text, output or "").report.findings
    if output is not None:
        access.write_new_file(output, text)
    if as_json:
        migration = render.build_migration_document(changes, found)
        render.print_json({"definition": definition, **migration})
    else:
        render.show_migration(changes, found)
        render.show_text(text.rstrip("\n") if output is None else f"wrote {output}")
    render.exit_check(found, strict=False, unreadable=False)
