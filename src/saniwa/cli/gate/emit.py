"""`saniwa gate emit`: send an event, with its evidence."""

from collections.abc import Iterator

import click

from saniwa.cli.gate.door import door_options, opened
from saniwa.cli.gate.looking import with_cure
from saniwa.cli.gate.ruling import show_ruling
from saniwa.cli.gate.values import address, inline, json_object
from saniwa.cli.gate.words import WORDS


@click.command()
@click.argument("words", nargs=-1, required=True, type=WORDS, metavar="[RUN] EVENT")
@click.option(
    "--expected-revision",
    type=int,
    required=True,
    metavar="N",
    help="The revision you have seen.",
)
@click.option(
    "--key",
    "--idempotency-key",
    required=True,
    type=WORDS,
    metavar="K",
    help="Your own name for this request; the same again changes nothing.",
)
@click.option("--payload", metavar="JSON|@FILE", help="What is sent with it.")
@click.option(
    "--artifact",
    "paths",
    multiple=True,
    type=WORDS,
    metavar="PATH",
    help="Evidence: a file inside the run's folder of artifacts.",
)
@click.option(
    "--artifact-paths",
    type=WORDS,
    default="",
    metavar='"A;B"',
    help="Several such files.",
)
@click.option(
    "--inline",
    "inlined",
    multiple=True,
    type=WORDS,
    metavar="TYPE=JSON|@FILE",
    help="Evidence that is written here.",
)
@click.option(
    "--url",
    "urls",
    multiple=True,
    type=WORDS,
    metavar="TYPE=URL#sha256=HEX",
    help="Evidence that lies elsewhere.",
)
@click.option(
    "--approval-digest",
    type=WORDS,
    default="",
    metavar="D",
    help="For a decision: the digest of the review it was made on.",
)
@door_options
@click.pass_context
def emit(
    ctx: click.Context,
    words: tuple[str, ...],
    expected_revision: int,
    key: str,
    payload: str | None,
    paths: tuple[str, ...],
    artifact_paths: str,
    inlined: tuple[str, ...],
    urls: tuple[str, ...],
    approval_digest: str,
    place: str | None,
    credential_file: str | None,
    as_json: bool,
) -> None:
    """Send an event, with its evidence; the gate decides where that leads.

    Ends with 0 if it was accepted, 1 if it was refused, and 4 if the run has moved on
    since that revision.

    \b
    Example:
      saniwa gate emit last submit_hypothesis --expected-revision 1 --key hyp-001 \\
          --artifact hypothesis.md
    """
    from saniwa.process.artifact import Claim
    from saniwa.process.ruling import Submission

    if len(words) > 2:
        raise click.UsageError("Give one EVENT, and before it one RUN at most.")
    run, event = words if len(words) == 2 else (None, words[0])
    files = (*paths, *_split(artifact_paths))
    claims = (
        *(Claim(path=path) for path in files),
        *(inline(text) for text in inlined),
        *(address(text) for text in urls),
    )
    sent = json_object(payload, "--payload")
    with opened(place, credential_file) as door:
        run_id = door.run(run)
        ruling = door.gate.submit(
            Submission(
                run_id=run_id,
                event_name=event,
                expected_revision=expected_revision,
                idempotency_key=key,
                payload=sent,
                artifacts=claims,
                approval_digest=approval_digest,
            )
        )
        ruling = with_cure(ruling, door, run_id, files)
    ctx.exit(show_ruling(ruling, as_json=as_json))


def _split(paths: str) -> Iterator[str]:
    return (path for path in paths.split(";") if path)
