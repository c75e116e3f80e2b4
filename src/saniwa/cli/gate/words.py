"""Words that are typed: text, and not bytes in another encoding."""

import click


class Words(click.ParamType[str]):
    """A text that can be kept and shown."""

    name = "text"

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """The text; what was typed in another encoding is refused."""
        try:
            value.encode()
        except UnicodeEncodeError:
            self.fail(f"{value!r} is no UTF-8 text", param, ctx)
        return value


WORDS = Words()
"""The kind of everything that goes into a log."""
