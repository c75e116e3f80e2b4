"""Options that take several words at once: `--conditions A B`."""

from collections.abc import Iterator, Sequence
from typing import Any

import click


class Greedy(click.Command):
    """A command some of whose options take every word up to the next option."""

    def __init__(self, *args: Any, several: Sequence[str] = (), **more: Any) -> None:
        """`several` are those options."""
        super().__init__(*args, **more)
        self._several = frozenset(several)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words, each further one as if its option stood before it again."""
        return super().parse_args(ctx, list(self._repeated(args)))

    def _repeated(self, args: Sequence[str]) -> Iterator[str]:
        option, fresh = "", False
        for word in args:
            if word.startswith("-"):
                option = word if word in self._several else ""
                fresh = True
            elif option and not fresh:
                yield option
            else:
                fresh = False
            yield word
