"""`saniwa dump`: a story played through once, as one JSON document."""

from pathlib import Path

import click


@click.command(epilog="\b\nExample:\n  saniwa dump story.md -o story.json")
@click.argument("file", metavar="FILE")
@click.option(
    "-o", "--output", metavar="OUT", help="The file to write; else standard output."
)
@click.option("--seed", type=int, default=0, help="Where the story's chance starts.")
def dump(file: str, output: str | None, seed: int) -> None:
    """Play FILE by its first options and write every command's step as JSON.

    The form is the first engine's: `input_hash` is the MD5 of the file, `steps` are
    numbered from 0, `final_state` is Completed, or Truncated after 10,000 steps.
    """
    from saniwa.script.desk.exploring.dump import dump as dump_of
    from saniwa.wiring.story import load_story

    story = load_story(file)
    content = Path(file).read_bytes()
    made = dump_of(story.program, content, seed=seed, assets=story.assets).as_json()
    if output is None:
        click.echo(made)
    else:
        Path(output).write_bytes(made + b"\n")
