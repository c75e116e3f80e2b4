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
    numbered from 0, `final_state` is Completed, or Truncated after 10,000 steps. A story
    on a world is played on a new run, of which nothing is kept.
    """
    from saniwa.run.straight import StraightPerformance
    from saniwa.script.desk.exploring.dump import dump_of
    from saniwa.wiring import Parts
    from saniwa.wiring.story import open_story

    played = open_story(file, Parts.open("memory:"), seed=seed, batch="command")
    player = played.player if played.run is None else StraightPerformance(played)
    made = dump_of(player, Path(file).read_bytes()).as_json()
    if output is None:
        click.echo(made)
    else:
        Path(output).write_bytes(made + b"\n")
